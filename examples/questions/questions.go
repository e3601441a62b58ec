package questions

import (
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	f "github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/expr/selectors"
	"github.com/spoonbill-go/spoonbill/window"
)

// Question is one of them.
type Question struct {
	// Name is that of the file of its SQL.
	Name string
	// Text is the question in words.
	Text string
	// Build makes the query.
	Build func(t Tables) expr.Table
	// Ordered tells that no two rows of the result can change places.
	Ordered bool
	// Inexact tells that it sums doubles, whose last digits depend on the order of the rows.
	Inexact bool
	// Levels is how deep derived tables and subqueries lie in the SQL that a human would write.
	Levels int
}

// All are the questions.
var All = []Question{
	{Name: "busiest_routes", Text: "Which ten routes are flown most?", Build: BusiestRoutes, Ordered: true},
	{Name: "delay_by_airline", Text: "How late do the airlines leave, and how many of their flights never do?", Build: DelayByAirline, Ordered: true},
	{Name: "worst_days", Text: "On which days did flights leave more than an hour late on average?", Build: WorstDays, Ordered: true},
	{Name: "longest_delays", Text: "Which were the three longest delays at each airport?", Build: LongestDelays, Ordered: true, Levels: 1},
	{Name: "unregistered_planes", Text: "Which planes that flew most are not in the register?", Build: UnregisteredPlanes, Ordered: true},
	{Name: "planes_in_use", Text: "How many registered planes of each maker flew at all?", Build: PlanesInUse, Ordered: true},
	{Name: "seats_by_month", Text: "How many seats left New York each month, as far as they are known?", Build: SeatsByMonth, Ordered: true},
	{Name: "unvisited_airports", Text: "How many airports of each time zone does nobody fly to from New York?", Build: UnvisitedAirports, Ordered: true},
	{Name: "unmatched_destinations", Text: "Which destinations are no known airport, and which airports of the Eastern time zone above 2,000 feet are no destination?", Build: UnmatchedDestinations, Ordered: true, Levels: 1},
	{Name: "monthly_grid", Text: "How many flights did each airline have from each airport, with the pairs that had none?", Build: MonthlyGrid, Ordered: true, Levels: 1},
	{Name: "an_aircraft_of_each_maker", Text: "What is the oldest plane of each maker that flew?", Build: AnAircraftOfEachMaker, Ordered: true, Levels: 1},
	{Name: "first_sight_of_airlines", Text: "Does every airline fly? Show a flight of each.", Build: FirstSightOfAirlines, Ordered: true, Levels: 1},
	{Name: "delay_by_visibility", Text: "Do flights leave later when the last observation before them saw less far?", Build: DelayByVisibility, Ordered: true, Levels: 2},
	{Name: "rain_ahead", Text: "How many flights left each airport with rain reported within the next two hours?", Build: RainAhead, Ordered: true, Levels: 2},
	{Name: "nearest_observation", Text: "How far is the nearest observation of the weather from the hours with a flight?", Build: NearestObservation, Ordered: true, Levels: 3},
	{Name: "two_airports_a_day", Text: "Which planes left from two of the airports on one day?", Build: TwoAirportsADay, Ordered: true},
	{Name: "flights_with_totals", Text: "How many flights has each airline at each airport, with totals?", Build: FlightsWithTotals, Ordered: true},
	{Name: "quarters_every_way", Text: "How many flights are there by airport, by quarter and by both?", Build: QuartersEveryWay, Ordered: true},
	{Name: "chosen_totals", Text: "How many were cancelled by airport and by month, and in all?", Build: ChosenTotals, Ordered: true},
	{Name: "running_total", Text: "How many flights had left by the end of each month?", Build: RunningTotal, Ordered: true, Levels: 1},
	{Name: "week_average", Text: "What is the average delay of each day and the six before it?", Build: WeekAverage, Ordered: true, Levels: 1},
	{Name: "rush_hours", Text: "In which hours did most flights leave an airport within three hours?", Build: RushHours, Ordered: true, Levels: 1},
	{Name: "routes_of_like_length", Text: "How many routes are at most 50 miles shorter or longer than each?", Build: RoutesOfLikeLength, Ordered: true, Levels: 1},
	{Name: "days_between_flights", Text: "How long did the planes that waited longest wait for their next flight from New York?", Build: DaysBetweenFlights, Ordered: true},
	{Name: "ranking_of_airlines", Text: "How do the airlines of each airport rank by flights?", Build: RankingOfAirlines, Ordered: true, Levels: 1},
	{Name: "first_and_last_out", Text: "Who left first, second and last from each airport on New Year's Day?", Build: FirstAndLastOut, Ordered: true},
	{Name: "shared_destinations", Text: "Which places can be reached from all three airports?", Build: SharedDestinations, Ordered: true},
	{Name: "only_from_newark", Text: "Which places can be reached from Newark alone?", Build: OnlyFromNewark, Ordered: true},
	{Name: "places_and_bases", Text: "Which places are in the timetable at all, as origin or destination?", Build: PlacesAndBases, Ordered: true, Levels: 1},
	{Name: "summer_extras", Text: "On which routes were there more flights in July than in February, and how many?", Build: SummerExtras, Ordered: true, Levels: 1},
	{Name: "stable_timetable", Text: "How many flights of each airline were the same in January and in December: number, route and minute?", Build: StableTimetable, Ordered: true, Levels: 1},
	{Name: "second_page_of_old_planes", Text: "Which planes are on the second page of the oldest, ten a page?", Build: SecondPageOfOldPlanes, Ordered: true},
	{Name: "page_of_airports", Text: "Which airports are on a given page of the highest?", Build: PageOfAirports, Ordered: true},
	{Name: "maiden_flights", Text: "Which planes flew first after the summer, and from where?", Build: MaidenFlights, Ordered: true, Levels: 1},
	{Name: "sample_is_fair", Text: "Is a tenth of the flights a tenth?", Build: SampleIsFair, Ordered: true, Levels: 1},
	{Name: "months_by_airport", Text: "How many flights were there, months down and airports across?", Build: MonthsByAirport, Ordered: true},
	{Name: "delays_in_one_column", Text: "How do delays at departure and at arrival compare by airport?", Build: DelaysInOneColumn, Ordered: true, Levels: 1},
	{Name: "words_of_airlines", Text: "Which words stand where in the names of airlines?", Build: WordsOfAirlines, Ordered: true, Levels: 1},
	{Name: "late_days_of_airlines", Text: "On which days of December did airlines cancel a tenth of their flights? Show those without such a day too.", Build: LateDaysOfAirlines, Ordered: true, Levels: 2},
	{Name: "longest_flight", Text: "Which is the longest flight of each airline?", Build: LongestFlight, Ordered: true, Levels: 1},
	{Name: "readable_planes", Text: "What does the register say of planes of four engines, in better order and under better names?", Build: ReadablePlanes, Ordered: true},
	{Name: "weather_as_text", Text: "Which observations of Christmas Eve at LaGuardia are there, as whole numbers?", Build: WeatherAsText, Ordered: true},
	{Name: "complete_weather", Text: "How windy was it by month, with a calm where no gust was measured?", Build: CompleteWeather, Ordered: true, Inexact: true, Levels: 1},
	{Name: "planes_described", Text: "What do the columns of the register hold?", Build: PlanesDescribed, Ordered: true, Inexact: true, Levels: 1},
	{Name: "flights_nulls", Text: "Which columns of the flights have gaps?", Build: FlightsNulls, Ordered: true, Levels: 1},
	{Name: "engines", Text: "Which kinds of engines are how common?", Build: Engines, Ordered: true},
	{Name: "means_of_everything", Text: "What are the means of all times and distances by airport?", Build: MeansOfEverything, Ordered: true},
	{Name: "incomplete_flights", Text: "How many flights left and have no time of arrival, no arrival delay or no air time?", Build: IncompleteFlights, Ordered: true},
	{Name: "later_than_most", Text: "How many flights of each airline were more than three hours later than the average?", Build: LaterThanMost, Ordered: true, Levels: 1},
	{Name: "big_planes", Text: "How many flights of each airline were in planes of more than 300 seats, and how many in known smaller ones?", Build: BigPlanes, Ordered: true, Levels: 1},
	{Name: "stormy_departures", Text: "How many flights left in an hour with gusts of 40 miles an hour?", Build: StormyDepartures, Ordered: true, Levels: 1},
	{Name: "slower_than_usual", Text: "Which flights were in the air half as long again as is usual on their route?", Build: SlowerThanUsual, Ordered: true, Levels: 1},
	{Name: "planes_of_one_speed", Text: "Which pairs of planes of different makers have the same speed and year, unknown ones included?", Build: PlanesOfOneSpeed, Ordered: true},
	{Name: "flights_of_a_route", Text: "Which flights of a given route were later than a given bound?", Build: FlightsOfARoute, Ordered: true},
	{Name: "days_above_their_month", Text: "How many days had more flights than the average day of their month?", Build: DaysAboveTheirMonth, Ordered: true, Levels: 1},
	{Name: "how_many_of_everything", Text: "How many planes, routes and airlines are there?", Build: HowManyOfEverything, Ordered: true, Levels: 1},
	{Name: "delay_classes", Text: "How are the delays spread?", Build: DelayClasses, Ordered: true},
	{Name: "six_hours", Text: "How many flights left each airport in each six hours of 4 July?", Build: SixHours, Ordered: true},
	{Name: "share_of_the_day", Text: "Which part of its airport's flights of the day had an airline on 1 May?", Build: ShareOfTheDay, Ordered: true, Levels: 1},
}

