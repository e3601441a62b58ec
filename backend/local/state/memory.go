package state

import (
	"bytes"
	"hash/maphash"
	"iter"
	"slices"
)

// Memory is a [Store] in memory that remembers what changed since the last commit. No method of it fails.
//
// Entries are numbered, their bytes stand in a [vault], and all that leads to them is by number: no entry is an object of the collector's, which a state of
// millions of them would keep busy.
type Memory struct {
	entries pages
	free    []uint32
	live    int
	bytes   int64
	vault   vault
	due     dueList
	// byKey finds entries, where indexed says so. A store that is asked for groups finds most of what it is asked through them, and has no index before
	// that does not do: one of rows that come, are read by groups and expire never needs it.
	byKey   index
	indexed bool
	// groups are the entries by their keys without the suffix, in order; nil until someone asks for a group.
	groups *groups
	// noted says that changes are remembered. changed are the entries that did, in the order of their first change, so that files come out the same.
	noted   bool
	changed []uint32
	// given is the number + 1 of the entry that Expired gives at present: its caller asks for the same key.
	given uint32
}

// entry is a key and its value. One that was deleted stays until the change is written.
type entry struct {
	key, value span
	expiry     int64
	hash       uint32
	// group is the number of its group, and next and prev are its neighbours there; they mean nothing where there are no groups.
	group, next, prev uint32
	deleted, changed  bool
	indexed           bool // it is in the index
}

// nobody is the number of no entry.
const nobody = ^uint32(0)

var seed = maphash.MakeSeed()

// hashOf is the hash of a key. It differs from process to process and is never stored.
func hashOf(key []byte) uint32 { return uint32(maphash.Bytes(seed, key) >> 32) }

// NewMemory makes an empty store that is never committed.
func NewMemory() *Memory { return &Memory{indexed: true} }

// newHolder makes an empty store whose changes are committed.
func newHolder() *Memory { return &Memory{indexed: true, noted: true} }

// perEntry is about what an entry costs besides its key and value.
const perEntry = 64

// find gives the number of a key's entry. It may be one that is deleted, and then is the one to be used for the key.
func (s *Memory) find(key []byte) (i uint32, hash uint32, ok bool) {
	if !s.indexed {
		if i, ok, known := s.lastOf(key); known {
			return i, 0, ok
		}
		s.makeIndex()
	}
	hash = hashOf(key)
	i, ok = s.byKey.find(hash, func(i uint32) bool { return bytes.Equal(s.keyOf(i), key) })
	return i, hash, ok
}

// makeIndex makes the index of all entries that are there. Deleted ones stay out: a key that comes again has another entry, whose record is written behind.
func (s *Memory) makeIndex() {
	s.byKey, s.indexed = index{}, true
	for i := range s.entries.n {
		e := s.entries.at(i)
		if e.indexed = s.there(i); e.indexed {
			e.hash = hashOf(s.keyOf(i))
			s.byKey.add(e.hash, i)
		}
	}
}

func (s *Memory) give(i uint32) Entry {
	e := s.entries.at(i)
	return Entry{s.vault.bytes(e.key), s.vault.bytes(e.value), e.expiry}
}

// Get implements [Store].
func (s *Memory) Get(key []byte) ([]byte, bool, error) {
	if i, _, ok := s.find(key); ok && !s.entries.at(i).deleted {
		return s.vault.bytes(s.entries.at(i).value), true, nil
	}
	return nil, false, nil
}

// Put implements [Store].
func (s *Memory) Put(key, value []byte, expiry int64) error {
	s.change(s.put(key, value, expiry))
	return nil
}

// set implements [holder].
func (s *Memory) set(key, value []byte, expiry int64) error {
	s.put(key, value, expiry)
	return nil
}

// put sets an entry and gives its number.
func (s *Memory) put(key, value []byte, expiry int64) uint32 {
	i, hash, had := s.find(key)
	if !had {
		if n := len(s.free); n > 0 {
			i, s.free = s.free[n-1], s.free[:n-1]
		} else {
			i = s.entries.add()
		}
		*s.entries.at(i) = entry{key: s.vault.put(key), hash: hash, deleted: true, indexed: s.indexed}
		if s.indexed {
			s.byKey.add(hash, i)
		}
	}
	e := s.entries.at(i)
	moved := e.deleted || e.expiry != expiry
	if e.deleted {
		e.deleted = false
		s.live++
		s.bytes += int64(len(key)) + perEntry
		e.value = span{}
		if s.groups != nil {
			s.join(i)
		}
	}
	s.bytes += int64(len(value)) - int64(e.value.n)
	e.value, e.expiry = s.vault.put(value), expiry
	if expiry != Never && moved {
		s.due.add(expiry, i)
	}
	return i
}

// change notes that an entry changed. Only its last value is written: a group that many rows changed costs one record.
func (s *Memory) change(i uint32) {
	if e := s.entries.at(i); s.noted && !e.changed {
		e.changed = true
		s.changed = append(s.changed, i)
	}
}

