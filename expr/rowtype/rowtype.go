// Package rowtype gives the columns that a Go struct stands for, and takes the values out of one.
package rowtype

import (
	"database/sql/driver"
	"encoding"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Column is a field of a struct as a column.
type Column struct {
	datatype.Field
	path []int
}

// Of gives the columns of a struct type, in the order of its fields; embedded structs count as the outer one's.
//
// The name is that of the tag `spoonbill:"name"`, else of `json:"name"`, else the field's own; "-" leaves the field out; see [Tag]. A second part of
// the spoonbill tag is the column's type in DDL: `spoonbill:"payAmount,decimal(12,2)"`. Without it: bool BOOLEAN; int8 to int64 and int
// TINYINT to BIGINT; unsigned integers the next wider type; float32, float64 FLOAT, DOUBLE; string STRING; []byte BINARY; time.Time
// TIMESTAMP; time.Duration INTERVAL DAY TO SECOND; big.Int DECIMAL(38,0); slices ARRAY, maps MAP, structs STRUCT; any other type with MarshalText and
// UnmarshalText STRING. A pointer or a sql.Null is nullable, and so are slices and maps, whose nil is null, and the fields of an embedded pointer; all
// else is NOT NULL. Types that need their DDL: DATE and TIMESTAMP_NTZ (time.Time), DECIMAL (string, big.Rat, a type that prints as a decimal), INTERVAL
// YEAR TO MONTH (an integer, the months).
func Of(t reflect.Type) ([]Column, error) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct || t == timeType {
		return nil, bad("%v is no struct, so it has no columns.", t)
	}
	return columns(t, nil, nil)
}

// Fields gives the columns of a struct type as a schema.
func Fields(t reflect.Type) ([]datatype.Field, error) {
	cols, err := Of(t)
	if err != nil {
		return nil, err
	}
	return plain(cols), nil
}

func plain(cols []Column) []datatype.Field {
	out := make([]datatype.Field, len(cols))
	for i, c := range cols {
		out[i] = c.Field
	}
	return out
}

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	ratType      = reflect.TypeFor[big.Rat]()
	bigIntType   = reflect.TypeFor[big.Int]()
	valuerType   = reflect.TypeFor[driver.Valuer]()
	toText       = reflect.TypeFor[encoding.TextMarshaler]()
	fromText     = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// isText tells whether a type is written and read as a text.
func isText(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(toText) && p.Implements(fromText)
}

func bad(format string, args ...any) error {
	e := condition.Newf(condition.InvalidValue, format, args...)
	e.Hint = "Use bool, numbers, string, []byte, time.Time, time.Duration, pointers or sql.Null of these, slices, maps and structs."
	return e
}

// inside adds a type to those that it lies in. Spark's types are finite, so one that lies in itself is none of them.
func inside(within []reflect.Type, t reflect.Type) ([]reflect.Type, error) {
	if slices.Contains(within, t) {
		e := condition.Newf(condition.InvalidValue, "%v holds itself, which no column type does.", t)
		e.Hint = "Leave the field out with the tag `spoonbill:\"-\"`, or give its rows a key of their parent."
		return nil, e
	}
	return append(within[:len(within):len(within)], t), nil
}

// twice refuses a name that a column has already; letter case makes no other name of it, as in SQL.
func twice(t reflect.Type, have []Column, name string) error {
	for _, o := range have {
		if datatype.FoldName(o.Name) == datatype.FoldName(name) {
			e := condition.Newf(condition.ColumnAlreadyExists, "Two fields of %v are columns named %s.", t, datatype.QuoteName(name))
			e.Hint = "Names differ by more than the case of their letters. Give one of them another name by its tag `spoonbill:\"…\"`, or leave it out by `spoonbill:\"-\"`."
			return e
		}
	}
	return nil
}