// BusiestRoutes takes the most frequent pairs.
func BusiestRoutes(t Tables) expr.Table { return t.Flights.TopK(10, "origin", "dest") }

// DelayByAirline joins the names and puts airlines that never left last.
func DelayByAirline(t Tables) expr.Table {
	fl := t.Flights.Join(t.Airlines, "carrier")
	return fl.GroupBy("name").
		Agg(expr.Count().As("flights"), fl.Num("dep_time").IsNull().CountTrue().As("cancelled"), fl.Num("dep_delay").Mean().As("mean_delay")).
		OrderBy(expr.Desc("mean_delay").NullsLast(), "name")
}

// WorstDays keeps groups by an aggregate.
func WorstDays(t Tables) expr.Table {
	delay := t.Flights.Num("dep_delay").Mean()
	return t.Flights.GroupBy("month", "day").Having(delay.Gt(60)).Agg(expr.Count().As("flights"), delay.As("mean_delay")).OrderBy("month", "day")
}

// LongestDelays takes the first rows of each group.
func LongestDelays(t Tables) expr.Table {
	return t.Flights.GroupBy("origin").OrderBy(expr.Desc("dep_delay"), "time_hour", "flight", "carrier").Limit(3).
		Select("origin", "carrier", "flight", "time_hour", "dep_delay").
		OrderBy("origin", expr.Desc("dep_delay"), "time_hour", "flight", "carrier")
}

