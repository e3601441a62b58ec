package local_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

type leaf struct {
	N    int16
	Text *string "spoonbill:\"`a,b`\""
}

type Extra struct {
	Score *float32
	Rank  int8
}

type kinds struct {
	Bool    bool
	I8      int8
	I16     int16
	I32     int32
	I64     int64
	U8      uint8
	U16     uint16
	U32     uint32
	U64     uint64
	F32     float32
	F64     float64
	Text    string
	Bytes   []byte
	Named   json.RawMessage
	At      time.Time
	Day     time.Time `spoonbill:"day,date"`
	Wall    time.Time `spoonbill:"wall,timestamp_ntz"`
	Took    time.Duration
	Months  int32    `spoonbill:"months,interval year to month"`
	Money   string   `spoonbill:"money,decimal(12,2)"`
	Rat     *big.Rat `spoonbill:"rat,decimal(20,3)"`
	Big     big.Int
	UID     uuid.UUID
	Ptr     *int64
	Deep    **string
	Null    sql.Null[int32]
	NullStr sql.NullString
	NullAt  sql.NullTime
	List    []int64
	Sparse  []*string
	Lists   [][]bool
	Map     map[string]int32
	Maps    map[int64]*leaf
	Leaf    leaf
	LeafPtr *leaf
	Leaves  []leaf
	*Extra
	skipped int
	Ignored chan int `spoonbill:"-"`
}

// random makes values that Spark can hold: microseconds, years of four digits, valid texts.
type random struct{ *rand.Rand }

func (r random) text() string {
	return strings.ToValidUTF8(string([]rune{'a', 'é', '\'', '\\', '$', '{', '"', '`', '\n', '😀', 0x7f}[:r.IntN(12)]), "?")
}

func (r random) time() time.Time {
	return time.UnixMicro(r.Int64N(4e15) - 2e15).UTC()
}

func maybe[T any](r random, make func() T) *T {
	if r.IntN(3) == 0 {
		return nil
	}
	v := make()
	return &v
}

func list[T any](r random, make func() T) []T {
	if r.IntN(4) == 0 {
		return nil
	}
	out := []T{}
	for range r.IntN(4) {
		out = append(out, make())
	}
	return out
}

func (r random) leaf() leaf { return leaf{int16(r.IntN(10)), maybe(r, r.text)} }

func (r random) kinds() kinds {
	day := r.time().Truncate(24 * time.Hour)
	k := kinds{
		Bool: r.IntN(2) == 0, I8: int8(r.IntN(256) - 128), I16: int16(r.IntN(1<<16) - 1<<15), I32: int32(r.Uint32()), I64: int64(r.Uint64()), U8: uint8(r.IntN(256)), U16: uint16(r.Uint32()), U32: r.Uint32(), U64: r.Uint64(),
		F32: float32(r.NormFloat64()), F64: r.NormFloat64() * 1e300, Text: r.text(), Bytes: list(r, func() byte { return byte(r.IntN(256)) }), Named: json.RawMessage(`{"a":1}`),
		At: r.time(), Day: day, Wall: r.time(), Took: time.Duration(r.Int64N(1e12)-5e11) * time.Microsecond, Months: int32(r.IntN(4800) - 2400),
		Money: big.NewRat(r.Int64N(1e12)-5e11, 100).FloatString(2), Big: *big.NewInt(r.Int64N(1e18)), UID: uuid.UUID{byte(r.IntN(256)), 15: byte(r.IntN(256))},
		Ptr: maybe(r, r.Int64), List: list(r, r.Int64), Sparse: list(r, func() *string { return maybe(r, r.text) }), Lists: list(r, func() []bool { return list(r, func() bool { return true }) }),
		Leaf: r.leaf(), LeafPtr: maybe(r, r.leaf), Leaves: list(r, r.leaf),
	}
	if r.IntN(2) == 0 {
		k.Rat = big.NewRat(r.Int64N(1e12), 1000)
	}
	if s := maybe(r, r.text); s != nil {
		k.Deep, k.NullStr = &s, sql.NullString{String: *s, Valid: true}
	}
	if n := maybe(r, r.Int32); n != nil {
		k.Null, k.NullAt = sql.Null[int32]{V: *n, Valid: true}, sql.NullTime{Time: r.time(), Valid: true}
	}
	if r.IntN(3) > 0 {
		k.Map, k.Maps = map[string]int32{}, map[int64]*leaf{}
		for range r.IntN(4) {
			k.Map[r.text()], k.Maps[r.Int64()] = r.Int32(), maybe(r, r.leaf)
		}
	}
	k.Extra = &Extra{Score: maybe(r, r.Float32), Rank: int8(r.IntN(100))}
	switch r.IntN(20) {
	case 0:
		k.F32, k.F64 = float32(math.Inf(1)), math.Copysign(0, -1)
	case 1:
		k.F64 = math.SmallestNonzeroFloat64
	}
	return k
}

