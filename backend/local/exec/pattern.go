package exec

import (
	"context"
	"math"
	"slices"

	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// A pattern is a program for a machine that tries its choices in order and goes back where one leads nowhere.
type patternOp uint8

const (
	// opRow takes a row for variable x.
	opRow patternOp = iota
	// opSplit goes on at x, or where that fails at y.
	opSplit
	// opJump goes on at x.
	opJump
	// opEnter notes in register x where an iteration begins, and opProgress fails where one took no row.
	opEnter
	opProgress
	// opMatch is the end.
	opMatch
)

type patternStep struct {
	op   patternOp
	x, y int
}

// PatternProgram is a compiled pattern.
type PatternProgram struct {
	Variables []string
	steps     []patternStep
	registers int
	// scope are, for each step, the registers of the iterations that it is part of, and slots what the memo has for the steps before: a mark for each way in which these iterations may have taken rows or not.
	scope [][]int
	slots []int
	// open are the iterations that are being written.
	open []int
}

// deepest is how many iterations that may take no row may be part of each other, for the memo.
const deepest = 8

// CompilePattern writes a pattern's repetitions out.
func CompilePattern(p *tree.Pattern) *PatternProgram {
	out := &PatternProgram{Variables: p.Variables()}
	out.add(p)
	out.emit(patternStep{op: opMatch})
	return out
}

// perRow is how many marks the memo has for a row; false where there would be too many.
func (p *PatternProgram) perRow() (int, bool) {
	last := len(p.steps) - 1
	return p.slots[last] + 1, !slices.ContainsFunc(p.scope, func(of []int) bool { return len(of) > deepest })
}

func (p *PatternProgram) emit(s patternStep) int {
	slot := 0
	if n := len(p.steps); n > 0 {
		slot = p.slots[n-1] + 1<<min(len(p.scope[n-1]), deepest)
	}
	p.slots = append(p.slots, slot)
	p.scope = append(p.scope, slices.Clone(p.open))
	p.steps = append(p.steps, s)
	return len(p.steps) - 1
}

// branch completes a split: on leads into a repetition, out of it.
func (p *PatternProgram) branch(at, in, out int, reluctant bool) {
	p.steps[at].x, p.steps[at].y = in, out
	if reluctant {
		p.steps[at].x, p.steps[at].y = out, in
	}
}

func (p *PatternProgram) add(x *tree.Pattern) {
	switch x.Kind {
	case tree.PatternVariable:
		p.emit(patternStep{op: opRow, x: slices.Index(p.Variables, x.Variable)})
	case tree.PatternSequence:
		for _, y := range x.Parts {
			p.add(y)
		}
	case tree.PatternChoice:
		var ends []int
		for i, y := range x.Parts {
			if i == len(x.Parts)-1 {
				p.add(y)
				break
			}
			at := p.emit(patternStep{op: opSplit})
			p.add(y)
			ends = append(ends, p.emit(patternStep{op: opJump}))
			p.branch(at, at+1, len(p.steps), false)
		}
		for _, e := range ends {
			p.steps[e].x = len(p.steps)
		}
	case tree.PatternRepeat:
		body := x.Parts[0]
		for range x.Min {
			p.add(body)
		}
		// Beyond the least number an iteration that takes no row is none.
		iteration := func() {
			if !empty(body) {
				p.add(body)
				return
			}
			r := p.registers
			p.registers++
			p.emit(patternStep{op: opEnter, x: r})
			p.open = append(p.open, r)
			p.add(body)
			p.emit(patternStep{op: opProgress, x: r})
			p.open = p.open[:len(p.open)-1]
		}
		if x.Max < 0 {
			at := p.emit(patternStep{op: opSplit})
			iteration()
			p.emit(patternStep{op: opJump, x: at})
			p.branch(at, at+1, len(p.steps), x.Reluctant)
			return
		}
		var splits []int
		for range x.Max - x.Min {
			splits = append(splits, p.emit(patternStep{op: opSplit}))
			iteration()
		}
		for _, at := range splits {
			p.branch(at, at+1, len(p.steps), x.Reluctant)
		}
	}
}

// empty tells whether a pattern may match no row.
func empty(p *tree.Pattern) bool {
	switch p.Kind {
	case tree.PatternVariable:
		return false
	case tree.PatternChoice:
		return slices.ContainsFunc(p.Parts, empty)
	case tree.PatternRepeat:
		return p.Min == 0 || empty(p.Parts[0])
	}
	return !slices.ContainsFunc(p.Parts, func(x *tree.Pattern) bool { return !empty(x) })
}

// MatchExpr is a condition or a measure: over the columns of a row, its variable, and behind them a column for each item.
type MatchExpr struct {
	Expr  *kernel.Expr
	Items []MatchItem
	// Variable tells that the row's own variable is read.
	Variable bool
}

// MatchItem is what a condition or measure knows of other rows: an aggregate over those of the match so far, or the value of one before.
type MatchItem struct {
	Aggregate *kernel.Aggregate
	// Back is how many rows before, Of the value there, and Default what it is where the match begins behind that.
	Back    int
	Of      *kernel.Expr
	Default *vec.Vec
}

// local tells whether the value at a row depends on nothing but the rows of the match, not on which variables they stand for.
func (e *MatchExpr) local() bool {
	for _, i := range e.Items {
		if i.Aggregate != nil {
			return false
		}
	}
	return true
}

// reach is how far back the expression looks.
func (e *MatchExpr) reach() int {
	n := 0
	for _, i := range e.Items {
		n = max(n, i.Back)
	}
	return n
}

// attemptLimit is how many conditions are asked for one beginning beyond one for each variable and row, where they depend on the way to a row, before the pattern is taken for hopeless: each way
// is tried by itself then.
const attemptLimit = 100_000

// partition is the rows of one key in their order, and what is known of them.
type partition struct {
	m    *Match
	ctx  context.Context
	rows *vec.Batch // with room for the variable in the last column
	time []int64
	// whole are conditions that were computed for all rows at once, by variable; tried tells which were.
	whole []*vec.Vec
	tried []bool
	// text are constants of the variables' names.
	names []*vec.Vec
	// pathless tells that no condition depends on the way to a row, so that a place of the program fails at a row for good: memo has those, nil before the first choice of a way.
	pathless bool
	memo     *patternMemo
	// running are, by variable and item, the aggregates of conditions over the rows of the present way.
	running [][]*runningAggregate
	steps   int
}

func newPartition(ctx context.Context, m *Match, rows *vec.Batch) *partition {
	p := &partition{m: m, ctx: ctx, rows: rows, time: rows.Cols[m.Time].Flat().I64[:rows.N]}
	n := len(m.Program.Variables)
	p.whole, p.tried, p.running = make([]*vec.Vec, n), make([]bool, n), make([][]*runningAggregate, n)
	for _, v := range m.Program.Variables {
		b := vec.NewBuilder(datatype.String, 1)
		b.AppendString(v)
		p.names = append(p.names, b.Vec())
	}
	_, p.pathless = m.Program.perRow()
	for v, d := range m.Defines {
		if d == nil || d.local() {
			continue
		}
		p.pathless = false
		p.running[v] = make([]*runningAggregate, len(d.Items))
		for i, item := range d.Items {
			if item.Aggregate != nil {
				p.running[v][i] = &runningAggregate{of: item.Aggregate}
			}
		}
	}
	return p
}

// outcome is what became of an attempt.
type outcome uint8

const (
	matched outcome = iota
	failed
	// waits tells that rows which may come yet decide.
	waits
)

// thread is a choice that was not taken yet.
type thread struct {
	pc, at    int
	registers []int
	// trail is how many places of the memo led to it.
	trail int
}

// attempt looks for the first match, in the order of the pattern's choices, that begins with row s and lies before row end. closed tells that no row comes at end. The
// result is the variable of each row.
func (p *partition) attempt(s, end int, closed bool) ([]int, outcome, error) {
	prog := p.m.Program
	p.steps = 0
	p.memo.begin(s, end, closed)
	p.leave(0)
	var path []int
	var stack []thread
	t := thread{registers: make([]int, prog.registers)}
	t.at = s
	for {
		step := prog.steps[t.pc]
		ok := true
		switch step.op {
		case opMatch:
			return path[:t.at-s], matched, nil
		case opJump:
			t.pc = step.x
		case opSplit:
			if p.memo == nil && p.pathless { // without choices an attempt is short
				p.memo = newPatternMemo(prog, p.rows.N)
				p.memo.begin(s, end, closed)
			}
			if p.memo.seen(t) {
				ok = false
				break
			}
			stack = append(stack, thread{step.y, t.at, slices.Clone(t.registers), p.memo.depth()})
			t.pc = step.x
		case opEnter:
			t.registers[step.x] = t.at
			t.pc++
		case opProgress:
			ok = t.registers[step.x] < t.at
			t.pc++
		case opRow:
			if t.at >= end {
				if !closed {
					return nil, waits, nil
				}
				p.memo.touchEnd()
				ok = false
				break
			}
			if p.memo.seen(t) {
				ok = false
				break
			}
			path = append(path[:t.at-s], step.x)
			var err error
			if ok, err = p.holds(step.x, s, t.at, path); err != nil {
				return nil, failed, err
			}
			t.at++
			t.pc++
		}
		if ok {
			continue
		}
		if len(stack) == 0 {
			p.memo.back(0)
			return nil, failed, nil
		}
		t = stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		path = path[:t.at-s]
		p.memo.back(t.trail)
		p.leave(t.at - s)
	}
}

// leave says that only the first rows of the way stay as they are.
func (p *partition) leave(rows int) {
	for _, of := range p.running {
		for _, r := range of {
			if r != nil {
				r.leave(rows)
			}
		}
	}
}

// holds asks a variable's condition of a row.
func (p *partition) holds(variable, s, at int, path []int) (bool, error) {
	if p.steps++; p.steps%256 == 0 {
		if err := p.ctx.Err(); err != nil {
			return false, err
		}
		if p.steps > attemptLimit+(at-s)*len(p.whole) && !p.pathless {
			e := condition.Newf(condition.PatternLimit, "One beginning of a match asked %d conditions and is not decided: the pattern leaves too many ways open.", p.steps)
			e.Pos, e.Operator = p.m.At, "MatchRecognize"
			e.Hint = "Give variables conditions that exclude each other, bound repetitions or Within, or use conditions without aggregates, whose ways are tried once."
			return false, e
		}
	}
	d := p.m.Defines[variable]
	if d == nil {
		return true, nil
	}
	begins := at-s < d.reach() // it looks for rows before the match
	if begins {
		p.memo.touchStart()
	}
	if v := p.all(variable, d); v != nil && !begins {
		return !v.IsNull(at) && v.Bool[at&v.Mask()], nil
	}
	v, err := p.value(d, s, at, path, p.running[variable])
	if err != nil {
		return false, err
	}
	return !v.IsNull(0) && v.Bool[0], nil
}

// all computes a condition for all rows at once, where it depends on the rows alone; nil where it does not, or where it raises for a row that perhaps nobody asks.
func (p *partition) all(variable int, d *MatchExpr) *vec.Vec {
	if p.tried[variable] || !d.local() || d.Variable {
		return p.whole[variable]
	}
	p.tried[variable] = true
	n := p.rows.N
	cols := slices.Clone(p.rows.Cols)
	for _, item := range d.Items {
		v, err := item.Of.Eval(p.rows)
		if err != nil {
			return nil
		}
		idx := make([]int32, n)
		for i := range idx {
			idx[i] = int32(max(i-item.Back, -1))
		}
		cols = append(cols, vec.Take(v.Flat(), idx))
	}
	v, err := d.Expr.Eval(vec.NewBatch(cols, n, nil))
	if err != nil {
		return nil
	}
	p.whole[variable] = v
	return v
}

// value computes an expression at a row of a match that begins with row s; path has the variables of its rows. running are the aggregates of its items so far, nil where it is computed once.
func (p *partition) value(e *MatchExpr, s, at int, path []int, running []*runningAggregate) (*vec.Vec, error) {
	one := p.rows.Slice(at, at+1)
	cols := slices.Clone(one.Cols)
	cols[p.m.Width-1] = p.names[path[at-s]]
	var match *vec.Batch
	for i, item := range e.Items {
		var v *vec.Vec
		var err error
		switch {
		case item.Aggregate != nil && running != nil:
			v, err = running[i].value(p, s, at, path)
		case item.Aggregate != nil:
			if match == nil {
				match = p.match(s, s, at, path)
			}
			v, err = aggregate(item.Aggregate, match)
		case at-item.Back < s:
			v = item.Default
		default:
			v, err = item.Of.Eval(p.rows.Slice(at-item.Back, at-item.Back+1))
		}
		if err != nil {
			return nil, err
		}
		cols = append(cols, v)
	}
	v, err := e.Expr.Eval(vec.NewBatch(cols, 1, nil))
	if err != nil {
		return nil, err
	}
	return v.Flat(), nil
}

// match is the rows of a match that begins with row s, from one row to another, with their variables.
func (p *partition) match(s, from, at int, path []int) *vec.Batch {
	b := p.rows.Slice(from, at+1)
	cols := slices.Clone(b.Cols)
	names := vec.NewBuilder(datatype.String, b.N)
	for _, v := range path[from-s : at+1-s] {
		names.AppendString(p.m.Program.Variables[v])
	}
	cols[p.m.Width-1] = names.Vec()
	return vec.NewBatch(cols, b.N, nil)
}

// aggregate computes an aggregate over all rows of a batch.
func aggregate(a *kernel.Aggregate, b *vec.Batch) (*vec.Vec, error) {
	acc := a.New()
	acc.Grow(1)
	if err := accumulate(a, acc, b); err != nil {
		return nil, err
	}
	return acc.Result(1)
}

// accumulate adds the rows of a batch to an aggregate's only group.
func accumulate(a *kernel.Aggregate, acc kernel.Accumulator, b *vec.Batch) error {
	args := make([]*vec.Vec, len(a.Args))
	skip, err := a.Skip(b)
	if err != nil {
		return err
	}
	in := b
	if skip != nil {
		// Arguments are computed of the rows that count alone: they may raise for others.
		var idx []int32
		for i, s := range skip {
			if !s {
				idx = append(idx, int32(i))
			}
		}
		in = b.Take(idx)
	}
	for i, e := range a.Args {
		if args[i], err = e.Eval(in); err != nil {
			return err
		}
	}
	if in.N == 0 {
		return nil
	}
	return acc.Update(args, nil, nil, in.N)
}

// run finds matches from the first row on among the first released rows: no row at or before until comes any more. It gives them to emit with the place of their first row, and returns
// how many rows are done with; a match may still begin with the next.
func (p *partition) run(released int, until int64, emit func(s int, path []int) error) (int, error) {
	s := 0
	for s < released {
		if err := p.ctx.Err(); err != nil {
			return 0, err
		}
		end, closed := released, until == math.MaxInt64
		if w := p.m.Within; w > 0 {
			last := p.time[s] + w
			if last < p.time[s] { // beyond time
				last = math.MaxInt64
			}
			end = s + sortedAfter(p.time[s:released], last)
			closed = closed || end < released || until >= last
		}
		path, what, err := p.attempt(s, end, closed)
		if err != nil {
			return 0, err
		}
		if what == waits {
			break
		}
		next := s + 1
		if what == matched && len(path) > 0 {
			if err := emit(s, path); err != nil {
				return 0, err
			}
			next = p.m.next(s, path)
		}
		s = next
	}
	return s, nil
}

// sortedAfter is the number of times at or before a last one.
func sortedAfter(times []int64, last int64) int {
	n, _ := slices.BinarySearchFunc(times, last, func(t, last int64) int {
		if t <= last {
			return -1
		}
		return 1
	})
	return n
}

// next is the row where the search goes on behind a match.
func (m *Match) next(s int, path []int) int {
	switch m.Skip {
	case tree.SkipPastLastRow:
		return s + len(path)
	case tree.SkipToFirst:
		return s + max(slices.Index(path, m.SkipTo), 1)
	case tree.SkipToLast:
		for i := len(path) - 1; i > 0; i-- {
			if path[i] == m.SkipTo {
				return s + i
			}
		}
	}
	return s + 1
}
