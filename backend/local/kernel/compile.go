// Package kernel evaluates expressions over columns. [Compile] turns a scalar of the tree into a program of Go loops, one
// function per catalogue name, registered in the file of its family.
//
// A kernel sees whole vectors: constants stay constants ([vec.Vec.Const]), nulls are merged before the call, and an error is
// raised only for a row that is asked for. CASE, AND, OR, COALESCE and IN ask their later operands only for the rows that need
// them when those could raise, as Spark does.
package kernel

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync/atomic"
	"time"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Env is what a program knows besides its input.
type Env struct {
	// ANSI makes overflows, divisions by zero and failed casts errors; otherwise they wrap or give null (spark.sql.ansi.enabled).
	ANSI bool
	// Zone is the session's time zone.
	Zone *time.Location
	// Now is what current_timestamp gives: microseconds of the start of the query or epoch.
	Now int64
}

// Expr is a compiled expression. It holds no state and may be evaluated by several goroutines at once.
type Expr struct {
	// Type is the type of the result.
	Type datatype.Type
	// Fails tells whether evaluation may raise an error for some row.
	Fails bool
	// Columns are the ordinals of the input that are read.
	Columns []int

	column int // the input column that this is, or -1
	lit    *vec.Vec
	eval   func(b *vec.Batch) (*vec.Vec, error)
}

// Eval evaluates over every row of b. The result may share memory with b.
func (e *Expr) Eval(b *vec.Batch) (*vec.Vec, error) { return e.eval(b) }

// Coded is Eval that leaves a column of texts that the expression just passes on with its dictionary.
func (e *Expr) Coded(b *vec.Batch) (*vec.Vec, error) {
	if e.column >= 0 && b.Cols[e.column] != nil {
		return b.Cols[e.column], nil
	}
	return e.eval(b)
}

// Column gives the input column that the expression just passes on, or -1.
func (e *Expr) Column() int { return e.column }

// Literal gives the value of an expression that is constant, as package tree stores it.
func (e *Expr) Literal() (any, bool) {
	if e.lit == nil {
		return nil, false
	}
	return e.lit.Any(0), true
}

// evalAt evaluates for rows idx of b only; result row i belongs to idx[i].
func (e *Expr) evalAt(b *vec.Batch, idx []int32) (*vec.Vec, error) {
	if len(idx) == b.N {
		return e.eval(b)
	}
	cols := make([]*vec.Vec, len(b.Cols))
	for _, c := range e.Columns {
		cols[c] = vec.Take(b.Cols[c], idx)
	}
	return e.eval(&vec.Batch{Cols: cols, N: len(idx)})
}

// Compile makes a program of s, whose columns are ordinals of the batches it will see. An expression that the engine cannot
// evaluate exactly as Spark does is refused by SPOONBILL_UNSUPPORTED.
func Compile(s tree.Scalar, env *Env) (*Expr, error) {
	e, err := compile(s, env)
	if err != nil {
		return nil, err
	}
	e.Columns = sortedUnique(e.Columns)
	return e, nil
}

// sortedUnique makes a list of columns a set; a column that occurs twice would be copied twice for every lazy branch.
func sortedUnique(in []int) []int {
	sort.Ints(in)
	out := in[:0]
	for i, c := range in {
		if i == 0 || c != in[i-1] {
			out = append(out, c)
		}
	}
	return out
}

