//go:build conformance

package conformance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// hostile are names and texts that break careless quoting.
var hostile = []string{
	"`", "``", "a`b", "'", "\"", `\`, `\\`, `\'`, "\n", "a\nb", "\r\n", "\t", "\x00", "\x1a", "\x7f", "${x}", "${env:HOME}", "$", "${", "{x}", "-- comment", "/* comment */", "/*", "; DROP TABLE t", "a b", " ", "a.b", "a,b", "(", ")",
	"select", "from", "NULL", "true", "window", "end", "ß", "中文", "😀", "e\u0301", "\u202e", "\ufeff", "\u2028", "%s", "%", "_", "*", "?", ":p", "0", "1a", "-1", "x'", `u\0041`, `\u0041`, "'; --", "`; --", strings.Repeat("long ", 2000),
}

// Any text survives the way through Spark as a literal, a column name, an alias and the name of a view.
func TestSparkHostile(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	s := connect(t)

	t.Run("literals", func(t *testing.T) {
		rows := make([][]any, len(hostile))
		for i, h := range hostile {
			rows[i] = []any{i, h}
		}
		in := expr.MemtableRows("texts", mustFields("id INT, text STRING"), rows)
		type row struct {
			ID   int32  `spoonbill:"id"`
			Text string `spoonbill:"text"`
			Same bool   `spoonbill:"same"`
		}
		got, err := backend.Collect[row](ctx, s, in.Mutate(in.Str("text").Eq(in.Str("text")).As("same")).OrderBy("id"))
		require.NoError(t, err)
		require.Len(t, got, len(hostile))
		for i, r := range got {
			require.Equal(t, hostile[i], r.Text)
			found, err := backend.Count(ctx, s, in.Filter(in.Str("text").Eq(hostile[i])))
			require.NoError(t, err, "%q", hostile[i])
			require.EqualValues(t, 1, found, "%q", hostile[i])
		}
	})
	t.Run("names", func(t *testing.T) {
		fields := make([]datatype.Field, 0, len(hostile))
		values := make([]any, 0, len(hostile))
		seen := map[string]bool{}
		for i, h := range hostile {
			if k := datatype.FoldName(h); !seen[k] {
				seen[k] = true
				fields = append(fields, datatype.Field{Name: h, Type: datatype.Int, Nullable: true})
				values = append(values, i)
			}
		}
		in := expr.MemtableRows("t", fields, [][]any{values})
		var sums []expr.Value
		for _, f := range fields {
			sums = append(sums, in.Num(f.Name).Sum().As(f.Name))
		}
		for name, table := range map[string]expr.Table{"columns": in, "filtered": in.Filter(in.Num(fields[0].Name).Ge(0)).OrderBy(fields[1].Name), "aliases": in.Agg(sums...), "joined": in.Join(in.Select(fields[2].Name).View(), fields[2].Name)} {
			r, err := s.Batches(ctx, table)
			require.NoError(t, err, name)
			require.Len(t, r.Fields, len(fields), name)
			for i, f := range r.Fields {
				require.Equal(t, fields[i].Name, f.Name, name)
			}
			n := 0
			for b, err := range r.Batches {
				require.NoError(t, err, name)
				n += int(b.NumRows())
			}
			require.Equal(t, 1, n, name)
		}
	})
	t.Run("views", func(t *testing.T) {
		folder := env.Dir(t)
		path := filepath.Join(folder, "rows.json")
		require.NoError(t, os.WriteFile(path, []byte("{\"a\":1}\n{\"a\":2}\n"), 0o644))
		for _, h := range hostile {
			in := expr.Read(h, connectors.FromJSON(path, connectors.RowsDDL("a INT")))
			n, err := backend.Count(ctx, s, in.Join(in.View(), "a"))
			require.NoError(t, err, "%q", h)
			require.EqualValues(t, 2, n, "%q", h)
		}
	})
	t.Run("fields of structs and partitions", func(t *testing.T) {
		folder := env.Dir(t)
		var rows [][]any
		for i, h := range hostile {
			if h == "" || strings.ContainsAny(h, "\x00") || len(h) > 200 {
				continue // no file system has such names
			}
			rows = append(rows, []any{i, h})
		}
		in := expr.MemtableRows("t", mustFields("i INT, p STRING"), rows)
		require.NoError(t, s.Write(ctx, in.WriteTo(connectors.ToParquet(filepath.Join(folder, "out")).PartitionBy("p"))))
		back := expr.Read("back", connectors.FromParquet(filepath.Join(folder, "out"), connectors.RowsDDL("i INT, p STRING")))
		type row struct {
			I int32   `spoonbill:"i"`
			P *string `spoonbill:"p"`
		}
		got, err := backend.Collect[row](ctx, s, back.OrderBy("i"))
		require.NoError(t, err)
		require.Len(t, got, len(rows))
		for k, r := range got {
			require.NotNil(t, r.P, "%q", rows[k][1])
			require.Equal(t, rows[k][1], *r.P, fmt.Sprint(r.I))
		}
	})
}
