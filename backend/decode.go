package backend

import (
	"database/sql"
	"encoding"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/rowtype"
)

// Interval is the value of Spark's calendar interval: three counts that do not carry over into each other.
type Interval struct {
	// Months, Days and Microseconds are signed.
	Months, Days int32
	Microseconds int64
}

// Entry is one entry of a map whose keys cannot be keys of a Go map.
type Entry struct{ Key, Value any }

// Decoder turns rows into values of T. It is made once for a schema and then only reads; many goroutines may use it.
//
// T is a struct, whose fields take the columns of their names: the name of the tag `spoonbill:"name"`, else of the tag `json:"name"`, else
// the field's own; the letters' case is ignored, as in Spark, unless two columns differ in it alone. A field with the tag "-" takes no
// column. An embedded struct's fields count as the outer one's. Columns without a field are left out. T may also be map[string]any, or any type below for a
// result of one column.
//
//	BOOLEAN                         bool
//	TINYINT … BIGINT                any signed integer, int included, that is as wide; *big.Int; float64 up to INT
//	SMALLINT, INT, BIGINT           the unsigned integer of half the width, as rowtype makes the column of it; a value beyond it is an error of the row
//	FLOAT, DOUBLE                   float32, float64 (no FLOAT's double into a float32)
//	DECIMAL(p,s)                    string with s digits behind the point, *big.Rat, float64 (the nearest), any type with SetString or
//	                                UnmarshalText; *big.Int and int64 where no digit would be lost; uint64 up to DECIMAL(20,0)
//	STRING, CHAR, VARCHAR           string, any type with UnmarshalText
//	BINARY                          []byte
//	DATE, TIMESTAMP_NTZ             time.Time in UTC that shows the same date and clock
//	TIMESTAMP                       time.Time, the instant, in UTC
//	TIME                            time.Duration since midnight
//	INTERVAL DAY … SECOND           time.Duration; beyond its 292 years an error of the row
//	INTERVAL YEAR … MONTH           an integer: the months
//	INTERVAL                        Interval
//	ARRAY<T>, MAP<K, V>             slice, map
//	STRUCT<…>                       struct as above, map[string]any
//	VARIANT                         string (its cast), json.RawMessage, and what encoding/json makes of its JSON
//	any of them                     any: the first Go type in its line (int8 … int64 by width, []any, map[string]any or []Entry)
//
// A null is a nil pointer, slice, map or any, or an sql.Null of any kind that is not valid. A null for anything else is an error of the row.
type Decoder[T any] struct {
	fields []datatype.Field
	set    setRow
	// seen is the latest Arrow schema that was found to hold fields.
	seen atomic.Pointer[arrow.Schema]
}

// column pairs a column with a place in T.
type column struct {
	index int
	path  []int
	set   setter
}

// setter copies the value at row i, which may be null, into dst.
type setter func(arr arrow.Array, i int, dst reflect.Value) error

