package plan

import (
	"math"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/spoonbill-go/spoonbill/backend/local/exec"
	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// over makes the operator of window expressions. Those with the same partitions and order share one sort; those that nobody reads are left out.
func (b *builder) over(x *Over, in exec.Operator) (exec.Operator, error) {
	if x.Op >= 0 {
		return b.streamOver(x, in)
	}
	o := &exec.Over{Input: b.gather(in), Task: b.task, Out: types(x)}
	width := x.In.Schema().Len()
	specs := map[string]int{}
	for i, item := range x.Items {
		if !x.needed(width + i) {
			continue
		}
		text := specText(item)
		k, ok := specs[text]
		if !ok {
			k = len(o.Specs)
			specs[text] = k
			s, err := b.overSpec(item)
			if err != nil {
				return nil, err
			}
			o.Specs = append(o.Specs, s)
		}
		w, err := b.overItem(item, width+i)
		if err != nil {
			return nil, err
		}
		o.Specs[k].Items = append(o.Specs[k].Items, w)
	}
	return o, nil
}

func (b *builder) overSpec(o *tree.Over) (s exec.OverSpec, err error) {
	for _, p := range o.PartitionBy {
		e, err := b.compile(p)
		if err != nil {
			return s, err
		}
		s.PartitionBy = append(s.PartitionBy, e)
	}
	s.OrderBy, err = b.sortKeys(o.OrderBy)
	return s, err
}

func (b *builder) overItem(o *tree.Over, column int) (w exec.OverItem, err error) {
	f := o.Func
	w = exec.OverItem{Name: f.Func.Name, IgnoreNulls: f.IgnoreNulls, Type: f.Typ, Column: column}
	if f.Func.Kind == catalog.Aggregate {
		if w.Func, err = kernel.CompileOver(f, b.task.Env); err != nil {
			return w, err
		}
		w.Frame, err = b.frame(o)
		return w, err
	}
	number := func(i int, or int64) int64 {
		if i >= len(f.Args) {
			return or
		}
		s := f.Args[i]
		if c, ok := s.(*tree.Cast); ok && c.Implicit {
			s = c.Arg
		}
		if l, ok := s.(*tree.Literal); ok {
			if n, ok := l.Value.(int64); ok {
				return n
			}
		}
		err = unsupported(o.At, "the local engine needs a literal as argument %d of %s.", i+1, f.Func.Name)
		return or
	}
	var args []tree.Scalar
	switch f.Func.Name {
	case "row_number", "rank", "dense_rank", "percent_rank", "cume_dist":
	case "ntile":
		w.N = number(0, 1)
	case "lag", "lead":
		w.N = number(1, 1)
		if f.Func.Name == "lag" {
			w.N = -w.N
		}
		args = f.Args[:1:1]
		if len(f.Args) > 2 {
			args = append(args, f.Args[2])
		}
	case "nth_value":
		w.N = number(1, 1)
		args = f.Args[:1]
		if err == nil {
			w.Frame, err = b.frame(o)
		}
	default:
		return w, unsupported(o.At, "the local engine does not know the window function %s.", f.Func.Name)
	}
	if err != nil {
		return w, err
	}
	for _, a := range args {
		e, err := b.compile(a)
		if err != nil {
			return w, err
		}
		w.Args = append(w.Args, e)
	}
	return w, nil
}

// frame reads a frame. The default is the whole partition, or with an order everything up to the current row and its peers.
func (b *builder) frame(o *tree.Over) (f exec.Frame, err error) {
	if o.Frame == nil {
		f.Start.Unbounded, f.End.Unbounded = true, len(o.OrderBy) == 0
		return f, nil
	}
	f.Rows = o.Frame.Rows
	bound := func(x tree.FrameBound) (out exec.FrameBound, err error) {
		out.Unbounded = x.Unbounded
		if x.Unbounded || x.Offset == nil {
			return out, nil
		}
		if !f.Rows {
			// In a descending order the rows before have the greater keys.
			out.Value, err = b.moved(o, x.Offset, x.Preceding != o.OrderBy[0].Descending)
			return out, err
		}
		l, ok := x.Offset.(*tree.Literal)
		if ok {
			out.Rows, ok = l.Value.(int64)
		}
		if !ok {
			return out, unsupported(o.At, "the bounds of a frame of rows must be literals.")
		}
		if x.Preceding {
			out.Rows = -out.Rows
		}
		return out, nil
	}
	if f.Start, err = bound(o.Frame.Start); err != nil {
		return f, err
	}
	f.End, err = bound(o.Frame.End)
	return f, err
}

// day is a day in microseconds.
const day = 86_400_000_000

// moved makes a program of the sort key less or more a distance, with the function that Spark takes for the types. Source: Spark's
// WindowEvaluatorFactoryBase.createBoundOrdering.
func (b *builder) moved(o *tree.Over, distance tree.Scalar, less bool) (func(*vec.Batch) (*vec.Vec, error), error) {
	key := o.OrderBy[0].Arg
	t := key.Type()
	name := pick(less, "-", "+")
	switch {
	case datatype.IsDatetime(t):
		name = pick(less, "timestamp_sub", "timestamp_add")
		if l, ok := distance.(*tree.Literal); ok && l.Typ.Kind() == datatype.KindInt {
			n, _ := l.Value.(int64)
			distance = &tree.Literal{Value: n * day, Typ: datatype.DayTime{Start: datatype.Day, End: datatype.Day}, At: l.At}
		}
	case t.Kind() == datatype.KindDecimal || datatype.IsInterval(t):
		return b.movedExact(key, distance, less)
	}
	f, ok := catalog.Lookup(name)
	if !ok {
		return nil, unsupported(o.At, "the local engine has no %s.", name)
	}
	e, err := b.compile(&tree.Call{Func: f, Args: []tree.Scalar{key, distance}, Typ: t, Null: true, At: o.At})
	if err != nil {
		return nil, err
	}
	return e.Eval, nil
}

// movedExact moves decimals, which keep their scale and may pass their precision, as in Spark, and intervals, which raise an overflow.
func (b *builder) movedExact(key, distance tree.Scalar, less bool) (func(*vec.Batch) (*vec.Vec, error), error) {
	e, err := b.compile(key)
	if err != nil {
		return nil, err
	}
	d, err := b.compile(distance)
	if err != nil {
		return nil, err
	}
	one, err := d.Eval(&vec.Batch{N: 1})
	if err != nil {
		return nil, err
	}
	if key.Type().Kind() == datatype.KindDecimal {
		by := one.Dec[0]
		if less {
			by = by.Negate()
		}
		top := decimal128.New(math.MaxInt64, math.MaxUint64)
		return func(batch *vec.Batch) (*vec.Vec, error) {
			v, err := e.Eval(batch)
			if err != nil {
				return nil, err
			}
			v = v.Flat()
			out := make([]decimal128.Num, v.Len)
			for i, x := range v.Dec[:v.Len] {
				var over bool
				if out[i], over = vec.AddDec(x, by); over { // beyond every key
					out[i] = top
					if less {
						out[i] = top.Negate()
					}
				}
			}
			return vec.Of(v.Type, out).WithNull(v.Null), nil
		}, nil
	}
	by, _ := one.Any(0).(int64)
	if less {
		by = -by
	}
	overflow := func() error {
		return condition.Newf("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION", "Integer overflow while operating with intervals.")
	}
	return func(batch *vec.Batch) (*vec.Vec, error) {
		v, err := e.Eval(batch)
		if err != nil {
			return nil, err
		}
		v = v.Flat()
		months, micros := make([]int32, 0, v.Len), make([]int64, 0, v.Len)
		for i := range v.Len {
			var sum int64
			if x, ok := v.Any(i).(int64); ok {
				s := new(big.Int).Add(big.NewInt(x), big.NewInt(by))
				if sum = s.Int64(); !s.IsInt64() || v.I32 != nil && int64(int32(sum)) != sum {
					return nil, overflow()
				}
			}
			months, micros = append(months, int32(sum)), append(micros, sum)
		}
		if v.I32 != nil {
			return vec.Of(v.Type, months).WithNull(v.Null), nil
		}
		return vec.Of(v.Type, micros).WithNull(v.Null), nil
	}, nil
}
