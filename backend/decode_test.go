package backend

import (
	"bufio"
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// result makes a result of one batch from a DDL and rows in JSON, and checks at the test's end that all memory was given back.
func result(t *testing.T, ddl, rows string) Result {
	t.Helper()
	fields, err := datatype.ParseFields(ddl)
	require.NoError(t, err)
	schema, err := arrowtype.Schema(fields)
	require.NoError(t, err)
	alloc := memory.NewCheckedAllocator(memory.DefaultAllocator)
	t.Cleanup(func() { alloc.AssertSize(t, 0) })
	return Result{fields, func(yield func(arrow.RecordBatch, error) bool) {
		batch, _, err := array.RecordFromJSON(alloc, schema, strings.NewReader(rows))
		require.NoError(t, err)
		defer batch.Release()
		yield(batch, nil)
	}}
}

func all[T any](t *testing.T, r Result) []T {
	t.Helper()
	var out []T
	for v, err := range Decode[T](r) {
		require.NoError(t, err)
		out = append(out, v)
	}
	return out
}

func firstError[T any](r Result) (rows int, err error) {
	for _, err := range Decode[T](r) {
		if err != nil {
			return rows, err
		}
		rows++
	}
	return rows, nil
}

type money struct{ text string }

func (m *money) UnmarshalText(b []byte) error { m.text = "$" + string(b); return nil }

type base struct {
	ID   int64 `spoonbill:"id"`
	Name string
}

type inner struct {
	A int32
	B *string `json:"b,omitempty"`
}

type wide struct {
	base
	Price   money
	Exact   *big.Rat         `spoonbill:"price"`
	Near    float64          `spoonbill:"price"`
	Text    string           `spoonbill:"price"`
	When    time.Time        `spoonbill:"ts"`
	Clock   time.Time        `spoonbill:"ntz"`
	Day     time.Time        `spoonbill:"d"`
	Took    time.Duration    `spoonbill:"dt"`
	Months  int              `spoonbill:"ym"`
	Tags    []*string        `spoonbill:"tags"`
	Counts  map[string]int64 `spoonbill:"counts"`
	In      inner            `spoonbill:"st"`
	Ins     []inner          `spoonbill:"sts"`
	Raw     []byte           `spoonbill:"bin"`
	Maybe   sql.Null[int64]  `spoonbill:"maybe"`
	Older   sql.NullString   `spoonbill:"maybeText"`
	Any     any              `spoonbill:"st"`
	AnyList any              `spoonbill:"sts"`
	Small   int8             `spoonbill:"small"`
	F       float32          `spoonbill:"f"`
	OK      bool             `spoonbill:"ok"`
	UID     uuid.UUID        `spoonbill:"uid"`
	Deep    map[string]any   `spoonbill:"st"`
	Skipped func()           `spoonbill:"-"`
	hidden  int
}

const wideDDL = "id BIGINT NOT NULL, name STRING, price DECIMAL(10,2), ts TIMESTAMP, ntz TIMESTAMP_NTZ, d DATE, dt INTERVAL DAY TO SECOND, ym INTERVAL YEAR TO MONTH, tags ARRAY<STRING>, " +
	"counts MAP<STRING, BIGINT>, st STRUCT<a: INT, b: STRING>, sts ARRAY<STRUCT<a: INT, b: STRING>>, bin BINARY, maybe BIGINT, maybeText STRING, small TINYINT, f FLOAT, ok BOOLEAN, uid STRING, unused DOUBLE"

const wideRow = `{"id":7,"name":"ada","price":"-12.30","ts":"2024-01-02T03:04:05.000006Z","ntz":"2024-01-02T03:04:05","d":"2024-02-29","dt":"1500000us","ym":{"months":14},"tags":["x",null],
"counts":[{"key":"k","value":3}],"st":{"a":1,"b":null},"sts":[{"a":2,"b":"z"}],"bin":"AQI=","maybe":null,"maybeText":"t","small":-3,"f":1.5,"ok":true,"uid":"12345678-1234-1234-1234-123456789abc","unused":null}`

func TestDecodeStruct(t *testing.T) {
	got := all[wide](t, result(t, wideDDL, "["+wideRow+","+strings.Replace(wideRow, `"maybe":null`, `"maybe":5`, 1)+"]"))
	require.Len(t, got, 2)
	x, z := "x", "z"
	require.Equal(t, wide{
		base: base{7, "ada"}, Price: money{"$-12.30"}, Exact: big.NewRat(-123, 10), Near: -12.3, Text: "-12.30",
		When: time.Date(2024, 1, 2, 3, 4, 5, 6000, time.UTC), Clock: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC), Day: time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC),
		Took: 1500 * time.Millisecond, Months: 14, Tags: []*string{&x, nil}, Counts: map[string]int64{"k": 3}, In: inner{1, nil}, Ins: []inner{{2, &z}},
		Raw: []byte{1, 2}, Older: sql.NullString{String: "t", Valid: true}, Any: map[string]any{"a": int32(1), "b": nil}, AnyList: []any{map[string]any{"a": int32(2), "b": "z"}},
		Small: -3, F: 1.5, OK: true, UID: uuid.MustParse("12345678-1234-1234-1234-123456789abc"), Deep: map[string]any{"a": int32(1), "b": nil},
	}, got[0])
	require.Equal(t, sql.Null[int64]{V: 5, Valid: true}, got[1].Maybe)
}

