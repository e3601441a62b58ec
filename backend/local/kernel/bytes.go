package kernel

import (
	"reflect"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
)

// Bytes is the memory of an accumulator's groups, found by a look at its fields: for runs that are analysed, since it costs time. What functions
// hold is not in it.
func Bytes(a Accumulator) int { return memoryOf(reflect.ValueOf(a)) }

func memoryOf(v reflect.Value) int {
	switch v.Kind() {
	case reflect.Pointer:
		// What accumulators share, such as types and zones, is no memory of theirs.
		if v.IsNil() || v.Elem().Kind() != reflect.Struct || !followed[v.Elem().Type().PkgPath()] {
			return 0
		}
		return int(v.Elem().Type().Size()) + memoryOf(v.Elem())
	case reflect.Interface:
		if v.Type() == reflect.TypeFor[Accumulator]() && !v.IsNil() {
			return memoryOf(v.Elem())
		}
		return 0
	case reflect.Struct:
		n := 0
		for i := range v.NumField() {
			n += memoryOf(v.Field(i))
		}
		return n
	case reflect.String:
		return v.Len()
	case reflect.Slice:
		n := v.Cap() * int(v.Type().Elem().Size())
		if holds(v.Type().Elem()) {
			for i := range v.Len() {
				n += memoryOf(v.Index(i))
			}
		}
		return n
	case reflect.Map:
		n := v.Len() * int(v.Type().Key().Size()+v.Type().Elem().Size())
		if holds(v.Type().Key()) || holds(v.Type().Elem()) {
			for it := v.MapRange(); it.Next(); {
				n += memoryOf(it.Key()) + memoryOf(it.Value())
			}
		}
		return n
	}
	return 0
}

// followed are the packages whose structs belong to the accumulator that points to them.
var followed = map[string]bool{reflect.TypeFor[aggregate]().PkgPath(): true, reflect.TypeFor[vec.Vec]().PkgPath(): true}

// holds tells whether values of a type may have memory beside their own size.
func holds(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.String, reflect.Slice, reflect.Map:
		return true
	case reflect.Struct:
		for i := range t.NumField() {
			if holds(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}
