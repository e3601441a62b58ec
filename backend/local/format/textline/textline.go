// Package textline reads and writes lines of text as Spark's text source does: one column of text, a row for each line.
package textline

import (
	"bytes"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/backend/local/format/column"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Check holds columns against what a text file has: one of type STRING. Source: Spark's TextFileFormat.verifySchema.
func Check(fields []datatype.Field) error {
	if len(fields) != 1 {
		e := condition.Newf(condition.UnsupportedDataType, "Text data source supports only a single column, and you have %d columns.", len(fields))
		e.Hint = "Select one column of text, or make one with concat_ws or to_json; partition columns do not count."
		return e
	}
	if !datatype.IsString(fields[0].Type) {
		e := condition.Newf(condition.UnsupportedDataType, "The Text datasource doesn't support the column %s of the type %s.", datatype.QuoteName(fields[0].Name), fields[0].Type)
		e.Hint = "Cast it to STRING."
		return e
	}
	return nil
}

// Decoder reads lines into record batches. It is for one goroutine.
type Decoder struct {
	schema *arrow.Schema
	col    *column.Column
	sep    []byte
	rows   int
	// blind is set when the query does not read the column, only how many lines there are.
	blind bool
}

// NewDecoder makes a decoder of lines that end in sep, or in \n, \r\n or \r where sep is "". need are the ordinals of the fields that the query reads, nil for all.
func NewDecoder(fields []datatype.Field, sep string, need []int) (*Decoder, error) {
	if err := Check(fields); err != nil {
		return nil, err
	}
	schema, err := arrowtype.Schema(fields)
	if err != nil {
		return nil, err
	}
	c, err := column.New(fields[0].Type)
	return &Decoder{schema: schema, col: c, sep: []byte(sep), blind: need != nil && len(need) == 0}, err
}

// Lines reads whole lines; the last may lack its end. Bytes that are no UTF-8 stay as they are.
func (d *Decoder) Lines(data []byte) error {
	for len(data) > 0 {
		line, rest := d.cut(data)
		data = rest
		if d.rows++; !d.blind {
			d.col.AppendBytes(line)
		}
	}
	return nil
}

func (d *Decoder) cut(data []byte) (line, rest []byte) {
	if len(d.sep) > 0 {
		line, rest, _ = bytes.Cut(data, d.sep)
		return line, rest
	}
	i := bytes.IndexByte(data, '\n')
	if j := bytes.IndexByte(data[:max(i, 0)], '\r'); j >= 0 && i >= 0 {
		i = j
	} else if i < 0 {
		if i = bytes.IndexByte(data, '\r'); i < 0 {
			return data, nil
		}
	}
	line, rest = data[:i], data[i+1:]
	if data[i] == '\r' && len(rest) > 0 && rest[0] == '\n' {
		rest = rest[1:]
	}
	return line, rest
}

// Rows is the number of lines since the last batch.
func (d *Decoder) Rows() int { return d.rows }

// Batch gives the lines so far and begins anew. The caller releases it.
func (d *Decoder) Batch() (arrow.RecordBatch, error) {
	if d.blind {
		d.col.AppendNulls(d.rows)
	}
	n := d.rows
	d.rows = 0
	a, err := d.col.Finish()
	if err != nil {
		return nil, err
	}
	return array.NewRecordBatch(d.schema, []arrow.Array{a}, int64(n)), nil
}

// Whole makes the one row of a file that is read as a whole.
func Whole(fields []datatype.Field, content []byte) (arrow.RecordBatch, error) {
	d, err := NewDecoder(fields, "", nil)
	if err != nil {
		return nil, err
	}
	if len(content) > math.MaxInt32 {
		return nil, condition.Newf(condition.FailedReadFile, "A file of %d bytes does not fit into one value, whose limit is 2 GiB.", len(content))
	}
	d.rows = 1
	d.col.AppendBytes(content)
	return d.Batch()
}

// Rows gives a function that appends row i and the end of its line; a null is an empty line.
func Rows(cols []arrow.Array, sep string) (func(dst []byte, i int) []byte, error) {
	a, ok := cols[0].(*array.String)
	if !ok {
		return nil, condition.Newf(condition.UnsupportedDataType, "Text holds a column of STRING, not %s.", cols[0].DataType())
	}
	return func(dst []byte, i int) []byte {
		if !a.IsNull(i) {
			dst = append(dst, a.Value(i)...)
		}
		return append(dst, sep...)
	}, nil
}