// UnregisteredPlanes is an anti-join.
func UnregisteredPlanes(t Tables) expr.Table {
	unknown := t.Flights.AntiJoin(t.Planes, "tailnum").Filter(expr.Str("tailnum").NotNull())
	return unknown.GroupBy("tailnum", "carrier").Agg(expr.Count().As("flights")).OrderBy(expr.Desc("flights"), "tailnum", "carrier").Limit(10)
}

// PlanesInUse is a semi-join.
func PlanesInUse(t Tables) expr.Table {
	return t.Planes.SemiJoin(t.Flights, "tailnum").GroupBy("manufacturer").Agg(expr.Count().As("planes")).OrderBy(expr.Desc("planes"), "manufacturer")
}

// SeatsByMonth is a left join.
func SeatsByMonth(t Tables) expr.Table {
	fl := t.Flights.LeftJoin(t.Planes.Select("tailnum", "seats"), "tailnum")
	return fl.GroupBy("month").
		Agg(fl.Num("seats").Sum().As("seats"), fl.Num("seats").IsNull().CountTrue().As("flights_of_unknown_planes")).
		OrderBy("month")
}

// UnvisitedAirports keeps the right rows that found no partner.
func UnvisitedAirports(t Tables) expr.Table {
	visited := t.Flights.RightJoin(t.Airports, t.Flights.Str("dest").Eq(t.Airports.Str("faa")))
	return visited.Filter(visited.Str("dest").IsNull()).GroupBy("tzone").Agg(expr.Count().As("airports")).OrderBy(expr.Desc("airports"), "tzone")
}

// UnmatchedDestinations keeps what has no partner on either side.
func UnmatchedDestinations(t Tables) expr.Table {
	dests := t.Flights.Select("dest").Distinct()
	both := dests.OuterJoin(t.Airports, dests.Str("dest").Eq(t.Airports.Str("faa")))
	high := both.Num("alt").Gt(2000).And(both.Str("tzone").Eq("America/New_York"))
	return both.Filter(both.Str("faa").IsNull().Or(both.Str("dest").IsNull().And(high))).Select("dest", "faa", "name").OrderBy("dest", "faa")
}

// MonthlyGrid is a cross join with the counts beside it.
func MonthlyGrid(t Tables) expr.Table {
	origins := t.Flights.Select("origin").Distinct()
	counts := t.Flights.GroupBy("origin", "carrier").Agg(expr.Count().As("flights"))
	grid := t.Airlines.CrossJoin(origins)
	all := grid.LeftJoin(counts, "origin", "carrier")
	return all.Select("carrier", "origin", expr.Coalesce(all.Num("flights"), 0).As("flights")).OrderBy("carrier", "origin")
}

// AnAircraftOfEachMaker takes one partner per row: the least by its columns in order.
func AnAircraftOfEachMaker(t Tables) expr.Table {
	makers := t.Planes.SemiJoin(t.Flights, "tailnum").Select("manufacturer").Distinct()
	oldest := t.Planes.Filter(t.Planes.Num("year").NotNull()).Select("manufacturer", "year", "model", "tailnum")
	return makers.AnyJoin(oldest, "manufacturer").OrderBy("year", "manufacturer")
}

// FirstSightOfAirlines is a left join that takes one partner at most.
func FirstSightOfAirlines(t Tables) expr.Table {
	return t.Airlines.AnyLeftJoin(t.Flights.Select("carrier", "time_hour", "flight", "origin", "dest"), "carrier").OrderBy("carrier")
}

