package exec

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/state"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Keyed runs functions of the user's over the rows of each key: first over the initial state, where there is one, then over the rows of the run, then those of timers whose
// time has come. One goroutine does it, since the functions may share what they like.
//
// Source: Spark's TransformWithStateExec.
type Keyed struct {
	Input Operator
	// Initial, which may be nil, has the rows of the initial state.
	Initial           Operator
	Keys, InitialKeys []*kernel.Expr
	KeyTypes          []datatype.Type
	Process           *tree.Process
	Functions         *tree.Functions
	// Event is the input's column with event time, or -1; EventOut is that of the output, or -1.
	Event, EventOut int
	Out             []datatype.Type
	Task            *Task
	Op              int
	Marks           Watermarks
	At              condition.Pos

	once once
}

// Types implements [Operator].
func (k *Keyed) Types() []datatype.Type { return k.Out }

// Open implements [Operator].
func (k *Keyed) Open(ctx context.Context) error {
	if err := k.Input.Open(ctx); err != nil {
		return err
	}
	if k.Initial != nil {
		return k.Initial.Open(ctx)
	}
	return nil
}

// Close implements [Operator].
func (k *Keyed) Close() error {
	k.once.close()
	if k.Initial != nil {
		return closeAll(k.Input, k.Initial)
	}
	return k.Input.Close()
}

// Next implements [Operator].
func (k *Keyed) Next(ctx context.Context) (*vec.Batch, error) {
	return k.once.next(ctx, func() ([]*vec.Batch, error) { return k.run(ctx) })
}

// The kinds of entries of a process, the first byte of their keys. Behind it stand the number of the variable and the encoded key.
const (
	// keyedValue is a value.
	keyedValue byte = 'V'
	// keyedNext is the next place of a list or a map.
	keyedNext byte = 'N'
	// keyedElement is an element of a list, by its place.
	keyedElement byte = 'L'
	// keyedPlace is the place of a map's key, which stands behind the encoded key.
	keyedPlace byte = 'P'
	// keyedEntry is an entry of a map, by its place, so that entries have an order.
	keyedEntry byte = 'E'
	// keyedTimer is a timer, by its time.
	keyedTimer byte = 'T'
)

// chainLimit is how often timers are set anew by others in one epoch, where time does not pass between them, before that is taken for a loop without end; lastLimit is the same where
// time has ended.
const (
	chainLimit = 1000
	lastLimit  = 100_000
)

// keyedGroup are the rows of a key in the order in which they came.
type keyedGroup struct {
	key   []byte
	batch []int32
	row   []int32
}

// keyedRun is one epoch's work: the [tree.StateHost] of the present key.
type keyedRun struct {
	k      *Keyed
	store  state.Store
	states map[string]int
	key    []byte
	out    *builtRows
	m      Metrics
	final  bool
	// err is the first error of the present call; broken tells that it is the state's, not the function's.
	err    error
	broken bool
}

func (k *Keyed) run(ctx context.Context) ([]*vec.Batch, error) {
	r := &keyedRun{k: k, store: state.NewMemory(), states: map[string]int{}, m: Metrics{Name: "transformWithStateExec", PartitionCount: 1}}
	if k.Op >= 0 {
		store, err := k.Task.Stores(k.Op)
		if err != nil {
			return nil, err
		}
		r.store = store
	}
	for i, s := range k.Process.States {
		r.states[s.Name] = i
	}
	r.out = newBuiltRows(k.Out, k.Task.BatchRows)
	if err := r.work(ctx); err != nil {
		r.out.release()
		return nil, err
	}
	if k.Op >= 0 {
		r.m.RowsTotal, r.m.MemoryBytes = int64(r.store.Len()), r.store.Bytes()
		k.Task.Report(k.Op, r.m)
	}
	return r.out.all(), nil
}

func (r *keyedRun) work(ctx context.Context) error {
	if r.k.Initial != nil {
		if err := r.initial(ctx); err != nil {
			return err
		}
	}
	if err := r.rows(ctx); err != nil {
		return err
	}
	return r.expired(ctx)
}

