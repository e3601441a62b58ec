package local_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/pattern"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/window"
)

// dips are runs of falling amounts and rising ones behind them.
func dips(p expr.Table) expr.Table {
	first, down, up := pattern.Var("first"), pattern.Var("down"), pattern.Var("up")
	amount, at := p.Num("payAmount"), p.Timestamp("createTime")
	return pattern.In(p).PartitionBy("provinceId").OrderBy("createTime").
		Pattern(first, down.OneOrMore(), up.OneOrMore()).
		Define(down, amount.Lt(pattern.Prev(amount))).
		Define(up, amount.Gt(pattern.Prev(amount))).
		Within(5*time.Second).
		SkipToLast(up).
		Measures(pattern.First(first, at).As("since"), at.As("until"), pattern.Last(down, amount).As("bottom"), pattern.Count(up).As("ups"), amount.Sum().As("total"))
}

func init() {
	// When the input ends, a match that could go on is not decided, so a stream gives some of what its end would: the reference below tells what is right.
	openEnded = append(openEnded, shape{"pattern", expr.Append, func(p expr.Table) expr.Table { return dips(p.Watermark("createTime", 10*time.Second)) }, nil})
	rarely["pattern"] = 1
}

// tick is a row of the reference: what a letter stands for.
type tick struct {
	at    time.Time
	x     int64
	index int
}

// matchSpec is a random pattern with its conditions, for the engine and for the reference.
type matchSpec struct {
	p      *tree.Pattern
	within time.Duration
	skip   tree.SkipMode
	skipTo string
	// tests are the conditions of the reference: rows of the match up to the asked one, with their variables.
	tests map[string]func(rows []tick, vars []string) bool
	exprs map[string]expr.BooleanValue
}

// matches is the reference: it tries every way of the pattern over the whole partition, in the order of its choices, by recursion.
func (s matchSpec) matches(rows []tick) (out []string) {
	at := 0
	for at < len(rows) {
		end := len(rows)
		for i := at; i < len(rows); i++ {
			if rows[i].at.Sub(rows[at].at) > s.within {
				end = i
				break
			}
		}
		vars, ok := s.try(s.p, rows[at:end], nil, func(v []string) ([]string, bool) { return v, true })
		if !ok || len(vars) == 0 {
			at++
			continue
		}
		n := len(vars)
		seen, sum := map[string]int{}, int64(0)
		for i, v := range vars {
			seen[v]++
			sum += rows[at+i].x
		}
		last := rows[at+n-1]
		out = append(out, fmt.Sprintf("%s|%s|%d|%d|%s|%d|%d", secondText(rows[at].at), secondText(last.at), n, seen["a"], vars[n-1], sum, last.index))
		next := 1
		switch s.skip {
		case tree.SkipPastLastRow:
			next = n
		case tree.SkipToFirst:
			next = max(slices.Index(vars, s.skipTo), 1)
		case tree.SkipToLast:
			for i, v := range vars {
				if v == s.skipTo && i > 0 {
					next = i
				}
			}
		}
		at += next
	}
	return out
}

func secondText(t time.Time) string { return t.Format("2006-01-02 15:04:05") }

