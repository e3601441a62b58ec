// Package avro reads and writes Avro's object container files as Spark's avro source does: columns by name, wider types where Spark
// widens, nulls for columns that a file does not have, and files whose schemas have Spark's names.
//
// Values are decoded from the bytes straight into columns, and what a query does not read is stepped over; a library that decodes into Go
// values would make each of them twice. Only that part is here which container files need: a schema is data, never code.
//
// Sources: the Avro specification 1.12; Spark's SchemaConverters and AvroDeserializer, whose answers were tried on a live Spark.
package avro

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// kind is one of Avro's types.
type kind uint8

const (
	null kind = iota
	boolean
	integer
	long
	float
	double
	bytesKind
	text
	fixed
	enum
	arrayKind
	mapKind
	union
	record
)

var primitives = map[string]kind{"null": null, "boolean": boolean, "int": integer, "long": long, "float": float, "double": double, "bytes": bytesKind, "string": text}

var kindNames = [...]string{"null", "boolean", "int", "long", "float", "double", "bytes", "string", "fixed", "enum", "array", "map", "union", "record"}

// Schema is a parsed schema of a file. One that refers to itself is a circle of pointers.
type Schema struct {
	kind kind
	// name is the full name of a record, enum or fixed.
	name    string
	fields  []schemaField
	symbols []string
	size    int
	// items are the elements of an array or the values of a map.
	items    *Schema
	branches []*Schema
	// logical is the logical type where the specification has it for this kind, "" else: a reader ignores one that does not fit.
	logical          string
	precision, scale int
	// interval is the interval type of Spark's in which it stores an int or long; nil for none.
	interval datatype.Type
}

type schemaField struct {
	name   string
	schema *Schema
}

// String names the type for messages.
func (s *Schema) String() string {
	switch {
	case s.kind == union:
		names := make([]string, len(s.branches))
		for i, b := range s.branches {
			names[i] = b.String()
		}
		return "[" + strings.Join(names, ", ") + "]"
	case s.logical != "":
		return kindNames[s.kind] + " (" + s.logical + ")"
	case s.name != "":
		return kindNames[s.kind] + " " + s.name
	}
	return kindNames[s.kind]
}

// The bounds of a schema. No real one comes near; a hostile one would end the process, for a stack cannot overflow into an error.
const (
	maxDepth = 500
	maxTypes = 200_000
)

// catalystType is the property in which Spark keeps the type of an interval.
const catalystType = "spark.sql.catalyst.type"

// ParseSchema reads the JSON of a schema.
func ParseSchema(src []byte) (*Schema, error) {
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("the schema is no JSON: %w", err)
	}
	p := parser{named: map[string]*Schema{}}
	return p.parse(v, "", 0)
}

type parser struct {
	named map[string]*Schema
	types int
}

func (p *parser) parse(v any, space string, depth int) (*Schema, error) {
	if p.types++; depth > maxDepth || p.types > maxTypes {
		return nil, fmt.Errorf("the schema is nested more than %d deep, or has more than %d types", maxDepth, maxTypes)
	}
	switch x := v.(type) {
	case string:
		if k, ok := primitives[x]; ok {
			return &Schema{kind: k}, nil
		}
		if s, ok := p.named[fullName(x, space)]; ok {
			return s, nil
		}
		if s, ok := p.named[x]; ok {
			return s, nil
		}
		return nil, fmt.Errorf("the schema uses the type %q and does not say what it is", x)
	case []any:
		s := &Schema{kind: union}
		for _, b := range x {
			c, err := p.parse(b, space, depth+1)
			if err != nil {
				return nil, err
			}
			if c.kind == union {
				return nil, fmt.Errorf("the schema has a union directly in a union")
			}
			s.branches = append(s.branches, c)
		}
		return s, nil
	case map[string]any:
		return p.object(x, space, depth)
	}
	return nil, fmt.Errorf("the schema has %T where a type must be", v)
}