// initial lets the function see each row of the initial state.
func (r *keyedRun) initial(ctx context.Context) error {
	seen := map[string]bool{}
	return drain(ctx, r.k.Initial, 1, func(_ int, b *vec.Batch) error {
		defer b.Release()
		keys, err := r.encode(r.k.InitialKeys, b)
		if err != nil {
			return err
		}
		for i := range b.N {
			if err := ctx.Err(); err != nil {
				return err
			}
			key := slices.Clone(keys.Row(i))
			values, err := r.keyValues(key)
			if err != nil {
				return err
			}
			if seen[string(key)] {
				e := condition.Newf(condition.ReinitializedState, "The initial state of %s has a second row for the key %s.", r.k.Process.Name, r.keyText(values))
				e.Pos, e.Operator, e.Hint = r.k.At, "TransformWithState", "Give it one row for a key, as with DistinctOn or an aggregation."
				return e
			}
			seen[string(key)] = true
			row := rowValues(b, r.k.Functions.First, i)
			if err := r.call("the function of the initial state", key, values, func() error { return r.k.Functions.HandleInitialState(r, values, row) }); err != nil {
				return err
			}
		}
		return nil
	})
}

// encode computes keys.
func (r *keyedRun) encode(exprs []*kernel.Expr, b *vec.Batch) (*vec.Rows, error) {
	cols := make([]*vec.Vec, len(exprs))
	for i, e := range exprs {
		v, err := e.Eval(b)
		if err != nil {
			return nil, err
		}
		cols[i] = v
	}
	rows := &vec.Rows{}
	rows.Encode(cols, b.N)
	return rows, nil
}

// rowValues are the values of some columns of a row.
func rowValues(b *vec.Batch, columns []int, i int) []any {
	out := make([]any, len(columns))
	for j, c := range columns {
		out[j] = b.Cols[c].Any(i)
	}
	return out
}

// rows lets the function see the rows of each key, in the order in which the keys came.
func (r *keyedRun) rows(ctx context.Context) error {
	var held []*vec.Batch
	defer func() {
		for _, b := range held {
			b.Release()
		}
	}()
	t := newTable()
	var groups []*keyedGroup
	bytes := 0
	err := drain(ctx, r.k.Input, 1, func(_ int, b *vec.Batch) error {
		held = append(held, b)
		bytes += b.Bytes()
		keys, err := r.encode(r.k.Keys, b)
		if err != nil {
			return err
		}
		late, err := r.late(b)
		if err != nil {
			return err
		}
		for i := range b.N {
			if late != nil && late(i) {
				r.m.RowsDropped++
				continue
			}
			key := keys.Row(i)
			g := int(t.group(key, vec.Hash(key)))
			if g == len(groups) {
				groups = append(groups, &keyedGroup{key: slices.Clone(key)})
			}
			groups[g].batch, groups[g].row = append(groups[g].batch, int32(len(held)-1)), append(groups[g].row, int32(i))
		}
		return nil
	})
	if err != nil {
		return err
	}
	hold(ctx, func() int { return bytes })
	for _, g := range groups {
		if err := ctx.Err(); err != nil {
			return err
		}
		values, err := r.keyValues(g.key)
		if err != nil {
			return err
		}
		over := false
		rows := func(yield func([]any) bool) {
			for i := range g.row {
				if over {
					return // a function kept the rows beyond its call, when their memory is not theirs any more
				}
				// A cancelled query does not wait for a function that reads on and on.
				if i%1024 == 1023 && ctx.Err() != nil {
					r.fail(ctx.Err())
					return
				}
				if !yield(rowValues(held[g.batch[i]], r.k.Functions.Rows, int(g.row[i]))) {
					return
				}
			}
		}
		err = r.call("HandleInputRows", g.key, values, func() error { return r.k.Functions.HandleInputRows(r, values, rows) })
		if over = true; err != nil {
			return err
		}
	}
	return nil
}

// late tells of the rows of a batch which are too late, nil for none.
func (r *keyedRun) late(b *vec.Batch) (func(i int) bool, error) {
	bound := r.k.Marks.LateBefore
	if r.k.Op < 0 || r.k.Event < 0 || bound == math.MinInt64 {
		return nil, nil
	}
	v := b.Cols[r.k.Event]
	rows, times := lateRows(v, b.N, bound)
	if err := r.k.Task.dropped(r.k.Op, 0, b, rows, times); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return func(i int) bool {
		_, found := slices.BinarySearch(rows, int32(i))
		return found
	}, nil
}

