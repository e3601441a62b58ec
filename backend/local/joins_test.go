package local_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/expr"
)

// joinRow is a row of the random joins: a number, a key and a time, the latter two perhaps null.
type joinRow struct {
	id   int
	k, t *int
}

func joinFeed(t *testing.T, mem memory.Allocator, rows []joinRow, chunk int) *feed {
	f := newFeed(t, "id INT, k INT, t INT")
	f.mem = mem
	for part := range slices.Chunk(rows, chunk) {
		var out [][]any
		for _, r := range part {
			row := []any{r.id, nil, nil}
			if r.k != nil {
				row[1] = *r.k
			}
			if r.t != nil {
				row[2] = *r.t
			}
			out = append(out, row)
		}
		f.add(out...)
	}
	return f
}

func randomJoinRows(r *rand.Rand, n int) []joinRow {
	out := make([]joinRow, n)
	some := func(most int) *int {
		if r.IntN(8) == 0 {
			return nil
		}
		x := r.IntN(most)
		return &x
	}
	for i := range out {
		out[i] = joinRow{id: i, k: some(5), t: some(40)}
	}
	r.Shuffle(n, func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func same(a, b *int) bool { return a != nil && b != nil && *a == *b }

func text(x *int) string {
	if x == nil {
		return "NULL"
	}
	return strconv.Itoa(*x)
}

// asofPartner is the definition, looked for among all right rows.
func asofPartner(l joinRow, right []joinRow, direction string, strict bool, tolerance int, keyed bool) *joinRow {
	var best *joinRow
	distance := func(r joinRow) int { return max(*l.t-*r.t, *r.t-*l.t) }
	for i, r := range right {
		if l.t == nil || r.t == nil || keyed && !same(l.k, r.k) || strict && *l.t == *r.t || tolerance >= 0 && distance(r) > tolerance {
			continue
		}
		if direction == "backward" && *r.t > *l.t || direction == "forward" && *r.t < *l.t {
			continue
		}
		if best == nil {
			best = &right[i]
			continue
		}
		// Nearer; then earlier; then the greatest row: its number comes first, and no two are equal.
		c := cmp.Or(cmp.Compare(distance(r), distance(*best)), cmp.Compare(*r.t, *best.t), cmp.Compare(best.id, r.id))
		if c < 0 {
			best = &right[i]
		}
	}
	return best
}

// As-of and any joins give for random rows, cut into any batches and run by any number of goroutines, what their definitions say, and give all
// memory back.
func TestRandomJoins(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	partners := 0
	for range 30 {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		left, right := randomJoinRows(r, r.IntN(80)), randomJoinRows(r, r.IntN(60))
		fl, fr := joinFeed(t, mem, left, 1+r.IntN(20)), joinFeed(t, mem, right, 1+r.IntN(20))
		l, rt := expr.Read("l", fl), expr.Read("r", fr)
		s := open(t, local.Parallelism(1+r.IntN(3)), local.BatchRows(1+r.IntN(30)))
		for _, direction := range []string{"backward", "forward", "nearest"} {
			strict, keyed, tolerance := r.IntN(2) == 0, r.IntN(3) > 0, r.IntN(12)-4
			more := []any{map[string]expr.JoinOption{"backward": expr.AsofBackward(), "forward": expr.AsofForward(), "nearest": expr.AsofNearest()}[direction]}
			if strict {
				more = append(more, expr.AsofStrict())
			}
			if tolerance >= 0 {
				more = append(more, expr.AsofTolerance(tolerance))
			}
			if keyed {
				more = append(more, "k")
			}
			var want []string
			for _, row := range left {
				p := asofPartner(row, right, direction, strict, tolerance, keyed)
				if p == nil {
					want = append(want, fmt.Sprintf("%d|NULL|NULL", row.id))
					continue
				}
				partners++
				want = append(want, fmt.Sprintf("%d|%d|%s", row.id, p.id, text(p.t)))
			}
			j := l.AsofJoin(rt, "t", more...)
			got := collect(t, s, j.Select("id", "id_right", "t_right"))
			require.Equal(t, sorted(want), sorted(got), "%s strict %v keyed %v within %d", direction, strict, keyed, tolerance)
		}
		var want []string
		for _, row := range left {
			least := -1
			for _, x := range right {
				if same(row.k, x.k) && x.id%3 != 0 && (least < 0 || x.id < least) {
					least = x.id
				}
			}
			if least >= 0 {
				want = append(want, fmt.Sprintf("%d|%d", row.id, least))
			}
		}
		got := collect(t, s, l.AnyJoin(rt, "k", rt.Num("id").Mod(3).NotEq(0)).Select("id", "id_right"))
		require.Equal(t, sorted(want), sorted(got))
		mem.AssertSize(t, 0)
	}
	require.Greater(t, partners, 500)
}

// A join that is left early, or whose context ends, gives everything back.
func TestJoinsLeftEarly(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	rows := randomJoinRows(rand.New(rand.NewPCG(3, 3)), 200)
	l, r := expr.Read("l", joinFeed(t, mem, rows, 10)), expr.Read("r", joinFeed(t, mem, rows, 10))
	s := open(t, local.Parallelism(2), local.BatchRows(8))
	for name, table := range map[string]expr.Table{
		"as-of":    l.AsofJoin(r, "t", "k", expr.AsofNearest()),
		"any":      l.AnyLeftJoin(r, "k"),
		"outer":    l.OuterJoin(r, "k"),
		"cross":    l.CrossJoin(r),
		"anti":     l.AntiJoin(r, l.Num("k").EqNullSafe(r.Num("t"))),
		"of joins": l.SemiJoin(r, "k").AsofJoin(r.RightJoin(l.View(), "k").Select(r.Num("id"), r.Num("k"), r.Num("t")), "t", "k"),
	} {
		res, err := s.Batches(ctx, table)
		require.NoError(t, err, name)
		for _, err := range res.Batches {
			require.NoError(t, err, name)
			break
		}
		mem.AssertSize(t, 0)
		stopped, cancel := context.WithCancel(ctx)
		res, err = s.Batches(stopped, table)
		require.NoError(t, err, name)
		for _, err := range res.Batches {
			cancel()
			if err != nil {
				require.ErrorIs(t, err, context.Canceled, name)
			}
		}
		cancel()
		mem.AssertSize(t, 0)
	}
}
