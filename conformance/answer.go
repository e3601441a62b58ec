// Package conformance holds the cases that every way of running an expression must answer alike: the local engine in batch, the local engine as
// a stream with its input cut into epochs, and Spark. Spark's answers are recorded in testdata with their version; go test compares the local
// engine with the recording, and with the build tag conformance a live Spark too. The flag -record writes the recording anew from the live one.
package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Answer is what a backend says to a case: rows with their schema, or the condition of its error.
type Answer struct {
	// Schema is a line per column: name, type with the nullability of what is inside, NOT NULL.
	Schema []string `json:"schema,omitempty"`
	// Rows are the cells as Spark casts them to a string; null is null.
	Rows [][]*string `json:"rows,omitempty"`
	// Error is the condition of the error.
	Error string `json:"error,omitempty"`
}

// Ask runs a table on a session as a batch. Rows are sorted unless the case has an order. An error of the query is an answer; err is a failure to ask.
func Ask(ctx context.Context, s backend.Session, t expr.Table, ordered bool) (Answer, error) {
	a, err := collect(ctx, s, t)
	if err != nil {
		return failure(err)
	}
	if !ordered {
		slices.SortFunc(a.Rows, compareRows)
	}
	return a, nil
}

func failure(err error) (Answer, error) {
	var e *condition.Error
	if errors.As(err, &e) && e.Condition != "" && e.Condition != condition.ConnectorFailed {
		return Answer{Error: e.Condition}, nil
	}
	return Answer{}, err
}

func collect(ctx context.Context, s backend.Session, t expr.Table) (Answer, error) {
	res, err := s.Batches(ctx, t)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Schema: schemaLines(res.Fields)}
	for batch, err := range res.Batches {
		if err != nil {
			return Answer{}, err
		}
		for i := range int(batch.NumRows()) {
			row := make([]*string, len(res.Fields))
			for j, f := range res.Fields {
				if c := batch.Column(j); !backend.IsNull(c, i) {
					// A binary that was cast to a text may not be UTF-8, which no recording in JSON could hold.
					text := strings.ToValidUTF8(backend.Format(c, i, f.Type, time.UTC), "\ufffd")
					row[j] = &text
				}
			}
			a.Rows = append(a.Rows, row)
		}
	}
	return a, nil
}

func schemaLines(fields []datatype.Field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = datatype.QuoteName(f.Name) + " " + typeText(f.Type)
		if !f.Nullable {
			out[i] += " NOT NULL"
		}
	}
	return out
}

// typeText is the type's DDL with the nullability of elements and values, which DDL leaves out.
func typeText(t datatype.Type) string {
	null := func(may bool) string {
		if may {
			return ""
		}
		return " NOT NULL"
	}
	switch x := t.(type) {
	case datatype.Array:
		return "ARRAY<" + typeText(x.Elem) + null(x.ContainsNull) + ">"
	case datatype.Map:
		return "MAP<" + typeText(x.Key) + ", " + typeText(x.Value) + null(x.ValueContainsNull) + ">"
	case datatype.Struct:
		parts := make([]string, len(x.Fields))
		for i, f := range x.Fields {
			parts[i] = datatype.QuoteName(f.Name) + ": " + typeText(f.Type) + null(f.Nullable)
		}
		return "STRUCT<" + strings.Join(parts, ", ") + ">"
	}
	return t.String()
}

func compareRows(a, b []*string) int {
	for i := range a {
		switch {
		case a[i] == nil && b[i] == nil:
		case a[i] == nil:
			return -1
		case b[i] == nil:
			return 1
		default:
			if c := strings.Compare(*a[i], *b[i]); c != 0 {
				return c
			}
		}
	}
	return 0
}

// withoutNullability takes NOT NULL out of the schema, for comparisons where it is not the same on purpose.
func (a Answer) withoutNullability() Answer {
	out := make([]string, len(a.Schema))
	for i, l := range a.Schema {
		out[i] = strings.ReplaceAll(l, " NOT NULL", "")
	}
	a.Schema = out
	return a
}

