// Package plan turns a relation of the tree into operators: first into nodes whose columns are plain ordinals, then through a
// list of named rules, then into package exec's operators, anew for each epoch.
package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/compiler/analyze"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Node is an operator of a plan. The columns of its expressions are ordinals of its input's output, those of a join of the left
// columns and then the right ones; their Rel is a stand-in that only knows the schema.
type Node interface {
	// Schema is the output.
	Schema() *tree.Schema
	// Inputs are the inputs in order.
	Inputs() []Node
	common() *base
}

// base is what every node has.
type base struct {
	out *tree.Schema
	// stand is the relation that columns over this node's output point to.
	stand *tree.Values
	// need tells which output columns are read above; nil means all (before the rule prune-columns).
	need []bool
}

func newBase(out *tree.Schema) base { return base{out: out, stand: standIn(out)} }

// standIn makes a relation that has nothing but a schema, for columns of a plan to point to.
func standIn(s *tree.Schema) *tree.Values { return &tree.Values{Node: tree.Node{Out: s}} }

// Schema implements [Node].
func (b *base) Schema() *tree.Schema { return b.out }

// Inputs implements [Node] for leaves.
func (b *base) Inputs() []Node { return nil }

func (b *base) common() *base { return b }

func (b *base) column(i int) tree.Scalar { return &tree.Column{Rel: b.stand, Ordinal: i} }

// needed tells whether output column i is read.
func (b *base) needed(i int) bool { return b.need == nil || b.need[i] }

// Scan reads a source.
type Scan struct {
	base
	Read *tree.Read
	// Stream tells that the source is read as a stream; Index is then its number among the streaming sources.
	Stream bool
	Index  int
	// Filters are what a filter right above asks of the rows; set by the rule skip-rows.
	Filters []tree.Scalar
}

// Values are literal rows.
type Values struct {
	base
	Rows [][]tree.Scalar
}

// Project computes columns.
type Project struct {
	base
	In    Node
	Exprs []tree.Named
}

// Filter keeps rows.
type Filter struct {
	base
	In   Node
	Cond tree.Scalar
}

// Windows adds the start and end of each window that a row is in.
type Windows struct {
	base
	In                 Node
	Time               tree.Scalar
	Size, Slide, Start int64 // microseconds
	// Cumulative windows begin together, at the grid of Size, and end Slide apart.
	Cumulative bool
	// Gap is what makes a session of a row: it reaches to the row's time plus the gap. nil for windows of a grid.
	Gap tree.Scalar
	// Panes says that a row gets the piece of time that its windows are made of in the place of each of them: the aggregation above puts the pieces together.
	// Set by the rule group-panes.
	Panes bool
}

// Aggregate groups. Op is its number among the stateful operators.
type Aggregate struct {
	base
	In   Node
	Keys []tree.Named
	Aggs []tree.Named
	Op   int
	// EventKey is the key with event time, or -1.
	EventKey int
	// Session is the key that is the start of a session, before that of its end, or -1. Sessions that touch are one.
	Session int
}

// rowKey tells whether a column is a key that all rows of a group have as it comes out. The ends of a session are known only when its rows are.
func (n *Aggregate) rowKey(column int) bool {
	return column < len(n.Keys) && (n.Session < 0 || column != n.Session && column != n.Session+1)
}

// Expand gives each row once for each grouping set: behind its columns stand the keys, null where the set leaves them out, the number of
// the set and its grouping id.
type Expand struct {
	base
	In   Node
	Keys []tree.Named
	Sets [][]bool
	IDs  []int64
}

// SetOperation keeps left rows that are in the right input, or that are not.
type SetOperation struct {
	base
	Left, Right Node
	Kind        tree.SetKind
	All         bool
}

// Sample keeps each row with a probability; a nil Seed is another one in each run.
type Sample struct {
	base
	In       Node
	Fraction float64
	Seed     *int64
}

// Join pairs rows; a right join has become a left one.
type Join struct {
	base
	Left, Right Node
	Kind        tree.JoinKind
	On          []tree.Scalar // conjuncts over left and right
	Output      []tree.JoinColumn
	// both is the stand-in of the left columns and then the right ones.
	both *tree.Values
	// Op is the number among the stateful operators of a join of two streams, else -1; Static is a number for the kept table of
	// a join of a stream with a table.
	Op, Static int
	// Sieves are filled with the keys of the right side before the left side is opened.
	Sieves []*Sieve
	// Any gives a left row one partner at most, the least of the right rows by their columns.
	Any bool
	at  condition.Pos
}

// AsofJoin pairs each left row with the right row of its keys that is nearest in time.
type AsofJoin struct {
	base
	Left, Right Node
	// Keys are equalities of expressions over the left with ones over the right.
	Keys []tree.JoinKey
	// LeftTime and RightTime are over their own sides, of one type.
	LeftTime, RightTime tree.Scalar
	Direction           tree.AsofDirection
	Strict              bool
	Tolerance           *tree.Literal // nil for none
	Output              []tree.JoinColumn
	// Op is the number among the stateful operators of a join of two streams, else -1.
	Op int
}

// Sort orders; Limit ≥ 0 makes it top-k.
type Sort struct {
	base
	In    Node
	Keys  []tree.SortKey
	Limit int64
}

// Limit cuts.
type Limit struct {
	base
	In            Node
	Count, Offset int64
	// CountOf and OffsetOf, where not nil, are computed in each run instead; the rules then know no number.
	CountOf, OffsetOf tree.Scalar
	Op                int
}

// Deduplicate keeps the first row of each key.
type Deduplicate struct {
	base
	In     Node
	Keys   []int
	Op     int
	Event  int // column with event time, or -1
	InKeys bool
	Within int64 // microseconds of delay, or -1
}

// Union puts rows together.
type Union struct {
	base
	Sides []Node
}

// Watermark observes event time. Index is its number among the watermarks.
type Watermark struct {
	base
	In      Node
	Ordinal int
	Delay   int64 // microseconds
	Index   int
}