func columns(t reflect.Type, prefix []int, within []reflect.Type) ([]Column, error) {
	within, err := inside(within, t)
	if err != nil {
		return nil, err
	}
	var out []Column
	for i := range t.NumField() {
		f := t.Field(i)
		name, ddl, ignored := Tag(f.Tag)
		path := append(prefix[:len(prefix):len(prefix)], i)
		inner := f.Type
		if inner.Kind() == reflect.Pointer && f.IsExported() {
			inner = inner.Elem()
		}
		if f.Anonymous && name == "" && !ignored && inner.Kind() == reflect.Struct && inner != timeType && !isText(inner) {
			cols, err := columns(inner, path, within)
			if err != nil {
				return nil, err
			}
			for _, c := range cols {
				// The fields of an embedded pointer are null together.
				c.Nullable = c.Nullable || inner != f.Type
				if err := twice(t, out, c.Name); err != nil {
					return nil, err
				}
				out = append(out, c)
			}
			continue
		}
		if !f.IsExported() || ignored {
			continue
		}
		if name == "" {
			name = f.Name
		}
		typ, null, err := typeOf(f.Type, within)
		if ddl != "" {
			if typ, err = datatype.Parse(ddl); err != nil {
				return nil, bad("The tag of field %s of %v: %v.", f.Name, t, err)
			}
			_, null, _ = typeOf(f.Type, within)
		} else if err != nil {
			return nil, in(err, "Field %s of %v", f.Name, t)
		}
		if err := twice(t, out, name); err != nil {
			return nil, err
		}
		out = append(out, Column{datatype.Field{Name: name, Type: typ, Nullable: null}, path})
	}
	if len(out) == 0 {
		return nil, bad("%v has no exported fields, so no columns.", t)
	}
	return out, nil
}

// Tag reads a field's tag: the name of its column, "" for the field's own; the column's type in DDL, "" for that of the Go type; and whether the field takes
// no column. A name that holds a comma, is "-" or begins with a backtick stands between backticks, which are doubled within.
func Tag(tag reflect.StructTag) (name, ddl string, ignored bool) {
	text := tag.Get("spoonbill")
	if text == "" {
		name, _, _ = strings.Cut(tag.Get("json"), ",")
		if name == "-" {
			return "", "", true
		}
		return name, "", false
	}
	if rest, ok := strings.CutPrefix(text, "`"); ok {
		for i := 0; i < len(rest); i++ {
			if rest[i] != '`' {
				continue
			}
			if i+1 < len(rest) && rest[i+1] == '`' {
				i++
				continue
			}
			_, ddl, _ = strings.Cut(rest[i+1:], ",")
			return strings.ReplaceAll(rest[:i], "``", "`"), ddl, false
		}
	}
	name, ddl, _ = strings.Cut(text, ",")
	if name == "-" {
		return "", "", true
	}
	return name, ddl, false
}

// QuoteTag writes a column's name as [Tag] reads it.
func QuoteTag(name string) string {
	if name == "-" || strings.HasPrefix(name, "`") || strings.Contains(name, ",") {
		return "`" + strings.ReplaceAll(name, "`", "``") + "`"
	}
	return name
}

// in says where a type lies that has no column.
func in(err error, format string, args ...any) error {
	e, ok := err.(*condition.Error)
	if !ok {
		return err
	}
	c := *e
	c.Message = fmt.Sprintf(format, args...) + ": " + e.Message
	return &c
}

func typeOf(t reflect.Type, within []reflect.Type) (datatype.Type, bool, error) {
	switch t {
	case timeType:
		return datatype.Timestamp, false, nil
	case durationType:
		return datatype.DayToSecond, false, nil
	case bigIntType:
		return datatype.Decimal{Precision: datatype.MaxPrecision}, false, nil
	case ratType:
		return nil, false, bad("a big.Rat needs the type of its column in the tag: `spoonbill:\"name,decimal(12,2)\"`.")
	}
	if inner, ok := nullOf(t); ok {
		typ, _, err := typeOf(inner, within)
		return typ, true, err
	}
	if isText(t) {
		return datatype.String, t.Kind() == reflect.Slice || t.Kind() == reflect.Map, nil
	}
	var err error
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map: // a struct is looked at by columns
		if within, err = inside(within, t); err != nil {
			return nil, false, err
		}
	}
	switch t.Kind() {
	case reflect.Bool:
		return datatype.Boolean, false, nil
	case reflect.Int8:
		return datatype.Byte, false, nil
	case reflect.Int16, reflect.Uint8:
		return datatype.Short, false, nil
	case reflect.Int32, reflect.Uint16:
		return datatype.Int, false, nil
	case reflect.Int, reflect.Int64, reflect.Uint32:
		return datatype.Long, false, nil
	case reflect.Uint, reflect.Uint64:
		return datatype.Decimal{Precision: 20}, false, nil
	case reflect.Float32:
		return datatype.Float, false, nil
	case reflect.Float64:
		return datatype.Double, false, nil
	case reflect.String:
		return datatype.String, false, nil
	case reflect.Interface:
		// Its tag has the type.
		return nil, true, bad("a column of the Go type %v needs its type in the tag: `spoonbill:\"name,type\"`.", t)
	case reflect.Pointer:
		typ, _, err := typeOf(t.Elem(), within)
		return typ, true, err
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return datatype.Binary, true, nil
		}
		elem, null, err := typeOf(t.Elem(), within)
		if err != nil {
			return nil, false, err
		}
		return datatype.Array{Elem: elem, ContainsNull: null}, true, nil
	case reflect.Map:
		k, _, err := typeOf(t.Key(), within)
		if err != nil {
			return nil, false, err
		}
		v, null, err := typeOf(t.Elem(), within)
		if err != nil {
			return nil, false, err
		}
		return datatype.Map{Key: k, Value: v, ValueContainsNull: null}, true, nil
	case reflect.Struct:
		cols, err := columns(t, nil, within)
		if err != nil {
			return nil, false, err
		}
		return datatype.Struct{Fields: plain(cols)}, false, nil
	}
	return nil, false, bad("the Go type %v has no column type.", t)
}