// NewDecoder makes a decoder, or an error that names the field and both types where the schema does not fit T. No row is read for that.
func NewDecoder[T any](fields []datatype.Field) (*Decoder[T], error) {
	set, err := rowSetter(fields, reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	return &Decoder[T]{fields: fields, set: set}, nil
}

// setRow copies a row of a batch into a value.
type setRow func(batch arrow.RecordBatch, row int, dst reflect.Value) error

// rowSetter gives the function that copies a row into a value of t.
func rowSetter(fields []datatype.Field, t reflect.Type) (setRow, error) {
	if t.Kind() == reflect.Struct && !isLeaf(t) {
		columns, err := matchStruct(fields, t, "")
		if err != nil {
			return nil, err
		}
		return func(batch arrow.RecordBatch, row int, dst reflect.Value) error {
			for i := range columns {
				c := &columns[i]
				if err := c.set(batch.Column(c.index), row, fieldAt(dst, c.path)); err != nil {
					return err
				}
			}
			return nil
		}, nil
	}
	if t == reflect.TypeFor[map[string]any]() {
		setters := make([]setter, len(fields))
		for i, f := range fields {
			if slices.ContainsFunc(fields[:i], func(g datatype.Field) bool { return g.Name == f.Name }) {
				return nil, ambiguous(f.Name, t)
			}
			set, err := compile(f.Type, reflect.TypeFor[any](), quote("", f.Name))
			if err != nil {
				return nil, err
			}
			setters[i] = set
		}
		return func(batch arrow.RecordBatch, row int, dst reflect.Value) error {
			m := make(map[string]any, len(fields))
			for i, set := range setters {
				var v any
				if err := set(batch.Column(i), row, reflect.ValueOf(&v).Elem()); err != nil {
					return err
				}
				m[fields[i].Name] = v
			}
			dst.Set(reflect.ValueOf(m))
			return nil
		}, nil
	}
	if len(fields) != 1 {
		e := condition.Newf(condition.CannotUpCast, "a row of %d columns cannot be a %v.", len(fields), t)
		e.Hint = "Decode into a struct with a field for each column, into map[string]any, or select one column."
		return nil, e
	}
	set, err := compile(fields[0].Type, t, quote("", fields[0].Name))
	if err != nil {
		return nil, err
	}
	return func(batch arrow.RecordBatch, row int, dst reflect.Value) error { return set(batch.Column(0), row, dst) }, nil
}

// Decode copies a row of a batch into dst; nothing of it refers to the batch's memory. Fields that take no column keep their values.
func (d *Decoder[T]) Decode(batch arrow.RecordBatch, row int, dst *T) error {
	if d == nil || d.set == nil || batch == nil || dst == nil {
		return condition.Newf(condition.InvalidValue, "A decoder is made with NewDecoder, and needs a batch and a place for the row.")
	}
	if schema := batch.Schema(); d.seen.Load() != schema {
		if err := checkLayout(d.fields, schema); err != nil {
			return err
		}
		d.seen.Store(schema)
	}
	return d.set(batch, row, reflect.ValueOf(dst).Elem())
}

// Decode gives a result's rows as values of T. A schema that does not fit is the first and only element; so is the first error of a row or of the stream. Leaving
// the loop ends the work behind the stream.
func Decode[T any](r Result) iter.Seq2[T, error] {
	at := condition.Here(1)
	return func(yield func(T, error) bool) { decode(r, at, yield) }
}

// decode is [Decode] for a loop at a place of the user's.
func decode[T any](r Result, at condition.Pos, yield func(T, error) bool) {
	var zero T
	d, err := NewDecoder[T](r.Fields)
	if err != nil {
		// The stream is opened and left, so that what stands behind it ends.
		for range r.batches() {
			break
		}
		yield(zero, condition.At(err, at))
		return
	}
	before := int64(0) // rows of earlier batches
	for batch, err := range r.batches() {
		if err != nil {
			yield(zero, condition.At(err, at))
			return
		}
		for i := range int(batch.NumRows()) {
			var v T
			if err := d.Decode(batch, i, &v); err != nil {
				yield(zero, condition.At(inRow(err, before+int64(i)), at))
				return
			}
			if !yield(v, nil) {
				return
			}
		}
		before += batch.NumRows()
	}
}

// inRow names the row of an error; rows count from 0, as slices do.
func inRow(err error, row int64) error {
	e, ok := err.(*condition.Error)
	if !ok || e.Condition == condition.ServerError {
		return err
	}
	c := *e
	c.Message = fmt.Sprintf("row %d: %s", row, e.Message)
	return &c
}

// checkLayout tells whether a batch holds the schema's types, so that nothing behind it meets an array of another kind.
func checkLayout(fields []datatype.Field, schema *arrow.Schema) error {
	want, err := arrowtype.Schema(fields)
	if err == nil && want.NumFields() != schema.NumFields() {
		err = fmt.Errorf("%d columns for %d", schema.NumFields(), want.NumFields())
	}
	for i := 0; err == nil && i < want.NumFields(); i++ {
		if !sameLayout(want.Field(i).Type, schema.Field(i).Type) {
			err = fmt.Errorf("column %s is Arrow's %s and should be %s", quote("", fields[i].Name), schema.Field(i).Type, want.Field(i).Type)
		}
	}
	if err != nil {
		return condition.Newf(condition.ServerError, "a batch does not fit its result's schema: %v", err)
	}
	return nil
}

// sameLayout compares two Arrow types without regard to nullability, field names, units and zones.
func sameLayout(a, b arrow.DataType) bool {
	if a.ID() != b.ID() {
		return a.ID() == arrow.STRING && (b.ID() == arrow.LARGE_STRING || b.ID() == arrow.STRING_VIEW) ||
			a.ID() == arrow.BINARY && (b.ID() == arrow.LARGE_BINARY || b.ID() == arrow.BINARY_VIEW) ||
			a.ID() == arrow.LIST && b.ID() == arrow.LARGE_LIST && sameLayout(a.(arrow.ListLikeType).Elem(), b.(arrow.ListLikeType).Elem())
	}
	x, ok := a.(arrow.NestedType)
	if !ok {
		return true
	}
	in, out := x.Fields(), b.(arrow.NestedType).Fields()
	if len(in) != len(out) {
		return false
	}
	for i := range in {
		if !sameLayout(in[i].Type, out[i].Type) {
			return false
		}
	}
	return true
}

func quote(path, name string) string {
	if path == "" {
		return datatype.QuoteName(name)
	}
	return path + "." + datatype.QuoteName(name)
}

func ambiguous(name string, t reflect.Type) error {
	e := condition.Newf(condition.AmbiguousReference, "several columns have the name %s that %v asks for.", datatype.QuoteName(name), t)
	e.Hint = "Give the columns different names in the query."
	return e
}

func misfit(path string, t datatype.Type, rt reflect.Type, hint string) error {
	e := condition.Newf(condition.CannotUpCast, "the column %s of type %s does not fit Go's %v.", path, t, rt)
	e.Hint = hint
	return e
}

func nullError(path string, rt reflect.Type) error {
	e := condition.Newf(condition.NotNullViolation, "the column %s is null, and Go's %v has no value for that.", path, rt)
	e.Hint = fmt.Sprintf("Use *%v or sql.Null[%v], or replace nulls in the query, as with coalesce.", rt, rt)
	return e
}

func outOfRange(path string, rt reflect.Type, value string) error {
	e := condition.Newf(condition.CannotUpCast, "the column %s holds %s, which Go's %v cannot.", path, value, rt)
	e.Hint = "Use a signed type as wide as the column."
	return e
}

// goField is a field of a struct that takes a column.
type goField struct {
	name string
	path []int
	typ  reflect.Type
}

// goFields lists the fields that take columns, those of embedded structs among them. seen guards against a struct that embeds a pointer to itself.
func goFields(t reflect.Type, path []int, seen map[reflect.Type]bool) []goField {
	if seen[t] {
		return nil
	}
	seen[t] = true
	defer delete(seen, t)
	var out []goField
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(path), i)
		name, _, ignored := rowtype.Tag(f.Tag)
		if ignored {
			continue
		}
		tagged := name != ""
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if f.Anonymous && !tagged && inner.Kind() == reflect.Struct && !isLeaf(inner) && (f.IsExported() || f.Type.Kind() != reflect.Pointer) {
			out = append(out, goFields(inner, at, seen)...)
			continue
		}
		if !f.IsExported() {
			continue
		}
		if !tagged {
			name = f.Name
		}
		out = append(out, goField{name, at, f.Type})
	}
	return out
}