// compile is Compile for subexpressions.
func compile(s tree.Scalar, env *Env) (*Expr, error) {
	switch x := s.(type) {
	case *tree.Column:
		i := x.Ordinal
		return &Expr{Type: x.Type(), Columns: []int{i}, column: i, eval: func(b *vec.Batch) (*vec.Vec, error) {
			if b.Cols[i] == nil {
				return nil, fmt.Errorf("column %d was not read", i)
			}
			if b.Cols[i].Dict != nil {
				// Others that read the column find it so.
				b.Cols[i] = b.Cols[i].Flat()
			}
			return b.Cols[i], nil
		}}, nil
	case *tree.Literal:
		v, err := vec.Constant(x.Typ, x.Value)
		if err != nil {
			e := condition.Newf(condition.InvalidValue, "a literal is no value of its type: %v.", err)
			e.Pos = x.At
			return nil, e
		}
		return constant(v), nil
	case *tree.Alias:
		return compile(x.Arg, env)
	case *tree.Cast:
		arg, err := compile(x.Arg, env)
		if err != nil {
			return nil, err
		}
		if x.Store {
			return compileStore(arg, x, env)
		}
		return compileCast(arg, x.To, x.Try, env, x.At)
	case *tree.Case:
		return compileCase(x, env)
	case *tree.GetField:
		return compileGetField(x, env)
	case *tree.Call:
		return compileCall(x, env)
	case *tree.Unbound:
		return nil, located(condition.Newf(condition.UnresolvedColumn, "the column %s is not bound to a table.", datatype.QuoteName(x.Name)), x.At)
	case *tree.Bad:
		return nil, located(condition.Newf(condition.InvalidValue, "the expression holds an error reported earlier."), x.At)
	case *tree.RawSQL:
		e := located(condition.Newf(condition.Unsupported, "the local engine does not read SQL: %s", x.Text), x.At)
		e.Operator, e.Hint = "SQLValue", "Use the functions of package expr, or run the query on Spark."
		return nil, e
	case *tree.Param:
		return nil, located(condition.Newf("UNBOUND_SQL_PARAMETER", "the parameter :%s has no value.", x.Name), x.At)
	case *tree.Lambda:
		return nil, located(condition.Newf(condition.Unsupported, "a function of elements is no value."), x.At)
	case *tree.Variable:
		return nil, located(condition.Newf(condition.UnresolvedColumn, "the parameter %s is used outside of its function.", datatype.QuoteName(x.Name)), x.At)
	case *tree.Over:
		return nil, located(condition.Newf(condition.Unsupported, "an OVER expression stands where the engine evaluates rows one by one."), x.At)
	}
	return nil, condition.Newf(condition.Unsupported, "the engine does not know the expression %T.", s)
}

func located(e *condition.Error, at condition.Pos) *condition.Error {
	e.Pos = at
	return e
}

// constant makes a program of a value that holds for every row.
func constant(v *vec.Vec) *Expr {
	return &Expr{Type: v.Type, column: -1, lit: v, eval: func(b *vec.Batch) (*vec.Vec, error) { return v.Repeat(b.N), nil }}
}

// Fixed makes an expression of a vector that stands for every row.
func Fixed(v *vec.Vec) *Expr { return constant(v) }

// evalFunc computes n rows. null is the merged nulls of the arguments (nil for none): a row that is null there must raise
// nothing and its value is ignored. Unless the function sets nulls itself, the result gets these.
type evalFunc func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error)

// call is a catalogue call while it is bound to its types.
type call struct {
	*tree.Call
	env  *Env
	args []*Expr
	// lambdas has the arguments that are functions of elements, nil for the others; args has nil in their places.
	lambdas []*program
	// fails is set by a binder whose kernel may raise.
	fails bool
	// turn is the order in which operands are evaluated, nil for their own: none behind one that is null is asked.
	turn []int
	// null, which may be nil, tells of a value of the operand that comes first that the call is null whatever the others are.
	null func(v *vec.Vec, i int) bool
	// raw asks for arguments with their nulls instead of the null-if-any rule.
	raw bool
}

func (c *call) typ(i int) datatype.Type { return c.args[i].Type }

// literal gives the value of a constant argument.
func (c *call) literal(i int) (any, bool) {
	if i >= len(c.args) {
		return nil, false
	}
	return c.args[i].Literal()
}

// refuse is the error of a call that the engine would not answer exactly as Spark: it is refused before the first row.
func (c *call) refuse(format string, args ...any) error {
	e := condition.Newf(condition.Unsupported, format, args...)
	e.Operator, e.Pos = c.Func.Name, c.At
	return e
}

// binder picks the loop for a call's types.
type binder func(c *call) (evalFunc, error)

var (
	binders = map[string]binder{}
	// forArrays are the kernels of functions of texts whose first argument may be an array instead.
	forArrays = map[string]binder{}
	// lazies are the functions that decide themselves which operands they evaluate for which rows.
	lazies = map[string]func(c *call) (*Expr, error){}
)

func register(name string, b binder) { binders[name] = b }