// bound is the time before which timers fire, and forgets what has a TTL.
//
// Source: Spark's TimerStateImpl.getExpiredTimers: those whose time is less than the watermark, or than the batch's moment.
func (r *keyedRun) bound() int64 {
	switch {
	case r.k.Process.Time == tree.NoTime:
		return math.MinInt64
	case r.k.Op < 0 || r.k.Process.Time == tree.EventTimeMode:
		return r.k.Marks.EvictBefore
	}
	return r.k.Task.Env.Now
}

// dueTimer is a timer whose time has come.
type dueTimer struct {
	entry []byte // its key in the store
	key   []byte
	at    int64
}

// expired calls the function for the timers whose time has come, in the order of their times, and those that it sets on the way and whose time has come too; and it
// forgets what a TTL has ended.
func (r *keyedRun) expired(ctx context.Context) error {
	bound := r.bound()
	if bound == math.MinInt64 {
		return nil
	}
	r.final = r.k.Op < 0
	latest, chain := int64(math.MinInt64), 0
	for {
		var due []dueTimer
		for e, err := range r.store.Expired(bound - 1) {
			if err != nil {
				return err
			}
			if len(e.Key) < 3 {
				return errState
			}
			if e.Key[0] != keyedTimer {
				if r.final {
					continue // the time of a TTL stands still in a batch
				}
				if err := r.forget(e); err != nil {
					return err
				}
				continue
			}
			if len(e.Key) < 3+state.Suffix {
				return errState
			}
			due = append(due, dueTimer{slices.Clone(e.Key), slices.Clone(e.Key[3 : len(e.Key)-state.Suffix]), e.Expiry})
		}
		if len(due) == 0 {
			return nil
		}
		slices.SortFunc(due, func(a, b dueTimer) int { return cmp.Or(cmp.Compare(a.at, b.at), slices.Compare(a.entry, b.entry)) })
		chain++
		if last := due[len(due)-1].at; last > latest && !r.final {
			latest, chain = last, 0
		}
		if chain > lastLimit || chain > chainLimit && !r.final {
			return r.endless(due[0])
		}
		for _, d := range due {
			if err := ctx.Err(); err != nil {
				return err
			}
			// Another timer's call may have taken it away.
			if _, there, err := r.store.Get(d.entry); err != nil {
				return err
			} else if !there {
				continue
			}
			if err := r.store.Delete(d.entry); err != nil {
				return err
			}
			r.m.RowsRemoved++
			values, err := r.keyValues(d.key)
			if err != nil {
				return err
			}
			if r.k.Functions.HandleExpiredTimer == nil {
				e := condition.Newf(condition.InvalidValue, "%s sets timers and has no HandleExpiredTimer.", r.k.Process.Name)
				e.Pos, e.Operator, e.Hint = r.k.At, "TransformWithState", "Set it, or set no timers."
				return e
			}
			if err := r.call("HandleExpiredTimer", d.key, values, func() error { return r.k.Functions.HandleExpiredTimer(r, values, d.at) }); err != nil {
				return err
			}
		}
	}
}

func (r *keyedRun) endless(d dueTimer) error {
	values, err := r.keyValues(d.key)
	if err != nil {
		return err
	}
	e := condition.Newf(condition.FailedExecuteUDF, "Timers of %s for the key %s set timers that are due at once, again and again.", r.k.Process.Name, r.keyText(values))
	e.Pos, e.Operator, e.Hint = r.k.At, "TransformWithState", "Set a timer in HandleExpiredTimer only for a later time, and none when Context.Final tells that time has ended."
	return e
}

// forget removes an entry that a TTL has ended, with what belongs to it.
func (r *keyedRun) forget(e state.Entry) error {
	r.m.RowsRemoved++
	kind, prefix := e.Key[0], e.Key
	if kind == keyedElement || kind == keyedEntry {
		if len(e.Key) < 3+state.Suffix {
			return errState
		}
		prefix = e.Key[:len(e.Key)-state.Suffix]
	}
	if kind == keyedEntry {
		key, _, err := r.readEntry(r.variable(e.Key), e.Value)
		if err != nil {
			return err
		}
		if err := r.store.Delete(append(with(keyedPlace, prefix), key...)); err != nil {
			return err
		}
	}
	if err := r.store.Delete(e.Key); err != nil {
		return err
	}
	if kind == keyedElement || kind == keyedEntry {
		return r.shrink(prefix)
	}
	return nil
}