// DelayByVisibility gives each flight the last observation of its airport by its hour.
func DelayByVisibility(t Tables) expr.Table {
	seen := t.Weather.Select("origin", "time_hour", "visib")
	fl := t.Flights.Select("origin", "time_hour", "dep_delay").AsofJoin(seen, "time_hour", "origin")
	return fl.GroupBy(fl.Num("visib").Floor().As("miles")).Agg(expr.Count().As("flights"), fl.Num("dep_delay").Mean().As("mean_delay")).OrderBy("miles")
}

// RainAhead looks forward, within a bound.
func RainAhead(t Tables) expr.Table {
	rain := t.Weather.Filter(t.Weather.Num("precip").Gt(0)).Select("origin", "time_hour", "precip")
	fl := t.Flights.Select("origin", "time_hour").AsofJoin(rain, "time_hour", "origin", expr.AsofForward(), expr.AsofTolerance(2*time.Hour))
	return fl.GroupBy("origin").Agg(fl.Num("precip").Count().As("before_rain"), expr.Count().As("flights")).OrderBy("origin")
}

// NearestObservation looks both ways, but not at the very hour.
func NearestObservation(t Tables) expr.Table {
	hours := t.Flights.Select("origin", "time_hour").Distinct()
	near := hours.AsofJoin(t.Weather.Select("origin", "time_hour"), "time_hour", "origin", expr.AsofNearest(), expr.AsofStrict())
	apart := near.Timestamp("time_hour").EpochSeconds().Sub(near.Timestamp("time_hour_right").EpochSeconds()).IntDiv(3600)
	return near.GroupBy(apart.As("hours_before")).Agg(expr.Count().As("hours")).OrderBy("hours_before")
}

// TwoAirportsADay joins the flights with themselves.
func TwoAirportsADay(t Tables) expr.Table {
	first, later := t.Flights, t.Flights.View()
	pairs := first.Join(later, "tailnum", "month", "day", first.Timestamp("time_hour").Lt(later.Timestamp("time_hour")), first.Str("origin").NotEq(later.Str("origin")))
	return pairs.GroupBy("tailnum").Agg(expr.Count().As("times")).OrderBy(expr.Desc("times"), "tailnum").Limit(20)
}

// FlightsWithTotals is a rollup, whose totals Grouping tells from missing names.
func FlightsWithTotals(t Tables) expr.Table {
	return t.Flights.GroupBy(expr.Rollup("carrier", "origin")).
		Agg(expr.Count().As("flights"), expr.Grouping("origin").As("all_airports"), expr.Grouping("carrier").As("all_airlines")).
		OrderBy("all_airlines", "carrier", "all_airports", "origin")
}

// QuartersEveryWay is a cube.
func QuartersEveryWay(t Tables) expr.Table {
	quarter := t.Flights.Timestamp("time_hour").Quarter().As("quarter")
	return t.Flights.GroupBy(expr.Cube("origin", quarter)).Agg(expr.Count().As("flights")).OrderBy(expr.Asc("origin").NullsLast(), expr.Asc("quarter").NullsLast())
}

// ChosenTotals groups by chosen sets of keys.
func ChosenTotals(t Tables) expr.Table {
	return t.Flights.GroupBy(expr.GroupingSets("origin", "month", []any{})).
		Agg(t.Flights.Num("dep_time").IsNull().CountTrue().As("cancelled"), expr.GroupingID().As("level")).
		OrderBy("level", "origin", "month")
}

// RunningTotal sums from the first row to the present one.
func RunningTotal(t Tables) expr.Table {
	months := t.Flights.GroupBy("month").Agg(t.Flights.Num("dep_time").Count().As("departures"))
	return months.Mutate(months.Num("departures").Sum().Over(window.Cumulative().OrderBy("month")).As("so_far")).OrderBy("month")
}

// WeekAverage has a frame of rows.
func WeekAverage(t Tables) expr.Table {
	days := t.Flights.GroupBy("month", "day").Agg(t.Flights.Num("dep_delay").Sum().As("minutes"), t.Flights.Num("dep_delay").Count().As("departures"))
	week := window.Over().OrderBy("month", "day").Rows(window.Preceding(6), window.CurrentRow())
	return days.Select("month", "day", days.Num("minutes").Sum().Over(week).Div(days.Num("departures").Sum().Over(week)).Round(2).As("mean_delay")).OrderBy("month", "day")
}

// RushHours has a frame of time.
func RushHours(t Tables) expr.Table {
	hours := t.Flights.GroupBy("origin", "time_hour").Agg(expr.Count().As("departures"))
	before := window.Over().GroupBy("origin").OrderBy("time_hour").Range(window.Preceding(2*time.Hour), window.CurrentRow())
	return hours.Mutate(hours.Num("departures").Sum().Over(before).As("in_three_hours")).OrderBy(expr.Desc("in_three_hours"), "origin", "time_hour").Limit(10)
}

