// Package exec is the engine's operators: they pull batches from their inputs and know nothing of batch or stream. A stateful
// operator asks its [Task] for a store and for two watermarks; a batch query is one epoch whose store is thrown away and whose
// watermark is the end of time.
package exec

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/fault"
	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/state"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Operator gives batches. Next gives nil at the end, and again on every further call. Several goroutines may call Next at once;
// each batch goes to one of them. Open is called once before, Close once after, also when Open failed or Next was not drained.
type Operator interface {
	// Types are the types of the columns.
	Types() []datatype.Type
	// Open begins the work below; the context ends it.
	Open(ctx context.Context) error
	// Next gives a batch, or nil at the end.
	Next(ctx context.Context) (*vec.Batch, error)
	// Close gives back what the operator and those below it hold.
	Close() error
}

// Task is one run of a plan: an epoch of a stream, or a whole batch query.
type Task struct {
	Env         *kernel.Env
	Parallelism int
	BatchRows   int
	// Stream makes operators keep state; Mode is then the query's output mode.
	Stream bool
	Mode   tree.OutputMode
	// Epoch is the number of the epoch in a stream.
	Epoch int64
	// Stores gives the store of the operator with a number; nil in batch.
	Stores func(op int) (state.Store, error)
	// Late, which may be nil, is given the rows that the watermark drops: of an operator's input, the rows of a batch, and for each the time that the watermark
	// has passed, in microseconds. Several goroutines may call it at once, and the batch is theirs again afterwards.
	Late func(op, input int, b *vec.Batch, rows []int32, times []int64) error
	// Memo keeps what an operator wants to find again in the next epoch of the same run; nil in batch.
	Memo map[int]any

	mu      sync.Mutex
	metrics map[int]*Metrics
	late    map[int]int64
	seen    map[int]EventTimes
}

// Metrics are a stateful operator's numbers of one epoch, as in Spark's stateOperators.
type Metrics struct {
	Name           string
	RowsTotal      int64
	RowsUpdated    int64
	RowsRemoved    int64
	RowsDropped    int64 // numRowsDroppedByWatermark
	RowsUntimed    int64 // rows of the input that have no event time where the operator needs one
	LateRows       int64 // rows of the input that the watermark dropped, of which RowsDropped may count several as one
	DuplicateRows  int64 // numDroppedDuplicateRows
	MemoryBytes    int64
	PartitionCount int
}

// EventTimes are what a watermark operator saw in an epoch, in microseconds.
type EventTimes struct {
	Count         int64
	Min, Max      int64
	Sum           float64
	DelayMicros   int64
	OperatorIndex int
}

// dropped counts rows of an operator's input that are late, and tells of them.
func (t *Task) dropped(op, input int, b *vec.Batch, rows []int32, times []int64) error {
	if len(rows) == 0 {
		return nil
	}
	t.mu.Lock()
	if t.late == nil {
		t.late = map[int]int64{}
	}
	t.late[op] += int64(len(rows))
	t.mu.Unlock()
	if t.Late == nil {
		return nil
	}
	return t.Late(op, input, b, rows, times)
}

// lateRows finds the rows of a batch whose time a bound has passed.
func lateRows(v *vec.Vec, n int, bound int64) (rows []int32, times []int64) {
	if v.Kids != nil {
		v = kernel.Field(v, 1)
	}
	for i := range n {
		if !v.IsNull(i) && v.I64[i&v.Mask()] <= bound {
			rows, times = append(rows, int32(i)), append(times, v.I64[i&v.Mask()])
		}
	}
	return rows, times
}

// Report puts an operator's metrics into the task.
func (t *Task) Report(op int, m Metrics) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.metrics == nil {
		t.metrics = map[int]*Metrics{}
	}
	m.LateRows = t.late[op]
	t.metrics[op] = &m
}

// Metrics gives the metrics of each stateful operator by number.
func (t *Task) Metrics() map[int]*Metrics {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.metrics
}

// Observe adds event times that watermark operator op saw.
func (t *Task) Observe(op int, e EventTimes) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen == nil {
		t.seen = map[int]EventTimes{}
	}
	if old, ok := t.seen[op]; ok && old.Count > 0 {
		if e.Count == 0 {
			return
		}
		e.Min, e.Max = min(e.Min, old.Min), max(e.Max, old.Max)
		e.Count += old.Count
		e.Sum += old.Sum
	}
	t.seen[op] = e
}

// Seen gives what each watermark operator saw.
func (t *Task) Seen() map[int]EventTimes {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.seen
}