// Delete implements [Store].
func (s *Memory) Delete(key []byte) error {
	i := s.given - 1
	ok := s.given > 0 && !s.entries.at(i).deleted && bytes.Equal(s.keyOf(i), key)
	if !ok {
		i, _, ok = s.find(key)
	}
	if ok && !s.entries.at(i).deleted {
		s.change(i)
		s.drop(i)
	}
	return nil
}

// remove implements [holder].
func (s *Memory) remove(key []byte) error {
	if i, _, ok := s.find(key); ok && !s.entries.at(i).deleted {
		s.drop(i)
	}
	return nil
}

// drop deletes an entry. Its number is free at once, or when the change has been written.
func (s *Memory) drop(i uint32) {
	e := s.entries.at(i)
	s.bytes -= int64(e.key.n) + int64(e.value.n) + perEntry
	s.live--
	e.deleted = true
	if s.groups != nil {
		s.part(i)
	}
	if !e.changed {
		s.release(i)
	}
}

// release frees the number of an entry that is deleted.
func (s *Memory) release(i uint32) {
	if e := s.entries.at(i); s.indexed && e.indexed {
		s.byKey.remove(e.hash, i)
	}
	s.free = append(s.free, i)
}

// Expired implements [Store].
func (s *Memory) Expired(watermark int64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		s.due.settle(s.isDue)
		defer func() { s.given = 0 }()
		for {
			d, ok := s.due.first(watermark)
			if !ok {
				return
			}
			// One that was left keeps its place.
			if s.given = 0; s.isDue(d) {
				s.given = d.entry + 1
				if !yield(s.give(d.entry), nil) {
					return
				}
			}
			s.due.pass(d)
		}
	}
}

// isDue tells whether an entry still has the expiry that it once had.
func (s *Memory) isDue(d due) bool {
	e := s.entries.at(d.entry)
	return !e.deleted && e.expiry == d.at
}

// All implements [Store].
func (s *Memory) All() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for i := range s.entries.n {
			if s.there(i) && !yield(s.give(i), nil) {
				return
			}
		}
	}
}

// there tells whether an entry is one, and not a number that is free.
func (s *Memory) there(i uint32) bool { return !s.entries.at(i).deleted }

// Len implements [Store].
func (s *Memory) Len() int { return s.live }

// Bytes implements [Store].
func (s *Memory) Bytes() int64 { return s.bytes }

// inOrder are all entries in the order of their keys.
func (s *Memory) inOrder() []uint32 {
	out := make([]uint32, 0, s.live)
	for i := range s.entries.n {
		if s.there(i) {
			out = append(out, i)
		}
	}
	slices.SortFunc(out, func(a, b uint32) int { return bytes.Compare(s.keyOf(a), s.keyOf(b)) })
	return out
}

// loaded implements [holder].
func (s *Memory) loaded() error {
	s.tidy()
	return nil
}

// changes implements [holder].
func (s *Memory) changes(w *recordWriter) error {
	for _, i := range s.changed {
		e := s.entries.at(i)
		var err error
		if e.deleted {
			err = w.delete(s.vault.bytes(e.key))
		} else {
			err = w.put(s.vault.bytes(e.key), s.vault.bytes(e.value), e.expiry)
		}
		if err != nil {
			return err
		}
	}
	for _, i := range s.changed {
		e := s.entries.at(i)
		if e.changed = false; e.deleted {
			s.release(i)
		}
	}
	s.changed = s.changed[:0]
	s.tidy()
	return nil
}

// tidy gives back memory, once most of it is of values that were replaced and of entries that are gone. No change may be unwritten.
func (s *Memory) tidy() {
	if gone := int(s.entries.n) - s.live; gone > 1<<12 && gone > 3*s.live {
		// The entries move together, and all that leads to them is made anew.
		old := *s
		*s = Memory{indexed: true, noted: old.noted, changed: old.changed[:0:0]}
		for i := range old.entries.n {
			if old.there(i) {
				x := old.give(i)
				s.put(x.Key, x.Value, x.Expiry)
			}
		}
		return
	}
	if kept := s.bytes - perEntry*int64(s.live); s.vault.used <= 2*kept+1<<20 {
		return
	}
	old := s.vault
	s.vault = vault{}
	for i := range s.entries.n {
		if e := s.entries.at(i); s.there(i) {
			e.key, e.value = s.vault.put(old.bytes(e.key)), s.vault.put(old.bytes(e.value))
		}
	}
}

// worth implements [holder]: a snapshot pays when the deltas to read at a restart outweigh it. Of a large state that hardly changes few are made.
func (s *Memory) worth(deltas int, bytes int64) bool {
	return deltas >= 10 && bytes*2 > s.bytes || deltas >= 100 && bytes*20 > s.bytes || deltas >= 1000
}

// snapshot implements [holder]: all entries, by key, so that equal states are equal files.
func (s *Memory) snapshot(d *Dir) error {
	w := newRecordWriter(d.fs, d.path(d.version, snapshotKind), magic)
	for _, i := range s.inOrder() {
		e := s.entries.at(i)
		if err := w.put(s.vault.bytes(e.key), s.vault.bytes(e.value), e.expiry); err != nil {
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