// RoutesOfLikeLength has a frame of numbers.
func RoutesOfLikeLength(t Tables) expr.Table {
	routes := t.Flights.Select("origin", "dest", "distance").Distinct()
	like := window.Over().OrderBy("distance").Range(window.Preceding(50), window.Following(50))
	return routes.Mutate(expr.Count().Over(like).Sub(1).As("alike")).OrderBy("distance", "origin", "dest").Limit(25)
}

// DaysBetweenFlights looks at the row before, and back past the cancelled flights for the last delay.
func DaysBetweenFlights(t Tables) expr.Table {
	fl := t.Flights.Filter(t.Flights.Str("tailnum").NotNull())
	trips := window.Over().GroupBy("tailnum").OrderBy("time_hour", "sched_dep_time", "flight", "carrier")
	gaps := fl.Select("tailnum", "time_hour", "flight", "carrier",
		fl.Timestamp("time_hour").Date().DaysSince(fl.Timestamp("time_hour").Lag().Date()).Over(trips).As("days"),
		expr.IgnoreNulls(fl.Num("dep_delay").Lag()).Over(trips).As("delay_before"),
		fl.Str("dest").Lead(1, "none").Over(trips).As("next"))
	return gaps.OrderBy(expr.Desc("days"), "tailnum", "time_hour", "flight", "carrier").Limit(15)
}

// RankingOfAirlines shows every way to rank over one window, which the SQL names.
func RankingOfAirlines(t Tables) expr.Table {
	flights := t.Flights.GroupBy("origin", "carrier").Agg(expr.Count().As("flights"))
	by := window.Over().GroupBy("origin").OrderBy(expr.Desc("flights"))
	return flights.Select("origin", "carrier", "flights", f.RowNumber().Over(window.Over().GroupBy("origin").OrderBy(expr.Desc("flights"), "carrier")).As("place"), f.Rank().Over(by).As("rank"),
		f.DenseRank().Over(by).As("dense_rank"), f.PercentRank().Over(by).As("percent_rank"), f.CumeDist().Over(by).As("cume_dist"), f.Ntile(4).Over(window.Over().GroupBy("origin").OrderBy(expr.Desc("flights"), "carrier")).As("quarter")).
		OrderBy("origin", "place")
}

// FirstAndLastOut reads the first, second and last row of a window.
func FirstAndLastOut(t Tables) expr.Table {
	day := t.Flights.Filter(t.Flights.Num("month").Eq(1), t.Flights.Num("day").Eq(1), t.Flights.Num("dep_time").NotNull())
	all := window.Over().GroupBy("origin").OrderBy("dep_time", "carrier", "flight").Rows(window.Unbounded(), window.Unbounded())
	return day.Select("origin", day.Str("carrier").First().Over(all).As("first"), day.Str("carrier").Nth(2).Over(all).As("second"), day.Str("carrier").Last().Over(all).As("last")).
		Distinct().OrderBy("origin")
}

// from are the destinations of an airport.
func from(t Tables, origin string) expr.Table {
	return t.Flights.Filter(t.Flights.Str("origin").Eq(origin)).Select("dest")
}

// SharedDestinations is an intersection.
func SharedDestinations(t Tables) expr.Table {
	return from(t, "EWR").Intersect(from(t, "JFK"), from(t, "LGA")).OrderBy("dest")
}

// OnlyFromNewark is a difference.
func OnlyFromNewark(t Tables) expr.Table {
	return from(t, "EWR").Difference(from(t, "JFK"), from(t, "LGA")).OrderBy("dest")
}

// PlacesAndBases is a union without duplicates, after one with them.
func PlacesAndBases(t Tables) expr.Table {
	origins := t.Flights.Select(t.Flights.Str("origin").As("place"))
	places := origins.UnionDistinct(t.Flights.Select(t.Flights.Str("dest").As("place")))
	twice := places.Union(origins.Distinct())
	return twice.GroupBy("place").Agg(expr.Count().As("roles")).OrderBy(expr.Desc("roles"), "place")
}

// in are the routes of a month, a row a flight.
func in(t Tables, month int, columns ...any) expr.Table {
	return t.Flights.Filter(t.Flights.Num("month").Eq(month)).Select(columns...)
}

// SummerExtras takes one flight of February for each of July.
func SummerExtras(t Tables) expr.Table {
	extra := in(t, 7, "origin", "dest").DifferenceAll(in(t, 2, "origin", "dest"))
	return extra.GroupBy("origin", "dest").Agg(expr.Count().As("more")).OrderBy(expr.Desc("more"), "origin", "dest").Limit(15)
}

