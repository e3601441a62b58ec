package backend

import (
	"bufio"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/absent"
)

// Batches is a result's rows as a stream. A batch is the stream's own and is released when the loop goes on; who keeps one retains it. The first error is
// the last element. Leaving the loop early ends the work behind it.
type Batches = iter.Seq2[arrow.RecordBatch, error]

// Result is a result's schema and its rows.
type Result struct {
	// Fields are the columns with nullability.
	Fields []datatype.Field
	// Batches are the rows; they can be read once.
	Batches Batches
}

// batches are the rows, none of a result that no session has made.
func (r Result) batches() Batches {
	if r.Batches == nil {
		return func(func(arrow.RecordBatch, error) bool) {}
	}
	return r.Batches
}

// ShowOptions are those of Spark's show. The zero value shows no row: see [DefaultShow].
type ShowOptions struct {
	// Rows is how many rows are shown at most.
	Rows int
	// Truncate is how many UTF-16 units of a cell are shown at most; a longer one ends in three dots. 0 shows all, and aligns to the left.
	Truncate int
	// Vertical prints a row as a block of lines "name | value".
	Vertical bool
	// Zone is the session's time zone, in which a TIMESTAMP is shown; nil is UTC.
	Zone *time.Location
}

// DefaultShow is what show() without arguments does: 20 rows, cells of 20 characters.
var DefaultShow = ShowOptions{Rows: 20, Truncate: 20}

// Show prints the first rows of a result as Spark's show does, byte for byte. It reads one row more than it prints, to tell whether
// there are more, and then leaves the stream.
//
// Source: Spark's Dataset.show, checked against a live Spark.
func Show(w io.Writer, r Result, o ShowOptions) error {
	if absent.Is(w) {
		return noWriter()
	}
	o.Rows, o.Truncate = max(o.Rows, 0), max(o.Truncate, 0)
	names := make([]string, len(r.Fields))
	for i, f := range r.Fields {
		names[i] = escapeControls(f.Name)
	}
	f := formatter{zone: o.Zone, null: NullText, hex: true}
	var rows [][]string
	more := false
	for batch, err := range r.batches() {
		if err != nil {
			return err
		}
		for i := range int(batch.NumRows()) {
			if len(rows) == o.Rows {
				more = true
				break
			}
			row := make([]string, len(names))
			for j := range row {
				text := string(f.value(nil, batch.Column(j), i, r.Fields[j].Type))
				row[j] = truncate(escapeControls(text), o.Truncate)
			}
			rows = append(rows, row)
		}
		if more {
			break
		}
	}
	out := bufio.NewWriter(w)
	if o.Vertical {
		showVertical(out, names, rows)
	} else {
		showTable(out, names, rows, o.Truncate > 0)
	}
	switch {
	case o.Vertical && len(rows) == 0:
		out.WriteString("(0 rows)\n")
	case more && o.Rows == 1:
		out.WriteString("only showing top 1 row")
	case more:
		out.WriteString("only showing top " + strconv.Itoa(o.Rows) + " rows")
	}
	out.WriteByte('\n')
	return out.Flush()
}

func noWriter() error { return condition.Newf(condition.InvalidValue, "The writer is nil.") }

// minWidth is the least width of a column.
const minWidth = 3

func showTable(w *bufio.Writer, names []string, rows [][]string, right bool) {
	widths := make([]int, len(names))
	for j := range names {
		widths[j] = max(minWidth, width(names[j]))
		for _, row := range rows {
			widths[j] = max(widths[j], width(row[j]))
		}
	}
	rule := "+"
	for _, n := range widths {
		rule += strings.Repeat("-", n) + "+"
	}
	line := func(cells []string) {
		w.WriteByte('|')
		for j, cell := range cells {
			pad := strings.Repeat(" ", widths[j]-width(cell))
			if right {
				w.WriteString(pad + cell)
			} else {
				w.WriteString(cell + pad)
			}
			w.WriteByte('|')
		}
		w.WriteByte('\n')
	}
	w.WriteString(rule + "\n")
	line(names)
	w.WriteString(rule + "\n")
	for _, row := range rows {
		line(row)
	}
	w.WriteString(rule + "\n")
}