// try matches a part behind the rows that have variables, and goes on.
func (s matchSpec) try(p *tree.Pattern, rows []tick, vars []string, next func([]string) ([]string, bool)) ([]string, bool) {
	switch p.Kind {
	case tree.PatternVariable:
		n := len(vars)
		if n == len(rows) {
			return nil, false
		}
		with := append(slices.Clone(vars), p.Variable)
		if test := s.tests[p.Variable]; test != nil && !test(rows[:n+1], with) {
			return nil, false
		}
		return next(with)
	case tree.PatternSequence:
		if len(p.Parts) == 0 {
			return next(vars)
		}
		rest := &tree.Pattern{Kind: tree.PatternSequence, Parts: p.Parts[1:]}
		return s.try(p.Parts[0], rows, vars, func(v []string) ([]string, bool) { return s.try(rest, rows, v, next) })
	case tree.PatternChoice:
		for _, x := range p.Parts {
			if v, ok := s.try(x, rows, vars, next); ok {
				return v, ok
			}
		}
		return nil, false
	}
	if p.Min > 0 {
		rest := *p
		if rest.Min--; rest.Max > 0 {
			rest.Max--
		}
		return s.try(p.Parts[0], rows, vars, func(v []string) ([]string, bool) { return s.try(&rest, rows, v, next) })
	}
	more := func() ([]string, bool) {
		if p.Max == 0 {
			return nil, false
		}
		rest := *p
		if rest.Max > 0 {
			rest.Max--
		}
		return s.try(p.Parts[0], rows, vars, func(v []string) ([]string, bool) {
			if len(v) == len(vars) {
				return nil, false
			}
			return s.try(&rest, rows, v, next)
		})
	}
	ways := []func() ([]string, bool){more, func() ([]string, bool) { return next(vars) }}
	if p.Reluctant {
		slices.Reverse(ways)
	}
	for _, w := range ways {
		if v, ok := w(); ok {
			return v, ok
		}
	}
	return nil, false
}

// randomPattern makes a term and what the reference has for it.
func randomPattern(r *rand.Rand, depth int) pattern.Term {
	v := pattern.Var(string("abc"[r.IntN(3)]))
	if depth == 0 {
		return v
	}
	group := func() pattern.Group {
		var terms []pattern.Term
		for range 1 + r.IntN(3) {
			terms = append(terms, randomPattern(r, depth-1))
		}
		if r.IntN(3) == 0 {
			return pattern.Or(terms...)
		}
		return pattern.Seq(terms...)
	}
	quantified := func(g interface {
		Optional() pattern.Repeated
		ZeroOrMore() pattern.Repeated
		OneOrMore() pattern.Repeated
		Times(int) pattern.Repeated
		Between(int, int) pattern.Repeated
		AtLeast(int) pattern.Repeated
	}) pattern.Term {
		var q pattern.Repeated
		switch r.IntN(6) {
		case 0:
			q = g.Optional()
		case 1:
			q = g.ZeroOrMore()
		case 2:
			q = g.OneOrMore()
		case 3:
			q = g.Times(1 + r.IntN(2))
		case 4:
			q = g.Between(r.IntN(2), 1+r.IntN(3))
		default:
			q = g.AtLeast(r.IntN(3))
		}
		if r.IntN(3) == 0 {
			q = q.Reluctant()
		}
		return q
	}
	switch r.IntN(4) {
	case 0:
		return v
	case 1:
		return quantified(v)
	case 2:
		return group()
	}
	return quantified(group())
}

