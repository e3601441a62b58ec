package expr

import (
	"math/big"
	"slices"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// WindowSpec says which rows a window function or an aggregate looks at from each row: the rows with the same keys, their order, and a frame
// of them around the row. Package window has the constructors. A specification is immutable and belongs to no table: names are looked up in
// the table whose method receives the value. The zero value is the whole table.
type WindowSpec struct {
	keys   []tree.Scalar
	order  []tree.SortKey
	frame  *tree.Frame
	errs   []*condition.Error
	framed bool // Rows or Range was called, perhaps with a mistake
}

// Bound is an end of a frame: see package window. The zero value is an error where it is used.
type Bound struct {
	kind boundKind
	v    value
	at   condition.Pos
}

type boundKind uint8

const (
	_ boundKind = iota
	boundUnbounded
	boundCurrent
	boundPreceding
	boundFollowing
)

// UnboundedBound is the end of the partition: window.Unbounded.
func UnboundedBound() Bound { return Bound{kind: boundUnbounded} }

// CurrentBound is the current row: window.CurrentRow.
func CurrentBound() Bound { return Bound{kind: boundCurrent} }

// OffsetBound is a constant distance before or behind the current row: window.Preceding and window.Following.
func OffsetBound(distance any, preceding bool) Bound {
	at := condition.Here(2)
	n, errs := operand(distance, at)
	b := Bound{kind: boundFollowing, v: value{n, errs}, at: at}
	if preceding {
		b.kind = boundPreceding
	}
	return b
}

// GroupBy puts rows with equal keys, names or values, into one partition; null equals null. It is PARTITION BY in SQL.
func (w WindowSpec) GroupBy(keys ...any) WindowSpec {
	at := condition.Here(1)
	w.keys = w.keys[:len(w.keys):len(w.keys)]
	for _, k := range keys {
		n, errs := columnOperand(k, at)
		w.errs = merge(w.errs, errs)
		n, _ = tree.StripAlias(n)
		w.keys = append(w.keys, n)
	}
	return w
}

// OrderBy gives the order of the rows in a partition: names, values or [Ordering] keys, the first key first.
func (w WindowSpec) OrderBy(keys ...any) WindowSpec {
	at := condition.Here(1)
	w.order = w.order[:len(w.order):len(w.order)]
	for _, k := range keys {
		o, ok := k.(Ordering)
		if !ok {
			n, errs := columnOperand(k, at)
			o = Ordering{v: value{n, errs}}
		}
		w.errs = merge(w.errs, o.v.errs)
		n, _ := tree.StripAlias(o.v.node)
		w.order = append(w.order, tree.SortKey{Arg: n, Descending: o.descending, NullsFirst: o.nulls == 1 || o.nulls == 0 && !o.descending})
	}
	return w
}

// columnOperand is operand for what names a column.
func columnOperand(x any, at condition.Pos) (tree.Scalar, []*condition.Error) {
	if name, ok := x.(string); ok {
		return &tree.Unbound{Name: name, At: at}, nil
	}
	if _, ok := x.(Value); !ok {
		e := condition.Newf(condition.InvalidValue, "A column is given by its name or as a value, not as %T.", x)
		e.Pos, e.Hint = at, "For a constant use expr.Lit."
		return &tree.Bad{At: at}, []*condition.Error{e}
	}
	return operand(x, at)
}

// Rows makes a frame of rows, counted from the current one: ROWS BETWEEN start AND end.
func (w WindowSpec) Rows(start, end Bound) WindowSpec {
	return w.between(condition.Here(1), true, start, end)
}

// Range makes a frame of the rows whose sort key lies between two distances from the current row's: RANGE BETWEEN start AND end. Rows without a
// key (null) are peers of each other and of no other row.
func (w WindowSpec) Range(start, end Bound) WindowSpec {
	return w.between(condition.Here(1), false, start, end)
}

func (w WindowSpec) between(at condition.Pos, rows bool, start, end Bound) WindowSpec {
	fail := func(e *condition.Error) WindowSpec {
		e.Pos, e.Operator = at, "Over"
		w.errs = append(w.errs[:len(w.errs):len(w.errs)], e)
		return w
	}
	if w.framed {
		return fail(condition.Newf(condition.InvalidValue, "The window has a frame already."))
	}
	w.framed = true
	f := &tree.Frame{Rows: rows}
	for i, b := range []Bound{start, end} {
		to := []*tree.FrameBound{&f.Start, &f.End}[i]
		switch b.kind {
		case boundUnbounded:
			to.Unbounded = true
		case boundCurrent:
		case boundPreceding, boundFollowing:
			w.errs = merge(w.errs, b.v.errs)
			n, _ := tree.StripAlias(b.v.node)
			if _, bad := n.(*tree.Bad); bad {
				return w
			}
			l, ok := n.(*tree.Literal)
			if !ok {
				e := condition.Newf(condition.FrameNotConstant, "The bound %s of a frame is not a constant.", tree.String(n))
				e.Hint = "Give a Go number, a time.Duration, expr.Days or expr.Months."
				return fail(e)
			}
			if sign, ok := literalSign(l); !ok || sign < 0 {
				e := condition.Newf(condition.InvalidValue, "The bound %s of a frame is not a distance from zero up.", tree.LiteralText(l))
				e.Hint = "Use Following instead of a negative Preceding, and the other way round."
				return fail(e)
			}
			to.Offset, to.Preceding = l, b.kind == boundPreceding
		default:
			e := condition.Newf(condition.InvalidValue, "A bound that was never made (the zero value of expr.Bound) is used.")
			e.Hint = "Take bounds from package window: Unbounded, CurrentRow, Preceding, Following."
			return fail(e)
		}
	}
	w.frame = f
	return w
}

// literalSign gives the sign of a number or interval; ok is false for everything else and for NULL.
func literalSign(l *tree.Literal) (sign int, ok bool) {
	if !datatype.IsNumeric(l.Typ) && !datatype.IsInterval(l.Typ) {
		return 0, false
	}
	switch v := l.Value.(type) {
	case int64:
		return big.NewInt(v).Sign(), true
	case *big.Int:
		return v.Sign(), true
	case float64:
		switch {
		case v > 0:
			return 1, true
		case v == 0:
			return 0, true
		case v < 0:
			return -1, true
		}
	}
	return 0, false // NULL and NaN
}

// over gives a value over a window: see the generated methods.
func over[V Family[V]](v V, w WindowSpec) V {
	at := condition.Here(2)
	x := valueOf(v)
	if x.node == nil {
		return failed[V](at, x.errs, zeroValue())
	}
	errs := merge(x.errs, w.errs)
	if _, bad := x.node.(*tree.Bad); bad || len(w.errs) > 0 {
		return v.make(value{&tree.Bad{At: at}, errs})
	}
	n, found, err := overlay(x.node, w, at)
	if err == nil && !found {
		err = condition.Newf(condition.WindowOfNoAggregate, "%s has no aggregate and no window function in it.", tree.String(x.node))
		err.Operator, err.Hint = "Over", "Over goes with values such as x.Sum(), x.Lag() or functions.RowNumber()."
	}
	if err != nil {
		return failed[V](at, errs, err)
	}
	return v.make(value{n, errs})
}

// overlay puts every aggregate and window function of s over a window. Those that are over one already get the keys that they lack, those
// of w behind their own, as in Ibis, and its frame where they have none; two different frames are an error. What stands inside an aggregate, a
// window function or a window is left alone.
func overlay(s tree.Scalar, w WindowSpec, at condition.Pos) (out tree.Scalar, found bool, err *condition.Error) {
	var visit func(n tree.Scalar) tree.Scalar
	visit = func(n tree.Scalar) tree.Scalar {
		switch x := n.(type) {
		case *tree.Over:
			found = true
			o := *x
			o.PartitionBy = o.PartitionBy[:len(o.PartitionBy):len(o.PartitionBy)]
			for _, k := range w.keys {
				if !hasScalar(o.PartitionBy, k) {
					o.PartitionBy = append(o.PartitionBy, k)
				}
			}
			o.OrderBy = o.OrderBy[:len(o.OrderBy):len(o.OrderBy)]
			for _, k := range w.order {
				if !slices.ContainsFunc(o.OrderBy, func(h tree.SortKey) bool { return equalScalar(h.Arg, k.Arg) }) {
					o.OrderBy = append(o.OrderBy, k)
				}
			}
			switch {
			case w.frame == nil:
			case o.Frame == nil:
				o.Frame = w.frame
			case tree.FrameText(o.Frame, tree.String) != tree.FrameText(w.frame, tree.String):
				err = condition.Newf(condition.InvalidValue, "%s has the frame %s already, not %s.", tree.String(x), tree.FrameText(o.Frame, tree.String), tree.FrameText(w.frame, tree.String))
				err.Operator, err.Hint = "Over", "Give the frame once."
			}
			return &o
		case *tree.Call:
			if x.Func.Kind == catalog.Aggregate || x.Func.Kind == catalog.Window {
				found = true
				return &tree.Over{Func: x, PartitionBy: w.keys, OrderBy: w.order, Frame: w.frame, At: at}
			}
		}
		return mapChildren(n, visit)
	}
	return visit(s), found, err
}

// mapChildren gives s with f applied to its direct operands; of a window expression, to those of its function and its keys.
func mapChildren(s tree.Scalar, f func(tree.Scalar) tree.Scalar) tree.Scalar {
	list := func(in []tree.Scalar) []tree.Scalar {
		out := make([]tree.Scalar, len(in))
		for i, x := range in {
			out[i] = f(x)
		}
		return out
	}
	call := func(x *tree.Call) *tree.Call {
		c := *x
		c.Args = list(x.Args)
		if x.Where != nil {
			c.Where = f(x.Where)
		}
		return &c
	}
	switch x := s.(type) {
	case *tree.Call:
		return call(x)
	case *tree.Cast:
		c := *x
		c.Arg = f(x.Arg)
		return &c
	case *tree.Case:
		c := *x
		c.Whens = make([]tree.When, len(x.Whens))
		for i, w := range x.Whens {
			c.Whens[i] = tree.When{Cond: f(w.Cond), Then: f(w.Then)}
		}
		if x.Else != nil {
			c.Else = f(x.Else)
		}
		return &c
	case *tree.GetField:
		c := *x
		c.Arg = f(x.Arg)
		return &c
	case *tree.Over:
		c := *x
		c.Func = call(x.Func)
		c.PartitionBy = list(x.PartitionBy)
		c.OrderBy = slices.Clone(x.OrderBy)
		for i, k := range c.OrderBy {
			c.OrderBy[i].Arg = f(k.Arg)
		}
		return &c
	case *tree.Alias:
		c := *x
		c.Arg = f(x.Arg)
		return &c
	}
	return s
}

// overWhole turns aggregates that are not in an OVER into aggregates OVER () the whole table.
func overWhole(s tree.Scalar) tree.Scalar {
	if findKind(s, catalog.Aggregate) == nil {
		return s
	}
	if c, ok := s.(*tree.Call); ok && c.Func.Kind == catalog.Aggregate {
		s = &tree.Over{Func: c, At: c.At}
	}
	return mapChildren(s, overWhole)
}

// nestedAggregate finds an aggregate among whose arguments another one stands that is not over a window.
func nestedAggregate(s tree.Scalar) *tree.Call {
	var found *tree.Call
	bare := func(s tree.Scalar) bool {
		hit := false
		tree.Walk(s, func(n tree.Scalar) bool {
			if _, over := n.(*tree.Over); over {
				return false
			}
			c, ok := n.(*tree.Call)
			hit = hit || ok && c.Func.Kind == catalog.Aggregate
			return !hit
		})
		return hit
	}
	tree.Walk(s, func(n tree.Scalar) bool {
		if c, ok := n.(*tree.Call); ok && c.Func.Kind == catalog.Aggregate && found == nil && slices.ContainsFunc(tree.Children(c), bare) {
			found = c
		}
		return found == nil
	})
	return found
}

// hasOver tells whether a window expression, or a window function that lacks its window, stands in s.
func hasOver(s tree.Scalar) bool {
	found := false
	tree.Walk(s, func(n tree.Scalar) bool {
		_, over := n.(*tree.Over)
		found = found || over || isWindowCall(n)
		return !found
	})
	return found
}

func hasScalar(list []tree.Scalar, s tree.Scalar) bool {
	return slices.ContainsFunc(list, func(x tree.Scalar) bool { return equalScalar(x, s) })
}

// ranked is a ranking function over the order of a value.
func ranked[V Family[V]](f *catalog.Function, v V, args ...any) NumericValue {
	at := condition.Here(2)
	x := valueOf(v)
	if x.node == nil {
		return failed[NumericValue](at, x.errs, zeroValue())
	}
	n, _ := tree.StripAlias(x.node)
	r := callAt[NumericValue](at, f, args...)
	call, ok := r.node.(*tree.Call)
	if _, bad := n.(*tree.Bad); bad || !ok {
		return NumericValue{value{&tree.Bad{At: at}, merge(x.errs, r.errs)}}
	}
	return NumericValue{value{&tree.Over{Func: call, OrderBy: []tree.SortKey{{Arg: n, NullsFirst: true}}, At: at}, merge(x.errs, r.errs)}}
}

// cumulative is an aggregate of a value over the rows up to the current one.
func cumulative[V Family[V]](f *catalog.Function, v Value) V {
	at := condition.Here(2)
	r := callAt[V](at, f, v)
	x := valueOf(r)
	call, ok := x.node.(*tree.Call)
	if !ok {
		return r
	}
	return r.make(value{&tree.Over{Func: call, Frame: &tree.Frame{Rows: true, Start: tree.FrameBound{Unbounded: true}}, At: at}, x.errs})
}

// nullSkippers are the functions that can leave nulls out.
var nullSkippers = map[string]bool{"first": true, "last": true, "first_value": true, "last_value": true, "nth_value": true, "lag": true, "lead": true}

// IgnoreNulls makes First, Last, Nth, Lag and Lead (and first_value, last_value) leave null values out, as IGNORE NULLS in SQL does. It can be
// given before or after Over.
func IgnoreNulls[V Family[V]](v V) V { return withNulls(condition.Here(1), v, true) }

// RespectNulls makes First, Last, Nth, Lag and Lead count null values, which they do unless [IgnoreNulls] says otherwise.
func RespectNulls[V Family[V]](v V) V { return withNulls(condition.Here(1), v, false) }

func withNulls[V Family[V]](at condition.Pos, v V, ignore bool) V {
	x := valueOf(v)
	if x.node == nil {
		return failed[V](at, x.errs, zeroValue())
	}
	inner, name := tree.StripAlias(x.node)
	o, _ := inner.(*tree.Over)
	call, ok := inner.(*tree.Call)
	if o != nil {
		call, ok = o.Func, true
	}
	if _, bad := inner.(*tree.Bad); bad {
		return v
	}
	if !ok || !nullSkippers[call.Func.Name] {
		e := condition.Newf(condition.UnsupportedNullHandling, "%s takes no IGNORE NULLS or RESPECT NULLS.", tree.String(inner))
		e.Hint = "First, Last, Nth, Lag and Lead do."
		return failed[V](at, x.errs, e)
	}
	c := *call
	c.IgnoreNulls = ignore
	var n tree.Scalar = &c
	if o != nil {
		w := *o
		w.Func = &c
		n = &w
	}
	if name != "" {
		n = &tree.Alias{Arg: n, Name: name, At: at}
	}
	return v.make(value{n, x.errs})
}

// checkOvers finishes the window expressions of a bound value: what Spark refuses is refused, and the bounds of a frame get the type of the
// sort key. One window expression may stand inside another one, as in Spark.
func checkOvers(op string, s tree.Scalar) (tree.Scalar, []*condition.Error) {
	var errs []*condition.Error
	fail := func(e *condition.Error, at condition.Pos) {
		e.Pos = at
		if e.Operator == "" {
			e.Operator = op
		}
		errs = append(errs, e)
	}
	inOver := map[*tree.Call]bool{}
	tree.Walk(s, func(n tree.Scalar) bool {
		switch x := n.(type) {
		case *tree.Over:
			inOver[x.Func] = true
		case *tree.Call:
			if x.Func.Kind == catalog.Window && !inOver[x] {
				e := condition.Newf(condition.WindowWithoutOver, "The window function %s needs a window.", x.Func.Name)
				e.Operator, e.Hint = x.Func.Name, "Give it one with Over(window.Over().OrderBy(…))."
				fail(e, x.At)
				return false
			}
		}
		return true
	})
	out := tree.Rewrite(s, func(n tree.Scalar) tree.Scalar {
		o, ok := n.(*tree.Over)
		if !ok {
			return n
		}
		c, e := checkOver(o)
		if e != nil {
			fail(e, o.At)
			return &tree.Bad{At: o.At}
		}
		return c
	})
	if len(errs) > 0 {
		return s, errs
	}
	return out, nil
}

func checkOver(o *tree.Over) (*tree.Over, *condition.Error) {
	f := o.Func.Func
	fail := func(name, format string, args ...any) (*tree.Over, *condition.Error) {
		e := condition.Newf(name, format, args...)
		e.Operator = f.Name
		return nil, e
	}
	hint := func(e *condition.Error, hint string) (*tree.Over, *condition.Error) { e.Hint = hint; return nil, e }
	known := o.Func.Typ.Kind() != datatype.KindInvalid
	for _, c := range tree.Children(o) {
		known = known && c.Type().Kind() != datatype.KindInvalid
	}
	if o.Func.Distinct {
		_, e := fail(condition.DistinctWindow, "%s looks at different values only, which no window can.", tree.String(o.Func))
		return hint(e, "Aggregate with GroupBy and join the result, or drop what is doubled first.")
	}
	if len(o.OrderBy) == 0 && f.Kind == catalog.Window {
		_, e := fail(condition.WindowNotOrdered, "The window function %s needs an order.", f.Name)
		return hint(e, "Give one with OrderBy in window.Over().")
	}
	out := *o
	if !known {
		return &out, nil
	}
	for _, k := range o.PartitionBy {
		if !datatype.IsOrderable(k.Type()) {
			return fail("EXPRESSION_TYPE_IS_NOT_ORDERABLE", "The window cannot be grouped by %s: values of type %s cannot be compared.", tree.String(k), k.Type())
		}
	}
	for _, k := range o.OrderBy {
		if !datatype.IsOrderable(k.Arg.Type()) {
			return fail("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE", "The window cannot be ordered by %s: values of type %s have no order.", tree.String(k.Arg), k.Arg.Type())
		}
	}
	if fr := o.Frame; f.WholeWindow && (len(o.OrderBy) > 0 || fr != nil && !(fr.Rows && fr.Start.Unbounded && fr.End.Unbounded)) {
		_, e := fail(condition.WholeWindowOnly, "The window of %s takes neither an order nor a frame.", tree.String(o.Func))
		return hint(e, "Group the window only, or use percentile.")
	}
	if o.Frame == nil {
		return &out, nil
	}
	frame, e := checkFrame(o)
	if e != nil {
		e.Operator = f.Name
		return nil, e
	}
	out.Frame = frame
	return &out, nil
}

// checkFrame holds a frame to Spark's rules. Source: Spark's WindowSpecDefinition, SpecifiedWindowFrame and ResolveWindowFrame.
func checkFrame(o *tree.Over) (*tree.Frame, *condition.Error) {
	f := *o.Frame
	bounds := []*tree.FrameBound{&f.Start, &f.End}
	if tree.FrameFixed(o.Func.Func) {
		// RANK and its like have a frame of their own, LAG and LEAD none.
		name := condition.WindowFrameFixed
		own := f.Start.Unbounded && !f.End.Unbounded && f.End.Offset == nil && f.Rows == (o.Func.Func.Name != "cume_dist")
		if o.Func.Func.Name == "lag" || o.Func.Func.Name == "lead" {
			name, own = condition.WindowFrameRefused, false
		}
		if !own {
			e := condition.Newf(name, "%s does not take the frame %s.", o.Func.Func.Name, tree.FrameText(&f, tree.String))
			e.Hint = "Leave Rows or Range out: it looks at the whole partition."
			return nil, e
		}
		return &f, nil
	}
	if f.Rows {
		for _, b := range bounds {
			if b.Offset == nil {
				continue
			}
			l := b.Offset.(*tree.Literal)
			n, ok := l.Value.(int64)
			if !ok || !datatype.IsIntegral(l.Typ) || !inRange(n, datatype.KindInt) {
				e := condition.Newf(condition.FrameUnacceptedType, "A frame of rows counts rows: its bound must be an INT, not %s of type %s.", tree.LiteralText(l), l.Typ)
				e.Hint = "Use Range for distances of the sort key."
				return nil, e
			}
			b.Offset = &tree.Literal{Value: n, Typ: datatype.Int, At: l.At}
		}
	} else if e := checkRange(o, bounds); e != nil {
		return nil, e
	}
	if a, b := f.Start, f.End; a.Offset != nil && b.Offset != nil {
		x, y := signed(a), signed(b)
		if x != nil && y != nil && x.Cmp(y) > 0 {
			e := condition.Newf(condition.FrameWrongComparison, "The frame %s ends before it starts.", tree.FrameText(&f, tree.String))
			e.Hint = "Change the two bounds for each other."
			return nil, e
		}
	}
	return &f, nil
}

// signed is the distance of a bound from the current row, negative before it.
func signed(b tree.FrameBound) *big.Float {
	l, ok := tree.StripImplicit(b.Offset).(*tree.Literal)
	if !ok {
		return nil
	}
	out := new(big.Float).SetPrec(200)
	switch v := l.Value.(type) {
	case int64:
		out.SetInt64(v)
	case float64:
		out.SetFloat64(v)
	case *big.Int:
		out.SetInt(v)
		out.Quo(out, new(big.Float).SetInt(pow10(l.Typ.(datatype.Decimal).Scale)))
	}
	if b.Preceding {
		out.Neg(out)
	}
	return out
}

// checkRange gives the distances of a RANGE frame the type that Spark computes with: that of the sort key for numbers and intervals, days or
// months for dates, an interval for time stamps.
func checkRange(o *tree.Over, bounds []*tree.FrameBound) *condition.Error {
	unbounded, distance := true, false
	for _, b := range bounds {
		unbounded = unbounded && b.Unbounded
		distance = distance || b.Offset != nil
	}
	switch {
	case unbounded:
		return nil
	case len(o.OrderBy) == 0:
		e := condition.Newf(condition.RangeFrameWithoutOrder, "A range of values needs an order.")
		e.Hint = "Give one key with OrderBy in window.Over(), or count rows with Rows."
		return e
	case !distance:
		return nil
	case len(o.OrderBy) > 1:
		e := condition.Newf(condition.RangeFrameMultiOrder, "A distance of the sort key needs one key, not %d.", len(o.OrderBy))
		e.Hint = "Order by one key, or count rows with Rows."
		return e
	}
	key := o.OrderBy[0].Arg.Type()
	for _, b := range bounds {
		if b.Offset == nil {
			continue
		}
		l := b.Offset.(*tree.Literal)
		bad := func(hint string) *condition.Error {
			e := condition.Newf(condition.RangeFrameInvalidType, "A distance %s of type %s does not go with the sort key %s of type %s.", tree.LiteralText(l), l.Typ, tree.String(o.OrderBy[0].Arg), key)
			e.Hint = hint
			return e
		}
		const day = 86_400_000_000
		days := datatype.DayTime{Start: datatype.Day, End: datatype.Day}
		to := *l
		switch {
		case key.Kind() == datatype.KindDate:
			n, _ := l.Value.(int64)
			switch {
			case datatype.IsIntegral(l.Typ) && inRange(n, datatype.KindInt):
				to.Typ = datatype.Int
			case l.Typ.Kind() == datatype.KindYearMonth:
			case l.Typ.Kind() == datatype.KindDayTime && n%day == 0:
				to.Typ = days
			default:
				return bad("Dates are apart by a number of days, expr.Days or expr.Months.")
			}
			b.Offset = &to
		case key.Kind() == datatype.KindTimestamp || key.Kind() == datatype.KindTimestampNTZ:
			switch l.Typ.Kind() {
			case datatype.KindYearMonth:
			case datatype.KindDayTime:
				to.Typ = datatype.DayToSecond
			default:
				return bad("Time stamps are apart by a time.Duration, expr.Days or expr.Months.")
			}
			b.Offset = &to
		case datatype.IsNumeric(key) && datatype.IsNumeric(l.Typ):
			if _, ok := fit(l.Value, l.Typ, key); !ok {
				return bad("Give a distance that the key's type holds.")
			}
			b.Offset = implicit(l, key)
		case key.Kind() == l.Typ.Kind() && datatype.IsInterval(key):
			to.Typ = key
			b.Offset = &to
		default:
			e := bad("Only numbers, dates, time stamps and intervals have distances: count rows with Rows instead.")
			if datatype.IsString(key) || key.Kind() == datatype.KindBoolean {
				// Spark casts the distance to the key's type first, and refuses that.
				e.Condition, e.SQLState = condition.FrameUnacceptedType, condition.StateOf(condition.FrameUnacceptedType)
			}
			return e
		}
	}
	if a, b := bounds[0].Offset, bounds[1].Offset; a != nil && b != nil && a.Type().Kind() != b.Type().Kind() {
		e := condition.Newf(condition.FrameDifferingTypes, "The bounds of a frame are of one type, not %s and %s.", a.Type(), b.Type())
		e.Hint = "Give both in days and shorter units, or both in months."
		return e
	}
	return nil
}

// refuseOver refuses window expressions where an operator cannot have them.
func refuseOver(op, name, hint string, s tree.Scalar) *condition.Error {
	var e *condition.Error
	tree.Walk(s, func(n tree.Scalar) bool {
		var at condition.Pos
		switch x := n.(type) {
		case *tree.Over:
			at = x.At
		case *tree.Call:
			if x.Func.Kind != catalog.Window {
				return e == nil
			}
			at = x.At
		default:
			return e == nil
		}
		if e == nil {
			e = condition.Newf(name, "%s cannot have the window expression %s.", op, tree.String(n))
			e.Pos, e.Operator, e.Hint = at, op, hint
		}
		return false
	})
	return e
}

// overlay puts values over the window of a grouped table: its keys, and the order and frame that OrderBy and Over gave.
func (g Grouped) overlay(nodes []tree.Scalar) ([]tree.Scalar, []*condition.Error) {
	w := g.window
	w.keys = nil
	var errs []*condition.Error
	for _, k := range g.keys {
		w.keys = append(w.keys, k.Expr)
	}
	w.keys = append(w.keys, g.window.keys...)
	out := make([]tree.Scalar, len(nodes))
	for i, n := range nodes {
		s, _, err := overlay(n, w, n.Pos())
		if err != nil {
			err.Pos = n.Pos()
			errs = append(errs, err)
		}
		out[i] = s
	}
	return out, errs
}

// bound gives the window of a grouped table with its names looked up, whose keys make groups of rows.
func (g Grouped) bound(at condition.Pos) (Grouped, []*condition.Error) {
	g, errs := g.named()
	if g.table.blank() {
		return g, errs
	}
	for _, k := range g.keys {
		if c := findKind(k.Expr, catalog.TimeWindow); c != nil {
			e := condition.Newf(condition.Unsupported, "A time window is no group of rows, since a row may be in several of its windows.")
			e.Pos, e.Operator, e.Hint = c.At, c.Func.Name, "Aggregate with Agg, or make a column of it with Mutate and group by that."
			errs = append(errs, e)
		}
	}
	return g, errs
}

// named gives the window of a grouped table with its names looked up.
func (g Grouped) named() (Grouped, []*condition.Error) {
	t := g.table
	errs := g.window.errs
	if t.blank() || len(errs) > 0 {
		return g, merge(errs, t.errs)
	}
	b := &binder{inputs: []tree.Relation{t.rel}}
	g.window.keys, g.window.order = slices.Clone(g.window.keys), slices.Clone(g.window.order)
	for i, k := range g.window.keys {
		g.window.keys[i] = b.bind(k)
	}
	for i, k := range g.window.order {
		g.window.order[i].Arg = b.bind(k.Arg)
	}
	return g, merge(errs, b.errs)
}

// OrderBy orders the rows of each group for window functions and aggregates in Mutate and Select, by names, values or [Ordering] keys: they are
// computed over the group in this order, so aggregates over the rows up to the current one and its peers unless [Grouped.Over] gives a frame.
// Agg does not look at it.
func (g Grouped) OrderBy(keys ...any) Grouped {
	w := WindowSpec{}.OrderBy(keys...)
	g.window.order = append(g.window.order[:len(g.window.order):len(g.window.order)], w.order...)
	g.window.errs = merge(g.window.errs, w.errs)
	return g
}

// Over adds the keys, the order and the frame of a window to the grouping, for Mutate and Select.
func (g Grouped) Over(w WindowSpec) Grouped {
	at := condition.Here(1)
	have := g.window
	have.keys = append(have.keys[:len(have.keys):len(have.keys)], w.keys...)
	have.order = append(have.order[:len(have.order):len(have.order)], w.order...)
	have.errs = merge(have.errs, w.errs)
	if w.framed {
		if have.framed {
			e := condition.Newf(condition.InvalidValue, "The grouping has a frame already.")
			e.Pos, e.Operator = at, "Over"
			have.errs = append(have.errs[:len(have.errs):len(have.errs)], e)
		}
		have.frame, have.framed = w.frame, true
	}
	g.window = have
	return g
}

// Mutate is [Table.Mutate] whose aggregates and window functions are computed over the rows of each group: every row stays.
func (g Grouped) Mutate(columns ...Value) Table {
	at := condition.Here(1)
	t := g.table.ready(at)
	in := make([]any, len(columns))
	for i, c := range columns {
		in[i] = c
	}
	nodes, errs := g.values(at, in)
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	return t.mutate(at, "Mutate", nodes)
}

// Select is [Table.Select] whose aggregates and window functions are computed over the rows of each group: every row stays, and the keys are
// columns of the result only when they are named.
func (g Grouped) Select(columns ...any) Table {
	at := condition.Here(1)
	t := g.table.ready(at)
	nodes, errs := g.values(at, columns)
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	cols := make([]tree.Named, len(nodes))
	for i, n := range nodes {
		cols[i].Expr, cols[i].Name = columnName(n)
	}
	return t.project(at, "Select", cols)
}

// values binds values to the grouped table and puts them over its groups.
func (g Grouped) values(at condition.Pos, in []any) ([]tree.Scalar, []*condition.Error) {
	t := g.table.ready(at)
	if len(t.errs) > 0 {
		return nil, t.errs
	}
	g, errs := g.bound(at)
	nodes, e := t.args(at, in)
	if errs = merge(errs, e); len(errs) > 0 {
		return nil, errs
	}
	return g.overlay(nodes)
}

var (
	fnRowNumber = fn("row_number")
	fnLessEqual = fn("<=")
)

// Limit keeps the first n rows of each group in the order that [Grouped.OrderBy] gives, any n of them without one: the best of each group.
// Rows without a key are a group too.
//
// A key may be a window of event time, which then is a column of the result behind the table's own. With such a key, or a stream's column with a
// watermark, it goes on streams too, which have no numbers of rows: the rows of a group are collected, and sorted when it comes out. Groups by
// other keys are for batches only.
func (g Grouped) Limit(n int) Table {
	at := condition.Here(1)
	t := g.table.ready(at)
	if n < 0 || int64(n) > 1<<31-1 {
		e := condition.Newf("INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE", "Limit takes a number of rows from zero to 2147483647.")
		e.Pos, e.Operator = at, "Limit"
		return t.fail(e)
	}
	if g.window.framed {
		e := condition.Newf(condition.InvalidValue, "Limit of a grouping takes no frame.")
		e.Pos, e.Operator = at, "Limit"
		return t.fail(e)
	}
	// Groups that a watermark ends are of a stream, whether this query runs as one or not.
	if len(t.errs) == 0 && slices.ContainsFunc(g.keys, func(k tree.Named) bool {
		return tree.TimeWindow(k.Expr) != nil || tree.EventTimeOf(k.Expr) != nil && tree.IsStreaming(t.rel)
	}) {
		return g.top(at, n)
	}
	number := callAt[NumericValue](at, fnRowNumber)
	if len(g.window.order) == 0 {
		g = g.OrderBy(anyOrder(at))
	}
	nodes, errs := g.values(at, []any{callAt[BooleanValue](at, fnLessEqual, number, n)})
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	return t.filter(at, "Limit", nodes)
}

// anyOrder is the order of what needs one and does not care: Spark takes NULL for it.
func anyOrder(at condition.Pos) AnyValue {
	return AnyValue{value{node: &tree.Literal{Typ: datatype.Null, At: at}}}
}

// Keep says which row of those with equal keys stays: see [Table.DistinctOn].
type Keep uint8

const (
	// KeepFirst keeps the first row of the order.
	KeepFirst Keep = iota
	// KeepLast keeps the last row of the order.
	KeepLast
	// KeepNone keeps the rows whose keys no other row has.
	KeepNone
)

// Distincts is a table on its way into a choice of one row per key: what [Table.DistinctOn] gives.
type Distincts struct{ groups Grouped }

// DistinctOn begins a choice of one row for each combination of keys, names or values, with all its columns; null equals null. It is Ibis's
// distinct(on=…); [Distincts.Keep] ends it.
func (t Table) DistinctOn(keys ...any) Distincts {
	at := condition.Here(1)
	t = t.ready(at)
	if len(keys) == 0 {
		e := condition.Newf(condition.InvalidValue, "DistinctOn needs a key.")
		e.Pos, e.Operator, e.Hint = at, "DistinctOn", "Use Distinct for rows that are equal in all columns."
		t = t.fail(e)
	}
	return Distincts{t.groupBy(at, keys)}
}

// OrderBy says what the first and the last row are: names, values or [Ordering] keys. Among rows that are equal in the order, and without an
// order among all, Spark takes any.
func (d Distincts) OrderBy(keys ...any) Distincts { return Distincts{d.groups.OrderBy(keys...)} }

// Keep keeps the first row of each key, the last one, or only the rows whose key is theirs alone.
func (d Distincts) Keep(which Keep) Table {
	at := condition.Here(1)
	g := d.groups
	t := g.table.ready(at)
	one := callAt[NumericValue](at, fnRowNumber)
	var count any = 1
	switch {
	case which == KeepNone:
		one, g.window.order = callAt[NumericValue](at, fnCount), nil
	case len(g.window.order) == 0 && which == KeepLast:
		// There is no order to turn round: the last of the rows in any order, which is numbered as many as there are.
		one = one.Over(WindowSpec{}.OrderBy(anyOrder(at)))
		count = callAt[NumericValue](at, fnCount)
	case len(g.window.order) == 0:
		g = g.OrderBy(anyOrder(at))
	case which == KeepLast:
		turned := slices.Clone(g.window.order)
		for i, k := range turned {
			turned[i].Descending, turned[i].NullsFirst = !k.Descending, !k.NullsFirst
		}
		g.window.order = turned
	}
	nodes, errs := g.values(at, []any{callAt[BooleanValue](at, fnEqual, one, count)})
	if len(errs) > 0 {
		return t.then(errs, nil)
	}
	return t.filter(at, "DistinctOn", nodes)
}
