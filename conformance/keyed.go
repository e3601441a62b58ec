package conformance

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/keyed"
)

// visit is a row that [Visits] reads, and told one that it emits.
type (
	visit struct {
		K, Tag string
		Sec, V int64
	}
	told struct {
		K, What string
		N, Sum  int64
		Tags    string
	}
)

// visitsPython is the processor of [Visits] for Spark.
const visitsPython = `from pyspark.sql import Row
from pyspark.sql.streaming import StatefulProcessor


class Visits(StatefulProcessor):
    def init(self, handle):
        self.handle = handle
        self.seen = handle.getValueState("seen", "last bigint, n bigint")
        self.values = handle.getListState("values", "v bigint")
        self.tags = handle.getMapState("tags", "tag string", "n bigint")

    def handleInputRows(self, key, rows, timerValues):
        for row in sorted(rows, key=lambda r: (r.Sec, r.V)):
            last, n = self.seen.get() if self.seen.exists() else (0, 0)
            last, n = max(last, row.Sec), n + 1
            self.seen.update((last, n))
            self.values.appendValue((row.V,))
            held = self.tags.getValue((row.Tag,))[0] if self.tags.containsKey((row.Tag,)) else 0
            self.tags.updateValue((row.Tag,), (held + 1,))
            self.handle.registerTimer((row.Sec + 60) * 1000)
            yield Row(K=key[0], What="row", N=n, Sum=row.V, Tags=row.Tag)

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        if not self.seen.exists():
            return
        last, n = self.seen.get()
        if expiredTimerInfo.getExpiryTimeInMs() != (last + 60) * 1000:
            return
        total = sum(v[0] for v in self.values.get())
        tags = ",".join(f"{t[0]}:{c[0]}" for t, c in sorted(self.tags.iterator()))
        self.seen.clear()
        self.values.clear()
        self.tags.clear()
        yield Row(K=key[0], What="silent", N=n, Sum=total, Tags=tags)

    def close(self):
        pass
`

// Visits tells each row of a key with its number, and a key that was silent for a minute with all that was kept of it, from a table of K, Tag, at, Sec (at in seconds) and V: the same in Go and in Python.
func Visits(in expr.Table) expr.Table {
	type last struct{ Last, N int64 }
	seen, values, tags := keyed.NewValue[last]("seen"), keyed.NewList[int64]("values"), keyed.NewMap[string, int64]("tags")
	return keyed.Transform(in.Watermark("at", 10*time.Second).GroupBy("K"), keyed.Processor[string, visit, told]{
		Name: "visits", Time: keyed.EventTime, States: keyed.States{seen, values, tags},
		HandleInputRows: func(c *keyed.Context, key string, rows iter.Seq[visit], emit func(told)) error {
			all := slices.SortedFunc(rows, func(a, b visit) int { return slices.Compare([]int64{a.Sec, a.V}, []int64{b.Sec, b.V}) })
			for _, row := range all {
				s, _ := seen.Get(c)
				s.Last, s.N = max(s.Last, row.Sec), s.N+1
				seen.Set(c, s)
				values.Append(c, row.V)
				n, _ := tags.Get(c, row.Tag)
				tags.Set(c, row.Tag, n+1)
				c.SetTimer(time.Unix(row.Sec+60, 0))
				emit(told{key, "row", s.N, row.V, row.Tag})
			}
			return nil
		},
		HandleExpiredTimer: func(c *keyed.Context, key string, at time.Time, emit func(told)) error {
			s, ok := seen.Get(c)
			if !ok || at.Unix() != s.Last+60 {
				return nil
			}
			t := told{key, "silent", s.N, 0, ""}
			for v := range values.All(c) {
				t.Sum += v
			}
			var texts []string
			for tag, n := range tags.All(c) {
				texts = append(texts, fmt.Sprintf("%s:%d", tag, n))
			}
			slices.Sort(texts)
			t.Tags = strings.Join(texts, ",")
			seen.Clear(c)
			values.Clear(c)
			tags.Clear(c)
			emit(t)
			return nil
		},
		Python: keyed.Python{Source: visitsPython, Class: "Visits"},
	})
}