// randomSpec makes a pattern with conditions over a table of columns x and at.
func randomSpec(r *rand.Rand, t expr.Table) (matchSpec, func(pattern.Builder) pattern.Builder) {
	x := t.Num("x")
	s := matchSpec{tests: map[string]func([]tick, []string) bool{}, exprs: map[string]expr.BooleanValue{}, within: time.Duration(2+r.IntN(12)) * time.Second}
	if r.IntN(4) == 0 {
		s.within = time.Minute // the whole partition
	}
	sum := func(rows []tick, vars []string, of string) (n int64, count int) {
		for i, v := range vars {
			if v == of {
				n += rows[i].x
				count++
			}
		}
		return n, count
	}
	last := func(rows []tick) tick { return rows[len(rows)-1] }
	for _, v := range []string{"a", "b", "c"} {
		k := int64(r.IntN(5))
		name := string("abc"[r.IntN(3)])
		other := pattern.Var(name)
		back := 1 + r.IntN(2)
		switch r.IntN(8) {
		case 0: // every row
		case 1, 2:
			s.exprs[v], s.tests[v] = x.Ge(k), func(rows []tick, _ []string) bool { return last(rows).x >= k }
		case 3:
			s.exprs[v], s.tests[v] = x.Lt(k), func(rows []tick, _ []string) bool { return last(rows).x < k }
		case 4:
			s.exprs[v] = x.Ge(pattern.Prev(x, back))
			s.tests[v] = func(rows []tick, _ []string) bool {
				n := len(rows)
				return n > back && rows[n-1].x >= rows[n-1-back].x
			}
		case 5:
			s.exprs[v] = pattern.Of(other, x.Sum()).Le(k + 4)
			s.tests[v] = func(rows []tick, vars []string) bool {
				n, count := sum(rows, vars, name)
				return count > 0 && n <= k+4
			}
		case 6:
			s.exprs[v] = pattern.Count(other).Lt(3)
			s.tests[v] = func(rows []tick, vars []string) bool { _, count := sum(rows, vars, name); return count < 3 }
		default:
			s.exprs[v] = x.NotEq(pattern.First(other, x))
			s.tests[v] = func(rows []tick, vars []string) bool {
				i := slices.Index(vars, name)
				return i >= 0 && last(rows).x != rows[i].x
			}
		}
	}
	// Each of the three variables is in the pattern, so that every condition may speak of each.
	term := pattern.Seq(randomPattern(r, 2), pattern.Or(pattern.Var("a"), pattern.Var("b"), pattern.Var("c")))
	if r.IntN(3) == 0 {
		term = pattern.Seq(pattern.Or(pattern.Var("c"), pattern.Var("b"), pattern.Var("a")), randomPattern(r, 2))
	}
	s.skip = tree.SkipMode(r.IntN(4))
	s.skipTo = string("abc"[r.IntN(3)])
	build := func(b pattern.Builder) pattern.Builder {
		b = b.PartitionBy("k").OrderBy("at").Pattern(term).Within(s.within)
		for _, v := range []string{"a", "b", "c"} {
			if e, ok := s.exprs[v]; ok {
				b = b.Define(pattern.Var(v), e)
			}
		}
		switch s.skip {
		case tree.SkipToNextRow:
			b = b.SkipToNextRow()
		case tree.SkipToFirst:
			b = b.SkipToFirst(pattern.Var(s.skipTo))
		case tree.SkipToLast:
			b = b.SkipToLast(pattern.Var(s.skipTo))
		}
		return b
	}
	return s, build
}

// measures are those that the reference prints.
func matchMeasures(t expr.Table, b pattern.Builder) expr.Table {
	x, at := t.Num("x"), t.Timestamp("at")
	return b.Measures(expr.Call[expr.TimestampValue]("first", at).As("since"), at.As("until"), expr.Count().As("n"), pattern.Count(pattern.Var("a")).As("as"),
		pattern.Classifier().As("variable"), x.Sum().As("sum"), t.Num("i").As("i"))
}

