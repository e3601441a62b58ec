package state

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
)

// This file has the tables that [Memory] is made of.

// pages are entries by number, which stay where they are when there are more.
type pages struct {
	of []*[pageSize]entry
	n  uint32
}

const pageSize = 1 << 10

func (p *pages) at(i uint32) *entry { return &p.of[i/pageSize][i%pageSize] }

// add makes an entry and gives its number.
func (p *pages) add() uint32 {
	if p.n%pageSize == 0 {
		p.of = append(p.of, new([pageSize]entry))
	}
	p.n++
	return p.n - 1
}

// vault keeps bytes in large chunks. What stands there never changes, so whoever was given some keeps them, also when the vault is made anew without
// them.
type vault struct {
	chunks [][]byte
	used   int64
}

// span is where bytes stand in a vault.
type span struct{ chunk, off, n uint32 }

// The sizes of chunks: the first is small, for most states are, and each of the next doubles up to a bound.
const (
	leastChunk = 1 << 12
	mostChunk  = 1 << 20
)

// put copies bytes into the vault.
func (v *vault) put(b []byte) span {
	if len(b) == 0 {
		return span{}
	}
	v.used += int64(len(b))
	k := len(v.chunks) - 1
	if k < 0 || cap(v.chunks[k])-len(v.chunks[k]) < len(b) {
		size := leastChunk
		if k >= 0 {
			size = min(2*cap(v.chunks[k]), mostChunk)
		}
		v.chunks = append(v.chunks, make([]byte, 0, max(size, len(b))))
		k++
	}
	c := v.chunks[k]
	v.chunks[k] = append(c, b...)
	return span{uint32(k), uint32(len(c)), uint32(len(b))}
}

// bytes gives what stands in a place; nobody may write to it or append to it.
func (v *vault) bytes(s span) []byte {
	if s.n == 0 {
		return nil
	}
	return v.chunks[s.chunk][s.off : s.off+s.n : s.off+s.n]
}

// index finds numbers by the hash of what they stand for: open addressing, a slot being a hash and a number + 1. The upper bits of the hash are the place
// where a look begins, so that slots move without anything else being looked at.
type index struct {
	slots []uint64
	n     int
}

func (x *index) home(hash uint32) int { return int(uint64(hash) * uint64(len(x.slots)) >> 32) }

// find gives a number with a hash that is the one looked for.
func (x *index) find(hash uint32, is func(i uint32) bool) (uint32, bool) {
	if x.n == 0 {
		return 0, false
	}
	for p := x.home(hash); ; {
		s := x.slots[p]
		if s == 0 {
			return 0, false
		}
		if uint32(s>>32) == hash {
			if i := uint32(s) - 1; is(i) {
				return i, true
			}
		}
		if p++; p == len(x.slots) {
			p = 0
		}
	}
}

// add adds a number that is not there.
func (x *index) add(hash uint32, i uint32) {
	if 2*x.n >= len(x.slots) {
		old := x.slots
		x.slots = make([]uint64, max(16, 2*len(old)))
		for _, s := range old {
			if s != 0 {
				x.place(s)
			}
		}
	}
	x.n++
	x.place(uint64(hash)<<32 | uint64(i+1))
}

func (x *index) place(s uint64) {
	for p := x.home(uint32(s >> 32)); ; {
		if x.slots[p] == 0 {
			x.slots[p] = s
			return
		}
		if p++; p == len(x.slots) {
			p = 0
		}
	}
}

// remove takes a number out that is there. What stands behind it moves up, so that looks end where they did.
func (x *index) remove(hash uint32, i uint32) {
	want, mask := uint64(hash)<<32|uint64(i+1), len(x.slots)-1
	p := x.home(hash)
	for x.slots[p] != want {
		p = (p + 1) & mask
	}
	for q := (p + 1) & mask; x.slots[q] != 0; q = (q + 1) & mask {
		if from := x.home(uint32(x.slots[q] >> 32)); (q-from)&mask >= (q-p)&mask {
			x.slots[p] = x.slots[q]
			p = q
		}
	}
	x.slots[p] = 0
	x.n--
}

// due is an entry with the expiry that it was given once; it may have another by now, or be gone.
type due struct {
	at    int64
	entry uint32
}

// dueList has entries by their expiry: in runs that are sorted, each at least twice as long as the next when it was made, and what came since. Events
// come about in the order of their time, so there is little to sort, and what is due stands together at the begin of few runs.
type dueList struct {
	fresh []due
	runs  [][]due
}

func (l *dueList) add(at int64, entry uint32) {
	l.fresh = append(l.fresh, due{at, entry})
}

// sortDue sorts by expiry and leaves those in their order that have the same: by one digit after the other, from the lowest, as far as the expiries differ.
func sortDue(x []due) []due {
	const bits, few = 11, 64
	byTime := func(a, b due) int { return cmp.Compare(a.at, b.at) }
	switch {
	case slices.IsSortedFunc(x, byTime):
		return x
	case len(x) < few:
		slices.SortStableFunc(x, byTime)
		return x
	}
	least, most := slices.MinFunc(x, byTime).at, slices.MaxFunc(x, byTime).at
	to := make([]due, len(x))
	for shift := 0; shift < 64 && uint64(most-least)>>shift > 0; shift += bits {
		digit := func(d due) uint64 { return uint64(d.at-least) >> shift & (1<<bits - 1) }
		var next [1<<bits + 1]int
		for _, d := range x {
			next[digit(d)+1]++
		}
		for k := range 1 << bits {
			next[k+1] += next[k]
		}
		for _, d := range x {
			to[next[digit(d)]] = d
			next[digit(d)]++
		}
		x, to = to, x
	}
	return x
}

