package hadoop

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func packed(t testing.TB, c *Codec, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out, c)
	for len(data) > 0 {
		n := min(len(data), 1000)
		_, err := w.Write(data[:n])
		require.NoError(t, err)
		data = data[n:]
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func TestRoundTrip(t *testing.T) {
	for _, c := range []*Codec{Snappy, LZ4} {
		for _, data := range []string{"", "a", strings.Repeat("abc", 100_000)} {
			p := packed(t, c, []byte(data))
			got, err := io.ReadAll(NewReader(bytes.NewReader(p), c))
			require.NoError(t, err, c.name)
			require.Equal(t, data, string(got), c.name)
			for _, n := range []int{1, 5, len(p) - 1} {
				if n > 0 && n < len(p) {
					_, err := io.ReadAll(NewReader(bytes.NewReader(p[:n]), c))
					require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%s cut off after %d", c.name, n)
				}
			}
		}
		_, err := io.ReadAll(NewReader(bytes.NewReader([]byte("plain text, which is no stream")), c))
		require.Error(t, err)
		_, err = io.ReadAll(NewReader(bytes.NewReader([]byte{0, 0, 0, 9, 0, 0, 0, 1, 0}), c))
		require.Error(t, err, "a piece without content")
	}
}

// FuzzReader looks for crashes and endless work.
func FuzzReader(f *testing.F) {
	for _, c := range []*Codec{Snappy, LZ4} {
		f.Add(packed(f, c, []byte(strings.Repeat("abc", 10))))
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		for _, c := range []*Codec{Snappy, LZ4} {
			_, _ = io.Copy(io.Discard, NewReader(bytes.NewReader(data), c))
		}
	})
}