// fieldAt follows a path and makes the embedded pointers on it.
func fieldAt(v reflect.Value, path []int) reflect.Value {
	for i, x := range path {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v
}

// matchStruct finds the column of each field.
func matchStruct(fields []datatype.Field, t reflect.Type, path string) ([]column, error) {
	var out []column
	for _, g := range goFields(t, nil, map[reflect.Type]bool{}) {
		exact, folded := []int{}, []int{}
		for i, f := range fields {
			if f.Name == g.name {
				exact = append(exact, i)
			}
			if datatype.FoldName(f.Name) == datatype.FoldName(g.name) {
				folded = append(folded, i)
			}
		}
		if len(exact) == 0 {
			exact = folded
		}
		switch len(exact) {
		case 0:
			names := make([]string, len(fields))
			for i, f := range fields {
				names[i] = datatype.QuoteName(f.Name)
			}
			e := condition.Newf(condition.UnresolvedColumn, "the field %v.%s asks for the column %s, which is not among %s.",
				t, t.FieldByIndex(g.path).Name, quote(path, g.name), strings.Join(names, ", "))
			e.Hint = "Name the column in the tag `spoonbill:\"…\"`, or leave the field out with `spoonbill:\"-\"`."
			return nil, e
		case 1:
		default:
			return nil, ambiguous(g.name, t)
		}
		f := fields[exact[0]]
		set, err := compile(f.Type, g.typ, quote(path, f.Name))
		if err != nil {
			return nil, err
		}
		out = append(out, column{exact[0], g.path, set})
	}
	return out, nil
}

var (
	anyType      = reflect.TypeFor[any]()
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	ratType      = reflect.TypeFor[big.Rat]()
	bigIntType   = reflect.TypeFor[big.Int]()
	intervalType = reflect.TypeFor[Interval]()
	rawType      = reflect.TypeFor[json.RawMessage]()
	bytesType    = reflect.TypeFor[[]byte]()
	textType     = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// isSQLNull tells whether t is sql.Null[T] or one of the older sql.NullString, sql.NullInt64, ….
func isSQLNull(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.PkgPath() == "database/sql" && strings.HasPrefix(t.Name(), "Null") && t.NumField() == 2 && t.Field(1).Name == "Valid"
}

var _ sql.Null[int] // the type that isSQLNull looks for

// setsString finds SetString(string), as of big.Rat and many decimal packages.
func setsString(t reflect.Type) (reflect.Method, bool) {
	m, ok := reflect.PointerTo(t).MethodByName("SetString")
	return m, ok && m.Type.NumIn() == 2 && m.Type.In(1).Kind() == reflect.String && m.Type.NumOut() > 0
}

// isLeaf tells whether a struct type takes one column as a whole.
func isLeaf(t reflect.Type) bool {
	if t == timeType || t == intervalType || isSQLNull(t) || reflect.PointerTo(t).Implements(textType) {
		return true
	}
	_, ok := setsString(t)
	return ok
}

// compile finds how a column of type t goes into a rt.
func compile(t datatype.Type, rt reflect.Type, path string) (setter, error) {
	switch {
	case rt == anyType:
		natural, err := naturalOf(t, path)
		if err != nil {
			return nil, err
		}
		return func(arr arrow.Array, i int, dst reflect.Value) error {
			if IsNull(arr, i) {
				dst.SetZero()
				return nil
			}
			v, err := natural(arr, i)
			if err != nil || v == nil { // a variant may hold JSON's null
				dst.SetZero()
				return err
			}
			dst.Set(reflect.ValueOf(v))
			return nil
		}, nil
	case rt.Kind() == reflect.Pointer:
		inner, err := compile(t, rt.Elem(), path)
		if err != nil {
			return nil, err
		}
		return func(arr arrow.Array, i int, dst reflect.Value) error {
			if IsNull(arr, i) {
				dst.SetZero()
				return nil
			}
			v := reflect.New(rt.Elem())
			dst.Set(v)
			return inner(arr, i, v.Elem())
		}, nil
	case isSQLNull(rt):
		inner, err := compile(t, rt.Field(0).Type, path)
		if err != nil {
			return nil, err
		}
		return func(arr arrow.Array, i int, dst reflect.Value) error {
			dst.SetZero()
			if IsNull(arr, i) {
				return nil
			}
			dst.Field(1).SetBool(true)
			return inner(arr, i, dst.Field(0))
		}, nil
	}
	set, err := compileValue(t, rt, path)
	if err != nil {
		return nil, err
	}
	nillable := rt.Kind() == reflect.Slice || rt.Kind() == reflect.Map
	return func(arr arrow.Array, i int, dst reflect.Value) error {
		if IsNull(arr, i) {
			if nillable {
				dst.SetZero()
				return nil
			}
			return nullError(path, rt)
		}
		return set(arr, i, dst)
	}, nil
}

// widths are the bits of the integer types.
var widths = map[datatype.Kind]int{datatype.KindByte: 8, datatype.KindShort: 16, datatype.KindInt: 32, datatype.KindLong: 64}

// compileValue is compile for values that are not null.
func compileValue(t datatype.Type, rt reflect.Type, path string) (setter, error) {
	kind := rt.Kind()
	signed := kind >= reflect.Int && kind <= reflect.Int64 && rt != durationType
	text := func() (setter, bool) {
		if rt == timeType || !reflect.PointerTo(rt).Implements(textType) {
			return nil, false
		}
		return func(arr arrow.Array, i int, dst reflect.Value) error {
			if err := dst.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(Format(arr, i, t, time.UTC))); err != nil {
				return condition.Newf(condition.CannotUpCast, "the column %s: Go's %v does not take its value: %v", path, rt, err)
			}
			return nil
		}, true
	}
	switch t.Kind() {
	case datatype.KindNull:
		return func(arrow.Array, int, reflect.Value) error { return nil }, nil
	case datatype.KindBoolean:
		if kind == reflect.Bool {
			return func(arr arrow.Array, i int, dst reflect.Value) error {
				dst.SetBool(arr.(*array.Boolean).Value(i))
				return nil
			}, nil
		}
	case datatype.KindByte, datatype.KindShort, datatype.KindInt, datatype.KindLong:
		w := widths[t.Kind()]
		switch {
		case signed && rt.Bits() >= w:
			return func(arr arrow.Array, i int, dst reflect.Value) error {
				dst.SetInt(integer(arr, i))
				return nil
			}, nil
		case kind == reflect.Float64 && w <= 32, kind == reflect.Float32 && w <= 16:
			return func(arr arrow.Array, i int, dst reflect.Value) error {
				dst.SetFloat(float64(integer(arr, i)))
				return nil
			}, nil
		case rt == bigIntType:
			return func(arr arrow.Array, i int, dst reflect.Value) error {
				dst.Addr().Interface().(*big.Int).SetInt64(integer(arr, i))
				return nil
			}, nil
		case kind >= reflect.Uint && kind <= reflect.Uint64 && 2*rt.Bits() == w:
			return func(arr arrow.Array, i int, dst reflect.Value) error {
				n := integer(arr, i)
				if n < 0 || dst.OverflowUint(uint64(n)) {
					return outOfRange(path, rt, strconv.FormatInt(n, 10))
				}
				dst.SetUint(uint64(n))
				return nil
			}, nil
		case signed || kind >= reflect.Uint && kind <= reflect.Uint64:
			return nil, misfit(path, t, rt, fmt.Sprintf("Use int%d, or cast the column in the query.", w))
		}
	case datatype.KindFloat:
		if kind == reflect.Float32 || kind == reflect.Float64 {
			return func(arr arrow.Array, i int, dst reflect.Value) error {
				dst.SetFloat(float64(arr.(*array.Float32).Value(i)))
				return nil
			}, nil
		}
	case datatype.KindDouble:
		if kind == reflect.Float64 {
			return func(arr arrow.Array, i int, dst reflect.Value) error {
				dst.SetFloat(arr.(*array.Float64).Value(i))
				return nil
			}, nil
		}
	case datatype.KindDecimal:
		if set := compileDecimal(t.(datatype.Decimal), rt, path); set != nil {
			return set, nil
		}
		if set, ok := text(); ok {
			return set, nil
		}
	case datatype.KindString, datatype.KindChar, datatype.KindVarchar:
		if set, ok := text(); ok {
			return set, nil
		}
		if kind == reflect.String {
			return func(arr arrow.Array, i int, dst reflect.Value) error {
				dst.SetString(strings.Clone(stringAt(arr, i)))
				return nil
			}, nil
		}
	case datatype.KindBinary:
		if kind == reflect.Slice && rt.Elem().Kind() == reflect.Uint8 {
			return func(arr arrow.Array, i int, dst reflect.Value) error {
				dst.SetBytes(append([]byte{}, bytesAt(arr, i)...))
				return nil
			}, nil
		}
	case datatype.KindDate, datatype.KindTimestamp, datatype.KindTimestampNTZ:
		if rt.ConvertibleTo(timeType) && kind == reflect.Struct {
			return func(arr arrow.Array, i int, dst reflect.Value) error {
				dst.Set(reflect.ValueOf(timeAt(arr, i)).Convert(rt))
				return nil
			}, nil
		}
		// A date type of the user's that reads "2024-01-31"; a time stamp's text has no zone, so only the one without zone is offered.
		if set, ok := text(); ok && t.Kind() != datatype.KindTimestamp {
			return set, nil
		}
	case datatype.KindTime, datatype.KindDayTime:
		if rt == durationType {
			return func(arr arrow.Array, i int, dst reflect.Value) error {
				d, err := durationAt(arr, i, path)
				dst.SetInt(int64(d))
				return err
			}, nil
		}
	case datatype.KindYearMonth:
		if signed && rt.Bits() >= 32 {
			return func(arr arrow.Array, i int, dst reflect.Value) error {
				dst.SetInt(int64(arr.(*array.MonthInterval).Value(i)))
				return nil
			}, nil
		}
	case datatype.KindCalendarInterval:
		if rt == intervalType {
			return func(arr arrow.Array, i int, dst reflect.Value) error {
				dst.Set(reflect.ValueOf(intervalAt(arr, i)))
				return nil
			}, nil
		}
	case datatype.KindVariant:
		return compileVariant(rt, path), nil
	case datatype.KindArray:
		if kind == reflect.Slice && rt != rawType && rt != bytesType {
			elem, err := compile(t.(datatype.Array).Elem, rt.Elem(), path+".element")
			if err != nil {
				return nil, err
			}
			return func(arr arrow.Array, i int, dst reflect.Value) error {
				list := arr.(array.ListLike)
				start, end := list.ValueOffsets(i)
				out := reflect.MakeSlice(rt, int(end-start), int(end-start))
				for j := start; j < end; j++ {
					if err := elem(list.ListValues(), int(j), out.Index(int(j-start))); err != nil {
						return err
					}
				}
				dst.Set(out)
				return nil
			}, nil
		}
	case datatype.KindMap:
		if kind == reflect.Map {
			return compileMap(t.(datatype.Map), rt, path)
		}
	case datatype.KindStruct:
		fields := t.(datatype.Struct).Fields
		switch {
		case kind == reflect.Struct && !isLeaf(rt):
			columns, err := matchStruct(fields, rt, path)
			if err != nil {
				return nil, err
			}
			return func(arr arrow.Array, i int, dst reflect.Value) error {
				s := arr.(*array.Struct)
				for j := range columns {
					c := &columns[j]
					if err := c.set(s.Field(c.index), i, fieldAt(dst, c.path)); err != nil {
						return err
					}
				}
				return nil
			}, nil
		case rt == reflect.TypeFor[map[string]any]():
			natural, err := naturalOf(t, path)
			if err != nil {
				return nil, err
			}
			return func(arr arrow.Array, i int, dst reflect.Value) error {
				v, err := natural(arr, i)
				if err == nil {
					dst.Set(reflect.ValueOf(v))
				}
				return err
			}, nil
		}
	}
	return nil, misfit(path, t, rt, "Package backend's Decoder lists what each type fits into.")
}

// compileDecimal gives nil where rt takes no decimal.
func compileDecimal(t datatype.Decimal, rt reflect.Type, path string) setter {
	unscaled := func(arr arrow.Array, i int) *big.Int { return arr.(*array.Decimal128).Value(i).BigInt() }
	plain := func(arr arrow.Array, i int) string { return plainDecimal(unscaled(arr, i), t.Scale) }
	switch {
	case rt == ratType:
		denominator := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Scale)), nil)
		return func(arr arrow.Array, i int, dst reflect.Value) error {
			dst.Addr().Interface().(*big.Rat).SetFrac(unscaled(arr, i), denominator)
			return nil
		}
	case rt == bigIntType:
		if t.Scale != 0 {
			return nil
		}
		return func(arr arrow.Array, i int, dst reflect.Value) error {
			dst.Addr().Interface().(*big.Int).Set(unscaled(arr, i))
			return nil
		}
	case rt.Kind() == reflect.String:
		return func(arr arrow.Array, i int, dst reflect.Value) error {
			dst.SetString(plain(arr, i))
			return nil
		}
	case rt.Kind() == reflect.Float64:
		return func(arr arrow.Array, i int, dst reflect.Value) error {
			// Through the text: the nearest double, where dividing two doubles would round twice.
			r, _ := new(big.Rat).SetString(plain(arr, i))
			v, _ := r.Float64()
			dst.SetFloat(v)
			return nil
		}
	case rt.Kind() == reflect.Int64 && rt != durationType || rt.Kind() == reflect.Int && math.MaxInt == math.MaxInt64:
		if t.Scale != 0 || t.Precision > 18 {
			return nil
		}
		return func(arr arrow.Array, i int, dst reflect.Value) error {
			dst.SetInt(unscaled(arr, i).Int64())
			return nil
		}
	}
	if k := rt.Kind(); (k == reflect.Uint64 || k == reflect.Uint && math.MaxUint == math.MaxUint64) && t.Scale == 0 && t.Precision <= 20 {
		return func(arr arrow.Array, i int, dst reflect.Value) error {
			n := unscaled(arr, i)
			if !n.IsUint64() {
				return outOfRange(path, rt, n.String())
			}
			dst.SetUint(n.Uint64())
			return nil
		}
	}
	m, ok := setsString(rt)
	if !ok {
		return nil
	}
	return func(arr arrow.Array, i int, dst reflect.Value) error {
		out := m.Func.Call([]reflect.Value{dst.Addr(), reflect.ValueOf(plain(arr, i)).Convert(m.Type.In(1))})
		for _, v := range out {
			err, isErr := v.Interface().(error)
			if isErr && err != nil || v.Kind() == reflect.Bool && !v.Bool() {
				return condition.Newf(condition.CannotUpCast, "the column %s: Go's %v does not take the decimal %s.", path, rt, plain(arr, i))
			}
		}
		return nil
	}
}