func showVertical(w *bufio.Writer, names []string, rows [][]string) {
	nameWidth, cellWidth := minWidth, minWidth
	for _, n := range names {
		nameWidth = max(nameWidth, width(n))
	}
	for _, row := range rows {
		for _, cell := range row {
			cellWidth = max(cellWidth, width(cell))
		}
	}
	for i, row := range rows {
		head := "-RECORD " + strconv.Itoa(i)
		w.WriteString(head + strings.Repeat("-", max(0, nameWidth+cellWidth+5-len(head))) + "\n")
		for j, cell := range row {
			w.WriteString(" " + names[j] + strings.Repeat(" ", nameWidth-width(names[j])) + " | " + cell + strings.Repeat(" ", cellWidth-width(cell)) + " \n")
		}
	}
}

// units is the length of a text as Java counts it.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// width is the number of columns that Spark gives a text: one for each UTF-16 unit, two for a full-width one.
func width(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
		if fullWidth(r) {
			n++
		}
	}
	return n
}

// fullWidth tells whether Spark counts a character twice. Source: the ranges of Spark's Utils.stringHalfWidth; an emoji, which lies beyond
// them, counts twice by being two UTF-16 units.
func fullWidth(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r <= 0x115F, r >= 0x2E80 && r <= 0xA4CF, r >= 0xAC00 && r <= 0xD7A3, r >= 0xF900 && r <= 0xFAFF, r >= 0xFE10 && r <= 0xFE19,
		r >= 0xFE30 && r <= 0xFE6F, r >= 0xFF00 && r <= 0xFF60, r >= 0xFFE0 && r <= 0xFFE6:
		return true
	}
	return false
}

// truncate cuts a text to n UTF-16 units; from 4 units on the last three are dots.
func truncate(s string, n int) string {
	if n == 0 || units(s) <= n {
		return s
	}
	dots := ""
	if n >= 4 {
		n, dots = n-3, "..."
	}
	// Java cuts between the halves of a character beyond U+FFFF; Go prints such a half as U+FFFD, Java's encoder as a question mark.
	for at, r := range s {
		l := utf16.RuneLen(r)
		if l > n {
			half := ""
			if n == 1 {
				half = "?"
			}
			return s[:at] + half + dots
		}
		n -= l
		if n == 0 {
			return s[:at+len(string(r))] + dots
		}
	}
	return s + dots
}

var controls = strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`, "\f", `\f`, "\b", `\b`, "\v", `\v`, "\a", `\a`)

// escapeControls keeps a table's lines in place.
func escapeControls(s string) string { return controls.Replace(s) }

// PrintSchema prints a schema as Spark's printSchema does, byte for byte.
//
// Source: Spark's StructType.treeString, checked against a live Spark.
func PrintSchema(w io.Writer, fields []datatype.Field) error {
	if absent.Is(w) {
		return noWriter()
	}
	out := bufio.NewWriter(w)
	out.WriteString("root\n")
	for _, f := range fields {
		printField(out, " |", f)
	}
	return out.Flush()
}

func printField(w *bufio.Writer, prefix string, f datatype.Field) {
	w.WriteString(prefix + "-- " + escapeControls(f.Name) + ": " + typeName(f.Type) + " (nullable = " + strconv.FormatBool(f.Nullable) + ")\n")
	printInner(w, prefix+"    |", f.Type)
}

func printInner(w *bufio.Writer, prefix string, t datatype.Type) {
	switch x := t.(type) {
	case datatype.Array:
		w.WriteString(prefix + "-- element: " + typeName(x.Elem) + " (containsNull = " + strconv.FormatBool(x.ContainsNull) + ")\n")
		printInner(w, prefix+"    |", x.Elem)
	case datatype.Map:
		w.WriteString(prefix + "-- key: " + typeName(x.Key) + "\n")
		printInner(w, prefix+"    |", x.Key)
		w.WriteString(prefix + "-- value: " + typeName(x.Value) + " (valueContainsNull = " + strconv.FormatBool(x.ValueContainsNull) + ")\n")
		printInner(w, prefix+"    |", x.Value)
	case datatype.Struct:
		for _, f := range x.Fields {
			printField(w, prefix, f)
		}
	}
}

// typeName gives Spark's name of a type in a tree: those of its JSON schema, not of its DDL.
func typeName(t datatype.Type) string {
	switch t.Kind() {
	case datatype.KindByte:
		return "byte"
	case datatype.KindShort:
		return "short"
	case datatype.KindInt:
		return "integer"
	case datatype.KindLong:
		return "long"
	case datatype.KindArray:
		return "array"
	case datatype.KindMap:
		return "map"
	case datatype.KindStruct:
		return "struct"
	}
	return strings.ToLower(t.String())
}