// StableTimetable keeps what both months have, as often as both have it.
func StableTimetable(t Tables) expr.Table {
	key := []any{"carrier", "flight", "origin", "dest", "sched_dep_time"}
	same := in(t, 1, key...).IntersectAll(in(t, 12, key...))
	return same.GroupBy("carrier").Agg(expr.Count().As("flights")).OrderBy("carrier")
}

// SecondPageOfOldPlanes leaves out ten and puts unknown years last.
func SecondPageOfOldPlanes(t Tables) expr.Table {
	return t.Planes.OrderBy(expr.Asc("year").NullsLast(), "tailnum").Limit(10, 10).Select("tailnum", "year", "manufacturer", "model")
}

// PageOfAirports computes its limit from parameters.
func PageOfAirports(t Tables) expr.Table {
	page, size := expr.Param("page", datatype.Int).AsNumeric(), expr.Param("size", datatype.Int).AsNumeric()
	return t.Airports.OrderBy(expr.Desc("alt"), "faa").Limit(size, page.Sub(1).Mul(size)).Select("faa", "name", "alt").
		Bind(expr.Params{"page": 3, "size": 5})
}

// MaidenFlights keeps the first row of each key.
func MaidenFlights(t Tables) expr.Table {
	firsts := t.Flights.Filter(t.Flights.Str("tailnum").NotNull()).DistinctOn("tailnum").OrderBy("time_hour", "sched_dep_time", "flight", "carrier").Keep(expr.KeepFirst)
	return firsts.Filter(firsts.Num("month").Ge(9)).GroupBy("origin", "month").Agg(expr.Count().As("planes")).OrderBy("origin", "month")
}

// SampleIsFair chooses rows at random; which ones is the engine's affair, how many is not.
func SampleIsFair(t Tables) expr.Table {
	tenth := t.Flights.Sample(0.1, 42)
	return tenth.Agg(expr.Count().Between(t.Flights.Agg(expr.Count().Mul(0.08).As("low")).AsScalar(), t.Flights.Agg(expr.Count().Mul(0.12).As("high")).AsScalar()).As("fair"))
}

// MonthsByAirport turns rows into columns.
func MonthsByAirport(t Tables) expr.Table {
	return t.Flights.Select("month", "origin", "flight").
		PivotWider(expr.NamesFrom("origin"), expr.PivotNames("EWR", "JFK", "LGA"), expr.ValuesFrom("flight"), expr.ValuesAgg(expr.NumericValue.Count), expr.ValuesFill(0)).
		OrderBy("month")
}

// DelaysInOneColumn turns columns into rows.
func DelaysInOneColumn(t Tables) expr.Table {
	long := t.Flights.Select("origin", "dep_delay", "arr_delay").PivotLonger(selectors.EndsWith("_delay"), expr.NamesTo("at"), expr.ValuesTo("minutes"), expr.NamesPattern("^(dep|arr)"))
	return long.GroupBy("origin", "at").Agg(long.Num("minutes").Mean().As("mean"), long.Num("minutes").Max().As("most")).OrderBy("origin", "at")
}

// WordsOfAirlines puts the elements of an array into rows with their places.
func WordsOfAirlines(t Tables) expr.Table {
	words := t.Airlines.Select("carrier", f.Split(t.Airlines.Str("name"), " ").As("word"))
	return words.Unnest("word", expr.WithPosition("place")).OrderBy("carrier", "place")
}

// LateDaysOfAirlines collects days and puts them into rows again, keeping airlines without one.
func LateDaysOfAirlines(t Tables) expr.Table {
	december := t.Flights.Filter(t.Flights.Num("month").Eq(12))
	days := december.GroupBy("carrier", "day").Agg(december.Num("dep_time").IsNull().CountTrue().Div(expr.Count()).As("cancelled"))
	late := days.GroupBy("carrier").Agg(expr.Where(days.Num("day").Collect(), days.Num("cancelled").Ge(0.1)).Sort().As("day"))
	return late.UnnestOuter("day").OrderBy("carrier", "day")
}

// LongestFlight makes a struct of what goes with the greatest distance and opens it.
func LongestFlight(t Tables) expr.Table {
	fl := t.Flights
	far := f.NamedStruct("distance", fl.Num("distance"), "origin", fl.Str("origin"), "dest", fl.Str("dest"))
	return fl.GroupBy("carrier").Agg(far.Max().As("longest")).Unpack("longest").OrderBy("carrier")
}

// ReadablePlanes moves and renames columns.
func ReadablePlanes(t Tables) expr.Table {
	return t.Planes.Filter(t.Planes.Num("engines").Eq(4)).
		Relocate("manufacturer", "model").Relocate("speed", expr.After("seats")).
		Rename(map[string]string{"built": "year"}).RenameBy(expr.AllCaps, selectors.Cols("tailnum")).
		OrderBy("TAILNUM")
}