func (p *parser) object(x map[string]any, space string, depth int) (*Schema, error) {
	word, ok := x["type"].(string)
	if !ok {
		if inner, has := x["type"]; has {
			return p.parse(inner, space, depth+1) // {"type": {"type": "int"}}
		}
		return nil, fmt.Errorf("the schema has an object without a type")
	}
	switch word {
	case "record", "error":
		s := &Schema{kind: record}
		space, err := p.define(s, x, space)
		if err != nil {
			return nil, err
		}
		list, ok := x["fields"].([]any)
		if !ok {
			return nil, fmt.Errorf("the record %s has no fields", s.name)
		}
		seen := map[string]bool{}
		for _, f := range list {
			m, _ := f.(map[string]any)
			name, _ := m["name"].(string)
			if name == "" || seen[name] {
				return nil, fmt.Errorf("the record %s has a field without a name, or %q twice", s.name, name)
			}
			seen[name] = true
			t, err := p.parse(m["type"], space, depth+1)
			if err != nil {
				return nil, fmt.Errorf("field %s: %w", name, err)
			}
			s.fields = append(s.fields, schemaField{name, t})
		}
		return s, nil
	case "enum":
		s := &Schema{kind: enum}
		if _, err := p.define(s, x, space); err != nil {
			return nil, err
		}
		list, _ := x["symbols"].([]any)
		for _, v := range list {
			w, ok := v.(string)
			if !ok {
				return nil, fmt.Errorf("the enum %s has a symbol that is no string", s.name)
			}
			s.symbols = append(s.symbols, w)
		}
		return s, nil
	case "fixed":
		s := &Schema{kind: fixed}
		if _, err := p.define(s, x, space); err != nil {
			return nil, err
		}
		if s.size, ok = whole(x["size"]); !ok || s.size < 0 {
			return nil, fmt.Errorf("the fixed %s has no size", s.name)
		}
		s.annotate(x)
		return s, nil
	case "array", "map":
		s := &Schema{kind: arrayKind}
		inner := x["items"]
		if word == "map" {
			s.kind, inner = mapKind, x["values"]
		}
		var err error
		s.items, err = p.parse(inner, space, depth+1)
		return s, err
	}
	s, err := p.parse(word, space, depth+1)
	if err != nil || s.name != "" {
		return s, err
	}
	s.annotate(x)
	return s, nil
}

// define gives a named type its name and makes it known; it gives the namespace of what is inside.
func (p *parser) define(s *Schema, x map[string]any, space string) (string, error) {
	name, _ := x["name"].(string)
	if name == "" {
		return "", fmt.Errorf("the schema has a %s without a name", kindNames[s.kind])
	}
	if own, ok := x["namespace"].(string); ok {
		space = own
	}
	s.name = fullName(name, space)
	if p.named[s.name] != nil {
		return "", fmt.Errorf("the schema defines %s twice", s.name)
	}
	p.named[s.name] = s
	if i := strings.LastIndexByte(s.name, '.'); i >= 0 {
		return s.name[:i], nil
	}
	return "", nil
}

func fullName(name, space string) string {
	if space == "" || strings.Contains(name, ".") {
		return name
	}
	return space + "." + name
}

func whole(v any) (int, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	i, err := n.Int64()
	return int(i), err == nil && i <= 1<<31-1 && i >= -1<<31
}

// annotate takes a logical type that fits, and Spark's note of an interval.
func (s *Schema) annotate(x map[string]any) {
	if name, ok := x[catalystType].(string); ok && (s.kind == integer || s.kind == long) {
		if t, err := datatype.Parse(name); err == nil && (s.kind == integer && t.Kind() == datatype.KindYearMonth || s.kind == long && t.Kind() == datatype.KindDayTime) {
			s.interval = t
		}
	}
	word, _ := x["logicalType"].(string)
	switch {
	case s.kind == integer && (word == "date" || word == "time-millis"),
		s.kind == long && (strings.HasPrefix(word, "timestamp-") || strings.HasPrefix(word, "local-timestamp-") || word == "time-micros"),
		s.kind == text && word == "uuid":
		s.logical = word
	case word == "decimal" && (s.kind == bytesKind || s.kind == fixed):
		p, ok := whole(x["precision"])
		scale := 0
		if v, has := x["scale"]; has {
			var good bool
			scale, good = whole(v)
			ok = ok && good
		}
		if ok && p > 0 && scale >= 0 && scale <= p {
			s.logical, s.precision, s.scale = word, p, scale
		}
	}
}

