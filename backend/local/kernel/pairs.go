package kernel

import (
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// A function of two elements that does nothing but compare what they are made of is evaluated pair by pair, without a vector for each: a sort asks it many times, and
// what it asks next depends on the answer.

// pairInt is the number that such a function gives for elements x and y of a vector.
type pairInt func(of *vec.Vec, x, y int) (n int, null bool)

// pairTest is a condition on them.
type pairTest func(of *vec.Vec, x, y int) truth

// truth is the value of a condition.
type truth int8

const (
	isFalse truth = iota
	isUnknown
	isSo
)

// pairPart is a parameter, or a field within it.
type pairPart struct {
	second bool
	path   []int
}

// of finds the part of one of two elements: a vector and a row of it.
func (p *pairPart) of(v *vec.Vec, x, y int) (*vec.Vec, int, bool) {
	i := x
	if p.second {
		i = y
	}
	for _, field := range p.path {
		if v.IsNull(i) {
			return nil, 0, true
		}
		i &= v.Mask()
		v = v.Kids[field]
	}
	return v, i, v.IsNull(i)
}

// pairs compiles functions of two parameters.
type pairs [2]*tree.Variable

// comparator compiles a function of two elements; nil for one that does more than compare.
func comparator(l *tree.Lambda) pairInt {
	if len(l.Params) != 2 {
		return nil
	}
	f, ok := pairs{l.Params[0], l.Params[1]}.number(l.Body)
	if !ok {
		return nil
	}
	return f
}

func (p pairs) number(s tree.Scalar) (pairInt, bool) {
	switch x := s.(type) {
	case *tree.Alias:
		return p.number(x.Arg)
	case *tree.Literal:
		n, ok := x.Value.(int64)
		return func(*vec.Vec, int, int) (int, bool) { return int(n), false }, ok
	case *tree.Case:
		var tests []pairTest
		var then []pairInt
		for _, w := range x.Whens {
			c, ok := p.test(w.Cond)
			n, too := p.number(w.Then)
			if !ok || !too {
				return nil, false
			}
			tests, then = append(tests, c), append(then, n)
		}
		end := pairInt(func(*vec.Vec, int, int) (int, bool) { return 0, true })
		if x.Else != nil {
			var ok bool
			if end, ok = p.number(x.Else); !ok {
				return nil, false
			}
		}
		return func(of *vec.Vec, x, y int) (int, bool) {
			for i, c := range tests {
				if c(of, x, y) == isSo {
					return then[i](of, x, y)
				}
			}
			return end(of, x, y)
		}, true
	}
	return nil, false
}

func (p pairs) test(s tree.Scalar) (pairTest, bool) {
	x, ok := s.(*tree.Call)
	if !ok {
		return nil, false
	}
	switch x.Func.Name {
	case "isnull", "isnotnull":
		a, ok := p.part(x.Args[0])
		null, not := isSo, isFalse
		if x.Func.Name == "isnotnull" {
			null, not = not, null
		}
		return func(of *vec.Vec, x, y int) truth {
			if _, _, n := a.of(of, x, y); n {
				return null
			}
			return not
		}, ok
	case "and", "or":
		// The lesser of two truths, or the greater.
		a, ok := p.test(x.Args[0])
		b, too := p.test(x.Args[1])
		if x.Func.Name == "or" {
			return func(of *vec.Vec, x, y int) truth {
				if t := a(of, x, y); t == isSo {
					return t
				} else {
					return max(t, b(of, x, y))
				}
			}, ok && too
		}
		return func(of *vec.Vec, x, y int) truth {
			t := a(of, x, y)
			if t == isFalse {
				return t
			}
			return min(t, b(of, x, y))
		}, ok && too
	case "not":
		a, ok := p.test(x.Args[0])
		return func(of *vec.Vec, x, y int) truth { return isSo - a(of, x, y) }, ok
	case "<", "<=", "=", ">=", ">":
		return p.compared(x)
	}
	return nil, false
}

// compared compiles a comparison of two parts of one type.
func (p pairs) compared(x *tree.Call) (pairTest, bool) {
	a, ok := p.part(x.Args[0])
	b, too := p.part(x.Args[1])
	t := x.Args[0].Type()
	if !ok || !too || !datatype.Equal(t, x.Args[1].Type()) {
		return nil, false
	}
	// Whether it holds where the first is less, equal and greater.
	var holds [3]truth
	switch x.Func.Name {
	case "<":
		holds = [3]truth{isSo, isFalse, isFalse}
	case "<=":
		holds = [3]truth{isSo, isSo, isFalse}
	case "=":
		holds = [3]truth{isFalse, isSo, isFalse}
	case ">=":
		holds = [3]truth{isFalse, isSo, isSo}
	case ">":
		holds = [3]truth{isFalse, isFalse, isSo}
	}
	compare := vec.CompareOf(t)
	return func(of *vec.Vec, x, y int) truth {
		v, i, n := a.of(of, x, y)
		w, j, m := b.of(of, x, y)
		if n || m {
			return isUnknown
		}
		c := compare(v, i, w, j)
		switch {
		case c < 0:
			return holds[0]
		case c > 0:
			return holds[2]
		}
		return holds[1]
	}, true
}

// part finds the part of a parameter that an expression is.
func (p pairs) part(s tree.Scalar) (*pairPart, bool) {
	switch x := s.(type) {
	case *tree.Variable:
		return &pairPart{second: x == p[1]}, x == p[0] || x == p[1]
	case *tree.GetField:
		in, ok := p.part(x.Arg)
		if !ok || vec.PhysOf(x.Arg.Type()) != vec.PStruct || x.Ordinal < 0 {
			return nil, false
		}
		in.path = append(in.path, x.Ordinal)
		return in, true
	}
	return nil, false
}
