package plan

import (
	"github.com/spoonbill-go/spoonbill/backend/local/exec"
	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Match finds runs of rows that follow a pattern.
type Match struct {
	base
	In   Node
	Keys []tree.Named
	// Rule has the pattern; its expressions are over In's columns.
	Rule *tree.Match
	Op   int
	at   condition.Pos
}

// Inputs implements [Node].
func (n *Match) Inputs() []Node { return []Node{n.In} }

// match makes the node of a pattern.
func (m *maker) match(x *tree.Match, in Node) (Node, error) {
	stand := in.common().stand
	rule := *x
	n := &Match{base: newBase(x.Schema()), In: in, Rule: &rule, at: x.Pos()}
	var err error
	if n.Keys, err = rebindAll(x.Keys, stand, x.Input); err != nil {
		return nil, err
	}
	if rule.Defines, err = rebindAll(x.Defines, stand, x.Input); err != nil {
		return nil, err
	}
	if rule.Measures, err = rebindAll(x.Measures, stand, x.Input); err != nil {
		return nil, err
	}
	if m.stream && streaming(in) && (rule.Within <= 0 || in.Schema().Field(rule.Time).Watermark == nil) {
		return nil, unsupported(x.Pos(), "a pattern over a stream needs a watermark on its time and a bound on its matches.")
	}
	n.Op = m.stateful(n)
	return n, nil
}

// rowColumns are the columns of the input that conditions and measures read, and the time: those that wait in the state.
func (n *Match) rowColumns() []int {
	need := make([]bool, n.In.Schema().Len())
	need[n.Rule.Time] = true
	for _, d := range n.Rule.Defines {
		mark(need, d.Expr)
	}
	for _, d := range n.Rule.Measures {
		mark(need, d.Expr)
	}
	var out []int
	for i, is := range need[:len(need)-1] { // the last is the variable's, which the operator makes
		if is {
			out = append(out, i)
		}
	}
	return out
}

// RowFields are the columns of the rows that wait in the state.
func (n *Match) RowFields() []datatype.Field {
	var out []datatype.Field
	for _, c := range n.rowColumns() {
		out = append(out, n.In.Schema().Types()[c])
	}
	return out
}

// match makes the operator.
func (b *builder) match(x *Match) (exec.Operator, error) {
	in, err := b.node(x.In)
	if err != nil {
		return nil, err
	}
	width := x.In.Schema().Len()
	m := &exec.Match{
		Input: b.gather(in), Task: b.task, Op: x.Op, Marks: b.marks(x.Op), Width: width, Time: x.Rule.Time, Columns: x.rowColumns(), In: types(x.In), Out: types(x),
		Program: exec.CompilePattern(x.Rule.Pattern), Within: x.Rule.Within.Microseconds(), Skip: x.Rule.Skip, SkipTo: -1, At: x.at,
	}
	if m.Keys, m.KeyTypes, err = b.keys(x.Keys); err != nil {
		return nil, err
	}
	m.Defines = make([]*exec.MatchExpr, len(m.Program.Variables))
	for i, v := range m.Program.Variables {
		if v == x.Rule.SkipTo {
			m.SkipTo = i
		}
		for _, d := range x.Rule.Defines {
			if d.Name == v {
				if m.Defines[i], err = b.matchExpr(d.Expr, x.In, width); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, d := range x.Rule.Measures {
		e, err := b.matchExpr(d.Expr, x.In, width)
		if err != nil {
			return nil, err
		}
		m.Measures = append(m.Measures, e)
	}
	return m, nil
}

// matchExpr compiles a condition or a measure: its aggregates and looks back are further columns behind those of the row.
func (b *builder) matchExpr(s tree.Scalar, in Node, width int) (*exec.MatchExpr, error) {
	out := &exec.MatchExpr{}
	fields := append([]tree.Field(nil), in.Schema().Fields()...)
	stand := standIn(nil)
	var err error
	top := rewriteTop(s, func(y tree.Scalar) (tree.Scalar, bool) {
		if c, ok := y.(*tree.Column); ok {
			out.Variable = out.Variable || c.Ordinal == width-1
			return &tree.Column{Rel: stand, Ordinal: c.Ordinal, At: c.At}, true
		}
		c, ok := y.(*tree.Call)
		if !ok || c.Func.Kind != catalog.Aggregate && c.Func.Kind != catalog.Window || err != nil {
			return nil, false
		}
		item := exec.MatchItem{}
		if c.Func.Kind == catalog.Aggregate {
			item.Aggregate, err = kernel.CompileAggregate(c, b.task.Env)
		} else {
			item, err = b.lookBack(c)
		}
		out.Items = append(out.Items, item)
		fields = append(fields, tree.Field{Name: c.Func.Name, Type: c.Typ, Nullable: true})
		return &tree.Column{Rel: stand, Ordinal: len(fields) - 1, At: c.At}, true
	})
	if err != nil {
		return nil, err
	}
	stand.Out = tree.NewSchema(fields)
	out.Expr, err = b.compile(top)
	return out, err
}

// lookBack compiles a lag.
func (b *builder) lookBack(c *tree.Call) (item exec.MatchItem, err error) {
	item.Back = 1
	if item.Of, err = b.compile(c.Args[0]); err != nil {
		return item, err
	}
	constant := func(s tree.Scalar) (*vec.Vec, error) {
		e, err := b.compile(s)
		if err != nil {
			return nil, err
		}
		return e.Eval(&vec.Batch{N: 1})
	}
	if len(c.Args) > 1 {
		v, err := constant(c.Args[1])
		if err != nil {
			return item, err
		}
		n, ok := v.Any(0).(int64)
		if !ok || n < 1 {
			return item, unsupported(c.At, "a look back over %v rows is not supported.", v.Any(0))
		}
		item.Back = int(min(n, 1<<31))
	}
	item.Default = vec.Nulls(c.Typ, 1)
	if len(c.Args) > 2 {
		item.Default, err = constant(c.Args[2])
	}
	return item, err
}
