package keyed

import (
	"iter"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/rowtype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/absent"
)

// State is a state variable: what [NewValue], [NewList] and [NewMap] give. It is a description, which any number of processors and queries may share; what it holds belongs to a
// key of a query and is reached through the [Context] of a call.
type State interface {
	declared() *declaration
}

// States are the state variables of a processor.
type States []State

// Option says more about a state variable.
type Option func(*declaration)

// TTL lets a value, an element of a list, or an entry of a map be forgotten a while after it was written last, by processing time. It goes with [ProcessingTime] alone, as in Spark;
// in the course of an epoch time stands still.
func TTL(after time.Duration) Option {
	return func(d *declaration) { d.ttl, d.timed = after, true }
}

// declaration is what a state variable is.
type declaration struct {
	name       string
	kind       tree.StateKind
	key, value reflect.Type
	ttl        time.Duration
	timed      bool

	of       tree.StateVariable
	keyType  datatype.Field
	set      rowtype.Setter
	setKey   rowtype.Setter
	err      error
	position condition.Pos
}

func declare(name string, kind tree.StateKind, key, value reflect.Type, opts []Option) *declaration {
	d := &declaration{name: name, kind: kind, key: key, value: value, position: condition.Here(2)}
	for _, o := range opts {
		if o != nil {
			o(d)
		}
	}
	d.err = d.check()
	return d
}

func (d *declaration) check() error {
	if d.name == "" {
		return bad("Name it: it is what a checkpoint knows it by.", "A state variable has no name.")
	}
	d.of = tree.StateVariable{Name: d.name, Kind: d.kind, TTL: d.ttl}
	t, null, err := rowtype.TypeOf(d.value)
	if err != nil {
		return err
	}
	d.of.Value = datatype.Field{Name: d.name, Type: t, Nullable: null}
	if d.set, err = rowtype.NewSetter(t, d.value); err != nil {
		return err
	}
	if d.kind == tree.MapState {
		if t, _, err = rowtype.TypeOf(d.key); err != nil {
			return err
		}
		d.of.Key, d.keyType = t, datatype.Field{Name: "key", Type: t}
		if d.setKey, err = rowtype.NewSetter(t, d.key); err != nil {
			return err
		}
	}
	if d.timed && (d.ttl <= 0 || d.ttl%time.Microsecond != 0) {
		e := condition.Newf(condition.TTLNotPositive, "The TTL %v of the state %s is not a whole number of microseconds above zero.", d.ttl, datatype.QuoteName(d.name))
		e.Hint = "Give a longer time.Duration, or leave TTL out."
		return e
	}
	return nil
}

