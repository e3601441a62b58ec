package exec

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/spoonbill-go/spoonbill/backend/local/fault"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
)

// Meter counts what an operator of an analysed run does. Several goroutines, and several copies of the operator, may count on one.
type Meter struct {
	rows, batches, nanos, bytes atomic.Int64
	ran, holds                  atomic.Bool
}

// Rows and Batches are what the operator gave.
func (m *Meter) Rows() int64 { return m.rows.Load() }

// Batches are those that the rows came in.
func (m *Meter) Batches() int64 { return m.batches.Load() }

// Elapsed is the time in the operator itself, over all goroutines: without its inputs and without waiting for other goroutines.
func (m *Meter) Elapsed() time.Duration { return time.Duration(m.nanos.Load()) }

// Ran tells whether anybody asked the operator for rows.
func (m *Meter) Ran() bool { return m.ran.Load() }

// Bytes is the most memory that the operator told of at once; false where it told of none.
func (m *Meter) Bytes() (int64, bool) { return m.bytes.Load(), m.holds.Load() }

// out counts what an operator gave.
func (m *Meter) out(b *vec.Batch) {
	if m != nil && b != nil {
		m.rows.Add(int64(b.N))
		m.batches.Add(1)
	}
}

// span is a goroutine's time in an operator of an analysed run. It is in the context; other runs have none, and all that is below does nothing then.
type span struct {
	meter *Meter // nil for time that counts for nobody
	start time.Time
	other atomic.Int64 // nanoseconds within inputs, or of waiting
}

type spanKey struct{}

func spanOf(ctx context.Context) *span {
	s, _ := ctx.Value(spanKey{}).(*span)
	return s
}

// begin gives a span of its own to a stretch of work that counts for m.
func begin(ctx context.Context, m *Meter) (context.Context, *span) {
	s := &span{meter: m, start: time.Now()}
	return context.WithValue(ctx, spanKey{}, s), s
}

// end counts the span's own time and gives the whole.
func (s *span) end() time.Duration {
	d := time.Since(s.start)
	if s.meter != nil {
		s.meter.nanos.Add(max(0, int64(d)-s.other.Load()))
	}
	return d
}

// idle leaves a stretch of time out of a span's own; s may be nil.
func (s *span) idle(d time.Duration) {
	if s != nil {
		s.other.Add(int64(d))
	}
}

// within gives ctx the span of another context: for work that outlives the call that asks for it.
func within(ctx, from context.Context) context.Context {
	if s := spanOf(from); s != nil {
		return context.WithValue(ctx, spanKey{}, s)
	}
	return ctx
}

// lock takes a lock that others may hold for long. In an analysed run the wait is nobody's time.
func lock(ctx context.Context, mu *sync.Mutex) {
	if mu.TryLock() {
		return
	}
	from := time.Now()
	mu.Lock()
	spanOf(ctx).idle(time.Since(from))
}

// hold tells how many bytes an operator holds at the moment. They are counted in an analysed run only.
func hold(ctx context.Context, bytes func() int) {
	s := spanOf(ctx)
	if s == nil || s.meter == nil {
		return
	}
	s.meter.holds.Store(true)
	n := int64(bytes())
	for {
		old := s.meter.bytes.Load()
		if n <= old || s.meter.bytes.CompareAndSwap(old, n) {
			return
		}
	}
}

// Metered is an operator of an analysed run that counts for a meter.
type Metered struct {
	Operator
	Meter *Meter
	// Waits tells that the work is done by other goroutines, which count it themselves: Next only waits for them.
	Waits bool
}

// Open implements [Operator].
func (o *Metered) Open(ctx context.Context) error {
	up := spanOf(ctx)
	inner, s := begin(ctx, o.Meter)
	defer func() { up.idle(s.end()) }()
	return o.Operator.Open(inner)
}

// Next implements [Operator].
func (o *Metered) Next(ctx context.Context) (*vec.Batch, error) {
	up := spanOf(ctx)
	m := o.Meter
	if o.Waits {
		m = nil
	}
	inner, s := begin(ctx, m)
	b, err := o.Operator.Next(inner)
	up.idle(s.end())
	o.Meter.ran.Store(true)
	o.Meter.out(b)
	return b, err
}

// group runs functions on goroutines and gives the first error, which ends the context of the others; a panic of one is its error. In an analysed run their time
// counts for the operator that they work for, and its own from making the group to the end of Wait does not.
type group struct {
	errgroup *errgroup.Group
	ctx      context.Context
	up       *span
	from     time.Time
}

func newGroup(ctx context.Context) *group {
	g := &group{up: spanOf(ctx), from: time.Now()}
	g.errgroup, g.ctx = errgroup.WithContext(ctx)
	return g
}

// Go runs f on a goroutine.
func (g *group) Go(f func(ctx context.Context) error) {
	g.errgroup.Go(func() (err error) {
		defer fault.Catch(&err)
		ctx := g.ctx
		if g.up != nil {
			inner, s := begin(ctx, g.up.meter)
			ctx = inner
			defer s.end()
		}
		return f(ctx)
	})
}

// Wait waits for all.
func (g *group) Wait() error {
	err := g.errgroup.Wait()
	g.up.idle(time.Since(g.from))
	return err
}
