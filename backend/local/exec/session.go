package exec

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/spoonbill-go/spoonbill/backend/local/state"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// sessionSpan is when a session is: from its first row up to the end of the last row's gap.
type sessionSpan struct{ start, end int64 }

// sessionGroup is a group of rows on its way into a session: rows of the epoch with the number of their group, or a session of the state.
type sessionGroup struct {
	sessionSpan
	group  int32 // -1 for one of the state
	stored []byte
}

// sessionRun is a session and what it is made of.
type sessionRun struct {
	sessionSpan
	of []sessionGroup
}

// touching puts the sessions of one key together that overlap or touch; they must be in order of their starts.
//
// Source: Spark's MergingSessionsIterator: a session begins anew where a row starts behind the end of the one before.
func touching(groups []sessionGroup) []sessionRun {
	var out []sessionRun
	for _, g := range groups {
		if n := len(out); n > 0 && g.start <= out[n-1].end {
			out[n-1].end = max(out[n-1].end, g.end)
			out[n-1].of = append(out[n-1].of, g)
			continue
		}
		out = append(out, sessionRun{g.sessionSpan, []sessionGroup{g}})
	}
	return out
}

// keyed are the groups of one key, which is all keys but the session's.
type keyed struct {
	key    []byte
	groups []sessionGroup
}