// variables checks the declarations together.
func (s States) variables(mode TimeMode) ([]tree.StateVariable, error) {
	var out []tree.StateVariable
	seen := map[string]bool{}
	for _, x := range s {
		if absent.Is(x) || x.declared() == nil {
			return nil, bad("Make state variables with keyed.NewValue, keyed.NewList or keyed.NewMap.", "A state variable that was never made (a zero value) is among States.")
		}
		d := x.declared()
		switch {
		case d.err != nil:
			return nil, condition.At(d.err, d.position)
		case seen[d.name]:
			e := condition.Newf(condition.DuplicateState, "Two state variables are named %s.", datatype.QuoteName(d.name))
			e.Hint = "Give each a name of its own."
			return nil, e
		case d.timed && mode != ProcessingTime:
			e := condition.Newf(condition.TTLTimeMode, "The state %s has a TTL, which goes by processing time, and the time mode is %s.", datatype.QuoteName(d.name), mode)
			e.Hint = "Set Time to keyed.ProcessingTime, or let a timer clear the state."
			return nil, e
		}
		seen[d.name] = true
		out = append(out, d.of)
	}
	// A checkpoint knows them by their numbers, so the order in which they are named must not count.
	slices.SortFunc(out, func(a, b tree.StateVariable) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// literal makes a literal's value of a Go value.
func literal(f datatype.Field, v reflect.Value) (any, error) {
	row, err := expr.RowLiterals([]datatype.Field{f}, [][]any{{rowtype.Value(v, f.Type)}})
	if err != nil {
		return nil, err
	}
	return row[0][0], nil
}

// Value is a value of T for each key.
type Value[T any] struct{ d *declaration }

// NewValue declares a value for each key. T is a struct, or anything else that a column is made of, as rowtype.Of says; a checkpoint keeps it by that column.
func NewValue[T any](name string, opts ...Option) Value[T] {
	return Value[T]{declare(name, tree.ValueState, nil, reflect.TypeFor[T](), opts)}
}

func (v Value[T]) declared() *declaration { return v.d }

// Get gives the value, or false where there is none.
func (v Value[T]) Get(c *Context) (T, bool) {
	var out T
	h, i := c.at(v.d)
	if h == nil {
		return out, false
	}
	x, ok := h.Get(i)
	if !ok {
		return out, false
	}
	return decode[T](h, v.d.set, x)
}

// Set replaces the value.
func (v Value[T]) Set(c *Context, x T) {
	if h, i := c.at(v.d); h != nil {
		if l, ok := encode(h, v.d.of.Value, x); ok {
			h.Set(i, l)
		}
	}
}

// Clear forgets the value.
func (v Value[T]) Clear(c *Context) { c.clear(v.d) }

// List is a list of T for each key.
type List[T any] struct{ d *declaration }

// NewList declares a list for each key; see [NewValue] for T. A TTL is that of each element.
func NewList[T any](name string, opts ...Option) List[T] {
	return List[T]{declare(name, tree.ListState, nil, reflect.TypeFor[T](), opts)}
}

func (l List[T]) declared() *declaration { return l.d }

// All gives the elements in the order in which they were appended, as they are when the loop begins.
func (l List[T]) All(c *Context) iter.Seq[T] {
	return func(yield func(T) bool) {
		h, i := c.at(l.d)
		if h == nil {
			return
		}
		for x := range h.Elements(i) {
			if v, ok := decode[T](h, l.d.set, x); !ok || !yield(v) {
				return
			}
		}
	}
}

// Append adds elements.
func (l List[T]) Append(c *Context, xs ...T) {
	h, i := c.at(l.d)
	if h == nil {
		return
	}
	for _, x := range xs {
		if v, ok := encode(h, l.d.of.Value, x); ok {
			h.Append(i, v)
		}
	}
}

// Put replaces all elements.
func (l List[T]) Put(c *Context, xs ...T) {
	l.Clear(c)
	l.Append(c, xs...)
}

// Clear forgets the list.
func (l List[T]) Clear(c *Context) { c.clear(l.d) }

// Map is a map of K to V for each key.
type Map[K comparable, V any] struct{ d *declaration }

// NewMap declares a map for each key; see [NewValue] for K and V. Each entry is read and written by itself, so a map may be large. A TTL is that of each entry. Keys are equal
// as Spark's keys are: NaN equals NaN.
func NewMap[K comparable, V any](name string, opts ...Option) Map[K, V] {
	return Map[K, V]{declare(name, tree.MapState, reflect.TypeFor[K](), reflect.TypeFor[V](), opts)}
}

func (m Map[K, V]) declared() *declaration { return m.d }

// Get gives the value of a key, or false where there is none.
func (m Map[K, V]) Get(c *Context, key K) (V, bool) {
	var out V
	h, i := c.at(m.d)
	if h == nil {
		return out, false
	}
	k, ok := encode(h, m.d.keyType, key)
	if !ok {
		return out, false
	}
	x, ok := h.Lookup(i, k)
	if !ok {
		return out, false
	}
	return decode[V](h, m.d.set, x)
}

// Set sets the value of a key.
func (m Map[K, V]) Set(c *Context, key K, value V) {
	h, i := c.at(m.d)
	if h == nil {
		return
	}
	if k, ok := encode(h, m.d.keyType, key); ok {
		if v, ok := encode(h, m.d.of.Value, value); ok {
			h.Store(i, k, v)
		}
	}
}

// Delete forgets a key.
func (m Map[K, V]) Delete(c *Context, key K) {
	if h, i := c.at(m.d); h != nil {
		if k, ok := encode(h, m.d.keyType, key); ok {
			h.Remove(i, k)
		}
	}
}

// All gives the entries in the order in which their keys came, as they are when the loop begins.
func (m Map[K, V]) All(c *Context) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		h, i := c.at(m.d)
		if h == nil {
			return
		}
		for k, x := range h.Entries(i) {
			key, ok := decode[K](h, m.d.setKey, k)
			if !ok {
				return
			}
			if v, ok := decode[V](h, m.d.set, x); !ok || !yield(key, v) {
				return
			}
		}
	}
}

