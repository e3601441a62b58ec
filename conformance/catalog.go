package conformance

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// CatalogCase is a conversation with a session's catalogue that every backend must answer alike.
type CatalogCase struct {
	Name string
	run  func(t *talk)
}

// talk notes what a session says, in a database of its own.
type talk struct {
	ctx context.Context
	s   backend.Session
	backend.Catalog
	db  string
	out Answer
	// broken is a failure to ask.
	broken error
}

// AskCatalog runs a case on a session in a database of its own, which is dropped after it. The name of the database is "db" in the answer.
func AskCatalog(ctx context.Context, s backend.Session, c CatalogCase) (Answer, error) {
	t := &talk{ctx: ctx, s: s, Catalog: s.Catalog(), db: "conf_" + strings.ReplaceAll(uuid.NewString(), "-", "")}
	if err := t.CreateDatabase(ctx, false, t.db); err != nil {
		return Answer{}, err
	}
	err := t.SetCurrentDatabase(ctx, t.db)
	if err == nil {
		c.run(t)
	}
	return t.out, errors.Join(err, t.broken, t.SetCurrentDatabase(ctx, "default"), t.DropDatabase(ctx, true, true, t.db))
}

func (t *talk) note(cells ...string) {
	row := make([]*string, len(cells))
	for i, c := range cells {
		c = strings.ReplaceAll(c, t.db, "db")
		row[i] = &c
	}
	t.out.Rows = append(t.out.Rows, row)
}

// says notes a value, or the condition of an error.
func (t *talk) says(what string, value any, err error) {
	if err == nil {
		t.note(what, fmt.Sprint(value))
		return
	}
	a, err := failure(err)
	if err != nil {
		t.broken = errors.Join(t.broken, fmt.Errorf("%s: %w", what, err))
		return
	}
	t.note(what, "! "+a.Error)
}

// does is says for what gives nothing.
func (t *talk) does(what string, err error) { t.says(what, "done", err) }

// rows notes the schema and the rows of a table.
func (t *talk) rows(what string, table expr.Table, err error) {
	var a Answer
	if err == nil {
		a, err = Ask(t.ctx, t.s, table, false)
	}
	t.says(what, strings.TrimSpace(a.String()), err)
}

// reads is rows for a table of the catalogue.
func (t *talk) reads(name ...string) {
	table, err := t.s.Table(t.ctx, name...)
	t.rows("read "+strings.Join(name, "."), table, err)
}

func (t *talk) write(what string, table expr.Table, to connectors.TableSink, mode expr.SaveMode) {
	t.does(what, t.s.Write(t.ctx, table.WriteTo(to).SaveMode(mode)))
}

func (t *talk) lists(what, pattern string, database ...string) {
	list, err := t.ListTables(t.ctx, pattern, database...)
	var out []string
	for _, x := range list {
		out = append(out, fmt.Sprintf("%s/%s/%s %s %v", x.Catalog, x.Database, x.Name, x.Type, x.Temporary))
	}
	t.says(what, strings.Join(out, "\n"), err)
}

func (t *talk) columns(name ...string) {
	list, err := t.ListColumns(t.ctx, name...)
	var out []string
	for _, x := range list {
		out = append(out, fmt.Sprintf("%s %s nullable=%v partition=%v", x.Name, x.Type, x.Nullable, x.Partition))
	}
	t.says("columns of "+strings.Join(name, "."), strings.Join(out, "\n"), err)
}

// keeps is a small table with nulls.
func keeps() expr.Table {
	return tables("rows", mustFields("id INT, name STRING, amount DOUBLE"), [][]any{{1, "a", 1.5}, {2, nil, 2.5}, {3, "c", nil}})
}