// settle makes a run of what came, and puts runs together, without what is not due any more.
func (l *dueList) settle(is func(due) bool) {
	if len(l.fresh) == 0 {
		return
	}
	run := sortDue(l.fresh)
	l.fresh = nil
	for n := len(l.runs); n > 0 && len(l.runs[n-1]) < 2*len(run); n-- {
		run = mergeDue(l.runs[n-1], run, is)
		l.runs = l.runs[:n-1]
	}
	l.runs = append(l.runs, run)
}

// mergeDue merges two runs, the older one first where they are equal.
func mergeDue(a, b []due, is func(due) bool) []due {
	out := make([]due, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		var d due
		if len(b) == 0 || len(a) > 0 && a[0].at <= b[0].at {
			d, a = a[0], a[1:]
		} else {
			d, b = b[0], b[1:]
		}
		if is(d) {
			out = append(out, d)
		}
	}
	return out
}

// first gives what is due first, at or before a time.
func (l *dueList) first(until int64) (d due, ok bool) {
	for _, r := range l.runs {
		if len(r) > 0 && r[0].at <= until && (!ok || r[0].at < d.at) {
			d, ok = r[0], true
		}
	}
	return d, ok
}

// pass takes out what first gave.
func (l *dueList) pass(d due) {
	for k, r := range l.runs {
		if len(r) > 0 && r[0] == d {
			l.runs[k] = r[1:]
			return
		}
	}
}

// groups are lists of entries whose keys differ in their suffix alone, by number: an entry knows its neighbours.
type groups struct {
	byPrefix index
	all      []group
	free     []uint32
}

// group is a list of entries.
type group struct {
	hash        uint32
	first, last uint32
}

// prefixOf is a key without its suffix; ok is false for one that has none.
func prefixOf(key []byte) (prefix []byte, ok bool) {
	if len(key) < Suffix {
		return nil, false
	}
	return key[:len(key)-Suffix], true
}

func (s *Memory) keyOf(i uint32) []byte { return s.vault.bytes(s.entries.at(i).key) }

// groupOf gives the number of a group.
func (s *Memory) groupOf(prefix []byte, hash uint32) (uint32, bool) {
	return s.groups.byPrefix.find(hash, func(g uint32) bool {
		p, _ := prefixOf(s.keyOf(s.groups.all[g].first))
		return bytes.Equal(p, prefix)
	})
}

// lastOf finds a key that is the last of its group or behind it, as most are that come; known is false for others.
func (s *Memory) lastOf(key []byte) (i uint32, ok, known bool) {
	prefix, ok := prefixOf(key)
	if !ok {
		return 0, false, false
	}
	g, ok := s.groupOf(prefix, hashOf(prefix))
	if !ok {
		return 0, false, true
	}
	last := s.groups.all[g].last
	c := bytes.Compare(key, s.keyOf(last))
	return last, c == 0, c >= 0
}

// join puts an entry into its group.
func (s *Memory) join(i uint32) {
	e := s.entries.at(i)
	e.group, e.next, e.prev = nobody, nobody, nobody
	key := s.keyOf(i)
	prefix, ok := prefixOf(key)
	if !ok {
		return
	}
	hash := hashOf(prefix)
	g, ok := s.groupOf(prefix, hash)
	if !ok {
		gs := s.groups
		if n := len(gs.free); n > 0 {
			g, gs.free = gs.free[n-1], gs.free[:n-1]
		} else {
			g = uint32(len(gs.all))
			gs.all = append(gs.all, group{})
		}
		gs.all[g] = group{hash, i, i}
		gs.byPrefix.add(hash, g)
		e.group = g
		return
	}
	e.group = g
	of := &s.groups.all[g]
	// Most come in order, so its place is looked for from the end.
	at := of.last
	for at != nobody && bytes.Compare(s.keyOf(at), key) > 0 {
		at = s.entries.at(at).prev
	}
	e.prev = at
	if at == nobody {
		e.next, of.first = of.first, i
	} else {
		e.next, s.entries.at(at).next = s.entries.at(at).next, i
	}
	if e.next == nobody {
		of.last = i
	} else {
		s.entries.at(e.next).prev = i
	}
}

// part takes an entry out of its group.
func (s *Memory) part(i uint32) {
	e := s.entries.at(i)
	if e.group == nobody {
		return
	}
	of := &s.groups.all[e.group]
	if e.prev == nobody {
		of.first = e.next
	} else {
		s.entries.at(e.prev).next = e.next
	}
	if e.next == nobody {
		of.last = e.prev
	} else {
		s.entries.at(e.next).prev = e.prev
	}
	if of.first == nobody {
		s.groups.byPrefix.remove(of.hash, e.group)
		s.groups.free = append(s.groups.free, e.group)
	}
}

// Group implements [Store]. The first call makes the groups; a store that is never asked has none.
func (s *Memory) Group(prefix []byte) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if s.groups == nil {
			s.groups = &groups{}
			for _, i := range s.inOrder() {
				s.join(i)
			}
			s.byKey, s.indexed = index{}, false
		}
		g, ok := s.groupOf(prefix, hashOf(prefix))
		if !ok {
			return
		}
		for i := s.groups.all[g].first; i != nobody; i = s.entries.at(i).next {
			if !yield(s.give(i), nil) {
				return
			}
		}
	}
}
