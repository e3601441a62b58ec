//go:build conformance

package sparkconnect_test

import (
	"context"
	"database/sql"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

type part struct {
	N    int16
	Text *string "spoonbill:\"`a,b`\""
}

type everything struct {
	I8     int8
	U8     uint8
	U64    uint64
	F32    float32
	Text   string
	Bytes  []byte
	At     time.Time
	Day    time.Time `spoonbill:"day,date"`
	Wall   time.Time `spoonbill:"wall,timestamp_ntz"`
	Took   time.Duration
	Months int32  `spoonbill:"months,interval year to month"`
	Money  string `spoonbill:"money,decimal(12,2)"`
	Big    big.Int
	UID    uuid.UUID
	Ptr    *int64
	Null   sql.Null[int32]
	List   []*string
	Map    map[string]*part
	Part   part
	Parts  []part
}

// What goes in as a Go struct comes out as the same one, through Spark in another zone than the values'.
func TestLiveRows(t *testing.T) {
	ctx, s := connect(t, sparkconnect.TimeZone("America/New_York"))
	text, n := "a\n${x}'\\é😀", int64(-5)
	at := time.Date(1965, 3, 1, 12, 0, 0, 123_456_000, time.UTC)
	rows := []everything{
		{Parts: []part{}, Big: *big.NewInt(0), Money: "0.00", At: at, Day: time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), Wall: at},
		{
			I8: -128, U8: 255, U64: 1<<64 - 1, F32: 1.5, Text: text, Bytes: []byte{0, 255}, At: at, Day: time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), Wall: at, Took: -3 * time.Microsecond,
			Months: -14, Money: "-9999999999.99", Big: *big.NewInt(-1), UID: uuid.UUID{1, 15: 2}, Ptr: &n, Null: sql.Null[int32]{V: 7, Valid: true}, List: []*string{nil, &text},
			Map: map[string]*part{"k": {1, &text}, "": nil}, Part: part{2, nil}, Parts: []part{{3, &text}, {4, nil}},
		},
	}
	got, err := backend.Collect[everything](ctx, s, expr.Memtable("rows", rows))
	require.NoError(t, err)
	require.Len(t, got, 2)
	for i := range rows {
		require.Zero(t, rows[i].Big.Cmp(&got[i].Big))
		got[i].Big = rows[i].Big
		require.Equal(t, rows[i], got[i])
	}
	p := expr.TableOf[everything](expr.Memtable("rows", rows))
	texts, err := backend.Collect[*string](ctx, s, p.Filter(p.Num(&p.Row.U8).Gt(0)).Select(p.Str(&p.Row.Part.Text)))
	require.NoError(t, err)
	require.Equal(t, []*string{nil}, texts)
	_, err = backend.Collect[string](ctx, s, p.Select(p.Str(&p.Row.Part.Text)))
	require.ErrorContains(t, err, "row 0: ")
}

func TestLiveSchema(t *testing.T) {
	ctx, s := connect(t)
	dir := env.Dir(t)
	in := expr.MemtableRows("t", must(t, "a DECIMAL(5,2), b ARRAY<STRUCT<c: DATE>>"), [][]any{{nil, nil}})
	require.NoError(t, backend.ToParquet(ctx, s, in, dir+"/p", expr.SaveOverwrite))
	fields, err := s.Schema(ctx, connectors.FromParquet(dir+"/p", connectors.Inferred()))
	require.NoError(t, err)
	require.Equal(t, "a DECIMAL(5,2), b ARRAY<STRUCT<c: DATE>>", datatype.DDL(fields))
	write(t, dir+"/x.csv", "id,n\n1,2.5\n")
	table, err := backend.ReadInferred(ctx, s, "x", connectors.FromCSV(dir+"/x.csv", connectors.Inferred(), connectors.Header(), connectors.InferSchema()))
	require.NoError(t, err)
	rows, err := backend.Collect[struct {
		ID int32
		N  float64
	}](ctx, s, table)
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Equal(t, 2.5, rows[0].N)
	given, err := s.Schema(ctx, connectors.FromCSV("/none", connectors.RowsDDL("a INT")))
	require.NoError(t, err)
	require.Equal(t, "a INT", datatype.DDL(given))
}

