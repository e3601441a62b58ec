package compiler_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/expr/selectors"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/golden"
	"github.com/spoonbill-go/spoonbill/window"
)

// source and sink describe connectors as data, so that these tests need no other package.
type (
	source tree.Source
	sink   tree.Sink
)

func (s source) Source() (*tree.Source, error) { t := tree.Source(s); return &t, nil }
func (s sink) Sink() (*tree.Sink, error)       { t := tree.Sink(s); return &t, nil }

func fields(ddl string) []datatype.Field {
	f, err := datatype.ParseFields(ddl)
	if err != nil {
		panic(err)
	}
	return f
}

var (
	kafka = source{
		Format: "kafka", Batch: true, Stream: true,
		Options: tree.Options{{Key: "kafka.bootstrap.servers", Value: "localhost:9092"}, {Key: "kafka.sasl.jaas.config", Value: "hunter2", Secret: true}, {Key: "subscribe", Value: "payment_msg"}},
		Fields:  fields("key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP, timestampType INT"),
		Codec:   &tree.Codec{Format: "json", Column: "value", Fields: fields("createTime TIMESTAMP, orderId BIGINT, payAmount DECIMAL(12,2), payPlatform INT, provinceId INT"), Envelope: "kafka"},
	}
	toKafka = sink{
		Format: "kafka", Batch: true, Stream: true, Modes: []tree.OutputMode{tree.Append, tree.Update, tree.Complete},
		Options: tree.Options{{Key: "kafka.bootstrap.servers", Value: "localhost:9092"}, {Key: "topic", Value: "sink"}},
		Codec:   &tree.Codec{Format: "json", Column: "value"},
	}
	toFiles = sink{Format: "parquet", Path: "/out", Batch: true, Stream: true, Modes: []tree.OutputMode{tree.Append}, PartitionBy: []string{"month"}}
	overIn  = sink{Format: "json", Path: "/in", Batch: true, Stream: true, Modes: []tree.OutputMode{tree.Append}}
	toTable = sink{Format: "memory", Stream: true, Modes: []tree.OutputMode{tree.Append, tree.Update, tree.Complete}}
	rate    = source{Format: "rate", Stream: true, Fields: fields("timestamp TIMESTAMP, value BIGINT"), Options: tree.Options{{Key: "rowsPerSecond", Value: "10"}}}
	files   = source{Format: "json", Path: "/in", Batch: true, Stream: true, Fields: fields("id BIGINT, name STRING, at TIMESTAMP, amount DECIMAL(10,2), tags ARRAY<STRING>, info STRUCT<city: STRING, zip: INT>")}
)

func payments() expr.Table { return expr.Read("payments", kafka) }

func totals() expr.Table {
	p := payments()
	return p.Watermark("createTime", 10*time.Second).
		GroupBy(window.Sliding(p.Timestamp("createTime"), time.Minute, 30*time.Second), p.Col("provinceId")).
		Agg(p.Num("payAmount").Sum().As("totalPayAmount"))
}

func TestPaymentsProgram(t *testing.T) {
	p, err := compiler.CompileWrite(totals().WriteTo(toKafka).OutputMode(expr.Append).Checkpoint("ckpt/totals").Trigger(expr.AvailableNow()).Name("totals"), compiler.Stream)
	require.NoError(t, err)
	golden.Check(t, "testdata/payments.py", p.String())
	require.NotContains(t, p.String(), "hunter2")
	again, err := compiler.CompileWrite(totals().WriteTo(toKafka).OutputMode(expr.Append).Checkpoint("ckpt/totals").Trigger(expr.AvailableNow()).Name("totals"), compiler.Stream)
	require.NoError(t, err)
	require.Equal(t, p.String(), again.String(), "equal trees give equal text")
}