// with is a prefix of another kind.
func with(kind byte, prefix []byte) []byte {
	out := slices.Clone(prefix)
	out[0] = kind
	return out
}

// shrink removes the next place of a list or map without entries, so that nothing stays of a key that is over.
func (r *keyedRun) shrink(prefix []byte) error {
	for _, err := range r.store.Group(prefix) {
		return err
	}
	return r.store.Delete(with(keyedNext, prefix))
}

// variable is the number of the variable that an entry is of.
func (r *keyedRun) variable(key []byte) int { return int(binary.BigEndian.Uint16(key[1:])) }

// keyValues decodes a key.
func (r *keyedRun) keyValues(key []byte) ([]any, error) {
	cols, err := vec.Decode(r.k.KeyTypes, [][]byte{key})
	if err != nil {
		return nil, errors.Join(errState, err)
	}
	out := make([]any, len(cols))
	for i, c := range cols {
		out[i] = c.Any(0)
	}
	return out, nil
}

// keyText prints a key for people.
func (r *keyedRun) keyText(values []any) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = tree.LiteralText(&tree.Literal{Value: v, Typ: r.k.KeyTypes[i]})
	}
	return "(" + strings.Join(out, ", ") + ")"
}

// call runs a function for a key. What it returns, what it failed with on the way, and a panic are errors that name the key.
func (r *keyedRun) call(name string, key []byte, values []any, f func() error) error {
	r.key, r.err, r.broken = key, nil, false
	stack := ""
	err := func() (err error) {
		defer func() {
			if p := recover(); p != nil {
				stack = string(debug.Stack())
				cause, ok := p.(error)
				if !ok {
					cause = fmt.Errorf("%v", p)
				}
				err = fmt.Errorf("panic: %w", cause)
			}
		}()
		return f()
	}()
	r.key = nil
	if r.err != nil {
		if r.broken {
			return r.err
		}
		err = r.err
	}
	if err == nil {
		return nil
	}
	e := condition.Newf(condition.FailedExecuteUDF, "%s of %s failed for the key %s: %v", name, r.k.Process.Name, r.keyText(values), err)
	e.Cause, e.Pos, e.Operator = err, r.k.At, "TransformWithState"
	e.Hint = "Nothing of the epoch was kept; correct the function, or leave such rows out before, and start the query again."
	if stack != "" {
		e.Parameters = map[string]string{"stackTrace": stack}
	}
	return e
}

// fail notes an error of the state or the engine.
func (r *keyedRun) fail(err error) {
	if err != nil && r.err == nil {
		r.err, r.broken = err, true
	}
}

// Fail implements [tree.StateHost].
func (r *keyedRun) Fail(err error) {
	if err != nil && r.err == nil {
		r.err = err
	}
}

// State implements [tree.StateHost].
func (r *keyedRun) State(name string, of tree.StateVariable) int {
	i, ok := r.states[name]
	if ok {
		have := r.k.Process.States[i]
		same := have.Kind == of.Kind && datatype.Equal(have.Value.Type, of.Value.Type) && (have.Key == nil) == (of.Key == nil)
		if same && (have.Key == nil || datatype.Equal(have.Key, of.Key)) {
			return i
		}
	}
	e := condition.Newf(condition.InvalidValue, "The state %s is not among those of %s, which are %s.", of, r.k.Process.Name, r.k.Process.StatesText())
	e.Hint = "Name it among the States of the Processor."
	r.Fail(e)
	return -1
}

// Emit implements [tree.StateHost].
func (r *keyedRun) Emit(row []any) {
	if r.err != nil {
		return
	}
	if c := r.k.EventOut; c >= 0 && r.k.Op >= 0 && r.k.Marks.LateBefore > math.MinInt64 {
		if t, ok := row[c].(int64); ok && t <= r.k.Marks.LateBefore {
			at := func(us int64) string {
				return tree.LiteralText(&tree.Literal{Value: us, Typ: datatype.Timestamp})
			}
			e := condition.Newf(condition.EmittingLateRows, "A row of %s is at or before %s, the watermark of what follows, which would drop it.", at(t), at(r.k.Marks.LateBefore))
			e.Hint = "Emit rows with later times, or leave EventTimeColumn out."
			r.Fail(e)
			return
		}
	}
	for i, b := range r.out.cols {
		if err := b.AppendAny(row[i]); err != nil {
			r.fail(err)
			return
		}
	}
	r.out.end()
}

