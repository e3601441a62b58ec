package plan

import (
	"context"
	"math"
	"math/rand/v2"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/exec"
	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Inputs gives the builder what a run brings.
type Inputs struct {
	// Read opens the rows of a scan in this epoch.
	Read func(ctx context.Context, s *Scan, p connector.Projection) (connector.Batches, error)
	// Rows, which may be nil, counts the rows of a scan.
	Rows func(s *Scan) *atomic.Int64
	// Malformed, which may be nil, counts the records of a scan that could not be read whole.
	Malformed func(s *Scan) *atomic.Int64
	// Marks are the bounds of each stateful operator in this epoch; nil in batch.
	Marks []exec.Watermarks
	// Profile, which may be nil, is told of the operators.
	Profile *Profile
}

// builder makes operators of nodes.
type builder struct {
	task *exec.Task
	in   Inputs
	// sieves are made for whoever comes first, the join or the step below it.
	sieves map[*Sieve]*exec.Sieve
	spools map[*Shared]*exec.Spool
	// nodes are those that operators were made of, and pipelines their numbers, for the profile.
	nodes     map[exec.Operator]Node
	pipelines map[*exec.Pipeline]int
}

func (b *builder) sieve(s *Sieve) *exec.Sieve {
	if b.sieves == nil {
		b.sieves = map[*Sieve]*exec.Sieve{}
	}
	if b.sieves[s] == nil {
		b.sieves[s] = &exec.Sieve{}
	}
	return b.sieves[s]
}

// Build makes the operators of one run. Expressions are compiled anew, because the present moment is part of them.
func (p *Plan) Build(task *exec.Task, in Inputs) (exec.Operator, error) {
	b := &builder{task: task, in: in, spools: map[*Shared]*exec.Spool{}}
	var spools []*exec.Spool
	for _, part := range p.Parts {
		s := &exec.Spool{Types: types(part), Make: func() (exec.Operator, error) {
			// Each computation has sieves of its own.
			own := &builder{task: task, in: in, spools: b.spools}
			op, err := own.node(part.In)
			if err != nil {
				return nil, err
			}
			return own.gather(op), nil
		}}
		// A first build finds what the engine refuses before anything is opened.
		if _, err := s.Make(); err != nil {
			return nil, err
		}
		b.spools[part] = s
		spools = append(spools, s)
	}
	op, err := b.node(p.Root)
	if err != nil {
		return nil, err
	}
	op = b.gather(op)
	if in.Profile != nil {
		in.Profile.root = p.Root
	}
	if spools != nil {
		op = &exec.Spools{Operator: op, Of: spools}
	}
	return op, nil
}

// gather lets several goroutines work on a pipeline whose reader is one.
func (b *builder) gather(op exec.Operator) exec.Operator {
	if p, ok := op.(*exec.Pipeline); ok && b.task.Parallelism > 1 {
		return b.watch(b.nodes[op], gatherRole, &exec.Gather{Pipeline: p, Workers: b.task.Parallelism})
	}
	return op
}

func (b *builder) compile(s tree.Scalar) (*kernel.Expr, error) { return kernel.Compile(s, b.task.Env) }

func (b *builder) marks(op int) exec.Watermarks {
	if op >= 0 && op < len(b.in.Marks) {
		return b.in.Marks[op]
	}
	return exec.BatchWatermarks
}

// types gives the types of a node's output.
func types(n Node) []datatype.Type {
	out := make([]datatype.Type, n.Schema().Len())
	for i := range out {
		out[i] = n.Schema().Field(i).Type
	}
	return out
}

// node makes the operator of a node.
func (b *builder) node(n Node) (exec.Operator, error) {
	op, err := b.operator(n)
	if err != nil {
		return nil, err
	}
	return b.watch(n, ownRole, op), nil
}

// operator makes the operator of a node, which nobody watches. Stateless nodes become steps of one pipeline, which many goroutines can run.
func (b *builder) operator(n Node) (exec.Operator, error) {
	switch x := n.(type) {
	case *Scan:
		return b.scan(x)
	case *Shared:
		return &exec.Shared{Spool: b.spools[x]}, nil
	case *Values:
		return b.values(x)
	case *Join:
		return b.join(x)
	case *AsofJoin:
		return b.asofJoin(x)
	case *SetOperation:
		left, err := b.node(x.Left)
		if err != nil {
			return nil, err
		}
		right, err := b.node(x.Right)
		if err != nil {
			return nil, err
		}
		return &exec.SetOperation{Left: b.gather(left), Right: b.gather(right), Kind: x.Kind, All: x.All, Out: types(x)}, nil
	case *Keyed:
		return b.keyed(x)
	case *Match:
		return b.match(x)
	case *Single:
		return b.single(x)
	case *Mark:
		return b.mark(x)
	case *Apply:
		return b.apply(x)
	case *Union:
		u := &exec.Union{}
		for _, s := range x.Sides {
			op, err := b.node(s)
			if err != nil {
				return nil, err
			}
			// Sides may differ in the nullability of what is inside a type; the union's own is on the outside.
			u.Inputs = append(u.Inputs, exec.AppendStep(op, retype(types(x)), types(x)))
		}
		return u, nil
	}
	in, err := b.node(n.Inputs()[0])
	if err != nil {
		return nil, err
	}
	switch x := n.(type) {
	case *Project:
		exprs := make([]*kernel.Expr, len(x.Exprs))
		for i, e := range x.Exprs {
			if !x.needed(i) {
				continue
			}
			if exprs[i], err = b.compile(e.Expr); err != nil {
				return nil, err
			}
		}
		return exec.AppendStep(in, exec.Project(exprs), types(x)), nil
	case *Filter:
		cond, err := b.compile(x.Cond)
		if err != nil {
			return nil, err
		}
		return exec.AppendStep(in, exec.Filter(cond, x.need), types(x)), nil
	case *Sift:
		return exec.AppendStep(in, exec.Sift(b.sieve(x.From), x.Column, x.need), types(x)), nil
	case *Windows:
		t, err := b.compile(x.Time)
		if err != nil {
			return nil, err
		}
		w := windowsOf(x)
		w.Time, w.Need = t, x.need
		if x.Panes {
			w.Size, w.Cumulative = w.Slide, false
		}
		if x.Gap != nil {
			if w.Gap, err = b.compile(x.Gap); err != nil {
				return nil, err
			}
		}
		if rows := w.Rows(); rows > 0 {
			in = &exec.Split{Input: in, Rows: rows}
		}
		return exec.AppendStep(in, w.Transform(), types(x)), nil
	case *Aggregate:
		if x.Op >= 0 && b.task.Mode == tree.Append && x.EventKey < 0 {
			return nil, exec.NeverFinished()
		}
		a := &exec.Aggregate{Input: in, Task: b.task, Op: x.Op, EventKey: x.EventKey, Session: x.Session, Marks: b.marks(x.Op), Out: types(x)}
		if w, ok := x.In.(*Windows); ok && w.Panes {
			a.Panes, a.StartKey = windowsOf(w), startKey(x, w)
		}
		for _, k := range x.Keys {
			e, err := b.compile(k.Expr)
			if err != nil {
				return nil, err
			}
			a.Keys = append(a.Keys, e)
		}
		for i, g := range x.Aggs {
			// State keeps every aggregate, so in a stream all are computed.
			if x.Op < 0 && !x.needed(len(x.Keys)+i) {
				a.Aggs = append(a.Aggs, nil)
				continue
			}
			f, err := kernel.CompileAggregate(g.Expr.(*tree.Call), b.task.Env)
			if err != nil {
				return nil, err
			}
			a.Aggs = append(a.Aggs, f)
		}
		return a, nil
	case *Expand:
		e := &exec.Expand{Input: b.gather(in), Sets: x.Sets, IDs: x.IDs, Out: types(x)}
		for _, k := range x.Keys {
			c, err := b.compile(k.Expr)
			if err != nil {
				return nil, err
			}
			e.Keys = append(e.Keys, c)
		}
		return e, nil
	case *Sample:
		s := &exec.Sample{Input: b.gather(in), Fraction: x.Fraction, Seed: rand.Uint64()}
		if x.Seed != nil {
			s.Seed = uint64(*x.Seed)
		}
		return s, nil
	case *Sort:
		s := &exec.Sort{Input: b.gather(in), Task: b.task, Limit: x.Limit}
		if s.Keys, err = b.sortKeys(x.Keys); err != nil {
			return nil, err
		}
		return s, nil
	case *Limit:
		// Rows are not decoded ahead for a limit that may need few of them.
		l := &exec.Limit{Input: in, Task: b.task, Count: x.Count, Offset: x.Offset, Op: x.Op}
		if x.CountOf != nil {
			if l.Count, err = b.rowCount(x.CountOf); err != nil {
				return nil, err
			}
		}
		if x.OffsetOf != nil {
			if l.Offset, err = b.rowCount(x.OffsetOf); err != nil {
				return nil, err
			}
		}
		return l, nil
	case *Deduplicate:
		return &exec.Deduplicate{Input: b.gather(in), Task: b.task, Op: x.Op, Keys: x.Keys, Event: x.Event, InKeys: x.InKeys, Within: x.Within, Marks: b.marks(x.Op)}, nil
	case *Watermark:
		if x.Index < 0 {
			return exec.AppendStep(in, func(b *vec.Batch) (*vec.Batch, error) { return b, nil }, types(x)), nil
		}
		w := &exec.Watch{Ordinal: x.Ordinal, Op: x.Index, Delay: x.Delay, Task: b.task}
		return exec.AppendStep(in, w.Transform(), types(x)), nil
	case *Unnest:
		return exec.AppendStep(in, exec.Unnest(x.Ordinal, x.KeepEmpty, x.Position), types(x)), nil
	case *Over:
		return b.over(x, in)
	}
	return nil, unsupported(condition.Pos{}, "the local engine cannot run %T.", n)
}

// windowsOf gives the grid of windows.
func windowsOf(x *Windows) *exec.Windows {
	return &exec.Windows{Size: x.Size, Slide: x.Slide, Start: x.Start, Cumulative: x.Cumulative}
}

// rowCount computes the number of rows of a limit.
func (b *builder) rowCount(s tree.Scalar) (int64, error) {
	e, err := b.compile(s)
	if err != nil {
		return 0, err
	}
	v, err := e.Eval(&vec.Batch{N: 1})
	if err != nil {
		return 0, err
	}
	n, ok := v.Any(0).(int64)
	bad := condition.Newf("INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE", "The number of rows %s is %d, not from zero up.", tree.String(s), n)
	switch {
	case !ok:
		bad = condition.Newf("INVALID_LIMIT_LIKE_EXPRESSION.IS_NULL", "The number of rows %s is NULL.", tree.String(s))
	case n >= 0:
		return n, nil
	}
	bad.Pos, bad.Operator, bad.Hint = s.Pos(), "Limit", "Give a number from zero up."
	return 0, bad
}

func (b *builder) sortKeys(in []tree.SortKey) ([]exec.SortKey, error) {
	var out []exec.SortKey
	for _, k := range in {
		e, err := b.compile(k.Arg)
		if err != nil {
			return nil, err
		}
		out = append(out, exec.SortKey{Expr: e, Descending: k.Descending, NullsFirst: k.NullsFirst})
	}
	return out, nil
}

// retype gives columns the types of a schema, which differ in nothing but nullability inside.
func retype(ts []datatype.Type) exec.Transform {
	return func(b *vec.Batch) (*vec.Batch, error) {
		cols := make([]*vec.Vec, len(b.Cols))
		for i, c := range b.Cols {
			if c != nil && !datatype.Equal(c.Type, ts[i]) {
				c = c.WithType(ts[i])
			}
			cols[i] = c
		}
		return b.Derive(cols, b.N), nil
	}
}

func (b *builder) values(x *Values) (exec.Operator, error) {
	ts := types(x)
	bs := make([]*vec.Builder, len(ts))
	for i, t := range ts {
		bs[i] = vec.NewBuilder(t, len(x.Rows))
	}
	for _, row := range x.Rows {
		for i, s := range row {
			e, err := b.compile(s)
			if err != nil {
				return nil, err
			}
			v, err := e.Eval(&vec.Batch{N: 1})
			if err != nil {
				return nil, err
			}
			bs[i].AppendFrom(v, 0)
		}
	}
	batch := &vec.Batch{Cols: make([]*vec.Vec, len(ts)), N: len(x.Rows)}
	for i, c := range bs {
		batch.Cols[i] = c.Vec()
	}
	v := &exec.Values{Out: ts}
	for lo := 0; lo < batch.N; lo += b.task.BatchRows {
		v.Batches = append(v.Batches, batch.Slice(lo, min(lo+b.task.BatchRows, batch.N)))
	}
	return v, nil
}

// malformed is where the malformed records of a scan are counted, nil where nobody asks.
func (b *builder) malformed(x *Scan) *atomic.Int64 {
	if b.in.Malformed == nil {
		return nil
	}
	return b.in.Malformed(x)
}

// scan reads only what is needed: the connector is told the columns, and columns that it gives all the same are not converted.
func (b *builder) scan(x *Scan) (exec.Operator, error) {
	src := x.Read.Source
	fields := src.Fields
	ts := make([]datatype.Type, len(fields))
	for i, f := range fields {
		ts[i] = f.Type
	}
	need := make([]bool, len(fields))
	p := connector.Projection{Filters: b.filters(x), Malformed: b.malformed(x)}
	var decode exec.Transform
	if src.Codec == nil {
		for i := range need {
			need[i] = x.needed(i)
		}
	} else {
		var err error
		if decode, p.Payload, err = b.decoder(x, need); err != nil {
			return nil, err
		}
	}
	missing := make([]bool, len(fields))
	p.Columns, p.Dictionaries = []int{}, true
	for i, n := range need {
		if n {
			p.Columns = append(p.Columns, i)
		}
		missing[i] = !n
	}
	s := &exec.Scan{Out: ts, Missing: missing, Read: func(ctx context.Context) (connector.Batches, error) {
		rows, err := b.in.Read(ctx, x, p)
		if err != nil {
			return nil, condition.At(err, x.Read.Pos())
		}
		return located(rows, x.Read.Pos()), nil
	}}
	if b.in.Rows != nil {
		s.Rows = b.in.Rows(x)
	}
	if decode != nil {
		step := func(in *vec.Batch) (*vec.Batch, error) {
			out, err := decode(in)
			return out, condition.At(err, x.Read.Pos())
		}
		return exec.AppendStep(b.watch(x, sourceRole, s), step, types(x)), nil
	}
	return s, nil
}

// located gives the errors of a source the place where the user named the source.
func located(rows connector.Batches, pos condition.Pos) connector.Batches {
	return func(yield func(arrow.RecordBatch, error) bool) {
		for rec, err := range rows {
			if !yield(rec, condition.At(err, pos)) {
				return
			}
		}
	}
}

// join takes the equalities between the sides as keys; the rest of the condition is looked at for each pair.
func (b *builder) join(x *Join) (exec.Operator, error) {
	left, err := b.node(x.Left)
	if err != nil {
		return nil, err
	}
	right, err := b.node(x.Right)
	if err != nil {
		return nil, err
	}
	width := x.Left.Schema().Len()
	var keys []exec.JoinKey
	var rest []tree.Scalar
	sieves := map[int]*exec.Sieve{}
	for _, s := range x.Sieves {
		sieves[s.Right] = b.sieve(s)
	}
	for _, c := range x.On {
		k, ok, err := b.joinKey(x, c, width)
		if err != nil {
			return nil, err
		}
		if ok {
			keys = append(keys, k)
		} else {
			rest = append(rest, c)
		}
	}
	var residual *kernel.Expr
	if len(rest) > 0 {
		if residual, err = b.compile(conjoin(rest)); err != nil {
			return nil, err
		}
	}
	if x.Op >= 0 {
		return b.streamJoin(x, left, right, keys, residual)
	}
	need := make([]bool, width+x.Right.Schema().Len())
	for i, o := range x.Output {
		if x.needed(i) {
			if o.FromRight {
				need[width+o.Ordinal] = true
			} else {
				need[o.Ordinal] = true
			}
		}
	}
	j := &exec.Join{Left: left, Right: right, Kind: x.Kind, Keys: keys, Residual: residual, Need: need, Output: x.Output, Out: types(x), Task: b.task, Any: x.Any, Keep: x.Static, Sieves: sieves}
	if x.Any {
		j.First, err = b.order(x.Right)
	}
	return j, err
}

// order makes sort keys of all columns of a node that have an order.
func (b *builder) order(n Node) ([]exec.SortKey, error) {
	var keys []tree.SortKey
	for _, i := range ordered(n) {
		keys = append(keys, tree.SortKey{Arg: n.common().column(i), NullsFirst: true})
	}
	return b.sortKeys(keys)
}

func (b *builder) asofJoin(x *AsofJoin) (exec.Operator, error) {
	left, err := b.node(x.Left)
	if err != nil {
		return nil, err
	}
	right, err := b.node(x.Right)
	if err != nil {
		return nil, err
	}
	j := &exec.AsofJoin{Left: left, Right: right, Direction: x.Direction, Strict: x.Strict, Output: x.Output, Out: types(x), Need: x.need, Task: b.task}
	if j.LeftTime, err = b.compile(x.LeftTime); err != nil {
		return nil, err
	}
	if j.RightTime, err = b.compile(x.RightTime); err != nil {
		return nil, err
	}
	for _, k := range x.Keys {
		key := exec.JoinKey{NullSafe: k.NullSafe}
		if key.Left, err = b.compile(k.Left); err != nil {
			return nil, err
		}
		if key.Right, err = b.compile(k.Right); err != nil {
			return nil, err
		}
		j.Keys = append(j.Keys, key)
	}
	if x.Tolerance != nil {
		j.Tolerance = exec.NewDistance(x.Tolerance.Value, x.LeftTime.Type())
	}
	// Rows of one time stand in the order of the right columns.
	if j.Order, err = b.order(x.Right); err != nil {
		return nil, err
	}
	if x.Op < 0 {
		return j, nil
	}
	j.Left, j.Right = b.gather(left), b.gather(right)
	s := &exec.StreamAsof{Join: j, Task: b.task, Op: x.Op, Marks: b.marks(x.Op)}
	s.Wait, s.Keep = x.spans()
	return s, nil
}

// joinKey finds an equality of an expression over the left with one over the right.
func (b *builder) joinKey(x *Join, c tree.Scalar, width int) (exec.JoinKey, bool, error) {
	call, ok := c.(*tree.Call)
	if !ok || call.Func.Name != "=" && call.Func.Name != "<=>" {
		return exec.JoinKey{}, false, nil
	}
	side := func(s tree.Scalar) int { // 0 left, 1 right, -1 neither or both
		l, r := false, false
		for k := range columnsOf(s) {
			l, r = l || k < width, r || k >= width
		}
		switch {
		case l && !r:
			return 0
		case r && !l:
			return 1
		}
		return -1
	}
	p, q := call.Args[0], call.Args[1]
	if side(p) == 1 && side(q) == 0 {
		p, q = q, p
	}
	if side(p) != 0 || side(q) != 1 || !deterministic(p) || !deterministic(q) || p.Type().Kind() == datatype.KindMap {
		return exec.JoinKey{}, false, nil
	}
	l, err := b.compile(moveColumns(p, x.Left.common().stand, func(k int) int { return k }))
	if err != nil {
		return exec.JoinKey{}, false, err
	}
	r, err := b.compile(moveColumns(q, x.Right.common().stand, func(k int) int { return k - width }))
	return exec.JoinKey{Left: l, Right: r, NullSafe: call.Func.Name == "<=>"}, true, err
}

// streamJoin refuses what would have to look at every pair of rows: a join of two streams needs an equality.
func (b *builder) streamJoin(x *Join, left, right exec.Operator, keys []exec.JoinKey, residual *kernel.Expr) (exec.Operator, error) {
	switch x.Kind {
	case tree.InnerJoin, tree.LeftJoin, tree.FullJoin, tree.SemiJoin, tree.AntiJoin:
	default:
		return nil, unsupported(x.at, "the local engine does not join two streams by a %s join.", x.Kind)
	}
	if len(keys) == 0 {
		return nil, unsupported(x.at, "the local engine joins two streams by at least one equality of their columns.")
	}
	l, r := x.expiries()
	// Rows of an outer side come out when they leave the state, so something must bound how long they are in it.
	side := ""
	switch {
	case x.Kind != tree.InnerJoin && l.column < 0:
		side = "left"
	case x.Kind == tree.FullJoin && r.column < 0:
		side = "right"
	}
	if side != "" {
		e := condition.Newf(condition.StreamingUnsupported, "The local engine finds no bound in the condition of a %s join of two streams for how long rows of its %s side are waited for.", x.Kind, side)
		e.Hint = "Set a Watermark on both sides and compare their times, with literal intervals of days to seconds, as in right.time <= left.time + 1 hour, or join on columns of event time or windows."
		e.Pos = x.at
		return nil, e
	}
	j := &exec.StreamJoin{
		Left:  exec.StreamSide{Input: b.gather(left), Late: eventColumn(x.Left.Schema()), Expire: l.column, Delay: l.delay},
		Right: exec.StreamSide{Input: b.gather(right), Late: eventColumn(x.Right.Schema()), Expire: r.column, Delay: r.delay},
		Kind:  x.Kind, Residual: residual, Output: x.Output, Out: types(x), Task: b.task, Op: x.Op, Marks: b.marks(x.Op),
	}
	for _, k := range keys {
		j.Left.Keys, j.Right.Keys = append(j.Left.Keys, k.Left), append(j.Right.Keys, k.Right)
		j.NullSafe = append(j.NullSafe, k.NullSafe)
	}
	return j, nil
}

// Marks gives the bounds of each stateful operator, from the global late and eviction watermarks in microseconds: the watermark
// that reaches an operator is the least of its inputs', and it is passed on as it is but for joins of two streams.
//
// Source: Spark's WatermarkPropagator.
func (p *Plan) Marks(late, evict int64) []exec.Watermarks {
	out := make([]exec.Watermarks, len(p.Stateful))
	for i, m := range p.propagate(late) {
		out[i].LateBefore = m
	}
	for i, m := range p.propagate(evict) {
		out[i].EvictBefore = m
	}
	return out
}

// propagate gives the watermark that reaches each stateful operator, for one global watermark.
func (p *Plan) propagate(global int64) []int64 {
	in := make([]int64, len(p.Stateful))
	for i := range in {
		in[i] = global
	}
	at := map[Node]int{}
	for i, n := range p.Stateful {
		at[n] = i
	}
	var walk func(n Node) int64
	walk = func(n Node) int64 {
		mark := int64(math.MaxInt64) // no watermark below
		for _, c := range n.Inputs() {
			mark = min(mark, walk(c))
		}
		if w, ok := n.(*Watermark); ok && w.Index >= 0 {
			return global
		}
		i, ok := at[n]
		if !ok {
			return mark
		}
		in[i] = min(mark, global)
		switch j := n.(type) {
		case *Join:
			return j.outputMark(in[i])
		case *AsofJoin:
			// Rows come out as much later than their time as they have waited.
			if wait, _ := j.spans(); in[i] > math.MinInt64+wait {
				return in[i] - wait
			}
		}
		return in[i]
	}
	walk(p.Root)
	return in
}
