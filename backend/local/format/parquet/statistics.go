package parquet

import (
	"encoding/binary"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	pq "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Statistics are what a file's footer says of its rows.
type Statistics struct {
	// Rows is the number of rows.
	Rows int64
	// Ranges are the least and the greatest value of columns of integers and dates, by the ordinal of the field.
	Ranges map[int][2]int64
}

// ReadStatistics reads the footer of a file for the columns of fields.
func ReadStatistics(r io.ReaderAt, size int64, fields []datatype.Field) (s Statistics, err error) {
	// The reader's library panics on some broken files.
	defer recovered(&err)
	f, err := footer(r, size)
	if err != nil {
		return s, err
	}
	s = Statistics{Rows: f.NumRows(), Ranges: map[int][2]int64{}}
	types, err := arrowTypes(f)
	if err != nil {
		return s, err
	}
	sc := f.MetaData().Schema
	byName := map[string]int{}
	for leaf := range sc.NumColumns() {
		if c := sc.Column(leaf); len(c.ColumnPath()) == 1 {
			byName[datatype.FoldName(c.Name())] = leaf
		}
	}
	for i, field := range fields {
		leaf, ok := byName[datatype.FoldName(field.Name)]
		if !ok {
			continue
		}
		top := sc.Root().FieldIndexByField(sc.ColumnRoot(leaf))
		to, err := arrowtype.Of(field.Type)
		if err != nil || top < 0 || top >= len(types) || !arrow.TypeEqual(types[top], to) {
			continue
		}
		switch to.ID() {
		case arrow.INT32, arrow.INT64, arrow.DATE32, arrow.TIMESTAMP:
		default:
			continue
		}
		if low, high, ok := rangeOf(f, leaf); ok {
			s.Ranges[i] = [2]int64{low, high}
		}
	}
	return s, nil
}

// rangeOf gives the least and the greatest value of a leaf over all row groups; ok is false where a group does not tell.
func rangeOf(f *file.Reader, leaf int) (low, high int64, ok bool) {
	for g := range f.NumRowGroups() {
		col, err := f.MetaData().RowGroup(g).ColumnChunk(leaf)
		if err != nil {
			return 0, 0, false
		}
		l, h, has := chunkRange(col)
		if !has {
			return 0, 0, false
		}
		if !ok {
			low, high, ok = l, h, true
		}
		low, high = min(low, l), max(high, h)
	}
	return low, high, ok
}

// chunkRange gives the least and the greatest value of a chunk of 32 or 64 bit integers.
func chunkRange(col *metadata.ColumnChunkMetaData) (low, high int64, ok bool) {
	if set, err := col.StatsSet(); err != nil || !set {
		return 0, 0, false
	}
	st, err := col.Statistics()
	if err != nil || st == nil || !st.HasMinMax() {
		return 0, 0, false
	}
	whole := func(b []byte) (int64, bool) {
		switch {
		case col.Type() == pq.Types.Int32 && len(b) == 4:
			return int64(int32(binary.LittleEndian.Uint32(b))), true
		case col.Type() == pq.Types.Int64 && len(b) == 8:
			return int64(binary.LittleEndian.Uint64(b)), true
		}
		return 0, false
	}
	low, ok1 := whole(st.EncodeMin())
	high, ok2 := whole(st.EncodeMax())
	return low, high, ok1 && ok2
}
