package exec

import (
	"context"
	"math"
	"sync"

	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/state"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Deduplicate gives the first row of each key. In a stream it remembers the keys: those with event time among them until the
// watermark passes it, and with Within until the watermark passes the row's event time plus the delay.
type Deduplicate struct {
	Input Operator
	Task  *Task
	// Op is the operator's number in the plan's state, or -1 where it keeps none.
	Op   int
	Keys []int
	// Event is the column with event time, or -1; InKeys tells whether it is one of the keys.
	Event  int
	InKeys bool
	// Within is the delay in microseconds of a dedup within the watermark, or -1.
	Within int64
	Marks  Watermarks

	mu    sync.Mutex
	rows  vec.Rows
	seen  *table
	store state.Store
	m     Metrics
	done  bool
}

// Types implements [Operator].
func (d *Deduplicate) Types() []datatype.Type { return d.Input.Types() }

// Open implements [Operator].
func (d *Deduplicate) Open(ctx context.Context) error { return d.Input.Open(ctx) }

// Close implements [Operator].
func (d *Deduplicate) Close() error { return d.Input.Close() }

// Next implements [Operator].
func (d *Deduplicate) Next(ctx context.Context) (*vec.Batch, error) {
	lock(ctx, &d.mu)
	defer d.mu.Unlock()
	if d.store == nil && d.seen == nil {
		if d.Op >= 0 {
			store, err := d.Task.Stores(d.Op)
			if err != nil {
				return nil, err
			}
			d.store = store
			d.m = Metrics{Name: "dedupe", PartitionCount: 1}
			if d.Within >= 0 {
				d.m.Name = "dedupeWithinWatermark"
			}
		} else {
			d.seen = newTable()
		}
	}
	for !d.done {
		b, err := d.Input.Next(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			d.done = true
			if d.seen != nil {
				hold(ctx, d.seen.bytes)
			}
			if err := d.end(); err != nil {
				return nil, err
			}
			break
		}
		idx, err := d.fresh(b)
		if err != nil {
			b.Release()
			return nil, err
		}
		if len(idx) == b.N {
			return b, nil
		}
		if len(idx) > 0 {
			out := b.Take(idx)
			b.Release()
			return out, nil
		}
		b.Release()
	}
	return nil, nil
}

// fresh gives the rows of b whose keys were not there, and remembers them.
func (d *Deduplicate) fresh(b *vec.Batch) ([]int32, error) {
	keys := make([]*vec.Vec, len(d.Keys))
	for i, k := range d.Keys {
		keys[i] = b.Cols[k]
	}
	d.rows.Encode(keys, b.N)
	var event *vec.Vec
	if d.Event >= 0 {
		event = b.Cols[d.Event]
		if event.Kids != nil {
			event = kernel.Field(event, 1)
		}
	}
	if d.store != nil && event != nil && d.Marks.LateBefore > math.MinInt64 {
		rows, times := lateRows(event, b.N, d.Marks.LateBefore)
		if err := d.Task.dropped(d.Op, 0, b, rows, times); err != nil {
			return nil, err
		}
	}
	var idx []int32
	for i := range b.N {
		key := d.rows.Row(i)
		if d.seen != nil {
			n := d.seen.len()
			if int(d.seen.group(key, vec.Hash(key))) == n {
				idx = append(idx, int32(i))
			}
			continue
		}
		t := int64(state.Never)
		if event != nil && !event.IsNull(i) {
			t = event.I64[i&event.Mask()]
			if t <= d.Marks.LateBefore {
				d.m.RowsDropped++
				continue
			}
		}
		_, ok, err := d.store.Get(key)
		if err != nil {
			return nil, err
		}
		if ok {
			d.m.DuplicateRows++
			continue
		}
		expiry := int64(state.Never)
		switch {
		case d.Within >= 0 && t == state.Never:
			expiry = d.Within // Spark takes the time of a row without one for 1970, so the row is soon forgotten
		case d.Within >= 0:
			expiry = t + d.Within
		case d.InKeys:
			expiry = t
		}
		if err := d.store.Put(key, nil, expiry); err != nil {
			return nil, err
		}
		d.m.RowsUpdated++
		idx = append(idx, int32(i))
	}
	return idx, nil
}

func (d *Deduplicate) end() error {
	if d.store == nil {
		return nil
	}
	if d.Marks.EvictBefore > math.MinInt64 {
		if err := forget(d.store, d.Marks.EvictBefore, &d.m, nil); err != nil {
			return err
		}
	}
	d.m.RowsTotal, d.m.MemoryBytes = int64(d.store.Len()), d.store.Bytes()
	d.Task.Report(d.Op, d.m)
	return nil
}

// forget removes the entries that a watermark makes due, after see, which may be nil, has seen each.
func forget(store state.Store, watermark int64, m *Metrics, see func(state.Entry) error) error {
	for e, err := range store.Expired(watermark) {
		if err != nil {
			return err
		}
		if see != nil {
			if err := see(e); err != nil {
				return err
			}
		}
		// At once: an entry that was put anew under its old expiry comes twice.
		if err := store.Delete(e.Key); err != nil {
			return err
		}
		m.RowsRemoved++
	}
	return nil
}
