package javatext_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/internal/javatext"
)

// The answers are those of Java 17's new String(bytes, UTF_8), whose readers give the same.
func TestReplaceInvalid(t *testing.T) {
	for in, want := range map[string]string{
		"":                                "",
		"aé€😀":                            "aé€😀",
		"\xff\xfe":                        "��",
		"\x80\xbf":                        "��",
		"\xc0\x80":                        "��", // overlong
		"\xc1\xbfa":                       "��a",
		"\xe0\x80\x80":                    "���",
		"\xe0\xa0":                        "�",
		"\xe0\xa0a":                       "�a",
		"\xed\xa0\x80":                    "�", // a surrogate
		"\xed\xa0\x80\xed\xb0\x80":        "��",
		"\xed\xa0":                        "�",
		"\xed\xa0a":                       "�a",
		"\xf0\x80\x80\x80":                "����",
		"\xf0\x9f\x98":                    "�",
		"\xf0\x9f\x98a":                   "�a",
		"\xf4\x90\x80\x80":                "����", // above U+10FFFF
		"\xf5\x80\x80\x80":                "����",
		"a\xe2\x82b\xe2\x82\xac\xf0\x9fc": "a�b€�c",
	} {
		require.Equal(t, want, string(javatext.ReplaceInvalid(nil, []byte(in))), "%+q", in)
	}
	require.Equal(t, "x�", string(javatext.ReplaceInvalid([]byte("x"), []byte{0xff})))
}

// The answers are those of Spark 4.2's upper, which changes nothing else here.
func TestMakeValid(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"A€😀":                      "A€😀",
		"\xff\xc3":                 "��",
		"\xe2\x82":                 "�",
		"\xed\xa0\x80":             "���",
		"\xed\xa0\x80\xed\xb0\x80": "������",
		"\xed\x9f":                 "�",
		"\xf0\x9f\x98A":            "�A",
	} {
		require.Equal(t, want, string(javatext.MakeValid(nil, []byte(in))), "%+q", in)
	}
}