// Random patterns over random rows give the matches of the reference, as a batch and as a stream that is cut anywhere, stopped and started again, on either store.
func TestPatternsAgainstTheReference(t *testing.T) {
	t.Parallel()
	found, longest, hopeless := 0, 0, 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		const ddl = "k INT, at TIMESTAMP, x BIGINT, i INT"
		var rows [][]any
		for i := range 40 {
			var k any = r.IntN(3)
			if r.IntN(9) == 0 {
				k = nil
			}
			var at any = clock("12:00:00").Add(time.Duration(i)*time.Second - time.Duration(r.IntN(4))*time.Second)
			if r.IntN(15) == 0 {
				at = nil
			}
			rows = append(rows, []any{k, at, int64(r.IntN(6)), i})
		}
		want := map[string][]tick{}
		for i, row := range rows {
			if row[1] != nil {
				key := strings.ReplaceAll(fmt.Sprint(row[0]), "<nil>", "NULL")
				want[key] = append(want[key], tick{row[1].(time.Time), row[2].(int64), i})
			}
		}
		f := newFeed(t, ddl)
		f.add(rows...)
		whole := expr.Read("in", f).Watermark("at", 4*time.Second)
		spec, build := randomSpec(rand.New(rand.NewPCG(seed, 4)), whole)
		table := matchMeasures(whole, build(pattern.In(whole)))
		rel, err := table.Relation()
		if err != nil && strings.Contains(err.Error(), "is not in the pattern") {
			continue // the pattern has not all variables; another seed has
		}
		require.NoError(t, err, "seed %d", seed)
		spec.p = findMatch(rel).Pattern
		var lines []string
		for key, ticks := range want {
			slices.SortStableFunc(ticks, func(a, b tick) int { return a.at.Compare(b.at) })
			for _, m := range spec.matches(ticks) {
				lines = append(lines, key+"|"+m)
				longest = max(longest, len(m))
			}
		}
		slices.Sort(lines)
		found += len(lines)
		batch, err := tryCollect(open(t, local.Parallelism(1+int(seed)%2), local.BatchRows(1+r.IntN(50))), table)
		if condition.Of(err) == condition.PatternLimit {
			hopeless++
			continue // it leaves so many ways open that it is refused
		}
		require.NoError(t, err, "seed %d", seed)
		require.Equal(t, lines, sorted(batch), "seed %d, batch of %s", seed, spec.p)

		// A row far ahead closes everything; it is of a key of its own, and x is such that it matches nothing that has a bound below.
		g := newFeed(t, ddl)
		in := expr.Read("in", g).Watermark("at", 4*time.Second)
		_, build = randomSpec(rand.New(rand.NewPCG(seed, 4)), in)
		fs, sink := vfs.NewMem(), newCollector()
		out := matchMeasures(in, build(pattern.In(in)))
		chunks := append(cut(r, rows, 1+r.IntN(6)), [][]any{{77, clock("13:00:00"), int64(0), 99}})
		for i, c := range chunks {
			g.add(c...)
			if i%3 == 2 || i == len(chunks)-1 {
				require.NoError(t, runTo(t, fs, out.WriteTo(sink), storeOf(int(seed)+i), local.BatchRows(1+r.IntN(50))), "seed %d", seed)
			}
		}
		got := slices.DeleteFunc(sink.rows(), func(row string) bool { return strings.HasPrefix(row, "77|") })
		require.Equal(t, lines, sorted(got), "seed %d, stream of %s", seed, spec.p)
	}
	require.Greater(t, found, 1000)
	require.Less(t, hopeless, 5)
}

// longKey is a batch of one key with so many rows, x counting up to ten again and again.
func longKey(t testing.TB, rows int) expr.Table {
	values := make([][]any, rows)
	for i := range values {
		values[i] = []any{clock("12:00:00").Add(time.Duration(i) * time.Second), i % 10}
	}
	f := newFeed(t, "at TIMESTAMP, x INT")
	f.add(values...)
	return expr.Read("in", f)
}