// Unnest opens an array column.
type Unnest struct {
	base
	In        Node
	Ordinal   int
	KeepEmpty bool
	Position  bool
}

// Over adds the columns of window expressions. Op is its number among the stateful operators, -1 over a table.
type Over struct {
	base
	In    Node
	Items []*tree.Over
	Op    int
}

// Inputs implements [Node].
func (n *Project) Inputs() []Node { return []Node{n.In} }

// Inputs implements [Node].
func (n *Filter) Inputs() []Node { return []Node{n.In} }

// Inputs implements [Node].
func (n *Windows) Inputs() []Node { return []Node{n.In} }

// Inputs implements [Node].
func (n *Aggregate) Inputs() []Node { return []Node{n.In} }

// Inputs implements [Node].
func (n *Expand) Inputs() []Node { return []Node{n.In} }

// Inputs implements [Node].
func (n *SetOperation) Inputs() []Node { return []Node{n.Left, n.Right} }

// Inputs implements [Node].
func (n *Sample) Inputs() []Node { return []Node{n.In} }

// Inputs implements [Node].
func (n *Join) Inputs() []Node { return []Node{n.Left, n.Right} }

// Inputs implements [Node].
func (n *AsofJoin) Inputs() []Node { return []Node{n.Left, n.Right} }

// Inputs implements [Node].
func (n *Sort) Inputs() []Node { return []Node{n.In} }

// Inputs implements [Node].
func (n *Limit) Inputs() []Node { return []Node{n.In} }

// Inputs implements [Node].
func (n *Deduplicate) Inputs() []Node { return []Node{n.In} }

// Inputs implements [Node].
func (n *Union) Inputs() []Node { return n.Sides }

// Inputs implements [Node].
func (n *Watermark) Inputs() []Node { return []Node{n.In} }

// Inputs implements [Node].
func (n *Unnest) Inputs() []Node { return []Node{n.In} }

// Inputs implements [Node].
func (n *Over) Inputs() []Node { return []Node{n.In} }

// Plan is a planned relation.
type Plan struct {
	Root Node
	// Parts are the shared parts, each before those that read it.
	Parts []*Shared
	// Scans are all sources; Streams are the streaming ones by their numbers.
	Scans   []*Scan
	Streams []*Scan
	// Watermarks are the watermark operators by their numbers.
	Watermarks []*Watermark
	// Stateful are the stateful operators by their numbers; empty in batch.
	Stateful []Node

	fingerprint string
	// known is what the sources know of their rows, where they were asked.
	known statistics
}

// maker converts a tree.
type maker struct {
	plan   *Plan
	stream bool
	mode   tree.OutputMode
	static int
	// sharing is nil in a stream, where each way has its own sources and state.
	sharing *sharing
	params  map[string]*tree.Literal // the values of the query's parameters
	tables  Tables
}

// Tables gives what a table of the catalogue is, with columns of the same names and types in the same order, and how tables within that are found. The same
// table is always the same relation.
type Tables func(*tree.Table) (tree.Relation, Tables, error)

// Kind says how a relation is planned: as a batch, or as a stream with an output mode.
type Kind struct {
	Stream bool
	Mode   tree.OutputMode
	// Sink is the format that the rows go into: a checkpoint is of one kind of sink.
	Sink string
	// Statistics tells what the source of a scan knows of its rows; nil for nothing, and then joins keep their order.
	Statistics func(*Scan) (connector.Statistics, bool)
	// Tables finds tables of the catalogue; nil where there is none.
	Tables Tables
	// Without names rules that are left out, for tests: the rows are the same without any of them.
	Without []string
	// trace, where not nil, is called with the plan before the rules, under the name "", and after each.
	trace func(rule string, p *Plan)
}

// Make plans a relation and applies the rules.
func Make(r tree.Relation, k Kind) (*Plan, error) {
	p, err := Unoptimised(r, k)
	if err != nil {
		return nil, err
	}
	if k.trace != nil {
		k.trace("", p)
	}
	for _, rule := range Rules {
		if slices.Contains(k.Without, rule.Name) {
			continue
		}
		if rule.Statistics && p.known == nil && k.Statistics != nil {
			p.known = statistics{}
			for _, scan := range p.Scans {
				if st, ok := k.Statistics(scan); ok {
					p.known[scan] = st
				}
			}
		}
		p.Root = rule.apply(p.Root, p.known)
		for _, part := range p.Parts {
			part.In = rule.apply(part.In, p.known)
		}
		if k.trace != nil {
			k.trace(rule.Name, p)
		}
	}
	return p, nil
}

// Unoptimised plans a relation without the rules.
func Unoptimised(r tree.Relation, k Kind) (*Plan, error) {
	m := &maker{plan: &Plan{}, stream: k.Stream, mode: k.Mode, tables: k.Tables, params: bindings(r)}
	if !k.Stream {
		m.sharing = newSharing(r)
	}
	root, err := m.node(r)
	if err != nil {
		return nil, err
	}
	withValues(root, m.params)
	for _, part := range m.plan.Parts {
		withValues(part.In, m.params)
	}
	m.plan.Root = root
	if k.Stream {
		m.plan.fingerprint = m.plan.describe(k)
	}
	return m.plan, nil
}

func unsupported(at condition.Pos, format string, args ...any) error {
	e := condition.Newf(condition.Unsupported, format, args...)
	e.Pos = at
	return e
}

// rebind makes the columns of s, which point to inputs of a tree relation, ordinals of a stand-in.
func rebind(s tree.Scalar, stand *tree.Values, inputs ...tree.Relation) (tree.Scalar, error) {
	var err error
	out := tree.Rewrite(s, func(x tree.Scalar) tree.Scalar {
		c, ok := x.(*tree.Column)
		if !ok {
			return x
		}
		base := 0
		for _, in := range inputs {
			if c.Rel == in {
				return &tree.Column{Rel: stand, Ordinal: base + c.Ordinal, At: c.At}
			}
			base += in.Schema().Len()
		}
		e := condition.Newf(condition.UnboundColumn, "the column %s does not belong to the table that it is used on.", datatype.QuoteName(c.Field().Name))
		e.Pos = c.At
		err = e
		return x
	})
	return out, err
}