// CatalogCases are the conversations.
func CatalogCases() []CatalogCase {
	three := keeps()
	empty := tables("rows", mustFields("id INT, name STRING, amount DOUBLE"), nil)
	return []CatalogCase{
		{"databases", func(t *talk) {
			other := t.db + "_other"
			defer func() { t.does("drop it again", t.DropDatabase(t.ctx, true, true, other)) }()
			name, err := t.CurrentCatalog(t.ctx)
			t.says("catalogue", name, err)
			all, err := t.ListCatalogs(t.ctx, "spark*")
			t.says("catalogues", all, err)
			t.does("another catalogue", t.SetCurrentCatalog(t.ctx, "nowhere"))
			t.does("this catalogue", t.SetCurrentCatalog(t.ctx, "spark_catalog"))
			t.does("back", t.SetCurrentDatabase(t.ctx, "spark_catalog", t.db))
			name, err = t.CurrentDatabase(t.ctx)
			t.says("database", name, err)
			t.does("make", t.CreateDatabase(t.ctx, false, other))
			t.does("make again", t.CreateDatabase(t.ctx, false, strings.ToUpper(other)))
			t.does("make by force", t.CreateDatabase(t.ctx, true, other))
			t.does("make a hostile one", t.CreateDatabase(t.ctx, false, "a b; DROP"))
			t.does("make one in one", t.CreateDatabase(t.ctx, false, "spark_catalog", "a", "b"))
			t.does("make one without a name", t.CreateDatabase(t.ctx, false))
			all, err = t.ListDatabases(t.ctx, t.db+"*")
			t.says("list", all, err)
			all, err = t.ListDatabases(t.ctx, "defaul.|nothing")
			t.says("list by a pattern", all, err)
			for _, n := range [][]string{{other}, {"spark_catalog", other}, {"nowhere"}} {
				ok, err := t.DatabaseExists(t.ctx, n...)
				t.says("exists "+strings.Join(n, "."), ok, err)
			}
			t.does("use nothing", t.SetCurrentDatabase(t.ctx, "nowhere"))
			t.does("use", t.SetCurrentDatabase(t.ctx, other))
			t.write("a table in it", three, connectors.ToTable("t"), expr.ErrorIfExists)
			t.does("drop it full", t.DropDatabase(t.ctx, false, false, other))
			t.does("drop it and all", t.DropDatabase(t.ctx, false, true, other))
			name, err = t.CurrentDatabase(t.ctx)
			t.says("still current", name, err)
			t.lists("tables of nothing", "")
			t.does("drop nothing", t.DropDatabase(t.ctx, false, false, "nowhere"))
			t.does("drop nothing by force", t.DropDatabase(t.ctx, true, false, "nowhere"))
			t.does("drop the default", t.DropDatabase(t.ctx, false, false, "default"))
		}},
		{"browsing", func(t *talk) {
			t.write("t1", three, connectors.ToTable("t1"), expr.ErrorIfExists)
			t.write("T2", three, connectors.ToTable("T2").PartitionBy("name"), expr.ErrorIfExists)
			t.write("other", three, connectors.ToTable("spark_catalog", t.db, "other"), expr.ErrorIfExists)
			t.does("view", t.CreateTempView(t.ctx, "tv", three, false))
			t.lists("all", "")
			t.lists("of the database", "", t.db)
			t.lists("by a pattern", "T*")
			t.lists("by two", "t.|oth*")
			t.lists("by a broken one", "[")
			t.lists("of nothing", "", "nowhere")
			for _, n := range [][]string{{"t1"}, {"T1"}, {"tv"}, {t.db, "t1"}, {t.db, "tv"}, {"spark_catalog", t.db, "t2"}, {"nothing"}, {"nowhere", "t1"}} {
				ok, err := t.TableExists(t.ctx, n...)
				t.says("exists "+strings.Join(n, "."), ok, err)
				info, err := t.GetTable(t.ctx, n...)
				if n[0] != "T1" && (len(n) == 1 || condition.Of(err) == "") { // what Spark calls a wrong database depends on the call
					t.says("get "+strings.Join(n, "."), fmt.Sprintf("%+v", info), err)
				}
			}
			t.columns("t2")
			t.columns("tv")
			t.columns("nothing")
			t.reads("t2")
			t.reads("nothing")
			t.reads("nowhere", "t1")
			t.does("refresh", t.RefreshTable(t.ctx, "t1"))
			t.does("refresh nothing", t.RefreshTable(t.ctx, "nothing"))
			_, err := t.DropTempView(t.ctx, "tv")
			t.does("forget", err)
		}},
		{"temporary views", func(t *talk) {
			for _, n := range []string{"v", "a b`c.d;--", "w"} {
				defer func() { _, _ = t.DropTempView(t.ctx, n) }()
			}
			t.does("make", t.CreateTempView(t.ctx, "v", three.Filter(three.Num("id").Gt(1)), false))
			t.does("make again", t.CreateTempView(t.ctx, "V", three, false))
			t.reads("v")
			t.reads(t.db, "v")
			v, err := t.s.Table(t.ctx, "v")
			t.does("table", err)
			t.does("a view of it", t.CreateTempView(t.ctx, "w", v.Mutate(v.Num("id").Mul(10).As("ten")), false))
			t.does("replace", t.CreateTempView(t.ctx, "v", three.Filter(three.Num("id").Eq(1)), true))
			t.rows("the table follows", v, nil)
			t.reads("w")
			t.does("replace by itself", t.CreateTempView(t.ctx, "v", v.Union(v), true))
			t.reads("v")
			t.rows("twice in a query", v.Join(v.View(), "id").Select("id"), nil)
			t.does("hostile", t.CreateTempView(t.ctx, "a b`c.d;--", three, false))
			t.reads("a b`c.d;--")
			t.does("empty", t.CreateTempView(t.ctx, "w", empty, true))
			t.reads("w")
			t.does("without a name", t.CreateTempView(t.ctx, "", empty, true))
			t.does("a mistake", t.CreateTempView(t.ctx, "w", three.Select("nmae"), true))
			t.write("a table of that name", three, connectors.ToTable("v"), expr.ErrorIfExists)
			t.reads("v")
			t.reads(t.db, "v")
			was, err := t.DropTempView(t.ctx, "V")
			t.says("drop", was, err)
			was, err = t.DropTempView(t.ctx, "v")
			t.says("drop again", was, err)
			t.reads("v")
			t.does("drop a view", t.DropView(t.ctx, false, "w"))
			t.does("drop no view", t.DropView(t.ctx, false, "w"))
			t.does("drop no view by force", t.DropView(t.ctx, true, "w"))
			t.does("drop a table as a view", t.DropView(t.ctx, false, "v"))
			// A source of a query may have the name of a view.
			t.does("named like a source", t.CreateTempView(t.ctx, "rows", expr.Memtable("x", []struct{ A int32 }{{7}}), false))
			t.rows("a query with a source", Orders().Select("id").Limit(1).Agg(expr.Count().As("n")), nil)
			t.reads("rows")
			_, err = t.DropTempView(t.ctx, "rows")
			t.does("drop", err)
		}},
		{"create table as", func(t *talk) {
			v := Values().Drop("span", "months")
			t.write("every type", v, connectors.ToTable("every"), expr.ErrorIfExists)
			t.reads("every")
			t.columns("every")
			t.write("empty", empty, connectors.ToTable("empty"), expr.ErrorIfExists)
			t.reads("empty")
			t.does("from fields", backend.CreateTable(t.ctx, t.s, mustFields("a INT, b ARRAY<STRING>, c DECIMAL(10,2)"), connectors.ToTable("fields"), expr.ErrorIfExists))
			t.reads("fields")
			t.does("from fields again", backend.CreateTable(t.ctx, t.s, mustFields("a INT"), connectors.ToTable("fields"), expr.SaveIgnore))
			t.columns("fields")
			t.write("json", three, connectors.ToTable("j").Format("json"), expr.ErrorIfExists)
			t.reads("j")
			t.write("csv", three, connectors.ToTable("c").Format("csv").Options(connectors.Header()), expr.ErrorIfExists)
			t.reads("c")
			t.write("no format", three, connectors.ToTable("n").Format("nothing"), expr.ErrorIfExists)
			t.write("hostile", three, connectors.ToTable("a b"), expr.ErrorIfExists)
			t.write("no database", three, connectors.ToTable("nowhere", "t"), expr.ErrorIfExists)
			t.write("no name", three, connectors.ToTable(), expr.ErrorIfExists)
			t.write("columns of odd names", three.Rename(map[string]string{"a b,;{}`x": "id"}), connectors.ToTable("odd"), expr.ErrorIfExists)
			t.reads("odd")
		}},
		{"save modes", func(t *talk) {
			t.write("error", three, connectors.ToTable("t"), expr.ErrorIfExists)
			t.write("error again", three, connectors.ToTable("t"), expr.ErrorIfExists)
			t.write("ignore", three.Filter(three.Num("id").Gt(5)), connectors.ToTable("t"), expr.SaveIgnore)
			t.reads("t")
			t.write("append", three.Select("amount", "name", three.Num("id").Add(10).As("ID")), connectors.ToTable("t"), expr.SaveAppend)
			t.reads("t")
			t.write("append what is there", three, connectors.ToTable("made"), expr.SaveAppend)
			t.reads("made")
			t.write("overwrite", three.Select(three.Num("id").Mul(2).As("twice")), connectors.ToTable("t"), expr.SaveOverwrite)
			t.reads("t")
			t.write("overwrite by nothing", empty, connectors.ToTable("t"), expr.SaveOverwrite)
			t.reads("t")
			t.write("overwrite what is not there", three, connectors.ToTable("new"), expr.SaveOverwrite)
			self, err := t.s.Table(t.ctx, "new")
			t.does("table", err)
			t.write("append itself", self, connectors.ToTable("new"), expr.SaveAppend)
			t.write("overwrite itself", self.Limit(1), connectors.ToTable("new"), expr.SaveOverwrite)
			t.write("insert over itself", self.Limit(1), connectors.ToTable("new").ByPosition(), expr.SaveOverwrite)
			t.reads("new")
		}},
		{"append by name", func(t *talk) {
			t.write("make", three, connectors.ToTable("t"), expr.ErrorIfExists)
			t.write("too few", three.Select("id", "name"), connectors.ToTable("t"), expr.SaveAppend)
			t.write("too many", three.Mutate(three.Num("id").As("more")), connectors.ToTable("t"), expr.SaveAppend)
			t.write("another name", three.Rename(map[string]string{"nom": "name"}), connectors.ToTable("t"), expr.SaveAppend)
			t.write("narrower", three.Mutate(expr.Lit(int64(7)).As("id"), expr.Lit(2).As("amount")), connectors.ToTable("t"), expr.SaveAppend)
			t.write("too large", three.Mutate(three.Num("id").Cast(datatype.Long).AsNumeric().Mul(1<<40).As("id")), connectors.ToTable("t"), expr.SaveAppend)
			t.write("a failure of its own", three.Mutate(three.Num("id").Cast(datatype.Long).AsNumeric().Mul(1<<40).Cast(datatype.Int).As("amount")), connectors.ToTable("t"), expr.SaveAppend)
			t.write("a text for a number", three.Mutate(expr.Lit("7").As("id")), connectors.ToTable("t"), expr.SaveAppend)
			t.write("a number for a text", three.Mutate(expr.Lit(7).As("name")), connectors.ToTable("t"), expr.SaveAppend)
			t.write("another format", three, connectors.ToTable("t").Format("json"), expr.SaveAppend)
			t.write("partitions", three, connectors.ToTable("t").PartitionBy("id"), expr.SaveAppend)
			t.reads("t")
		}},
		{"insert", func(t *talk) {
			t.write("make", three, connectors.ToTable("t"), expr.ErrorIfExists)
			by := connectors.ToTable("t")
			two := three.Select(three.Num("id").Add(100).As("x"), three.Num("amount").As("y"), expr.Lit(0).As("z"))
			t.write("by position", two, by.ByPosition(), expr.SaveAppend)
			t.reads("t")
			t.write("too few", three.Select("id"), by.ByPosition(), expr.SaveAppend)
			t.write("too many", three.Mutate(three.Num("id").As("more")), by.ByPosition(), expr.SaveAppend)
			t.write("of wrong types", three.Select("name", "id", "amount"), by.ByPosition(), expr.SaveAppend)
			t.write("by name", three.Select("amount", three.Num("id").Add(200).As("Id")), by.ByName(), expr.SaveAppend)
			t.reads("t")
			t.write("by an unknown name", three.Select("id", three.Str("name").As("nom")), by.ByName(), expr.SaveAppend)
			t.write("overwrite by name", three.Select("name", "id").Filter(expr.Num("id").Lt(3)), by.ByName(), expr.SaveOverwrite)
			t.reads("t")
			t.write("overwrite by position", three.Filter(three.Num("id").Eq(3)), by.ByPosition(), expr.SaveOverwrite)
			t.reads("t")
			t.write("without a mode", three, by.ByPosition(), expr.ErrorIfExists)
			t.write("to ignore", three, by.ByName(), expr.SaveIgnore)
			t.write("into nothing", three, connectors.ToTable("nothing").ByPosition(), expr.SaveAppend)
			t.write("into nothing by name", three, connectors.ToTable("nothing").ByName(), expr.SaveAppend)
		}},
		{"partitions", func(t *talk) {
			odd := tables("rows", mustFields("p STRING, id INT, q DATE"), [][]any{{"a/b=c", 1, expr.DateOf(2024, 2, 29)}, {nil, 2, nil}, {"", 3, expr.DateOf(1, 1, 1)}, {"ä %41", 4, expr.DateOf(2024, 2, 29)}})
			t.write("make", odd, connectors.ToTable("t").PartitionBy("q", "p"), expr.ErrorIfExists)
			t.columns("t")
			t.reads("t")
			table, err := t.s.Table(t.ctx, "t")
			t.rows("one day", table.Filter(table.Date("q").Eq(expr.DateOf(2024, 2, 29))).Select("id"), err)
			t.write("append without", odd, connectors.ToTable("t"), expr.SaveAppend)
			t.write("append", odd, connectors.ToTable("t").PartitionBy("Q", "P"), expr.SaveAppend)
			t.rows("count", table.GroupBy("p", "q").Agg(expr.Count().As("n")), nil)
			t.write("by none", odd, connectors.ToTable("u").PartitionBy("nothing"), expr.ErrorIfExists)
			t.write("by all", odd, connectors.ToTable("u").PartitionBy("p", "id", "q"), expr.ErrorIfExists)
			t.write("insert", odd.Select("id", "q", "p"), connectors.ToTable("t").ByPosition(), expr.SaveAppend)
			t.rows("count again", table.Agg(expr.Count().As("n")), nil)
			t.does("truncate", t.TruncateTable(t.ctx, "t"))
			t.reads("t")
		}},
		{"truncate, rename and drop", func(t *talk) {
			t.write("make", three, connectors.ToTable("t"), expr.ErrorIfExists)
			t.write("make another", three, connectors.ToTable("u"), expr.ErrorIfExists)
			t.does("view", t.CreateTempView(t.ctx, "tv", three, false))
			t.does("truncate", t.TruncateTable(t.ctx, "t"))
			t.reads("t")
			t.does("truncate nothing", t.TruncateTable(t.ctx, "nothing"))
			t.does("truncate a view", t.TruncateTable(t.ctx, "tv"))
			t.write("fill", three, connectors.ToTable("t"), expr.SaveAppend)
			t.does("rename", t.RenameTable(t.ctx, "Renamed", "t"))
			t.reads("t")
			t.reads("renamed")
			t.does("rename to what is there", t.RenameTable(t.ctx, "u", t.db, "renamed"))
			t.does("rename to itself", t.RenameTable(t.ctx, "renamed", t.db, "renamed"))
			t.does("rename nothing", t.RenameTable(t.ctx, "x", "nothing"))
			t.does("rename badly", t.RenameTable(t.ctx, "a b", "u"))
			t.write("make it anew", three.Limit(0), connectors.ToTable("t"), expr.ErrorIfExists)
			t.reads("t")
			t.does("drop", t.DropTable(t.ctx, false, "t"))
			t.does("drop again", t.DropTable(t.ctx, false, "t"))
			t.does("drop by force", t.DropTable(t.ctx, true, "t"))
			t.does("drop from nowhere", t.DropTable(t.ctx, true, "nowhere", "t"))
			t.lists("left", "")
			t.does("drop a view as a table", t.DropTable(t.ctx, false, "tv"))
			t.lists("left then", "")
			t.does("view", t.CreateTempView(t.ctx, "tv", three, false))
			was, err := t.DropTempView(t.ctx, "tv")
			t.says("forget", was, err)
		}},
		{"cache", func(t *talk) {
			t.write("make", three, connectors.ToTable("t"), expr.ErrorIfExists)
			table, err := t.s.Table(t.ctx, "t")
			t.does("table", err)
			kept, err := t.s.Cache(t.ctx, table.Filter(table.Num("id").Gt(1)))
			t.does("cache", err)
			if err != nil {
				return
			}
			t.rows("rows", kept.Table, nil)
			c := kept.Table
			t.rows("joined", c.Join(table, "id").Select("id", "name"), nil)
			t.rows("with itself", c.Union(c).GroupBy("id").Agg(expr.Count().As("n")), nil)
			t.lists("no view of it is seen", "")
			none, err := t.s.Cache(t.ctx, empty)
			t.does("cache nothing", err)
			t.rows("nothing", none.Table, nil)
			t.does("release", none.Release(t.ctx))
			t.does("release", kept.Release(t.ctx))
			t.does("release again", kept.Release(t.ctx))
			gone, err := Ask(t.ctx, t.s, kept.Table, false)
			t.says("gone", gone.Error != "", err) // each backend in its own words
			_, err = t.s.Cache(t.ctx, table.Select("nmae"))
			t.does("a mistake", err)
			_, err = t.s.Cache(t.ctx, table.Mutate(table.Num("id").Div(0).As("x")))
			t.does("a failure", err)
		}},
		{"hints", func(t *talk) {
			o, c := Orders(), Customers()
			t.rows("repartition", o.Repartition(3, "customer").GroupBy("customer").Agg(expr.Count().As("n")), nil)
			t.rows("by range", o.RepartitionByRange(2, "amount", o.Str("note")).Select("id"), nil)
			t.rows("by its own number", o.Repartition(0, "id").Select("id"), nil)
			t.rows("coalesce", o.OrderBy("id").Coalesce(1).Select("id"), nil)
			t.rows("broadcast", o.Join(c.Broadcast(), "customer").Select("id", "name"), nil)
			for _, h := range []string{"merge", "SHUFFLE_HASH", "shuffle_replicate_nl", "MapJoin"} {
				t.rows(h, o.Hint(h).Join(c.Filter(c.Str("name").NotNull()).Hint(h), "customer").Select("id", "name"), nil)
			}
			t.rows("rebalance", o.Hint("rebalance", 2, "id").Select("id").Distinct(), nil)
			t.rows("in a union", o.Select("id").Repartition(2).Union(o.Select("id").Coalesce(1)).Repartition(3), nil)
			t.rows("in a subquery", o.Filter(o.Num("customer").InTable(c.Select("customer").Repartition(2))).Select("id"), nil)
			t.rows("unknown", o.Hint("faster"), nil)
			t.rows("none", o.Coalesce(0), nil)
			t.rows("of no column", o.Repartition(2, "nothing"), nil)
		}},
	}
}
