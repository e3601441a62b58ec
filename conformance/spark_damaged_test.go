//go:build conformance

package conformance

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/functions"
)

// Damaged lines of JSON give the same on both, read as a file and by from_json.
func TestSparkDamagedJSON(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	sessions := both(t)
	for _, set := range DamagedJSON(1) {
		t.Run(set.Name, func(t *testing.T) {
			dir := env.Dir(t)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "a.json"), []byte(strings.Join(set.Lines, "\n")+"\n"), 0o666))
			schema := set.Schema + ", " + corruptRecord + " STRING"
			if set.Bare == "" {
				opts := []connectors.Option{connectors.CorruptRecord(corruptRecord)}
				for _, o := range set.Options {
					opts = append(opts, connectors.Set(o[0], o[1]))
				}
				sameRows(t, ctx, sessions, set.Lines, readFiles(connectors.FromJSON(dir, connectors.RowsDDL(schema), opts...)))
			} else {
				schema = set.Bare
			}
			if set.Name != "encoded" && set.Name != "rows" {
				text := readFiles(connectors.FromText(dir))
				call := expr.Call[expr.AnyValue]("from_json", text.Str("value"), schema)
				if len(set.Options) > 0 {
					var o []any
					for _, opt := range set.Options {
						o = append(o, opt[0], opt[1])
					}
					call = expr.Call[expr.AnyValue]("from_json", text.Str("value"), schema, functions.Map(o...))
				}
				sameRows(t, ctx, sessions, set.Lines, text.Select(call.As("v")))
			}
		})
	}
}

// sameRows compares the rows of both, one for each line.
func sameRows(t *testing.T, ctx context.Context, sessions map[string]backend.Session, lines []string, in expr.Table) {
	t.Helper()
	answers := map[string][]string{}
	for name, s := range sessions {
		rows, err := eachRow(ctx, s, in)
		require.NoError(t, err, name)
		answers[name] = rows
	}
	local, spark := answers["local"], answers["spark"]
	require.Len(t, local, len(spark))
	differ := 0
	for i := range spark {
		if local[i] == spark[i] {
			continue
		}
		if differ++; differ <= 10 {
			line := ""
			if len(lines) == len(spark) {
				line = lines[i]
			}
			t.Errorf("%q\n spark %s\n local %s", line, spark[i], local[i])
		}
	}
	t.Logf("%d of %d rows differ", differ, len(spark))
}

// Lines that are no UTF-8 give the same on both, as they are, through the functions of texts, and as fields of CSV.
func TestSparkDamagedText(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	sessions := both(t)
	dir := env.Dir(t)
	lines := BrokenTexts()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte(strings.Join(lines, "\n")+"\n"), 0o666))
	for name, column := range BrokenTextColumns() {
		t.Run(name, func(t *testing.T) {
			text := readFiles(connectors.FromText(dir))
			sameRows(t, ctx, sessions, lines, text.Select(column(text.Str("value")).As("v")))
		})
	}
	for _, schema := range []string{"a STRING, b STRING", "a BINARY, b INT, _corrupt_record STRING"} {
		t.Run("csv "+schema, func(t *testing.T) {
			sameRows(t, ctx, sessions, lines, readFiles(connectors.FromCSV(dir, connectors.RowsDDL(schema), connectors.CorruptRecord(corruptRecord))))
		})
	}
}