func rebindAll(in []tree.Named, stand *tree.Values, inputs ...tree.Relation) ([]tree.Named, error) {
	out := make([]tree.Named, len(in))
	for i, n := range in {
		s, err := rebind(n.Expr, stand, inputs...)
		if err != nil {
			return nil, err
		}
		out[i] = tree.Named{Name: n.Name, Expr: s}
	}
	return out, nil
}

// stateful numbers a stateful operator of a stream, inputs before outputs; the number names its folder in the checkpoint.
func (m *maker) stateful(n Node) int {
	// Over a table in a stream's plan an operator is what it is in a batch.
	if !m.stream || !streaming(n) {
		return -1
	}
	m.plan.Stateful = append(m.plan.Stateful, n)
	return len(m.plan.Stateful) - 1
}

// HasJoin tells whether the plan joins tables in a batch, so that statistics of its sources are worth asking for.
func (p *Plan) HasJoin() bool {
	var find func(n Node) bool
	find = func(n Node) bool {
		if j, ok := n.(*Join); ok && j.Op < 0 {
			return true
		}
		return slices.ContainsFunc(n.Inputs(), find)
	}
	for _, part := range p.Parts {
		if find(part.In) {
			return true
		}
	}
	return find(p.Root)
}

// streaming tells whether a node is fed by a stream.
func streaming(n Node) bool {
	if s, ok := n.(*Scan); ok {
		return s.Stream
	}
	for _, in := range n.Inputs() {
		if streaming(in) {
			return true
		}
	}
	return false
}

// node converts a relation. A relation that is reached twice is converted twice, so that each way has its own filters and columns, unless it is shared.
func (m *maker) node(r tree.Relation) (Node, error) {
	if !m.sharing.shared(r) {
		return m.convert(r)
	}
	part := m.sharing.made[r]
	if part == nil {
		in, err := m.convert(r)
		if err != nil {
			return nil, err
		}
		part = &Shared{base: newBase(in.Schema()), Number: len(m.plan.Parts) + 1, In: in}
		m.plan.Parts = append(m.plan.Parts, part)
		m.sharing.made[r] = part
	}
	return part, nil
}

// named converts what a table of the catalogue is: a relation with parameters of its own.
func (m *maker) named(x *tree.Table) (Node, error) {
	if m.stream && x.Stream {
		e := condition.Newf(condition.Unsupported, "the local engine reads a table of its catalogue whole, not as a stream.")
		e.Pos, e.Operator, e.Hint = x.Pos(), "StreamingTable", "Take it from Session.Table or expr.CatalogTable as a look-up table, read its files with a file source, or run the query on Spark."
		return nil, e
	}
	if m.tables == nil {
		return nil, condition.At(condition.Newf(condition.TableNotFound, "There is no catalogue to find the table %s in.", strings.Join(x.Name, ".")), x.Pos())
	}
	r, inner, err := m.tables(x)
	if err != nil {
		return nil, condition.At(err, x.Pos())
	}
	params, tables := m.params, m.tables
	defer func() { m.params, m.tables = params, tables }()
	m.params, m.tables = bindings(r), inner
	n, err := m.node(r)
	if err == nil {
		withValues(n, m.params)
	}
	return n, err
}