// longPatterns are patterns whose search goes far from each beginning, and how many matches they have in so many rows of a long key, a multiple of ten.
var longPatterns = []struct {
	name  string
	find  func(in expr.Table) expr.Table
	count func(rows int) int
}{
	{"no end", func(in expr.Table) expr.Table {
		a, b, c := pattern.Var("a"), pattern.Var("b"), pattern.Var("c")
		return pattern.In(in).OrderBy("at").Pattern(a, b.ZeroOrMore(), c).Define(b, in.Num("x").Lt(10)).Define(c, in.Num("x").Gt(10)).Measures(pattern.Count(b).As("n"))
	}, func(int) int { return 0 }},
	{"no end, and rows before", func(in expr.Table) expr.Table {
		a, b, c := pattern.Var("a"), pattern.Var("b"), pattern.Var("c")
		x := in.Num("x")
		return pattern.In(in).OrderBy("at").Pattern(a, b.ZeroOrMore(), c).Define(b, x.NotEq(pattern.Prev(x, 2))).Define(c, x.Gt(10)).Measures(pattern.Count(b).As("n"))
	}, func(int) int { return 0 }},
	{"no end within choices", func(in expr.Table) expr.Table {
		a, b, c := pattern.Var("a"), pattern.Var("b"), pattern.Var("c")
		x := in.Num("x")
		return pattern.In(in).OrderBy("at").Pattern(pattern.Or(a, pattern.Seq(b.ZeroOrMore(), a)).ZeroOrMore(), c).Define(a, x.Lt(5)).Define(b, x.Ge(5)).Define(c, x.Gt(10)).Measures(pattern.Count(b).As("n"))
	}, func(int) int { return 0 }},
	{"a short match behind a long search", func(in expr.Table) expr.Table {
		a, b, c := pattern.Var("a"), pattern.Var("b"), pattern.Var("c")
		x := in.Num("x")
		return pattern.In(in).OrderBy("at").Pattern(pattern.Or(pattern.Seq(a, b.ZeroOrMore(), c), a)).Define(b, x.Lt(10)).Define(c, x.Gt(10)).SkipToNextRow().Measures(pattern.Count(a).As("n"))
	}, func(rows int) int { return rows }},
	{"a sum over the match", func(in expr.Table) expr.Table {
		a, b := pattern.Var("a"), pattern.Var("b")
		x := in.Num("x")
		return pattern.In(in).OrderBy("at").Pattern(a, b.OneOrMore()).Define(b, pattern.Of(b, x.Sum()).Ge(0)).Measures(pattern.Count(b).As("n"))
	}, func(int) int { return 1 }},
	{"a sum over the match that goes back", func(in expr.Table) expr.Table {
		a, b, c := pattern.Var("a"), pattern.Var("b"), pattern.Var("c")
		x := in.Num("x")
		return pattern.In(in).OrderBy("at").Pattern(a, pattern.Or(c, b).OneOrMore()).Define(b, pattern.Of(b, x.Sum()).Ge(0)).Define(c, pattern.Of(c, x.Sum()).Lt(0)).Measures(pattern.Count(b).As("n"))
	}, func(int) int { return 1 }},
}

// The search for a pattern costs as much as its rows, where it goes far from each beginning too: the square of these would not end within the time.
func TestPatternOfALongKey(t *testing.T) {
	t.Parallel()
	const rows = 30_000
	in := longKey(t, rows)
	s := open(t)
	for _, c := range longPatterns {
		limited, cancel := context.WithTimeout(ctx, 20*time.Second)
		n, err := backend.Count(limited, s, c.find(in))
		cancel()
		require.NoError(t, err, c.name)
		require.EqualValues(t, c.count(rows), n, c.name)
	}
}

func BenchmarkPatternOfALongKey(b *testing.B) {
	for _, rows := range []int{10_000, 100_000} {
		in := longKey(b, rows)
		s, err := local.Open()
		require.NoError(b, err)
		for _, c := range longPatterns {
			b.Run(fmt.Sprintf("%s/%d", c.name, rows), func(b *testing.B) {
				for range b.N {
					_, err := backend.Count(ctx, s, c.find(in))
					require.NoError(b, err)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows), "ns/row")
			})
		}
		require.NoError(b, s.Close())
	}
}

func findMatch(r tree.Relation) (m *tree.Match) {
	tree.WalkRelations(r, func(r tree.Relation) {
		if x, ok := r.(*tree.Match); ok {
			m = x
		}
	})
	return m
}

