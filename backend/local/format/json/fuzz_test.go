package json

import (
	stdjson "encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/format"
	"github.com/spoonbill-go/spoonbill/backend/local/format/internal/plain"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

const fuzzDDL = "a INT, b STRING, t TIMESTAMP, d DECIMAL(10,2), f DOUBLE, l ARRAY<STRUCT<x: INT, y: MAP<STRING, ARRAY<BIGINT>>>>, m MAP<STRING, STRUCT<z: DATE>>, bin BINARY, i INTERVAL DAY TO SECOND, _corrupt_record STRING"

func seeds(f *testing.F) {
	for _, s := range []string{
		`{"a":1,"b":"x","t":"2024-02-29T12:34:56Z","d":1.5,"f":NaN,"l":[{"x":1,"y":{"k":[1,2]}}],"m":{"q":{"z":"2024-01-01"}},"bin":"YWI="}`,
		`{"a":"x","l":[{"x":"bad"},5],"m":{"q":1}}`, `[{"a":1},{"a":2}]`, `{"a":1,"a":2,"l":[1],"l":[]}`, `{'a':'\u12','b':"\ud83d\ude00\ud83d"}`, `{"b":{"k":[1, 2.50 ,null]}}`, "\xef\xbb\xbf{}", "{\"b\":\"\xff\xe2\x82\"}",
		`{"i":"INTERVAL '1 02:03:04.5' DAY TO SECOND"}`, `{"t":"12:00"}`, `null`, `[`, `{"a":`, `{"d":1e999999999,"f":1e400}`,
	} {
		f.Add([]byte(s))
	}
	text, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		f.Fatal(err)
	}
	var cases []recorded
	if err := stdjson.Unmarshal(text, &cases); err != nil {
		f.Fatal(err)
	}
	for _, c := range cases {
		for _, in := range c.Input {
			f.Add([]byte(in))
		}
	}
}

// FuzzDecoder looks for crashes, and for arrays that are not what they say: every row must print, and the modes must agree on what is malformed.
func FuzzDecoder(f *testing.F) {
	seeds(f)
	fields, err := datatype.ParseFields(fuzzDDL)
	if err != nil {
		f.Fatal(err)
	}
	corrupt := len(fields) - 1
	base := Options{NonNumeric: true, SingleQuotes: true, CorruptColumn: "_corrupt_record"}
	f.Fuzz(func(t *testing.T, data []byte) {
		read := func(mode format.Mode, need []int) ([][]any, error) {
			o := base
			o.Mode = mode
			d, err := NewDecoder(fields, o, need)
			require.NoError(t, err)
			if err := d.Lines(data); err != nil {
				return nil, err
			}
			rec, err := d.Batch()
			require.NoError(t, err)
			var out [][]any
			for i := range int(rec.NumRows()) {
				row := []any{}
				for _, c := range rec.Columns() {
					require.Equal(t, int(rec.NumRows()), c.Len())
					row = append(row, plain.Of(c, i))
				}
				out = append(out, row)
			}
			return out, nil
		}
		all, err := read(format.Permissive, nil)
		require.NoError(t, err)
		kept := [][]any{}
		for _, r := range all {
			if r[corrupt] == nil {
				kept = append(kept, r)
			}
		}
		some, err := read(format.DropMalformed, nil)
		require.NoError(t, err)
		require.Equal(t, len(kept), len(some))
		for i := range kept {
			require.Equal(t, kept[i], some[i])
		}
		_, err = read(format.FailFast, nil)
		require.Equal(t, len(kept) == len(all), err == nil)
		// A projection reads the same values, where the record is good.
		if len(kept) == len(all) {
			part, err := read(format.Permissive, []int{1, 5})
			require.NoError(t, err)
			for i := range all {
				require.Equal(t, all[i][1], part[i][1])
				require.Equal(t, all[i][5], part[i][5])
				require.Nil(t, part[i][0])
			}
		}

		b := array.NewBinaryBuilder(memory.DefaultAllocator, arrow.BinaryTypes.Binary)
		b.Append(data)
		b.AppendNull()
		b.Append([]byte(`{"a":7}`))
		out, err := DecodeColumn(b.NewArray(), datatype.Struct{Fields: fields}, base, nil)
		require.NoError(t, err)
		require.Equal(t, 3, out.Len())
		require.True(t, out.IsNull(1))
		require.Equal(t, "7", plain.Of(out, 2).([]any)[0])
		text, err := NewEncoder(Options{IgnoreNullFields: true}).EncodeColumn(datatype.Struct{Fields: fields}, out)
		require.NoError(t, err)
		if !out.IsNull(0) {
			require.True(t, stdjson.Valid([]byte(text.ValueStr(0))), "%s", text.ValueStr(0))
		}
	})
}

// FuzzGrammar compares the strict grammar with the standard library's.
func FuzzGrammar(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if !utf8.Valid(data) || strings.Count(string(data), "[")+strings.Count(string(data), "{") > maxDepth {
			return
		}
		s := scanner{buf: data, opt: &Options{}}
		if len(data) > maxNumber {
			return // the standard library has no bound for a number
		}
		end, ok := s.skip(s.space(0))
		ok = ok && s.space(end) == len(data)
		require.Equal(t, stdjson.Valid(data), ok, "%q", data)
	})
}

// FuzzSound compares the two ways of reading a record: of one in which the fast way finds nothing wrong, the way for damaged records reads the same.
func FuzzSound(f *testing.F) {
	seeds(f)
	fields, err := datatype.ParseFields(fuzzDDL)
	if err != nil {
		f.Fatal(err)
	}
	narrow, wide := Options{}, Options{NonNumeric: true, SingleQuotes: true, UnquotedNames: true, LeadingZeros: true, AnyEscape: true, ControlChars: true, Comments: true}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, opts := range []Options{narrow, wide} {
			d, err := NewDecoder(fields, opts, nil)
			require.NoError(t, err)
			d.buf = data
			if d.sound(d.space(0)) {
				n := d.rows
				fast, err := d.Batch()
				require.NoError(t, err)
				rows, st := d.mend(data).rows(d.root)
				require.Equal(t, good, st, "%q", data)
				require.Len(t, rows, n)
				for _, row := range rows {
					require.True(t, d.put(d.root, row))
				}
				d.rows = n
				slow, err := d.Batch()
				require.NoError(t, err)
				for i := range n {
					for c := range fields {
						require.Equal(t, plain.Of(fast.Column(c), i), plain.Of(slow.Column(c), i), "%q", data)
					}
				}
			}
			for _, typ := range []datatype.Type{datatype.Struct{Fields: fields}, datatype.Array{Elem: datatype.Struct{Fields: fields}}, datatype.Map{Key: datatype.String, Value: datatype.String}} {
				d, err := NewColumnDecoder(typ, opts, nil)
				require.NoError(t, err)
				d.buf = data
				if !d.sound(d.space(0)) {
					continue
				}
				fast, err := d.root.col.Finish()
				require.NoError(t, err)
				v, st := d.mend(data).column(d.root)
				require.Equal(t, good, st, "%q", data)
				require.True(t, d.put(d.root, v))
				slow, err := d.root.col.Finish()
				require.NoError(t, err)
				require.Equal(t, plain.Of(fast, 0), plain.Of(slow, 0), "%q", data)
			}
		}
	})
}
