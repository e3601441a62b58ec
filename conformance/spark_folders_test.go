//go:build conformance

package conformance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Folders of a column whose name begins with an underscore are read by both; those of the names that are refused are no rows to Spark when they are written all the same.
func TestSparkFoldersOfNames(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	into := func(dir, column string) expr.Write {
		fields := []datatype.Field{{Name: "a", Type: datatype.Int}, {Name: column, Type: datatype.Int}}
		return expr.MemtableRows("m", fields, [][]any{{1, 5}}).WriteTo(connectors.ToJSON(dir).PartitionBy(column))
	}
	for name, s := range both(t) {
		dir := filepath.Join(env.Dir(t), "out")
		require.NoError(t, s.Write(ctx, into(dir, "_x")))
		found, err := backend.ReadInferred(ctx, s, "found", connectors.FromJSON(dir, connectors.Inferred()))
		require.NoError(t, err, name)
		rows, err := backend.Collect[map[string]any](ctx, s, found)
		require.NoError(t, err, name)
		require.Equal(t, []map[string]any{{"a": int64(1), "_x": int32(5)}}, rows, name)
	}
	s := connect(t)
	for _, column := range []string{".x", "..", ""} {
		dir := filepath.Join(env.Dir(t), "out")
		w := into(dir, column)
		require.Equal(t, condition.InvalidValue, condition.Of(s.Write(ctx, w)), column)
		bare, err := w.Tree()
		require.NoError(t, err)
		p, err := compiler.Unchecked(bare, compiler.Batch, s.Target())
		require.NoError(t, err)
		require.NoError(t, s.RunWrite(ctx, p))
		rows, err := backend.Collect[map[string]any](ctx, s, readFiles(connectors.FromJSON(dir, connectors.RowsDDL("a INT"))))
		require.Empty(t, rows, column)
		if column == "" {
			require.Equal(t, "EMPTY_PARTITION_COLUMN_NAME", condition.Of(err))
		} else {
			require.NoError(t, err, column)
		}
	}
}

// Text files without a line have no columns, on both.
func TestSparkInfersNothing(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for name, s := range both(t) {
		for _, text := range []string{"", "\n"} {
			dir := env.Dir(t)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "a.csv"), []byte(text), 0o666))
			for _, files := range []connectors.Files{
				connectors.FromCSV(dir, connectors.Inferred(), connectors.InferSchema(), connectors.Header()), connectors.FromCSV(dir, connectors.Inferred()), connectors.FromJSON(dir, connectors.Inferred()),
			} {
				fields, err := s.Schema(ctx, files)
				require.NoError(t, err, "%s %q", name, text)
				require.Empty(t, fields, "%s %q", name, text)
				_, err = backend.ReadInferred(ctx, s, "none", files)
				require.Equal(t, condition.UnableToInferSchema, condition.Of(err))
			}
		}
	}
}

// A stream of files goes on while its folder is gone, and takes what is in it when it is back.
func TestSparkFolderThatVanishes(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for name, s := range both(t) {
		in, out := filepath.Join(env.Dir(t), "in"), filepath.Join(env.Dir(t), "out")
		put := func(file, line string) {
			require.NoError(t, os.MkdirAll(in, 0o777))
			require.NoError(t, os.WriteFile(filepath.Join(in, file), []byte(line), 0o666))
		}
		put("a.json", "{\"a\":1}\n")
		q, err := s.Start(ctx, readFiles(connectors.FromJSON(in, connectors.RowsDDL("a INT"))).WriteTo(connectors.ToJSON(out)).Checkpoint(filepath.Join(env.Dir(t), "checkpoint")))
		require.NoError(t, err)
		require.NoError(t, q.ProcessAllAvailable(ctx))
		require.NoError(t, os.RemoveAll(in))
		time.Sleep(time.Second) // some looks at the folder
		active, err := q.IsActive(ctx)
		require.NoError(t, err)
		require.True(t, active, name)
		put("b.json", "{\"a\":2}\n")
		require.NoError(t, q.ProcessAllAvailable(ctx), name)
		require.NoError(t, q.Stop(ctx))
		rows, err := backend.Collect[int32](ctx, s, readFiles(connectors.FromJSON(out, connectors.RowsDDL("a INT"))))
		require.NoError(t, err)
		require.ElementsMatch(t, []int32{1, 2}, rows, name)
	}
}

