package rowtype

import (
	"encoding"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// TypeOf gives the type of the column that a Go type stands for, and whether it may be null, by the rules of [Of]. A struct is a STRUCT.
func TypeOf(t reflect.Type) (datatype.Type, bool, error) {
	if t == nil {
		return nil, false, bad("an interface has no column type.")
	}
	return typeOf(t, nil)
}

// Value takes the value of a column out of a Go value: plain Go values, nil for null, []any for structs, as [Values] gives them.
func Value(v reflect.Value, t datatype.Type) any { return value(v, t) }

// Setter puts a value, as literals of package tree have it, into a place of a Go type. A null for a type that has none, and a number that the type cannot
// hold, is an error that does not name the column.
type Setter func(dst reflect.Value, v any) error

// RowSetter puts the values of some columns into a struct, in the order in which they are named by columns.
type RowSetter struct {
	// Columns are the ordinals of the columns that the struct asks for.
	Columns []int
	fields  []Column
	set     []Setter
	names   []string
}

// NewRowSetter finds for each field of a struct type the column of its name, without regard to the letters' case unless two columns differ in it alone.
func NewRowSetter(fields []datatype.Field, t reflect.Type) (*RowSetter, error) {
	cols, err := Of(t)
	if err != nil {
		return nil, err
	}
	r := &RowSetter{fields: cols}
	for _, c := range cols {
		at, n := -1, 0
		for i, f := range fields {
			if f.Name == c.Name {
				at, n = i, 1
				break
			}
			if datatype.FoldName(f.Name) == datatype.FoldName(c.Name) {
				at = i
				n++
			}
		}
		switch {
		case n == 0:
			names := make([]string, len(fields))
			for i, f := range fields {
				names[i] = datatype.QuoteName(f.Name)
			}
			e := condition.Newf(condition.UnresolvedColumn, "%v asks for the column %s, which is not among %s.", t, datatype.QuoteName(c.Name), strings.Join(names, ", "))
			e.Hint = "Name the column in the tag `spoonbill:\"…\"`, or leave the field out with `spoonbill:\"-\"`."
			return nil, e
		case n > 1:
			e := condition.Newf(condition.AmbiguousReference, "%v asks for the column %s, and several have that name.", t, datatype.QuoteName(c.Name))
			e.Hint = "Rename one of them before."
			return nil, e
		}
		set, err := NewSetter(fields[at].Type, t.FieldByIndex(c.path).Type)
		if err != nil {
			return nil, in(err, "Column %s", datatype.QuoteName(fields[at].Name))
		}
		r.Columns, r.set, r.names = append(r.Columns, at), append(r.set, set), append(r.names, fields[at].Name)
	}
	return r, nil
}

// Set puts the values of the columns into a struct, and makes the embedded pointers on the way.
func (r *RowSetter) Set(dst reflect.Value, row []any) error {
	for i, set := range r.set {
		f := dst
		for _, x := range r.fields[i].path {
			for f.Kind() == reflect.Pointer {
				if f.IsNil() {
					f.Set(reflect.New(f.Type().Elem()))
				}
				f = f.Elem()
			}
			f = f.Field(x)
		}
		if err := set(f, row[i]); err != nil {
			return in(err, "Column %s", datatype.QuoteName(r.names[i]))
		}
	}
	return nil
}

// misfit is the error of a type of column that a Go type does not take.
func misfit(t datatype.Type, rt reflect.Type) error {
	e := condition.Newf(condition.CannotUpCast, "%s does not fit Go's %v.", t, rt)
	e.Hint = "Give the field the type that rowtype.Of makes the column of, or cast the column."
	return e
}

// NewSetter gives what puts values of a type of column into a Go type: what [Of] makes of the Go type, and integers into wider ones.
func NewSetter(t datatype.Type, rt reflect.Type) (Setter, error) {
	if inner, ok := nullOf(rt); ok {
		set, err := NewSetter(t, inner)
		if err != nil {
			return nil, err
		}
		return func(dst reflect.Value, v any) error {
			dst.SetZero()
			if v == nil {
				return nil
			}
			dst.Field(1).SetBool(true)
			return set(dst.Field(0), v)
		}, nil
	}
	if rt.Kind() == reflect.Pointer {
		set, err := NewSetter(t, rt.Elem())
		if err != nil {
			return nil, err
		}
		return func(dst reflect.Value, v any) error {
			dst.SetZero()
			if v == nil {
				return nil
			}
			p := reflect.New(rt.Elem())
			dst.Set(p)
			return set(p.Elem(), v)
		}, nil
	}
	set, err := plainSetter(t, rt)
	if err != nil {
		return nil, err
	}
	nilable := rt.Kind() == reflect.Slice || rt.Kind() == reflect.Map || rt.Kind() == reflect.Interface
	return func(dst reflect.Value, v any) error {
		if v != nil {
			return set(dst, v)
		}
		dst.SetZero()
		if nilable {
			return nil
		}
		e := condition.Newf(condition.NotNullViolation, "it is null, and Go's %v has no value for that.", rt)
		e.Hint = fmt.Sprintf("Use *%v or sql.Null[%v], or leave such rows out.", rt, rt)
		return e
	}, nil
}

// intWidths are the bits of the integer types.
var intWidths = map[datatype.Kind]int{datatype.KindByte: 8, datatype.KindShort: 16, datatype.KindInt: 32, datatype.KindLong: 64}

// plainSetter is [NewSetter] for values that are not null.
func plainSetter(t datatype.Type, rt reflect.Type) (Setter, error) {
	k := t.Kind()
	switch {
	case rt == timeType:
		switch k {
		case datatype.KindTimestamp, datatype.KindTimestampNTZ:
			return func(dst reflect.Value, v any) error {
				dst.Set(reflect.ValueOf(time.UnixMicro(v.(int64)).UTC()))
				return nil
			}, nil
		case datatype.KindDate:
			return func(dst reflect.Value, v any) error {
				dst.Set(reflect.ValueOf(time.Unix(v.(int64)*86400, 0).UTC()))
				return nil
			}, nil
		}
		return nil, misfit(t, rt)
	case rt == durationType:
		if k != datatype.KindDayTime {
			return nil, misfit(t, rt)
		}
		return func(dst reflect.Value, v any) error {
			n := v.(int64)
			if d := n * int64(time.Microsecond); d/int64(time.Microsecond) == n {
				dst.SetInt(d)
				return nil
			}
			return condition.Newf(condition.CannotUpCast, "an interval of %d microseconds is beyond Go's time.Duration.", n)
		}, nil
	}
	if d, ok := t.(datatype.Decimal); ok {
		return decimalSetter(d, rt)
	}
	if datatype.IsString(t) && isText(rt) {
		return func(dst reflect.Value, v any) error {
			if err := dst.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(v.(string))); err != nil {
				e := condition.Newf(condition.CastInvalidInput, "Go's %v does not read the text.", rt)
				e.Cause = err
				return e
			}
			return nil
		}, nil
	}
	switch rt.Kind() {
	case reflect.Interface:
		if rt.NumMethod() == 0 {
			return func(dst reflect.Value, v any) error { dst.Set(reflect.ValueOf(v)); return nil }, nil
		}
	case reflect.Bool:
		if k == datatype.KindBoolean {
			return func(dst reflect.Value, v any) error { dst.SetBool(v.(bool)); return nil }, nil
		}
	case reflect.String:
		if datatype.IsString(t) {
			return func(dst reflect.Value, v any) error { dst.SetString(v.(string)); return nil }, nil
		}
	case reflect.Float32, reflect.Float64:
		if k == datatype.KindFloat || k == datatype.KindDouble && rt.Kind() == reflect.Float64 {
			return func(dst reflect.Value, v any) error { dst.SetFloat(v.(float64)); return nil }, nil
		}
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
		if w := intWidths[k]; w > 0 && w <= rt.Bits() || k == datatype.KindYearMonth && rt.Bits() >= 32 {
			return func(dst reflect.Value, v any) error { dst.SetInt(v.(int64)); return nil }, nil
		}
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint:
		// The column is wider, for it has a sign.
		if w := intWidths[k]; w > 0 && w <= 2*rt.Bits() {
			return func(dst reflect.Value, v any) error {
				if n := v.(int64); n >= 0 && !dst.OverflowUint(uint64(n)) {
					dst.SetUint(uint64(n))
					return nil
				}
				return condition.Newf(condition.CannotUpCast, "it holds %v, which Go's %v cannot.", v, rt)
			}, nil
		}
	case reflect.Slice:
		if k == datatype.KindBinary && rt.Elem().Kind() == reflect.Uint8 {
			return func(dst reflect.Value, v any) error { dst.SetBytes(append([]byte{}, v.([]byte)...)); return nil }, nil
		}
		a, ok := t.(datatype.Array)
		if !ok {
			break
		}
		set, err := NewSetter(a.Elem, rt.Elem())
		if err != nil {
			return nil, err
		}
		return func(dst reflect.Value, v any) error {
			list := v.([]any)
			out := reflect.MakeSlice(rt, len(list), len(list))
			for i, x := range list {
				if err := set(out.Index(i), x); err != nil {
					return err
				}
			}
			dst.Set(out)
			return nil
		}, nil
	case reflect.Map:
		return mapSetter(t, rt)
	case reflect.Struct:
		s, ok := t.(datatype.Struct)
		if !ok {
			break
		}
		row, err := NewRowSetter(s.Fields, rt)
		if err != nil {
			return nil, err
		}
		return func(dst reflect.Value, v any) error {
			all := v.([]any)
			some := make([]any, len(row.Columns))
			for i, c := range row.Columns {
				some[i] = all[c]
			}
			return row.Set(dst, some)
		}, nil
	}
	return nil, misfit(t, rt)
}