// WeatherAsText gives columns other types by a schema.
func WeatherAsText(t Tables) expr.Table {
	eve := t.Weather.Filter(t.Weather.Num("month").Eq(12), t.Weather.Num("day").Eq(24), t.Weather.Str("origin").Eq("LGA"))
	return eve.Select("hour", "temp", "wind_speed", "pressure", "origin").
		Cast(map[string]datatype.Type{"temp": datatype.Int, "wind_speed": datatype.Int, "hour": datatype.String}).
		TryCast(map[string]datatype.Type{"origin": datatype.Int}).
		OrderBy("hour")
}

// CompleteWeather fills some nulls and leaves rows with others out.
func CompleteWeather(t Tables) expr.Table {
	w := t.Weather.FillNull(map[string]any{"wind_gust": 0.0}).DropNull(expr.AnyNull, "wind_speed", "temp")
	return w.GroupBy("month").Agg(w.Num("wind_gust").Mean().As("mean_gust"), w.Num("wind_speed").Max().As("strongest"), w.Num("temp").Mean().As("mean_temp")).OrderBy("month")
}

// PlanesDescribed sums up every column.
func PlanesDescribed(t Tables) expr.Table { return t.Planes.Describe().OrderBy("pos") }

// FlightsNulls tells what the schema says, and counts nulls.
func FlightsNulls(t Tables) expr.Table {
	info := t.Flights.Info()
	return info.Filter(info.Num("nulls").Gt(0)).Select("name", "type", "nulls", "non_nulls").OrderBy(expr.Desc("nulls"), "name")
}

// Engines counts values.
func Engines(t Tables) expr.Table {
	return t.Planes.ValueCounts("engine").OrderBy(expr.Desc("count"), "engine")
}

// MeansOfEverything applies one function to all columns that a selector picks.
func MeansOfEverything(t Tables) expr.Table {
	return t.Flights.GroupBy("origin").
		Agg(expr.Across(selectors.AllOf(selectors.Numeric(), selectors.Matches("time$|delay$|^distance$"), selectors.Where(func(c selectors.Field) bool { return c.Name != "sched_dep_time" })), expr.NumericValue.Mean, "mean_{col}")).
		OrderBy("origin")
}

// IncompleteFlights has a condition over several columns.
func IncompleteFlights(t Tables) expr.Table {
	left := t.Flights.Filter(t.Flights.Num("dep_time").NotNull())
	gap := selectors.IfAny(selectors.Cols("arr_time", "arr_delay", "air_time"), expr.AnyValue.IsNull)
	lost := selectors.IfAll(selectors.Cols("arr_time", "arr_delay", "air_time"), expr.AnyValue.IsNull)
	return left.Filter(gap).Mutate(lost.As("nothing_known")).GroupBy("nothing_known").Agg(expr.Count().As("flights")).OrderBy("nothing_known")
}

// LaterThanMost compares with one value of the whole table.
func LaterThanMost(t Tables) expr.Table {
	fl := t.Flights
	late := fl.Filter(fl.Num("dep_delay").Gt(fl.Num("dep_delay").Mean().AsScalar().Add(180)))
	return late.GroupBy("carrier").Agg(expr.Count().As("flights")).OrderBy(expr.Desc("flights"), "carrier")
}

// BigPlanes looks values up in another table, both ways.
func BigPlanes(t Tables) expr.Table {
	big := t.Planes.Filter(t.Planes.Num("seats").Gt(300)).Select("tailnum")
	known := t.Flights.Filter(t.Flights.Str("tailnum").InTable(t.Planes.Select("tailnum")))
	large := known.Filter(known.Str("tailnum").InTable(big)).GroupBy("carrier").Agg(expr.Count().As("large"))
	small := known.Filter(known.Str("tailnum").InTable(big).Not()).GroupBy("carrier").Agg(expr.Count().As("small"))
	return large.Join(small, "carrier").OrderBy("carrier")
}

// StormyDepartures asks whether a row exists that goes with the flight.
func StormyDepartures(t Tables) expr.Table {
	gusts := t.Weather.Filter(t.Weather.Num("wind_gust").Ge(40), t.Weather.Str("origin").Eq(t.Flights.Str("origin")), t.Weather.Timestamp("time_hour").Eq(t.Flights.Timestamp("time_hour")))
	calm := t.Planes.Filter(t.Planes.Str("tailnum").Eq(t.Flights.Str("tailnum")), t.Planes.Num("engines").Eq(1))
	return t.Flights.Filter(expr.Exists(gusts), expr.Exists(calm).Not(), t.Flights.Num("dep_time").NotNull()).
		GroupBy("origin").Agg(expr.Count().As("flights"), t.Flights.Num("dep_delay").Mean().As("mean_delay")).OrderBy("origin")
}