func TestDecodeOthers(t *testing.T) {
	require.Equal(t, []int64{1, 2}, all[int64](t, result(t, "n BIGINT", `[{"n":1},{"n":2}]`)))
	require.Equal(t, []*int64{nil}, all[*int64](t, result(t, "n BIGINT", `[{"n":null}]`)))
	require.Equal(t, []float64{3}, all[float64](t, result(t, "n INT", `[{"n":3}]`)))
	require.Equal(t, []int64{12}, all[int64](t, result(t, "n DECIMAL(18,0)", `[{"n":"12"}]`)))
	require.Equal(t, [][]string{{"a"}, {}, nil}, all[[]string](t, result(t, "n ARRAY<STRING>", `[{"n":["a"]},{"n":[]},{"n":null}]`)))
	require.Equal(t, [][]byte{{}, nil}, all[[]byte](t, result(t, "n BINARY", `[{"n":""},{"n":null}]`)))
	require.Equal(t, []time.Time{time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)}, all[time.Time](t, result(t, "d DATE", `[{"d":"2024-02-29"}]`)))
	require.Equal(t, []map[string]any{{"a": int16(1), "b": "1.50", "c": nil, "d": []Entry{{int32(1), 0.5}}}},
		all[map[string]any](t, result(t, "a SMALLINT, b DECIMAL(5,2), c STRING, d MAP<INT, DOUBLE>", `[{"a":1,"b":"1.50","c":null,"d":[{"key":1,"value":0.5}]}]`)))
	require.Equal(t, []map[int32]*float64{{1: nil}}, all[map[int32]*float64](t, result(t, "d MAP<INT, DOUBLE>", `[{"d":[{"key":1,"value":null}]}]`)))
	require.Equal(t, []map[any]any{{int32(1): nil}}, all[map[any]any](t, result(t, "d MAP<INT, DOUBLE>", `[{"d":[{"key":1,"value":null}]}]`)))
	require.Equal(t, []any{nil}, all[any](t, result(t, "n VOID", `[{"n":null}]`)))
	require.Empty(t, all[int64](t, result(t, "n BIGINT", `[]`)))
}