// prefix is the start of the keys of a variable's entries.
func (r *keyedRun) prefix(kind byte, variable int) []byte {
	out := make([]byte, 0, 3+len(r.key)+state.Suffix)
	out = append(out, kind, byte(variable>>8), byte(variable))
	return append(out, r.key...)
}

// value encodes values behind the moment at which they end.
func (r *keyedRun) value(variable int, types []datatype.Type, values ...any) ([]byte, int64, bool) {
	expiry := int64(state.Never)
	if ttl := r.k.Process.States[variable].TTL; ttl > 0 {
		expiry = r.k.Task.Env.Now + ttl.Microseconds()
	}
	out := binary.LittleEndian.AppendUint64(nil, uint64(expiry))
	for i, v := range values {
		b := vec.NewBuilder(types[i], 1)
		if err := b.AppendAny(v); err != nil {
			r.fail(err)
			return nil, 0, false
		}
		out = vec.AppendValue(out, b.Vec(), 0)
	}
	return out, expiry, true
}

// read takes a stored value apart; false tells that its time is over.
func (r *keyedRun) read(types []datatype.Type, stored []byte) ([]any, bool) {
	if len(stored) < 8 {
		r.fail(errState)
		return nil, false
	}
	if int64(binary.LittleEndian.Uint64(stored)) <= r.k.Task.Env.Now {
		return nil, false
	}
	cols, err := vec.Decode(types, [][]byte{stored[8:]})
	if err != nil {
		r.fail(errors.Join(errState, err))
		return nil, false
	}
	out := make([]any, len(cols))
	for i, c := range cols {
		out[i] = c.Any(0)
	}
	return out, true
}

// readAll is read for the entries of a list or map whose time is not over, at once.
func (r *keyedRun) readAll(variable int, entries []state.Entry) ([]*vec.Vec, int) {
	var rows [][]byte
	for _, e := range entries {
		if len(e.Value) < 8 {
			r.fail(errState)
			return nil, 0
		}
		if int64(binary.LittleEndian.Uint64(e.Value)) > r.k.Task.Env.Now {
			rows = append(rows, e.Value[8:])
		}
	}
	cols, err := vec.Decode(r.types(variable), rows)
	if err != nil {
		r.fail(errors.Join(errState, err))
		return nil, 0
	}
	return cols, len(rows)
}

// readEntry gives the encoded key of a map's entry, and the rest.
func (r *keyedRun) readEntry(variable int, stored []byte) (key, value []byte, err error) {
	if len(stored) < 8 || variable >= len(r.k.Process.States) || r.k.Process.States[variable].Key == nil {
		return nil, nil, errState
	}
	rest, err := vec.NewBuilder(r.k.Process.States[variable].Key, 1).AppendEncoded(stored[8:])
	if err != nil {
		return nil, nil, errors.Join(errState, err)
	}
	return stored[8 : len(stored)-len(rest)], rest, nil
}

func (r *keyedRun) types(variable int) []datatype.Type {
	s := r.k.Process.States[variable]
	if s.Key != nil {
		return []datatype.Type{s.Key, s.Value.Type}
	}
	return []datatype.Type{s.Value.Type}
}

// get reads an entry.
func (r *keyedRun) get(key []byte) ([]byte, bool) {
	v, ok, err := r.store.Get(key)
	if err != nil {
		r.fail(err)
		return nil, false
	}
	return v, ok
}

// put writes an entry.
func (r *keyedRun) put(key, value []byte, expiry int64) {
	r.m.RowsUpdated++
	r.fail(r.store.Put(key, value, expiry))
}

// Get implements [tree.StateHost].
func (r *keyedRun) Get(variable int) (any, bool) {
	stored, ok := r.get(r.prefix(keyedValue, variable))
	if !ok {
		return nil, false
	}
	v, ok := r.read(r.types(variable), stored)
	if !ok {
		return nil, false
	}
	return v[0], true
}