// Fields gives the columns that Spark takes from a file of this schema. Source: Spark's SchemaConverters.toSqlType.
func (s *Schema) Fields() ([]datatype.Field, error) {
	if s.kind != record {
		return nil, fmt.Errorf("the file holds values of type %s and no records", s)
	}
	t, _, err := s.spark(map[*Schema]bool{})
	if err != nil {
		return nil, err
	}
	return t.(datatype.Struct).Fields, nil
}

// spark gives the type of a schema's values and whether they may be null.
func (s *Schema) spark(above map[*Schema]bool) (datatype.Type, bool, error) {
	if s.interval != nil {
		return s.interval, false, nil
	}
	switch s.kind {
	case null:
		return datatype.Null, true, nil
	case boolean:
		return datatype.Boolean, false, nil
	case integer:
		if s.logical == "date" {
			return datatype.Date, false, nil
		}
		return datatype.Int, false, nil
	case long:
		switch s.logical {
		case "timestamp-millis", "timestamp-micros":
			return datatype.Timestamp, false, nil
		case "local-timestamp-millis", "local-timestamp-micros":
			return datatype.TimestampNTZ, false, nil
		case "time-micros":
			return datatype.Time{Precision: 6}, false, nil
		}
		return datatype.Long, false, nil
	case float:
		return datatype.Float, false, nil
	case double:
		return datatype.Double, false, nil
	case text, enum:
		return datatype.String, false, nil
	case bytesKind, fixed:
		if s.logical == "decimal" {
			if s.precision > datatype.MaxPrecision {
				return nil, false, fmt.Errorf("a decimal of %d digits", s.precision)
			}
			return datatype.Decimal{Precision: s.precision, Scale: s.scale}, false, nil
		}
		return datatype.Binary, false, nil
	case arrayKind:
		t, n, err := s.items.spark(above)
		return datatype.Array{Elem: t, ContainsNull: n}, false, err
	case mapKind:
		t, n, err := s.items.spark(above)
		return datatype.Map{Key: datatype.String, Value: t, ValueContainsNull: n}, false, err
	case union:
		branches, nullable := s.values()
		switch t := numbers(branches); {
		case len(branches) == 0:
			return datatype.Null, true, nil
		case len(branches) == 1:
			t, _, err := branches[0].spark(above)
			return t, nullable, err
		case t != nil:
			return t, nullable, nil
		}
		fields := make([]datatype.Field, len(branches))
		for i, b := range branches {
			t, _, err := b.spark(above)
			if err != nil {
				return nil, false, err
			}
			// All fields are nullable, for only one of them is there at a time.
			fields[i] = datatype.Field{Name: fmt.Sprintf("member%d", i), Type: t, Nullable: true}
		}
		return datatype.Struct{Fields: fields}, nullable, nil
	case record:
		if above[s] {
			return nil, false, fmt.Errorf("the record %s holds itself, which no Spark type does", s.name)
		}
		above[s] = true
		defer delete(above, s)
		fields := make([]datatype.Field, len(s.fields))
		for i, f := range s.fields {
			t, n, err := f.schema.spark(above)
			if err != nil {
				return nil, false, fmt.Errorf("field %s: %w", f.name, err)
			}
			fields[i] = datatype.Field{Name: f.name, Type: t, Nullable: n}
		}
		return datatype.Struct{Fields: fields}, false, nil
	}
	return nil, false, fmt.Errorf("values of type %s", s)
}

// values are the branches of a union without null, and whether null is among them.
func (s *Schema) values() (branches []*Schema, nullable bool) {
	for _, b := range s.branches {
		if b.kind == null {
			nullable = true
		} else {
			branches = append(branches, b)
		}
	}
	return branches, nullable
}

// numbers is the type of a union of int and long or of float and double, which Spark reads as the wider one; nil for others.
func numbers(branches []*Schema) datatype.Type {
	if len(branches) != 2 {
		return nil
	}
	switch a, b := branches[0].kind, branches[1].kind; {
	case a == integer && b == long, a == long && b == integer:
		return datatype.Long
	case a == float && b == double, a == double && b == float:
		return datatype.Double
	}
	return nil
}

// validName tells whether Avro takes a name of a column: letters, digits and underscores, and no digit first.
func validName(name string) bool {
	for i, r := range name {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return name != ""
}
