package memory

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, m *connectors.MemoryStream, batchRows int) *source {
	t.Helper()
	d, err := m.Source()
	require.NoError(t, err)
	s, err := connector.OpenSource(t.Context(), connector.Env{BatchRows: batchRows}, d)
	require.NoError(t, err)
	src := s.(*source)
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	src.mem = mem
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		mem.AssertSize(t, 0)
	})
	return src
}

func openTo(t *testing.T, m *connectors.MemorySink) connector.Sink {
	t.Helper()
	d, err := m.Sink()
	require.NoError(t, err)
	s, err := connector.OpenSink(t.Context(), connector.Env{}, d)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func offsetOf(text string) connector.Offset { return connector.Offset(text) }

func TestStream(t *testing.T) {
	m := connectors.NewMemoryStreamDDL("a INT, b STRING")
	s := open(t, m, 2)
	require.Equal(t, "MemoryStream[a,b]", s.Description())
	require.Empty(t, s.Metrics())
	start, err := s.Initial(t.Context())
	require.NoError(t, err)
	require.Equal(t, "0", string(start))
	end, err := s.Latest(t.Context(), start, false)
	require.NoError(t, err)
	require.Equal(t, "0", string(end))
	for i := range 5 {
		require.NoError(t, m.AddRows([]any{i, fmt.Sprint(i)}))
	}
	end, err = s.Latest(t.Context(), start, false)
	require.NoError(t, err)
	require.Equal(t, "5", string(end))
	require.Equal(t, map[string]string{"latestOffset": "5"}, s.Metrics())
	require.NoError(t, s.PrepareAvailableNow(t.Context()))
	require.NoError(t, m.AddRows([]any{5, "5"}))
	end, err = s.Latest(t.Context(), start, false)
	require.NoError(t, err)
	require.Equal(t, "5", string(end), "what comes later is not worked off")

	to := connectors.NewMemorySink()
	rows, err := s.Read(t.Context(), offsetOf("1"), offsetOf("6"), connector.Projection{})
	require.NoError(t, err)
	n, err := openTo(t, to).Write(t.Context(), 0, tree.Append, m.Fields(), rows)
	require.NoError(t, err)
	require.Equal(t, int64(5), n)
	require.Equal(t, m.Rows(1, 6), to.Rows())
	require.NoError(t, s.Commit(t.Context(), end))

	rows, err = s.Read(t.Context(), offsetOf("0"), offsetOf("3"), connector.Projection{Columns: []int{1}})
	require.NoError(t, err)
	sizes := []int64{}
	for rec, err := range rows {
		require.NoError(t, err)
		require.Equal(t, int(rec.NumRows()), rec.Column(0).NullN())
		require.Zero(t, rec.Column(1).NullN())
		sizes = append(sizes, rec.NumRows())
		rec.Release()
	}
	require.Equal(t, []int64{2, 1}, sizes)

	for _, text := range []string{"null", "-1", `"x"`, "{}"} {
		_, err = s.Latest(t.Context(), offsetOf(text), false)
		require.Equal(t, condition.CheckpointCorrupt, condition.Of(err), text)
	}
	_, err = s.Read(t.Context(), offsetOf("0"), offsetOf("7"), connector.Projection{})
	require.Equal(t, condition.CheckpointMismatch, condition.Of(err), "a restart without the rows: %v", err)
	_, err = connector.OpenSource(t.Context(), connector.Env{}, &tree.Source{Format: "memory"})
	require.Equal(t, condition.InvalidValue, condition.Of(err))
	_, err = connector.OpenSink(t.Context(), connector.Env{}, &tree.Sink{Format: "memory"})
	require.Equal(t, condition.Unsupported, condition.Of(err))

	ctx, cancel := context.WithCancel(t.Context())
	rows, err = s.Read(ctx, offsetOf("0"), offsetOf("6"), connector.Projection{})
	require.NoError(t, err)
	var last error
	for rec, err := range rows {
		if last = err; err == nil {
			rec.Release()
			cancel()
		}
	}
	cancel()
	require.ErrorIs(t, last, context.Canceled)
}

func TestModes(t *testing.T) {
	m := connectors.NewMemoryStreamDDL("a INT")
	require.NoError(t, m.AddRows([]any{1}, []any{2}, []any{3}))
	s := open(t, m, 10)
	to := connectors.NewMemorySink()
	sink := openTo(t, to)
	require.Equal(t, "MemorySink", sink.Description())
	write := func(epoch int64, mode tree.OutputMode, from, until string) {
		rows, err := s.Read(t.Context(), offsetOf(from), offsetOf(until), connector.Projection{})
		require.NoError(t, err)
		_, err = sink.Write(t.Context(), epoch, mode, m.Fields(), rows)
		require.NoError(t, err)
	}
	write(0, tree.Append, "0", "1")
	write(1, tree.Append, "1", "2")
	write(1, tree.Append, "1", "3")
	require.Equal(t, [][]any{{int64(1)}, {int64(2)}, {int64(3)}}, to.Rows(), "an epoch that is written again replaces itself")
	write(2, tree.Complete, "1", "2")
	require.Equal(t, [][]any{{int64(2)}}, to.Rows())
	write(3, tree.Complete, "0", "0")
	require.Empty(t, to.Rows())

	broken := fmt.Errorf("the query failed")
	_, err := sink.Write(t.Context(), 4, tree.Append, m.Fields(), func(yield func(arrow.RecordBatch, error) bool) { yield(nil, broken) })
	require.ErrorIs(t, err, broken)
	require.Empty(t, to.Rows())
}

func bigInt(text string) *big.Int {
	n, _ := new(big.Int).SetString(text, 10)
	return n
}

// everyType has for each type the values that are easily lost.
var everyType = []struct {
	t      datatype.Type
	values []any
}{
	{datatype.Null, []any{nil}},
	{datatype.Boolean, []any{true, false}},
	{datatype.Byte, []any{int64(math.MinInt8), int64(math.MaxInt8)}},
	{datatype.Short, []any{int64(math.MinInt16), int64(math.MaxInt16)}},
	{datatype.Int, []any{int64(math.MinInt32), int64(math.MaxInt32)}},
	{datatype.Long, []any{int64(math.MinInt64), int64(math.MaxInt64)}},
	{datatype.Float, []any{float64(math.MaxFloat32), math.Copysign(0, -1), math.Inf(1), math.NaN(), 0.5}},
	{datatype.Double, []any{math.MaxFloat64, math.SmallestNonzeroFloat64, math.Copysign(0, -1), math.Inf(-1), math.NaN()}},
	{datatype.Decimal{Precision: 38}, []any{bigInt("99999999999999999999999999999999999999"), bigInt("-99999999999999999999999999999999999999"), bigInt("0")}},
	{datatype.Decimal{Precision: 4, Scale: 2}, []any{bigInt("-1230")}},
	{datatype.String, []any{"", "ä\x00漢", "x"}},
	{datatype.Varchar{Length: 3}, []any{"abc"}},
	{datatype.Char{Length: 3}, []any{"ab "}},
	{datatype.Binary, []any{[]byte{}, []byte{0, 255}}},
	{datatype.Date, []any{int64(-719162), int64(2932896)}},
	{datatype.Timestamp, []any{int64(-62135596800000000), int64(253402300799999999), int64(1)}},
	{datatype.TimestampNTZ, []any{int64(-1)}},
	{datatype.Time{Precision: 6}, []any{int64(0), int64(86_399_999_999)}},
	{datatype.YearToMonth, []any{int64(math.MinInt32), int64(14)}},
	{datatype.DayToSecond, []any{int64(math.MinInt64), int64(math.MaxInt64)}},
	{datatype.CalendarInterval, []any{[]any{int64(-1), int64(2), int64(-3)}}},
	{datatype.Variant, []any{[]any{[]byte{12, 1}, []byte{1, 0, 0}}}},
	{datatype.Array{Elem: datatype.Int, ContainsNull: true}, []any{[]any{}, []any{int64(1), nil}}},
	{datatype.Map{Key: datatype.String, Value: datatype.Array{Elem: datatype.Date, ContainsNull: true}, ValueContainsNull: true}, []any{[][2]any{}, [][2]any{{"a", nil}, {"b", []any{int64(3)}}}}},
	{datatype.Struct{Fields: []datatype.Field{
		{Name: "x", Type: datatype.Decimal{Precision: 10, Scale: 1}, Nullable: true},
		{Name: "y", Type: datatype.Struct{Fields: []datatype.Field{{Name: "z", Type: datatype.Timestamp, Nullable: true}}}, Nullable: true},
	}}, []any{[]any{nil, nil}, []any{bigInt("15"), []any{int64(7)}}}},
}

// same compares values, floating-point numbers by their bits.
func same(a, b any) bool {
	x, ok := a.(float64)
	y, ok2 := b.(float64)
	if ok && ok2 {
		return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
	}
	n, ok := a.(*big.Int)
	m, ok2 := b.(*big.Int)
	if ok && ok2 {
		return n.Cmp(m) == 0
	}
	switch l := a.(type) {
	case []any:
		r, ok := b.([]any)
		if !ok || len(l) != len(r) {
			return false
		}
		for i := range l {
			if !same(l[i], r[i]) {
				return false
			}
		}
		return true
	case [][2]any:
		r, ok := b.([][2]any)
		if !ok || len(l) != len(r) {
			return false
		}
		for i := range l {
			if !same(l[i][0], r[i][0]) || !same(l[i][1], r[i][1]) {
				return false
			}
		}
		return true
	case []byte:
		r, ok := b.([]byte)
		return ok && string(l) == string(r) && (r == nil) == (l == nil)
	}
	return a == b
}

// TestEveryType sends values of every type of package arrowtype to Arrow and back.
func TestEveryType(t *testing.T) {
	for _, x := range everyType {
		t.Run(x.t.String(), func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			fields := []datatype.Field{{Name: "v", Type: x.t, Nullable: true}}
			schema, err := arrowtype.Schema(fields)
			require.NoError(t, err)
			b := array.NewBuilder(mem, schema.Field(0).Type)
			defer b.Release()
			values := append([]any{nil}, x.values...)
			for _, v := range values {
				require.NoError(t, appendValue(b, x.t, v))
			}
			col := b.NewArray()
			rec := array.NewRecordBatch(schema, []arrow.Array{col}, int64(col.Len()))
			col.Release()
			to := connectors.NewMemorySink()
			n, err := openTo(t, to).Write(t.Context(), 0, tree.Append, fields, func(yield func(arrow.RecordBatch, error) bool) { yield(rec, nil) })
			require.NoError(t, err)
			require.Equal(t, int64(len(values)), n)
			require.Equal(t, fields, to.Fields())
			for i, row := range to.Rows() {
				require.Len(t, row, 1)
				require.True(t, same(values[i], row[0]), "%#v became %#v", values[i], row[0])
			}
		})
	}
}

