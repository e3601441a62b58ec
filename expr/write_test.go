package expr_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// A write in error names the line that made it, the zero one the line that used it.
func TestMistakesOfWrites(t *testing.T) {
	in := empty(t, "a INT")
	zero := expr.Write{}
	for name, err := range map[string]error{
		"output mode": in.WriteTo(nil).OutputMode(99).Err(),
		"save mode":   in.WriteTo(nil).SaveMode(99).Err(),
		"zero":        zero.Err(),
		"zero's tree": func() error { _, err := zero.Name("q").Tree(); return err }(),
	} {
		require.Error(t, err, name)
		for _, e := range unjoined(err) {
			require.Regexp(t, `write_test\.go:\d+: `, e.Error(), name)
			var c *condition.Error
			require.ErrorAs(t, e, &c)
			require.NotEmpty(t, c.Hint, name+": "+strconv.Quote(c.Message))
		}
	}
}

func unjoined(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()
	}
	return []error{err}
}
