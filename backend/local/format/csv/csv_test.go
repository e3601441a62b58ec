package csv

import (
	stdjson "encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/spoonbill-go/spoonbill/backend/local/format/internal/plain"
	"github.com/spoonbill-go/spoonbill/backend/local/format/json"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type recorded struct {
	Kind, Schema, Text, Zone string
	Input, Select            []string
	Options                  map[string]string
	Results                  struct {
		Rows  stdjson.RawMessage
		Error string
	}
}

func load(t *testing.T) []recorded {
	t.Helper()
	files, err := filepath.Glob("testdata/spark-*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var all []recorded
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		var cases []recorded
		require.NoError(t, stdjson.Unmarshal(text, &cases))
		all = append(all, cases...)
	}
	return all
}

func (r recorded) parse() (Options, error) {
	var o tree.Options
	for k, v := range r.Options {
		o = o.With(tree.Option{Key: k, Value: v})
	}
	zone, err := json.Location(r.Zone)
	if err != nil {
		return Options{}, err
	}
	return ParseOptions(o, zone)
}

// refused are options that the local engine does not have; the description says so before a query starts.
var refused = map[string]bool{"STOP_AT_CLOSING_QUOTE": true, "BACK_TO_DELIMITER": true}

func TestRecordedRead(t *testing.T) {
	compared := 0
	for n, c := range load(t) {
		if c.Kind != "read" {
			continue
		}
		name := fmt.Sprintf("case %d: %s %v", n, c.Schema, c.Options)
		fields, err := datatype.ParseFields(c.Schema)
		require.NoError(t, err)
		for i := range fields {
			fields[i].Nullable = true
		}
		opts, err := c.parse()
		if refused[c.Options["unescapedQuoteHandling"]] {
			require.Equal(t, condition.InvalidOption, condition.Of(err))
			continue
		}
		require.NoError(t, err, name)
		var need []int
		for _, s := range c.Select {
			for i, f := range fields {
				if f.Name == s {
					need = append(need, i)
				}
			}
		}
		compared++
		d, err := NewDecoder(fields, opts, need)
		if err != nil {
			require.Equal(t, c.Results.Error, condition.Of(err), name)
			continue
		}
		data, err := d.SkipHeader([]byte(strings.TrimPrefix(c.Text, "\ufeff")))
		if err == nil {
			err = d.Lines(data)
		}
		if c.Results.Error != "" {
			require.Equal(t, "FAILED_READ_FILE.NO_HINT", c.Results.Error, name)
			require.Error(t, err, name)
			continue
		}
		require.NoError(t, err, name)
		rec, err := d.Batch()
		require.NoError(t, err)
		got := []any{}
		for i := range int(rec.NumRows()) {
			row := []any{}
			if c.Select == nil {
				for _, col := range rec.Columns() {
					row = append(row, plain.Of(col, i))
				}
			}
			for _, s := range c.Select {
				row = append(row, plain.Of(rec.Column(rec.Schema().FieldIndices(s)[0]), i))
			}
			got = append(got, row)
		}
		var want []any
		require.NoError(t, stdjson.Unmarshal(c.Results.Rows, &want))
		require.Equal(t, want, got, name)
	}
	require.Greater(t, compared, 60)
}

func TestRecordedWrite(t *testing.T) {
	compared := 0
	for n, c := range load(t) {
		if c.Kind != "write" {
			continue
		}
		name := fmt.Sprintf("case %d: %s %v", n, c.Schema, c.Options)
		fields, err := datatype.ParseFields(c.Schema)
		require.NoError(t, err)
		opts, err := c.parse()
		require.NoError(t, err, name)
		b := array.NewStringBuilder(memory.DefaultAllocator)
		b.AppendValues(c.Input, nil)
		v, err := json.DecodeColumn(b.NewArray(), datatype.Struct{Fields: fields}, json.Options{Zone: opts.Zone, NonNumeric: true}, nil)
		require.NoError(t, err)
		s := v.(*array.Struct)
		var cols []arrow.Array
		for i := range s.NumField() {
			cols = append(cols, s.Field(i))
		}
		e, err := NewEncoder(fields, opts)
		require.NoError(t, err, name)
		out := e.Header(nil)
		row, err := e.Rows(cols)
		require.NoError(t, err)
		for i := range s.Len() {
			out = row(out, i)
		}
		var want string
		require.NoError(t, stdjson.Unmarshal(c.Results.Rows, &want), name)
		require.Equal(t, want, string(out), name)
		compared++
	}
	require.Greater(t, compared, 20)
}
