package file

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/stretchr/testify/require"
)

// What is emitted is run or given up, each once, however soon the reader goes: else the files of units that wait would stay open.
func TestUnitsAreRunOrGivenUp(t *testing.T) {
	rows := array.NewRecordBatch(arrow.NewSchema(nil, nil), nil, 1)
	defer rows.Release()
	for _, parallel := range []int{1, 4} {
		for read := range 5 {
			const units = 40
			var ended [units]atomic.Int32
			emitted := 0
			n := 0
			for rec, err := range scan(context.Background(), parallel, func(_ context.Context, emit func(unit) bool) error {
				for i := range units {
					emitted++
					end := func() { ended[i].Add(1) }
					if !emit(unit{drop: end, run: func() ([]arrow.RecordBatch, error) {
						defer end()
						rows.Retain()
						return []arrow.RecordBatch{rows}, nil
					}}) {
						break
					}
				}
				return nil
			}) {
				require.NoError(t, err)
				rec.Release()
				if n++; n > read {
					break
				}
			}
			require.Less(t, emitted, units, "the reader went early")
			for i := range units {
				want := int32(0)
				if i < emitted {
					want = 1
				}
				require.Equal(t, want, ended[i].Load(), "unit %d of %d, %d goroutines, %d batches read", i, emitted, parallel, n)
			}
		}
	}
}
