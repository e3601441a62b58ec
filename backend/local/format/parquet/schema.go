package parquet

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	pq "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Schema reads the columns from a file's footer: those that Spark wrote there where it was the writer, else those of Parquet's own types. Every column is nullable.
//
// Source: Spark's ParquetFileFormat.readSchemaFromFooter and ParquetToSparkSchemaConverter.
func Schema(r io.ReaderAt, size int64) (fields []datatype.Field, err error) {
	defer recovered(&err)
	meta, err := footer(r, size)
	if err != nil {
		return nil, err
	}
	md := meta.MetaData()
	if text := md.KeyValueMetadata().FindValue("org.apache.spark.sql.parquet.row.metadata"); text != nil {
		if t, err := parseSparkType(json.RawMessage(*text)); err == nil {
			if s, ok := t.(datatype.Struct); ok {
				return nullable(s.Fields), nil
			}
		}
		// As in Spark, a schema that cannot be read is passed over.
	}
	arrowSchema, err := pqarrow.FromParquet(md.Schema, &pqarrow.ArrowReadProperties{}, nil)
	if err != nil {
		return nil, err
	}
	in := arrowSchema.Fields()
	for i := range in {
		in[i].Type = microseconds(in[i].Type, md.Schema.Root().Field(i))
	}
	if fields, err = arrowtype.ToFields(in); err != nil {
		return nil, err
	}
	return nullable(fields), nil
}

func nullable(fields []datatype.Field) []datatype.Field {
	out := make([]datatype.Field, len(fields))
	for i, f := range fields {
		out[i] = datatype.Field{Name: f.Name, Type: datatype.AsNullable(f.Type), Nullable: true}
	}
	return out
}

// microseconds gives 96-bit time stamps the zone that Spark reads them in.
func microseconds(t arrow.DataType, n schema.Node) arrow.DataType {
	if p, ok := n.(*schema.PrimitiveNode); ok && p.PhysicalType() == pq.Types.Int96 {
		return arrow.FixedWidthTypes.Timestamp_us
	}
	return t
}

// parseSparkType reads the JSON of a Spark type, the inverse of sparkType.
func parseSparkType(text json.RawMessage) (datatype.Type, error) {
	var name string
	if json.Unmarshal(text, &name) == nil {
		switch name {
		case "integer":
			return datatype.Int, nil
		case "long":
			return datatype.Long, nil
		case "short":
			return datatype.Short, nil
		case "byte":
			return datatype.Byte, nil
		case "void", "null":
			return datatype.Null, nil
		}
		return datatype.Parse(strings.ToUpper(name))
	}
	var x struct {
		Type                            string
		ElementType, KeyType, ValueType json.RawMessage
		ContainsNull, ValueContainsNull bool
		Fields                          []struct {
			Name     string
			Type     json.RawMessage
			Nullable bool
		}
	}
	if err := json.Unmarshal(text, &x); err != nil {
		return nil, err
	}
	switch x.Type {
	case "array":
		elem, err := parseSparkType(x.ElementType)
		return datatype.Array{Elem: elem, ContainsNull: x.ContainsNull}, err
	case "map":
		k, err := parseSparkType(x.KeyType)
		if err != nil {
			return nil, err
		}
		v, err := parseSparkType(x.ValueType)
		return datatype.Map{Key: k, Value: v, ValueContainsNull: x.ValueContainsNull}, err
	case "struct":
		out := make([]datatype.Field, len(x.Fields))
		for i, f := range x.Fields {
			t, err := parseSparkType(f.Type)
			if err != nil {
				return nil, err
			}
			out[i] = datatype.Field{Name: f.Name, Type: t, Nullable: f.Nullable}
		}
		return datatype.Struct{Fields: out}, nil
	}
	return nil, fmt.Errorf("%q is no type of Spark's", x.Type)
}