func compileMap(t datatype.Map, rt reflect.Type, path string) (setter, error) {
	if rt.Key() == anyType && !comparableNatural(t.Key) {
		return nil, misfit(path, t, rt, "Its keys cannot be keys of a Go map: use any, which gives []backend.Entry.")
	}
	key, err := compile(t.Key, rt.Key(), path+".key")
	if err != nil {
		return nil, err
	}
	value, err := compile(t.Value, rt.Elem(), path+".value")
	if err != nil {
		return nil, err
	}
	if rt.Key().Kind() == reflect.Pointer {
		return nil, misfit(path, t, rt, "A key that is a pointer cannot be found again.")
	}
	return func(arr arrow.Array, i int, dst reflect.Value) error {
		m := arr.(*array.Map)
		start, end := m.ValueOffsets(i)
		out := reflect.MakeMapWithSize(rt, int(end-start))
		for j := start; j < end; j++ {
			k, v := reflect.New(rt.Key()).Elem(), reflect.New(rt.Elem()).Elem()
			if err := key(m.Keys(), int(j), k); err != nil {
				return err
			}
			if err := value(m.Items(), int(j), v); err != nil {
				return err
			}
			if !k.Comparable() {
				return misfit(path, t, rt, "A key cannot be a key of a Go map.")
			}
			out.SetMapIndex(k, v)
		}
		dst.Set(out)
		return nil
	}, nil
}

