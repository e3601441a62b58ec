// Package tree is the structure that users' calls build: two sealed sets of immutable nodes, scalars and relations. It holds
// nothing but structure; building and checking is package expr's work, and passes are type switches elsewhere.
//
// A function never adds a kind: every function, operator and aggregate is a [Call] to a declaration of the catalogue.
package tree

import (
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Field is a column of a relation.
type Field struct {
	// Name may be any text.
	Name string
	// Type is never nil.
	Type datatype.Type
	// Nullable tells whether the column may be null.
	Nullable bool
	// Watermark is set on a column of event time: a time stamp under a watermark, or a window of one.
	Watermark *EventTime
}

// EventTime marks a column that a watermark was set on.
type EventTime struct {
	// Delay is how long rows may be late. Months count 31 days, as in Spark.
	Delay time.Duration
}

// Schema is the ordered columns of a relation. It is immutable.
type Schema struct {
	fields []Field
	byName map[string][]int
}

// NewSchema makes a schema of fields, which the caller must not change afterwards.
func NewSchema(fields []Field) *Schema {
	s := &Schema{fields: fields, byName: make(map[string][]int, len(fields))}
	for i, f := range fields {
		k := datatype.FoldName(f.Name)
		s.byName[k] = append(s.byName[k], i)
	}
	return s
}

// SchemaOf makes a schema of plain fields, without event time.
func SchemaOf(fields []datatype.Field) *Schema {
	out := make([]Field, len(fields))
	for i, f := range fields {
		out[i] = Field{Name: f.Name, Type: f.Type, Nullable: f.Nullable}
	}
	return NewSchema(out)
}

// Len is the number of columns.
func (s *Schema) Len() int {
	if s == nil {
		return 0
	}
	return len(s.fields)
}

// Field gives column i, or the zero Field where there is no such column.
func (s *Schema) Field(i int) Field {
	if i < 0 || i >= s.Len() {
		return Field{}
	}
	return s.fields[i]
}

// Fields gives the columns in order; the caller must not change them.
func (s *Schema) Fields() []Field {
	if s == nil {
		return nil
	}
	return s.fields
}

// Lookup finds the columns of a name without regard to letter case, as Spark does by default.
func (s *Schema) Lookup(name string) []int {
	if s == nil {
		return nil
	}
	return s.byName[datatype.FoldName(name)]
}

// Names gives the column names in order.
func (s *Schema) Names() []string {
	out := make([]string, s.Len())
	for i, f := range s.Fields() {
		out[i] = f.Name
	}
	return out
}

// Types gives the columns without their event-time marks.
func (s *Schema) Types() []datatype.Field {
	out := make([]datatype.Field, s.Len())
	for i, f := range s.Fields() {
		out[i] = datatype.Field{Name: f.Name, Type: f.Type, Nullable: f.Nullable}
	}
	return out
}

// String gives a line per column: name, type, NOT NULL, and the watermark.
func (s *Schema) String() string {
	var b strings.Builder
	for _, f := range s.Fields() {
		b.WriteString(datatype.QuoteName(f.Name) + " " + f.Type.String())
		if !f.Nullable {
			b.WriteString(" NOT NULL")
		}
		if f.Watermark != nil {
			b.WriteString(" WATERMARK " + f.Watermark.Delay.String())
		}
		b.WriteString("\n")
	}
	return b.String()
}
