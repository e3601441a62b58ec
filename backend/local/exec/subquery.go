package exec

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// TooManyRows is the error of a scalar subquery that has more than one row.
func TooManyRows(at condition.Pos) error {
	e := condition.Newf("SCALAR_SUBQUERY_TOO_MANY_ROWS", "more than one row was returned by a subquery used as a value.")
	e.Pos, e.Operator, e.Hint = at, "AsScalar", "Aggregate the table, or Limit it to one row."
	return e
}

// Single gives the one row of its input, a row of nulls where that has none, and an error where it has more.
type Single struct {
	Input Operator
	At    condition.Pos

	mu   sync.Mutex
	done bool
}

// Types implements [Operator].
func (s *Single) Types() []datatype.Type { return s.Input.Types() }

// Open implements [Operator].
func (s *Single) Open(ctx context.Context) error { return s.Input.Open(ctx) }

// Close implements [Operator].
func (s *Single) Close() error { return s.Input.Close() }

// Next implements [Operator].
func (s *Single) Next(ctx context.Context) (*vec.Batch, error) {
	lock(ctx, &s.mu)
	defer s.mu.Unlock()
	if s.done {
		return nil, nil
	}
	var row *vec.Batch
	for {
		b, err := s.Input.Next(ctx)
		if err == nil && b != nil && (b.N > 1 || b.N == 1 && row != nil) {
			b.Release()
			err = TooManyRows(s.At)
		}
		switch {
		case err != nil:
			if row != nil {
				row.Release()
			}
			s.done = true
			return nil, err
		case b == nil:
			s.done = true
			if row == nil {
				cols := make([]*vec.Vec, len(s.Types()))
				for i, t := range s.Types() {
					cols[i] = vec.Nulls(t, 1).Flat()
				}
				row = vec.NewBatch(cols, 1, nil)
			}
			return row, nil
		case b.N == 1:
			row = b
		default:
			b.Release()
		}
	}
}

// Mark adds a column to its left input that tells, without an unknown, whether the right input has a row that fits: one for which the keys meet,
// the residual is true and, with Match, the value looked for equals the row's. With Unknown it is also true where that comparison is null, so that
// its opposite is NOT IN as a condition has it. The right side is read whole.
//
// Source: Spark's ExistenceJoin and RewritePredicateSubquery.
type Mark struct {
	Left, Right Operator
	Keys        []JoinKey
	// Match is the value looked for and the value of the right side; nil for EXISTS.
	Match *JoinKey
	// Residual is the rest of the condition over the left columns and then the right ones; nil for none.
	Residual *kernel.Expr
	Unknown  bool
	Out      []datatype.Type
	Task     *Task

	mu    sync.Mutex
	ready bool
	err   error
	rows  *vec.Batch
	// exact has the rows by keys and value, nulls the rows whose value is null by keys, all every row by keys.
	exact, nulls, all *index
}

// index has rows by key: chains of them.
type index struct {
	keys  *table  // nil without keys: one chain
	heads []int32 // -1 for a key without a row that counts
	next  []int32
}

// bytes is the memory of the index; x may be nil.
func (x *index) bytes() int {
	if x == nil {
		return 0
	}
	n := 4 * (cap(x.heads) + cap(x.next))
	if x.keys != nil {
		n += x.keys.bytes()
	}
	return n
}

// Types implements [Operator].
func (m *Mark) Types() []datatype.Type { return m.Out }

// Open implements [Operator].
func (m *Mark) Open(ctx context.Context) error {
	if err := m.Right.Open(ctx); err != nil {
		return err
	}
	return m.Left.Open(ctx)
}

// Close implements [Operator].
func (m *Mark) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rows != nil {
		m.rows.Release()
		m.rows = nil
	}
	return closeAll(m.Left, m.Right)
}

// prepare reads the right side, once. The error is kept: it cannot be read twice.
func (m *Mark) prepare(ctx context.Context) error {
	lock(ctx, &m.mu)
	defer m.mu.Unlock()
	if m.ready || m.err != nil {
		return m.err
	}
	m.err = m.read(ctx)
	m.ready = m.err == nil
	return m.err
}

func (m *Mark) read(ctx context.Context) error {
	var mu sync.Mutex
	var parts []*vec.Batch
	err := drain(ctx, m.Right, m.Task.Parallelism, func(_ int, b *vec.Batch) error {
		mu.Lock()
		defer mu.Unlock()
		parts = append(parts, b)
		return nil
	})
	if err != nil {
		for _, b := range parts {
			b.Release()
		}
		return err
	}
	if m.rows, err = vec.ConcatBatches(ctx, m.Right.Types(), parts); err != nil {
		return err
	}
	keys := make([]*vec.Vec, len(m.Keys))
	for i, k := range m.Keys {
		if keys[i], err = evalWhole(ctx, k.Right, m.rows); err != nil {
			return err
		}
	}
	var value *vec.Vec
	exact := keys
	if m.Match != nil {
		if value, err = evalWhole(ctx, m.Match.Right, m.rows); err != nil {
			return err
		}
		exact = append(append([]*vec.Vec(nil), keys...), value)
	}
	if m.exact, err = m.index(ctx, exact, nil); err != nil {
		return err
	}
	if m.Match != nil && m.Unknown {
		if m.nulls, err = m.index(ctx, keys, value); err == nil {
			m.all, err = m.index(ctx, keys, nil)
		}
		if err != nil {
			return err
		}
	}
	hold(ctx, func() int { return m.rows.Bytes() + m.exact.bytes() + m.nulls.bytes() + m.all.bytes() })
	return nil
}