func compileVariant(rt reflect.Type, path string) setter {
	return func(arr arrow.Array, i int, dst reflect.Value) error {
		v, err := variantAt(arr.(*array.Struct), i)
		if err != nil {
			return condition.Newf(condition.InvalidValue, "the column %s holds no readable variant: %v", path, err)
		}
		f := formatter{zone: time.UTC, null: "null"}
		if rt.Kind() == reflect.String {
			dst.SetString(string(f.variant(nil, v)))
			return nil
		}
		text := f.variantJSON(nil, v)
		if rt == rawType {
			dst.SetBytes(text)
			return nil
		}
		if err := json.Unmarshal(text, dst.Addr().Interface()); err != nil {
			return condition.Newf(condition.CannotUpCast, "the variant in column %s does not fit Go's %v: %v", path, rt, err)
		}
		return nil
	}
}

// naturalOf finds how a column becomes an any.
func naturalOf(t datatype.Type, path string) (func(arr arrow.Array, i int) (any, error), error) {
	switch x := t.(type) {
	case datatype.Array:
		elem, err := naturalOf(x.Elem, path+".element")
		if err != nil {
			return nil, err
		}
		return func(arr arrow.Array, i int) (any, error) {
			list := arr.(array.ListLike)
			start, end := list.ValueOffsets(i)
			out := make([]any, end-start)
			for j := range out {
				if at := int(start) + j; !IsNull(list.ListValues(), at) {
					if out[j], err = elem(list.ListValues(), at); err != nil {
						return nil, err
					}
				}
			}
			return out, nil
		}, nil
	case datatype.Map:
		key, err := naturalOf(x.Key, path+".key")
		if err != nil {
			return nil, err
		}
		value, err := naturalOf(x.Value, path+".value")
		if err != nil {
			return nil, err
		}
		return func(arr arrow.Array, i int) (any, error) {
			m := arr.(*array.Map)
			start, end := m.ValueOffsets(i)
			entries := make([]Entry, 0, end-start)
			for j := int(start); j < int(end); j++ {
				k, err := key(m.Keys(), j)
				if err != nil {
					return nil, err
				}
				var v any
				if !IsNull(m.Items(), j) {
					if v, err = value(m.Items(), j); err != nil {
						return nil, err
					}
				}
				entries = append(entries, Entry{k, v})
			}
			if !datatype.IsString(x.Key) {
				return entries, nil
			}
			out := make(map[string]any, len(entries))
			for _, e := range entries {
				out[e.Key.(string)] = e.Value
			}
			return out, nil
		}, nil
	case datatype.Struct:
		inner := make([]func(arrow.Array, int) (any, error), len(x.Fields))
		for i, f := range x.Fields {
			var err error
			if inner[i], err = naturalOf(f.Type, quote(path, f.Name)); err != nil {
				return nil, err
			}
		}
		return func(arr arrow.Array, i int) (any, error) {
			s := arr.(*array.Struct)
			out := make(map[string]any, len(inner))
			for j, get := range inner {
				var v any
				if !IsNull(s.Field(j), i) {
					var err error
					if v, err = get(s.Field(j), i); err != nil {
						return nil, err
					}
				}
				out[x.Fields[j].Name] = v
			}
			return out, nil
		}, nil
	}
	get, ok := naturals[t.Kind()]
	if !ok {
		return nil, misfit(path, t, anyType, "Cast the column in the query.")
	}
	return func(arr arrow.Array, i int) (any, error) { return get(arr, i, path) }, nil
}

