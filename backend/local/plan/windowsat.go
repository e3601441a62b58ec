package plan

import "github.com/spoonbill-go/spoonbill/expr/tree"

// WindowAt is a window of a grouping that has an event time, in microseconds.
type WindowAt struct {
	Start, End int64
	// Session is a session that a row at the time begins; Open one whose end is not known without the row.
	Session, Open bool
}

// WindowsAt gives the windows of a grouping by event time that have a moment, in order. A grouping by the time itself has the moment, as does one by a window that
// is made below another grouping.
func (n *Aggregate) WindowsAt(at int64) []WindowAt {
	w := windowsBelow(n.In)
	switch {
	case w == nil:
		return []WindowAt{{Start: at, End: at}}
	case w.Gap != nil:
		if gap, ok := w.Gap.(*tree.Literal); ok {
			if us, ok := gap.Value.(int64); ok {
				return []WindowAt{{Start: at, End: at + us, Session: true}}
			}
		}
		return []WindowAt{{Start: at, Session: true, Open: true}}
	case w.Cumulative:
		start := floorTo(at, w.Size, w.Start)
		var out []WindowAt
		for end := start + w.Slide; end <= start+w.Size; end += w.Slide {
			if end > at {
				out = append(out, WindowAt{Start: start, End: end})
			}
		}
		return out
	}
	var out []WindowAt
	last := floorTo(at, w.Slide, w.Start)
	for start := last - (w.Size-1)/w.Slide*w.Slide; start <= last; start += w.Slide {
		if start+w.Size > at {
			out = append(out, WindowAt{Start: start, End: start + w.Size})
		}
	}
	return out
}

// TimeKeys gives the first and the last of the keys by which a grouping by event time is one: the start and the end of its windows, or one key twice.
func (n *Aggregate) TimeKeys() (first, last int) {
	if windowsBelow(n.In) != nil {
		return n.EventKey - 1, n.EventKey
	}
	return n.EventKey, n.EventKey
}

// floorTo is the greatest point of a grid that is not behind a moment.
func floorTo(at, step, from int64) int64 {
	r := (at - from) % step
	if r < 0 {
		r += step
	}
	return at - r
}

// windowsBelow finds the step that makes the windows by which rows are grouped, nil where they are made elsewhere or not at all.
func windowsBelow(n Node) *Windows {
	for {
		switch x := n.(type) {
		case *Windows:
			return x
		case *Project, *Filter, *Expand, *Sift:
			n = x.Inputs()[0]
		default:
			return nil
		}
	}
}
