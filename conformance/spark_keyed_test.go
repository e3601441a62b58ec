//go:build conformance

package conformance

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/keyed"
)

// visits writes files of visits, an epoch each, and gives the table of all that are in the folder.
func visits(t *testing.T, folder string) (write func(n int, lines ...string), in func() expr.Table) {
	t.Helper()
	early := time.Now().Add(-time.Hour)
	write = func(n int, lines ...string) {
		path := filepath.Join(folder, fmt.Sprintf("%d.json", n))
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
		require.NoError(t, os.Chtimes(path, early.Add(time.Duration(n)*time.Second), early.Add(time.Duration(n)*time.Second)))
	}
	return write, func() expr.Table {
		e := expr.Read("visits", connectors.FromJSON(folder, connectors.RowsDDL("K STRING, Tag STRING, at TIMESTAMP, Sec BIGINT, V BIGINT"), connectors.MaxFilesPerTrigger(1)))
		return Visits(e)
	}
}

func visitLine(k, tag string, sec, v int64) string {
	return fmt.Sprintf(`{"K":%q,"Tag":%q,"at":%q,"Sec":%d,"V":%d}`, k, tag, time.Unix(sec, 0).UTC().Format(time.RFC3339), sec, v)
}

// A processor of Go offline and the same of Python on Spark emit the same rows, with values, lists, maps and timers, over a restart; and what fails is told by its place.
func TestSparkKeyedPython(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	sessions := both(t)
	dir := env.Dir(t)
	in := filepath.Join(dir, "in")
	require.NoError(t, os.Mkdir(in, 0o755))
	write, table := visits(t, in)
	const day = 1_700_000_000
	write(1, visitLine("a", "x", day, 1), visitLine("b", "y", day+5, 2), visitLine("a", "é😀", day+3, 10))
	write(2, visitLine("a", "x", day+50, 100), visitLine("c", "", day+55, -1), visitLine("b", "y", day-100, 7))
	write(3, visitLine("d", "x", day+200, 5))
	got := map[string]map[string]int{}
	run := func(name string, s backend.Session) {
		rows := map[string]int{}
		seen := got[name]
		if seen == nil {
			seen = map[string]int{}
			got[name] = seen
		}
		out := filepath.Join(dir, "out-"+name)
		q, err := s.Start(ctx, table().WriteTo(connectors.ToJSON(out)).Checkpoint(filepath.Join(dir, "ck-"+name)).Trigger(expr.AvailableNow()))
		require.NoError(t, err)
		require.NoError(t, q.AwaitTermination(ctx), name)
		all, err := backend.Collect[told](ctx, s, expr.Read("out", connectors.FromJSON(out, connectors.RowsDDL("K STRING, What STRING, N BIGINT, Sum BIGINT, Tags STRING"))))
		require.NoError(t, err)
		for _, r := range all {
			rows[fmt.Sprint(r)]++
		}
		got[name] = rows
	}
	for name, s := range sessions {
		run(name, s)
	}
	require.Equal(t, got["local"], got["spark"])
	require.Contains(t, got["spark"], fmt.Sprint(told{"a", "silent", 3, 111, "x:2,é😀:1"}))
	before := len(got["spark"])
	// From the checkpoint: what is known of a key stays, and a timer of the first run fires in the second.
	write(4, visitLine("d", "z", day+230, 6), visitLine("e", "x", day+500, 1))
	for name, s := range sessions {
		run(name, s)
	}
	require.Equal(t, got["local"], got["spark"])
	require.Greater(t, len(got["spark"]), before)
	require.Contains(t, got["spark"], fmt.Sprint(told{"d", "silent", 2, 11, "x:1,z:1"}))

	// An error of the Python code ends the query, with its trace and the line of the class.
	type n struct{ N int64 }
	broken := keyed.Transform(expr.Read("visits", connectors.FromJSON(in, connectors.RowsDDL("K STRING"))).GroupBy("K"), keyed.Processor[string, struct{ K string }, n]{
		Python: keyed.Python{Class: "Broken", Source: "from pyspark.sql.streaming import StatefulProcessor\nclass Broken(StatefulProcessor):\n    def init(self, handle):\n        pass\n    def handleInputRows(self, key, rows, timerValues):\n        raise ValueError('no luck with ' + key[0])\n    def close(self):\n        pass\n"},
	})
	q, err := sessions["spark"].Start(ctx, broken.WriteTo(connectors.Noop()).Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	err = q.AwaitTermination(ctx)
	require.Equal(t, condition.StreamFailed, condition.Of(err), "%v", err)
	require.ErrorContains(t, err, "no luck with ")
	require.ErrorContains(t, err, `line 6`)
	q, err = sessions["local"].Start(ctx, broken.WriteTo(connectors.Noop()).Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	err = q.AwaitTermination(ctx)
	require.ErrorContains(t, err, "Python's alone")

	p, err := compiler.CompileWrite(table().WriteTo(connectors.Noop()).Checkpoint("c"), compiler.Stream)
	require.NoError(t, err)
	require.Contains(t, p.String(), "transformWithState(")
}

// As a batch every row comes once, and a state to begin with comes before them.
func TestSparkKeyedPythonBatch(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	sessions := both(t)
	type row struct {
		K string
		V int64
	}
	type sum struct {
		K      string
		N, Sum int64
	}
	total := keyed.NewValue[int64]("total")
	first := expr.Memtable("first", []row{{"a", 100}, {"z", 7}})
	sums := keyed.Transform(expr.Memtable("rows", []row{{"a", 1}, {"b", 2}, {"a", 3}}).GroupBy("K"), keyed.Processor[string, row, sum]{
		States: keyed.States{total},
		HandleInputRows: func(c *keyed.Context, key string, rows iter.Seq[row], emit func(sum)) error {
			s := sum{K: key}
			s.Sum, _ = total.Get(c)
			for r := range rows {
				s.N, s.Sum = s.N+1, s.Sum+r.V
			}
			total.Set(c, s.Sum)
			emit(s)
			return nil
		},
		InitialState: keyed.Initial(first.GroupBy("K"), func(c *keyed.Context, _ string, r row) error { total.Set(c, r.V); return nil }),
		Python: keyed.Python{Class: "Sums", Source: `
from pyspark.sql import Row
from pyspark.sql.streaming import StatefulProcessor

class Sums(StatefulProcessor):
    def init(self, handle):
        self.total = handle.getValueState("total", "total bigint")
    def handleInitialState(self, key, initialState, timerValues):
        self.total.update((initialState.V,))
    def handleInputRows(self, key, rows, timerValues):
        total, n = (self.total.get()[0] if self.total.exists() else 0), 0
        for row in rows:
            total, n = total + row.V, n + 1
        self.total.update((total,))
        yield Row(K=key[0], N=n, Sum=total)
    def close(self):
        pass
`},
	})
	for name, s := range sessions {
		rows, err := backend.Collect[sum](ctx, s, sums)
		require.NoError(t, err, name)
		require.ElementsMatch(t, []sum{{"a", 2, 104}, {"b", 1, 2}}, rows, name)
		// What it emits is a table like any other.
		above, err := backend.Collect[int64](ctx, s, sums.Filter(sums.Num("N").Gt(1)).Agg(sums.Num("Sum").Sum().As("s")))
		require.NoError(t, err, name)
		require.Equal(t, []int64{104}, above, name)
	}
}