// index chains the rows of the right side by keys; with only, those where that is null.
func (m *Mark) index(ctx context.Context, keys []*vec.Vec, only *vec.Vec) (*index, error) {
	n := m.rows.N
	x := &index{next: make([]int32, n)}
	var groups []int32
	if len(keys) > 0 {
		x.keys = newTable()
		var err error
		if groups, err = x.keys.groupsOf(ctx, keys, n); err != nil {
			return nil, err
		}
		x.heads = make([]int32, x.keys.len())
	} else {
		x.heads = make([]int32, min(n, 1))
	}
	for g := range x.heads {
		x.heads[g] = -1
	}
	// From the last row to the first, so that a chain runs in the order of the rows.
	for i := n - 1; i >= 0; i-- {
		x.next[i] = -1
		if only != nil && !only.IsNull(i) || m.nullKey(keys, i) {
			continue
		}
		g := int32(0)
		if groups != nil {
			g = groups[i]
		}
		x.next[i], x.heads[g] = x.heads[g], int32(i)
	}
	return x, nil
}

// nullKey tells whether a row can meet nobody because a key is null. The value looked for is behind the keys and never meets by a null.
func (m *Mark) nullKey(keys []*vec.Vec, i int) bool {
	for k, v := range keys {
		if (k >= len(m.Keys) || !m.Keys[k].NullSafe) && v.IsNull(i) {
			return true
		}
	}
	return false
}

// Next implements [Operator].
func (m *Mark) Next(ctx context.Context) (*vec.Batch, error) {
	if err := m.prepare(ctx); err != nil {
		return nil, err
	}
	b, err := m.Left.Next(ctx)
	if b == nil || err != nil {
		return nil, err
	}
	hit, err := m.mark(ctx, b)
	if err != nil {
		b.Release()
		return nil, err
	}
	return b.Derive(append(append([]*vec.Vec(nil), b.Cols...), vec.Of(datatype.Boolean, hit)), b.N), nil
}

// mark finds the rows of a left batch that a row of the right side fits.
func (m *Mark) mark(ctx context.Context, b *vec.Batch) ([]bool, error) {
	keys := make([]*vec.Vec, len(m.Keys))
	var err error
	for i, k := range m.Keys {
		if keys[i], err = k.Left.Eval(b); err != nil {
			return nil, err
		}
	}
	hit := make([]bool, b.N)
	rows := make([]int32, b.N)
	for i := range rows {
		rows[i] = int32(i)
	}
	if m.Match == nil {
		return hit, m.probe(ctx, b, m.exact, keys, rows, hit)
	}
	value, err := m.Match.Left.Eval(b)
	if err != nil {
		return nil, err
	}
	if err := m.probe(ctx, b, m.exact, append(append([]*vec.Vec(nil), keys...), value), rows, hit); err != nil || !m.Unknown {
		return hit, err
	}
	var known, unknown []int32 // rows without a partner by whether their own value is known
	for i, h := range hit {
		switch {
		case h:
		case value.IsNull(i):
			unknown = append(unknown, int32(i))
		default:
			known = append(known, int32(i))
		}
	}
	if err := m.probe(ctx, b, m.nulls, keys, known, hit); err != nil {
		return nil, err
	}
	return hit, m.probe(ctx, b, m.all, keys, unknown, hit)
}

