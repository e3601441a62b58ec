package expr

import (
	"errors"
	"reflect"
	"slices"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/rowtype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// TableOfRows is a table whose columns are named by the fields of a Go struct, so that a misspelt column does not compile:
//
//	p := expr.TableOf[Payment](payments)
//	totals := p.GroupBy(p.Str(&p.Row.Province)).Agg(p.Num(&p.Row.Amount).Sum().As("total"))
//
// It has every method of [Table], which gives a Table; only the methods that name one column (Num, Str, …) take a field's address in the place of a
// name. Make it with [TableOf]; the zero value is an error when it is used.
type TableOfRows[T any] struct {
	Table
	// Row stands for a row: the address of one of its fields, or of a field of a nested struct, names a column. Its values mean nothing and are not
	// read. Pointers to structs in it are set, so that the fields behind them can be named too.
	Row *T

	cols []rowtype.Column
}

// TableOf names the columns of a table by the fields of T, as rowtype.Of gives them. The table may have more columns than T. A column that is missing, or that is
// of another family than the field (a text for a number), is a mistake of the table: UNRESOLVED_COLUMN, DATATYPE_MISMATCH.
func TableOf[T any](t Table) TableOfRows[T] {
	at := condition.Here(1)
	out := TableOfRows[T]{Table: t.ready(at), Row: new(T)}
	cols, err := rowtype.Of(reflect.TypeFor[T]())
	if err != nil {
		out.Table = out.fail(asCondition(err, at))
		return out
	}
	out.cols = cols
	fill(reflect.ValueOf(out.Row).Elem())
	if out.blank() {
		return out
	}
	for _, c := range cols {
		node, err := lookup(out.rel, &tree.Unbound{Name: c.Name, At: at})
		if err == nil {
			if err = checkFamily(catalog.FamilyOf(c.Type), node); err != nil {
				err.Pos = at
				err.Hint = "Give the field of " + reflect.TypeFor[T]().String() + " a type that fits, or the column's type in the tag: `spoonbill:\"name,type\"`."
			}
		}
		if err != nil {
			out.Table = out.fail(err)
		}
	}
	return out
}

func asCondition(err error, at condition.Pos) *condition.Error {
	e, ok := errors.AsType[*condition.Error](err)
	if !ok {
		e = condition.Newf(condition.InvalidValue, "%v.", err)
	}
	c := *e
	c.Pos = at
	return &c
}

// fill sets the pointers to structs in a sample row. within are the types around v: a field that is no column may hold its own.
func fill(v reflect.Value, within ...reflect.Type) {
	if v.Kind() != reflect.Struct || slices.Contains(within, v.Type()) {
		return
	}
	within = append(within[:len(within):len(within)], v.Type())
	for i := range v.NumField() {
		f := v.Field(i)
		if !v.Type().Field(i).IsExported() {
			// An embedded struct of an unexported type has fields of its own to set; any other unexported field is no column.
			if v.Type().Field(i).Anonymous && f.Kind() == reflect.Struct {
				fill(f, within...)
			}
			continue
		}
		for f.Kind() == reflect.Pointer && f.CanSet() && f.Type().Elem().Kind() == reflect.Struct {
			if f.IsNil() {
				f.Set(reflect.New(f.Type().Elem()))
			}
			f = f.Elem()
		}
		fill(f, within...)
	}
}

// names finds the column that a field's address stands for: its name, and those of the fields within it.
func (p TableOfRows[T]) names(field any) ([]string, *condition.Error) {
	v := reflect.ValueOf(field)
	if p.Row == nil {
		e := condition.Newf(condition.InvalidValue, "A table of rows that was never made (the zero value of its Go type) is used.")
		e.Hint = "Make it with expr.TableOf."
		return nil, e
	}
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		if names := find(p.cols, reflect.ValueOf(p.Row).Elem(), v); names != nil {
			return names, nil
		}
	}
	e := condition.Newf(condition.InvalidValue, "A value of type %T is no field of the table's row, %v.", field, reflect.TypeFor[T]())
	e.Hint = "Give the address of a field that is a column: &t.Row.Field. A column is named by a text through t.Table."
	return nil, e
}

func find(cols []rowtype.Column, row, address reflect.Value) []string {
	for _, c := range cols {
		f := c.At(row)
		// A struct and its first field have one address, but not one type.
		if f.Addr().Pointer() == address.Pointer() && f.Type() == address.Type().Elem() {
			return []string{c.Name}
		}
		for f.Kind() == reflect.Pointer && !f.IsNil() {
			f = f.Elem()
		}
		if f.Kind() != reflect.Struct || c.Type.Kind() != datatype.KindStruct {
			continue
		}
		inner, err := rowtype.Of(f.Type())
		if err != nil {
			continue
		}
		if names := find(inner, f, address); names != nil {
			return append([]string{c.Name}, names...)
		}
	}
	return nil
}

func fieldColumn[V Family[V], T any](p TableOfRows[T], field any) V {
	at := condition.Here(2)
	names, err := p.names(field)
	if err != nil {
		return failed[V](at, p.errs, err)
	}
	if len(names) == 1 {
		return column[V](p.Table, names[0])
	}
	v := column[AnyValue](p.Table, names[0])
	for _, n := range names[1:] {
		v = fieldOf(at, v, n)
	}
	return convert[V](v)
}

// Num gives the field's column as a number.
func (p TableOfRows[T]) Num(field any) NumericValue { return fieldColumn[NumericValue](p, field) }

// Str gives the field's column as a text.
func (p TableOfRows[T]) Str(field any) StringValue { return fieldColumn[StringValue](p, field) }

// Bool gives the field's column as a boolean.
func (p TableOfRows[T]) Bool(field any) BooleanValue { return fieldColumn[BooleanValue](p, field) }

// Date gives the field's column as a date.
func (p TableOfRows[T]) Date(field any) DateValue { return fieldColumn[DateValue](p, field) }

// Timestamp gives the field's column as a time stamp, with or without zone.
func (p TableOfRows[T]) Timestamp(field any) TimestampValue {
	return fieldColumn[TimestampValue](p, field)
}

// Time gives the field's column as a time of day.
func (p TableOfRows[T]) Time(field any) TimeValue { return fieldColumn[TimeValue](p, field) }

// Interval gives the field's column as an interval.
func (p TableOfRows[T]) Interval(field any) IntervalValue {
	return fieldColumn[IntervalValue](p, field)
}

// Binary gives the field's column as a binary.
func (p TableOfRows[T]) Binary(field any) BinaryValue { return fieldColumn[BinaryValue](p, field) }

// Array gives the field's column as an array.
func (p TableOfRows[T]) Array(field any) ArrayValue { return fieldColumn[ArrayValue](p, field) }

// Map gives the field's column as a map.
func (p TableOfRows[T]) Map(field any) MapValue { return fieldColumn[MapValue](p, field) }

// Struct gives the field's column as a struct.
func (p TableOfRows[T]) Struct(field any) StructValue { return fieldColumn[StructValue](p, field) }

// Variant gives the field's column as a variant.
func (p TableOfRows[T]) Variant(field any) VariantValue { return fieldColumn[VariantValue](p, field) }

// Window gives the field's column as a window of event time.
func (p TableOfRows[T]) Window(field any) WindowValue { return fieldColumn[WindowValue](p, field) }

// Col gives the field's column without a family.
func (p TableOfRows[T]) Col(field any) AnyValue { return fieldColumn[AnyValue](p, field) }