// nullOf gives T of a sql.Null[T] and of its named kin (sql.NullString and so on): a struct of a value and Valid.
func nullOf(t reflect.Type) (reflect.Type, bool) {
	if t.Kind() != reflect.Struct || t.NumField() != 2 || t.Field(1).Name != "Valid" || !t.Implements(valuerType) {
		return nil, false
	}
	return t.Field(0).Type, true
}

// Values takes the values out of a struct, in the order of its columns: plain Go values, nil for null, []any for nested structs.
func Values(cols []Column, row reflect.Value) []any {
	for row.Kind() == reflect.Pointer {
		if row.IsNil() {
			return make([]any, len(cols))
		}
		row = row.Elem()
	}
	out := make([]any, len(cols))
	for i, c := range cols {
		// An error means a nil pointer on the way: an embedded struct that is not there.
		if f, err := row.FieldByIndexErr(c.path); err == nil {
			out[i] = value(f, c.Type)
		}
	}
	return out
}

// At is the place of a column's value in a struct whose embedded pointers are set.
func (c Column) At(row reflect.Value) reflect.Value { return row.FieldByIndex(c.path) }

func value(v reflect.Value, t datatype.Type) any {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	if _, ok := nullOf(v.Type()); ok {
		if !v.Field(1).Bool() {
			return nil
		}
		return value(v.Field(0), t)
	}
	switch x := t.(type) {
	case datatype.Struct:
		if v.Kind() == reflect.Struct {
			if cols, err := Of(v.Type()); err == nil {
				return Values(cols, v)
			}
		}
	case datatype.Array:
		if v.Kind() == reflect.Slice {
			if v.IsNil() {
				return nil
			}
			out := make([]any, v.Len())
			for i := range out {
				out[i] = value(v.Index(i), x.Elem)
			}
			return out
		}
	case datatype.Map:
		if v.Kind() == reflect.Map {
			if v.IsNil() {
				return nil
			}
			out := make(map[any]any, v.Len())
			for _, k := range v.MapKeys() {
				out[k.Interface()] = value(v.MapIndex(k), x.Value)
			}
			return out
		}
	case datatype.Decimal:
		p := addressable(v)
		if r, ok := p.(*big.Rat); ok {
			// Digits behind the scale would be lost silently: the whole text is for the literal to refuse.
			if n, exact := r.FloatPrec(); exact {
				return r.FloatString(max(n, 0))
			}
			return r.String()
		}
		// A decimal may be kept as its text, or as a type that prints as one.
		if s, ok := p.(fmt.Stringer); ok {
			return s.String()
		}
	}
	if v.Kind() == reflect.Slice && v.IsNil() {
		return nil
	}
	if datatype.IsString(t) && isText(v.Type()) {
		// A value that has no text is left to the literal, which says that it does not fit.
		if text, err := addressable(v).(encoding.TextMarshaler).MarshalText(); err == nil {
			return string(text)
		}
	}
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
		return v.Bytes()
	}
	return v.Interface()
}

// addressable gives a pointer to a value, or to a copy of it, since methods may hang on the pointer.
func addressable(v reflect.Value) any {
	if v.CanAddr() {
		return v.Addr().Interface()
	}
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p.Interface()
}