// convert converts a relation with what is below it.
func (m *maker) convert(r tree.Relation) (Node, error) {
	switch x := r.(type) {
	case *tree.Read:
		n := &Scan{base: newBase(x.Schema()), Read: x, Index: -1}
		if m.stream && !x.Static && x.Source.Stream {
			n.Stream, n.Index = true, len(m.plan.Streams)
			m.plan.Streams = append(m.plan.Streams, n)
		}
		m.plan.Scans = append(m.plan.Scans, n)
		return n, nil
	case *tree.Table:
		return m.named(x)
	case *tree.Values:
		return &Values{base: newBase(x.Schema()), Rows: x.Rows}, nil
	case *tree.View:
		return m.node(x.Input)
	case *tree.Bind, *tree.Hint:
		return m.node(r.Inputs()[0])
	case *tree.SQL:
		e := condition.Newf(condition.Unsupported, "the local engine does not read SQL.")
		e.Pos, e.Operator, e.Hint = x.Pos(), "SQL", "Write the query with table methods, or run it on Spark."
		return nil, e
	case *applied:
		return m.apply(x)
	}
	if len(tree.Subqueries(tree.Scalars(r)...)) > 0 {
		return m.subqueries(r)
	}
	if len(r.Inputs()) == 0 {
		return nil, unsupported(r.Pos(), "the local engine does not know the relation %T.", r)
	}
	ins := make([]Node, len(r.Inputs()))
	for i, in := range r.Inputs() {
		n, err := m.node(in)
		if err != nil {
			return nil, err
		}
		ins[i] = n
	}
	in := ins[0]
	stand := in.common().stand
	switch x := r.(type) {
	case *tree.Project:
		for i, c := range x.Columns {
			if w := tree.TimeWindow(c.Expr); w != nil {
				return m.projectWindow(x, in, i, w)
			}
		}
		exprs, err := rebindAll(x.Columns, stand, x.Input)
		if err != nil {
			return nil, err
		}
		if in, exprs, err = m.liftOver(in, exprs); err != nil {
			return nil, err
		}
		return &Project{base: newBase(x.Schema()), In: in, Exprs: exprs}, nil
	case *tree.Filter:
		cond, err := rebind(x.Cond, stand, x.Input)
		if err != nil {
			return nil, err
		}
		over, lifted, err := m.liftOver(in, []tree.Named{{Expr: cond}})
		if err != nil {
			return nil, err
		}
		var out Node = &Filter{base: newBase(over.Schema()), In: over, Cond: lifted[0].Expr}
		if over != in {
			// The window columns go again.
			p := &Project{base: newBase(x.Schema()), In: out}
			for i, f := range x.Schema().Fields() {
				p.Exprs = append(p.Exprs, tree.Named{Name: f.Name, Expr: out.common().column(i)})
			}
			out = p
		}
		return out, nil
	case *tree.Aggregate:
		return m.aggregate(x, in)
	case *tree.Distinct:
		n := &Aggregate{base: newBase(x.Schema()), In: in, EventKey: -1, Session: -1}
		for i, f := range x.Schema().Fields() {
			n.Keys = append(n.Keys, tree.Named{Name: f.Name, Expr: in.common().column(i)})
			if f.Watermark != nil && n.EventKey < 0 {
				n.EventKey = i
			}
		}
		n.Op = m.stateful(n)
		return n, nil
	case *tree.Join:
		return m.join(x, ins[0], ins[1])
	case *tree.AsofJoin:
		return m.asofJoin(x, ins[0], ins[1])
	case *tree.Keyed:
		return m.keyed(x, ins)
	case *tree.Match:
		return m.match(x, in)
	case *tree.Sort:
		n := &Sort{base: newBase(x.Schema()), In: in, Limit: -1}
		for _, k := range x.Keys {
			s, err := rebind(k.Arg, stand, x.Input)
			if err != nil {
				return nil, err
			}
			k.Arg = s
			n.Keys = append(n.Keys, k)
		}
		return n, nil
	case *tree.Limit:
		n := &Limit{base: newBase(x.Schema()), In: in, Count: x.Count, Offset: x.Offset, CountOf: x.CountOf, OffsetOf: x.OffsetOf, Op: -1}
		// In complete mode each epoch has the whole result, and a limit over it starts anew.
		if m.mode != tree.Complete {
			n.Op = m.stateful(n)
		}
		return n, nil
	case *tree.Deduplicate:
		n := &Deduplicate{base: newBase(x.Schema()), In: in, Keys: x.Keys, Event: -1, Within: -1, Op: -1}
		if len(n.Keys) == 0 {
			for i := range x.Schema().Len() {
				n.Keys = append(n.Keys, i)
			}
		}
		for _, k := range n.Keys {
			if x.Schema().Field(k).Watermark != nil && n.Event < 0 {
				n.Event, n.InKeys = k, true
			}
		}
		for i, f := range x.Schema().Fields() {
			if f.Watermark != nil && n.Event < 0 {
				n.Event = i
			}
		}
		if x.WithinWatermark && n.Event >= 0 {
			n.Within = x.Schema().Field(n.Event).Watermark.Delay.Microseconds()
		}
		n.Op = m.stateful(n)
		return n, nil
	case *tree.Union:
		return &Union{base: newBase(x.Schema()), Sides: ins}, nil
	case *tree.SetOperation:
		if m.stream && (streaming(ins[0]) || streaming(ins[1])) {
			return m.streamExcept(x, ins[0], ins[1])
		}
		return &SetOperation{base: newBase(x.Schema()), Left: ins[0], Right: ins[1], Kind: x.Kind, All: x.All}, nil
	case *tree.Sample:
		return &Sample{base: newBase(x.Schema()), In: in, Fraction: x.Fraction, Seed: x.Seed}, nil
	case *tree.Watermark:
		n := &Watermark{base: newBase(x.Schema()), In: in, Ordinal: x.Ordinal, Delay: x.Delay.Microseconds(), Index: len(m.plan.Watermarks)}
		if !m.stream || !streaming(in) {
			n.Index = -1
			return n, nil
		}
		m.plan.Watermarks = append(m.plan.Watermarks, n)
		return n, nil
	case *tree.Unnest:
		return &Unnest{base: newBase(x.Schema()), In: in, Ordinal: x.Ordinal, KeepEmpty: x.KeepEmpty, Position: x.Position != ""}, nil
	}
	return nil, unsupported(r.Pos(), "the local engine does not know the relation %T.", r)
}

// streamExcept plans the difference of a stream and a table as Spark does: an anti join with the table, and then DISTINCT.
func (m *maker) streamExcept(x *tree.SetOperation, left, right Node) (Node, error) {
	if x.Kind != tree.ExceptSet || x.All || streaming(right) {
		return nil, unsupported(x.Pos(), "the local engine takes the different rows of a stream that are not in a table; it has no other %s of a stream.", x.Kind)
	}
	j := &Join{base: newBase(left.Schema()), Left: left, Right: right, Kind: tree.AntiJoin, Op: -1}
	fields := append(append([]tree.Field(nil), left.Schema().Fields()...), right.Schema().Fields()...)
	j.both = standIn(tree.NewSchema(fields))
	same, _ := catalog.Lookup("<=>")
	width := left.Schema().Len()
	n := &Aggregate{base: newBase(x.Schema()), In: j, EventKey: -1, Session: -1}
	for i, f := range x.Schema().Fields() {
		args := []tree.Scalar{&tree.Column{Rel: j.both, Ordinal: i}, &tree.Column{Rel: j.both, Ordinal: width + i}}
		j.On = append(j.On, &tree.Call{Func: same, Args: args, Typ: datatype.Boolean})
		j.Output = append(j.Output, tree.JoinColumn{Ordinal: i})
		n.Keys = append(n.Keys, tree.Named{Name: f.Name, Expr: j.column(i)})
		if f.Watermark != nil && n.EventKey < 0 {
			n.EventKey = i
		}
	}
	m.keep(j)
	n.Op = m.stateful(n)
	return n, nil
}

