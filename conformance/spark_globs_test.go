//go:build conformance

package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Spark gives what is written down of folders and patterns.
func TestSparkFolders(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	s := connect(t)
	for _, c := range FolderCases() {
		dir := env.Dir(t)
		require.NoError(t, c.Make(dir))
		rows, err := backend.Collect[FolderRow](ctx, s, readFolders(dir, c.Path))
		require.Equal(t, c.Condition, condition.Of(err), "%+v: %v", c, err)
		require.Equal(t, c.Rows, FolderAnswer(rows), "%+v", c)
		if c.Condition != "" {
			var e *condition.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, condition.StateOf(c.Condition), e.SQLState, c)
		}
	}
}

// Spark takes no path that is refused as a pattern, and says so without a condition.
func TestSparkBadPatterns(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s := connect(t)
	for _, path := range BadPatterns() {
		q := expr.SQL("SELECT value FROM text."+datatype.QuoteName(env.Dir(t)+"/"+path), []datatype.Field{{Name: "value", Type: datatype.String}}, nil)
		_, err := backend.Collect[string](ctx, s, q)
		require.ErrorContains(t, err, "Illegal file pattern", path)
	}
}