func must(t *testing.T, ddl string) []datatype.Field {
	t.Helper()
	fields, err := datatype.ParseFields(ddl)
	require.NoError(t, err)
	return fields
}

// Spark's progress arrives while a batch runs.
func TestLiveWork(t *testing.T) {
	ctx, s := connect(t)
	var seen []backend.Work
	ctx = backend.WithWork(ctx, func(w backend.Work) { seen = append(seen, w) })
	// Without a shortcut: every row is hashed. A warm server hashes half a million of them before its first report.
	sql := "SELECT max(sha2(CAST(id AS STRING), 256)) AS h FROM range(0, 4000000, 1, 4)"
	r, err := s.Run(ctx, &compiler.Program{Steps: []compiler.Step{compiler.QueryStep{SQL: sql}}, Mode: compiler.Batch})
	require.NoError(t, err)
	for range backend.Decode[string](r) {
	}
	require.NotEmpty(t, seen)
	tasks := int64(0)
	for i, w := range seen {
		t.Log(w)
		require.Equal(t, i == len(seen)-1, w.Ended)
		tasks = max(tasks, w.Tasks)
	}
	require.Positive(t, tasks)
	seen = nil
	dir := env.Dir(t)
	require.NoError(t, backend.ToCSV(ctx, s, expr.MemtableRows("t", must(t, "a INT"), [][]any{{1}}), dir+"/out", expr.SaveOverwrite))
	ended := 0
	for _, w := range seen {
		if w.Ended {
			ended++
		}
	}
	require.Equal(t, 1, ended, "a write has one end, whatever the session does besides")
}

// A handle of a table that was replaced by one of other columns does not give the rows of those, and what the server says of a query names the line that asked.
func TestLiveReplacedTable(t *testing.T) {
	_, s := connect(t)
	name := "replaced_" + strings.ReplaceAll(uuid.NewString(), "-", "_")
	save := func(table expr.Table) {
		require.NoError(t, s.Write(t.Context(), table.WriteTo(connectors.ToTable(name)).SaveMode(expr.SaveOverwrite)))
	}
	one := expr.Memtable("one", []struct{ A, B int }{{1, 2}})
	save(one)
	t.Cleanup(func() { require.NoError(t, s.Catalog().DropTable(context.Background(), true, name)) })
	old, err := s.Table(t.Context(), name)
	require.NoError(t, err)
	save(one.Select("B", "A", one.Num("A").As("C")))
	for _, table := range []expr.Table{old, old.Filter(old.Num("A").Gt(0)), old.Distinct()} {
		_, err := s.Batches(t.Context(), table)
		require.Equal(t, condition.SchemaMismatch, condition.Of(err), "%v", err)
		require.ErrorContains(t, err, "rows_live_test.go:")
	}
	require.Equal(t, condition.SchemaMismatch, condition.Of(s.Write(t.Context(), old.WriteTo(connectors.Noop()))))
	got, err := backend.Collect[struct{ A int }](t.Context(), s, old.Select("A")) // which is as it was
	require.NoError(t, err)
	require.Len(t, got, 1)

	cached, err := s.Cache(t.Context(), one)
	require.NoError(t, err)
	require.NoError(t, cached.Release(t.Context()))
	_, err = backend.Collect[struct{ A int }](t.Context(), s, cached.Table.Select("A"))
	require.Equal(t, condition.Closed, condition.Of(err), "%v", err)
	_, err = backend.Collect[struct{ X int }](t.Context(), s, one.Select(expr.Call[expr.NumericValue]("div", one.Num("A"), one.Num("A").Sub(1)).As("X")))
	require.ErrorContains(t, err, "rows_live_test.go:")
	require.Equal(t, "DIVIDE_BY_ZERO", condition.Of(err))
}
