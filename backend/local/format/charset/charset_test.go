package charset

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// The answers are those of Java 17's new String(bytes, charset).
func TestDecode(t *testing.T) {
	for _, c := range []struct {
		set, in, want string
		fine          bool
	}{
		{"utf-8", "a\xffé", "a\ufffdé", false},
		{"US-ASCII", "a\xe9", "a\ufffd", false},
		{"ISO-8859-1", "a\xe9\x80", "a\u00e9\u0080", true},
		{"UTF-16", "\x00a\x20\xac", "a€", true},
		{"UTF-16", "\xff\xfea\x00", "a", true},
		{"UTF-16", "\xfe\xff\x00a", "a", true},
		{"UTF-16LE", "\xff\xfea\x00", "\ufeffa", true},
		{"utf-16be", "\xd8\x3d\xde\x00", "😀", true},
		{"utf-16be", "\xd8\x3d\x00a\x00b", "\ufffdb", false},
		{"utf-16be", "\xde\x00\x00a", "\ufffda", false},
		{"utf-16be", "\x00a\x00", "a\ufffd", false},
		{"utf-16be", "\x00a\xd8\x3d", "a\ufffd", false},
		{"UTF-32", "\x00\x01\xf6\x00", "😀", true},
		{"UTF-32", "\xff\xfe\x00\x00a\x00\x00\x00", "a", true},
		{"UTF-32", "\x00\x11\x00\x00", "\ufffd", false},
		{"UTF-32", "\x00\x00", "\ufffd", false},
		{"UTF-16", "", "", true},
	} {
		s, ok := Find(c.set)
		require.True(t, ok, c.set)
		got, fine := s.Decode(nil, []byte(c.in))
		require.Equal(t, c.want, string(got), "%s %q", c.set, c.in)
		require.Equal(t, c.fine, fine, "%s %q", c.set, c.in)
	}
	for _, name := range []string{"", "utf8", "latin1", "UTF-32LE", "windows-1252"} {
		_, ok := Find(name)
		require.False(t, ok, name)
	}
}

func TestEncode(t *testing.T) {
	for set, want := range map[string]string{
		"utf-8": "é😀", "us-ascii": "??", "iso-8859-1": "\xe9?", "utf-16": "\xfe\xff\x00\xe9\xd8\x3d\xde\x00", "utf-16le": "\xe9\x00\x3d\xd8\x00\xde", "utf-32": "\x00\x00\x00\xe9\x00\x01\xf6\x00",
	} {
		s, ok := Find(set)
		require.True(t, ok, set)
		require.Equal(t, want, string(s.Encode(nil, []byte("é😀"), true)), set)
	}
	for name, want := range map[string]string{"windows-1252": "\x80", "Cp1252": "\x80", "latin1": "?", "UTF-32LE": "\xac\x20\x00\x00", "UTF8": "€"} {
		b, ok := Bytes(name, "€")
		require.True(t, ok, name)
		if name != "latin1" {
			require.Equal(t, want, string(b), name)
		}
	}
	_, ok := Bytes("nonsense", "x")
	require.False(t, ok)
}

// A text that comes in pieces of any size is decoded as it is whole, but for a mark.
func FuzzReader(f *testing.F) {
	for _, s := range []string{"", "a", "\xff\xfea\x00", "\xd8\x3d\xde\x00\x00", "\x00\x00\xfe\xff\x00\x00\x00a\x01"} {
		for n := range 7 {
			f.Add([]byte(s), byte(n))
		}
	}
	names := []string{"utf-8", "us-ascii", "iso-8859-1", "utf-16", "utf-16be", "utf-16le", "utf-32"}
	f.Fuzz(func(t *testing.T, data []byte, n byte) {
		s, _ := Find(names[int(n)%len(names)])
		got, err := io.ReadAll(NewReader(iotest.OneByteReader(strings.NewReader(string(data))), s))
		require.NoError(t, err)
		want := data
		if !s.UTF8() {
			want, _ = s.Decode(nil, data)
		}
		require.Equal(t, strings.TrimPrefix(string(want), "\ufeff"), string(got))
	})
}