// near tells whether two answers are equal but for the last digits of numbers, as they are where the order of the rows shows in sums of doubles.
func (a Answer) near(b Answer) bool {
	if a.Error != b.Error || !slices.Equal(a.Schema, b.Schema) || len(a.Rows) != len(b.Rows) {
		return false
	}
	for i, row := range a.Rows {
		for j, x := range row {
			y := b.Rows[i][j]
			if x == nil || y == nil {
				if x != y {
					return false
				}
				continue
			}
			if *x == *y {
				continue
			}
			p, err1 := strconv.ParseFloat(*x, 64)
			q, err2 := strconv.ParseFloat(*y, 64)
			if err1 != nil || err2 != nil || !(math.Abs(p-q) <= 1e-12*max(math.Abs(p), math.Abs(q), 1)) {
				return false
			}
		}
	}
	return true
}

// String prints an answer for the messages of failed tests.
func (a Answer) String() string {
	if a.Error != "" {
		return "error " + a.Error + "\n"
	}
	var b strings.Builder
	b.WriteString(strings.Join(a.Schema, "\n") + "\n")
	for _, r := range a.Rows {
		for j, c := range r {
			if j > 0 {
				b.WriteString(" | ")
			}
			if c == nil {
				b.WriteString("NULL")
			} else {
				fmt.Fprintf(&b, "%q", *c)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Recording is the answers of one file, by case, with the Spark version that gave them.
type Recording struct {
	Spark   string            `json:"spark"`
	Answers map[string]Answer `json:"answers"`
	// Others are the answers of other versions, by version and case, where they differ.
	Others map[string]map[string]Answer `json:"others,omitempty"`
}

// Of gives the answer that a version of Spark is known to give.
func (r Recording) Of(version, name string) (Answer, bool) {
	if a, ok := r.Others[version][name]; ok {
		return a, true
	}
	a, ok := r.Answers[name]
	return a, ok
}

// record puts the answers of a version in the place of what was recorded of it: the whole recording's, or another version's differences.
func (r Recording) record(version string, answers map[string]Answer) Recording {
	if r.Spark == "" || r.Spark == version {
		r.Spark, r.Answers = version, answers
		return r
	}
	differ := map[string]Answer{}
	for name, a := range answers {
		if a.String() != r.Answers[name].String() {
			differ[name] = a
		}
	}
	if r.Others == nil {
		r.Others = map[string]map[string]Answer{}
	}
	delete(r.Others, version)
	if len(differ) > 0 {
		r.Others[version] = differ
	}
	return r
}

// load reads a recording; one that does not exist is empty.
func load(name string) (Recording, error) {
	r := Recording{Answers: map[string]Answer{}}
	text, err := os.ReadFile(recordingPath(name))
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(text, &r)
}

func recordingPath(name string) string { return filepath.Join("testdata", "spark", name+".json") }

// save writes a recording, a cell row a line so that differences can be read.
func (r Recording) save(name string) error {
	var b strings.Builder
	quote := func(v any) string {
		t, err := json.Marshal(v)
		if err != nil {
			return "null"
		}
		return string(t)
	}
	b.WriteString("{\n  \"spark\": " + quote(r.Spark) + ",\n  \"answers\": {")
	writeAnswers(&b, r.Answers, quote)
	b.WriteString("\n  }")
	if len(r.Others) > 0 {
		b.WriteString(",\n  \"others\": {")
		for i, v := range slices.Sorted(maps.Keys(r.Others)) {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString("\n  " + quote(v) + ": {")
			writeAnswers(&b, r.Others[v], quote)
			b.WriteString("\n  }")
		}
		b.WriteString("\n  }")
	}
	b.WriteString("\n}\n")
	path := recordingPath(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

func writeAnswers(b *strings.Builder, answers map[string]Answer, quote func(any) string) {
	for i, n := range slices.Sorted(maps.Keys(answers)) {
		a := answers[n]
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n    " + quote(n) + ": {")
		if a.Error != "" {
			b.WriteString("\"error\": " + quote(a.Error) + "}")
			continue
		}
		b.WriteString("\"schema\": " + quote(a.Schema))
		if len(a.Rows) > 0 {
			b.WriteString(", \"rows\": [")
			for k, row := range a.Rows {
				if k > 0 {
					b.WriteString(",")
				}
				b.WriteString("\n      " + quote(row))
			}
			b.WriteString("\n    ]")
		}
		b.WriteString("}")
	}
}
