package state

import (
	"container/heap"
	"iter"
	"slices"
	"sort"
	"strings"
)

// entry is a value in memory.
type entry struct {
	key    string
	value  []byte
	expiry int64
}

func (e *entry) give() Entry { return Entry{[]byte(e.key), e.value, e.expiry} }

// Memory is a [Store] in memory that remembers what changed since the last commit. No method of it fails.
type Memory struct {
	m     map[string]*entry
	bytes int64
	// groups are the entries by their keys without the suffix, in order; nil until someone asks for a group.
	groups map[string][]*entry
	// due are the keys of each expiry, and times the expiries in a heap. Keys that were deleted or moved on stay in due until their
	// time comes: whoever reads it checks the map.
	due   map[int64][]string
	times timeHeap
	dirty map[string]struct{}
	order []string // the keys of dirty in the order of their first change, so that files come out the same
}

type timeHeap []int64

func (h timeHeap) Len() int           { return len(h) }
func (h timeHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h timeHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *timeHeap) Push(x any)        { *h = append(*h, x.(int64)) }
func (h *timeHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// NewMemory makes an empty store.
func NewMemory() *Memory {
	return &Memory{m: map[string]*entry{}, due: map[int64][]string{}, dirty: map[string]struct{}{}}
}

// perEntry is about what a map entry costs besides its key and value.
const perEntry = 64

// Get implements [Store].
func (s *Memory) Get(key []byte) ([]byte, bool, error) {
	if e, ok := s.m[string(key)]; ok {
		return e.value, true, nil
	}
	return nil, false, nil
}

// Put implements [Store].
func (s *Memory) Put(key, value []byte, expiry int64) error {
	k := string(key)
	s.touch(k)
	return s.set(k, append([]byte(nil), value...), expiry)
}

// set implements [holder].
func (s *Memory) set(k string, value []byte, expiry int64) error {
	e, had := s.m[k]
	moved := !had || e.expiry != expiry
	if had {
		s.bytes += int64(len(value) - len(e.value))
		e.value, e.expiry = value, expiry
	} else {
		e = &entry{k, value, expiry}
		s.m[k] = e
		s.bytes += int64(len(k)+len(value)) + perEntry
		if s.groups != nil {
			s.join(e)
		}
	}
	if expiry != Never && moved {
		if _, ok := s.due[expiry]; !ok {
			heap.Push(&s.times, expiry)
		}
		s.due[expiry] = append(s.due[expiry], k)
	}
	return nil
}

// touch notes that a key changed. Only its last value is written: a group that many rows changed costs one record.
func (s *Memory) touch(k string) {
	if _, ok := s.dirty[k]; !ok {
		s.dirty[k] = struct{}{}
		s.order = append(s.order, k)
	}
}

// Delete implements [Store].
func (s *Memory) Delete(key []byte) error {
	k := string(key)
	if _, ok := s.m[k]; ok {
		s.touch(k)
		return s.remove(k)
	}
	return nil
}

// remove implements [holder].
func (s *Memory) remove(k string) error {
	if e, ok := s.m[k]; ok {
		s.bytes -= int64(len(k)+len(e.value)) + perEntry
		delete(s.m, k)
		if s.groups != nil {
			s.part(e)
		}
	}
	return nil
}

// join puts an entry into its group.
func (s *Memory) join(e *entry) {
	if len(e.key) < Suffix {
		return
	}
	prefix := e.key[:len(e.key)-Suffix]
	of := s.groups[prefix]
	at := len(of)
	if at > 0 && of[at-1].key > e.key { // most come in order
		at, _ = slices.BinarySearchFunc(of, e.key, func(x *entry, k string) int { return strings.Compare(x.key, k) })
	}
	s.groups[prefix] = slices.Insert(of, at, e)
}

// part takes an entry out of its group.
func (s *Memory) part(e *entry) {
	if len(e.key) < Suffix {
		return
	}
	prefix := e.key[:len(e.key)-Suffix]
	of := s.groups[prefix]
	if at, ok := slices.BinarySearchFunc(of, e.key, func(x *entry, k string) int { return strings.Compare(x.key, k) }); ok {
		of = slices.Delete(of, at, at+1)
	}
	if len(of) == 0 {
		delete(s.groups, prefix)
		return
	}
	s.groups[prefix] = of
}

// Group implements [Store]. The first call makes the groups; a store that is never asked has none.
func (s *Memory) Group(prefix []byte) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if s.groups == nil {
			s.groups = map[string][]*entry{}
			for _, k := range s.keys() {
				s.join(s.m[k])
			}
		}
		for _, e := range s.groups[string(prefix)] {
			if !yield(e.give(), nil) {
				return
			}
		}
	}
}

// Expired implements [Store].
func (s *Memory) Expired(watermark int64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for len(s.times) > 0 && s.times[0] <= watermark {
			t := s.times[0]
			keys := s.due[t]
			for len(keys) > 0 {
				k := keys[0]
				if e, ok := s.m[k]; ok && e.expiry == t {
					if !yield(e.give(), nil) {
						s.due[t] = keys
						return
					}
				}
				keys = keys[1:]
				s.due[t] = keys
			}
			delete(s.due, t)
			if s.times[0] == t { // else one that was put on the way is due before it
				heap.Pop(&s.times)
			}
		}
	}
}

// All implements [Store].
func (s *Memory) All() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for _, e := range s.m {
			if !yield(e.give(), nil) {
				return
			}
		}
	}
}

// Len implements [Store].
func (s *Memory) Len() int { return len(s.m) }

// Bytes implements [Store].
func (s *Memory) Bytes() int64 { return s.bytes }

// keys are all keys in order.
func (s *Memory) keys() []string {
	keys := make([]string, 0, len(s.m))
	for k := range s.m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// loaded implements [holder].
func (s *Memory) loaded() error { return nil }

// changes implements [holder].
func (s *Memory) changes(w *recordWriter) error {
	for _, k := range s.order {
		var err error
		if e, ok := s.m[k]; ok {
			err = w.put(e.key, e.value, e.expiry)
		} else {
			err = w.delete(k)
		}
		if err != nil {
			return err
		}
	}
	if len(s.order) > 0 {
		s.dirty, s.order = map[string]struct{}{}, nil
	}
	return nil
}

// worth implements [holder]: a snapshot pays when the deltas to read at a restart outweigh it. Of a large state that hardly changes few are made.
func (s *Memory) worth(deltas int, bytes int64) bool {
	return deltas >= 10 && bytes*2 > s.bytes || deltas >= 100 && bytes*20 > s.bytes || deltas >= 1000
}

// snapshot implements [holder]: the whole map, by key, so that equal states are equal files.
func (s *Memory) snapshot(d *Dir) error {
	w := newRecordWriter(d.fs, d.path(d.version, snapshotKind), magic)
	for _, k := range s.keys() {
		e := s.m[k]
		if err := w.put(k, e.value, e.expiry); err != nil {
			w.abort()
			return err
		}
	}
	return w.commit()
}

// restore implements [holder].
func (s *Memory) restore(d *Dir, folder string, of mark) error {
	return readPebble(d.fs, folder, of, s)
}

// close implements [holder].
func (s *Memory) close() error { return nil }