// SlowerThanUsual compares each flight with a value computed for its route.
func SlowerThanUsual(t Tables) expr.Table {
	fl, route := t.Flights, t.Flights.View()
	usual := route.Filter(route.Str("origin").Eq(fl.Str("origin")), route.Str("dest").Eq(fl.Str("dest"))).Agg(route.Num("air_time").Mean().As("mean"))
	return fl.Filter(fl.Num("air_time").Gt(usual.AsScalar().AsNumeric().Mul(1.5))).
		Select("carrier", "flight", "origin", "dest", "time_hour", "air_time").OrderBy("time_hour", "carrier", "flight").Limit(20)
}

// PlanesOfOneSpeed lets unknown speeds and years meet.
func PlanesOfOneSpeed(t Tables) expr.Table {
	one, other := t.Planes, t.Planes.View()
	pairs := one.Join(other, one.Num("speed").EqNullSafe(other.Num("speed")), one.Num("year").EqNullSafe(other.Num("year")), one.Str("engine").Eq(other.Str("engine")),
		one.Str("tailnum").Lt(other.Str("tailnum")), one.Str("manufacturer").NotEq(other.Str("manufacturer")), one.Num("seats").Le(8))
	return pairs.Select(one.Str("tailnum"), other.Str("tailnum").As("other"), one.Num("year"), one.Num("speed")).OrderBy("tailnum", "other").Limit(20)
}

// FlightsOfARoute leaves its values to parameters.
func FlightsOfARoute(t Tables) expr.Table {
	fl := t.Flights
	return fl.Filter(fl.Str("origin").Eq(expr.Param("origin", datatype.String)), fl.Str("dest").Eq(expr.Param("dest", datatype.String)), fl.Num("dep_delay").Gt(expr.Param("minutes", datatype.Int))).
		Select("time_hour", "carrier", "flight", "dep_delay").OrderBy(expr.Desc("dep_delay"), "time_hour", "carrier", "flight").
		Bind(expr.Params{"origin": "JFK", "dest": "LAX", "minutes": 120})
}

// DaysAboveTheirMonth reads one aggregation twice, which the SQL names.
func DaysAboveTheirMonth(t Tables) expr.Table {
	days := t.Flights.GroupBy("month", "day").Agg(expr.Count().As("flights"))
	months := days.GroupBy("month").Agg(days.Num("flights").Mean().As("average"))
	busy := days.Join(months, "month").Filter(expr.Num("flights").Gt(expr.Num("average")))
	return busy.GroupBy("month").Agg(expr.Count().As("days")).OrderBy("month")
}

// HowManyOfEverything counts different rows, and rows that fulfil a condition.
func HowManyOfEverything(t Tables) expr.Table {
	fl := t.Flights
	return fl.NUnique("tailnum").Rename(map[string]string{"planes": "nunique"}).
		CrossJoin(fl.NUnique("origin", "dest").Rename(map[string]string{"routes": "nunique"})).
		CrossJoin(fl.Agg(expr.CountDistinct(fl.Str("carrier")).As("airlines"))).
		CrossJoin(fl.Count(fl.Num("arr_delay").Le(0)).Rename(map[string]string{"early": "count"}))
}

// DelayClasses sorts values into named classes.
func DelayClasses(t Tables) expr.Table {
	delay := t.Flights.Num("dep_delay")
	class := expr.Case().When(delay.IsNull(), "cancelled").When(delay.Le(0), "on time").When(delay.Le(60), "within an hour").Else("later").AsString()
	return t.Flights.GroupBy(class.As("class")).Agg(expr.Count().As("flights"), expr.Where(expr.Count(), t.Flights.Str("origin").Eq("JFK")).As("from_jfk")).OrderBy("class")
}

// SixHours groups by windows of time.
func SixHours(t Tables) expr.Table {
	at := t.Flights.Timestamp("time_hour")
	day := t.Flights.Filter(at.ToDate().Eq(expr.DateOf(2013, time.July, 4)))
	slots := day.GroupBy("origin", window.Tumbling(at, 6*time.Hour)).Agg(expr.Count().As("flights"))
	return slots.Select("origin", slots.Window("window").Start().As("starts"), slots.Window("window").End().As("ends"), "flights").OrderBy("origin", "starts")
}

// ShareOfTheDay divides by a total over the group, without a second aggregation.
func ShareOfTheDay(t Tables) expr.Table {
	day := t.Flights.Filter(t.Flights.Num("month").Eq(5), t.Flights.Num("day").Eq(1))
	flights := day.GroupBy("origin", "carrier").Agg(expr.Count().As("flights"))
	return flights.GroupBy("origin").Mutate(flights.Num("flights").Div(flights.Num("flights").Sum()).Round(4).As("share")).
		Drop("flights").OrderBy("origin", expr.Desc("share"), "carrier")
}