// What goes in as a Go struct comes out as the same one, through a table and the engine.
func TestRowsRoundTrip(t *testing.T) {
	s, err := local.Open(local.Parallelism(1))
	require.NoError(t, err)
	defer s.Close()
	r := random{rand.New(rand.NewPCG(1, 2))}
	rows := make([]kinds, 300)
	for i := range rows {
		rows[i] = r.kinds()
	}
	table := expr.Memtable("kinds", rows)
	require.NoError(t, table.Err())
	got, err := backend.Collect[kinds](context.Background(), s, table)
	require.NoError(t, err)
	require.Len(t, got, len(rows))
	for i := range rows {
		require.True(t, math.Float64bits(rows[i].F64) == math.Float64bits(got[i].F64))
		if rows[i].Rat != nil {
			require.Zero(t, rows[i].Rat.Cmp(got[i].Rat))
			got[i].Rat = rows[i].Rat
		}
		require.Zero(t, rows[i].Big.Cmp(&got[i].Big))
		got[i].Big = rows[i].Big
		require.Equal(t, rows[i], got[i], "row %d", i)
	}
	require.NoError(t, expr.TableOf[kinds](table).Err())

	// An embedded pointer that is nil gives nulls, which only fields that take them can read back.
	rows[0].Extra = nil
	_, err = backend.Collect[kinds](context.Background(), s, expr.Memtable("kinds", rows[:1]))
	require.Equal(t, condition.NotNullViolation, condition.Of(err), "%v", err)
	require.ErrorContains(t, err, "row 0: the column Rank is null")
	none, err := backend.Collect[kinds](context.Background(), s, expr.Memtable("kinds", rows[:0]))
	require.NoError(t, err)
	require.Empty(t, none)
}

// A value that its column cannot hold is an error with row and column.
func TestRowsRefused(t *testing.T) {
	for want, table := range map[string]expr.Table{
		"Row 1, column r": expr.Memtable("t", []struct {
			R *big.Rat `spoonbill:"r,decimal(4,1)"`
		}{{big.NewRat(1, 2)}, {big.NewRat(1, 3)}}),
		"Row 0, column d": expr.Memtable("t", []struct {
			D string `spoonbill:"d,decimal(3,1)"`
		}{{"100.0"}}),
		"Row 0, column m": expr.Memtable("t", []struct {
			M int64 `spoonbill:"m,interval year to month"`
		}{{1 << 40}}),
		"Row 0, column n": expr.Memtable("t", []struct {
			N int64 `spoonbill:"n,tinyint"`
		}{{128}}),
		"needs the type": expr.Memtable("t", []struct{ R big.Rat }{}),
		"needs its type": expr.Memtable("t", []struct{ R any }{}),
		"Two fields of": expr.Memtable("t", []struct {
			A int
			B int `json:"A"`
		}{}),
		"holds itself":    expr.Memtable("t", []struct{ L *loop }{}),
		"has no exported": expr.Memtable("t", []struct{ a int }{}),
	} {
		require.ErrorContains(t, table.Err(), want)
	}
}

