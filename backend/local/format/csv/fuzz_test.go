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

// However a text is cut into pieces, its records are the same, and no text is lost or read for ever.
func FuzzRecords(f *testing.F) {
	for _, s := range []string{"1,\"x\ny\",2024-01-01\r\n2,y,\n", "\"a\"b\nc\",\"d\\\"e\",f\n#g\n1,\"", "a,b\r\"\r\",,\r\n", "\"a\" \"b||c\"||d||", "\xff,\"\xc3\n\"\n"} {
		f.Add([]byte(s), byte(0), uint16(3))
		f.Add([]byte(s), byte(255), uint16(1))
	}
	fields, err := datatype.ParseFields("a INT, b STRING, c DATE, _corrupt_record STRING")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte, flags byte, step uint16) {
		o := Options{Sep: ",", Quote: '"', Escape: '\\', EscapeEscape: '\\', MaxColumns: 100, MaxChars: -1, CorruptColumn: "_corrupt_record", NaN: "NaN", MultiLine: true}
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
		if flags&64 != 0 {
			o.ReadSep = "\r\n"
		}
		if o.Unescaped = StopAtDelimiter; flags&128 != 0 {
			o.Unescaped = SkipValue
		}
		split := NewSplitter(o)
		o = split.Begin(data)
		decode := func(piece []byte, first bool) ([][]any, error) {
			d, err := NewDecoder(fields, o, nil)
			require.NoError(t, err)
			if err := d.Records(piece, first); err != nil {
				return nil, err
			}
			rec, err := d.Batch()
			require.NoError(t, err)
			return valuesOf(rec), nil
		}
		all, err := decode(data, true)
		if err != nil {
			return // too many columns
		}
		var some [][]any
		first := true
		for have, size := data, int(step)+1; len(have) > 0; {
			size = min(size, len(have))
			n := split.Whole(have[:size], size == len(have))
			if n == 0 {
				size *= 2
				continue
			}
			rows, err := decode(have[:n], first)
			require.NoError(t, err)
			some, have, first, size = append(some, rows...), have[n:], false, int(step)+1
		}
		require.Equal(t, all, some)
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
