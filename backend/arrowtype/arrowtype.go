// Package arrowtype maps Spark's types to Arrow's and back, once for both backends: the layout is the one in which Spark
// Connect sends results.
package arrowtype

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Of gives Arrow's type of a Spark type. Time stamps are microseconds, TIMESTAMP in UTC and TIMESTAMP_NTZ without a zone; DAY
// TO SECOND is a duration in microseconds; a VARIANT is a struct of two binaries. A type that no Arrow array holds is an error.
func Of(t datatype.Type) (arrow.DataType, error) {
	switch x := t.(type) {
	case datatype.Decimal:
		return &arrow.Decimal128Type{Precision: int32(x.Precision), Scale: int32(x.Scale)}, nil
	case datatype.Char, datatype.Varchar:
		return arrow.BinaryTypes.String, nil
	case datatype.Time:
		return arrow.FixedWidthTypes.Time64us, nil
	case datatype.YearMonth:
		return arrow.FixedWidthTypes.MonthInterval, nil
	case datatype.DayTime:
		return arrow.FixedWidthTypes.Duration_us, nil
	case datatype.Array:
		elem, err := Of(x.Elem)
		if err != nil {
			return nil, err
		}
		return arrow.ListOfField(arrow.Field{Name: "element", Type: elem, Nullable: x.ContainsNull}), nil
	case datatype.Map:
		k, err := Of(x.Key)
		if err != nil {
			return nil, err
		}
		v, err := Of(x.Value)
		if err != nil {
			return nil, err
		}
		m := arrow.MapOf(k, v)
		m.SetItemNullable(x.ValueContainsNull)
		return m, nil
	case datatype.Struct:
		fields, err := Fields(x.Fields)
		if err != nil {
			return nil, err
		}
		return arrow.StructOf(fields...), nil
	}
	switch t.Kind() {
	case datatype.KindNull:
		return arrow.Null, nil
	case datatype.KindBoolean:
		return arrow.FixedWidthTypes.Boolean, nil
	case datatype.KindByte:
		return arrow.PrimitiveTypes.Int8, nil
	case datatype.KindShort:
		return arrow.PrimitiveTypes.Int16, nil
	case datatype.KindInt:
		return arrow.PrimitiveTypes.Int32, nil
	case datatype.KindLong:
		return arrow.PrimitiveTypes.Int64, nil
	case datatype.KindFloat:
		return arrow.PrimitiveTypes.Float32, nil
	case datatype.KindDouble:
		return arrow.PrimitiveTypes.Float64, nil
	case datatype.KindString:
		return arrow.BinaryTypes.String, nil
	case datatype.KindBinary:
		return arrow.BinaryTypes.Binary, nil
	case datatype.KindDate:
		return arrow.FixedWidthTypes.Date32, nil
	case datatype.KindTimestamp:
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, nil
	case datatype.KindTimestampNTZ:
		return &arrow.TimestampType{Unit: arrow.Microsecond}, nil
	case datatype.KindCalendarInterval:
		return arrow.FixedWidthTypes.MonthDayNanoInterval, nil
	case datatype.KindVariant:
		return arrow.StructOf(arrow.Field{Name: "value", Type: arrow.BinaryTypes.Binary}, arrow.Field{Name: "metadata", Type: arrow.BinaryTypes.Binary}), nil
	}
	return nil, fmt.Errorf("no Arrow array holds the type %s", t)
}

// Fields maps the fields of a schema or struct.
func Fields(in []datatype.Field) ([]arrow.Field, error) {
	out := make([]arrow.Field, len(in))
	for i, f := range in {
		t, err := Of(f.Type)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", datatype.QuoteName(f.Name), err)
		}
		out[i] = arrow.Field{Name: f.Name, Type: t, Nullable: f.Nullable}
	}
	return out, nil
}

// Schema maps a schema.
func Schema(in []datatype.Field) (*arrow.Schema, error) {
	fields, err := Fields(in)
	if err != nil {
		return nil, err
	}
	return arrow.NewSchema(fields, nil), nil
}

// To gives the Spark type of an Arrow type, for files and results that bring their own schema. Unsigned integers take the next
// wider signed type; a dictionary is its values. A type that Spark has not is an error.
func To(t arrow.DataType) (datatype.Type, error) {
	switch x := t.(type) {
	case *arrow.Decimal128Type:
		return datatype.Decimal{Precision: int(x.Precision), Scale: int(x.Scale)}, nil
	case *arrow.TimestampType:
		if x.TimeZone == "" {
			return datatype.TimestampNTZ, nil
		}
		return datatype.Timestamp, nil
	case *arrow.MapType:
		k, err := To(x.KeyType())
		if err != nil {
			return nil, err
		}
		v, err := To(x.ItemType())
		if err != nil {
			return nil, err
		}
		return datatype.Map{Key: k, Value: v, ValueContainsNull: x.ItemField().Nullable}, nil
	case arrow.ListLikeType:
		elem, err := To(x.Elem())
		if err != nil {
			return nil, err
		}
		return datatype.Array{Elem: elem, ContainsNull: x.ElemField().Nullable}, nil
	case *arrow.StructType:
		fields, err := ToFields(x.Fields())
		if err != nil {
			return nil, err
		}
		return datatype.Struct{Fields: fields}, nil
	case *arrow.DictionaryType:
		return To(x.ValueType)
	}
	switch t.ID() {
	case arrow.NULL:
		return datatype.Null, nil
	case arrow.BOOL:
		return datatype.Boolean, nil
	case arrow.INT8:
		return datatype.Byte, nil
	case arrow.INT16, arrow.UINT8:
		return datatype.Short, nil
	case arrow.INT32, arrow.UINT16:
		return datatype.Int, nil
	case arrow.INT64, arrow.UINT32:
		return datatype.Long, nil
	case arrow.UINT64:
		return datatype.Decimal{Precision: 20}, nil
	case arrow.FLOAT32:
		return datatype.Float, nil
	case arrow.FLOAT64:
		return datatype.Double, nil
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return datatype.String, nil
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW, arrow.FIXED_SIZE_BINARY:
		return datatype.Binary, nil
	case arrow.DATE32:
		return datatype.Date, nil
	case arrow.DURATION:
		return datatype.DayToSecond, nil
	case arrow.INTERVAL_MONTHS:
		return datatype.YearToMonth, nil
	case arrow.INTERVAL_MONTH_DAY_NANO:
		return datatype.CalendarInterval, nil
	case arrow.TIME64:
		return datatype.Time{Precision: 6}, nil
	}
	return nil, fmt.Errorf("Spark has no type for Arrow's %s", t)
}

// ToFields maps Arrow fields.
func ToFields(in []arrow.Field) ([]datatype.Field, error) {
	out := make([]datatype.Field, len(in))
	for i, f := range in {
		t, err := To(f.Type)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", datatype.QuoteName(f.Name), err)
		}
		out[i] = datatype.Field{Name: f.Name, Type: t, Nullable: f.Nullable}
	}
	return out, nil
}
