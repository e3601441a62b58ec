package client

import (
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"

	pb "github.com/spoonbill-go/spoonbill/backend/sparkconnect/internal/connectpb"
)

// basic maps the kinds without parameters.
func basic(t *pb.DataType) (datatype.Basic, bool) {
	switch t.GetKind().(type) {
	case *pb.DataType_Null:
		return datatype.Null, true
	case *pb.DataType_Binary:
		return datatype.Binary, true
	case *pb.DataType_Boolean:
		return datatype.Boolean, true
	case *pb.DataType_Byte:
		return datatype.Byte, true
	case *pb.DataType_Short:
		return datatype.Short, true
	case *pb.DataType_Integer:
		return datatype.Int, true
	case *pb.DataType_Long:
		return datatype.Long, true
	case *pb.DataType_Float:
		return datatype.Float, true
	case *pb.DataType_Double:
		return datatype.Double, true
	case *pb.DataType_Date:
		return datatype.Date, true
	case *pb.DataType_Timestamp:
		return datatype.Timestamp, true
	case *pb.DataType_TimestampNtz:
		return datatype.TimestampNTZ, true
	case *pb.DataType_CalendarInterval:
		return datatype.CalendarInterval, true
	case *pb.DataType_Variant:
		return datatype.Variant, true
	}
	return datatype.Invalid, false
}

// unsupported is a type of the server that datatype has no word for.
func unsupported(name string) error {
	e := condition.Newf(condition.Unsupported, "Spoonbill has no type for Spark's %s.", name)
	e.Hint = "Cast the column to a supported type in the query."
	return e
}

// TypeOf reads a type of the server. Geometry, geography, user-defined types and time stamps of nanoseconds are errors; so is a string under
// a collation, whose comparison rules Spoonbill could not keep.
func TypeOf(t *pb.DataType) (datatype.Type, error) {
	if b, ok := basic(t); ok {
		return b, nil
	}
	switch k := t.GetKind().(type) {
	case *pb.DataType_String_:
		if c := k.String_.GetCollation(); c != "" && c != "UTF8_BINARY" {
			return nil, unsupported("STRING COLLATE " + c)
		}
		return datatype.String, nil
	case *pb.DataType_Char_:
		return datatype.Char{Length: int(k.Char.GetLength())}, nil
	case *pb.DataType_VarChar:
		return datatype.Varchar{Length: int(k.VarChar.GetLength())}, nil
	case *pb.DataType_Decimal_:
		d := datatype.Decimal{Precision: datatype.DefaultPrecision}
		if k.Decimal.Precision != nil {
			d.Precision = int(k.Decimal.GetPrecision())
		}
		d.Scale = int(k.Decimal.GetScale())
		return d, nil
	case *pb.DataType_Time_:
		p := 6
		if k.Time.Precision != nil {
			p = int(k.Time.GetPrecision())
		}
		return datatype.Time{Precision: p}, nil
	case *pb.DataType_YearMonthInterval:
		start, end := bounds(k.YearMonthInterval, int32(datatype.Month))
		return datatype.YearMonth{Start: datatype.YearMonthField(start), End: datatype.YearMonthField(end)}, nil
	case *pb.DataType_DayTimeInterval:
		start, end := bounds(k.DayTimeInterval, int32(datatype.Second))
		return datatype.DayTime{Start: datatype.DayTimeField(start), End: datatype.DayTimeField(end)}, nil
	case *pb.DataType_Array_:
		elem, err := TypeOf(k.Array.GetElementType())
		if err != nil {
			return nil, err
		}
		return datatype.Array{Elem: elem, ContainsNull: k.Array.GetContainsNull()}, nil
	case *pb.DataType_Map_:
		key, err := TypeOf(k.Map.GetKeyType())
		if err != nil {
			return nil, err
		}
		value, err := TypeOf(k.Map.GetValueType())
		if err != nil {
			return nil, err
		}
		return datatype.Map{Key: key, Value: value, ValueContainsNull: k.Map.GetValueContainsNull()}, nil
	case *pb.DataType_Struct_:
		fields, err := fieldsOf(k.Struct)
		if err != nil {
			return nil, err
		}
		return datatype.Struct{Fields: fields}, nil
	case *pb.DataType_Unparsed_:
		return datatype.Parse(k.Unparsed.GetDataTypeString())
	case *pb.DataType_Geometry:
		return nil, unsupported("GEOMETRY")
	case *pb.DataType_Geography:
		return nil, unsupported("GEOGRAPHY")
	case *pb.DataType_TimestampNtzNanos, *pb.DataType_TimestampLtzNanos:
		return nil, unsupported("time stamps of nanoseconds")
	case *pb.DataType_Udt:
		return nil, unsupported("user-defined types")
	}
	return nil, unsupported("newest types")
}

// bounds gives the fields of an interval; an absent end is the finest one, an absent start the coarsest.
func bounds(t *pb.DataType_Interval, finest int32) (start, end int32) {
	end = finest
	if t.EndField != nil {
		end = t.GetEndField()
	} else if t.StartField != nil {
		end = t.GetStartField()
	}
	return t.GetStartField(), end
}

// FieldsOf reads the schema of a relation, with the nullability that Spark derived.
func FieldsOf(t *pb.DataType) ([]datatype.Field, error) {
	s := t.GetStruct()
	if s == nil {
		return nil, unsupported("schema that is no struct")
	}
	return fieldsOf(s)
}

func fieldsOf(s *pb.DataType_Struct) ([]datatype.Field, error) {
	fields := make([]datatype.Field, len(s.GetFields()))
	for i, f := range s.GetFields() {
		t, err := TypeOf(f.GetDataType())
		if err != nil {
			return nil, err
		}
		fields[i] = datatype.Field{Name: f.GetName(), Type: t, Nullable: f.GetNullable()}
	}
	return fields, nil
}
