package datatype

import (
	"encoding/json"
	"strings"
)

// JSON writes columns as the JSON of Spark's StructType, which files of Parquet and Python's types hold. Every column and part is nullable in it, and CHAR and VARCHAR are strings.
//
// Source: Spark's DataType.json.
func JSON(fields []Field) ([]byte, error) { return json.Marshal(jsonOfStruct(fields)) }

func jsonOfStruct(fields []Field) any {
	type field struct {
		Name     string         `json:"name"`
		Type     any            `json:"type"`
		Nullable bool           `json:"nullable"`
		Metadata map[string]any `json:"metadata"`
	}
	out := make([]field, len(fields))
	for i, f := range fields {
		out[i] = field{f.Name, jsonOf(f.Type), true, map[string]any{}}
	}
	return map[string]any{"type": "struct", "fields": out}
}

func jsonOf(t Type) any {
	switch x := t.(type) {
	case Array:
		return map[string]any{"type": "array", "elementType": jsonOf(x.Elem), "containsNull": true}
	case Map:
		return map[string]any{"type": "map", "keyType": jsonOf(x.Key), "valueType": jsonOf(x.Value), "valueContainsNull": true}
	case Struct:
		return jsonOfStruct(x.Fields)
	case Char, Varchar:
		return "string"
	}
	switch t.Kind() {
	case KindByte:
		return "byte"
	case KindShort:
		return "short"
	case KindInt:
		return "integer"
	case KindLong:
		return "long"
	}
	return strings.ToLower(t.String())
}