// Has tells whether the engine has a kernel (or an accumulator, or an operator) of a catalogue function.
func Has(name string) bool {
	_, a := binders[name]
	_, b := lazies[name]
	_, c := accumulators[name]
	_, d := ElsewhereTable[name]
	return a || b || c || d
}

const overOperator = "window function: the operator Over of package exec computes it from the places of rows"

// ElsewhereTable names the catalogue functions that are no kernels, and who computes them.
var ElsewhereTable = map[string]string{
	"window":         "package exec expands rows into their windows",
	"session_window": "package exec makes a session of each row and puts those together that touch",

	"row_number": overOperator, "rank": overOperator, "dense_rank": overOperator, "percent_rank": overOperator, "cume_dist": overOperator, "ntile": overOperator,
	"lag": overOperator, "lead": overOperator, "nth_value": overOperator,
	"grouping":    "digit of the number that package exec gives each grouping set",
	"grouping_id": "number that package exec gives each grouping set",
}

// compileCall binds a call and wraps its kernel in the rules that all kernels share: a constant NULL argument decides a null-if-any
// function without evaluating it, constant arguments are evaluated once, and the nulls of the arguments are merged.
func compileCall(x *tree.Call, env *Env) (*Expr, error) {
	if x.Func.Kind == catalog.Aggregate {
		return nil, located(condition.Newf(condition.MissingAggregation, "the aggregate %s stands outside an aggregation.", x.Func.Name), x.At)
	}
	c := &call{Call: x, env: env}
	out := &Expr{Type: x.Typ, column: -1}
	constants := !x.Func.NonDeterministic
	for _, a := range x.Args {
		if l, ok := a.(*tree.Lambda); ok {
			p, err := compileLambda(l, env)
			if err != nil {
				return nil, err
			}
			c.args, c.lambdas = append(c.args, nil), append(c.lambdas, p)
			out.Columns = append(out.Columns, p.outer...)
			constants = constants && p.fixed
			continue
		}
		c.lambdas = append(c.lambdas, nil)
		e, err := compile(a, env)
		if err != nil {
			return nil, err
		}
		c.args = append(c.args, e)
		out.Columns = append(out.Columns, e.Columns...)
		out.Fails = out.Fails || e.Fails
		constants = constants && e.lit != nil
	}
	if lazy := lazies[x.Func.Name]; lazy != nil {
		e, err := lazy(c)
		if err != nil {
			return nil, err
		}
		e.Type, e.column, e.Columns = x.Typ, -1, out.Columns
		return fold(byDictionary(c, e), constants), nil
	}
	bind := binders[x.Func.Name]
	if b := forArrays[x.Func.Name]; b != nil && x.Typ.Kind() == datatype.KindArray {
		bind = b
	}
	if bind == nil {
		if x.Func.SparkOnly != "" {
			return nil, c.refuse("%s runs on Spark only: %s.", x.Func.Name, x.Func.SparkOnly)
		}
		return nil, c.refuse("the engine has no kernel of %s.", x.Func.Name)
	}
	f, err := bind(c)
	if err != nil {
		return nil, err
	}
	out.Fails = out.Fails || c.fails
	args, raw, strict := c.args, c.raw, x.Func.Nulls == catalog.NullIfAny || x.Func.Nulls == catalog.NullIfAnyOrOther
	// Spark evaluates no operand behind one that is null. The divisor of a division comes first; CONCAT evaluates all.
	inTurn := strict && !raw && x.Func.Name != "concat"
	turn, known, byFirst := c.turn, c.null, firstDecides[x.Func.Name]
	out.eval = func(b *vec.Batch) (*vec.Vec, error) {
		vs := make([]*vec.Vec, len(args))
		all := len(args) > 0
		for k := range args {
			i := k
			if turn != nil {
				i = turn[k]
			}
			a := args[i]
			before := vs
			if byFirst {
				before = vs[:1]
			}
			v, err := behindNulls(a, before, b, k > 0 && (inTurn || byFirst) && a.Fails)
			if err != nil {
				return nil, err
			}
			if k == 0 && known != nil {
				v = nullWhere(v, known)
			}
			if inTurn && v.AllNull() {
				return vec.Nulls(x.Typ, b.N), nil
			}
			vs[i] = v
			all = all && v.Const
		}
		n := b.N
		if all {
			if n == 0 {
				return vec.Nulls(x.Typ, 0), nil
			}
			n = 1
			for i, v := range vs {
				vs[i] = v.Repeat(1)
			}
		}
		var null []bool
		if !raw {
			null = mergeNulls(vs, n)
		}
		r, err := f(vs, n, null)
		if err != nil {
			return nil, place(err, x)
		}
		if r.Null == nil && null != nil {
			r.Null = null
		}
		if r.Type == nil || !datatype.Equal(r.Type, x.Typ) {
			r = r.WithType(x.Typ)
		}
		if all {
			r = r.Repeat(b.N)
		}
		return r, nil
	}
	if out.Fails && catches[x.Func.Name] {
		out = out.caught()
	}
	return fold(byDictionary(c, out), constants), nil
}