// Folders that name different partition columns, or no value of one, are refused by both; those that agree are read.
func TestSparkFoldersThatContradict(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for title, c := range map[string]struct {
		files []string
		says  string
	}{
		"two columns":     {[]string{"k=1/a.json", "j=1/a.json"}, condition.ConflictingPartitionNames},
		"two orders":      {[]string{"k=1/j=2/a.json", "j=1/k=2/a.json"}, condition.ConflictingPartitionNames},
		"two depths":      {[]string{"k=1/a.json", "k=1/j=2/a.json"}, condition.ConflictingPartitionNames},
		"one more":        {[]string{"k=1/a.json", "k=2/j=2/a.json"}, condition.ConflictingPartitionNames},
		"no value":        {[]string{"k=/a.json"}, condition.EmptyPartitionValue},
		"letter case":     {[]string{"k=1/a.json", "K=2/a.json"}, ""},
		"one column":      {[]string{"k=1/a.json", "k=2/a.json"}, ""},
		"files beside":    {[]string{"a.json", "k=2/a.json"}, ""},
		"a folder beside": {[]string{"k=1/x/a.json", "k=2/a.json"}, ""},
	} {
		dir := env.Dir(t)
		for _, f := range c.files {
			path := filepath.Join(dir, f)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
			require.NoError(t, os.WriteFile(path, []byte("{\"n\":1}\n"), 0o666))
		}
		for name, s := range both(t) {
			for _, ddl := range []string{"n INT", "n INT, k INT"} {
				rows, err := backend.Collect[map[string]any](ctx, s, readFiles(connectors.FromJSON(dir, connectors.RowsDDL(ddl))))
				require.Equal(t, c.says, condition.Of(err), "%s of %s on %s: %v %v", ddl, title, name, rows, err)
			}
		}
	}
}

// Quotes within quoted fields, at their ends and beside each other, are read alike by both, whether a backslash escapes or the quote itself.
func TestSparkQuotes(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	dir := env.Dir(t)
	parts := []string{`""`, `"`, "a", ",", " "}
	var lines []string
	for n := range 1 << 12 { // some of the texts of up to six parts between quotes
		var text string
		for k := n; k > 0; k /= len(parts) {
			text += parts[k%len(parts)]
		}
		lines = append(lines, `"`+text+`",2`)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.csv"), []byte(strings.Join(lines, "\n")+"\n"), 0o666))
	for _, opts := range [][]connectors.Option{nil, {connectors.Escape(`"`)}} {
		answers := map[string][]map[string]any{}
		for name, s := range both(t) {
			rows, err := backend.Collect[map[string]any](ctx, s, readFiles(connectors.FromCSV(dir, connectors.RowsDDL("a STRING, b STRING, c STRING"), opts...)))
			require.NoError(t, err, name)
			require.Len(t, rows, len(lines))
			answers[name] = rows
		}
		differ := 0
		for i, line := range lines {
			var all []map[string]any
			for _, rows := range answers {
				all = append(all, rows[i])
			}
			if !reflect.DeepEqual(all[0], all[1]) {
				if differ++; differ <= 20 {
					t.Errorf("%v: %s: %v", opts, line, answersOf(answers, i))
				}
			}
		}
		t.Logf("%v: %d of %d lines differ", opts, differ, len(lines))
	}
}

func answersOf(answers map[string][]map[string]any, i int) string {
	out := ""
	for name, rows := range answers {
		out += fmt.Sprintf("%s %q ", name, fmt.Sprint(rows[i]))
	}
	return out
}
