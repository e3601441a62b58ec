package compiler_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/golden"
)

// Hints and versions of tables print as a human would write them.
func TestHints(t *testing.T) {
	fields, err := datatype.ParseFields("id INT, c STRING, `a b` INT")
	require.NoError(t, err)
	a, b := expr.CatalogTable(fields, "db", "a"), expr.CatalogTable(fields, "db", "b x")
	grouped := b.Broadcast().GroupBy("id").Agg(expr.Count().As("n"))
	old := b.VersionAsOf(3)
	var out strings.Builder
	for _, x := range []struct {
		name  string
		table expr.Table
	}{
		{"repartition", a.Repartition(8, "c", "a b")},
		{"a part of the columns", a.Filter(a.Num("id").Gt(1)).Repartition(8, "c").Select("id")},
		{"by range", a.RepartitionByRange(3, "id").OrderBy("id").Limit(2)},
		{"coalesce", a.OrderBy("id").Coalesce(1)},
		{"broadcast", a.Join(b.Broadcast(), "id").Select("id")},
		{"broadcast of a filtered table", a.Join(b.Filter(b.Num("id").Gt(2)).Broadcast(), "id").GroupBy("id").Agg(expr.Count().As("n"))},
		{"through an aggregation", a.Hint("merge").Join(grouped, "id").Repartition(2)},
		{"of a join", a.Join(b, "id").Select("id").Broadcast().Join(b.View().Hint("shuffle_hash"), "id").Select("id")},
		{"of no join", a.Broadcast()},
		{"in a union", a.Repartition(2).Union(b.Hint("rebalance", 3)).Hint("repartition").Distinct()},
		{"a version", old.Filter(old.Num("id").Gt(1))},
		{"two versions", old.Join(b.TimestampAsOf(time.Unix(0, 1000)), "id").Select("id")},
	} {
		sql, err := compiler.SQL(x.table)
		require.NoError(t, err, x.name)
		out.WriteString("-- " + x.name + "\n" + sql + ";\n\n")
	}
	golden.Check(t, "testdata/hints.sql", out.String())
	require.Equal(t, "Hint REPARTITION(8, c, a b)\n  Table db.a\n", a.Repartition(8, "c", "a b").String())
	require.Equal(t, "Table db.b x version 3\n", old.String())
}

func TestWrongHints(t *testing.T) {
	fields, err := datatype.ParseFields("id INT, c STRING")
	require.NoError(t, err)
	a := expr.CatalogTable(fields, "db", "a")
	for name, x := range map[string]struct {
		table expr.Table
		says  string
	}{
		"unknown":                {a.Hint("brodcast"), "It has BROADCAST"},
		"a number of none":       {a.Hint("REPARTITION", 0), "from 1 to"},
		"a negative number":      {a.Repartition(-1), "from 1 to"},
		"coalesce to none":       {a.Coalesce(0), "from 1 to"},
		"coalesce by a column":   {a.Hint("coalesce", 2, "id"), "takes no columns"},
		"a range of nothing":     {a.RepartitionByRange(2), "one column at least"},
		"an expression":          {a.Repartition(2, a.Num("id").Add(1)), "Make a column of it"},
		"a join with a number":   {a.Hint("merge", 2), "takes nothing"},
		"a version of a filter":  {a.Filter(a.Num("id").Gt(1)).VersionAsOf(1), "of the catalogue as it is"},
		"a version of a version": {a.VersionAsOf(1).TimestampAsOf(time.Now()), "of the catalogue as it is"},
		"a negative version":     {a.VersionAsOf(-1), "from zero up"},
		"no name":                {expr.CatalogTable(fields), "needs a name"},
		"an empty name":          {expr.CatalogTable(fields, "db", ""), "needs a name"},
	} {
		err := x.table.Err()
		require.Equal(t, condition.InvalidValue, condition.Of(err), name)
		require.ErrorContains(t, err, x.says, name)
		require.ErrorContains(t, err, "hints_test.go", name)
	}
}

