package exec

import (
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// builtRows makes batches of rows that come one by one, value by value.
type builtRows struct {
	types   []datatype.Type
	most    int // rows of a batch
	cols    []*vec.Builder
	n       int
	batches []*vec.Batch
}

func newBuiltRows(types []datatype.Type, most int) *builtRows {
	r := &builtRows{types: types, most: most}
	r.begin()
	return r
}

func (r *builtRows) begin() {
	r.cols, r.n = make([]*vec.Builder, len(r.types)), 0
	for i, t := range r.types {
		r.cols[i] = vec.NewBuilder(t, 0)
	}
}

// end ends a row, of which each column has its value.
func (r *builtRows) end() {
	if r.n++; r.n >= r.most {
		r.flush()
	}
}

func (r *builtRows) flush() {
	if r.n == 0 {
		return
	}
	cols := make([]*vec.Vec, len(r.cols))
	for i, b := range r.cols {
		cols[i] = b.Vec()
	}
	r.batches = append(r.batches, vec.NewBatch(cols, r.n, nil))
	r.begin()
}

// all gives the batches of the rows.
func (r *builtRows) all() []*vec.Batch {
	r.flush()
	return r.batches
}

// release gives the batches up.
func (r *builtRows) release() {
	for _, b := range r.batches {
		b.Release()
	}
}