func TestSQL(t *testing.T) {
	in := expr.Read("people", files)
	other := expr.CatalogTable(fields("id BIGINT NOT NULL, city STRING, `odd name` INT"), "db", "cities")
	big := in.Filter(in.Num("amount").Gt(100))
	var b strings.Builder
	for _, c := range []struct {
		name  string
		table expr.Table
	}{
		{"filter and select", in.Filter(in.Str("name").NotEq("x"), in.Num("id").Add(1).Mul(2).Lt(10)).Select("id", in.Str("name").Upper().As("upper"))},
		{"select of select", in.Select("id", "name").Rename(map[string]string{"n": "name"}).Filter(expr.Str("n").Like("a%"))},
		{"computed then filtered", in.Mutate(in.Num("amount").Mul(2).As("twice")).Filter(expr.Num("twice").Gt(3)).Select("twice")},
		{"group and having", in.GroupBy("name").Agg(in.Num("amount").Sum().As("total"), expr.Count().As("n")).Filter(expr.Num("n").Gt(1)).OrderBy(expr.Desc("total")).Limit(3)},
		{"group twice", in.GroupBy("name").Agg(expr.Count().As("n")).GroupBy("n").Agg(expr.Count().As("m"))},
		{"group by a constant", in.GroupBy(expr.Lit(1).As("one")).Agg(expr.Count().As("n"))},
		{"distinct then select", in.Select("name", "id").Distinct().Select("name")},
		{"union", in.Select("id", "name").Union(other.Select("id", "city")).Filter(expr.Num("id").Eq(1))},
		{"join", in.Join(other, "id").Select("name", "city", "odd name")},
		{"left join with a clash", in.LeftJoin(in.Select("id", "name").View(), in.Num("id").Eq(expr.Num("id")))},
		{"self join", func() expr.Table { v := big.View(); return big.Join(v, big.Num("id").Lt(v.Num("id"))) }()},
		{"shared", big.Union(big.Filter(big.Num("id").Gt(5)))},
		{"unnest", in.Unnest("tags").Filter(expr.Str("tags").NotEq("")).Select("id", "tags")},
		{"aggregate outside Agg", in.Mutate(in.Num("amount").Div(in.Num("amount").Sum()).As("share")).Select("id", "share")},
		{"filter by an aggregate", in.Filter(in.Num("amount").Gt(in.Num("amount").Mean()))},
		{"window functions", in.Select("id", functions.RowNumber().Over(window.Over().GroupBy("name").OrderBy(expr.Desc("at"))).As("number"), in.Num("amount").Lag(1, 0).Over(window.Over().OrderBy("id")).As("before"), expr.IgnoreNulls(in.Str("name").Last()).Over(window.Over().OrderBy("id")).As("name"))},
		{"frames", in.Select(
			in.Num("amount").Sum().Over(window.Over().OrderBy("id").Rows(window.Preceding(6), window.CurrentRow())).As("rows"),
			in.Num("amount").Mean().Over(window.Over().OrderBy("at").Range(window.Preceding(90*time.Minute), window.Following(0*time.Second))).As("range"),
			in.Num("amount").Max().Over(window.Over().OrderBy(expr.Desc("amount")).Range(window.Preceding(expr.Decimal("2.5")), window.Unbounded())).As("values"),
			in.Num("amount").Min().Over(window.Over().OrderBy("at").Range(window.Preceding(expr.Months(1)), window.CurrentRow())).As("month"),
			in.Num("amount").CumSum().Over(window.Over().OrderBy("id")).As("running"),
			in.Num("amount").Sum().Over(window.Over().OrderBy("id").Range(window.Unbounded(), window.CurrentRow())).As("default"),
			in.Num("amount").Sum().Over(window.Over().Rows(window.Unbounded(), window.Unbounded())).As("all"))},
		{"named windows", func() expr.Table {
			w := window.Over().GroupBy("name").OrderBy("at")
			return in.Select("id", in.Num("amount").Sum().Over(w).As("sum"), functions.Rank().Over(w).As("rank"), in.Num("amount").Max().Over(w.Rows(window.Preceding(2), window.CurrentRow())).As("max"), in.Num("amount").Min().Over(w.Rows(window.Preceding(2), window.CurrentRow())).As("min"))
		}()},
		{"best of each group", in.GroupBy("name").OrderBy(expr.Desc("amount"), "id").Limit(3).Select("name", "amount")},
		{"filter by two windows", in.Filter(in.Num("amount").Rank().Over(window.Over().GroupBy("name")).Le(2), in.Num("amount").Gt(in.Num("amount").Mean()))},
		{"sort by a window", in.OrderBy(functions.RowNumber().Over(window.Over().GroupBy("name").OrderBy("id")), "id").Select("id")},
		{"grouped mutate", in.GroupBy("name").OrderBy("at").Mutate(in.Num("amount").Sub(in.Num("amount").Lag()).As("change"), expr.Where(expr.Count(), in.Num("amount").Gt(5)).As("n")).Select("id", "change", "n")},
		{"window in a window", in.Select(in.Num("amount").Sum().Over(window.Over().GroupBy("name")).Rank().As("rank"))},
		{"distinct on", in.DistinctOn("name").OrderBy("at").Keep(expr.KeepLast).Select("id", "name")},
		{"distinct on without an order", in.DistinctOn("name").Keep(expr.KeepLast).Select("id", "name")},
		{"alone", in.DistinctOn("name", "at").Keep(expr.KeepNone).Select("id")},
		{"case and if", in.Select(expr.If(in.Num("id").Gt(1), in.Str("name"), "none").As("a"), expr.Case().When(in.Num("id").Eq(1), 1).When(in.Num("id").Eq(2), 2.5).End().As("b"))},
		{"struct field", in.Select(in.Struct("info").Field("CITY"), in.Struct("info").Field("zip").As("z"))},
		{"casts", in.Select(in.Num("id").Cast(datatype.String).As("s"), in.Str("name").TryCast(datatype.Int).As("i"), expr.Null(datatype.Date).As("d"))},
		{"functions", in.Select(functions.Substring("abc", 2, 1).As("a"), functions.ToJSON(functions.NamedStruct("id", in.Num("id"))).As("j"), functions.DateTrunc("hour", in.Timestamp("at")).As("h"), in.Str("name").In("a", "b").As("m"), in.Num("id").Between(1, 2).Not().As("o"))},
		{"precedence", in.Select(in.Num("id").Sub(in.Num("id").Sub(1)).As("a"), in.Num("id").Sub(1).Sub(2).As("b"), in.Num("id").Negate().Negate().As("c"), in.Num("id").Eq(1).Eq(true).As("d"), in.Num("id").Eq(1).Or(in.Num("id").Eq(2)).And(in.Num("id").IsNull().Not()).As("e"), in.Num("id").Mul(-1).As("f"))},
		{"window with offset", in.GroupBy(window.Tumbling(in.Timestamp("at"), time.Hour, 15*time.Minute)).Agg(expr.Where(expr.Count(), in.Num("id").Gt(0)).As("n"), expr.CountDistinct(in.Str("name")).As("d"))},
		{"order with nulls", in.OrderBy(expr.Desc("name").NullsFirst(), in.Num("id").Asc().NullsLast())},
		{"values", expr.MemtableRows("m", fields("a INT, b STRING, c DECIMAL(5,2)"), [][]any{{1, "x'\\\n${y}", "1.50"}, {nil, "", nil}})},
		{"hostile names", expr.CatalogTable(fields("`a``b` INT, `select` INT, `x y` INT, `${z}` INT"), "we`ird").Select(expr.Num("a`b").Add(expr.Num("select")).As("new\nname"), expr.Col("${z}"))},
		{"having whose alias is an input column", func() expr.Table {
			t := expr.CatalogTable(fields("a INT, b INT"), "t")
			return t.GroupBy(t.Num("b").As("k")).Agg(t.Num("a").Sum().As("b")).Filter(expr.Num("b").Gt(10), expr.Num("k").Mul(2).Lt(9))
		}()},
		{"having over a key that hides a column", func() expr.Table {
			t := expr.CatalogTable(fields("a INT"), "t")
			return t.GroupBy(t.Num("a").Mod(10).As("a")).Agg(expr.Count().As("n")).Filter(expr.Num("a").Mul(2).Gt(5))
		}()},
		{"table named as an alias", func() expr.Table {
			r, c := expr.CatalogTable(fields("k INT, a INT"), "r"), expr.CatalogTable(fields("k INT, b INT"), "c")
			return r.Join(c.Filter(c.Num("b").Gt(1)), "k")
		}()},
		{"table named as a shared expression", func() expr.Table {
			t, c := expr.CatalogTable(fields("k INT"), "t1"), expr.CatalogTable(fields("k INT, b INT"), "c")
			f := c.Filter(c.Num("b").Gt(1)).Select("k")
			return f.Union(f, t)
		}()},
		{"source named as a table", func() expr.Table {
			r, c := expr.Read("cities", files), expr.CatalogTable(fields("id BIGINT, city STRING"), "cities")
			return r.Select("id", "name").Join(c, "id")
		}()},
		{"column named as its table", func() expr.Table {
			o := expr.CatalogTable(fields("id INT, orders STRUCT<id: INT>"), "db", "orders")
			return o.Select(o.Struct("orders").Field("id").As("x"))
		}()},
		{"columns named as join sides", func() expr.Table {
			a, b := expr.CatalogTable(fields("k INT, b STRUCT<k: INT>, r STRUCT<k: INT>"), "a"), expr.CatalogTable(fields("k INT, v INT"), "b")
			return a.Join(b, "k")
		}()},
		{"keys of two widths", func() expr.Table {
			a, b := expr.CatalogTable(fields("k INT"), "a"), expr.CatalogTable(fields("k BIGINT, v INT"), "b")
			return a.Join(b, "k")
		}()},
		{"right join", in.Select("id", "name").RightJoin(other, "id")},
		{"outer join", in.Select("id", "name").OuterJoin(other, "id")},
		{"semi join then filter", func() expr.Table { s := in.SemiJoin(other, "id"); return s.Filter(s.Num("amount").Gt(1)).Select("id") }()},
		{"anti join", in.Select("id", "name").AntiJoin(other, "id", other.Str("city").NotNull())},
		{"cross join", in.Select("id").CrossJoin(other, expr.LName("{name}_l"), expr.RName("{name}_r"))},
		{"null-safe join", in.Select("id", "name").Join(other, in.Num("id").EqNullSafe(other.Num("id")))},
		{"any join", in.Select("id", "name").AnyJoin(other, "id", other.Str("city").NotNull())},
		{"any left join on an expression", func() expr.Table {
			r := in.View()
			return in.Select("id", "name").AnyLeftJoin(r, in.Num("id").Eq(r.Num("id").Mod(7)), in.Str("name").NotNull()).Select(in.Num("id"), r.Str("name").As("partner"))
		}()},
		{"chain of joins", func() expr.Table {
			d := expr.CatalogTable(fields("city STRING, land STRING"), "db", "lands")
			j := in.Join(other, "id").LeftJoin(d, "city")
			return j.SemiJoin(in.View(), "id").Filter(j.Str("land").NotEq("x")).Select("name", "city", "land")
		}()},
		{"chain with a filter between", func() expr.Table {
			d := expr.CatalogTable(fields("city STRING, land STRING"), "db", "lands")
			j := in.Join(other, "id")
			return j.Filter(j.Num("amount").Gt(3)).Join(d, "city").Select("name", "land")
		}()},
		{"chain that cannot go on after a filter", func() expr.Table {
			d := expr.CatalogTable(fields("city STRING, land STRING"), "db", "lands")
			j := in.Join(other, "id").Select("name", "city")
			return j.Filter(j.Str("name").NotEq("x")).RightJoin(d, "city")
		}()},
		{"right join of filtered sides", in.Filter(in.Num("id").Gt(1)).RightJoin(other.Filter(other.Str("city").NotEq("x")), "id").Select("name", "city")},
		{"outer join of a filtered side", in.Filter(in.Num("id").Gt(1)).OuterJoin(other, "id").Select("name", "city")},
		{"constants and long columns stay below", func() expr.Table {
			x := in.Mutate(expr.Lit(1).As("one"), functions.Concat(in.Str("name"), ", known as ", in.Str("name"), " since ever").As("long"))
			return x.Select(x.Num("one").Add(x.Num("amount")).As("a"), x.Str("long").Upper().As("b"), x.Str("long").Lower().As("c"))
		}()},
		{"order and limit, then a choice", in.OrderBy(expr.Desc("at"), "id").Limit(3).Select("name")},
		{"join of a join", func() expr.Table {
			d := expr.CatalogTable(fields("city STRING, land STRING"), "db", "lands")
			return in.Select("id", "name").Join(other.Join(d, "city"), "id")
		}()},
		{"as-of join", func() expr.Table {
			trades, quotes := expr.CatalogTable(fields("sym STRING NOT NULL, at TIMESTAMP, qty INT"), "trades"), expr.CatalogTable(fields("sym STRING, at TIMESTAMP, bid DECIMAL(8,2)"), "quotes")
			return trades.AsofJoin(quotes, "at", "sym").Filter(expr.Num("qty").Gt(1)).Select("sym", "at", "bid")
		}()},
		{"as-of join to the nearest within a bound", func() expr.Table {
			trades, quotes := expr.CatalogTable(fields("sym STRING, at TIMESTAMP, qty INT"), "trades"), expr.CatalogTable(fields("sym STRING, at TIMESTAMP, `the bid` DECIMAL(8,2), m MAP<STRING, INT>"), "quotes")
			return trades.AsofJoin(quotes, "at", "sym", expr.AsofNearest(), expr.AsofStrict(), expr.AsofTolerance(90*time.Second))
		}()},
		{"as-of join forward of what is computed", func() expr.Table {
			trades, quotes := expr.CatalogTable(fields("a INT, t INT"), "trades"), expr.CatalogTable(fields("b BIGINT, t DOUBLE"), "quotes")
			q := quotes.Filter(quotes.Num("b").Gt(0))
			return trades.Mutate(trades.Num("a").Mul(2).As("twice")).AsofJoin(q, trades.Num("t").Lt(q.Num("t")), expr.AsofTolerance(0.5))
		}()},
		{"table named as its struct", expr.Read("info", files).Select(expr.Struct("info").Field("city"))},
		{"set operations", in.Select("id").Union(other.Select("id")).IntersectAll(other.Select("id").Filter(other.Num("id").Gt(1))).Difference(in.Select("id").View(), other.Select("id").Limit(3))},
		{"union distinct", in.Select("id", "name").UnionDistinct(other.Select("id", "city"), other.Select(other.Num("id"), other.Str("city").Upper().As("u")))},
		{"set operation then filter", in.Select("id").Difference(other.Select("id")).Filter(expr.Num("id").Gt(3))},
		{"having without a column", in.GroupBy("name").Having(expr.Count().Gt(1), in.Num("amount").Sum().Add(1).Lt(5)).Agg(in.Num("id").Max().As("last"))},
		{"having with or", in.GroupBy("name").Having(expr.Count().Gt(1).Or(in.Str("name").IsNull())).Agg(expr.Count().As("n")).OrderBy("n")},
		{"rollup", in.GroupBy(expr.Rollup("name", in.Num("id").Mod(2).As("odd"))).Having(expr.Grouping("name").Eq(0)).Agg(expr.Count().As("n"), expr.GroupingID().As("level"))},
		{"cube", in.GroupBy(expr.Cube("name", "id")).Count()},
		{"grouping sets", in.GroupBy("name", expr.GroupingSets("id", []any{})).Agg(in.Num("amount").Sum().As("total"))},
		{"sample", in.Sample(0.1, 42).Filter(expr.Num("id").Gt(1))},
		{"sample of a query", in.Filter(in.Num("id").Gt(1)).Sample(0.075).Select("id")},
		{"sample of a join side", in.Sample(1, 3).Join(other, "id").Select("name", "city")},
		{"limit computed", in.Limit(expr.Lit(2).AsNumeric().Mul(3), 4)},
		{"offset alone", in.Limit(nil, 4)},
		{"pivot longer", in.Select("id", in.Num("amount").As("a"), in.Num("amount").Mul(2).As("b")).PivotLonger([]any{"a", "b"})},
		{"pivot wider", in.Select("id", "name", "amount").PivotWider(expr.NamesFrom("name"), expr.ValuesFrom("amount"), expr.PivotNames("x", "it's", nil), expr.ValuesAgg(expr.NumericValue.Sum), expr.ValuesFill(0))},
		{"unnest with position", in.Unnest("tags", expr.WithPosition("i")).Filter(expr.Num("i").Gt(0)).Select("id", "i", "tags")},
		{"unnest a computed array outer", in.Select("id", functions.Split(in.Str("name"), " ").As("u")).Unnest("u", expr.WithPosition("element"), expr.KeepEmpty())},
		{"unnest a computed array", in.Select("id", functions.Split(in.Str("name"), " ").As("words")).Unnest("words")},
		{"unpack", in.Unpack("info").Select("id", "city", "zip")},
		{"fill and drop null", in.FillNull(map[string]any{"name": "none"}).DropNull(expr.AnyNull, "amount", "at").DropNull(expr.AllNull, "id", "tags").Select("id", "name")},
		{"info", in.Select("id", "name").Info()},
		{"value counts and top", in.TopK(3, "name")},
		{"across and if any", in.Filter(selectors.IfAny(selectors.Numeric(), func(n expr.NumericValue) expr.BooleanValue { return n.Lt(0) })).Select("name", selectors.Across(selectors.Numeric(), expr.NumericValue.Abs, "{col}_size"))},
		{"name that is the text", in.Select(in.Num("id").Add(1).As("id + 1"))},
	} {
		b.WriteString("-- " + c.name + "\n")
		sql, err := compiler.SQL(c.table)
		if err != nil {
			b.WriteString("error: " + condition.Of(err) + "\n\n")
			continue
		}
		b.WriteString(sql + "\n\n")
	}
	golden.Check(t, "testdata/queries.sql", b.String())
}

