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
// Source: Spark's TimeWindowing: the last window of a row starts at ts − (ts − start) mod slide; and SessionWindowing: a row's own session reaches
// from its time over its gap.
type Windows struct {
	Time               *kernel.Expr
	Size, Slide, Start int64 // microseconds
	// Cumulative windows begin together, at the grid of Size, and end Slide apart.
	Cumulative bool
	// Gap, unless nil, makes sessions of single rows, which [Aggregate] puts together.
	Gap *kernel.Expr
	// Need are the output columns that are read; nil for all.
	Need []bool
}

// perRow is the number of windows that may hold one row.
func (w Windows) perRow() int64 {
	if w.Gap != nil {
		return 1
	}
	return (w.Size + w.Slide - 1) / w.Slide
}

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

// floor is the greatest point of a grid at or before x.
func floor(x, start, step int64) int64 {
	r := (x - start) % step
	if r < 0 {
		r += step
	}
	return x - r
}

// Transform gives the function.
func (w Windows) Transform() Transform {
	return func(b *vec.Batch) (*vec.Batch, error) {
		t, err := w.Time.Eval(b)
		if err != nil {
			b.Release()
			return nil, err
		}
		t = t.Flat()
		if w.Gap == nil && !w.Cumulative && w.Size == w.Slide && t.Null == nil {
			// Tumbling windows: every row stays where it is.
			start, end := make([]int64, b.N), make([]int64, b.N)
			for i, x := range t.I64[:b.N] {
				start[i] = floor(x, w.Start, w.Slide)
				end[i] = start[i] + w.Size
			}
			cols := append(append(make([]*vec.Vec, 0, len(b.Cols)+2), b.Cols...), vec.Of(t.Type, start), vec.Of(t.Type, end))
			return b.Derive(cols, b.N), nil
		}
		rows, start, end, err := w.expand(b, t)
		if err != nil || len(rows) == 0 {
			b.Release()
			return nil, err
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

// expand gives the windows of a batch's rows, and which row each is of.
func (w Windows) expand(b *vec.Batch, t *vec.Vec) (rows []int32, start, end []int64, err error) {
	k := w.perRow()
	room := int64(b.N) * k
	rows, start, end = make([]int32, 0, room), make([]int64, 0, room), make([]int64, 0, room)
	add := func(i int, from, to int64) {
		rows, start, end = append(rows, int32(i)), append(start, from), append(end, to)
	}
	var gap *vec.Vec
	if w.Gap != nil {
		if gap, err = w.Gap.Eval(b); err != nil {
			return nil, nil, nil, err
		}
		gap = gap.Flat()
	}
	for i := range b.N {
		if t.IsNull(i) {
			continue
		}
		x := t.I64[i]
		switch {
		case gap != nil:
			// An end that is beyond time would come out below the start.
			if !gap.IsNull(i) && gap.I64[i] > 0 && x+gap.I64[i] > x {
				add(i, x, x+gap.I64[i])
			}
		case w.Cumulative:
			from := floor(x, w.Start, w.Size)
			for to := floor(x, w.Start, w.Slide) + w.Slide; to <= from+w.Size; to += w.Slide {
				add(i, from, to)
			}
		default:
			last := floor(x, w.Start, w.Slide)
			for j := int64(0); j < k; j++ {
				if s := last - j*w.Slide; x < s+w.Size {
					add(i, s, s+w.Size)
				}
			}
		}
	}
	return rows, start, end, nil
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