// liftOver puts the window expressions of exprs into operators of their own below, and gives exprs with columns in their place. One that stands
// inside another one comes first, in an operator below.
func (m *maker) liftOver(in Node, exprs []tree.Named) (Node, []tree.Named, error) {
	for {
		fields := append([]tree.Field(nil), in.Schema().Fields()...)
		width := len(fields)
		var items []*tree.Over
		// Equal ones are computed once.
		known := map[string]int{}
		found := map[*tree.Over]int{}
		for _, e := range exprs {
			tree.Walk(e.Expr, func(s tree.Scalar) bool {
				o, ok := s.(*tree.Over)
				if !ok || holdsOver(o) {
					return true
				}
				text := Text(o)
				k, ok := known[text]
				if !ok {
					k = len(items)
					known[text] = k
					items = append(items, o)
					fields = append(fields, tree.Field{Name: fmt.Sprintf("_over%d", width+k), Type: o.Type(), Nullable: o.Nullable()})
				}
				found[o] = k
				return false
			})
		}
		if items == nil {
			return in, exprs, nil
		}
		over := &Over{base: newBase(tree.NewSchema(fields)), In: in, Items: items}
		if over.Op = m.stateful(over); over.Op >= 0 {
			if m.mode != tree.Append {
				return nil, nil, unsupported(items[0].At, "the local engine computes window expressions over a stream in append mode only.")
			}
			if _, _, err := over.streamOver(); err != nil {
				return nil, nil, err
			}
		}
		out := make([]tree.Named, len(exprs))
		for i, e := range exprs {
			s := rewriteTop(e.Expr, func(x tree.Scalar) (tree.Scalar, bool) {
				o, ok := x.(*tree.Over)
				if !ok {
					return nil, false
				}
				k, ok := found[o]
				return over.column(width + k), ok
			})
			// Columns of the input point to the operator's output now, where they have the same ordinals.
			s = tree.Rewrite(s, func(s tree.Scalar) tree.Scalar {
				if c, ok := s.(*tree.Column); ok && c.Rel == tree.Relation(in.common().stand) {
					return over.column(c.Ordinal)
				}
				return s
			})
			out[i] = tree.Named{Name: e.Name, Expr: s}
		}
		in, exprs = over, out
	}
}

// holdsOver tells whether a window expression stands inside another one.
func holdsOver(o *tree.Over) bool {
	inside := false
	for _, c := range tree.Children(o) {
		tree.Walk(c, func(s tree.Scalar) bool {
			_, over := s.(*tree.Over)
			inside = inside || over
			return !inside
		})
	}
	return inside
}

// rewriteTop is tree.Rewrite that looks at parents first, so that what is replaced is not looked into.
func rewriteTop(s tree.Scalar, f func(tree.Scalar) (tree.Scalar, bool)) tree.Scalar {
	if r, ok := f(s); ok {
		return r
	}
	switch x := s.(type) {
	case *tree.Call:
		c := *x
		c.Args = make([]tree.Scalar, len(x.Args))
		for i, a := range x.Args {
			c.Args[i] = rewriteTop(a, f)
		}
		if x.Where != nil {
			c.Where = rewriteTop(x.Where, f)
		}
		return &c
	case *tree.Cast:
		c := *x
		c.Arg = rewriteTop(x.Arg, f)
		return &c
	case *tree.Case:
		c := *x
		c.Whens = make([]tree.When, len(x.Whens))
		for i, w := range x.Whens {
			c.Whens[i] = tree.When{Cond: rewriteTop(w.Cond, f), Then: rewriteTop(w.Then, f)}
		}
		if x.Else != nil {
			c.Else = rewriteTop(x.Else, f)
		}
		return &c
	case *tree.GetField:
		c := *x
		c.Arg = rewriteTop(x.Arg, f)
		return &c
	case *tree.Over:
		c := *x
		if g, ok := rewriteTop(x.Func, f).(*tree.Call); ok {
			c.Func = g
		}
		c.PartitionBy = make([]tree.Scalar, len(x.PartitionBy))
		for i, p := range x.PartitionBy {
			c.PartitionBy[i] = rewriteTop(p, f)
		}
		c.OrderBy = append([]tree.SortKey(nil), x.OrderBy...)
		for i, k := range c.OrderBy {
			c.OrderBy[i].Arg = rewriteTop(k.Arg, f)
		}
		return &c
	case *tree.Subquery:
		c := *x
		if x.Arg != nil {
			c.Arg = rewriteTop(x.Arg, f)
		}
		c.Outer = append([]tree.OuterColumn(nil), x.Outer...)
		for i, o := range c.Outer {
			c.Outer[i].Value = rewriteTop(o.Value, f)
		}
		return &c
	case *tree.Alias:
		c := *x
		c.Arg = rewriteTop(x.Arg, f)
		return &c
	case *tree.Lambda:
		c := *x
		c.Body = rewriteTop(x.Body, f)
		return &c
	}
	return s
}

// micros reads a literal interval of days to seconds.
func micros(s tree.Scalar) (int64, bool) {
	s, _ = tree.StripAlias(s)
	for {
		c, ok := s.(*tree.Cast)
		if !ok {
			break
		}
		s = c.Arg
	}
	l, ok := s.(*tree.Literal)
	if !ok {
		return 0, false
	}
	n, ok := l.Value.(int64)
	return n, ok
}