// Watermarks are the two bounds of a stateful operator in an epoch, in microseconds. Rows at or before LateBefore are too late
// (the previous epoch's watermark); state at or before EvictBefore is finished (this epoch's). MinInt64 is no bound yet.
type Watermarks struct {
	LateBefore, EvictBefore int64
}

// BatchWatermarks are the bounds of a batch query: nothing is late and everything is finished.
var BatchWatermarks = Watermarks{LateBefore: math.MinInt64, EvictBefore: math.MaxInt64 - 1}

// Transform changes one batch, which it takes over; it gives nil for a batch without rows. Calls for different batches may run
// at once.
type Transform func(b *vec.Batch) (*vec.Batch, error)

// Step is a transform of a pipeline with what counts for it, nil in a run that is not analysed.
type Step struct {
	Do    Transform
	Meter *Meter
}

// run is the transform of one batch.
func (s Step) run(ctx context.Context, b *vec.Batch) (*vec.Batch, error) {
	if s.Meter == nil {
		return s.Do(b)
	}
	_, in := begin(ctx, s.Meter)
	b, err := s.Do(b)
	spanOf(ctx).idle(in.end())
	s.Meter.ran.Store(true)
	s.Meter.out(b)
	return b, err
}

// Pipeline applies transforms to the batches of an input, outside any lock, so that its callers' goroutines share the work.
type Pipeline struct {
	Input Operator
	Steps []Step
	Out   []datatype.Type
	// Begin, which may be nil, runs after the input was opened, and End when it is closed.
	Begin func(ctx context.Context) error
	End   func() error
}

// Types implements [Operator].
func (p *Pipeline) Types() []datatype.Type { return p.Out }

// Open implements [Operator].
func (p *Pipeline) Open(ctx context.Context) error {
	if err := p.Input.Open(ctx); err != nil {
		return err
	}
	if p.Begin != nil {
		return p.Begin(ctx)
	}
	return nil
}

// Next implements [Operator].
func (p *Pipeline) Next(ctx context.Context) (*vec.Batch, error) {
	for {
		b, err := p.Input.Next(ctx)
		if b == nil || err != nil {
			return nil, err
		}
		if b, err = p.apply(ctx, b); b != nil || err != nil {
			return b, err
		}
	}
}