// What a streaming query may not do is refused when it is compiled, by a message with operator, rule, place and way out.
func TestRefused(t *testing.T) {
	// What only Spark refuses.
	extensions := map[string]bool{"as-of join with a static side": true, "as-of join of streams": true, "temporal join of streams": true, "temporal join with a static side": true, "over in the order of event time": true}
	p := payments()
	in := expr.Read("people", files)
	ck := func(w expr.Write) expr.Write { return w.Checkpoint("c") }
	left, right := expr.Read("l", files), expr.Read("r", files)
	wl, wr := left.Watermark("at", time.Second), right.Watermark("at", time.Second)
	for name, c := range map[string]struct {
		write     expr.Write
		mode      compiler.Mode
		condition string
		operator  string
	}{
		"aggregation in append mode":           {ck(p.GroupBy("provinceId").Agg(expr.Count()).WriteTo(toKafka)), compiler.Stream, condition.StreamingOutputMode, "Agg"},
		"watermark not among the keys":         {ck(p.Watermark("createTime", time.Second).GroupBy("provinceId").Agg(expr.Count()).WriteTo(toKafka)), compiler.Stream, condition.StreamingOutputMode, "Agg"},
		"order by in append mode":              {ck(in.OrderBy("id").WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "OrderBy"},
		"complete without aggregation":         {ck(in.WriteTo(toKafka).OutputMode(expr.Complete)), compiler.Stream, condition.StreamingOutputMode, "WriteTo"},
		"limit in update mode":                 {ck(in.Limit(3).WriteTo(toKafka).OutputMode(expr.Update)), compiler.Stream, condition.StreamingUnsupported, "Limit"},
		"computed offset":                      {ck(in.Limit(nil, expr.Lit(1).AsNumeric().Add(1)).WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "Limit"},
		"intersection of streams":              {ck(left.Intersect(right).WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "Intersect"},
		"intersection with a table":            {ck(left.IntersectAll(expr.Static("s", files)).WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "IntersectAll"},
		"difference by a stream":               {ck(left.Difference(right).WriteTo(toKafka).OutputMode(expr.Update)), compiler.Stream, condition.StreamingUnsupported, "Difference"},
		"difference with duplicates":           {ck(left.DifferenceAll(expr.Static("s", files)).WriteTo(toKafka).OutputMode(expr.Update)), compiler.Stream, condition.StreamingUnsupported, "DifferenceAll"},
		"difference in append mode":            {ck(left.Difference(expr.Static("s", files)).WriteTo(toKafka)), compiler.Stream, condition.StreamingOutputMode, "Difference"},
		"difference in complete mode":          {ck(left.Difference(expr.Static("s", files)).WriteTo(toKafka).OutputMode(expr.Complete)), compiler.Stream, condition.StreamingOutputMode, "WriteTo"},
		"sample of a stream":                   {ck(left.Sample(0.5, 1).WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "Sample"},
		"offset":                               {ck(in.Limit(3, 1).WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "Limit"},
		"rate as a batch":                      {expr.Read("r", rate).WriteTo(toFiles), compiler.Batch, condition.NotBatch, "Read"},
		"no streaming source":                  {ck(expr.Static("people", files).WriteTo(toKafka)), compiler.Stream, condition.NotStreaming, "Start"},
		"memtable started":                     {ck(expr.MemtableRows("m", fields("a INT"), nil).WriteTo(toKafka)), compiler.Stream, condition.NotStreaming, "Start"},
		"left join of streams":                 {ck(left.LeftJoin(right, "id").WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "LEFT OUTER join"},
		"left join without a bound":            {ck(wl.LeftJoin(wr, "id").WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "LEFT OUTER join"},
		"left join bounded wrongly":            {ck(wl.LeftJoin(wr, wl.Num("id").Eq(wr.Num("id")), wl.Timestamp("at").Le(wr.Timestamp("at"))).WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "LEFT OUTER join"},
		"right join of streams":                {ck(wl.RightJoin(wr, "id").WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "RIGHT OUTER join"},
		"outer join of streams":                {ck(wl.OuterJoin(wr, "id").WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "FULL OUTER join"},
		"semi join of streams":                 {ck(wl.SemiJoin(wr, "id").WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "LEFT SEMI join"},
		"anti join of streams without a bound": {ck(wl.AntiJoin(wr, "id").WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "LEFT ANTI join"},
		"anti join of a static side":           {ck(expr.Static("s", files).AntiJoin(in, "id").WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "LEFT ANTI join"},
		"semi join of a static side":           {ck(expr.Static("s", files).SemiJoin(in, "id").WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "LEFT SEMI join"},
		"static right side kept":               {ck(in.RightJoin(expr.Static("s", files), "id").WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "RIGHT OUTER join"},
		"outer join with a static side":        {ck(in.OuterJoin(expr.Static("s", files), "id").WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "FULL OUTER join"},
		"any join with a static side":          {ck(in.AnyJoin(expr.Static("s", files), "id").WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "AnyJoin"},
		"any left join of streams":             {ck(wl.AnyLeftJoin(wr, "id").WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "AnyLeftJoin"},
		"as-of join of streams":                {ck(wl.AsofJoin(wr, "at", "id").WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "AsofJoin"},
		"as-of join of streams, forward":       {ck(wl.AsofJoin(wr, "at", "id", expr.AsofForward()).WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "AsofJoin"},
		"temporal join of streams":             {ck(wl.TemporalJoin(wr.Versioned("at", "id"), "at").WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "TemporalJoin"},
		"temporal join with a static side":     {ck(wl.TemporalLeftJoin(expr.Static("s", files).Versioned("at", "id"), "at").WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "TemporalJoin"},
		"over in the order of event time":      {ck(wl.Mutate(wl.Num("amount").Lag().Over(window.Over().OrderBy("at")).As("s")).WriteTo(toKafka)), compiler.Stream, condition.NonTimeWindow, "lag"},
		"as-of join with a static side":        {ck(in.AsofJoin(expr.Static("s", files), "at", "id").WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "AsofJoin"},
		"count distinct":                       {ck(in.Agg(expr.CountDistinct(in.Str("name"))).WriteTo(toKafka).OutputMode(expr.Complete)), compiler.Stream, condition.StreamingUnsupported, "count(DISTINCT)"},
		"files in update mode":                 {ck(in.Select("id", in.Str("name").As("month")).WriteTo(toFiles).OutputMode(expr.Update)), compiler.Stream, condition.StreamingOutputMode, "WriteTo"},
		"over on a stream":                     {ck(in.Mutate(in.Num("amount").Sum().As("s")).WriteTo(toKafka)), compiler.Stream, condition.NonTimeWindow, "sum"},
		"union of stream and static":           {ck(in.Union(expr.Static("s", files)).WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "Union"},
		"aggregation above aggregation":        {ck(in.GroupBy("name").Agg(expr.Count().As("n")).Agg(expr.Count()).WriteTo(toKafka).OutputMode(expr.Complete)), compiler.Stream, condition.StreamingOutputMode, "Agg"},
		"static side kept":                     {ck(expr.Static("s", files).LeftJoin(in, "id").WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "LEFT OUTER join"},
		"aggregation of one side only":         {ck(in.Watermark("at", time.Second).GroupBy("at").Agg(expr.Count().As("n")).Select("n").Union(expr.Read("other", files).GroupBy("name").Agg(expr.Count().As("n")).Select("n")).WriteTo(toKafka)), compiler.Stream, condition.StreamingOutputMode, "Agg"},
		"join in complete mode":                {ck(wl.Join(wr, "id").GroupBy("name").Agg(expr.Count().As("n")).WriteTo(toKafka).OutputMode(expr.Complete)), compiler.Stream, condition.StreamingUnsupported, "INNER join"},
		"join above an aggregation":            {ck(left.GroupBy("id").Agg(expr.Count().As("n")).Join(right, "id").Select("n").WriteTo(toKafka).OutputMode(expr.Update)), compiler.Stream, condition.StreamingOutputMode, "Join"},
		"distinct sorted":                      {ck(in.Select("id").Distinct().OrderBy("id").WriteTo(toKafka).OutputMode(expr.Complete)), compiler.Stream, condition.StreamingUnsupported, "OrderBy"},
		"offset of a static side":              {ck(in.Join(expr.Static("s", files).Limit(3, 1).Select("id"), "id").Select("id").WriteTo(toKafka)), compiler.Stream, condition.StreamingUnsupported, "Limit"},
		"two sources of one name":              {ck(in.Union(expr.Read("People", files)).WriteTo(toKafka)), compiler.Stream, condition.InvalidValue, "Read"},
		"a struct into CSV":                    {in.Select("id", "info").WriteTo(sink{Format: "csv", Path: "/o", Batch: true}), compiler.Batch, "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE", "WriteTo"},
		"a window into CSV, streaming":         {ck(totals().WriteTo(sink{Format: "csv", Path: "/o", Stream: true, Modes: []tree.OutputMode{tree.Append}})), compiler.Stream, "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE", "WriteTo"},
		"two columns into text":                {in.Select("name", in.Str("name").As("b")).WriteTo(sink{Format: "text", Path: "/o", Batch: true}), compiler.Batch, "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE", "WriteTo"},
		"a number into text":                   {in.Select("id").WriteTo(sink{Format: "text", Path: "/o", Batch: true}), compiler.Batch, "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE", "WriteTo"},
		"partitions of no column":              {in.Select("id").WriteTo(sink{Format: "json", Path: "/o", Batch: true, PartitionBy: []string{"idd"}}), compiler.Batch, condition.UnresolvedColumn, "WriteTo"},
		"partitions of every column":           {in.Select("id").WriteTo(sink{Format: "json", Path: "/o", Batch: true, PartitionBy: []string{"ID"}}), compiler.Batch, "ALL_PARTITION_COLUMNS_NOT_ALLOWED", "WriteTo"},
		"partitions in hidden folders":         {in.Select("id", in.Num("id").As(".x")).WriteTo(sink{Format: "json", Path: "/o", Batch: true, PartitionBy: []string{".x"}}), compiler.Batch, condition.InvalidValue, "WriteTo"},
		"partitions in hidden folders, stream": {ck(in.Select("id", in.Num("id").As("..")).WriteTo(sink{Format: "json", Path: "/o", Stream: true, Modes: []tree.OutputMode{tree.Append}, PartitionBy: []string{".."}})), compiler.Stream, condition.InvalidValue, "WriteTo"},
		"a name that is no text":               {in.Select(in.Num("id").As("a\xff")).WriteTo(sink{Format: "json", Path: "/o", Batch: true}), compiler.Batch, condition.InvalidValue, ""},
		"partitions of a struct":               {in.Select("id", "info").WriteTo(sink{Format: "json", Path: "/o", Batch: true, PartitionBy: []string{"info"}}), compiler.Batch, "INVALID_PARTITION_COLUMN_DATA_TYPE", "WriteTo"},
		"a codec in other letters":             {in.Select("id").WriteTo(sink{Format: "kafka", Batch: true, Codec: &tree.Codec{Format: "json", Column: "value", Fields: fields("ID BIGINT")}}), compiler.Batch, condition.UnresolvedColumn, "WriteTo"},
		"a codec in other letters within":      {in.Select(functions.NamedStruct("n", in.Num("id")).As("s")).WriteTo(sink{Format: "kafka", Batch: true, Codec: &tree.Codec{Format: "json", Column: "value", Fields: fields("s STRUCT<N: BIGINT>")}}), compiler.Batch, condition.UnresolvedColumn, "WriteTo"},
		"no checkpoint":                        {in.WriteTo(toKafka), compiler.Stream, "_LEGACY_ERROR_TEMP_1298", "WriteTo"},
		"overwriting the own source":           {in.WriteTo(overIn).SaveMode(expr.SaveOverwrite), compiler.Batch, "UNSUPPORTED_OVERWRITE.PATH", "WriteTo"},
		"overwriting above the source":         {expr.Read("days", source{Format: "json", Path: "file:///in/day=*/x", Batch: true, Fields: fields("a INT")}).WriteTo(overIn).SaveMode(expr.SaveOverwrite), compiler.Batch, "UNSUPPORTED_OVERWRITE.PATH", "WriteTo"},
		"a type that the codec has not":        {ck(in.Select(in.Num("id").As("n")).WriteTo(sink{Format: "kafka", Stream: true, Modes: []tree.OutputMode{tree.Append}, Codec: &tree.Codec{Format: "json", Column: "value", Fields: fields("n BOOLEAN")}})), compiler.Stream, condition.DatatypeMismatch, "WriteTo"},
		"a column that the codec lacks":        {ck(in.Select("id", "name").WriteTo(sink{Format: "kafka", Stream: true, Modes: []tree.OutputMode{tree.Append}, Codec: &tree.Codec{Format: "json", Column: "value", Fields: fields("ID BIGINT")}})), compiler.Stream, "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS", "WriteTo"},
		"the same in a batch":                  {in.Select("id", "name").WriteTo(sink{Format: "kafka", Batch: true, Codec: &tree.Codec{Format: "json", Column: "value", Fields: fields("ID BIGINT")}}), compiler.Batch, "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS", "WriteTo"},
		"null where a codec has none":          {ck(in.Select("id").WriteTo(sink{Format: "kafka", Stream: true, Modes: []tree.OutputMode{tree.Append}, Codec: &tree.Codec{Format: "json", Column: "value", Fields: fields("id BIGINT NOT NULL")}})), compiler.Stream, "INCOMPATIBLE_DATA_FOR_TABLE.NULLABLE_COLUMN", "WriteTo"},
		"null within a codec's field":          {ck(in.Select(functions.NamedStruct("n", in.Num("id")).As("s")).WriteTo(sink{Format: "kafka", Stream: true, Modes: []tree.OutputMode{tree.Append}, Codec: &tree.Codec{Format: "json", Column: "value", Fields: fields("s STRUCT<n: BIGINT NOT NULL>")}})), compiler.Stream, "INCOMPATIBLE_DATA_FOR_TABLE.NULLABLE_COLUMN", "WriteTo"},
		"an end of a stream's offsets":         {ck(expr.Read("p", source{Format: "kafka", Batch: true, Stream: true, Fields: fields("value BINARY"), Options: tree.Options{{Key: "endingOffsets", Value: "latest"}}}).WriteTo(overIn)), compiler.Stream, condition.InvalidOption, "Read"},
		"a stream into its folder":             {ck(in.WriteTo(overIn)), compiler.Stream, condition.InvalidOption, "WriteTo"},
		"a stream into its topic":              {ck(p.WriteTo(sink{Format: "kafka", Stream: true, Modes: []tree.OutputMode{tree.Append}, Options: tree.Options{{Key: "kafka.bootstrap.servers", Value: "localhost:9092"}, {Key: "topic", Value: "payment_msg"}}})), compiler.Stream, condition.InvalidOption, "WriteTo"},
		"checkpoint in the source":             {in.WriteTo(toTable).Checkpoint("file:/in"), compiler.Stream, condition.InvalidOption, "WriteTo"},
		"checkpoint below the source":          {expr.Read("all", source{Format: "json", Path: "/in", Stream: true, Fields: fields("a INT"), Options: tree.Options{{Key: "recursiveFileLookup", Value: "true"}}}).WriteTo(toTable).Checkpoint("/in/a/b"), compiler.Stream, condition.InvalidOption, "WriteTo"},
		"checkpoint in the sink":               {in.WriteTo(overIn).Checkpoint("/in/"), compiler.Stream, condition.InvalidOption, "WriteTo"},
		"continuous aggregation":               {ck(p.GroupBy("provinceId").Agg(expr.Count().As("n")).WriteTo(toKafka).OutputMode(expr.Complete).Trigger(expr.Continuous(time.Second))), compiler.Stream, condition.StreamingUnsupported, "Agg"},
		"continuous watermark":                 {ck(p.Watermark("createTime", time.Second).WriteTo(toKafka).Trigger(expr.Continuous(time.Second))), compiler.Stream, condition.StreamingUnsupported, "Watermark"},
		"continuous current time":              {ck(p.Filter(p.Timestamp("createTime").Lt(functions.Now())).WriteTo(toKafka).Trigger(expr.Continuous(time.Second))), compiler.Stream, condition.StreamingUnsupported, "current_timestamp"},
		"continuous files":                     {ck(in.WriteTo(toKafka).Trigger(expr.Continuous(time.Second))), compiler.Stream, condition.StreamingUnsupported, "Read"},
		"continuous into files":                {ck(p.Select(p.Num("payAmount").As("a"), p.Num("provinceId").As("month")).WriteTo(toFiles).Trigger(expr.Continuous(time.Second))), compiler.Stream, condition.StreamingUnsupported, "WriteTo"},
		"continuous batches":                   {ck(p.WriteTo(sink{Format: tree.ForeachBatch, Stream: true, Modes: []tree.OutputMode{tree.Append}, Each: &tree.Each{SQL: []string{"SELECT 1"}}}).Trigger(expr.Continuous(time.Second))), compiler.Stream, condition.StreamingUnsupported, "WriteTo"},
		"real-time append":                     {ck(p.WriteTo(toKafka).Trigger(expr.RealTime(5 * time.Second))), compiler.Stream, "STREAMING_REAL_TIME_MODE.OUTPUT_MODE_NOT_SUPPORTED", "WriteTo"},
		"real-time files":                      {ck(in.WriteTo(toTable).OutputMode(expr.Update).Trigger(expr.RealTime(5 * time.Second))), compiler.Stream, "STREAMING_REAL_TIME_MODE.INPUT_STREAM_NOT_SUPPORTED", "Read"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := compiler.CompileWrite(c.write, c.mode)
			require.Error(t, err)
			var e *condition.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, c.condition, e.Condition, err.Error())
			require.Equal(t, c.operator, e.Operator, err.Error())
			if c.condition != condition.InvalidValue {
				require.NotEmpty(t, e.Rule)
			}
			require.NotEmpty(t, e.Hint)
			require.Contains(t, err.Error(), "compiler_test.go:")
			_, local := compiler.CompileWrite(c.write, c.mode, compiler.Target{Local: true})
			if extensions[name] {
				require.NoError(t, local, "the local engine runs it")
			} else {
				require.Error(t, local, "the local engine refuses it too")
			}
			// Forced through, it is a program still: Spark has the last word, which the conformance suite shows.
			w, err := c.write.Tree()
			require.NoError(t, err)
			_, err = compiler.Unchecked(w, c.mode)
			require.NoError(t, err)
		})
	}
}

// What Spark allows is not refused.
func TestAllowed(t *testing.T) {
	_, err := compiler.CompileWrite(expr.Read("beside", source{Format: "json", Path: "/input", Batch: true, Fields: fields("a INT")}).WriteTo(overIn).SaveMode(expr.SaveOverwrite), compiler.Batch)
	require.NoError(t, err, "a folder whose name begins alike is another one")
	in := expr.Read("people", files)
	left, right := expr.Read("l", files).Watermark("at", time.Second), expr.Read("r", files).Watermark("at", time.Second)
	for name, w := range map[string]expr.Write{
		"payments":                totals().WriteTo(toKafka).Checkpoint("c"),
		"update aggregation":      in.GroupBy("name").Agg(expr.Count()).WriteTo(toTable).OutputMode(expr.Update),
		"sorted complete":         in.GroupBy("name").Agg(expr.Count().As("n")).OrderBy("n").WriteTo(toTable).OutputMode(expr.Complete),
		"limit in append":         in.Limit(3).WriteTo(toTable),
		"inner join of streams":   left.Join(right, "id").WriteTo(toTable),
		"left join with bound":    left.LeftJoin(right, left.Num("id").Eq(right.Num("id")), right.Timestamp("at").Le(left.Timestamp("at").Add(time.Hour))).WriteTo(toTable),
		"left join on event time": left.LeftJoin(right, left.Num("id").Eq(right.Num("id")), left.Timestamp("at").Eq(right.Timestamp("at"))).WriteTo(toTable),
		"stream with static":      in.LeftJoin(expr.Static("s", files), "id").WriteTo(toTable),
		"semi with static":        in.SemiJoin(expr.Static("s", files), "id").WriteTo(toTable),
		"anti with static":        in.AntiJoin(expr.Static("s", files), "id").WriteTo(toTable),
		"right with static":       expr.Static("s", files).RightJoin(in, "id").WriteTo(toTable),
		"cross with static":       in.CrossJoin(expr.Static("s", files)).WriteTo(toTable),
		"right join with bound":   left.RightJoin(right, left.Num("id").Eq(right.Num("id")), left.Timestamp("at").Le(right.Timestamp("at").Add(time.Hour))).WriteTo(toTable),
		"outer join on time":      left.OuterJoin(right, left.Num("id").Eq(right.Num("id")), left.Timestamp("at").Eq(right.Timestamp("at"))).WriteTo(toTable),
		"semi join with bound":    left.SemiJoin(right, left.Num("id").Eq(right.Num("id")), right.Timestamp("at").Le(left.Timestamp("at").Add(time.Hour))).WriteTo(toTable),
		"as-of of static tables":  in.Join(expr.Static("s", files).AsofJoin(expr.Static("u", files), "at", "id").Select("id", "name"), "id").WriteTo(toTable),
		"union of event time": func() expr.Table {
			u := left.Select("at").Union(expr.Read("b", files).Select("at"))
			return u.GroupBy("at").Agg(expr.Count().As("n"))
		}().WriteTo(toTable),
		"difference with a table in update": in.Select("name").Difference(expr.Static("s", files).Select("name")).WriteTo(toTable).OutputMode(expr.Update),
		"difference of event time":          left.Select("at").Difference(expr.Static("s", files).Select("at")).WriteTo(toTable),
		"rollup in update":                  in.GroupBy(expr.Rollup("name")).Agg(expr.Count()).WriteTo(toTable).OutputMode(expr.Update),
		"sample of a table":                 in.Join(expr.Static("s", files).Sample(0.5), "id").WriteTo(toTable),
		"distinct in update":                in.Select("id").Distinct().WriteTo(toTable).OutputMode(expr.Update),
		"chained windows": func() expr.Table {
			w := totals()
			return w.GroupBy(window.Tumbling(w.Window("window").Time(), time.Hour)).Agg(w.Num("totalPayAmount").Max().As("m"))
		}().WriteTo(toTable),
	} {
		_, err := compiler.CompileWrite(w, compiler.Stream)
		require.NoError(t, err, name)
	}
}

// The real-time trigger came to Spark Connect with 4.2: an older server would run micro-batches in its place, and say nothing.
func TestRealTimeVersions(t *testing.T) {
	w := payments().WriteTo(toKafka).OutputMode(expr.Update).Checkpoint("c").Trigger(expr.RealTime(5 * time.Second))
	for version, runs := range map[string]bool{"3.5.6": false, "4.0.1": false, "4.1.0": false, "4.2.0": true, "4.3.0": true} {
		_, err := compiler.CompileWrite(w, compiler.Stream, compiler.Target{Spark: version})
		if runs {
			require.NoError(t, err, version)
			continue
		}
		require.Equal(t, condition.Unsupported, condition.Of(err), version)
		require.ErrorContains(t, err, "compiler_test.go:", version)
		require.ErrorContains(t, err, "Use expr.ProcessingTime", version)
	}
}

func BenchmarkCompilePayments(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := compiler.Compile(totals(), compiler.Stream); err != nil {
			b.Fatal(err)
		}
	}
}
