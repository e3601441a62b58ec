package csv

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/format"
	"github.com/spoonbill-go/spoonbill/backend/local/format/internal/plain"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

func FuzzDecoder(f *testing.F) {
	for _, s := range []string{"1,x,2024-01-01\n", "\"a\"\"b\",\"c\\\"d\",e\n", "a,b\r\n\"\",,\n", "#c\n\n , \n", "\"open,1\n\"x\"y,z\n", "1,2,3,4\n", "\xff,\xfe\n", "\"a\\\\\"b\"c,d\n"} {
		f.Add([]byte(s), byte(0))
		f.Add([]byte(s), byte(255))
	}
	fields, err := datatype.ParseFields("a INT, b STRING, c DATE, _corrupt_record STRING")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte, flags byte) {
		o := Options{Sep: ",", Quote: '"', Escape: '\\', EscapeEscape: '\\', MaxColumns: 100, MaxChars: -1, CorruptColumn: "_corrupt_record", NaN: "NaN"}
		o.TrimLeft, o.TrimRight, o.Header = flags&1 != 0, flags&2 != 0, flags&4 != 0
		if flags&8 != 0 {
			o.Sep = "||"
		}
		if flags&16 != 0 {
			o.Escape, o.EscapeEscape = '"', 0
		}
		if flags&32 != 0 {
			o.Comment = '#'
		}
		o.Unescaped = Unescaped(flags >> 6 % 3)
		read := func(mode format.Mode) ([][]any, error) {
			o := o
			o.Mode = mode
			d, err := NewDecoder(fields, o, nil)
			require.NoError(t, err)
			rest, err := d.SkipHeader(data)
			if err != nil {
				return nil, err
			}
			if err := d.Lines(rest); err != nil {
				return nil, err
			}
			rec, err := d.Batch()
			require.NoError(t, err)
			return valuesOf(rec), nil
		}
		all, err := read(format.Permissive)
		if err != nil {
			return // too many columns, or a quote that must not be
		}
		kept := 0
		for _, r := range all {
			if r[3] == nil {
				kept++
			}
		}
		some, err := read(format.DropMalformed)
		require.NoError(t, err)
		require.Len(t, some, kept)
		_, err = read(format.FailFast)
		require.Equal(t, kept == len(all), err == nil)
	})
}

func valuesOf(rec arrow.RecordBatch) [][]any {
	var out [][]any
	for i := range int(rec.NumRows()) {
		row := []any{}
		for _, c := range rec.Columns() {
			row = append(row, plain.Of(c, i))
		}
		out = append(out, row)
	}
	return out
}
