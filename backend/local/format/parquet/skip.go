package parquet

import (
	"bytes"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Excludes tells whether the statistics of a row group show that no row of it meets all filters, whose columns are ordinals of the file's
// schema given to [Open]. What the statistics do not tell is no reason to leave rows out.
func (f *File) Excludes(group int, filters []connector.Filter) (out bool) {
	// Statistics of a broken file are as broken as the rest; the read says so.
	defer func() {
		if recover() != nil {
			out = false
		}
	}()
	for _, x := range filters {
		if x.Op != "" && len(x.Columns) == 1 && f.excludes(group, x) {
			return true
		}
	}
	return false
}

func (f *File) excludes(group int, x connector.Filter) bool {
	i := x.Columns[0]
	if i < 0 || i >= len(f.fields) {
		return false
	}
	top := f.at[i]
	sc := f.meta.MetaData().Schema
	root := sc.Root()
	if top < 0 || !f.fits(i) {
		return false
	}
	leaf := -1
	for k := range sc.NumColumns() {
		if sc.Column(k).SchemaNode() == root.Field(top) && sc.Column(k).MaxRepetitionLevel() == 0 {
			leaf = k
		}
	}
	if leaf < 0 {
		return false // a nested column
	}
	rg := f.meta.MetaData().RowGroup(group)
	chunk, err := rg.ColumnChunk(leaf)
	if err != nil {
		return false
	}
	if set, err := chunk.StatsSet(); err != nil || !set {
		return false
	}
	st, err := chunk.Statistics()
	if err != nil || st == nil {
		return false
	}
	if st.HasNullCount() {
		allNull := st.NullCount() == rg.NumRows()
		if x.Op == connector.IsNull {
			return st.NullCount() == 0
		}
		if allNull {
			return true // every comparison of null is null
		}
	}
	if x.Op == connector.IsNull || x.Op == connector.IsNotNull || !st.HasMinMax() || len(x.Values) == 0 {
		return false
	}
	compare := comparer(sc.Column(leaf), f.fields[i].Type, st)
	if compare == nil {
		return false
	}
	// No value of the filter may be met by a value between the bounds.
	for _, v := range x.Values {
		low, high, ok := compare(v)
		if !ok {
			return false
		}
		var none bool
		switch x.Op {
		case connector.Equal:
			none = low > 0 || high < 0
		case connector.Less:
			none = low >= 0
		case connector.LessOrEqual:
			none = low > 0
		case connector.Greater:
			none = high <= 0
		case connector.GreaterOrEqual:
			none = high < 0
		}
		if isFloat(st) && (x.Op == connector.Greater || x.Op == connector.GreaterOrEqual) {
			// NaN is greater than every number for Spark, and the bounds do not count it.
			none = false
		}
		if !none {
			return false
		}
	}
	return true
}

// fits tells whether the column of a field is stored in a type that it can be read from. One that cannot is not left out: its read is an error, whatever
// the filter says.
func (f *File) fits(i int) bool {
	if f.int96[f.at[i]] {
		return true
	}
	none := array.MakeArrayOfNull(memory.DefaultAllocator, f.types[f.at[i]], 0)
	defer none.Release()
	d, err := convert(none.Data(), f.schema.Field(i).Type)
	if err != nil {
		return false
	}
	d.Release()
	return true
}

func isFloat(st metadata.TypedStatistics) bool {
	switch st.(type) {
	case *metadata.Float32Statistics, *metadata.Float64Statistics:
		return true
	}
	return false
}

// comparer gives a function that compares the least and the greatest value of a chunk with a value of a filter; it is nil where a column is not
// stored in the order of its type, or is stored in another type than it is read in.
func comparer(col *schema.Column, t datatype.Type, st metadata.TypedStatistics) func(v any) (low, high int, ok bool) {
	logical := col.LogicalType()
	whole := func(low, high int64) func(v any) (int, int, bool) {
		low, high, ok := inUnit(logical, t, low, high)
		if !ok {
			return nil
		}
		return func(v any) (int, int, bool) {
			n, ok := v.(int64)
			return order(low, n), order(high, n), ok
		}
	}
	floats := func(low, high float64) func(v any) (int, int, bool) {
		if math.IsNaN(low) || math.IsNaN(high) {
			return nil
		}
		return func(v any) (int, int, bool) {
			n, ok := v.(float64)
			return order(low, n), order(high, n), ok && !math.IsNaN(n)
		}
	}
	switch s := st.(type) {
	case *metadata.Int32Statistics:
		return whole(int64(s.Min()), int64(s.Max()))
	case *metadata.Int64Statistics:
		return whole(s.Min(), s.Max())
	case *metadata.Float32Statistics:
		if t == datatype.Float || t == datatype.Double {
			return floats(float64(s.Min()), float64(s.Max()))
		}
	case *metadata.Float64Statistics:
		if t == datatype.Double {
			return floats(s.Min(), s.Max())
		}
	case *metadata.ByteArrayStatistics:
		_, isText := logical.(schema.StringLogicalType)
		none := logical == nil || logical.IsNone()
		if t == datatype.String && (isText || none) || t == datatype.Binary && none {
			low, high := slices.Clone([]byte(s.Min())), slices.Clone([]byte(s.Max()))
			return func(v any) (int, int, bool) {
				var n []byte
				switch x := v.(type) {
				case string:
					n = []byte(x)
				case []byte:
					n = x
				default:
					return 0, 0, false
				}
				return bytes.Compare(low, n), bytes.Compare(high, n), true
			}
		}
	}
	return nil
}

// inUnit gives bounds in the unit of a type: days for DATE, microseconds for time stamps.
func inUnit(logical schema.LogicalType, t datatype.Type, low, high int64) (int64, int64, bool) {
	plain := logical == nil || logical.IsNone()
	switch t.Kind() {
	case datatype.KindByte, datatype.KindShort, datatype.KindInt, datatype.KindLong:
		// A narrower type than the stored one wraps around.
		width := map[datatype.Kind]int{datatype.KindByte: 8, datatype.KindShort: 16, datatype.KindInt: 32, datatype.KindLong: 64}[t.Kind()]
		if n, ok := logical.(schema.IntLogicalType); ok {
			return low, high, n.IsSigned() && int(n.BitWidth()) <= width
		}
		return low, high, plain && width >= 32
	case datatype.KindDate:
		_, ok := logical.(schema.DateLogicalType)
		return low, high, ok
	case datatype.KindTimestamp, datatype.KindTimestampNTZ:
		ts, ok := logical.(schema.TimestampLogicalType)
		if !ok {
			return 0, 0, false
		}
		switch ts.TimeUnit() {
		case schema.TimeUnitMicros:
			return low, high, true
		case schema.TimeUnitMillis:
			if low < math.MinInt64/1000 || high > math.MaxInt64/1000 {
				return 0, 0, false
			}
			return low * 1000, high * 1000, true
		}
	}
	return 0, 0, false
}

func order[T int64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
