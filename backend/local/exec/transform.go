package exec

import (
	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Project computes the columns of exprs; one that is nil is not needed.
func Project(exprs []*kernel.Expr) Transform {
	return func(b *vec.Batch) (*vec.Batch, error) {
		cols := make([]*vec.Vec, len(exprs))
		for i, e := range exprs {
			if e == nil {
				continue
			}
			v, err := e.Eval(b)
			if err != nil {
				b.Release()
				return nil, err
			}
			cols[i] = v
		}
		return b.Derive(cols, b.N), nil
	}
}

// Filter keeps the rows for which cond is true. keep tells which columns are read afterwards (nil for all); the others are left
// out of the copying.
func Filter(cond *kernel.Expr, keep []bool) Transform {
	return func(b *vec.Batch) (*vec.Batch, error) {
		v, err := cond.Eval(b)
		if err != nil {
			b.Release()
			return nil, err
		}
		idx := trueRows(v, b.N)
		if len(idx) == b.N {
			return b, nil
		}
		if len(idx) == 0 {
			b.Release()
			return nil, nil
		}
		cols := make([]*vec.Vec, len(b.Cols))
		for i, c := range b.Cols {
			if c != nil && (keep == nil || keep[i]) {
				cols[i] = vec.Take(c, idx)
			}
		}
		b.Release()
		return vec.NewBatch(cols, len(idx), nil), nil
	}
}

// trueRows gives the rows for which a condition is true; null is not.
func trueRows(v *vec.Vec, n int) []int32 {
	if v.Const {
		if v.IsNull(0) || n == 0 || !v.Bool[0] {
			return nil
		}
		out := make([]int32, n)
		for i := range out {
			out[i] = int32(i)
		}
		return out
	}
	// The index is written in any case and kept when the row counts, so that the loop has no branch to mispredict.
	out := make([]int32, n)
	k := 0
	if v.Null == nil {
		for i, x := range v.Bool[:n] {
			out[k] = int32(i)
			if x {
				k++
			}
		}
		return out[:k]
	}
	for i, x := range v.Bool[:n] {
		out[k] = int32(i)
		if x && !v.Null[i] {
			k++
		}
	}
	return out[:k]
}

// Unnest puts each element of the array in column ordinal into a row of its own. With position, the element's index from 0
// becomes a further column at the end.
func Unnest(ordinal int, keepEmpty, position bool) Transform {
	return func(b *vec.Batch) (*vec.Batch, error) {
		a := b.Cols[ordinal].Flat()
		var rows, elems, pos []int32
		for i := range b.N {
			if a.IsNull(i) || a.Off[i] == a.Off[i+1] {
				if keepEmpty {
					rows, elems, pos = append(rows, int32(i)), append(elems, -1), append(pos, -1)
				}
				continue
			}
			for j := a.Off[i]; j < a.Off[i+1]; j++ {
				rows, elems, pos = append(rows, int32(i)), append(elems, j), append(pos, j-a.Off[i])
			}
		}
		if len(rows) == 0 {
			b.Release()
			return nil, nil
		}
		cols := make([]*vec.Vec, len(b.Cols), len(b.Cols)+1)
		for i, c := range b.Cols {
			switch {
			case i == ordinal:
				cols[i] = vec.Take(a.Kids[0].Flat(), elems)
			case c != nil:
				cols[i] = vec.Take(c, rows)
			}
		}
		if position {
			p := vec.Of(datatype.Int, pos)
			var null []bool
			for i, x := range pos {
				if x < 0 {
					if null == nil {
						null = make([]bool, len(pos))
					}
					null[i] = true
				}
			}
			cols = append(cols, p.WithNull(null))
		}
		b.Release()
		return vec.NewBatch(cols, len(rows), nil), nil
	}
}

// Windows puts each row into the windows of event time that hold it. Time is the input's time column; the window's start and end
// become two further columns, before which the input's stay. Rows without a time are left out.
//
// Source: Spark's TimeWindowing: the last window of a row starts at ts − (ts − start) mod slide.
type Windows struct {
	Time               *kernel.Expr
	Size, Slide, Start int64 // microseconds
	// Need are the output columns that are read; nil for all.
	Need []bool
}

// perRow is the number of windows that may hold one row.
func (w Windows) perRow() int64 { return (w.Size + w.Slide - 1) / w.Slide }

// Rows is how many rows the transform should be given at once, so that what it makes of them stays a batch and a cancelled query ends between
// two; 0 for any number.
func (w Windows) Rows() int {
	const made = 1 << 17
	k := w.perRow()
	if k <= 16 {
		return 0
	}
	return int(max(1, made/k))
}

// Transform gives the function.
func (w Windows) Transform() Transform {
	k := w.perRow()
	return func(b *vec.Batch) (*vec.Batch, error) {
		t, err := w.Time.Eval(b)
		if err != nil {
			b.Release()
			return nil, err
		}
		t = t.Flat()
		n := b.N
		last := make([]int64, n)
		for i, x := range t.I64[:n] {
			r := (x - w.Start) % w.Slide
			if r < 0 {
				r += w.Slide
			}
			last[i] = x - r
		}
		if k == 1 && w.Size == w.Slide && t.Null == nil {
			// Tumbling windows: every row stays where it is.
			end := make([]int64, n)
			for i, s := range last {
				end[i] = s + w.Size
			}
			cols := append(append(make([]*vec.Vec, 0, len(b.Cols)+2), b.Cols...), vec.Of(t.Type, last), vec.Of(t.Type, end))
			return b.Derive(cols, n), nil
		}
		rows := make([]int32, 0, int64(n)*k)
		start := make([]int64, 0, int64(n)*k)
		for i := range n {
			if t.IsNull(i) {
				continue
			}
			x := t.I64[i]
			for j := int64(0); j < k; j++ {
				if s := last[i] - j*w.Slide; x < s+w.Size {
					rows, start = append(rows, int32(i)), append(start, s)
				}
			}
		}
		if len(rows) == 0 {
			b.Release()
			return nil, nil
		}
		end := make([]int64, len(start))
		for i, s := range start {
			end[i] = s + w.Size
		}
		cols := make([]*vec.Vec, len(b.Cols), len(b.Cols)+2)
		for i, c := range b.Cols {
			if c != nil && (w.Need == nil || w.Need[i]) {
				cols[i] = vec.Take(c, rows)
			}
		}
		b.Release()
		cols = append(cols, vec.Of(t.Type, start), vec.Of(t.Type, end))
		return vec.NewBatch(cols, len(rows), nil), nil
	}
}

// Watch observes the event times of a watermark column for the task.
type Watch struct {
	Ordinal int
	Op      int
	Delay   int64 // microseconds
	Task    *Task
}

// Transform gives the function.
func (w *Watch) Transform() Transform {
	return func(b *vec.Batch) (*vec.Batch, error) {
		v := b.Cols[w.Ordinal]
		if v == nil || v.I64 == nil {
			return b, nil
		}
		e := EventTimes{DelayMicros: w.Delay, OperatorIndex: w.Op}
		m := v.Mask()
		for i := range b.N {
			if v.IsNull(i) {
				continue
			}
			x := v.I64[i&m]
			if e.Count == 0 {
				e.Min, e.Max = x, x
			}
			e.Count++
			e.Min, e.Max = min(e.Min, x), max(e.Max, x)
			e.Sum += float64(x)
		}
		if e.Count > 0 {
			w.Task.Observe(w.Op, e)
		}
		return b, nil
	}
}
