package client

import (
	"math/big"

	"google.golang.org/protobuf/proto"

	"github.com/spoonbill-go/spoonbill/compiler/sparksql"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"

	pb "github.com/spoonbill-go/spoonbill/backend/sparkconnect/internal/connectpb"
)

// argument is the value of a parameter as a literal of exactly its type. A NULL goes without a type, which the text gives it by a cast. What the
// message has no kind for, such as an interval of days only, goes as the text of a literal.
func argument(l *tree.Literal) *pb.Expression {
	v := &pb.Expression_Literal{}
	switch x := l.Value.(type) {
	case nil:
		v.LiteralType = &pb.Expression_Literal_Null{Null: &pb.DataType{Kind: &pb.DataType_Null{Null: &pb.DataType_Plain{}}}}
	case bool:
		v.LiteralType = &pb.Expression_Literal_Boolean{Boolean: x}
	case string:
		if l.Typ.Kind() == datatype.KindString {
			v.LiteralType = &pb.Expression_Literal_String_{String_: x}
		}
	case []byte:
		v.LiteralType = &pb.Expression_Literal_Binary{Binary: x}
	case float64:
		if l.Typ.Kind() == datatype.KindFloat {
			v.LiteralType = &pb.Expression_Literal_Float{Float: float32(x)}
		} else {
			v.LiteralType = &pb.Expression_Literal_Double{Double: x}
		}
	case *big.Int:
		d, _ := l.Typ.(datatype.Decimal)
		v.LiteralType = &pb.Expression_Literal_Decimal_{Decimal: &pb.Expression_Literal_Decimal{
			Value: tree.DecimalText(x, l.Typ), Precision: proto.Int32(int32(d.Precision)), Scale: proto.Int32(int32(d.Scale)),
		}}
	case int64:
		switch l.Typ.Kind() {
		case datatype.KindByte:
			v.LiteralType = &pb.Expression_Literal_Byte{Byte: int32(x)}
		case datatype.KindShort:
			v.LiteralType = &pb.Expression_Literal_Short{Short: int32(x)}
		case datatype.KindInt:
			v.LiteralType = &pb.Expression_Literal_Integer{Integer: int32(x)}
		case datatype.KindLong:
			v.LiteralType = &pb.Expression_Literal_Long{Long: x}
		case datatype.KindDate:
			v.LiteralType = &pb.Expression_Literal_Date{Date: int32(x)}
		case datatype.KindTimestamp:
			v.LiteralType = &pb.Expression_Literal_Timestamp{Timestamp: x}
		case datatype.KindTimestampNTZ:
			v.LiteralType = &pb.Expression_Literal_TimestampNtz{TimestampNtz: x}
		case datatype.KindYearMonth:
			if datatype.Equal(l.Typ, datatype.YearToMonth) {
				v.LiteralType = &pb.Expression_Literal_YearMonthInterval{YearMonthInterval: int32(x)}
			}
		case datatype.KindDayTime:
			if datatype.Equal(l.Typ, datatype.DayToSecond) {
				v.LiteralType = &pb.Expression_Literal_DayTimeInterval{DayTimeInterval: x}
			}
		}
	}
	if v.LiteralType == nil {
		return &pb.Expression{ExprType: &pb.Expression_ExpressionString_{ExpressionString: &pb.Expression_ExpressionString{Expression: sparksql.Literal(l)}}}
	}
	return &pb.Expression{ExprType: &pb.Expression_Literal_{Literal: v}}
}
