package conformance

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/window"
)

// randomStreamSchema are the columns of the inputs of random streaming queries.
const randomStreamSchema = "id BIGINT, at TIMESTAMP, k STRING, v BIGINT, d DECIMAL(10,2)"

// streamFar is the time of the row that ends a tidy input: every window, session and bound before it is closed then.
var streamFar = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// streamMaker makes a random streaming query of its random numbers alone, so that the same numbers make the same query over other tables.
type streamMaker struct {
	r    *rand.Rand
	mode expr.OutputMode
	// tidy makes queries whose rows in append mode are those of a batch once everything is closed.
	tidy bool
	// stateful and uses tell what was made.
	stateful bool
	uses     []string
	in       map[string]expr.Table
}

func (m *streamMaker) chance(percent int) bool { return m.r.IntN(100) < percent }

func oneFrom[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func (m *streamMaker) use(what string) { m.uses = append(m.uses, what) }

// streamShapes are the shapes of random queries: how often of a hundred, and in which modes.
var streamShapes = []struct {
	name   string
	weight int
	modes  []expr.OutputMode
	make   func(m *streamMaker) expr.Table
}{
	{"map", 5, []expr.OutputMode{expr.Append, expr.Update}, (*streamMaker).mapped},
	{"limit", 2, []expr.OutputMode{expr.Append}, (*streamMaker).limited},
	{"window", 22, []expr.OutputMode{expr.Append, expr.Append, expr.Update, expr.Complete}, func(m *streamMaker) expr.Table { return m.finish(m.windowed(m.base("a"), true)) }},
	{"group", 8, []expr.OutputMode{expr.Append, expr.Update, expr.Complete}, (*streamMaker).grouped},
	{"chain", 10, []expr.OutputMode{expr.Append}, (*streamMaker).chained},
	{"dedup", 14, []expr.OutputMode{expr.Append, expr.Append, expr.Update}, (*streamMaker).deduplicated},
	{"static join", 8, []expr.OutputMode{expr.Append, expr.Append, expr.Update}, (*streamMaker).staticJoined},
	{"stream join", 20, []expr.OutputMode{expr.Append}, (*streamMaker).streamJoined},
	{"union", 7, []expr.OutputMode{expr.Append, expr.Update}, (*streamMaker).united},
	{"top", 5, []expr.OutputMode{expr.Append}, (*streamMaker).top},
}

// makeStream makes the query.
func (m *streamMaker) makeStream() expr.Table {
	total := 0
	for _, s := range streamShapes {
		total += s.weight
	}
	n := m.r.IntN(total)
	for _, s := range streamShapes {
		if n -= s.weight; n >= 0 {
			continue
		}
		if m.tidy && s.name == "limit" {
			s = streamShapes[0] // which rows a batch leaves out is not fixed
		}
		m.use(s.name)
		m.mode = oneFrom(m.r, s.modes...)
		if m.tidy && m.mode == expr.Update {
			m.mode = expr.Append
		}
		if m.tidy && s.name == "group" {
			m.mode = expr.Complete
		}
		return s.make(m)
	}
	return expr.Table{}
}

// base is an input with a watermark, and perhaps a filter and a computed column below or above it.
func (m *streamMaker) base(name string) expr.Table {
	t := m.in[name]
	if m.chance(15) {
		m.use("filter")
		t = t.Filter(oneFrom(m.r, t.Num("v").Gt(2), t.Str("k").NotNull(), t.Num("id").Mod(3).NotEq(1), t.Timestamp("at").NotNull()))
	}
	delays := []time.Duration{0, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute}
	if m.tidy {
		delays = delays[2:] // no row is as late as that
	}
	t = t.Watermark("at", oneFrom(m.r, delays...))
	if m.tidy {
		t = t.Filter(t.Timestamp("at").IsNull().Or(t.Timestamp("at").Lt(expr.Lit(streamFar))))
	}
	if m.chance(15) {
		m.use("filter")
		other := t.Str("k").NotEq("c")
		if slices.Contains(m.uses, "stream join") {
			// What is asked of a key on one side Spark asks of the other too, which docs/differences.md tells of.
			other = t.Num("id").Mod(5).NotEq(1)
		}
		t = t.Filter(oneFrom(m.r, t.Num("v").Lt(8), other, t.Num("d").Gt(1)))
	}
	if m.chance(15) {
		m.use("projection")
		t = t.Mutate(oneFrom[expr.Value](m.r, t.Num("v").Mul(2).As("v"), functions.Coalesce(t.Str("k"), "none").As("k"), t.Str("k").Upper().As("k")))
	}
	return t
}

// timed leaves out the rows without a time where a stream keeps them for ever and a batch does not.
func (m *streamMaker) timed(t expr.Table) expr.Table {
	if m.tidy {
		return t.Filter(t.Timestamp("at").NotNull())
	}
	return t
}

// aggregates are one to three aggregates of exact values.
func (m *streamMaker) aggregates(t expr.Table) []expr.Value {
	all := []func(name string) expr.Value{
		func(n string) expr.Value { return expr.Count().As(n) },
		func(n string) expr.Value { return t.Num("v").Sum().As(n) },
		func(n string) expr.Value { return t.Num("v").Min().As(n) },
		func(n string) expr.Value { return t.Num("v").Max().As(n) },
		func(n string) expr.Value { return t.Num("v").Mean().As(n) },
		func(n string) expr.Value { return t.Num("v").Count().As(n) },
		func(n string) expr.Value { return t.Num("id").Max().As(n) },
		func(n string) expr.Value { return functions.CountIf(t.Num("v").Gt(3)).As(n) },
		func(n string) expr.Value { return expr.Where(t.Num("v").Sum(), t.Str("k").Eq("a")).As(n) },
		func(n string) expr.Value { return functions.BoolOr(t.Num("v").Gt(5)).As(n) },
	}
	if slices.Contains(t.Columns(), "d") {
		all = append(all, func(n string) expr.Value { return t.Num("d").Sum().As(n) }, func(n string) expr.Value { return t.Num("d").Max().As(n) })
	}
	out := []expr.Value{expr.Count().As("n")}
	for i := range m.r.IntN(3) {
		out = append(out, all[m.r.IntN(len(all))](fmt.Sprintf("x%d", i)))
	}
	return out
}

// windowOf makes a window of event time; sessions stand beside another key and do not go with update mode.
func (m *streamMaker) windowOf(t expr.Table, at expr.Value, sessions bool) (w expr.WindowValue, session, cumulative bool) {
	size := oneFrom(m.r, 10*time.Second, 20*time.Second, 30*time.Second, time.Minute, 90*time.Second)
	n := m.r.IntN(10)
	switch {
	case n < 4 || !sessions && n >= 8:
		m.use("tumbling")
		if m.chance(25) {
			return window.Tumbling(at, size, 5*time.Second), false, false
		}
		return window.Tumbling(at, size), false, false
	case n < 7:
		m.use("sliding")
		if m.chance(25) {
			return window.Sliding(at, size, size/2, time.Second), false, false
		}
		return window.Sliding(at, size, oneFrom(m.r, size/2, size/5, 7*time.Second)), false, false
	case n < 8:
		m.use("cumulative")
		return window.Cumulate(at, size, size/2), false, true
	case n < 9 || m.mode == expr.Update:
		m.use("session")
		return window.Session(at, oneFrom(m.r, time.Second, 5*time.Second, 20*time.Second)), true, false
	}
	m.use("session gap")
	gap := expr.If(t.Str("k").Eq("a"), expr.Lit(20*time.Second), expr.If(t.Num("v").Gt(4), expr.Lit(7*time.Second), oneFrom(m.r, -time.Second, time.Second)))
	return window.SessionGap(at, gap.AsInterval()), true, false
}

// windowed aggregates by a window. time tells whether what comes out keeps its event time.
func (m *streamMaker) windowed(t expr.Table, sessions bool) expr.Table {
	m.stateful = true
	w, session, _ := m.windowOf(t, t.Timestamp("at"), sessions && m.mode != expr.Update)
	keys := []any{w.As("w")}
	if session || m.chance(60) {
		keys = append(keys, oneFrom[any](m.r, "k", "k", t.Num("id").Mod(2).As("odd")))
		if m.chance(30) {
			slices.Reverse(keys)
		}
	}
	g := t.GroupBy(keys...)
	if m.chance(12) {
		m.use("having")
		g = g.Having(expr.Count().Gt(1))
	}
	return g.Agg(m.aggregates(t)...)
}

// finish does something stateless with a table of a window w.
func (m *streamMaker) finish(t expr.Table) expr.Table {
	switch m.r.IntN(6) {
	case 0:
		m.use("window fields")
		return t.Mutate(t.Window("w").Start().As("start"), t.Window("w").End().As("end"))
	case 1:
		m.use("window time")
		return t.Mutate(t.Window("w").Time().As("moment")).Drop("w")
	case 2:
		m.use("filter")
		return t.Filter(t.Num("n").Gt(1))
	}
	return t
}

func (m *streamMaker) mapped() expr.Table {
	t := m.base("a")
	if m.chance(40) {
		m.use("window column")
		t = t.Mutate(window.Sliding(t.Timestamp("at"), 20*time.Second, 10*time.Second).As("w"))
		return t.Select("id", "w", "k")
	}
	return t.Select("id", "at", t.Str("k").Upper().As("k"), t.Num("v").Add(1).As("v"))
}

func (m *streamMaker) limited() expr.Table {
	m.stateful = true
	return m.base("a").Select("id", "k").Limit(1 + m.r.IntN(6))
}

func (m *streamMaker) grouped() expr.Table {
	m.stateful = true
	t := m.base("a")
	keys := []any{oneFrom[any](m.r, "k", t.Num("v").Mod(3).As("third"))}
	if m.mode == expr.Append || m.chance(20) {
		m.use("group by time")
		keys = append(keys, "at")
	}
	if m.chance(20) && m.mode != expr.Append {
		m.use("no keys")
		return t.Agg(m.aggregates(t)...)
	}
	return t.GroupBy(keys...).Agg(m.aggregates(t)...)
}

func (m *streamMaker) chained() expr.Table {
	m.stateful = true
	t := m.base("a")
	w, session, cumulative := m.windowOf(t, t.Timestamp("at"), true)
	keys := []any{w.As("w")}
	if session || m.chance(70) {
		keys = append(keys, "k")
	}
	one := t.GroupBy(keys...).Agg(expr.Count().As("n"), t.Num("v").Sum().As("v"))
	if cumulative {
		return m.finish(one) // what comes out has no watermark
	}
	if m.chance(20) {
		m.use("filter")
		one = one.Filter(one.Num("n").Gt(1))
	}
	if m.chance(20) && !session {
		m.use("group by window again")
		return one.GroupBy("w").Agg(expr.Count().As("groups"), one.Num("n").Max().As("most"))
	}
	at := oneFrom[expr.Value](m.r, one.Window("w"), one.Window("w").Time())
	size := oneFrom(m.r, 30*time.Second, time.Minute, 2*time.Minute)
	second := oneFrom(m.r, window.Tumbling(at, size), window.Sliding(at, size, size/2))
	by := []any{second.As("outer")}
	if len(keys) > 1 && m.chance(40) {
		by = append(by, "k")
	}
	return one.GroupBy(by...).Agg(expr.Count().As("windows"), one.Num("n").Sum().As("n"), one.Num("v").Max().As("v"))
}

func (m *streamMaker) deduplicated() expr.Table {
	m.stateful = true
	t := m.base("a")
	n := m.r.IntN(5)
	if m.tidy && n == 2 {
		n = 1 // a batch has no such deduplication
	}
	switch n {
	case 0:
		m.use("dedup")
		t = t.DropDuplicates("k")
	case 1:
		m.use("dedup by time")
		t = t.DropDuplicates("k", "at")
	case 2:
		m.use("dedup within")
		t = t.DropDuplicatesWithinWatermark("k")
	case 3:
		m.use("distinct")
		return m.timed(t).Select("at", "k", "v").Distinct()
	default:
		m.use("dedup by time")
		t = t.DropDuplicates("at")
	}
	if m.tidy {
		// Which of several rows stays is the first one's to say, and batches have no first.
		return t.Select(map[int]string{0: "k", 1: "k", 4: "at"}[n])
	}
	if m.mode == expr.Append && m.chance(40) {
		m.use("window above dedup")
		return m.finish(m.windowed(t, false))
	}
	return t.Select("id", "at", "k", "v")
}

// lookup is a table with doubled and null keys.
func (m *streamMaker) lookup() expr.Table {
	return expr.MemtableRows("lookup", mustFields("lk STRING, label STRING, least BIGINT"), [][]any{{"a", "Alpha", 1}, {"b", "Beta", 0}, {"b", "Bravo", 3}, {nil, "none", 0}, {"z", "Zulu", 5}})
}

func (m *streamMaker) staticJoined() expr.Table {
	t, s := m.base("a"), m.lookup()
	on := []any{t.Str("k").Eq(s.Str("lk"))}
	if m.chance(25) {
		on[0] = t.Str("k").EqNullSafe(s.Str("lk"))
	}
	if m.chance(25) {
		on = append(on, t.Num("v").Ge(s.Num("least")))
	}
	kind := oneFrom(m.r, "inner", "left", "right", "semi", "anti")
	m.use("static " + kind)
	var j expr.Table
	switch kind {
	case "inner":
		j = t.Join(s, on...)
	case "left":
		j = t.LeftJoin(s, on...)
	case "right":
		j = s.RightJoin(t, on...)
	case "semi":
		j = t.SemiJoin(s, on...)
	default:
		j = t.AntiJoin(s, on...)
	}
	if m.chance(60) {
		m.use("window above join")
		return m.finish(m.windowed(j, true))
	}
	return j.Select("id", "k", "v")
}

func (m *streamMaker) streamJoined() expr.Table {
	m.stateful = true
	l, r := m.timed(m.base("a")), m.timed(m.base("b"))
	r = r.Select(r.Num("id").As("rid"), r.Timestamp("at").As("rat"), r.Str("k").As("rk"), r.Num("v").As("rv"))
	on := []any{l.Str("k").Eq(r.Str("rk"))}
	byWindow := false
	switch m.r.IntN(8) {
	case 0:
		m.use("join by time")
		on = append(on, l.Timestamp("at").Eq(r.Timestamp("rat")))
	case 1, 2:
		m.use("join by window")
		byWindow = true
		size := oneFrom(m.r, 10*time.Second, 30*time.Second)
		l = l.Mutate(window.Tumbling(l.Timestamp("at"), size).As("w"))
		r = r.Mutate(window.Tumbling(r.Timestamp("rat"), size).As("rw"))
		on = []any{l.Window("w").Eq(r.Window("rw"))}
		if m.chance(70) {
			on = append(on, l.Str("k").Eq(r.Str("rk")))
		}
	default:
		m.use("join in bounds")
		lo, hi := oneFrom(m.r, 0, -5*time.Second, -20*time.Second, 3*time.Second), oneFrom(m.r, 5*time.Second, 10*time.Second, 20*time.Second)
		on = append(on, r.Timestamp("rat").Ge(l.Timestamp("at").Add(lo)), oneFrom(m.r, r.Timestamp("rat").Le(l.Timestamp("at").Add(hi)), r.Timestamp("rat").Lt(l.Timestamp("at").Add(hi))))
	}
	if m.chance(15) {
		m.use("join with a residue")
		on = append(on, l.Num("v").Le(r.Num("rv")))
	}
	kind := oneFrom(m.r, "inner", "inner", "left", "left", "right", "full", "semi", "anti")
	m.use("stream " + kind)
	if kind == "full" {
		// Null keys meet in Spark's full join of two streams, which docs/differences.md tells of.
		l = l.Filter(l.Str("k").NotNull())
	}
	var j expr.Table
	switch kind {
	case "inner":
		j = l.Join(r, on...)
	case "left":
		j = l.LeftJoin(r, on...)
	case "right":
		j = l.RightJoin(r, on...)
	case "full":
		j = l.OuterJoin(r, on...)
	case "semi":
		j = l.SemiJoin(r, on...)
	default:
		j = l.AntiJoin(r, on...)
	}
	if (kind == "semi" || kind == "anti") && byWindow {
		// Spark's state takes one column of event time a side, so the window alone.
		return j.Select("id", "k", "v")
	}
	if kind == "semi" || kind == "anti" {
		if m.chance(30) && kind == "semi" {
			m.use("window above join")
			return m.finish(m.windowed(j, false))
		}
		return j.Select("id", "at", "k")
	}
	if m.chance(30) && !byWindow && (kind == "inner" || kind == "left") {
		m.use("window above join")
		return m.finish(m.windowed(j.Select("id", "at", "k", "v", "d", "rid"), false))
	}
	return j.Select("id", "k", "rid", "rk", "rv")
}

func (m *streamMaker) united() expr.Table {
	l, r := m.base("a"), m.base("b")
	u := l.Select("id", "at", "k", "v").Union(r.Select("id", "at", "k", "v"))
	switch {
	case m.mode == expr.Append && m.chance(15):
		return u
	case m.chance(25):
		m.stateful = true
		m.use("dedup above union")
		return u.DropDuplicates("k", "at").Select("k", "at")
	}
	return m.finish(m.windowed(u, true))
}

func (m *streamMaker) top() expr.Table {
	m.stateful = true
	t := m.base("a").Drop("d")
	w := window.Tumbling(t.Timestamp("at"), oneFrom(m.r, 20*time.Second, time.Minute)).As("w")
	keys := []any{w}
	if m.chance(40) {
		keys = append(keys, "k")
	}
	return t.GroupBy(keys...).OrderBy(t.Num("v").Desc(), "id").Limit(1 + m.r.IntN(3))
}

// RandomScript makes a script of its seed: a query, and inputs cut at random, out of order, with late rows, equal keys, nulls in keys and times, about now, about 1970 and before.
func RandomScript(seed uint64) EpochScript {
	make := func(in map[string]expr.Table) (*streamMaker, expr.Table) {
		m := &streamMaker{r: rand.New(rand.NewPCG(seed, 11)), in: in}
		return m, m.makeStream()
	}
	m, _ := make(staticInputs())
	r := rand.New(rand.NewPCG(seed, 12))
	steps := 2 + r.IntN(4)
	if m.mode == expr.Complete {
		steps = 2 + r.IntN(2)
	}
	start := oneFrom(r, reportStart, reportStart, reportStart, time.Unix(0, 0).UTC(), time.Unix(-90, 0).UTC(), time.Unix(-3_000_000_000, 0).UTC())
	unit := oneFrom(r, time.Second, time.Second, 5*time.Second, 250*time.Millisecond)
	id := int64(0)
	wild := func(name string) EpochInput {
		in := EpochInput{Name: name, DDL: randomStreamSchema}
		center := start
		for range steps {
			rows := [][]any{}
			for range r.IntN(7) {
				id++
				at := any(center.Add(time.Duration(r.IntN(80)-50) * unit))
				if r.IntN(12) == 0 {
					at = nil
				}
				rows = append(rows, randomStreamRow(r, id, at))
			}
			in.Epochs = append(in.Epochs, rows)
			center = center.Add(time.Duration(r.IntN(60)) * unit)
			if r.IntN(6) == 0 {
				center = center.Add(5 * time.Minute)
			}
		}
		return in
	}
	return EpochScript{
		Name: fmt.Sprintf("random %d", seed), Mode: m.mode, Open: r.IntN(2) == 0, Stateful: m.stateful, Inputs: []EpochInput{wild("a"), wild("b")},
		Table: func(in map[string]expr.Table) expr.Table { _, t := make(in); return t },
	}
}

// tidyDelay is the least delay of a tidy query.
const tidyDelay = 10 * time.Second

// TidyScript makes a script of its seed whose rows, put together, are those of a batch over all of its input: no row is late however the input is cut into epochs, which
// the second number says, and a row at the end closes everything. In complete mode the last epoch has the batch's rows.
func TidyScript(seed, cuts uint64) EpochScript {
	make := func(in map[string]expr.Table) (*streamMaker, expr.Table) {
		m := &streamMaker{r: rand.New(rand.NewPCG(seed, 13)), in: in, tidy: true}
		return m, m.makeStream()
	}
	m, _ := make(staticInputs())
	r := rand.New(rand.NewPCG(seed, 14))
	start := oneFrom(r, reportStart, reportStart, time.Unix(0, 0).UTC())
	unit := oneFrom(r, time.Second, 250*time.Millisecond, 4*time.Second)
	id := int64(0)
	tidy := func(name string, cut *rand.Rand) EpochInput {
		type timed struct {
			order time.Duration
			row   []any
		}
		var rows []timed
		for range r.IntN(40) {
			id++
			at := time.Duration(1+r.IntN(100)) * unit
			row := randomStreamRow(r, id, start.Add(at))
			if r.IntN(12) == 0 {
				row[1] = nil
			}
			rows = append(rows, timed{at + time.Duration(r.Int64N(int64(tidyDelay))), row})
		}
		slices.SortStableFunc(rows, func(a, b timed) int { return cmp.Compare(a.order, b.order) })
		in := EpochInput{Name: name, DDL: randomStreamSchema, Epochs: [][][]any{nil}}
		per := 1 + cut.IntN(12)
		for _, t := range rows {
			for cut.IntN(per) == 0 && len(in.Epochs) < 40 {
				in.Epochs = append(in.Epochs, nil)
			}
			last := len(in.Epochs) - 1
			in.Epochs[last] = append(in.Epochs[last], t.row)
		}
		return in
	}
	c := EpochScript{
		Name: fmt.Sprintf("tidy %d, cut %d", seed, cuts), Mode: m.mode, Stateful: m.stateful,
		Table: func(in map[string]expr.Table) expr.Table { _, t := make(in); return t },
	}
	cut := rand.New(rand.NewPCG(seed, 15+cuts))
	for _, name := range []string{"a", "b"} {
		c.Inputs = append(c.Inputs, tidy(name, cut))
	}
	steps := max(len(c.Inputs[0].Epochs), len(c.Inputs[1].Epochs))
	for i := range c.Inputs {
		in := &c.Inputs[i]
		for len(in.Epochs) < steps {
			in.Epochs = append(in.Epochs, nil)
		}
		// A row that meets every condition of a query but that on the time.
		in.Epochs = append(in.Epochs, [][]any{{int64(-1), streamFar, "a", int64(5), expr.Decimal("2.00")}})
	}
	return c
}

// batch gives the tables of all rows of a script.
func (c EpochScript) batch() (map[string]expr.Table, error) {
	in := map[string]expr.Table{}
	for _, i := range c.Inputs {
		rows := connectors.NewMemoryStreamDDL(i.DDL)
		for _, e := range i.Epochs {
			if err := rows.AddRows(e...); err != nil {
				return nil, err
			}
		}
		in[i.Name] = expr.Read(i.Name, rows)
	}
	return in, nil
}

func randomStreamRow(r *rand.Rand, id int64, at any) []any {
	row := []any{id, at, oneFrom[any](r, "a", "a", "b", "c", nil), any(int64(r.IntN(10))), expr.Decimal(fmt.Sprintf("%d.%02d", r.IntN(5), 25*r.IntN(4)))}
	for i := 3; i < 5; i++ {
		if r.IntN(8) == 0 {
			row[i] = nil
		}
	}
	return row
}

// staticInputs are tables of the columns of a random script, to find out what a query is made of.
func staticInputs() map[string]expr.Table {
	in := map[string]expr.Table{}
	for _, name := range []string{"a", "b"} {
		in[name] = expr.MemtableRows(name, mustFields(randomStreamSchema), nil)
	}
	return in
}

// randomScriptUses tells what a random script is made of.
func randomScriptUses(seed uint64) []string {
	m := &streamMaker{r: rand.New(rand.NewPCG(seed, 11)), in: staticInputs()}
	m.makeStream()
	return m.uses
}