// Set implements [tree.StateHost].
func (r *keyedRun) Set(variable int, v any) {
	if stored, expiry, ok := r.value(variable, r.types(variable), v); ok {
		r.put(r.prefix(keyedValue, variable), stored, expiry)
	}
}

// group gives the entries of a list or map as they are now; they may be changed on the way.
func (r *keyedRun) group(prefix []byte) []state.Entry {
	var out []state.Entry
	for e, err := range r.store.Group(prefix) {
		if err != nil {
			r.fail(err)
			return nil
		}
		out = append(out, e)
	}
	return out
}

// Clear implements [tree.StateHost].
func (r *keyedRun) Clear(variable int) {
	remove := func(key []byte) {
		r.m.RowsRemoved++
		r.fail(r.store.Delete(key))
	}
	switch r.k.Process.States[variable].Kind {
	case tree.ValueState:
		remove(r.prefix(keyedValue, variable))
		return
	case tree.ListState:
		for _, e := range r.group(r.prefix(keyedElement, variable)) {
			remove(e.Key)
		}
	case tree.MapState:
		for _, e := range r.group(r.prefix(keyedEntry, variable)) {
			key, _, err := r.readEntry(variable, e.Value)
			if err != nil {
				r.fail(err)
				return
			}
			remove(e.Key)
			r.fail(r.store.Delete(append(r.prefix(keyedPlace, variable), key...)))
		}
	}
	r.fail(r.store.Delete(r.prefix(keyedNext, variable)))
}

// next gives a new place in a list or map.
func (r *keyedRun) next(variable int) []byte {
	at := r.prefix(keyedNext, variable)
	place := uint64(0)
	if v, ok := r.get(at); ok {
		if len(v) != 8 {
			r.fail(errState)
			return nil
		}
		place = binary.BigEndian.Uint64(v)
	}
	r.fail(r.store.Put(at, binary.BigEndian.AppendUint64(nil, place+1), state.Never))
	return binary.BigEndian.AppendUint64(nil, place)
}

// Elements implements [tree.StateHost].
func (r *keyedRun) Elements(variable int) iter.Seq[any] {
	return func(yield func(any) bool) {
		cols, n := r.readAll(variable, r.group(r.prefix(keyedElement, variable)))
		for i := range n {
			if !yield(cols[0].Any(i)) {
				return
			}
		}
	}
}

// Append implements [tree.StateHost].
func (r *keyedRun) Append(variable int, v any) {
	if stored, expiry, ok := r.value(variable, r.types(variable), v); ok {
		r.put(append(r.prefix(keyedElement, variable), r.next(variable)...), stored, expiry)
	}
}

// place gives the key of a map's key's entry in the store, and the key of its place.
func (r *keyedRun) place(variable int, key any) (entry, place []byte) {
	b := vec.NewBuilder(r.k.Process.States[variable].Key, 1)
	if err := b.AppendAny(key); err != nil {
		r.fail(err)
		return nil, nil
	}
	place = vec.AppendKey(r.prefix(keyedPlace, variable), b.Vec(), 0)
	if at, ok := r.get(place); ok {
		entry = append(r.prefix(keyedEntry, variable), at...)
	}
	return entry, place
}

// Lookup implements [tree.StateHost].
func (r *keyedRun) Lookup(variable int, key any) (any, bool) {
	entry, _ := r.place(variable, key)
	if entry == nil {
		return nil, false
	}
	stored, ok := r.get(entry)
	if !ok {
		return nil, false
	}
	v, ok := r.read(r.types(variable), stored)
	if !ok {
		return nil, false
	}
	return v[1], true
}

// Store implements [tree.StateHost].
func (r *keyedRun) Store(variable int, key, v any) {
	entry, place := r.place(variable, key)
	if place == nil {
		return
	}
	if entry == nil {
		at := r.next(variable)
		r.fail(r.store.Put(place, at, state.Never))
		entry = append(r.prefix(keyedEntry, variable), at...)
	}
	// The key is kept as it is compared, so that its place is found again.
	stored, expiry, ok := r.value(variable, nil)
	if !ok {
		return
	}
	stored = append(stored, place[len(r.prefix(keyedPlace, variable)):]...)
	b := vec.NewBuilder(r.k.Process.States[variable].Value.Type, 1)
	if err := b.AppendAny(v); err != nil {
		r.fail(err)
		return
	}
	r.put(entry, vec.AppendValue(stored, b.Vec(), 0), expiry)
}

