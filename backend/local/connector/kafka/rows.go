package kafka

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// columns are the columns of a description, which are some of Kafka's.
type columns struct {
	schema *arrow.Schema
	names  []string
}

// kinds are the types of Kafka's columns. Source: Spark's KafkaRecordToRowConverter.
var kinds = map[string]datatype.Kind{
	"key": datatype.KindBinary, "value": datatype.KindBinary, "topic": datatype.KindString, "partition": datatype.KindInt, "offset": datatype.KindLong,
	"timestamp": datatype.KindTimestamp, "timestampType": datatype.KindInt, "headers": datatype.KindArray,
}

func newColumns(fields []datatype.Field) (*columns, error) {
	c := &columns{}
	for _, f := range fields {
		if k, ok := kinds[f.Name]; !ok || k != f.Type.Kind() {
			return nil, condition.Newf(condition.InvalidValue, "A Kafka source has no column %s of type %s.", datatype.QuoteName(f.Name), f.Type)
		}
		c.names = append(c.names, f.Name)
	}
	var err error
	if c.schema, err = arrowtype.Schema(fields); err != nil {
		return nil, condition.Newf(condition.InvalidValue, "%v", err)
	}
	return c, nil
}

// batch gathers records for a record batch. Columns that nobody reads are left out until the end and are nulls then.
type batch struct {
	mem    memory.Allocator
	schema *arrow.Schema
	names  []string
	// builders are nil for columns that are not read.
	builders []array.Builder
	rows     int
	bytes    int
}

func newBatch(mem memory.Allocator, c *columns, p connector.Projection) *batch {
	b := &batch{mem: mem, schema: c.schema, names: c.names, builders: make([]array.Builder, len(c.names))}
	read := func(i int) { b.builders[i] = array.NewBuilder(mem, c.schema.Field(i).Type) }
	if p.Columns == nil {
		for i := range c.names {
			read(i)
		}
	}
	for _, i := range p.Columns {
		if i >= 0 && i < len(c.names) {
			read(i)
		}
	}
	return b
}

func (b *batch) release() {
	for _, x := range b.builders {
		if x != nil {
			x.Release()
		}
	}
}

func (b *batch) append(r *kgo.Record) {
	b.rows++
	for i, x := range b.builders {
		switch x := x.(type) {
		case *array.BinaryBuilder:
			v := r.Value
			if b.names[i] == "key" {
				v = r.Key
			}
			b.bytes += len(v)
			if v == nil {
				x.AppendNull()
			} else {
				x.Append(v)
			}
		case *array.StringBuilder:
			b.bytes += len(r.Topic)
			x.Append(r.Topic)
		case *array.Int32Builder:
			if b.names[i] == "partition" {
				x.Append(r.Partition)
			} else {
				x.Append(int32(r.Attrs.TimestampType()))
			}
		case *array.Int64Builder:
			x.Append(r.Offset)
		case *array.TimestampBuilder:
			x.Append(arrow.Timestamp(r.Timestamp.UnixMicro()))
		case *array.ListBuilder:
			b.headers(x, r)
		}
	}
}

// headers appends a record's headers; a record that has none has a null, as in Spark.
func (b *batch) headers(x *array.ListBuilder, r *kgo.Record) {
	if len(r.Headers) == 0 {
		x.AppendNull()
		return
	}
	entry, ok := x.ValueBuilder().(*array.StructBuilder)
	if !ok {
		x.AppendNull()
		return
	}
	key, isKey := entry.FieldBuilder(0).(*array.StringBuilder)
	value, isValue := entry.FieldBuilder(1).(*array.BinaryBuilder)
	if !isKey || !isValue {
		x.AppendNull()
		return
	}
	x.Append(true)
	for _, h := range r.Headers {
		b.bytes += len(h.Key) + len(h.Value)
		entry.Append(true)
		key.Append(h.Key)
		if h.Value == nil {
			value.AppendNull()
		} else {
			value.Append(h.Value)
		}
	}
}

// flush gives the rows so far, which the caller releases.
func (b *batch) flush() arrow.RecordBatch {
	cols := make([]arrow.Array, len(b.builders))
	for i, x := range b.builders {
		if x == nil {
			cols[i] = array.MakeArrayOfNull(b.mem, b.schema.Field(i).Type, b.rows)
		} else {
			cols[i] = x.NewArray()
		}
	}
	rec := array.NewRecordBatch(b.schema, cols, int64(b.rows))
	for _, c := range cols {
		c.Release()
	}
	b.rows, b.bytes = 0, 0
	return rec
}
