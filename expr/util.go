package expr

import (
	"fmt"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// structured converts a Go value that may be a struct or a map where the type wants one.
func structured(x any, t datatype.Type) goLiteral {
	r := reflect.ValueOf(x)
	for r.Kind() == reflect.Pointer && !r.IsNil() {
		r = r.Elem()
	}
	switch want := t.(type) {
	case datatype.Struct:
		in, ok := x.([]any)
		if !ok {
			break
		}
		if len(in) != len(want.Fields) {
			return goLiteral{err: condition.Newf(condition.NumColumnsMismatch, "a struct of %d fields got %d values.", len(want.Fields), len(in))}
		}
		out := make([]any, len(in))
		for i, f := range want.Fields {
			l, err := literalOf(in[i], f)
			if err != nil {
				return goLiteral{err: err}
			}
			out[i] = treeValue(l)
		}
		return goLiteral{out, t, nil}
	case datatype.Map:
		if r.Kind() != reflect.Map {
			break
		}
		if r.IsNil() {
			return goLiteral{nil, t, nil}
		}
		entries := make([][2]any, 0, r.Len())
		keys := r.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return compareText(a, b) })
		for _, k := range keys {
			kl, err := literalOf(k.Interface(), datatype.Field{Type: want.Key})
			if err != nil {
				return goLiteral{err: err}
			}
			vl, err := literalOf(r.MapIndex(k).Interface(), datatype.Field{Type: want.Value, Nullable: want.ValueContainsNull})
			if err != nil {
				return goLiteral{err: err}
			}
			entries = append(entries, [2]any{treeValue(kl), treeValue(vl)})
		}
		return goLiteral{entries, t, nil}
	case datatype.Array:
		if r.Kind() != reflect.Slice || r.Type().Elem().Kind() == reflect.Uint8 {
			break
		}
		if r.IsNil() {
			return goLiteral{nil, t, nil}
		}
		out := make([]any, r.Len())
		for i := range out {
			l, err := literalOf(r.Index(i).Interface(), datatype.Field{Type: want.Elem, Nullable: want.ContainsNull})
			if err != nil {
				return goLiteral{err: err}
			}
			out[i] = treeValue(l)
		}
		return goLiteral{out, t, nil}
	case datatype.Decimal:
		if s, ok := x.(string); ok {
			return parseDecimal(s)
		}
	}
	return literal(x)
}

// fit converts a literal's value to the stored form of a type, or says that it does not fit.
func fit(v any, from, to datatype.Type) (any, bool) {
	if datatype.EqualIgnoringNulls(from, to) {
		return v, true
	}
	switch n := v.(type) {
	case int64:
		switch {
		case datatype.IsIntegral(from) && datatype.IsIntegral(to):
			return n, inRange(n, to.Kind())
		case datatype.IsIntegral(from) && datatype.IsFloat(to):
			return float64(n), true
		case datatype.IsIntegral(from) && to.Kind() == datatype.KindYearMonth:
			return n, inRange(n, datatype.KindInt) // the months
		case datatype.IsIntegral(from) && to.Kind() == datatype.KindDecimal:
			return rescale(big.NewInt(n), 0, to.(datatype.Decimal))
		case from.Kind() == datatype.KindTimestamp && to.Kind() == datatype.KindTimestampNTZ:
			return n, true // memtables are built from time.Time, whose wall clock in UTC is taken
		case from.Kind() == datatype.KindTimestamp && to.Kind() == datatype.KindDate:
			const day = 86_400_000_000
			d := n / day
			if n%day < 0 {
				d--
			}
			return d, true
		case from.Kind() == to.Kind():
			return n, true
		}
	case float64:
		if datatype.IsFloat(to) {
			if to.Kind() == datatype.KindFloat {
				return float64(float32(n)), true
			}
			return n, true
		}
	case *big.Int:
		if d, ok := to.(datatype.Decimal); ok {
			return rescale(n, from.(datatype.Decimal).Scale, d)
		}
		if datatype.IsFloat(to) {
			f, _ := new(big.Float).SetInt(n).Float64()
			return f / math.Pow10(from.(datatype.Decimal).Scale), true
		}
	case string:
		return n, datatype.IsString(to)
	case []any:
		return n, to.Kind() == from.Kind()
	}
	return nil, false
}

func inRange(n int64, k datatype.Kind) bool {
	switch k {
	case datatype.KindByte:
		return n == int64(int8(n))
	case datatype.KindShort:
		return n == int64(int16(n))
	case datatype.KindInt:
		return n == int64(int32(n))
	}
	return true
}

// rescale gives unscaled digits at another scale, exactly or not at all.
func rescale(n *big.Int, scale int, to datatype.Decimal) (any, bool) {
	out := new(big.Int).Set(n)
	if d := to.Scale - scale; d >= 0 {
		out.Mul(out, pow10(d))
	} else if _, r := out.QuoRem(out, pow10(-d), new(big.Int)); r.Sign() != 0 {
		return nil, false
	}
	return out, new(big.Int).Abs(out).Cmp(pow10(to.Precision)) < 0
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

func treeValue(s tree.Scalar) any { return s.(*tree.Literal).Value }

func compareText(a, b reflect.Value) int {
	return strings.Compare(fmt.Sprint(a.Interface()), fmt.Sprint(b.Interface()))
}
