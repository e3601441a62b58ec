package questions

import (
	"context"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Work is a question that takes more than a query: tables and views that a session keeps, copies in its memory, its catalogue.
type Work struct {
	// Name is that of the file of its SQL.
	Name string
	// Text is the question in words.
	Text string
	// Do works in the current database of a session, which has nothing in it, and gives the queries whose rows are the answer, each while it can be asked. No two rows of
	// one can change places. What it makes goes with the database, but for temporary views and copies, which it gives up itself.
	Do func(ctx context.Context, s backend.Session, t Tables, answer func(expr.Table) error) error
	// Plain are queries with the same rows that need no session, where only Spark can do the work: the local engine keeps no versions and no views, and reads no SQL.
	Plain []func(t Tables) expr.Table
}

// Works are those questions.
var Works = []Work{
	{Name: "kept_winter", Text: "How late did flights leave in the winter months, by a table that was made of them?", Do: KeptWinter},
	{Name: "month_by_month", Text: "What does a table hold that the months come into one by one, some twice and one by mistake?", Do: MonthByMonth},
	{Name: "inserted_records", Text: "Which were the longest delays, by a table of records that is declared first and filled in several ways?", Do: InsertedRecords},
	{Name: "late_by_name", Text: "Which airline had most late flights, if late is first an hour and then two?", Do: LateByName},
	{Name: "kept_in_memory", Text: "How many flights, and in how many planes, were there in the busiest week, whose flights are read once?", Do: KeptInMemory},
	{Name: "what_is_there", Text: "Which tables and columns are there, after some came, went and changed their names?", Do: WhatIsThere},
	{Name: "before_the_mistake", Text: "How many flights of each airport were there before a mistake took Newark's away?", Do: BeforeTheMistake, Plain: []func(t Tables) expr.Table{byOrigin, notNewark, byOrigin}},
	{Name: "kept_view", Text: "What does a view say that others can read, before and after it is put right?", Do: KeptView, Plain: []func(t Tables) expr.Table{notNewark, byOrigin}},
	{Name: "own_words", Text: "How many flights of each airport does SQL of one's own count, and which part of all are they?", Do: OwnWords, Plain: []func(t Tables) expr.Table{byOriginAndShare}},
}

func byOrigin(t Tables) expr.Table {
	return t.Flights.GroupBy("origin").Agg(expr.Count().As("flights")).OrderBy("origin")
}

func notNewark(t Tables) expr.Table {
	return t.Flights.Filter(t.Flights.Str("origin").NotEq("EWR")).GroupBy("origin").Agg(expr.Count().As("flights")).OrderBy("origin")
}

func byOriginAndShare(t Tables) expr.Table {
	n := byOrigin(t)
	return n.Mutate(n.Num("flights").Div(t.Flights.Agg(expr.Count().As("n")).AsScalar()).Round(3).As("share")).OrderBy("origin")
}

// trying does one thing after another until one fails.
func trying(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// reading answers with a query over a table of the catalogue.
func reading(ctx context.Context, s backend.Session, answer func(expr.Table) error, query func(t expr.Table) expr.Table, name ...string) func() error {
	return func() error {
		t, err := s.Table(ctx, name...)
		if err != nil {
			return err
		}
		return answer(query(t))
	}
}

// KeptWinter is CREATE TABLE AS with a folder for each month, of which one is read.
func KeptWinter(ctx context.Context, s backend.Session, t Tables, answer func(expr.Table) error) error {
	winter := t.Flights.Filter(t.Flights.Num("month").In(12, 1, 2)).Select("origin", "carrier", "dep_delay", "month")
	return trying(
		func() error {
			return s.Write(ctx, winter.WriteTo(connectors.ToTable("winter").PartitionBy("month")))
		},
		reading(ctx, s, answer, func(w expr.Table) expr.Table {
			return w.GroupBy("month").Agg(expr.Count().As("flights"), w.Num("dep_delay").Mean().As("mean_delay")).OrderBy("month")
		}, "winter"),
		reading(ctx, s, answer, func(w expr.Table) expr.Table {
			return w.Filter(w.Num("month").Eq(2)).GroupBy("origin").Agg(w.Num("dep_delay").Max().As("worst")).OrderBy("origin")
		}, "winter"))
}

// MonthByMonth goes through what a write may find: nothing, a table that is added to, that stays, that is replaced.
func MonthByMonth(ctx context.Context, s backend.Session, t Tables, answer func(expr.Table) error) error {
	write := func(month int, mode expr.SaveMode) func() error {
		return func() error {
			return s.Write(ctx, in(t, month, "month", "origin", "dest").WriteTo(connectors.ToTable("months")).SaveMode(mode))
		}
	}
	months := func(m expr.Table) expr.Table {
		return m.GroupBy("month").Agg(expr.Count().As("flights")).OrderBy("month")
	}
	return trying(
		write(12, expr.ErrorIfExists), write(12, expr.SaveOverwrite), write(2, expr.SaveAppend), write(2, expr.SaveIgnore),
		reading(ctx, s, answer, months, "months"),
		write(2, expr.SaveOverwrite),
		reading(ctx, s, answer, months, "months"))
}

// InsertedRecords declares a table and inserts by the places and by the names of columns.
func InsertedRecords(ctx context.Context, s backend.Session, t Tables, answer func(expr.Table) error) error {
	to := connectors.ToTable("records")
	fields := []datatype.Field{{Name: "kind", Type: datatype.String, Nullable: true}, {Name: "minutes", Type: datatype.Long, Nullable: true}, {Name: "remark", Type: datatype.String, Nullable: true}}
	fl := t.Flights
	worst := func(kind, column string) expr.Table {
		return fl.Agg(expr.Lit(kind).AsString().First().As("kind"), fl.Num(column).Max().As("minutes"))
	}
	return trying(
		func() error { return backend.CreateTable(ctx, s, fields, to, expr.ErrorIfExists) },
		func() error {
			w := worst("left", "dep_delay")
			return s.Write(ctx, w.Select("kind", "minutes", expr.Lit("by position").As("x")).WriteTo(to.ByPosition()).SaveMode(expr.SaveAppend))
		},
		func() error {
			return s.Write(ctx, worst("arrived", "arr_delay").Select("minutes", "kind").WriteTo(to.ByName()).SaveMode(expr.SaveAppend))
		},
		reading(ctx, s, answer, func(r expr.Table) expr.Table { return r.OrderBy("kind") }, "records"),
		func() error { return s.Catalog().TruncateTable(ctx, "records") },
		func() error {
			return s.Write(ctx, worst("flew", "air_time").WriteTo(to.ByName()).SaveMode(expr.SaveOverwrite))
		},
		reading(ctx, s, answer, func(r expr.Table) expr.Table { return r.OrderBy("kind") }, "records"))
}

// LateByName asks one question of a name that stands for one query and then for another.
func LateByName(ctx context.Context, s backend.Session, t Tables, answer func(expr.Table) error) (err error) {
	late := func(minutes int) expr.Table { return t.Flights.Filter(t.Flights.Num("dep_delay").Gt(minutes)) }
	if err := s.Catalog().CreateTempView(ctx, "late_flights", late(60), false); err != nil {
		return err
	}
	defer func() {
		if _, e := s.Catalog().DropTempView(ctx, "late_flights"); err == nil {
			err = e
		}
	}()
	named, err := s.Table(ctx, "late_flights")
	if err != nil {
		return err
	}
	most := named.Join(t.Airlines.Broadcast(), "carrier").TopK(3, "name")
	return trying(
		func() error { return answer(most) },
		func() error { return s.Catalog().CreateTempView(ctx, "late_flights", late(120), true) },
		func() error { return answer(most) })
}

// KeptInMemory asks twice of rows that are computed once, and gives them up.
func KeptInMemory(ctx context.Context, s backend.Session, t Tables, answer func(expr.Table) error) (err error) {
	fl := t.Flights
	week := fl.Filter(fl.Num("month").Eq(7), fl.Num("day").Between(8, 14)).Repartition(2, "carrier")
	kept, err := s.Cache(ctx, week)
	if err != nil {
		return err
	}
	defer func() {
		if e := kept.Release(ctx); err == nil {
			err = e
		}
	}()
	w := kept.Table
	return trying(
		func() error {
			return answer(w.GroupBy("carrier").Agg(expr.Count().As("flights")).OrderBy(expr.Desc("flights"), "carrier"))
		},
		func() error {
			return answer(w.SemiJoin(t.Planes.Hint("shuffle_hash"), "tailnum").Coalesce(1).NUnique("tailnum"))
		})
}

// WhatIsThere looks into the catalogue.
func WhatIsThere(ctx context.Context, s backend.Session, t Tables, answer func(expr.Table) error) error {
	c := s.Catalog()
	const other = "questions_aside"
	home, err := c.CurrentDatabase(ctx)
	if err != nil {
		return err
	}
	write := func(table expr.Table, name ...string) func() error {
		return func() error { return s.Write(ctx, table.WriteTo(connectors.ToTable(name...))) }
	}
	type entry struct {
		Kind  string  `json:"kind"`
		Name  string  `json:"name"`
		About *string `json:"about"`
	}
	look := func() error {
		var found []entry
		list, err := c.ListTables(ctx, "")
		if err != nil {
			return err
		}
		for _, x := range list {
			found = append(found, entry{Kind: "table", Name: x.Name, About: &x.Type})
			columns, err := c.ListColumns(ctx, x.Name)
			if err != nil {
				return err
			}
			for _, y := range columns {
				about := y.Type.String()
				found = append(found, entry{Kind: "column", Name: x.Name + "." + y.Name, About: &about})
			}
		}
		for _, name := range []string{"airlines", "carriers"} {
			there, err := c.TableExists(ctx, name)
			if err != nil {
				return err
			}
			if !there {
				found = append(found, entry{Kind: "nothing", Name: name})
			}
		}
		return answer(expr.Memtable("found", found).OrderBy("kind", "name"))
	}
	return trying(
		write(t.Airlines, "airlines"), write(t.Airports.Select("faa", "lat", "lon"), "places"), look,
		func() error { return c.RenameTable(ctx, "carriers", "airlines") },
		func() error { return c.DropTable(ctx, false, "places") }, look,
		// A database of its own, which is used and dropped.
		func() error { return c.DropDatabase(ctx, true, true, other) },
		func() error { return c.CreateDatabase(ctx, false, other) },
		func() error { return c.SetCurrentDatabase(ctx, other) },
		write(t.Planes.Select("tailnum", "seats"), "seats"), look,
		func() error { return c.SetCurrentDatabase(ctx, home) },
		func() error { return c.DropDatabase(ctx, false, true, other) },
		func() error {
			there, err := c.DatabaseExists(ctx, other)
			if err != nil {
				return err
			}
			return answer(expr.Memtable("dropped", []struct {
				Database string `json:"database"`
				There    bool   `json:"there"`
			}{{other, there}}))
		})
}

// BeforeTheMistake reads a table as it was: by the number of its version, and by the time.
func BeforeTheMistake(ctx context.Context, s backend.Session, t Tables, answer func(expr.Table) error) error {
	to := connectors.ToTable("kept_flights").Format("delta")
	fl := t.Flights.Select("origin", "dest")
	count := func(f expr.Table) expr.Table {
		return f.GroupBy("origin").Agg(expr.Count().As("flights")).OrderBy("origin")
	}
	var between time.Time
	return trying(
		func() error { return s.Write(ctx, fl.WriteTo(to)) },
		func() error {
			time.Sleep(1100 * time.Millisecond) // versions are told apart by seconds
			between = time.Now()
			return s.Write(ctx, fl.Filter(fl.Str("origin").NotEq("EWR")).WriteTo(to).SaveMode(expr.SaveOverwrite))
		},
		reading(ctx, s, answer, func(f expr.Table) expr.Table { return count(f.VersionAsOf(0)) }, "kept_flights"),
		reading(ctx, s, answer, count, "kept_flights"),
		reading(ctx, s, answer, func(f expr.Table) expr.Table { return count(f.TimestampAsOf(between)) }, "kept_flights"))
}

// KeptView keeps queries in the catalogue, over a table of it.
func KeptView(ctx context.Context, s backend.Session, t Tables, answer func(expr.Table) error) error {
	c := s.Catalog()
	if err := s.Write(ctx, t.Flights.Select("origin", "dest").WriteTo(connectors.ToTable("routes"))); err != nil {
		return err
	}
	routes, err := s.Table(ctx, "routes")
	if err != nil {
		return err
	}
	count := func(f expr.Table) expr.Table { return f.GroupBy("origin").Agg(expr.Count().As("flights")) }
	sorted := func(f expr.Table) expr.Table { return f.OrderBy("origin") }
	return trying(
		func() error {
			return c.CreateView(ctx, count(routes.Filter(routes.Str("origin").NotEq("EWR"))), expr.ErrorIfExists, "by_origin")
		},
		reading(ctx, s, answer, sorted, "by_origin"),
		func() error { return c.CreateView(ctx, count(routes), expr.SaveOverwrite, "by_origin") },
		reading(ctx, s, answer, sorted, "by_origin"),
		func() error { return c.DropView(ctx, false, "by_origin") })
}

// OwnWords reads SQL of the user's as a table, and as a value.
func OwnWords(ctx context.Context, s backend.Session, t Tables, answer func(expr.Table) error) error {
	fields := []datatype.Field{{Name: "origin", Type: datatype.String, Nullable: true}, {Name: "flights", Type: datatype.Long}}
	n := expr.SQL("SELECT origin, count(*) AS flights FROM outbound GROUP BY origin HAVING count(*) > :least", fields, map[string]expr.Table{"outbound": t.Flights}, expr.Param("least", datatype.Int))
	share := expr.SQLValue[expr.NumericValue]("round(flights / sum(flights) OVER (), 3)", datatype.Double)
	return answer(n.Mutate(share.As("share")).OrderBy("origin").Bind(expr.Params{"least": 0}))
}