type loop struct{ Next *loop }

func TestSchemaOfParquet(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s, err := local.Open()
	require.NoError(t, err)
	defer s.Close()
	const ddl = "b BOOLEAN, i TINYINT, d DECIMAL(12,2), s STRING, bin BINARY, day DATE, ts TIMESTAMP, ntz TIMESTAMP_NTZ, dt INTERVAL DAY TO SECOND, ym INTERVAL YEAR TO MONTH, " +
		"a ARRAY<SMALLINT>, m MAP<STRING, DATE>, st STRUCT<x: INT, `y z`: ARRAY<DECIMAL(5,0)>>"
	fields, err := datatype.ParseFields(ddl)
	require.NoError(t, err)
	path := filepath.Join(dir, "out")
	require.NoError(t, backend.ToParquet(ctx, s, expr.MemtableRows("t", fields, [][]any{make([]any, len(fields))}), path, expr.SaveOverwrite))
	got, err := s.Schema(ctx, connectors.FromParquet(path, connectors.Inferred()))
	require.NoError(t, err)
	require.Equal(t, datatype.DDL(fields), datatype.DDL(got))

	// A file of another writer has Parquet's own types alone.
	spark := "../local/format/parquet/testdata/spark-4.2.0-int96.parquet"
	other, err := s.Schema(ctx, connectors.FromParquet(spark, connectors.Inferred()))
	require.NoError(t, err)
	require.NotEmpty(t, other)

	table, err := backend.ReadInferred(ctx, s, "out", connectors.FromParquet(path, connectors.Inferred()))
	require.NoError(t, err)
	n, err := backend.Count(ctx, s, table)
	require.NoError(t, err)
	require.EqualValues(t, 1, n)

	require.NoError(t, os.MkdirAll(filepath.Join(dir, "p", "day=1"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "p", "day=1", "a.json"), []byte("{}"), 0o666))
	// The columns of folders are found and read.
	none := filepath.Join(dir, "p", "day=__HIVE_DEFAULT_PARTITION__")
	require.NoError(t, os.MkdirAll(none, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(none, "a.json"), []byte("{\"x\":5}"), 0o666))
	parts, err := backend.ReadInferred(ctx, s, "p", connectors.FromJSON(dir+"/p", connectors.Inferred()))
	require.NoError(t, err)
	days, err := backend.Collect[map[string]any](ctx, s, parts.OrderBy("day"))
	require.NoError(t, err)
	require.Equal(t, []map[string]any{{"x": int64(5), "day": nil}, {"x": nil, "day": int32(1)}}, days)
	void, err := backend.ReadInferred(ctx, s, "v", connectors.FromJSON(dir+"/p/day=__*", connectors.Inferred(), connectors.Set("basePath", dir+"/p")))
	require.NoError(t, err)
	require.Equal(t, "x BIGINT, day VOID", datatype.DDL(void.Schema().Types()))
	days, err = backend.Collect[map[string]any](ctx, s, void)
	require.NoError(t, err)
	require.Equal(t, []map[string]any{{"x": int64(5), "day": nil}}, days)

	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for want, f := range map[string]func() error{
		condition.PathNotFound: func() error {
			_, err := s.Schema(ctx, connectors.FromParquet(dir+"/none", connectors.Inferred()))
			return err
		},
		condition.FailedReadFile: func() error {
			_, err := s.Schema(ctx, connectors.FromParquet(dir+"/p/day=1/a.json", connectors.Inferred()))
			return err
		},
		condition.InvalidOption: func() error {
			_, err := s.Schema(ctx, connectors.FromJSON(dir, connectors.Inferred(), connectors.Set("samplingRatio", "0.5")))
			return err
		},
		condition.InvalidValue:     func() error { return expr.Read("x", connectors.FromJSON(dir, connectors.Inferred())).Err() },
		condition.UnresolvedColumn: func() error { _, err := backend.Collect[struct{ Absent int }](ctx, s, table); return err },
	} {
		require.Equal(t, want, condition.Of(f()))
	}
	_, err = s.Schema(cancelled, connectors.FromJSON(dir, connectors.Inferred()))
	require.ErrorIs(t, err, context.Canceled)
}