// Late rows are dropped and counted, rows without a time are left out, epochs of nothing change nothing, a match comes out when it is decided, and what is decided leaves the state.
func TestPatternInAStream(t *testing.T) {
	a, b := pattern.Var("a"), pattern.Var("b")
	for store := range 2 {
		f := newFeed(t, "k STRING, at TIMESTAMP, x INT")
		in := expr.Read("in", f).Watermark("at", 10*time.Second)
		x := in.Num("x")
		table := pattern.In(in).PartitionBy("k").OrderBy("at").Pattern(a, b.OneOrMore()).Define(a, x.Eq(1)).Define(b, x.Eq(2)).Within(time.Minute).
			Measures(pattern.First(a, in.Timestamp("at")).As("since"), pattern.Count(b).As("n"))
		require.Equal(t, "`k` STRING\nsince TIMESTAMP\nn BIGINT NOT NULL\n", strings.Replace(table.Schema().String(), "k ", "`k` ", 1))
		fs := vfs.NewMem()
		q, sink := startKeyed(t, open(t, storeOf(store), local.FileSystem(fs)), table, expr.Append, "c")
		var shown []string
		step := func(want string, rows ...[]any) {
			t.Helper()
			f.add(rows...)
			require.NoError(t, q.ProcessAllAvailable(ctx))
			fresh := slices.DeleteFunc(sink.rows(), func(r string) bool { return slices.Contains(shown, r) })
			shown = append(shown, fresh...)
			require.Equal(t, want, strings.Join(fresh, " "))
		}
		step("", []any{"k", clock("12:00:00"), 1}, []any{"k", clock("12:00:05"), 2}, []any{nil, clock("12:00:01"), 1}, []any{"k", nil, 2}, []any{"z", clock("12:00:20"), 3})
		// The watermark 12:00:10 has passed 12:00:05, but one more 2 could follow.
		step("")
		step("", []any{"k", clock("12:00:04"), 2}) // late
		step("", []any{"k", clock("12:00:15"), 2}, []any{"z", clock("12:00:40"), 3})
		step("k|2024-01-01 12:00:00|2", []any{"k", clock("12:00:31"), 3}, []any{"z", clock("12:00:42"), 3})
		// The bound of the match of the null key passes, at 12:01:01.
		step("", []any{nil, clock("12:00:50"), 2})
		step("NULL|2024-01-01 12:00:01|1", []any{"z", clock("12:05:00"), 3})
		progress, err := q.RecentProgress(ctx)
		require.NoError(t, err)
		late := int64(0)
		for _, p := range progress {
			if len(p.StateOperators) == 0 {
				continue // there was nothing to do before the first rows
			}
			require.Equal(t, "matchRecognize", p.StateOperators[0].OperatorName)
			late += p.StateOperators[0].NumRowsDroppedByWatermark
		}
		require.EqualValues(t, 1, late)
		last := progress[len(progress)-1]
		require.EqualValues(t, 2, last.StateOperators[0].NumRowsTotal, "the last row and its key")
		require.NoError(t, q.Stop(ctx))
		state, err := open(t, local.FileSystem(fs)).State(ctx, "c", local.StateOptions{})
		require.NoError(t, err)
		var left []string
		for rec, err := range state.Batches {
			require.NoError(t, err)
			left = append(left, lines(state.Fields, rec)...)
		}
		require.Equal(t, []string{`z|3|{"at":"2024-01-01T12:05:00.000Z","x":3}|NULL`}, left)
		// Other measures of the same columns are no other query, another pattern is one.
		other := pattern.In(in).PartitionBy("k").OrderBy("at").Pattern(a, b.OneOrMore()).Define(a, x.Eq(1)).Define(b, x.Eq(2)).Within(time.Minute).Measures(in.Timestamp("at").As("until"))
		require.NoError(t, runTo(t, fs, other.WriteTo(newCollector())))
		changed := pattern.In(in).PartitionBy("k").OrderBy("at").Pattern(a, b.ZeroOrMore()).Define(a, x.Eq(1)).Within(time.Minute).Measures(x.As("n"))
		requireCondition(t, runTo(t, fs, changed.WriteTo(newCollector())), condition.CheckpointMismatch, "- state 0: match by k STRING in the order of at: PATTERN (a b+) WITHIN 1m0s SKIP PAST LAST ROW", "+ state 0: match by k STRING in the order of at: PATTERN (a b*)")
	}
}

