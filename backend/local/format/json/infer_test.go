package json

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/format"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Whatever the text, inference ends with columns that have names and that a decoder reads, or with an error that has a condition; in pieces as in one.
func FuzzInfer(f *testing.F) {
	for _, s := range []string{"{}", "{\"a\":[{\"b\":1},{}]}\n[{\"a\":null}]", "1\n{\"a\":1.5e-400}\n", "{\"a\":1,\"A\":2}", "\"", "[[[", "{\"a\":{\"\":{}}}\nnull", "{'a':NaN,\"b\":\"\\ud800\"}\r\r\n"} {
		f.Add(s, uint8(0))
		f.Add(s, uint8(255))
	}
	f.Fuzz(func(t *testing.T, text string, flags uint8) {
		var o tree.Options
		for i, key := range []string{"primitivesAsString", "prefersDecimal", "inferTimestamp", "dropFieldIfAllNull", "allowUnquotedFieldNames"} {
			if flags>>i&1 == 1 {
				o = o.With(tree.Option{Key: key, Value: "true"})
			}
		}
		opts, err := ParseOptions(o, nil)
		require.NoError(t, err)
		opts.Mode = format.Mode(flags >> 6 % 3)
		infer := func(cut int) ([]datatype.Field, error) {
			x, err := NewInferrer(o, opts)
			require.NoError(t, err)
			for _, piece := range []string{text[:cut], text[cut:]} {
				if err := x.Lines([]byte(piece)); err != nil {
					return nil, err
				}
			}
			return x.Fields()
		}
		fields, err := infer(0)
		if err != nil {
			require.NotEmpty(t, condition.Of(err))
			return
		}
		for i := range text {
			if text[i] == '\n' {
				again, err := infer(i + 1)
				require.NoError(t, err)
				require.Equal(t, fields, again)
				break
			}
		}
		if len(fields) == 0 {
			return
		}
		parsed, err := datatype.ParseFields(datatype.DDL(fields))
		require.NoError(t, err)
		require.Equal(t, datatype.DDL(fields), datatype.DDL(parsed))
		_, err = NewDecoder(fields, opts, nil)
		require.NoError(t, err)
	})
}