// aggregate makes up to three nodes of an aggregation: the windows below, the hash table, and a projection above for window structs
// and
// for expressions over aggregates.
func (m *maker) aggregate(x *tree.Aggregate, in Node) (Node, error) {
	eventKey := -1
	var window *tree.Call
	windowKey := -1
	for i, k := range x.Keys {
		if tree.EventTimeOf(k.Expr) != nil && eventKey < 0 {
			eventKey = i
		}
		if c := tree.TimeWindow(k.Expr); c != nil {
			if window != nil {
				return nil, unsupported(c.At, "a grouping has one time window at most.")
			}
			window, windowKey = c, i
		}
	}
	if window != nil {
		w, err := makeWindows(window, in, x.Input)
		if err != nil {
			return nil, err
		}
		in = w
	}
	// The keys of the hash table are plain columns: a window is its start and its end, and the struct is made above.
	n := &Aggregate{In: in, EventKey: -1, Session: -1}
	newStand := in.common().stand
	var fields []tree.Field
	keyAt := make([]int, len(x.Keys))
	for i, k := range x.Keys {
		keyAt[i] = len(n.Keys)
		if i == windowKey {
			at := in.Schema().Len() - 2
			n.Keys = append(n.Keys, tree.Named{Name: "start", Expr: in.common().column(at)}, tree.Named{Name: "end", Expr: in.common().column(at + 1)})
			fields = append(fields, in.Schema().Field(at), in.Schema().Field(at+1))
			if i == eventKey {
				n.EventKey = keyAt[i] + 1
			}
			if window.Func.Name == catalog.SessionWindow {
				n.Session = keyAt[i]
			}
			continue
		}
		s, err := rebind(k.Expr, newStand, x.Input)
		if err != nil {
			return nil, err
		}
		if i == eventKey {
			n.EventKey = keyAt[i]
		}
		n.Keys = append(n.Keys, tree.Named{Name: k.Name, Expr: s})
		fields = append(fields, x.Schema().Field(i))
	}
	// A grouping set is a pass over the rows with other keys; its number is a key too, since two sets may have the same keys.
	ownKeys := n.Keys
	var expand *Expand
	// The empty set alone is a total, as without keys: it has a row where there is nothing to count. Spark has none for two empty sets.
	total := len(x.Sets) == 1 && len(x.Keys) == 0
	if x.Sets != nil && !total {
		expand = &Expand{In: in, Keys: ownKeys}
		all := append([]tree.Field(nil), in.Schema().Fields()...)
		width := len(all)
		for i := range fields {
			fields[i].Nullable = true
		}
		all = append(all, fields...)
		extra := []tree.Field{{Name: "_set", Type: datatype.Int}, {Name: "_grouping_id", Type: datatype.Long}}
		all = append(all, extra...)
		expand.base = newBase(tree.NewSchema(all))
		for _, set := range x.Sets {
			in, id := make([]bool, len(ownKeys)), int64(0)
			for i := range x.Keys {
				id <<= 1
				if !slices.Contains(set, i) {
					id |= 1
					continue
				}
				in[keyAt[i]] = true
				if i == windowKey {
					in[keyAt[i]+1] = true
				}
			}
			expand.Sets, expand.IDs = append(expand.Sets, in), append(expand.IDs, id)
		}
		in, n.In, n.Keys = expand, expand, nil
		newStand = expand.stand
		fields = append(fields, extra...)
		for i, f := range fields {
			n.Keys = append(n.Keys, tree.Named{Name: f.Name, Expr: expand.column(width + i)})
		}
	}
	// An aggregate may stand within an expression (sum(a) / count(*)); the expression is computed above.
	var calls []tree.Named
	var above []tree.Scalar
	simple := window == nil && x.Sets == nil
	for _, a := range x.Aggs {
		s, err := rebind(a.Expr, newStand, x.Input)
		if err != nil {
			return nil, err
		}
		s, _ = tree.StripAlias(s)
		if c, ok := s.(*tree.Call); !ok || c.Func.Kind != catalog.Aggregate {
			simple = false
		}
		above = append(above, s)
	}
	for i, s := range above {
		tree.Walk(s, func(y tree.Scalar) bool {
			if c, ok := y.(*tree.Call); ok && c.Func.Kind == catalog.Aggregate {
				name := x.Aggs[i].Name
				calls = append(calls, tree.Named{Name: name, Expr: c})
				fields = append(fields, tree.Field{Name: name, Type: c.Typ, Nullable: c.Null})
				return false
			}
			return true
		})
	}
	n.Aggs = calls
	n.Op = m.stateful(n)
	if simple {
		n.base = newBase(x.Schema())
		return n, nil
	}
	n.base = newBase(tree.NewSchema(fields))
	p := &Project{base: newBase(x.Schema()), In: n}
	keyOf := func(i int) tree.Scalar {
		if i == windowKey {
			w := windowStruct(window, n.column(keyAt[i]), n.column(keyAt[i]+1))
			if expand == nil || x.InEverySet(i) {
				return w
			}
			isNull, _ := catalog.Lookup("isnull")
			gone := &tree.Call{Func: isNull, Args: []tree.Scalar{n.column(keyAt[i])}, Typ: datatype.Boolean}
			return &tree.Case{Whens: []tree.When{{Cond: gone, Then: &tree.Literal{Typ: w.Type()}}}, Else: w, Typ: w.Type()}
		}
		return n.column(keyAt[i])
	}
	// grouping reads a digit of the grouping id, which is a key.
	grouping := func(c *tree.Call) tree.Scalar {
		if total {
			return &tree.Literal{Value: int64(0), Typ: c.Typ}
		}
		id := n.column(len(n.Keys) - 1)
		if len(c.Args) == 0 {
			return id
		}
		for i, k := range ownKeys {
			if !sameScalar(c.Args[0], k.Expr) {
				continue
			}
			for key, at := range keyAt {
				if at == i {
					return digit(id, len(x.Keys)-1-key, c.Typ)
				}
			}
		}
		for key := range x.Keys {
			if key == windowKey && sameCall(c.Args[0], window) {
				return digit(id, len(x.Keys)-1-key, c.Typ)
			}
		}
		return id
	}
	for i, k := range x.Keys {
		p.Exprs = append(p.Exprs, tree.Named{Name: k.Name, Expr: keyOf(i)})
	}
	at := len(n.Keys)
	for i, s := range above {
		e := rewriteTop(s, func(y tree.Scalar) (tree.Scalar, bool) {
			if c, ok := y.(*tree.Call); ok && c.Func.Kind == catalog.Aggregate {
				at++
				return n.column(at - 1), true
			}
			if c, ok := y.(*tree.Call); ok && c.Func.Kind == catalog.Grouping {
				return grouping(c), true
			}
			// Outside the aggregates only keys can stand.
			for k := range x.Keys {
				if k != windowKey && sameScalar(y, ownKeys[keyAt[k]].Expr) || k == windowKey && sameCall(y, window) {
					return keyOf(k), true
				}
			}
			return nil, false
		})
		p.Exprs = append(p.Exprs, tree.Named{Name: x.Aggs[i].Name, Expr: e})
	}
	return p, nil
}