// Conditions are asked only of rows that the pattern leads to, so an error of another row is none.
func TestPatternErrorsOfRows(t *testing.T) {
	f := newFeed(t, "k STRING, at TIMESTAMP, x INT")
	f.add([]any{"k", clock("12:00:00"), 0}, []any{"k", clock("12:00:01"), 4}, []any{"k", clock("12:00:02"), 2})
	in := expr.Read("in", f)
	a, b := pattern.Var("a"), pattern.Var("b")
	x := in.Num("x")
	find := func(second expr.BooleanValue) expr.Table {
		return pattern.In(in).OrderBy("at").Pattern(a, b).Define(a, x.Gt(3)).Define(b, second).Measures(pattern.First(a, x).As("a"), x.As("b"))
	}
	require.Equal(t, []string{"4|2"}, collect(t, open(t), find(expr.Lit(8).AsNumeric().Div(x).Eq(4))))
	_, err := drained(t, ctx, find(expr.Lit(8).AsNumeric().Div(x.Sub(2)).Eq(4)))
	require.ErrorIs(t, err, &condition.Error{Condition: condition.DivideByZero})
	require.Empty(t, collect(t, open(t), find(expr.Null(datatype.Boolean).AsBoolean())), "a condition that is null is not true")
	none := newFeed(t, "k STRING, at TIMESTAMP, x INT")
	require.Empty(t, collect(t, open(t), pattern.In(expr.Read("none", none)).OrderBy("at").Pattern(a).Measures(pattern.First(a, expr.Num("x")).As("a"))))
}

// A pattern that leaves very many ways open ends with an error where they depend on each other, and is soon done where they do not; either can be cancelled.
func TestPatternWithoutEnd(t *testing.T) {
	f := newFeed(t, "at TIMESTAMP, x INT")
	var rows [][]any
	for i := range 60 {
		rows = append(rows, []any{clock("12:00:00").Add(time.Duration(i) * time.Second), 1})
	}
	f.add(rows...)
	in := expr.Read("in", f)
	x := in.Num("x")
	a, b := pattern.Var("a"), pattern.Var("b")
	hostile := pattern.Seq(pattern.Seq(a.OneOrMore()).OneOrMore(), b)
	find := func(is expr.BooleanValue) expr.Table {
		return pattern.In(in).OrderBy("at").Pattern(hostile).Define(a, is).Define(b, x.Eq(2)).Measures(pattern.Count(a).As("n"))
	}
	require.Empty(t, collect(t, open(t), find(x.Eq(1))))
	table := find(pattern.Of(a, x.Sum()).Gt(0))
	c, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	_, err := drained(t, c, table)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = drained(t, ctx, table)
	require.ErrorIs(t, err, &condition.Error{Condition: condition.PatternLimit})
	require.ErrorContains(t, err, "conditions that exclude each other")
}

