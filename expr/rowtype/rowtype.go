// Package rowtype gives the columns that a Go struct stands for, and takes the values out of one.
package rowtype

import (
	"database/sql/driver"
	"fmt"
	"reflect"
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
// The name is that of the tag `spoonbill:"name"`, else of `json:"name"`, else the field's own; "-" leaves the field out. A second part of
// the spoonbill tag is the column's type in DDL: `spoonbill:"payAmount,decimal(12,2)"`. Without it: bool BOOLEAN; int8 to int64 and int
// TINYINT to BIGINT; unsigned integers the next wider type; float32, float64 FLOAT, DOUBLE; string STRING; []byte BINARY; time.Time
// TIMESTAMP; time.Duration INTERVAL DAY TO SECOND; slices ARRAY, maps MAP, structs STRUCT. A pointer or a sql.Null is nullable, and so are
// slices and maps, whose nil is null; all else is NOT NULL.
func Of(t reflect.Type) ([]Column, error) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct || t == timeType {
		return nil, bad("%v is no struct, so it has no columns.", t)
	}
	return columns(t, nil, 0)
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

// maxDepth bounds nested structs, so that a type that holds itself is an error.
const maxDepth = 50

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	bytesType    = reflect.TypeFor[[]byte]()
	valuerType   = reflect.TypeFor[driver.Valuer]()
)

func bad(format string, args ...any) error {
	e := condition.Newf(condition.InvalidValue, format, args...)
	e.Hint = "Use bool, numbers, string, []byte, time.Time, time.Duration, pointers or sql.Null of these, slices, maps and structs."
	return e
}

func columns(t reflect.Type, prefix []int, depth int) ([]Column, error) {
	if depth > maxDepth {
		return nil, bad("%v nests deeper than %d structs; it holds itself.", t, maxDepth)
	}
	var out []Column
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("spoonbill")
		if tag == "" {
			tag, _, _ = strings.Cut(f.Tag.Get("json"), ",")
		}
		name, ddl, _ := strings.Cut(tag, ",")
		path := append(prefix[:len(prefix):len(prefix)], i)
		if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct && f.Type != timeType {
			inner, err := columns(f.Type, path, depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, inner...)
			continue
		}
		if !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		typ, null, err := typeOf(f.Type, depth)
		if ddl != "" {
			if typ, err = datatype.Parse(ddl); err != nil {
				return nil, bad("The tag of field %s of %v: %v.", f.Name, t, err)
			}
			_, null, _ = typeOf(f.Type, depth)
		} else if err != nil {
			return nil, bad("Field %s of %v: %s", f.Name, t, message(err))
		}
		for _, o := range out {
			if o.Name == name {
				return nil, bad("Two fields of %v are named %s.", t, datatype.QuoteName(name))
			}
		}
		out = append(out, Column{datatype.Field{Name: name, Type: typ, Nullable: null}, path})
	}
	if len(out) == 0 {
		return nil, bad("%v has no exported fields, so no columns.", t)
	}
	return out, nil
}

func message(err error) string {
	if e, ok := err.(*condition.Error); ok {
		return e.Message
	}
	return err.Error()
}

func typeOf(t reflect.Type, depth int) (datatype.Type, bool, error) {
	switch t {
	case timeType:
		return datatype.Timestamp, false, nil
	case durationType:
		return datatype.DayToSecond, false, nil
	case bytesType:
		return datatype.Binary, true, nil
	}
	if inner, ok := nullOf(t); ok {
		typ, _, err := typeOf(inner, depth)
		return typ, true, err
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
	case reflect.Pointer:
		typ, _, err := typeOf(t.Elem(), depth)
		return typ, true, err
	case reflect.Slice:
		elem, null, err := typeOf(t.Elem(), depth+1)
		if err != nil {
			return nil, false, err
		}
		return datatype.Array{Elem: elem, ContainsNull: null}, true, nil
	case reflect.Map:
		k, _, err := typeOf(t.Key(), depth+1)
		if err != nil {
			return nil, false, err
		}
		v, null, err := typeOf(t.Elem(), depth+1)
		if err != nil {
			return nil, false, err
		}
		return datatype.Map{Key: k, Value: v, ValueContainsNull: null}, true, nil
	case reflect.Struct:
		cols, err := columns(t, nil, depth+1)
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
		out[i] = value(row.FieldByIndex(c.path), c.Type)
	}
	return out
}

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
		// A decimal may be kept as its text, or as a type that prints as one.
		if s, ok := v.Interface().(fmt.Stringer); ok {
			return s.String()
		}
	}
	if v.Kind() == reflect.Slice && v.IsNil() {
		return nil
	}
	return v.Interface()
}
