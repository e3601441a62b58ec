package local_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/window"
)

// randomOver is a column of a window expression that looks back, with its text.
func randomOver(r *rand.Rand, w expr.Table, name string) (expr.Value, string) {
	spec, text := window.Over(), ""
	switch r.IntN(4) {
	case 0:
	case 1:
		spec, text = spec.GroupBy(w.Num("provinceId").Mod(2)), " by provinceId % 2"
	default:
		spec, text = spec.GroupBy("provinceId"), " by provinceId"
	}
	further := r.IntN(3) == 0
	if further {
		spec, text = spec.OrderBy("createTime", expr.Desc("payAmount")), text+" then payAmount"
	} else {
		spec = spec.OrderBy("createTime")
	}
	plain := spec
	rows := func() int { return r.IntN(6) }
	span := func() time.Duration { return time.Duration(r.IntN(20000)) * time.Millisecond }
	switch k := r.IntN(8); {
	case k == 0:
		text += ", default"
	case k == 1:
		spec, text = spec.Rows(window.Unbounded(), window.CurrentRow()), text+", rows so far"
	case k == 2 || further && k > 4:
		n := rows()
		spec, text = spec.Rows(window.Preceding(n), window.CurrentRow()), fmt.Sprintf("%s, %d rows", text, n)
	case k == 3:
		n, m := rows(), rows()
		n, m = max(n, m), min(n, m)
		spec, text = spec.Rows(window.Preceding(n), window.Preceding(m)), fmt.Sprintf("%s, rows %d to %d before", text, n, m)
	case k == 4:
		spec, text = spec.Range(window.CurrentRow(), window.CurrentRow()), text+", peers"
	case k == 5:
		a, b := span(), span()
		spec, text = spec.Range(window.Preceding(max(a, b)), window.Preceding(min(a, b))), fmt.Sprintf("%s, %v to %v before", text, max(a, b), min(a, b))
	default:
		d := span()
		spec, text = spec.Range(window.Preceding(d), window.CurrentRow()), fmt.Sprintf("%s, %v", text, d)
	}
	amount := w.Num("payAmount")
	n := 1 + r.IntN(3)
	switch k := r.IntN(16); k {
	case 0:
		return amount.Sum().Over(spec).As(name), "sum" + text
	case 1:
		return expr.Count().Over(spec).As(name), "count" + text
	case 2:
		return amount.Count().Over(spec).As(name), "count of values" + text
	case 3:
		return amount.Min().Over(spec).As(name), "min" + text
	case 4:
		return amount.Max().Over(spec).As(name), "max" + text
	case 5:
		return amount.Mean().Over(spec).As(name), "mean" + text
	case 6:
		return amount.First().Over(spec).As(name), "first" + text
	case 7:
		return expr.IgnoreNulls(amount.Last()).Over(spec).As(name), "last value" + text
	case 8:
		return amount.Collect().Over(spec).As(name), "list" + text
	case 9:
		return expr.Where(amount.Sum(), amount.Gt(2)).Over(spec).As(name), "sum of great ones" + text
	case 10:
		return amount.Nth(n).Over(spec).As(name), fmt.Sprintf("nth %d%s", n, text)
	case 11:
		return expr.IgnoreNulls(amount.Nth(n)).Over(spec).As(name), fmt.Sprintf("nth value %d%s", n, text)
	case 12:
		return amount.Lag(n, -1.0).Over(plain).As(name), fmt.Sprintf("lag %d%s", n, text)
	case 13:
		return expr.IgnoreNulls(amount.Lag(n)).Over(plain).As(name), fmt.Sprintf("lag of values %d%s", n, text)
	case 14:
		return functions.RowNumber().Over(plain).As(name), "number" + text
	}
	return functions.DenseRank().Over(plain).As(name), "rank" + text
}

// Random window expressions that look back give over a stream, cut anywhere and restarted somewhere, what they give in a batch.
func TestRandomOversOfAStream(t *testing.T) {
	t.Parallel()
	values, nulls := 0, 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 99))
		rows := randomChunks(r, 90)
		for _, row := range rows {
			row[0] = row[0].(time.Time).Truncate(time.Duration(1+r.IntN(2)) * time.Second) // peers
			if r.IntN(9) == 0 {
				row[1] = nil
			}
		}
		var texts []string
		pick := r.Uint64()
		table := func(p expr.Table) expr.Table {
			r := rand.New(rand.NewPCG(pick, 1))
			w := p.Watermark("createTime", 10*time.Second)
			columns := []any{"createTime", "provinceId"}
			texts = nil
			for i := range 3 {
				v, text := randomOver(r, w, fmt.Sprint("c", i))
				columns, texts = append(columns, v), append(texts, text)
			}
			return w.Select(columns...)
		}
		f, p := payments(t)
		f.add(rows...)
		want := []string{}
		for _, row := range collect(t, open(t, local.BatchRows(16)), table(p)) {
			if byTime(row, finalWatermark(rows)) {
				want = append(want, row)
				for _, cell := range []byte(row) {
					if cell == '|' {
						values++
					}
				}
			}
		}
		for _, row := range want {
			for i := range len(row) - 3 {
				if row[i:i+4] == "NULL" {
					nulls++
				}
			}
		}
		g, q := payments(t)
		chunks := cut(r, rows, 1+r.IntN(8))
		stop := r.IntN(len(chunks) + 1)
		g.perRun = 1
		sink, fs := newCollector(), vfs.NewMem()
		for i, c := range chunks {
			g.add(c...)
			if i == stop {
				require.NoError(t, runTo(t, fs, table(q).WriteTo(sink), storeOf(int(seed))))
			}
		}
		require.NoError(t, runTo(t, fs, table(q).WriteTo(sink), storeOf(int(seed/2)), local.BatchRows(7), local.Parallelism(2)))
		require.Equal(t, sorted(want), sink.rows(), "seed %d: %v", seed, texts)
	}
	require.Greater(t, values, 5000)
	require.Less(t, nulls, values/2)
}