// apply runs the steps over a batch; nil means that no row is left.
func (p *Pipeline) apply(ctx context.Context, b *vec.Batch) (*vec.Batch, error) {
	var err error
	for _, f := range p.Steps {
		if b, err = f.run(ctx, b); b == nil || err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Close implements [Operator].
func (p *Pipeline) Close() error {
	err := p.Input.Close()
	if p.End != nil {
		if e := p.End(); err == nil {
			err = e
		}
	}
	return err
}

// AppendStep adds a transform to an operator: to the pipeline that it is, or in a new one.
func AppendStep(in Operator, f Transform, out []datatype.Type) *Pipeline {
	if p, ok := in.(*Pipeline); ok {
		p.Steps = append(p.Steps, Step{Do: f})
		p.Out = out
		return p
	}
	return &Pipeline{Input: in, Steps: []Step{{Do: f}}, Out: out}
}

// Scan gives the batches of a connector.
type Scan struct {
	Out []datatype.Type
	// Read opens the rows; it is called once.
	Read func(ctx context.Context) (connector.Batches, error)
	// Missing marks columns that the query does not use: they are not converted.
	Missing []bool
	// Rows counts the rows that came.
	Rows *atomic.Int64
	// Meter counts the time of reading; nil in a run that is not analysed.
	Meter *Meter

	mu      sync.Mutex
	batches chan scanned
	ctx     context.Context
	cancel  context.CancelFunc
	done    chan struct{}
	err     error
}

type scanned struct {
	b   *vec.Batch
	err error
}

// Types implements [Operator].
func (s *Scan) Types() []datatype.Type { return s.Out }

// Open implements [Operator]. The rows are read by a goroutine of its own, a few batches ahead.
func (s *Scan) Open(ctx context.Context) error {
	ctx, s.cancel = context.WithCancel(ctx)
	s.ctx = ctx
	rows, err := s.Read(ctx)
	if err != nil {
		return err
	}
	types := s.Out
	if s.Missing != nil {
		types = append([]datatype.Type(nil), types...)
		for i, m := range s.Missing {
			if m {
				types[i] = nil
			}
		}
	}
	s.batches, s.done = make(chan scanned, 2), make(chan struct{})
	go func() {
		defer close(s.done)
		defer close(s.batches)
		var reading *span // of an analysed run
		if s.Meter != nil {
			_, reading = begin(ctx, s.Meter)
			defer reading.end()
		}
		send := func(x scanned) bool {
			if reading != nil {
				from := time.Now()
				defer func() { reading.idle(time.Since(from)) }()
			}
			select {
			case s.batches <- x:
				return true
			case <-ctx.Done():
				if x.b != nil {
					x.b.Release()
				}
				return false
			}
		}
		err := fault.Do(func() error {
			for rec, err := range rows {
				if err != nil {
					return err
				}
				b, err := vec.FromRecord(rec, types)
				rec.Release()
				if err != nil {
					return err
				}
				if s.Rows != nil {
					s.Rows.Add(int64(b.N))
				}
				if b.N == 0 {
					b.Release()
					continue
				}
				if !send(scanned{b: b}) {
					return nil
				}
			}
			return nil
		})
		if err != nil {
			send(scanned{err: err})
		}
	}()
	return nil
}

// Next implements [Operator].
func (s *Scan) Next(ctx context.Context) (*vec.Batch, error) {
	select {
	case x, ok := <-s.batches:
		if !ok {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.err != nil {
				return nil, s.err
			}
			// The reader also stops when its context ends; that is no end of the rows.
			return nil, s.ctx.Err()
		}
		if x.err != nil {
			s.mu.Lock()
			s.err = x.err
			s.mu.Unlock()
		}
		return x.b, x.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close implements [Operator].
func (s *Scan) Close() error {
	if s.cancel != nil {
		s.cancel()
	}
	if s.done != nil {
		<-s.done
		for x := range s.batches {
			if x.b != nil {
				x.b.Release()
			}
		}
	}
	return nil
}

// Values gives batches that are there already.
type Values struct {
	Out     []datatype.Type
	Batches []*vec.Batch

	mu sync.Mutex
	at int
}

// Types implements [Operator].
func (v *Values) Types() []datatype.Type { return v.Out }

// Open implements [Operator].
func (*Values) Open(context.Context) error { return nil }

// Next implements [Operator].
func (v *Values) Next(ctx context.Context) (*vec.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for v.at < len(v.Batches) {
		b := v.Batches[v.at]
		v.at++
		if b.N > 0 {
			return b, nil
		}
	}
	return nil, nil
}

// Close implements [Operator].
func (v *Values) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	for ; v.at < len(v.Batches); v.at++ {
		v.Batches[v.at].Release()
	}
	return nil
}

// Union gives the batches of its inputs, one input after the other.
type Union struct {
	Inputs []Operator
	at     atomic.Int64
}

// Types implements [Operator].
func (u *Union) Types() []datatype.Type { return u.Inputs[0].Types() }

// Open implements [Operator].
func (u *Union) Open(ctx context.Context) error {
	for _, in := range u.Inputs {
		if err := in.Open(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Next implements [Operator].
func (u *Union) Next(ctx context.Context) (*vec.Batch, error) {
	for {
		i := u.at.Load()
		if i >= int64(len(u.Inputs)) {
			return nil, nil
		}
		b, err := u.Inputs[i].Next(ctx)
		if b != nil || err != nil {
			return b, err
		}
		u.at.CompareAndSwap(i, i+1)
	}
}

// Close implements [Operator].
func (u *Union) Close() error { return closeAll(u.Inputs...) }

// closeAll closes every operator and gives the first error.
func closeAll(ops ...Operator) error {
	var first error
	for _, op := range ops {
		if err := op.Close(); first == nil {
			first = err
		}
	}
	return first
}

// once runs a blocking operator's work for the first caller of Next; it guards the results for the others.
type once struct {
	mu   sync.Mutex
	done bool
	err  error
	out  []*vec.Batch
}

// next gives the batches that work returns, one by one.
func (o *once) next(ctx context.Context, work func() ([]*vec.Batch, error)) (*vec.Batch, error) {
	lock(ctx, &o.mu)
	defer o.mu.Unlock()
	if !o.done {
		o.done = true
		o.out, o.err = fault.Get(work)
	}
	if o.err != nil {
		return nil, o.err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for len(o.out) > 0 {
		b := o.out[0]
		o.out = o.out[1:]
		if b.N > 0 {
			return b, nil
		}
		b.Release()
	}
	return nil, nil
}

func (o *once) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, b := range o.out {
		b.Release()
	}
	o.out, o.done = nil, true
}

// drain reads an input to its end with several goroutines, each with its own worker. The number of the goroutine goes to f.
func drain(ctx context.Context, in Operator, workers int, f func(worker int, b *vec.Batch) error) error {
	if workers <= 1 {
		for {
			b, err := in.Next(ctx)
			if b == nil || err != nil {
				return err
			}
			if err := f(0, b); err != nil {
				return err
			}
		}
	}
	g := newGroup(ctx)
	for w := range workers {
		g.Go(func(ctx context.Context) error {
			for {
				b, err := in.Next(ctx)
				if b == nil || err != nil {
					return err
				}
				if err := f(w, b); err != nil {
					return err
				}
			}
		})
	}
	return g.Wait()
}

// Collect reads an input to its end by one goroutine, so in its order.
func Collect(ctx context.Context, in Operator) ([]*vec.Batch, error) {
	var out []*vec.Batch
	for {
		b, err := in.Next(ctx)
		if err != nil {
			for _, x := range out {
				x.Release()
			}
			return nil, err
		}
		if b == nil {
			return out, nil
		}
		out = append(out, b)
	}
}

// split cuts a batch into batches of at most rows rows. They share memory, so the last one holds the whole.
func split(b *vec.Batch, rows int) []*vec.Batch {
	if b.N == 0 {
		b.Release()
		return nil
	}
	if b.N <= rows {
		return []*vec.Batch{b}
	}
	var left atomic.Int64
	var out []*vec.Batch
	n := (b.N + rows - 1) / rows
	left.Store(int64(n))
	for lo := 0; lo < b.N; lo += rows {
		hi := min(lo+rows, b.N)
		s := b.Slice(lo, hi)
		out = append(out, vec.NewBatch(s.Cols, s.N, func() {
			if left.Add(-1) == 0 {
				b.Release()
			}
		}))
	}
	return out
}

// Gather runs a pipeline's transforms by several goroutines ahead of its one reader, and keeps the order of the batches.
type Gather struct {
	Pipeline *Pipeline
	Workers  int

	mu      sync.Mutex // guards the order in which batches are taken and tickets are given
	tickets chan chan gathered
	cancel  context.CancelFunc
	g       *errgroup.Group
	outer   context.Context // the run's
	ctx     context.Context // the workers', which the first error ends
	done    chan struct{}
}

type gathered struct {
	b   *vec.Batch
	err error
}

// Types implements [Operator].
func (g *Gather) Types() []datatype.Type { return g.Pipeline.Types() }

// Open implements [Operator].
func (g *Gather) Open(ctx context.Context) error {
	if err := g.Pipeline.Open(ctx); err != nil {
		return err
	}
	ctx, g.cancel = context.WithCancel(ctx)
	g.tickets = make(chan chan gathered, 2*g.Workers)
	g.outer = ctx
	g.g, g.ctx = errgroup.WithContext(ctx)
	g.done = make(chan struct{})
	for range g.Workers {
		g.g.Go(func() error {
			// What the workers do counts for the steps and for what is below them.
			if spanOf(ctx) != nil {
				inner, _ := begin(g.ctx, nil)
				return g.work(inner)
			}
			return g.work(g.ctx)
		})
	}
	go func() {
		_ = g.g.Wait() // each error went through a ticket
		close(g.tickets)
		close(g.done)
	}()
	return nil
}

func (g *Gather) work(ctx context.Context) error {
	for {
		g.mu.Lock()
		if err := ctx.Err(); err != nil {
			g.mu.Unlock()
			return err
		}
		b, err := fault.Get(func() (*vec.Batch, error) { return g.Pipeline.Input.Next(ctx) })
		if b == nil && err == nil {
			g.mu.Unlock()
			return nil
		}
		ticket := make(chan gathered, 1)
		select {
		case g.tickets <- ticket:
		case <-ctx.Done():
			g.mu.Unlock()
			if b != nil {
				b.Release()
			}
			return ctx.Err()
		}
		g.mu.Unlock()
		if err == nil {
			b, err = fault.Get(func() (*vec.Batch, error) { return g.Pipeline.apply(ctx, b) })
		}
		ticket <- gathered{b, err}
		if err != nil {
			return err
		}
	}
}

// Next implements [Operator].
func (g *Gather) Next(ctx context.Context) (*vec.Batch, error) {
	for {
		select {
		case ticket, ok := <-g.tickets:
			if !ok {
				// The workers stop early only when the context ends; that is no end of the rows.
				return nil, g.outer.Err()
			}
			x := <-ticket
			if x.b != nil || x.err != nil {
				return x.b, x.err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Close implements [Operator].
func (g *Gather) Close() error {
	if g.cancel != nil {
		g.cancel()
		for ticket := range g.tickets {
			if x := <-ticket; x.b != nil {
				x.b.Release()
			}
		}
		<-g.done
	}
	return g.Pipeline.Close()
}
