// Package expr is what a user writes: tables and typed values, lazy and immutable. Building has no side effect and no
// connection; every mistake is kept with the user's file and line and given by [Table.Err] and by each terminal call.
//
// Methods carry Ibis's names; package expr/functions has the same functions under Spark's names.
package expr

import (
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/absent"
)

// value is what every family holds: the node, and the mistakes made on the way to it.
type value struct {
	node tree.Scalar // nil in the zero value, which is an error where it is used
	errs []*condition.Error
}

func (v value) get() value { return v }

// Value is a value of any family. The set of families is closed.
type Value interface {
	get() value
}

// Family is the constraint of generic functions whose result is of the family of an argument.
type Family[V any] interface {
	Value
	make(value) V
	family() catalog.Family
}

// The families of values. A value is immutable, and belongs to the table that it was taken from; a free value ([Num], [Str], …)
// binds to the table whose method receives it. The zero value of each is an error when it is used.
type (
	// AnyValue is a value whose family is not known to the Go compiler; the As methods give it one.
	AnyValue struct{ value }
	// NumericValue is an integer, a decimal, a FLOAT or a DOUBLE.
	NumericValue struct{ value }
	// StringValue is a text.
	StringValue struct{ value }
	// BooleanValue is true, false or null.
	BooleanValue struct{ value }
	// DateValue is a day.
	DateValue struct{ value }
	// TimestampValue is a TIMESTAMP or a TIMESTAMP_NTZ.
	TimestampValue struct{ value }
	// TimeValue is a time of day.
	TimeValue struct{ value }
	// IntervalValue is a year–month or a day–time interval.
	IntervalValue struct{ value }
	// BinaryValue is a string of bytes.
	BinaryValue struct{ value }
	// ArrayValue is a list of elements of one type.
	ArrayValue struct{ value }
	// MapValue maps keys to values.
	MapValue struct{ value }
	// StructValue is a row of named fields.
	StructValue struct{ value }
	// VariantValue is a semi-structured value.
	VariantValue struct{ value }
	// WindowValue is a window of event time: a struct of start and end that carries the watermark.
	WindowValue struct{ value }
)

func (AnyValue) make(v value) AnyValue             { return AnyValue{v} }
func (NumericValue) make(v value) NumericValue     { return NumericValue{v} }
func (StringValue) make(v value) StringValue       { return StringValue{v} }
func (BooleanValue) make(v value) BooleanValue     { return BooleanValue{v} }
func (DateValue) make(v value) DateValue           { return DateValue{v} }
func (TimestampValue) make(v value) TimestampValue { return TimestampValue{v} }
func (TimeValue) make(v value) TimeValue           { return TimeValue{v} }
func (IntervalValue) make(v value) IntervalValue   { return IntervalValue{v} }
func (BinaryValue) make(v value) BinaryValue       { return BinaryValue{v} }
func (ArrayValue) make(v value) ArrayValue         { return ArrayValue{v} }
func (MapValue) make(v value) MapValue             { return MapValue{v} }
func (StructValue) make(v value) StructValue       { return StructValue{v} }
func (VariantValue) make(v value) VariantValue     { return VariantValue{v} }
func (WindowValue) make(v value) WindowValue       { return WindowValue{v} }

func (AnyValue) family() catalog.Family       { return catalog.AnyFamily }
func (NumericValue) family() catalog.Family   { return catalog.NumericFamily }
func (StringValue) family() catalog.Family    { return catalog.StringFamily }
func (BooleanValue) family() catalog.Family   { return catalog.BooleanFamily }
func (DateValue) family() catalog.Family      { return catalog.DateFamily }
func (TimestampValue) family() catalog.Family { return catalog.TimestampFamily }
func (TimeValue) family() catalog.Family      { return catalog.TimeFamily }
func (IntervalValue) family() catalog.Family  { return catalog.IntervalFamily }
func (BinaryValue) family() catalog.Family    { return catalog.BinaryFamily }
func (ArrayValue) family() catalog.Family     { return catalog.ArrayFamily }
func (MapValue) family() catalog.Family       { return catalog.MapFamily }
func (StructValue) family() catalog.Family    { return catalog.StructFamily }
func (VariantValue) family() catalog.Family   { return catalog.VariantFamily }
func (WindowValue) family() catalog.Family    { return catalog.WindowFamily }

// Num is a number of the table that receives it, by column name.
func Num(name string) NumericValue { return unbound[NumericValue](name) }

// Str is a text of the table that receives it, by column name.
func Str(name string) StringValue { return unbound[StringValue](name) }

