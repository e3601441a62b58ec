package stream

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/spoonbill-go/spoonbill/backend/local/exec"
	"github.com/spoonbill-go/spoonbill/backend/local/fault"
	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/plan"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// lateRows are the rows that the watermark dropped in an epoch, with the columns of [tree.LateFields].
type lateRows struct {
	plan  *plan.Plan
	env   *kernel.Env
	epoch int64

	mu   sync.Mutex
	cols []*vec.Builder
	n    int
	// encoders are those of the operators' inputs.
	encoders map[[2]int]*lateEncoder
}

// lateEncoder writes the columns of an operator's input as JSON.
type lateEncoder struct {
	columns []int
	encoder *kernel.Encoder
}

func newLateRows(p *plan.Plan, env *kernel.Env, epoch int64) *lateRows {
	l := &lateRows{plan: p, env: env, epoch: epoch, encoders: map[[2]int]*lateEncoder{}}
	for _, f := range tree.LateFields() {
		l.cols = append(l.cols, vec.NewBuilder(f.Type, 0))
	}
	return l
}

// add notes rows of a batch of an operator's input, with the times that the bound has passed.
func (l *lateRows) add(op, input int, b *vec.Batch, rows []int32, times []int64, bound int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, err := l.encoder(op, input, b)
	if err != nil {
		return err
	}
	some := b.Take(rows)
	defer some.Release()
	cols := make([]*vec.Vec, len(e.columns))
	for i, c := range e.columns {
		cols[i] = some.Cols[c]
	}
	text, err := e.encoder.Encode(vec.NewBatch(cols, some.N, nil))
	if err != nil {
		return err
	}
	for i := range rows {
		l.cols[0].AppendInt(l.epoch)
		l.cols[1].AppendInt(int64(op))
		l.cols[2].AppendInt(bound)
		l.cols[3].AppendInt(times[i])
		l.cols[4].AppendFrom(text, i)
	}
	l.n += len(rows)
	return nil
}

func (l *lateRows) encoder(op, input int, b *vec.Batch) (*lateEncoder, error) {
	if e := l.encoders[[2]int{op, input}]; e != nil {
		return e, nil
	}
	e := &lateEncoder{}
	var fields []datatype.Field
	in := l.plan.Stateful[op].Inputs()[input]
	all := in.Schema().Types()
	if w, ok := in.(*plan.Windows); ok {
		all = all[:w.In.Schema().Len()] // the bounds of the windows have no names that users know
	}
	if _, ok := l.plan.Stateful[op].(*plan.Match); ok {
		all = all[:len(all)-1] // nor has the place for the variables
	}
	for i, f := range all {
		if b.Cols[i] != nil {
			e.columns, fields = append(e.columns, i), append(fields, f)
		}
	}
	var err error
	if e.encoder, err = kernel.NewEncoder(fields, nil, l.env); err != nil {
		return nil, err
	}
	l.encoders[[2]int{op, input}] = e
	return e, nil
}

// writeLate writes the late rows of an epoch into their sink, before the epoch is committed: after a crash both are written again, and a sink that leaves one copy of
// an epoch leaves one of these.
func (d *driver) writeLate(ctx context.Context, env *kernel.Env, l *lateRows) (err error) {
	if l == nil || l.n == 0 {
		return nil
	}
	fields := tree.LateFields()
	b := &vec.Batch{N: l.n}
	v := &exec.Values{}
	for i, c := range l.cols {
		b.Cols = append(b.Cols, c.Vec())
		v.Out = append(v.Out, fields[i].Type)
	}
	for lo := 0; lo < l.n; lo += d.BatchRows {
		v.Batches = append(v.Batches, b.Slice(lo, min(lo+d.BatchRows, l.n)))
	}
	defer func() { err = errors.Join(err, fault.Do(v.Close)) }()
	if err := v.Open(ctx); err != nil {
		return err
	}
	rows, out, err := d.Encode(ctx, v, fields, d.Write.Late, env)
	if err != nil {
		return err
	}
	d.planned(d.Late)
	_, err = d.Late.Write(ctx, d.epoch, tree.Append, slices.Clone(out), rows)
	return err
}