// catches are the functions that Spark makes a TryEval of: whatever an operand raises gives null. The other functions with try_ in their names let it through.
var catches = map[string]bool{"try_interval_add": true, "try_interval_sub": true, "try_interval_mul": true, "try_interval_div": true, "try_to_binary": true}

// caught gives e with null for the rows that raise.
func (e *Expr) caught() *Expr {
	inner, out := *e, *e
	inner.Columns = sortedUnique(slices.Clone(e.Columns))
	out.Fails = false
	out.eval = func(b *vec.Batch) (*vec.Vec, error) {
		v, err := inner.eval(b)
		if !fails(err) {
			return v, err
		}
		bad := make([]bool, b.N)
		rows := make([]int32, b.N)
		for i := range rows {
			rows[i] = int32(i)
		}
		if err := inner.find(b, rows, bad); err != nil {
			return nil, err
		}
		return evalBut(&inner, b, bad)
	}
	return &out
}

// fails tells of an error of a value, not of the engine.
func fails(err error) bool {
	c := condition.Of(err)
	return c != "" && c != condition.InternalError
}

// find marks those of the rows, some of which raise, that do.
func (e *Expr) find(b *vec.Batch, rows []int32, bad []bool) error {
	if len(rows) == 1 {
		bad[rows[0]] = true
		return nil
	}
	for _, half := range [][]int32{rows[:len(rows)/2], rows[len(rows)/2:]} {
		if _, err := e.evalAt(b, half); fails(err) {
			if err := e.find(b, half, bad); err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
	}
	return nil
}

// nullWhere makes nulls of the values for which a function tells so.
func nullWhere(v *vec.Vec, is func(v *vec.Vec, i int) bool) *vec.Vec {
	n := v.Len
	if v.Const {
		n = min(n, 1)
	}
	var null []bool
	for i := range n {
		if !v.IsNull(i) && is(v, i) {
			if null == nil {
				if null = make([]bool, n); v.Null != nil {
					copy(null, v.Null)
				}
			}
			null[i] = true
		}
	}
	switch {
	case null == nil:
		return v
	case v.Const:
		return vec.Nulls(v.Type, v.Len)
	}
	return v.WithNull(null)
}

// firstDecides are the functions of arrays and maps that are null where the first operand is, though not where any other is, and ask no other then.
var firstDecides = map[string]bool{"array_contains": true, "array_position": true, "array_remove": true, "array_join": true, "array_append": true, "array_prepend": true, "array_insert": true, "array_union": true,
	"array_intersect": true, "array_except": true, "arrays_overlap": true, "element_at": true, "try_element_at": true, "get": true, "slice": true, "map_contains_key": true}

// behindNulls evaluates an operand; where it could raise, over the rows only that no operand before it is null in. The others are null.
func behindNulls(a *Expr, before []*vec.Vec, b *vec.Batch, guarded bool) (*vec.Vec, error) {
	if !guarded {
		return a.eval(b)
	}
	var known []*vec.Vec
	for _, v := range before {
		if v != nil {
			known = append(known, v)
		}
	}
	if null := mergeNulls(known, b.N); null != nil {
		return evalBut(a, b, null)
	}
	return a.eval(b)
}

// evalBut evaluates over the rows that are not to be skipped; those are null.
func evalBut(a *Expr, b *vec.Batch, skip []bool) (*vec.Vec, error) {
	idx, codes := make([]int32, 0, b.N), make([]int32, b.N)
	for i := range codes {
		if codes[i] = -1; !skip[i] {
			codes[i] = int32(len(idx))
			idx = append(idx, int32(i))
		}
	}
	v, err := a.evalAt(b, idx)
	if err != nil {
		return nil, err
	}
	return vec.Take(v, codes), nil
}

// byDictionary makes a function of one column of texts and of literals look at each text of the column's dictionary once, where there is one. The function
// must raise nothing, for not all texts need be in a row, and give null for null.
func byDictionary(c *call, e *Expr) *Expr {
	strict := c.Func.Nulls == catalog.NullIfAny || c.Func.Name == "in" && len(c.args) > 1
	if e.Fails || c.Func.NonDeterministic || !strict {
		return e
	}
	column := -1
	for _, a := range c.args {
		switch {
		case a == nil: // a function of elements
			return e
		case a.lit != nil:
		case a.column >= 0 && column < 0 && vec.PhysOf(a.Type) == vec.PBytes:
			column = a.column
		default:
			return e
		}
	}
	if column < 0 {
		return e
	}
	type answer struct {
		identity any
		v        *vec.Vec
	}
	var last atomic.Pointer[answer]
	eval := e.eval
	e.eval = func(b *vec.Batch) (*vec.Vec, error) {
		v := b.Cols[column]
		if v == nil || v.Dict == nil || v.Const || v.Dict.Len == 0 {
			return eval(b)
		}
		id := v.Dict.Identity()
		var r *vec.Vec
		if a := last.Load(); a != nil && id != nil && a.identity == id {
			r = a.v
		} else {
			if 2*v.Dict.Len > b.N {
				return eval(b)
			}
			cols := make([]*vec.Vec, len(b.Cols))
			cols[column] = v.Dict
			var err error
			if r, err = eval(&vec.Batch{Cols: cols, N: v.Dict.Len}); err != nil {
				return nil, err
			}
			if vec.PhysOf(r.Type) == vec.PBool {
				last.Store(&answer{id, r}) // a value of another type may point into the dictionary, which is released
			}
		}
		if v.Null == nil {
			return vec.Take(r, v.Codes), nil
		}
		codes := make([]int32, v.Len)
		for i := range codes {
			codes[i] = v.Codes[i]
			if v.Null[i] {
				codes[i] = -1
			}
		}
		return vec.Take(r, codes), nil
	}
	return e
}

// fold evaluates an expression of constants once. One that raises is left as it is: the error belongs to the rows that reach it.
func fold(e *Expr, constants bool) *Expr {
	if !constants {
		return e
	}
	v, err := e.eval(&vec.Batch{N: 1})
	if err != nil {
		return e
	}
	v = v.Flat().Repeat(1)
	return constant(v)
}

// place adds the user's line and the function to an error that has none.
func place(err error, x *tree.Call) error {
	var e *condition.Error
	if errors.As(err, &e) && e.Pos.IsZero() {
		c := *e
		c.Pos, c.Operator = x.At, x.Func.Name
		if c.Hint == "" {
			c.Hint = catalog.Tolerant(c.Message)
		}
		return &c
	}
	return err
}

// mergeNulls gives the rows where an argument is null; it may be an argument's own slice, so it is not written to (see setNull).
func mergeNulls(vs []*vec.Vec, n int) []bool {
	var out []bool
	own := false
	for _, v := range vs {
		if v.Null == nil || v.Const {
			if v.AllNull() {
				all := make([]bool, n)
				for i := range all {
					all[i] = true
				}
				return all
			}
			continue
		}
		if out == nil {
			out = v.Null[:n]
			continue
		}
		if !own {
			out = append([]bool(nil), out...)
			own = true
		}
		for i, x := range v.Null[:n] {
			if x {
				out[i] = true
			}
		}
	}
	return out
}

// nulls collects the nulls that a kernel adds to the merged ones, which it copies before the first write.
type nulls struct {
	b   []bool
	own bool
}

// set marks row i of n as null.
func (s *nulls) set(i, n int) {
	if !s.own {
		b := make([]bool, n)
		copy(b, s.b)
		s.b, s.own = b, true
	}
	s.b[i] = true
}

func isNull(null []bool, i int) bool { return null != nil && null[i] }

// compileCase evaluates branches for whole batches and picks, unless one could raise: then each condition sees only the rows that no
// earlier one took, and each branch only its own rows, as in Spark, where CASE WHEN x <> 0 THEN 1 / x END never divides by zero.
func compileCase(x *tree.Case, env *Env) (*Expr, error) {
	var conds, thens []*Expr
	out := &Expr{Type: x.Typ, column: -1}
	lazy := false
	add := func(s tree.Scalar, list *[]*Expr) error {
		e, err := compile(s, env)
		if err != nil {
			return err
		}
		*list = append(*list, e)
		out.Columns = append(out.Columns, e.Columns...)
		out.Fails = out.Fails || e.Fails
		lazy = lazy || e.Fails
		return nil
	}
	for _, w := range x.Whens {
		if err := add(w.Cond, &conds); err != nil {
			return nil, err
		}
		if err := add(w.Then, &thens); err != nil {
			return nil, err
		}
	}
	if x.Else != nil {
		if err := add(x.Else, &thens); err != nil {
			return nil, err
		}
	}
	elseAt := int32(-1)
	if x.Else != nil {
		elseAt = int32(len(thens) - 1)
	}
	// A subexpression is cut down to its rows through its own column list, so it needs one without repetition.
	for _, e := range append(append([]*Expr(nil), conds...), thens...) {
		e.Columns = sortedUnique(append([]int(nil), e.Columns...))
	}
	out.eval = func(b *vec.Batch) (*vec.Vec, error) {
		n := b.N
		which := make([]int32, n)
		rest := make([]int32, n)
		for i := range rest {
			rest[i], which[i] = int32(i), elseAt
		}
		for w, cond := range conds {
			if len(rest) == 0 {
				break
			}
			var c *vec.Vec
			var err error
			sub := cond.Fails && len(rest) < n
			if sub {
				c, err = cond.evalAt(b, rest)
			} else {
				c, err = cond.eval(b)
			}
			if err != nil {
				return nil, err
			}
			m := c.Mask()
			left := rest[:0]
			for k, i := range rest {
				j := int(i)
				if sub {
					j = k
				}
				if !c.IsNull(j) && c.Bool[j&m] {
					which[i] = int32(w)
				} else {
					left = append(left, i)
				}
			}
			rest = left
		}
		vs := make([]*vec.Vec, len(thens))
		var at []int32
		if lazy {
			at = make([]int32, n)
		}
		for w, then := range thens {
			if lazy {
				var idx []int32
				for i, x := range which {
					if int(x) == w {
						at[i] = int32(len(idx))
						idx = append(idx, int32(i))
					}
				}
				v, err := then.evalAt(b, idx)
				if err != nil {
					return nil, err
				}
				vs[w] = v
				continue
			}
			v, err := then.eval(b)
			if err != nil {
				return nil, err
			}
			vs[w] = v
		}
		return vec.Merge(x.Typ, vs, which, at), nil
	}
	return out, nil
}

// compileGetField takes a field's vector as it is; where the struct is null the field is.
func compileGetField(x *tree.GetField, env *Env) (*Expr, error) {
	arg, err := compile(x.Arg, env)
	if err != nil {
		return nil, err
	}
	k := x.Ordinal
	e := &Expr{Type: x.Type(), Fails: arg.Fails, Columns: arg.Columns, column: -1}
	e.eval = func(b *vec.Batch) (*vec.Vec, error) {
		v, err := arg.eval(b)
		if err != nil {
			return nil, err
		}
		return Field(v, k), nil
	}
	return fold(e, arg.lit != nil), nil
}

// Field gives a field of a struct vector, null where the struct is.
func Field(v *vec.Vec, k int) *vec.Vec {
	f := v.Kids[k]
	if v.Const {
		if v.AllNull() {
			return vec.Nulls(f.Type, v.Len)
		}
		return f.Slice(0, f.Len).Repeat(v.Len)
	}
	if v.Null == nil {
		return f
	}
	f = f.Flat()
	null := append([]bool(nil), v.Null[:v.Len]...)
	if f.Null != nil {
		for i, x := range f.Null[:v.Len] {
			null[i] = null[i] || x
		}
	}
	return f.WithNull(null)
}
