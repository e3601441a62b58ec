package datatype

import (
	"slices"
	"strings"
	"testing"
)

func TestSplitName(t *testing.T) {
	for _, parts := range [][]string{{"t"}, {"db", "t"}, {"c", "my.db", "t`able"}, {"`", "``.`", "."}, {"1st", "select"}} {
		quoted := make([]string, len(parts))
		for i, p := range parts {
			quoted[i] = QuoteName(p)
		}
		got, err := SplitName(strings.Join(quoted, "."))
		if err != nil || !slices.Equal(got, parts) {
			t.Errorf("%q gives %q, %v", strings.Join(quoted, "."), got, err)
		}
	}
	for _, bad := range []string{"", ".", "a.", ".a", "a..b", "`a", "`a``", "`a`b", "a`b`", "``", "`a`."} {
		if got, err := SplitName(bad); err == nil {
			t.Errorf("%q gives %q", bad, got)
		}
	}
}