// A table that is streamed is a step of a started query, and stands in the text of a batch. No view of a program takes a reserved name.
func TestTables(t *testing.T) {
	fields, err := datatype.ParseFields("id INT, at TIMESTAMP")
	require.NoError(t, err)
	in := expr.StreamingTable(fields, "spark_catalog", "db", "events").Watermark("at", time.Minute)
	batch, err := compiler.Compile(in.Filter(in.Num("id").Gt(1)), compiler.Batch)
	require.NoError(t, err)
	require.Len(t, batch.Steps, 1)
	require.Contains(t, batch.SQL(), "FROM spark_catalog.db.events\n")
	stream, err := compiler.CompileWrite(in.WriteTo(connectors.ToTable("db", "out").Format("delta").PartitionBy("id")).Checkpoint("ck"), compiler.Stream, compiler.Target{Reserved: []string{"Events"}})
	require.NoError(t, err)
	script := stream.String()
	require.Contains(t, script, "    spark.readStream\n    .table(\"spark_catalog.db.events\")\n    .createOrReplaceTempView(\"events_2\")\n")
	require.Contains(t, script, "    .writeStream.format(\"delta\")\n")
	require.Contains(t, script, "    .toTable(\"db.out\")\n")
	write := func(to connectors.TableSink, mode expr.SaveMode) string {
		p, err := compiler.CompileWrite(in.WriteTo(to).SaveMode(mode), compiler.Batch)
		require.NoError(t, err)
		return p.String()
	}
	require.Contains(t, write(connectors.ToTable("db", "a b").ByPosition(), expr.SaveOverwrite), ".insertInto(\"db.`a b`\", overwrite=True)")
	require.Contains(t, write(connectors.ToTable("t").ByName(), expr.SaveAppend), "INSERT INTO t BY NAME\nSELECT *\nFROM spark_catalog.db.events")
	_, err = compiler.CompileWrite(in.WriteTo(connectors.ToTable("t").ByName()), compiler.Batch)
	require.Equal(t, condition.InvalidValue, condition.Of(err))
	for name, to := range map[string]connectors.TableSink{
		"no name": connectors.ToTable(), "an empty part": connectors.ToTable("db", ""), "a format of an insert": connectors.ToTable("t").Format("csv").ByName(),
		"an unknown option": connectors.ToTable("t").Options(connectors.Set("kompression", "zstd")),
	} {
		require.Equal(t, condition.InvalidOption, condition.Of(in.WriteTo(to).Err()), name)
	}
}

// What is nil, or no mode, is told.
func TestCompileOfNothing(t *testing.T) {
	var none *expr.Table
	for _, x := range []compiler.Expression{nil, none} {
		_, err := compiler.SQL(x)
		require.ErrorContains(t, err, "table is nil")
		_, err = compiler.Compile(x, compiler.Batch)
		require.ErrorContains(t, err, "table is nil")
		require.ErrorContains(t, err, "hints_test.go:")
	}
	_, err := compiler.Unchecked(nil, compiler.Batch)
	require.ErrorContains(t, err, "Table.WriteTo")
	_, err = compiler.Compile(expr.MemtableRows("m", nil, nil), 99)
	require.Error(t, err)
	_, err = compiler.Compile(expr.Read("t", connectors.FromJSON("/in", connectors.RowsDDL("a INT"))), 99)
	require.ErrorContains(t, err, "mode 99")
	require.ErrorContains(t, err, "hints_test.go:")
}

// An outer join of two streams says what is missing: a watermark, or the bound of the time.
func TestOuterJoinSaysWhatIsMissing(t *testing.T) {
	side := func(name string, watermark bool) expr.Table {
		s := expr.Read(name, connectors.FromJSON("/"+name, connectors.RowsDDL("id INT, at TIMESTAMP")))
		if watermark {
			s = s.Watermark("at", time.Minute)
		}
		return s
	}
	for _, c := range []struct {
		left, right bool
		want, not   string
	}{
		{true, true, "no condition that bounds the time", "no watermark"},
		{false, true, "The kept side has no watermark either", "The right side of the join"},
		{true, false, "The right side of the join of two streams has no watermark", "bounds the time"},
		{false, false, "The right side of the join of two streams has no watermark", "bounds the time"},
	} {
		_, err := compiler.CompileWrite(side("a", c.left).LeftJoin(side("b", c.right), "id").WriteTo(connectors.ToMemoryTable()).Name("m"), compiler.Stream)
		require.ErrorContains(t, err, c.want)
		require.NotContains(t, err.Error(), c.not)
		require.ErrorContains(t, err, "time <= left.time + 1 hour")
	}
}
