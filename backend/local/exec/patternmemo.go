package exec

import (
	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
)

// patternMemo is what the attempts in a partition know of places of the program at rows: those from which no match is reached need not be tried again, by a later attempt neither. So a
// partition without a match costs as much as its rows, not their square.
//
// A place is a step of the program at a row, and for each iteration around it that may take no row whether it has taken one: without one it must not end, so that its rest is another one. So no
// place leads to itself.
//
// Why a place failed tells for how long that holds. Where a condition looked for a row before the match, it holds for matches that begin with the same row; where the last row that a match may
// have was reached, for those that end with the same row; else for all. A nil memo knows nothing.
type patternMemo struct {
	program *PatternProgram
	width   int // marks for a row
	// pages are the marks of pageRows rows each, nil before the first of them is set.
	pages [][]int64
	// freed is the number of pages before the present attempt.
	freed int
	// byStart and byEnd are the marks that hold for the present attempt beside forGood.
	byStart, byEnd int64
	// trail are the places on the present way, by their marks. The first startTaint of them failed, if they fail, because of where the attempt begins, the first endTaint because of where it ends.
	trail                []*int64
	startTaint, endTaint int
}

const (
	pageRows = 64
	// forGood marks places that fail in every attempt. Below it are the marks of attempts' starts, above it those of their ends; 0 is none.
	forGood = 1
)

func newPatternMemo(program *PatternProgram, rows int) *patternMemo {
	width, _ := program.perRow()
	return &patternMemo{program: program, width: width, pages: make([][]int64, (rows+pageRows-1)/pageRows)}
}

// begin begins an attempt with row s. Attempts begin with ever later rows.
func (m *patternMemo) begin(s, end int, closed bool) {
	if m == nil {
		return
	}
	for ; m.freed < s/pageRows; m.freed++ {
		m.pages[m.freed] = nil
	}
	m.byStart, m.byEnd = -1-int64(s), forGood+1+2*int64(end)
	if closed {
		m.byEnd++
	}
	m.trail, m.startTaint, m.endTaint = m.trail[:0], 0, 0
}

// seen tells whether a place fails, and else puts it on the way.
func (m *patternMemo) seen(t thread) bool {
	if m == nil {
		return false
	}
	slot := m.program.slots[t.pc]
	for i, r := range m.program.scope[t.pc] {
		if t.registers[r] < t.at {
			slot += 1 << i
		}
	}
	page := &m.pages[t.at/pageRows]
	if *page == nil {
		*page = make([]int64, pageRows*m.width)
	}
	mark := &(*page)[t.at%pageRows*m.width+slot]
	switch *mark {
	case forGood:
		return true
	case m.byEnd:
		m.touchEnd()
		return true
	case m.byStart:
		m.touchStart()
		return true
	}
	*mark = m.byStart
	m.trail = append(m.trail, mark)
	return false
}

// depth is how many places are on the way.
func (m *patternMemo) depth() int {
	if m == nil {
		return 0
	}
	return len(m.trail)
}

// touchStart says that the way depends on where the attempt begins.
func (m *patternMemo) touchStart() {
	if m != nil {
		m.startTaint = len(m.trail)
	}
}

// touchEnd says that the way depends on where the attempt ends.
func (m *patternMemo) touchEnd() {
	if m != nil {
		m.endTaint = len(m.trail)
	}
}

// back leaves the places behind the first ones of the way, which failed.
func (m *patternMemo) back(depth int) {
	if m == nil {
		return
	}
	for i := len(m.trail) - 1; i >= depth; i-- {
		switch {
		case i < m.startTaint: // its mark is byStart
		case i < m.endTaint:
			*m.trail[i] = m.byEnd
		default:
			*m.trail[i] = forGood
		}
	}
	m.trail = m.trail[:depth]
	m.startTaint, m.endTaint = min(m.startTaint, depth), min(m.endTaint, depth)
}

// runningAggregate is an aggregate over the rows of the present way. What it was some rows before is kept, so that a way that goes back does not begin anew.
type runningAggregate struct {
	of  *kernel.Aggregate
	acc kernel.Accumulator
	// rows is how many rows of the way acc has.
	rows int
	// kept are states in the order of the number of their rows.
	kept []keptState
}

// keptState is the encoded state behind so many rows.
type keptState struct {
	rows  int
	bytes []byte
}

// A state of few bytes is kept behind each row, a greater one behind so many and then at ever greater distances, so that all of them take no more than twice the last.
const (
	smallState  = 64
	betweenKept = 32
)

// leave says that only the first rows of the way stay as they are.
func (r *runningAggregate) leave(rows int) {
	for len(r.kept) > 0 && r.kept[len(r.kept)-1].rows > rows {
		r.kept = r.kept[:len(r.kept)-1]
	}
	if r.rows > rows {
		r.acc = nil
	}
}

// value gives the aggregate over rows s to at.
func (r *runningAggregate) value(p *partition, s, at int, path []int) (*vec.Vec, error) {
	if r.acc == nil {
		r.acc, r.rows = r.of.New(), 0
		r.acc.Grow(1)
		if n := len(r.kept); n > 0 {
			last := r.kept[n-1]
			if _, err := r.acc.Decode(0, last.bytes); err != nil {
				return nil, err
			}
			r.rows = last.rows
		}
	}
	if n := at + 1 - s - r.rows; n > 0 {
		// The row that is asked about is the first to be taken back.
		if n > 1 {
			if err := accumulate(r.of, r.acc, p.match(s, s+r.rows, at-1, path)); err != nil {
				return nil, err
			}
			r.rows = at - s
		}
		r.keep()
		if err := accumulate(r.of, r.acc, p.match(s, at, at, path)); err != nil {
			return nil, err
		}
		r.rows++
	}
	return r.acc.Result(1)
}

// keep keeps the state where it is small or the last one is far behind.
func (r *runningAggregate) keep() {
	last := keptState{}
	if n := len(r.kept); n > 0 {
		last = r.kept[n-1]
	}
	if r.of.Distinct || r.rows == last.rows || len(last.bytes) > smallState && r.rows-last.rows < max(betweenKept, last.rows) {
		return
	}
	r.kept = append(r.kept, keptState{r.rows, r.acc.Encode(0, nil)})
}
