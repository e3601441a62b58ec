package csv

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Whatever the text, inference ends with columns that a decoder reads, or with an error that has a condition; in pieces as in one.
func FuzzInfer(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "\n\n", "\"", "a,a,a0\n", "1e9999999999,0x,.,-\n", "2024-01-01,\"\"\n,x", "a\r\rb", "\\,\"\\\"", "99999999999999999999999999999999999999999,1\n1.5,1"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, header bool) {
		o := tree.Options{}.With(tree.Option{Key: "inferSchema", Value: "true"})
		opts, err := ParseOptions(o, nil)
		require.NoError(t, err)
		opts.Header = header
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
		_, err = NewDecoder(fields, opts, nil)
		require.NoError(t, err)
	})
}

func TestInferOptions(t *testing.T) {
	_, err := NewInferrer(tree.Options{}.With(tree.Option{Key: "inferSchema", Value: "maybe"}), Options{})
	require.Equal(t, condition.InvalidOption, condition.Of(err))
}