// Bool is a boolean of the table that receives it, by column name.
func Bool(name string) BooleanValue { return unbound[BooleanValue](name) }

// Date is a date of the table that receives it, by column name.
func Date(name string) DateValue { return unbound[DateValue](name) }

// Timestamp is a time stamp of the table that receives it, by column name.
func Timestamp(name string) TimestampValue { return unbound[TimestampValue](name) }

// Time is a time of day of the table that receives it, by column name.
func Time(name string) TimeValue { return unbound[TimeValue](name) }

// Interval is an interval of the table that receives it, by column name.
func Interval(name string) IntervalValue { return unbound[IntervalValue](name) }

// Binary is a binary of the table that receives it, by column name.
func Binary(name string) BinaryValue { return unbound[BinaryValue](name) }

// Array is an array of the table that receives it, by column name.
func Array(name string) ArrayValue { return unbound[ArrayValue](name) }

// Map is a map of the table that receives it, by column name.
func Map(name string) MapValue { return unbound[MapValue](name) }

// Struct is a struct of the table that receives it, by column name.
func Struct(name string) StructValue { return unbound[StructValue](name) }

// Variant is a variant of the table that receives it, by column name.
func Variant(name string) VariantValue { return unbound[VariantValue](name) }

// Window is a window of event time of the table that receives it, by column name.
func Window(name string) WindowValue { return unbound[WindowValue](name) }

// Col is a column of any type of the table that receives it, by name.
func Col(name string) AnyValue { return unbound[AnyValue](name) }

func unbound[V Family[V]](name string) V {
	var v V
	return v.make(value{node: &tree.Unbound{Name: name, Family: v.family(), At: condition.Here(2)}})
}

// Num gives the column as a number.
func (t Table) Num(name string) NumericValue { return column[NumericValue](t, name) }

// Str gives the column as a text.
func (t Table) Str(name string) StringValue { return column[StringValue](t, name) }

// Bool gives the column as a boolean.
func (t Table) Bool(name string) BooleanValue { return column[BooleanValue](t, name) }

// Date gives the column as a date.
func (t Table) Date(name string) DateValue { return column[DateValue](t, name) }

// Timestamp gives the column as a time stamp, with or without zone.
func (t Table) Timestamp(name string) TimestampValue { return column[TimestampValue](t, name) }

// Time gives the column as a time of day.
func (t Table) Time(name string) TimeValue { return column[TimeValue](t, name) }

// Interval gives the column as an interval.
func (t Table) Interval(name string) IntervalValue { return column[IntervalValue](t, name) }

// Binary gives the column as a binary.
func (t Table) Binary(name string) BinaryValue { return column[BinaryValue](t, name) }

// Array gives the column as an array.
func (t Table) Array(name string) ArrayValue { return column[ArrayValue](t, name) }

// Map gives the column as a map.
func (t Table) Map(name string) MapValue { return column[MapValue](t, name) }

// Struct gives the column as a struct.
func (t Table) Struct(name string) StructValue { return column[StructValue](t, name) }

// Variant gives the column as a variant.
func (t Table) Variant(name string) VariantValue { return column[VariantValue](t, name) }

// Window gives the column as a window of event time.
func (t Table) Window(name string) WindowValue { return column[WindowValue](t, name) }

// Col gives the column without a family.
func (t Table) Col(name string) AnyValue { return column[AnyValue](t, name) }

func column[V Family[V]](t Table, name string) V {
	var v V
	at := condition.Here(2)
	t = t.ready(at)
	if t.blank() {
		return v.make(value{node: &tree.Bad{At: at}, errs: t.errs})
	}
	node, err := lookup(t.rel, &tree.Unbound{Name: name, Family: v.family(), At: at})
	if err != nil {
		return v.make(value{node: &tree.Bad{At: at}, errs: append(t.errs[:len(t.errs):len(t.errs)], err)})
	}
	return v.make(value{node: node, errs: t.errs})
}

// failed gives a value of unknown type, with one more mistake.
func failed[V Family[V]](at condition.Pos, errs []*condition.Error, err *condition.Error) V {
	var v V
	err.Pos = at
	return v.make(value{node: &tree.Bad{At: at}, errs: append(errs[:len(errs):len(errs)], err)})
}

// named gives v under another column name.
func named[V Family[V]](v V, name string) V {
	x := valueOf(v)
	at := condition.Here(2)
	if x.node == nil {
		return failed[V](at, x.errs, zeroValue())
	}
	return v.make(value{node: &tree.Alias{Arg: x.node, Name: name, At: at}, errs: x.errs})
}