// A batch tells how far it has come, once more at its end, however that comes about.
func TestWork(t *testing.T) {
	dir := t.TempDir()
	text := strings.Repeat("{\"a\":1}\n", 5000)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.json"), []byte(text), 0o666))
	s, err := local.Open(local.BatchRows(100))
	require.NoError(t, err)
	defer s.Close()
	in := expr.Read("in", connectors.FromJSON(dir+"/a.json", connectors.RowsDDL("a INT")))
	var seen []backend.Work
	ctx := backend.WithWork(context.Background(), func(w backend.Work) { seen = append(seen, w) })
	n, err := backend.Count(ctx, s, in)
	require.NoError(t, err)
	require.EqualValues(t, 5000, n)
	last := seen[len(seen)-1]
	require.True(t, last.Ended)
	require.EqualValues(t, 5000, last.Rows)
	require.Positive(t, last.Elapsed)
	require.Contains(t, last.String(), "5000 rows read")

	seen = nil
	require.NoError(t, backend.ToCSV(ctx, s, in, filepath.Join(dir, "out"), expr.SaveOverwrite))
	require.EqualValues(t, 5000, seen[len(seen)-1].Rows)
	require.Error(t, backend.ToCSV(ctx, s, in, filepath.Join(dir, "out"), 0))

	seen = nil
	for range backend.Rows[int32](ctx, s, in) {
		break
	}
	require.True(t, seen[len(seen)-1].Ended)
	seen = nil
	_, err = backend.Collect[any](ctx, s, in.Select(in.Num("a").Div(in.Num("a").Sub(1)).As("x")))
	require.Equal(t, condition.DivideByZero, condition.Of(err))
	require.True(t, seen[len(seen)-1].Ended)
	seen = nil
	_, err = backend.Count(backend.WithWork(ctx, nil), s, in)
	require.NoError(t, err)
	require.Empty(t, seen)
}

func TestWatch(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".json"), []byte("{\"a\":1}\n{\"a\":2}\n"), 0o666))
	}
	s, err := local.Open()
	require.NoError(t, err)
	defer s.Close()
	in := expr.Read("in", connectors.FromJSON(dir, connectors.RowsDDL("a INT"), connectors.MaxFilesPerTrigger(1)))
	q, err := s.Start(ctx, in.WriteTo(connectors.Noop()).Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	var out strings.Builder
	line := backend.NewStatusLine(&out)
	var batches []int64
	require.NoError(t, backend.Watch(ctx, q, func(p backend.Progress) {
		batches = append(batches, p.BatchID)
		line.Progress(p)
	}))
	line.End()
	require.Equal(t, []int64{0, 1, 2}, batches)
	require.Contains(t, out.String(), "\repoch 2: 6 rows read in 3 epochs")
	require.True(t, strings.HasSuffix(out.String(), " \r"))

	bad := in.Select(in.Num("a").Div(in.Num("a").Sub(1)).As("x"))
	q, err = s.Start(ctx, bad.WriteTo(connectors.Noop()).Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	require.Equal(t, condition.StreamFailed, condition.Of(backend.Watch(ctx, q, func(backend.Progress) {})))

	rate := expr.Read("rate", connectors.Rate(10))
	q, err = s.Start(ctx, rate.WriteTo(connectors.Noop()))
	require.NoError(t, err)
	short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, backend.Watch(short, q, func(backend.Progress) {}), context.DeadlineExceeded)
	active, err := q.IsActive(ctx)
	require.NoError(t, err)
	require.True(t, active)
	require.NoError(t, q.Stop(ctx))
}