// Clear forgets the map.
func (m Map[K, V]) Clear(c *Context) { c.clear(m.d) }

func encode[T any](h tree.StateHost, f datatype.Field, x T) (any, bool) {
	v, err := literal(f, reflect.ValueOf(&x).Elem())
	if err != nil {
		h.Fail(err)
		return nil, false
	}
	return v, true
}

func decode[T any](h tree.StateHost, set rowtype.Setter, x any) (T, bool) {
	var out T
	if err := set(reflect.ValueOf(&out).Elem(), x); err != nil {
		h.Fail(err)
		return out, false
	}
	return out, true
}

// Context is what a call has to do with beside its rows: the present key's states, timers and times. It ends with the call: used later, or by another goroutine, it does nothing. What
// goes wrong with a state ends the query when the call is over, with nothing of the epoch kept, so methods have no errors; they give zero values then.
type Context struct {
	h tree.StateHost
}

// at gives the host and the number of a state.
func (c *Context) at(d *declaration) (tree.StateHost, int) {
	if c == nil || c.h == nil {
		return nil, 0
	}
	if d == nil {
		c.h.Fail(bad("Make state variables with keyed.NewValue, keyed.NewList or keyed.NewMap.", "A state variable that was never made (a zero value) is used."))
		return nil, 0
	}
	i := c.h.State(d.name, d.of)
	if i < 0 {
		return nil, 0
	}
	return c.h, i
}

func (c *Context) clear(d *declaration) {
	if h, i := c.at(d); h != nil {
		h.Clear(i)
	}
}

// SetTimer lets HandleExpiredTimer be called for the key when the time of the processor has passed a moment, in microseconds. Setting one that is set does nothing. A timer in
// the past fires in the same epoch.
func (c *Context) SetTimer(at time.Time) {
	if c == nil || c.h == nil {
		return
	}
	if y := at.UTC().Year(); y < 1 || y > 9999 { // the moment may be beyond what microseconds hold
		c.h.Fail(bad("Give a time within them.", "A timer lies outside the years 1 to 9999."))
		return
	}
	c.h.SetTimer(at.UnixMicro())
}

// DeleteTimer takes a timer of the key away; one that is not set is no mistake.
func (c *Context) DeleteTimer(at time.Time) {
	if c != nil && c.h != nil {
		c.h.DeleteTimer(at.UnixMicro())
	}
}

// Timers lists the key's timers, the earliest first, in UTC.
func (c *Context) Timers() []time.Time {
	if c == nil || c.h == nil {
		return nil
	}
	var out []time.Time
	for _, t := range c.h.Timers() {
		out = append(out, time.UnixMicro(t).UTC())
	}
	return out
}

// Watermark is the watermark of the epoch, 1970 before there is one. In the last pass of a batch, in which timers fire, it is the end of time; see [Context.Final].
func (c *Context) Watermark() time.Time {
	if c == nil || c.h == nil {
		return time.Time{}
	}
	return time.UnixMicro(c.h.Watermark()).UTC()
}

// Final tells that time has ended, as it does for the timers of a batch: one that is set anew each time it fires has to stop then.
func (c *Context) Final() bool { return c != nil && c.h != nil && c.h.Final() }

// Now is the processing time: the moment at which the epoch began, which is the same when it runs again after a crash.
func (c *Context) Now() time.Time {
	if c == nil || c.h == nil {
		return time.Time{}
	}
	return time.UnixMicro(c.h.Now()).UTC()
}