// digit gives a binary digit of a number: number div 2^place % 2.
func digit(number tree.Scalar, place int, t datatype.Type) tree.Scalar {
	call := func(name string, a tree.Scalar, b int64) tree.Scalar {
		f, _ := catalog.Lookup(name)
		return &tree.Call{Func: f, Args: []tree.Scalar{a, &tree.Literal{Value: b, Typ: datatype.Long}}, Typ: datatype.Long}
	}
	return &tree.Cast{Arg: call("%", call("div", number, 1<<place), 2), To: t}
}

func sameCall(s tree.Scalar, c *tree.Call) bool {
	x, ok := s.(*tree.Call)
	return ok && x.Func == c.Func
}

// makeWindows plans a window function over an input: its node has the input's columns and, last, the window's start and end.
func makeWindows(window *tree.Call, in Node, input tree.Relation) (*Windows, error) {
	w := &Windows{In: in, Cumulative: window.Func == catalog.CumulativeWindow}
	stand := in.common().stand
	var err error
	if w.Time, err = rebind(window.Args[0], stand, input); err != nil {
		return nil, err
	}
	if window.Func.Name == catalog.SessionWindow {
		if w.Gap, err = rebind(window.Args[1], stand, input); err != nil {
			return nil, err
		}
	} else {
		durations := [3]int64{}
		ok := true
		for i := range durations {
			if i+1 < len(window.Args) {
				n, literal := micros(window.Args[i+1])
				durations[i], ok = n, ok && literal
			} else if i == 1 {
				durations[1] = durations[0]
			}
		}
		w.Size, w.Slide, w.Start = durations[0], durations[1], durations[2]
		if !ok || w.Size <= 0 || w.Slide <= 0 || w.Slide > w.Size {
			e := condition.Newf("DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION", "the size and slide of a time window must be literals above zero, and the slide at most the size.")
			e.Pos = window.At
			return nil, e
		}
	}
	ts := window.Args[0].Type()
	fields := append([]tree.Field(nil), in.Schema().Fields()...)
	fields = append(fields, tree.Field{Name: "_start", Type: ts, Nullable: true}, tree.Field{Name: "_end", Type: ts, Nullable: true})
	w.base = newBase(tree.NewSchema(fields))
	return w, nil
}

// projectWindow plans a projection with a time window among its columns: a row for each window that holds one.
func (m *maker) projectWindow(x *tree.Project, in Node, at int, window *tree.Call) (Node, error) {
	w, err := makeWindows(window, in, x.Input)
	if err != nil {
		return nil, err
	}
	cols := append([]tree.Named(nil), x.Columns...)
	cols[at].Expr = &tree.Literal{Typ: datatype.Null}
	exprs, err := rebindAll(cols, w.stand, x.Input)
	if err != nil {
		return nil, err
	}
	width := in.Schema().Len()
	exprs[at].Expr = windowStruct(window, w.column(width), w.column(width+1))
	return &Project{base: newBase(x.Schema()), In: w, Exprs: exprs}, nil
}

// windowStruct makes the struct of a window from its two columns.
func windowStruct(w *tree.Call, start, end tree.Scalar) tree.Scalar {
	f, _ := catalog.Lookup("named_struct")
	name := func(s string) tree.Scalar { return &tree.Literal{Value: s, Typ: datatype.String, At: w.At} }
	return &tree.Call{Func: f, Args: []tree.Scalar{name("start"), start, name("end"), end}, Typ: w.Typ, At: w.At}
}

// join makes a left join of a right one by changing its sides. The side that is read whole is the right one: for a stream and a
// table
// that must be the table.
func (m *maker) join(x *tree.Join, left, right Node) (Node, error) {
	kind, output := x.Kind, x.Output
	l, r := tree.Relation(x.Left), tree.Relation(x.Right)
	if kind == tree.RightJoin {
		kind = tree.LeftJoin
		left, right, l, r = right, left, r, l
		output = make([]tree.JoinColumn, len(x.Output))
		for i, c := range x.Output {
			output[i] = tree.JoinColumn{FromRight: !c.FromRight, Ordinal: c.Ordinal}
		}
	}
	n := &Join{base: newBase(x.Schema()), Left: left, Right: right, Kind: kind, Output: output, Op: -1, Any: kind.Any(), at: x.Pos()}
	fields := append(append([]tree.Field(nil), left.Schema().Fields()...), right.Schema().Fields()...)
	n.both = standIn(tree.NewSchema(fields))
	if x.On != nil {
		on, err := rebind(x.On, n.both, l, r)
		if err != nil {
			return nil, err
		}
		n.On = conjuncts(on)
	}
	switch n.Kind {
	case tree.CrossJoin, tree.AnyInnerJoin:
		n.Kind = tree.InnerJoin
	case tree.AnyLeftJoin:
		n.Kind = tree.LeftJoin
	}
	if m.stream {
		ls, rs := streaming(left), streaming(right)
		switch {
		case ls && rs:
			n.Op = m.stateful(n)
		case ls:
			m.keep(n)
		case rs:
			if n.Kind == tree.InnerJoin && !n.Any {
				// The stream passes by the table, so the table is the side that is kept.
				n.flip()
				m.keep(n)
			} else {
				return nil, unsupported(x.Pos(), "a %s join with the stream on the side that is read whole is not supported.", x.Kind)
			}
		}
	}
	return n, nil
}

// asofJoin makes the node of an as-of join. Left rows may come as a stream, since each finds its partner by itself. Where the right side is a table, each epoch reads its
// rows anew; where it is a stream too, left rows wait for them.
func (m *maker) asofJoin(x *tree.AsofJoin, left, right Node) (Node, error) {
	n := &AsofJoin{base: newBase(x.Schema()), Left: left, Right: right, Direction: x.Direction, Strict: x.Strict, Tolerance: x.Tolerance, Output: x.Output, Op: -1}
	l, r := left.common().stand, right.common().stand
	var err error
	if n.LeftTime, err = rebind(x.LeftTime, l, x.Left); err != nil {
		return nil, err
	}
	if n.RightTime, err = rebind(x.RightTime, r, x.Right); err != nil {
		return nil, err
	}
	keys, _, _, _ := tree.SplitJoin(x.On, x.Left, x.Right)
	for _, k := range keys {
		if k.Left, err = rebind(k.Left, l, x.Left); err != nil {
			return nil, err
		}
		if k.Right, err = rebind(k.Right, r, x.Right); err != nil {
			return nil, err
		}
		n.Keys = append(n.Keys, k)
	}
	if !m.stream || !streaming(right) {
		return n, nil
	}
	if why := n.stream(streaming(left), m.mode).Unknown(); why != "" { // the rules have said so, with the way out
		return nil, unsupported(x.Pos(), "the local engine does not compute the as-of join. %s", why)
	}
	n.Op = m.stateful(n)
	return n, nil
}