// byKey sorts the groups of p by their keys, and within a key by their starts. late leaves groups out.
func (a *Aggregate) byKey(cols []*vec.Vec, n int, late func(sessionSpan) bool) []keyed {
	others := append(slices.Clone(cols[:a.Session]), cols[a.Session+2:]...)
	var rows vec.Rows
	rows.Encode(others, n)
	start, end := cols[a.Session].Flat(), cols[a.Session+1].Flat()
	t := newTable()
	var out []keyed
	for g := range n {
		s := sessionSpan{start.I64[g], end.I64[g]}
		if late != nil && late(s) {
			continue
		}
		key := rows.Row(g)
		k := int(t.group(key, vec.Hash(key)))
		if k == len(out) {
			out = append(out, keyed{key: slices.Clone(key)})
		}
		out[k].groups = append(out[k].groups, sessionGroup{sessionSpan: s, group: int32(g)})
	}
	for _, k := range out {
		slices.SortFunc(k.groups, func(a, b sessionGroup) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	}
	return out
}

// joinSessions puts the sessions of a batch's rows together, key by key, and gives the rows' keys with them: so there are few groups, though each row begins
// with a session of its own. Late rows keep theirs, by which they are told and counted.
func (a *Aggregate) joinSessions(keys []*vec.Vec, n int) []*vec.Vec {
	at := make([]int32, n+1)
	by := make([]int32, n)
	var others []*vec.Vec
	var types []datatype.Type
	for i, k := range keys {
		if i != a.Session && i != a.Session+1 {
			others, types = append(others, k), append(types, a.Keys[i].Type)
		}
	}
	if len(others) > 0 {
		newNumbering(types, 0).Number(others, n, by, -1, 0)
	}
	start, end := slices.Clone(keys[a.Session].Flat().I64[:n]), slices.Clone(keys[a.Session+1].Flat().I64[:n])
	late := func(i int32) bool { return a.Op >= 0 && a.EventKey >= 0 && end[i] <= a.Marks.LateBefore }
	// The rows of each key, one key behind the other.
	for _, k := range by {
		at[k+1]++
	}
	for k := range n {
		at[k+1] += at[k]
	}
	rows := make([]int32, n)
	next := slices.Clone(at)
	for i, k := range by {
		rows[next[k]] = int32(i)
		next[k]++
	}
	for k := 0; k < n && at[k] < at[k+1]; k++ {
		of := rows[at[k]:at[k+1]]
		byStart := func(x, y int32) int { return cmp.Compare(start[x], start[y]) }
		if !slices.IsSortedFunc(of, byStart) {
			slices.SortFunc(of, byStart)
		}
		for lo := 0; lo < len(of); {
			from, to := start[of[lo]], end[of[lo]]
			hi := lo + 1
			if !late(of[lo]) {
				for hi < len(of) && start[of[hi]] <= to && !late(of[hi]) {
					to = max(to, end[of[hi]])
					hi++
				}
			}
			for ; lo < hi; lo++ {
				start[of[lo]], end[of[lo]] = from, to
			}
		}
	}
	out := slices.Clone(keys)
	out[a.Session], out[a.Session+1] = vec.Of(keys[a.Session].Type, start), vec.Of(keys[a.Session+1].Type, end)
	return out
}

// sessions makes sessions of the groups of a batch.
func (a *Aggregate) sessions(p *partial) (*partial, error) {
	cols, err := p.keys()
	if err != nil {
		return nil, err
	}
	to := make([]int32, p.len())
	var keys [][]byte
	var spans []sessionSpan
	for _, k := range a.byKey(cols, p.len(), nil) {
		for _, run := range touching(k.groups) {
			for _, g := range run.of {
				to[g.group] = int32(len(spans))
			}
			keys, spans = append(keys, k.key), append(spans, run.sessionSpan)
		}
	}
	q, err := a.sessionPartial(keys, spans)
	if err != nil {
		return nil, err
	}
	return q, a.mergeTo(q, p, to)
}

// sessionPartial makes a share with a group for each session, in order.
func (a *Aggregate) sessionPartial(keys [][]byte, spans []sessionSpan) (*partial, error) {
	types := a.keyTypes()
	cols, err := vec.Decode(append(slices.Clone(types[:a.Session]), types[a.Session+2:]...), keys)
	if err != nil {
		return nil, err
	}
	start, end := make([]int64, len(spans)), make([]int64, len(spans))
	for i, s := range spans {
		start[i], end[i] = s.start, s.end
	}
	cols = slices.Insert(cols, a.Session, vec.Of(types[a.Session], start), vec.Of(types[a.Session+1], end))
	p := a.newPartial(0)
	p.num, p.cols, p.n = nil, cols, len(spans)
	p.grow()
	return p, nil
}

// sessionKey is a session's key in the store: the other keys and its start.
func sessionKey(key []byte, start int64) []byte {
	return binary.BigEndian.AppendUint64(slices.Clone(key), uint64(start))
}

// readSession takes an entry of the store apart: the key, the session, and the accumulators' states.
func readSession(key, value []byte) ([]byte, sessionSpan, []byte, error) {
	if len(key) < 8 || len(value) < 8 {
		return nil, sessionSpan{}, nil, errState
	}
	n := len(key) - 8
	return key[:n], sessionSpan{int64(binary.BigEndian.Uint64(key[n:])), int64(binary.LittleEndian.Uint64(value))}, value[8:], nil
}

// open gives the sessions of the state that have a key.
func open(store state.Store, key []byte) ([]sessionGroup, error) {
	var out []sessionGroup
	for e, err := range store.Group(key) {
		if err != nil {
			return nil, err
		}
		_, s, _, err := readSession(e.Key, e.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, sessionGroup{s, -1, e.Value})
	}
	return out, nil
}

// sessionEpoch puts the sessions of an epoch together with those of the state and gives those that the output mode asks for: in append mode
// the ones that the eviction watermark has passed, in complete mode all. The late bound is looked at once per group of rows with one key and
// one time, before they meet a session: a row whose own session is over is late, even if an open one would reach it.
//
// Source: Spark's SessionWindowStateStoreRestoreExec and SessionWindowStateStoreSaveExec.
func (a *Aggregate) sessionEpoch(p *partial) ([]*vec.Batch, error) {
	store, err := a.Task.Stores(a.Op)
	if err != nil {
		return nil, err
	}
	cols, err := p.keys()
	if err != nil {
		return nil, err
	}
	m := Metrics{Name: "sessionWindowStateStoreSaveExec", PartitionCount: 1}
	to := make([]int32, p.len())
	for i := range to {
		to[i] = -1
	}
	late := func(s sessionSpan) bool {
		if a.EventKey < 0 || s.end > a.Marks.LateBefore {
			return false
		}
		m.RowsDropped++
		return true
	}
	var keys [][]byte
	var runs []sessionRun
	for _, k := range a.byKey(cols, p.len(), late) {
		old, err := open(store, k.key)
		if err != nil {
			return nil, err
		}
		groups := append(k.groups, old...)
		slices.SortStableFunc(groups, func(a, b sessionGroup) int { return cmp.Compare(a.start, b.start) })
		for _, run := range touching(groups) {
			fresh := false
			for _, g := range run.of {
				if g.group >= 0 {
					fresh, to[g.group] = true, int32(len(runs))
				}
			}
			if fresh {
				keys, runs = append(keys, k.key), append(runs, run)
			}
		}
	}
	spans := make([]sessionSpan, len(runs))
	for i, r := range runs {
		spans[i] = r.sessionSpan
	}
	q, err := a.sessionPartial(keys, spans)
	if err != nil {
		return nil, err
	}
	if err := a.mergeTo(q, p, to); err != nil {
		return nil, err
	}
	var value []byte
	for i, r := range runs {
		for _, g := range r.of {
			if g.group >= 0 {
				continue
			}
			k := sessionKey(keys[i], g.start)
			_, _, old, err := readSession(k, g.stored)
			if err != nil {
				return nil, err
			}
			for _, x := range q.accs {
				if old, err = x.Decode(i, old); err != nil {
					return nil, err
				}
			}
			if err := store.Delete(k); err != nil {
				return nil, err
			}
		}
		value = binary.LittleEndian.AppendUint64(value[:0], uint64(r.end))
		for _, x := range q.accs {
			value = x.Encode(i, value)
		}
		expiry := r.end
		if a.EventKey < 0 || a.Task.Mode == tree.Complete {
			expiry = state.Never
		}
		if err := store.Put(sessionKey(keys[i], r.start), value, expiry); err != nil {
			return nil, err
		}
		m.RowsUpdated++
	}
	var done []sessionEntry
	take := func(e state.Entry) error {
		key, s, states, err := readSession(e.Key, e.Value)
		if err == nil {
			done = append(done, sessionEntry{key, s, states})
		}
		return err
	}
	switch {
	case a.Task.Mode == tree.Complete:
		for e, err := range store.All() {
			if err == nil {
				err = take(e)
			}
			if err != nil {
				return nil, err
			}
		}
	case a.EventKey >= 0 && a.Marks.EvictBefore > math.MinInt64:
		if err := forget(store, a.Marks.EvictBefore, &m, take); err != nil {
			return nil, err
		}
	}
	out, err := a.sessionOutput(done)
	m.RowsTotal, m.MemoryBytes = int64(store.Len()), store.Bytes()
	a.Task.Report(a.Op, m)
	return out, err
}

// sessionEntry is a session of the store with the states of its accumulators.
type sessionEntry struct {
	key []byte
	sessionSpan
	states []byte
}

// sessionOutput makes batches of stored sessions.
func (a *Aggregate) sessionOutput(done []sessionEntry) ([]*vec.Batch, error) {
	keys, spans := make([][]byte, len(done)), make([]sessionSpan, len(done))
	for i, e := range done {
		keys[i], spans[i] = e.key, e.sessionSpan
	}
	p, err := a.sessionPartial(keys, spans)
	if err != nil {
		return nil, err
	}
	for i, e := range done {
		states := e.states
		for _, x := range p.accs {
			if states, err = x.Decode(i, states); err != nil {
				return nil, err
			}
		}
	}
	return a.output(p, nil)
}