// probe sets hit for those of some left rows that have a partner in an index.
func (m *Mark) probe(ctx context.Context, b *vec.Batch, x *index, keys []*vec.Vec, rows []int32, hit []bool) error {
	if len(rows) == 0 || len(x.heads) == 0 {
		return nil
	}
	var enc vec.Rows
	if len(keys) > 0 {
		enc.Encode(keys, b.N)
	}
	var left, right []int32
	flush := func() error {
		if len(left) == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		n := len(m.Left.Types())
		cols := make([]*vec.Vec, n+len(m.rows.Cols))
		for _, c := range m.Residual.Columns {
			if c < n {
				cols[c] = vec.Take(b.Cols[c], left)
			} else {
				cols[c] = vec.Take(m.rows.Cols[c-n], right)
			}
		}
		v, err := m.Residual.Eval(&vec.Batch{Cols: cols, N: len(left)})
		if err != nil {
			return err
		}
		for _, k := range trueRows(v, len(left)) {
			hit[left[k]] = true
		}
		left, right = left[:0], right[:0]
		return nil
	}
	for _, i := range rows {
		g := 0
		if len(keys) > 0 {
			if m.nullKey(keys, int(i)) {
				continue
			}
			key := enc.Row(int(i))
			if g = int(x.keys.find(key, vec.Hash(key))); g < 0 {
				continue
			}
		}
		if m.Residual == nil {
			hit[i] = x.heads[g] >= 0
			continue
		}
		for r := x.heads[g]; r >= 0 && !hit[i]; r = x.next[r] {
			left, right = append(left, i), append(right, r)
			if len(left) >= 4*m.Task.BatchRows {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	if m.Residual == nil {
		return nil
	}
	return flush()
}

// memoBytes is how much memory an [Apply] takes for what it remembers. When it is full all is forgotten: which rows come again is not known.
const memoBytes = 32 << 20

// Apply adds the value of a subquery to each row of its input by running the subquery for each different row of arguments, as far as those are remembered.
type Apply struct {
	Input Operator
	// Args are what the subquery depends on: the columns from outside, and for IN the value looked for.
	Args []*kernel.Expr
	// Run gives the value for the arguments, which are as package tree stores them. It is called by several goroutines at once, with different arguments.
	Run func(ctx context.Context, args []any) (any, error)
	// Value is the type of the value, the last of Out.
	Value datatype.Type
	Out   []datatype.Type

	mu    sync.Mutex
	memo  map[string]*answer
	bytes int
}

// answer is the value of a subquery for a row of arguments, which is there when done is closed.
type answer struct {
	done  chan struct{}
	value any
	err   error
}

// Types implements [Operator].
func (a *Apply) Types() []datatype.Type { return a.Out }

// Open implements [Operator].
func (a *Apply) Open(ctx context.Context) error { return a.Input.Open(ctx) }

// Close implements [Operator].
func (a *Apply) Close() error { return a.Input.Close() }

// Next implements [Operator].
func (a *Apply) Next(ctx context.Context) (*vec.Batch, error) {
	b, err := a.Input.Next(ctx)
	if b == nil || err != nil {
		return nil, err
	}
	v, err := a.values(ctx, b)
	if err != nil {
		b.Release()
		return nil, err
	}
	return b.Derive(append(append([]*vec.Vec(nil), b.Cols...), v), b.N), nil
}

func (a *Apply) values(ctx context.Context, b *vec.Batch) (*vec.Vec, error) {
	args := make([]*vec.Vec, len(a.Args))
	for i, e := range a.Args {
		v, err := e.Eval(b)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	out := vec.NewBuilder(a.Value, b.N)
	var key []byte
	for i := range b.N {
		key = key[:0]
		for _, v := range args {
			key = vec.AppendValue(key, v, i)
		}
		x, err := a.value(ctx, string(key), args, i)
		if err != nil {
			return nil, err
		}
		if err := out.AppendAny(x); err != nil {
			return nil, err
		}
	}
	return out.Vec(), nil
}

// value gives the subquery's value for a row, from memory where the arguments came before, or are being run by another goroutine.
func (a *Apply) value(ctx context.Context, key string, args []*vec.Vec, row int) (any, error) {
	for {
		a.mu.Lock()
		x, known := a.memo[key]
		if !known {
			x = &answer{done: make(chan struct{})}
			if a.memo == nil {
				a.memo = map[string]*answer{}
			}
			a.memo[key] = x
		}
		a.mu.Unlock()
		if !known {
			a.run(ctx, key, x, args, row)
			return x.value, x.err
		}
		from := time.Now()
		select {
		case <-x.done:
			spanOf(ctx).idle(time.Since(from))
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		// That the other was stopped says nothing of the value.
		if x.err == nil || ctx.Err() != nil || !errors.Is(x.err, context.Canceled) {
			return x.value, x.err
		}
	}
}

// run runs the subquery and remembers the value. An error, or a panic, is not remembered.
func (a *Apply) run(ctx context.Context, key string, x *answer, args []*vec.Vec, row int) {
	x.err = context.Canceled // what those who wait see of a panic
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		close(x.done)
		if x.err != nil {
			if a.memo[key] == x {
				delete(a.memo, key)
			}
			return
		}
		if a.bytes += len(key) + valueBytes(x.value); a.bytes > memoBytes {
			a.memo, a.bytes = nil, 0
		}
	}()
	list := make([]any, len(args))
	for i, v := range args {
		list[i] = v.Any(row)
	}
	x.value, x.err = a.Run(ctx, list)
}

// valueBytes is about how much memory a remembered value takes, with its place.
func valueBytes(v any) int {
	const place = 128
	switch x := v.(type) {
	case string:
		return place + len(x)
	case []byte:
		return place + len(x)
	case []any:
		n := place
		for _, e := range x {
			n += valueBytes(e)
		}
		return n
	case [][2]any:
		n := place
		for _, e := range x {
			n += valueBytes(e[0]) + valueBytes(e[1])
		}
		return n
	}
	return place
}