// naturals are the Go values of the types that hold no other type.
var naturals = map[datatype.Kind]func(arr arrow.Array, i int, path string) (any, error){
	datatype.KindNull:    func(arrow.Array, int, string) (any, error) { return nil, nil },
	datatype.KindBoolean: func(arr arrow.Array, i int, _ string) (any, error) { return arr.(*array.Boolean).Value(i), nil },
	datatype.KindByte:    func(arr arrow.Array, i int, _ string) (any, error) { return arr.(*array.Int8).Value(i), nil },
	datatype.KindShort:   func(arr arrow.Array, i int, _ string) (any, error) { return arr.(*array.Int16).Value(i), nil },
	datatype.KindInt:     func(arr arrow.Array, i int, _ string) (any, error) { return arr.(*array.Int32).Value(i), nil },
	datatype.KindLong:    func(arr arrow.Array, i int, _ string) (any, error) { return arr.(*array.Int64).Value(i), nil },
	datatype.KindFloat:   func(arr arrow.Array, i int, _ string) (any, error) { return arr.(*array.Float32).Value(i), nil },
	datatype.KindDouble:  func(arr arrow.Array, i int, _ string) (any, error) { return arr.(*array.Float64).Value(i), nil },
	datatype.KindDecimal: func(arr arrow.Array, i int, _ string) (any, error) {
		a := arr.(*array.Decimal128)
		return plainDecimal(a.Value(i).BigInt(), int(a.DataType().(*arrow.Decimal128Type).Scale)), nil
	},
	datatype.KindString:  naturalString,
	datatype.KindChar:    naturalString,
	datatype.KindVarchar: naturalString,
	datatype.KindBinary: func(arr arrow.Array, i int, _ string) (any, error) {
		return append([]byte{}, bytesAt(arr, i)...), nil
	},
	datatype.KindDate:         naturalTime,
	datatype.KindTimestamp:    naturalTime,
	datatype.KindTimestampNTZ: naturalTime,
	datatype.KindTime:         naturalDuration,
	datatype.KindDayTime:      naturalDuration,
	datatype.KindYearMonth: func(arr arrow.Array, i int, _ string) (any, error) {
		return int32(arr.(*array.MonthInterval).Value(i)), nil
	},
	datatype.KindCalendarInterval: func(arr arrow.Array, i int, _ string) (any, error) {
		return intervalAt(arr, i), nil
	},
	datatype.KindVariant: func(arr arrow.Array, i int, path string) (any, error) {
		var v any
		err := compileVariant(anyType, path)(arr, i, reflect.ValueOf(&v).Elem())
		return v, err
	},
}

