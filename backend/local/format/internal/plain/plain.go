// Package plain gives values in the form in which the recorders under testdata write them down: every value as text, so that no JSON
// library can round it.
package plain

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/spoonbill-go/spoonbill/backend/local/format/number"
)

// Of gives value i of an array.
func Of(a arrow.Array, i int) any {
	if a.IsNull(i) {
		return nil
	}
	switch x := a.(type) {
	case *array.Struct:
		out := []any{}
		for k := range x.NumField() {
			out = append(out, Of(x.Field(k), i))
		}
		return out
	case *array.Map:
		out := []any{}
		from, to := x.ValueOffsets(i)
		for j := int(from); j < int(to); j++ {
			out = append(out, []any{Of(x.Keys(), j), Of(x.Items(), j)})
		}
		return out
	case *array.List:
		out := []any{}
		from, to := x.ValueOffsets(i)
		for j := int(from); j < int(to); j++ {
			out = append(out, Of(x.ListValues(), j))
		}
		return out
	case *array.Float64:
		return fmt.Sprintf("%016x", math.Float64bits(x.Value(i)))
	case *array.Float32:
		return fmt.Sprintf("%08x", math.Float32bits(x.Value(i)))
	case *array.Timestamp:
		return strconv.FormatInt(int64(x.Value(i)), 10)
	case *array.Duration:
		return strconv.FormatInt(int64(x.Value(i)), 10)
	case *array.Date32:
		return strconv.Itoa(int(x.Value(i)))
	case *array.Decimal128:
		return string(number.AppendDecimal(nil, x.Value(i), int(x.DataType().(*arrow.Decimal128Type).Scale)))
	case *array.Binary:
		return hex.EncodeToString(x.Value(i))
	case *array.String:
		return x.Value(i)
	default:
		return a.ValueStr(i)
	}
}