// What is wrong with a pattern is a mistake of its table.
func TestPatternMisuse(t *testing.T) {
	f := newFeed(t, "k STRING, at TIMESTAMP, x INT")
	in := expr.Read("in", f).Watermark("at", time.Second)
	x := in.Num("x")
	a, b, c := pattern.Var("a"), pattern.Var("b"), pattern.Var("c")
	base := func() pattern.Builder {
		return pattern.In(in).PartitionBy("k").OrderBy("at").Pattern(a, b.OneOrMore()).Within(time.Minute)
	}
	n := pattern.Count(a).As("n")
	for want, build := range map[string]func() expr.Table{
		"the zero Table":           func() expr.Table { return pattern.Builder{}.Measures(n) },
		"The pattern names more":   func() expr.Table { return base().Pattern(a, b.AtLeast(math.MaxInt)).Measures(n) },
		"The pattern is empty":     func() expr.Table { return pattern.In(in).OrderBy("at").Measures(n) },
		"pattern has no name":      func() expr.Table { return base().Pattern(pattern.Variable{}).Measures(x.As("n")) },
		"The pattern has no order": func() expr.Table { return pattern.In(in).Pattern(a).Measures(n) },
		"and x is INT":             func() expr.Table { return base().OrderBy("x").Measures(n) },
		"the order of a TIMESTAMP": func() expr.Table { return base().OrderBy("k").Measures(n) },
		"is no column":             func() expr.Table { return base().OrderBy(in.Timestamp("at").Add(time.Hour)).Measures(n) },
		"has a condition and is":   func() expr.Table { return base().Define(c, x.Eq(1)).Measures(n) },
		"has two conditions":       func() expr.Table { return base().Define(a, x.Eq(1)).Define(a, x.Eq(2)).Measures(n) },
		"skip to c":                func() expr.Table { return base().SkipToLast(c).Measures(n) },
		"The bound -1s":            func() expr.Table { return base().Within(-time.Second).Measures(n) },
		"more than 1000 rows":      func() expr.Table { return base().Pattern(pattern.Seq(a.Times(100)).Times(100), b).Measures(n) },
		"two columns named k":      func() expr.Table { return base().Measures(x.As("k")) },
		"have no column":           func() expr.Table { return pattern.In(in).OrderBy("at").Pattern(a).Measures() },
		"The variable c is asked":  func() expr.Table { return base().Measures(pattern.Count(c).As("n")) },
		"stands in an aggregate":   func() expr.Table { return base().Define(a, pattern.Prev(x.Sum()).Gt(1)).Measures(n) },
		"no look back":             func() expr.Table { return base().Define(a, pattern.Prev(x, 0).Gt(1)).Measures(n) },
		"lead(x) is":               func() expr.Table { return base().Define(a, x.Lead().Gt(1)).Measures(n) },
		"rand() is":                func() expr.Table { return base().Define(a, expr.Call[expr.NumericValue]("rand").Gt(x)).Measures(n) },
		"no window expression":     func() expr.Table { return base().Define(a, x.Sum().Over(expr.WindowSpec{}).Gt(1)).Measures(n) },
		"no column y":              func() expr.Table { return base().Define(a, expr.Num("y").Gt(1)).Measures(n) },
		"PartitionBy has a window": func() expr.Table {
			return base().PartitionBy(window.Tumbling(in.Timestamp("at"), time.Minute)).Measures(n)
		},
		"PartitionBy has grouping ": func() expr.Table { return base().PartitionBy(expr.Rollup("k")).Measures(n) },
		"is nil":                    func() expr.Table { return base().Measures(nil) },
	} {
		t.Run(want, func(t *testing.T) {
			err := build().Err()
			t.Log(err)
			require.ErrorContains(t, err, want)
			require.Regexp(t, `pattern_test\.go:\d+: `, err.Error())
		})
	}
}

// Spark has no patterns; of a stream they need a watermark on the time and a bound, and have no complete mode.
func TestPatternIsRefused(t *testing.T) {
	f := newFeed(t, "k STRING, at TIMESTAMP, x INT")
	in := expr.Read("in", f)
	a := pattern.Var("a")
	find := func(t expr.Table) pattern.Builder { return pattern.In(t).OrderBy("at").Pattern(a.OneOrMore()) }
	n := pattern.Count(a).As("n")
	marked := in.Watermark("at", time.Second)
	good := find(marked).Within(time.Minute).Measures(n)
	for _, mode := range []compiler.Mode{compiler.Batch, compiler.Stream} {
		_, err := compiler.Compile(good, mode)
		require.ErrorIs(t, err, &condition.Error{Condition: condition.Unsupported})
		require.ErrorContains(t, err, "Spark has no MATCH_RECOGNIZE")
		require.ErrorContains(t, err, "the pattern a+")
	}
	start := func(table expr.Table, mode expr.OutputMode) error {
		_, err := open(t).Start(ctx, table.WriteTo(newCollector()).OutputMode(mode).Checkpoint(t.TempDir()))
		return err
	}
	requireRefused(t, start(find(marked).Measures(n), expr.Append), "a+ has no bound", "Within")
	requireRefused(t, start(find(in).Within(time.Minute).Measures(n), expr.Append), "at has no watermark")
	err := start(good, expr.Complete)
	require.ErrorIs(t, err, &condition.Error{Condition: condition.StreamingOutputMode})
}