// stream is what decides about a join whose right side is a stream.
func (n *AsofJoin) stream(left bool, mode tree.OutputMode) analyze.StreamAsof {
	return analyze.StreamAsof{LeftStream: left, LeftTime: n.LeftTime, RightTime: n.RightTime, Direction: n.Direction, Tolerance: n.Tolerance, Mode: mode}
}

// tolerance is the greatest distance of the times in microseconds, false for any.
func (n *AsofJoin) tolerance() (int64, bool) {
	if n.Tolerance == nil {
		return 0, false
	}
	d, ok := n.Tolerance.Value.(int64)
	return d, ok
}

// spans gives how long a left row of a join of two streams waits, and a right row is kept; see [analyze.StreamAsof].
func (n *AsofJoin) spans() (wait, keep int64) { return n.stream(true, tree.Append).Spans() }

// keep lets a stream's join keep the hash table of its right side over the epochs, where every epoch would make the same: Spark lists the
// files of a table once, when the query is made, but asks other providers anew in each epoch, as it does the present moment.
func (m *maker) keep(n *Join) {
	if fixed(n.Right) {
		m.static++
		n.Static = m.static
	}
}

// fixed tells whether a node gives the same rows in every epoch.
func fixed(n Node) bool {
	var exprs []tree.Scalar
	switch x := n.(type) {
	case *Scan:
		switch strings.ToLower(x.Read.Source.Format) {
		case "json", "csv", "parquet", "memory":
		default:
			return false
		}
	case *Project:
		for _, e := range x.Exprs {
			exprs = append(exprs, e.Expr)
		}
	case *Filter:
		exprs = append(exprs, x.Cond)
	case *Aggregate:
		for _, e := range append(append([]tree.Named(nil), x.Keys...), x.Aggs...) {
			exprs = append(exprs, e.Expr)
		}
	case *Join:
		exprs = append(exprs, x.On...)
	case *AsofJoin:
		for _, k := range x.Keys {
			exprs = append(exprs, k.Left, k.Right)
		}
	case *Sample:
		return x.Seed != nil && fixed(x.In)
	case *Match:
		exprs = append(exprs, tree.Scalars(x.Rule)...) // keys too
	case *Keyed:
		return false // what the user's functions do is not known
	}
	ok := true
	for _, e := range exprs {
		tree.Walk(e, func(s tree.Scalar) bool {
			if c, is := s.(*tree.Call); is && c.Func.NonDeterministic {
				ok = false
			}
			return ok
		})
	}
	for _, in := range n.Inputs() {
		ok = ok && fixed(in)
	}
	return ok
}

// flip changes the sides of an inner join.
func (n *Join) flip() {
	nl, nr := n.Left.Schema().Len(), n.Right.Schema().Len()
	n.Left, n.Right = n.Right, n.Left
	fields := append(append([]tree.Field(nil), n.Left.Schema().Fields()...), n.Right.Schema().Fields()...)
	n.both = standIn(tree.NewSchema(fields))
	out := make([]tree.JoinColumn, len(n.Output))
	for i, c := range n.Output {
		out[i] = tree.JoinColumn{FromRight: !c.FromRight, Ordinal: c.Ordinal}
	}
	n.Output = out
	for i, s := range n.On {
		n.On[i] = moveColumns(s, n.both, func(c int) int {
			if c < nl {
				return c + nr
			}
			return c - nl
		})
	}
}

// moveColumns renumbers the columns of an expression onto another stand-in.
func moveColumns(s tree.Scalar, to *tree.Values, f func(int) int) tree.Scalar {
	return tree.Rewrite(s, func(x tree.Scalar) tree.Scalar {
		if c, ok := x.(*tree.Column); ok {
			return &tree.Column{Rel: to, Ordinal: f(c.Ordinal), At: c.At}
		}
		return x
	})
}

// conjuncts splits a condition at its ANDs.
func conjuncts(s tree.Scalar) []tree.Scalar {
	s, _ = tree.StripAlias(s)
	if c, ok := s.(*tree.Call); ok && c.Func.Name == "and" {
		return append(conjuncts(c.Args[0]), conjuncts(c.Args[1])...)
	}
	return []tree.Scalar{s}
}

// conjoin is the inverse of conjuncts.
func conjoin(list []tree.Scalar) tree.Scalar {
	f, _ := catalog.Lookup("and")
	out := list[0]
	for _, s := range list[1:] {
		out = &tree.Call{Func: f, Args: []tree.Scalar{out, s}, Typ: datatype.Boolean, Null: out.Nullable() || s.Nullable(), At: s.Pos()}
	}
	return out
}

// columnsOf collects the ordinals that an expression reads.
func columnsOf(s tree.Scalar) map[int]bool {
	out := map[int]bool{}
	tree.Walk(s, func(x tree.Scalar) bool {
		if c, ok := x.(*tree.Column); ok {
			out[c.Ordinal] = true
		}
		return true
	})
	return out
}

// sameScalar tells whether two expressions over the same input are alike.
func sameScalar(a, b tree.Scalar) bool {
	a, _ = tree.StripAlias(a)
	b, _ = tree.StripAlias(b)
	if x, ok := a.(*tree.Column); ok {
		y, ok := b.(*tree.Column)
		return ok && x.Ordinal == y.Ordinal
	}
	return Text(a) == Text(b)
}