// TestSlices reads batches that are parts of larger ones, whose offsets do not begin at 0.
func TestSlices(t *testing.T) {
	fields, err := datatype.ParseFields("l ARRAY<INT>, m MAP<STRING, INT>, s STRUCT<a: STRING>, t STRING")
	require.NoError(t, err)
	m := connectors.NewMemoryStreamDDL("l ARRAY<INT>, m MAP<STRING, INT>, s STRUCT<a: STRING>, t STRING")
	row := func(i int64) []any {
		text := fmt.Sprint(i)
		return []any{[]any{i, nil}, [][2]any{{text, i}}, []any{text}, text}
	}
	src := open(t, m, 10)
	rec, err := src.batch([][]any{row(0), row(1), row(2)}, []bool{true, true, true, true})
	require.NoError(t, err)
	defer rec.Release()
	part := rec.NewSlice(1, 3)
	defer part.Release()
	got, err := appendRows(nil, fields, part)
	require.NoError(t, err)
	require.Equal(t, [][]any{row(1), row(2)}, got)
}

func TestMisfits(t *testing.T) {
	for _, x := range []struct {
		t datatype.Type
		v any
	}{
		{datatype.Byte, int64(128)}, {datatype.Short, int64(-32769)}, {datatype.Int, int64(1 << 31)}, {datatype.Date, int64(1 << 31)}, {datatype.Int, "1"},
		{datatype.Time{Precision: 6}, int64(86_400_000_000)}, {datatype.Decimal{Precision: 2}, bigInt("100")}, {datatype.Decimal{Precision: 2}, int64(1)},
		{datatype.String, []byte("x")}, {datatype.Binary, "x"}, {datatype.Boolean, int64(1)}, {datatype.Double, int64(1)}, {datatype.Float, "1"},
		{datatype.Array{Elem: datatype.Int}, [][2]any{}}, {datatype.Map{Key: datatype.Int, Value: datatype.Int}, []any{}}, {datatype.Map{Key: datatype.Int, Value: datatype.Int}, [][2]any{{nil, nil}}},
		{datatype.Struct{Fields: []datatype.Field{{Name: "a", Type: datatype.Int}}}, []any{}}, {datatype.Null, int64(1)},
		{datatype.CalendarInterval, []any{int64(1)}}, {datatype.CalendarInterval, []any{int64(1 << 40), int64(0), int64(0)}}, {datatype.Variant, []any{"a", "b"}},
	} {
		at, err := arrowtype.Of(x.t)
		require.NoError(t, err)
		b := array.NewBuilder(memory.DefaultAllocator, at)
		require.Equal(t, condition.InvalidValue, condition.Of(appendValue(b, x.t, x.v)), "%v of %s", x.v, x.t)
		b.Release()
	}
	m := connectors.NewMemoryStreamDDL("a INT")
	s := open(t, m, 10)
	_, err := s.batch([][]any{{"x"}}, []bool{true})
	require.Equal(t, condition.InvalidValue, condition.Of(err))
}