func naturalString(arr arrow.Array, i int, _ string) (any, error) {
	return strings.Clone(stringAt(arr, i)), nil
}

func naturalTime(arr arrow.Array, i int, _ string) (any, error) { return timeAt(arr, i), nil }

func naturalDuration(arr arrow.Array, i int, path string) (any, error) {
	return durationAt(arr, i, path)
}

// comparableNatural tells whether the natural Go value of a map's key can be a key of a Go map.
func comparableNatural(t datatype.Type) bool {
	switch t.Kind() {
	case datatype.KindBinary, datatype.KindArray, datatype.KindMap, datatype.KindStruct, datatype.KindVariant:
		return false
	}
	return true
}

func integer(arr arrow.Array, i int) int64 {
	switch a := arr.(type) {
	case *array.Int8:
		return int64(a.Value(i))
	case *array.Int16:
		return int64(a.Value(i))
	case *array.Int32:
		return int64(a.Value(i))
	}
	return arr.(*array.Int64).Value(i)
}

// stringAt shares the array's memory.
func stringAt(arr arrow.Array, i int) string { return arr.(array.StringLike).Value(i) }

// bytesAt shares the array's memory.
func bytesAt(arr arrow.Array, i int) []byte { return arr.(interface{ Value(int) []byte }).Value(i) }

