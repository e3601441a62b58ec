package streamtest

import (
	"context"
	"encoding/json"
	"slices"
	"sync/atomic"
	"time"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Local runs scripts on the local engine, each on a session of its own that the options set up. The session's clock is the script's, whatever the options say.
func Local(opts ...local.Option) Target { return localTarget{opts} }

type localTarget struct{ opts []local.Option }

// String implements [Target].
func (localTarget) String() string { return "the local engine" }

func (t localTarget) start(context.Context) (runner, func() error, error) {
	r := &localRunner{}
	var err error
	r.session, err = local.Open(append(slices.Clone(t.opts), local.Clock(r.now))...)
	if err != nil {
		return nil, nil, err
	}
	return r, r.session.Close, nil
}

// began is when a script's clock begins.
var began = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

type localRunner struct {
	session *local.Session
	// clock is how far the clock has come since it began.
	clock atomic.Int64
}

func (r *localRunner) now() time.Time { return began.Add(time.Duration(r.clock.Load())) }

func (r *localRunner) advance() error { return nil }

func (r *localRunner) table(in *input) (expr.Table, error) {
	return expr.Read(in.name, feed{in}), nil
}

func (r *localRunner) play(ctx context.Context, s *Script) ([]Epoch, error) {
	to := &collector{epochs: map[int64][][]any{}}
	tick := func(epoch int) {
		if n := len(s.steps); n > 0 {
			r.clock.Store(int64(s.steps[min(epoch, n-1)].clock))
		}
	}
	// The next epoch begins when the sink has what the one before it gave.
	to.done = func(epoch int64) { tick(int(epoch) + 1) }
	tick(0)
	q, err := r.session.Start(ctx, s.table.WriteTo(to).OutputMode(s.mode).Trigger(expr.AvailableNow()))
	if err != nil {
		return nil, err
	}
	defer func() { _ = q.Stop(context.WithoutCancel(ctx)) }() // no error comes of a query that has ended
	if err := q.AwaitTermination(ctx); err != nil {
		return nil, err
	}
	progress, err := q.RecentProgress(ctx)
	if err != nil {
		return nil, err
	}
	epochs := make([]Epoch, len(to.epochs))
	for i := range epochs {
		e := &epochs[i]
		for _, f := range to.fields {
			e.Columns = append(e.Columns, f.Name)
		}
		e.fields = to.fields
		if e.Rows, err = literalTexts(ctx, to.fields, to.epochs[int64(i)]); err != nil {
			return nil, err
		}
		slices.Sort(e.Rows)
	}
	return epochs, report(epochs, progress)
}

// feed is an input as a source of the local engine, an epoch a step.
type feed struct{ in *input }

// Source implements [expr.Source].
func (f feed) Source() (*tree.Source, error) {
	return &tree.Source{Format: "memory", Fields: f.in.fields, Batch: true, Stream: true, Local: f}, nil
}

// Open implements [connector.Opener]. Offsets are numbers of steps.
func (f feed) Open(ctx context.Context, env connector.Env) (connector.Source, error) {
	rows := connectors.NewMemoryStreamDDL(datatype.DDL(f.in.fields))
	ends := []int64{0}
	for _, step := range f.in.steps {
		if err := rows.AddLiterals(step); err != nil {
			return nil, err
		}
		ends = append(ends, rows.Len())
	}
	src, err := rows.Source()
	if err != nil {
		return nil, err
	}
	inner, err := connector.OpenSource(ctx, env, src)
	return &feeder{inner, ends}, err
}

type feeder struct {
	connector.Source
	// ends are the numbers of rows behind each step, the first of none.
	ends []int64
}

var _ connector.AvailableNow = (*feeder)(nil)

// step reads an offset.
func (f *feeder) step(o connector.Offset) (int64, error) {
	var n int64
	if err := json.Unmarshal(o, &n); err != nil || n < 0 || n >= int64(len(f.ends)) {
		return 0, condition.Newf(condition.CheckpointCorrupt, "The offset %s is no number of a script's steps.", o)
	}
	return n, nil
}

// PrepareAvailableNow implements [connector.AvailableNow]; a script that runs does not grow.
func (f *feeder) PrepareAvailableNow(context.Context) error { return nil }

// Latest implements [connector.Source]: the next step, also when it has no rows. A batch reads them all.
func (f *feeder) Latest(_ context.Context, start connector.Offset, all bool) (connector.Offset, error) {
	n, err := f.step(start)
	if err != nil {
		return nil, err
	}
	last := int64(len(f.ends) - 1)
	if all {
		return json.Marshal(last)
	}
	return json.Marshal(min(n+1, last))
}

// Read implements [connector.Source].
func (f *feeder) Read(ctx context.Context, start, end connector.Offset, p connector.Projection) (connector.Batches, error) {
	var rows [2]connector.Offset
	for i, o := range []connector.Offset{start, end} {
		n, err := f.step(o)
		if err != nil {
			return nil, err
		}
		if rows[i], err = json.Marshal(f.ends[n]); err != nil {
			return nil, err
		}
	}
	return f.Source.Read(ctx, rows[0], rows[1], p)
}

// collector keeps the rows of each epoch apart.
type collector struct {
	epochs map[int64][][]any
	fields []datatype.Field
	done   func(epoch int64)
}

// Sink implements [expr.Sink].
func (c *collector) Sink() (*tree.Sink, error) {
	return &tree.Sink{Format: "memory", Stream: true, Modes: []tree.OutputMode{tree.Append, tree.Update, tree.Complete}, Local: c}, nil
}

// OpenSink implements [connector.SinkOpener].
func (c *collector) OpenSink(_ context.Context, env connector.Env) (connector.Sink, error) {
	return &collecting{c, env}, nil
}

type collecting struct {
	to  *collector
	env connector.Env
}

// Write implements [connector.Sink].
func (c *collecting) Write(ctx context.Context, epoch int64, mode tree.OutputMode, fields []datatype.Field, rows connector.Batches) (int64, error) {
	one := connectors.NewMemorySink()
	d, err := one.Sink()
	if err != nil {
		return 0, err
	}
	sink, err := connector.OpenSink(ctx, c.env, d)
	if err != nil {
		return 0, err
	}
	n, err := sink.Write(ctx, epoch, mode, fields, rows)
	if err != nil {
		return 0, err
	}
	c.to.fields, c.to.epochs[epoch] = fields, one.Rows()
	c.to.done(epoch)
	return n, sink.Close()
}

// Description implements [connector.Sink].
func (c *collecting) Description() string { return "StreamTestSink" }

// Close implements [connector.Sink].
func (c *collecting) Close() error { return nil }
