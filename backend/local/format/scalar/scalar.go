// Package scalar writes single values as text, as Spark casts them to STRING: where a value names a folder, becomes a message's key or
// is shown to people.
package scalar

import (
	"bytes"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/spoonbill-go/spoonbill/backend/local/format/number"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/javanum"
	"github.com/spoonbill-go/spoonbill/internal/timetext"
)

// Text gives a function that appends the text of a value that is not null. It is false for a type that is not atomic. Bytes count as
// UTF-8. The function is for one goroutine.
func Text(t datatype.Type, a arrow.Array, loc *time.Location) (func(dst []byte, i int) []byte, bool) {
	zone := timetext.NewZone(loc)
	switch x := a.(type) {
	case *array.String:
		return func(dst []byte, i int) []byte { return append(dst, x.Value(i)...) }, true
	case *array.Binary:
		return func(dst []byte, i int) []byte { return append(dst, bytes.ToValidUTF8(x.Value(i), []byte("\uFFFD"))...) }, true
	case *array.Boolean:
		return func(dst []byte, i int) []byte { return strconv.AppendBool(dst, x.Value(i)) }, true
	case *array.Int8:
		return func(dst []byte, i int) []byte { return strconv.AppendInt(dst, int64(x.Value(i)), 10) }, true
	case *array.Int16:
		return func(dst []byte, i int) []byte { return strconv.AppendInt(dst, int64(x.Value(i)), 10) }, true
	case *array.Int32:
		return func(dst []byte, i int) []byte { return strconv.AppendInt(dst, int64(x.Value(i)), 10) }, true
	case *array.Int64:
		return func(dst []byte, i int) []byte { return strconv.AppendInt(dst, x.Value(i), 10) }, true
	case *array.Float32:
		return func(dst []byte, i int) []byte { return javanum.AppendFloat(dst, float64(x.Value(i)), 32) }, true
	case *array.Float64:
		return func(dst []byte, i int) []byte { return javanum.AppendFloat(dst, x.Value(i), 64) }, true
	case *array.Decimal128:
		scale := int(x.DataType().(*arrow.Decimal128Type).Scale)
		return func(dst []byte, i int) []byte { return number.AppendDecimal(dst, x.Value(i), scale) }, true
	case *array.Date32:
		return func(dst []byte, i int) []byte { return timetext.AppendDate(dst, int64(x.Value(i))) }, true
	case *array.Timestamp:
		if t.Kind() == datatype.KindTimestampNTZ {
			return func(dst []byte, i int) []byte { return timetext.AppendTimestampNTZ(dst, int64(x.Value(i))) }, true
		}
		return func(dst []byte, i int) []byte { return timetext.AppendTimestamp(dst, int64(x.Value(i)), zone) }, true
	case *array.Duration:
		if dt, ok := t.(datatype.DayTime); ok {
			return func(dst []byte, i int) []byte { return timetext.AppendDayTime(dst, int64(x.Value(i)), dt) }, true
		}
	case *array.MonthInterval:
		if ym, ok := t.(datatype.YearMonth); ok {
			return func(dst []byte, i int) []byte { return timetext.AppendYearMonth(dst, int32(x.Value(i)), ym) }, true
		}
	}
	return nil, false
}