func mapSetter(t datatype.Type, rt reflect.Type) (Setter, error) {
	m, ok := t.(datatype.Map)
	if !ok {
		return nil, misfit(t, rt)
	}
	setKey, err := NewSetter(m.Key, rt.Key())
	if err != nil {
		return nil, err
	}
	setValue, err := NewSetter(m.Value, rt.Elem())
	if err != nil {
		return nil, err
	}
	return func(dst reflect.Value, v any) error {
		entries := v.([][2]any)
		out := reflect.MakeMapWithSize(rt, len(entries))
		for _, e := range entries {
			k, x := reflect.New(rt.Key()).Elem(), reflect.New(rt.Elem()).Elem()
			if err := setKey(k, e[0]); err != nil {
				return err
			}
			if err := setValue(x, e[1]); err != nil {
				return err
			}
			out.SetMapIndex(k, x)
		}
		dst.Set(out)
		return nil
	}, nil
}

func decimalSetter(d datatype.Decimal, rt reflect.Type) (Setter, error) {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.Scale)), nil)
	rat := func(v any) *big.Rat { return new(big.Rat).SetFrac(v.(*big.Int), unit) }
	whole := func(v any) (*big.Int, error) {
		q, r := new(big.Int).QuoRem(v.(*big.Int), unit, new(big.Int))
		if r.Sign() != 0 {
			return nil, condition.Newf(condition.CannotUpCast, "it holds %s, which Go's %v cannot.", rat(v).FloatString(d.Scale), rt)
		}
		return q, nil
	}
	switch {
	case rt == ratType:
		return func(dst reflect.Value, v any) error { dst.Set(reflect.ValueOf(rat(v)).Elem()); return nil }, nil
	case rt == bigIntType:
		return func(dst reflect.Value, v any) error {
			n, err := whole(v)
			if err == nil {
				dst.Set(reflect.ValueOf(n).Elem())
			}
			return err
		}, nil
	case isText(rt):
		return func(dst reflect.Value, v any) error {
			return dst.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(rat(v).FloatString(d.Scale)))
		}, nil
	case rt.Kind() == reflect.String:
		return func(dst reflect.Value, v any) error { dst.SetString(rat(v).FloatString(d.Scale)); return nil }, nil
	case rt.Kind() == reflect.Float64:
		return func(dst reflect.Value, v any) error { f, _ := rat(v).Float64(); dst.SetFloat(f); return nil }, nil
	case rt.Kind() == reflect.Uint64 || rt.Kind() == reflect.Uint:
		return func(dst reflect.Value, v any) error {
			n, err := whole(v)
			if err == nil && !n.IsUint64() {
				err = condition.Newf(condition.CannotUpCast, "it holds %s, which Go's %v cannot.", n, rt)
			}
			if err == nil {
				dst.SetUint(n.Uint64())
			}
			return err
		}, nil
	}
	return nil, misfit(d, rt)
}