// A schema that does not fit is told before any row.
func TestDecodeMisfit(t *testing.T) {
	type missing struct{ Absent string }
	type narrow struct{ N int32 }
	type unsigned struct{ N uint64 }
	type nested struct{ S struct{ X []int8 } }
	type twice struct{ N string }
	type channel struct{ N chan int }
	for name, tc := range map[string]struct {
		run  func(Result) (int, error)
		ddl  string
		cond string
		want []string
	}{
		"missing":  {firstError[missing], "present STRING", condition.UnresolvedColumn, []string{"missing.Absent", "Absent", "present", `spoonbill:"-"`}},
		"narrow":   {firstError[narrow], "n BIGINT", condition.CannotUpCast, []string{"column n of type BIGINT", "int32", "int64"}},
		"unsigned": {firstError[unsigned], "n BIGINT", condition.CannotUpCast, []string{"uint64", "BIGINT"}},
		"nested":   {firstError[nested], "s STRUCT<x: ARRAY<INT>>", condition.CannotUpCast, []string{"s.x.element", "INT", "int8"}},
		"text":     {firstError[narrow], "n STRING", condition.CannotUpCast, []string{"STRING", "int32"}},
		"twice":    {firstError[twice], "n STRING, n STRING", condition.AmbiguousReference, []string{"twice"}},
		"channel":  {firstError[channel], "n STRING", condition.CannotUpCast, []string{"chan int"}},
		"columns":  {firstError[int64], "n BIGINT, m BIGINT", condition.CannotUpCast, []string{"2 columns", "map[string]any"}},
		"key":      {firstError[map[any]any], "n MAP<BINARY, INT>", condition.CannotUpCast, []string{"Entry"}},
		"scale":    {firstError[int64], "n DECIMAL(5,2)", condition.CannotUpCast, []string{"DECIMAL(5,2)"}},
		"stamp":    {firstError[money], "n TIMESTAMP", condition.CannotUpCast, []string{"TIMESTAMP"}},
		"double":   {firstError[float32], "n DOUBLE", condition.CannotUpCast, []string{"float32"}},
		"maps":     {firstError[map[string]any], "a INT, a INT", condition.AmbiguousReference, nil},
	} {
		t.Run(name, func(t *testing.T) {
			rows, err := tc.run(result(t, tc.ddl, "[]"))
			require.Zero(t, rows)
			require.Equal(t, tc.cond, condition.Of(err), "%v", err)
			for _, want := range tc.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

func TestDecodeRowErrors(t *testing.T) {
	type row struct{ N int64 }
	rows, err := firstError[row](result(t, "n BIGINT", `[{"n":1},{"n":null}]`))
	require.Equal(t, 1, rows)
	require.Equal(t, condition.NotNullViolation, condition.Of(err))
	require.ErrorContains(t, err, "row 1: the column n is null")
	require.ErrorContains(t, err, "sql.Null[int64]")

	// The column of an unsigned integer may hold what that does not.
	for _, v := range []string{"-1", "256"} {
		rows, err = firstError[uint8](result(t, "n SMALLINT", `[{"n":255},{"n":`+v+`}]`))
		require.Equal(t, 1, rows)
		require.ErrorContains(t, err, "row 1: the column n holds "+v)
	}
	_, err = firstError[uint64](result(t, "n DECIMAL(20,0)", `[{"n":"18446744073709551615"},{"n":"18446744073709551616"}]`))
	require.ErrorContains(t, err, "row 1: the column n holds 18446744073709551616")

	_, err = firstError[uuid.UUID](result(t, "n STRING", `[{"n":"no uuid"}]`))
	require.Equal(t, condition.CannotUpCast, condition.Of(err))
	_, err = firstError[time.Duration](result(t, "n INTERVAL DAY TO SECOND", `[{"n":"9223372036854775807us"}]`))
	require.ErrorContains(t, err, "time.Duration")
	_, err = firstError[[]int64](result(t, "n ARRAY<BIGINT>", `[{"n":[null]}]`))
	require.ErrorContains(t, err, "n.element")

	// A batch of another layout than its schema is an error and no panic.
	r := result(t, "n BIGINT", `[{"n":1}]`)
	r.Fields = []datatype.Field{{Name: "n", Type: datatype.String}}
	_, err = firstError[string](r)
	require.Equal(t, condition.ServerError, condition.Of(err))

	boom := errors.New("boom")
	_, err = firstError[int64](Result{[]datatype.Field{{Name: "n", Type: datatype.Long}}, func(yield func(arrow.RecordBatch, error) bool) { yield(nil, boom) }})
	require.ErrorIs(t, err, boom)
}

// Every recorded result goes through any, and a variant through encoding/json.
func TestDecodeRecorded(t *testing.T) {
	file, err := os.Open("testdata/texts.jsonl")
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	variants := 0
	for lines.Scan() {
		var c struct {
			SQL, DDL string
			Arrow    []byte
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		fields, err := datatype.ParseFields(c.DDL)
		require.NoError(t, err)
		r := Result{fields, func(yield func(arrow.RecordBatch, error) bool) {
			rd, err := ipc.NewReader(bytes.NewReader(c.Arrow))
			require.NoError(t, err)
			defer rd.Release()
			for rd.Next() && yield(rd.RecordBatch(), nil) {
			}
		}}
		if strings.Contains(c.SQL, "make_dt_interval(106751991") {
			_, err := firstError[any](r)
			require.ErrorContains(t, err, "time.Duration")
			continue
		}
		values := all[any](t, r)
		if strings.Contains(c.SQL, `"b": [1, 2.50`) {
			variants++
			require.Equal(t, map[string]any{"a": map[string]any{"c": 1e100, "t": "é\x01"}, "b": []any{1.0, 2.5, `x"y`, nil, true}}, values[0])
			require.Equal(t, []any{"text", 17.0, nil, nil}, values[1:])
			type doc struct{ B []any }
			require.Len(t, all[*doc](t, Result{fields, func(yield func(arrow.RecordBatch, error) bool) {
				for b := range r.Batches {
					first := b.NewSlice(0, 1)
					defer first.Release()
					yield(first, nil)
					return
				}
			}})[0].B, 5)
			require.Equal(t, json.RawMessage(`"text"`), all[json.RawMessage](t, r)[1])
			require.Equal(t, "text", *all[*string](t, r)[1])
		}
	}
	require.NoError(t, lines.Err())
	require.Equal(t, 1, variants)
}

func TestDecodeKeepsNothing(t *testing.T) {
	alloc := memory.NewCheckedAllocator(memory.DefaultAllocator)
	b := array.NewStringBuilder(alloc)
	b.Append("first")
	col := b.NewArray()
	b.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	batch := array.NewRecordBatch(schema, []arrow.Array{col}, 1)
	d, err := NewDecoder[string]([]datatype.Field{{Name: "s", Type: datatype.String}})
	require.NoError(t, err)
	var s string
	require.NoError(t, d.Decode(batch, 0, &s))
	copy(col.Data().Buffers()[2].Bytes(), "XXXXX")
	require.Equal(t, "first", s)
	batch.Release()
	col.Release()
	alloc.AssertSize(t, 0)
}
