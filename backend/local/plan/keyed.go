package plan

import (
	"github.com/spoonbill-go/spoonbill/backend/local/exec"
	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Keyed runs a user's functions over the rows of each key.
type Keyed struct {
	base
	In   Node
	Keys []tree.Named
	// Initial is nil where every key begins with nothing.
	Initial     Node
	InitialKeys []tree.Named
	Process     *tree.Process
	Functions   *tree.Functions
	Op          int
	// Event is the input's column with event time, or -1; EventOut is that of the output, or -1.
	Event, EventOut int
	at              condition.Pos
}

// Inputs implements [Node].
func (n *Keyed) Inputs() []Node {
	if n.Initial == nil {
		return []Node{n.In}
	}
	return []Node{n.In, n.Initial}
}

// keyed makes the node of a process; ins are its inputs.
func (m *maker) keyed(x *tree.Keyed, ins []Node) (Node, error) {
	n := &Keyed{base: newBase(x.Schema()), In: ins[0], Process: x.Process, Functions: x.Functions, Event: -1, EventOut: -1, at: x.Pos()}
	var err error
	if n.Keys, err = rebindAll(x.Keys, n.In.common().stand, x.Input); err != nil {
		return nil, err
	}
	if x.Initial != nil {
		n.Initial = ins[1]
		if m.stream && streaming(n.Initial) {
			return nil, unsupported(x.Pos(), "an initial state that is a stream is not supported.")
		}
		if n.InitialKeys, err = rebindAll(x.InitialKeys, n.Initial.common().stand, x.Initial); err != nil {
			return nil, err
		}
	}
	n.Event, n.EventOut = eventColumn(n.In.Schema()), eventColumn(x.Schema())
	n.Op = m.stateful(n)
	return n, nil
}

// keyed makes the operator.
func (b *builder) keyed(x *Keyed) (exec.Operator, error) {
	in, err := b.node(x.In)
	if err != nil {
		return nil, err
	}
	k := &exec.Keyed{
		Input: b.gather(in), Task: b.task, Op: x.Op, Marks: b.marks(x.Op), Process: x.Process, Functions: x.Functions,
		Event: x.Event, EventOut: x.EventOut, Out: types(x), At: x.at,
	}
	if k.Keys, k.KeyTypes, err = b.keys(x.Keys); err != nil {
		return nil, err
	}
	// A query begins once: later epochs, and later runs, have what became of the initial state.
	if x.Initial != nil && (x.Op < 0 || b.task.Epoch == 0) {
		initial, err := b.node(x.Initial)
		if err != nil {
			return nil, err
		}
		k.Initial = b.gather(initial)
		if k.InitialKeys, _, err = b.keys(x.InitialKeys); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// keys compiles keys and gives their types.
func (b *builder) keys(in []tree.Named) (exprs []*kernel.Expr, types []datatype.Type, err error) {
	for _, k := range in {
		e, err := b.compile(k.Expr)
		if err != nil {
			return nil, nil, err
		}
		exprs, types = append(exprs, e), append(types, k.Expr.Type())
	}
	return exprs, types, nil
}