func timeAt(arr arrow.Array, i int) time.Time {
	if d, ok := arr.(*array.Date32); ok {
		return time.Unix(int64(d.Value(i))*86400, 0).UTC()
	}
	a := arr.(*array.Timestamp)
	if a.DataType().(*arrow.TimestampType).Unit == arrow.Nanosecond {
		return time.Unix(0, int64(a.Value(i))).UTC()
	}
	return time.UnixMicro(microseconds(int64(a.Value(i)), a.DataType().(*arrow.TimestampType).Unit)).UTC()
}

func durationAt(arr arrow.Array, i int, path string) (time.Duration, error) {
	var us int64
	switch a := arr.(type) {
	case *array.Time64:
		if a.DataType().(*arrow.Time64Type).Unit == arrow.Nanosecond {
			return time.Duration(a.Value(i)), nil
		}
		us = int64(a.Value(i))
	case *array.Duration:
		us = microseconds(int64(a.Value(i)), a.DataType().(*arrow.DurationType).Unit)
	}
	if us > math.MaxInt64/1000 || us < math.MinInt64/1000 {
		e := condition.Newf(condition.CannotUpCast, "the column %s holds an interval of %d microseconds, more than Go's time.Duration can.", path, us)
		e.Hint = "Cast the column to a number in the query."
		return 0, e
	}
	return time.Duration(us) * time.Microsecond, nil
}

func intervalAt(arr arrow.Array, i int) Interval {
	v := arr.(*array.MonthDayNanoInterval).Value(i)
	return Interval{v.Months, v.Days, v.Nanoseconds / 1000}
}
