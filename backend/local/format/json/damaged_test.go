package json

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/format"
	"github.com/spoonbill-go/spoonbill/backend/local/format/internal/plain"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// rowsOf reads lines in a mode and shows the rows.
func rowsOf(t *testing.T, ddl string, mode format.Mode, lines ...string) ([]string, error) {
	t.Helper()
	fields, err := datatype.ParseFields(ddl)
	require.NoError(t, err)
	d, err := NewDecoder(fields, Options{Mode: mode, NonNumeric: true, SingleQuotes: true, CorruptColumn: "bad"}, nil)
	require.NoError(t, err)
	if err := d.Lines([]byte(strings.Join(lines, "\n"))); err != nil {
		return nil, err
	}
	rec, err := d.Batch()
	require.NoError(t, err)
	var out []string
	for i := range int(rec.NumRows()) {
		var row []any
		for _, c := range rec.Columns() {
			row = append(row, plain.Of(c, i))
		}
		out = append(out, strings.TrimSpace(fmt.Sprintln(row...)))
	}
	return out, nil
}

// What is kept of a record that is broken below the root was asked of Spark 4.2; the conformance suite asks it of thousands.
func TestBrokenBelowTheRoot(t *testing.T) {
	const none = "<nil> <nil> <nil> <nil>"
	for line, want := range map[string]string{
		`{"a":5,"b":{"x":"k",}}`:           "5 <nil> <nil> <nil>",
		`{"a":5,"b":{"x":tru}}`:            "5 <nil> <nil> <nil>",
		`{"a":5,"b":{"x":"\q"}}`:           "5 <nil> <nil> <nil>",
		`{"a":5,"b":{"x":tru`:              "5 <nil> <nil> <nil>",
		`{"a":5,"b":{"x":{"z":tru}}}`:      "5 [<nil>] <nil> <nil>",
		`{"a":5,"m":{"k":tru}}`:            "5 <nil> <nil> <nil>",
		`{"a":5,"st":{"in":{"p":tru}}}`:    "5 <nil> <nil> [<nil>]",
		`{"a":5,"st":{"in":{"p":true,}}}`:  "5 <nil> <nil> [<nil>]",
		"{\"a\":5,\"b\":{\"x\":\"k\tk\"}}": none,
		`{"a":5,"b":{"x":"k"`:              none,
		`{"b":{"x":tru},"a":11}`:           none,
		`{"a":5,"b":{x:1}}`:                none,
		`{"a":5,"x":tru}`:                  none,
		"{\"a\":5,\"b\":{\"x\":\"\xff\"}}": "5 <nil> <nil> <nil>",
		"{\"a\":5,\"x\":\"\xff\"}":         none,
	} {
		const ddl = "a INT, b STRUCT<x: STRING>, m MAP<STRING, INT>, st STRUCT<in: STRUCT<p: BOOLEAN>>"
		rows, err := rowsOf(t, ddl, format.Permissive, `{}`, line, `{"a":1}`)
		require.NoError(t, err)
		require.Equal(t, []string{none, want, "1 <nil> <nil> <nil>"}, rows, line)
		rows, err = rowsOf(t, ddl+", bad STRING", format.Permissive, line, "{}")
		require.NoError(t, err)
		require.Equal(t, []string{want + " " + line, none + " <nil>"}, rows, line)
		rows, err = rowsOf(t, ddl, format.DropMalformed, line, "{}")
		require.NoError(t, err)
		require.Equal(t, []string{none}, rows, line)
		_, err = rowsOf(t, ddl, format.FailFast, "{}", line)
		require.Equal(t, condition.MalformedRecord, condition.Of(err), line)
	}
}

// A text has a bound as in Jackson, which a text that is not read has not.
func TestLongText(t *testing.T) {
	long := strings.Repeat("o", maxText)
	for line, want := range map[string]int{`{"a":"` + long + `"}`: maxText, `{"a":"o` + long + `"}`: 0, `{"o":"o` + long + `","a":"y"}`: 1} {
		fields, err := datatype.ParseFields("a STRING")
		require.NoError(t, err)
		d, err := NewDecoder(fields, Options{}, nil)
		require.NoError(t, err)
		require.NoError(t, d.Record([]byte(line)))
		rec, err := d.Batch()
		require.NoError(t, err)
		got := 0
		if c := rec.Column(0); !c.IsNull(0) {
			got = len(plain.Of(c, 0).(string))
		}
		require.Equal(t, want, got)
	}
}
