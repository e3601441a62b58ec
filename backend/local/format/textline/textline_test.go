package textline

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

var value = []datatype.Field{{Name: "value", Type: datatype.String, Nullable: true}}

func lines(t testing.TB, sep, data string) []string {
	t.Helper()
	d, err := NewDecoder(value, sep, nil)
	require.NoError(t, err)
	require.NoError(t, d.Lines([]byte(data)))
	rec, err := d.Batch()
	require.NoError(t, err)
	defer rec.Release()
	out := []string{}
	for i := range int(rec.NumRows()) {
		out = append(out, rec.Column(0).(*array.String).Value(i))
	}
	return out
}

// TestLines has the rows that Spark 4.2.0 made of these texts.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		sep, data string
		want      []string
	}{
		{"", "a\nb\r\nc\rd\n\n", []string{"a", "b", "c", "d", ""}}, {"", "", []string{}}, {"", "\n", []string{""}}, {"", "\r\r\n", []string{"", ""}}, {"", "a\r", []string{"a"}},
		{";", "a;b;;c;", []string{"a", "b", "", "c"}}, {"||", "a||b|", []string{"a", "b|"}}, {"\n", "a\r\nb", []string{"a\r", "b"}}, {"", "\xff\xfe\n", []string{"\xff\xfe"}},
	} {
		require.Equal(t, c.want, lines(t, c.sep, c.data), "%q", c.data)
	}
	d, err := NewDecoder(value, "", []int{})
	require.NoError(t, err)
	require.NoError(t, d.Lines([]byte("a\nb")))
	require.Equal(t, 2, d.Rows())
	rec, err := d.Batch()
	require.NoError(t, err)
	require.Equal(t, 2, rec.Column(0).NullN(), "what is not read is null")
	for _, ddl := range []string{"a INT", "a STRING, b STRING"} {
		f, err := datatype.ParseFields(ddl)
		require.NoError(t, err)
		require.Equal(t, condition.UnsupportedDataType, condition.Of(Check(f)), ddl)
	}
}

// FuzzLines compares with the plain definition: the parts between separators, without an empty one behind the last.
func FuzzLines(f *testing.F) {
	f.Add("a\nb", ";")
	f.Add("a||b|", "||")
	f.Add("|||", "||")
	f.Fuzz(func(t *testing.T, data, sep string) {
		lines(t, "", data)
		if sep != "" {
			want := strings.Split(data, sep)
			if n := len(want) - 1; want[n] == "" {
				want = want[:n]
			}
			require.Equal(t, want, lines(t, sep, data))
		}
	})
}