// Remove implements [tree.StateHost].
func (r *keyedRun) Remove(variable int, key any) {
	entry, place := r.place(variable, key)
	if entry == nil {
		return
	}
	r.m.RowsRemoved++
	r.fail(r.store.Delete(entry))
	r.fail(r.store.Delete(place))
	r.fail(r.shrink(r.prefix(keyedEntry, variable)))
}

// Entries implements [tree.StateHost].
func (r *keyedRun) Entries(variable int) iter.Seq2[any, any] {
	return func(yield func(any, any) bool) {
		cols, n := r.readAll(variable, r.group(r.prefix(keyedEntry, variable)))
		for i := range n {
			if !yield(cols[0].Any(i), cols[1].Any(i)) {
				return
			}
		}
	}
}

// timerKey is the key of a timer in the store: times in order are keys in order.
func (r *keyedRun) timerKey(at int64) []byte {
	return binary.BigEndian.AppendUint64(r.prefix(keyedTimer, 0), uint64(at)^1<<63)
}

// lastMoment is the last one of a TIMESTAMP, in microseconds.
const lastMoment = 253402300799999999

// SetTimer implements [tree.StateHost].
func (r *keyedRun) SetTimer(at int64) {
	var e *condition.Error
	switch {
	case r.k.Process.Time == tree.NoTime:
		e = condition.Newf(condition.InvalidTimeMode, "%s sets a timer, and its time mode is None.", r.k.Process.Name)
		e.Hint = "Set Time to keyed.EventTime or keyed.ProcessingTime."
	case r.k.Functions.HandleExpiredTimer == nil:
		e = condition.Newf(condition.InvalidValue, "%s sets a timer and has no HandleExpiredTimer.", r.k.Process.Name)
		e.Hint = "Set it, or set no timers."
	default:
		key := r.timerKey(at)
		if _, there := r.get(key); !there {
			r.put(key, nil, at)
		}
		return
	}
	r.Fail(e)
}

// DeleteTimer implements [tree.StateHost].
func (r *keyedRun) DeleteTimer(at int64) { r.fail(r.store.Delete(r.timerKey(at))) }

// Timers implements [tree.StateHost].
func (r *keyedRun) Timers() []int64 {
	var out []int64
	for _, e := range r.group(r.prefix(keyedTimer, 0)) {
		out = append(out, e.Expiry)
	}
	return out
}

// Watermark implements [tree.StateHost].
func (r *keyedRun) Watermark() int64 {
	if r.k.Op >= 0 || r.final {
		return min(r.k.Marks.EvictBefore, lastMoment)
	}
	return 0
}

// Final implements [tree.StateHost].
func (r *keyedRun) Final() bool { return r.final }

// Now implements [tree.StateHost].
func (r *keyedRun) Now() int64 { return r.k.Task.Env.Now }

// The kinds of entries of a process's state, for those who show it.
const (
	// KeyedState is a value, an element or an entry of a state variable.
	KeyedState = iota
	// KeyedTimer is a timer.
	KeyedTimer
	// KeyedIndex leads to others.
	KeyedIndex
)

// KeyedKey is what the key of an entry says.
type KeyedKey struct {
	Kind  int
	State int
	// Key is the encoded key of the group.
	Key []byte
}

// ReadKeyed takes the key of an entry of a process's state apart.
func ReadKeyed(key []byte) (KeyedKey, bool) {
	if len(key) < 3 {
		return KeyedKey{}, false
	}
	out := KeyedKey{State: int(binary.BigEndian.Uint16(key[1:])), Key: key[3:]}
	switch key[0] {
	case keyedValue:
		return out, true
	case keyedNext, keyedPlace:
		out.Kind = KeyedIndex
		return out, true
	case keyedTimer:
		out.Kind = KeyedTimer
	}
	if len(out.Key) < state.Suffix {
		return KeyedKey{}, false
	}
	out.Key = out.Key[:len(out.Key)-state.Suffix]
	return out, true
}