// valueOf gives what a value holds; nothing for nil, and for a nil pointer to a value.
func valueOf(v Value) value {
	if absent.Is(v) {
		return value{}
	}
	return v.get()
}

func zeroValue() *condition.Error {
	e := condition.Newf(condition.InvalidValue, "A value that was never made (the zero value of its Go type) is used.")
	e.Hint = "Take values from a table or from the constructors of package expr."
	return e
}

// convert gives v as a value of another family, checked now or, for a free value, when it is bound.
func convert[V Family[V]](v Value) V {
	var out V
	x := valueOf(v)
	at := condition.Here(2)
	switch n := x.node.(type) {
	case nil:
		return failed[V](at, x.errs, zeroValue())
	case *tree.Unbound:
		u := *n
		u.Family = out.family()
		return out.make(value{node: &u, errs: x.errs})
	default:
		if err := checkFamily(out.family(), n); err != nil {
			return failed[V](at, x.errs, err)
		}
		return out.make(x)
	}
}

// AsNumeric gives the value as a number; another type is a DATATYPE_MISMATCH.
func (v AnyValue) AsNumeric() NumericValue { return convert[NumericValue](v) }

// AsString gives the value as a text; another type is a DATATYPE_MISMATCH.
func (v AnyValue) AsString() StringValue { return convert[StringValue](v) }

// AsBoolean gives the value as a boolean; another type is a DATATYPE_MISMATCH.
func (v AnyValue) AsBoolean() BooleanValue { return convert[BooleanValue](v) }

// AsDate gives the value as a date; another type is a DATATYPE_MISMATCH.
func (v AnyValue) AsDate() DateValue { return convert[DateValue](v) }

// AsTimestamp gives the value as a time stamp; another type is a DATATYPE_MISMATCH.
func (v AnyValue) AsTimestamp() TimestampValue { return convert[TimestampValue](v) }

// AsTime gives the value as a time of day; another type is a DATATYPE_MISMATCH.
func (v AnyValue) AsTime() TimeValue { return convert[TimeValue](v) }

// AsInterval gives the value as an interval; another type is a DATATYPE_MISMATCH.
func (v AnyValue) AsInterval() IntervalValue { return convert[IntervalValue](v) }

// AsBinary gives the value as a binary; another type is a DATATYPE_MISMATCH.
func (v AnyValue) AsBinary() BinaryValue { return convert[BinaryValue](v) }

// AsArray gives the value as an array; another type is a DATATYPE_MISMATCH.
func (v AnyValue) AsArray() ArrayValue { return convert[ArrayValue](v) }

// AsMap gives the value as a map; another type is a DATATYPE_MISMATCH.
func (v AnyValue) AsMap() MapValue { return convert[MapValue](v) }

// AsStruct gives the value as a struct; another type is a DATATYPE_MISMATCH.
func (v AnyValue) AsStruct() StructValue { return convert[StructValue](v) }

// AsVariant gives the value as a variant; another type is a DATATYPE_MISMATCH.
func (v AnyValue) AsVariant() VariantValue { return convert[VariantValue](v) }

// AsWindow gives the value as a window of event time; anything but a struct of start and end is a DATATYPE_MISMATCH.
func (v AnyValue) AsWindow() WindowValue { return convert[WindowValue](v) }

// checkFamily refuses a node whose type is not of the family. An unknown type passes: its mistake is known already.
func checkFamily(f catalog.Family, n tree.Scalar) *condition.Error {
	t := n.Type()
	have := catalog.FamilyOf(t)
	if f == catalog.AnyFamily || t.Kind() == datatype.KindInvalid || have == f || t.Kind() == datatype.KindNull {
		return nil
	}
	if f == catalog.WindowFamily {
		if s, ok := t.(datatype.Struct); ok && len(s.Fields) == 2 && s.Fields[0].Name == "start" && s.Fields[1].Name == "end" {
			return nil
		}
	}
	e := condition.Newf(condition.DatatypeMismatch, "%s is %s, which is not of the %s family.", describe(n), t, f)
	e.Pos = n.Pos()
	e.Hint = "Use the method of its family (" + accessor(have) + "), or Cast it."
	return e
}

func describe(n tree.Scalar) string {
	if c, ok := n.(*tree.Column); ok {
		return "Column " + datatype.QuoteName(c.Field().Name)
	}
	return "The value " + tree.String(n)
}

func accessor(f catalog.Family) string {
	switch f {
	case catalog.NumericFamily:
		return "Num"
	case catalog.StringFamily:
		return "Str"
	case catalog.BooleanFamily:
		return "Bool"
	case catalog.AnyFamily:
		return "Col"
	}
	return f.String()
}
