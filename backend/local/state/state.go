// Package state keeps what stateful operators know between epochs: a map of bytes per operator, durable by version.
//
// Version n is the state after n epochs. A commit writes the changes of an epoch as <version>.delta and, from time to time, the
// whole as <version>.snapshot; loading reads the newest snapshot that is not newer and the deltas behind it. Both kinds of file end
// in a checksum, and a file that does not add up is an error, never an empty state.
package state

import (
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/spoonbill-go/spoonbill/backend/local/durable"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// Never is the expiry of an entry that the watermark does not remove.
const Never = math.MaxInt64

// Store is the state of one operator. It is used by one goroutine at a time. Slices that it gives are valid until the entry
// changes; slices that it is given are copied.
type Store interface {
	// Get gives the value of a key.
	Get(key []byte) ([]byte, bool)
	// Put sets a key's value and its expiry: the event time, in microseconds, at which a watermark makes it due.
	Put(key, value []byte, expiry int64)
	// Delete removes a key; one that is not there is no error.
	Delete(key []byte)
	// Expired gives the entries whose expiry is at or before a watermark, in order of expiry. Entries may be deleted on the way, and one that is not
	// may come again.
	Expired(watermark int64) iter.Seq2[[]byte, []byte]
	// All gives every entry in no particular order; nothing may be changed on the way.
	All() iter.Seq2[[]byte, []byte]
	// Len is the number of entries.
	Len() int
	// Bytes is about how much memory the entries take.
	Bytes() int64
}

// entry is a value in memory.
type entry struct {
	value  []byte
	expiry int64
}

// Memory is a [Store] in memory that remembers what changed since the last commit.
type Memory struct {
	m     map[string]entry
	bytes int64
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
	return &Memory{m: map[string]entry{}, due: map[int64][]string{}, dirty: map[string]struct{}{}}
}

// perEntry is about what a map entry costs besides its key and value.
const perEntry = 64

// Get implements [Store].
func (s *Memory) Get(key []byte) ([]byte, bool) {
	e, ok := s.m[string(key)]
	return e.value, ok
}

// Put implements [Store].
func (s *Memory) Put(key, value []byte, expiry int64) {
	k := string(key)
	s.touch(k)
	s.set(k, append([]byte(nil), value...), expiry)
}

// set puts an entry without noting a change, for loading too.
func (s *Memory) set(k string, value []byte, expiry int64) {
	old, had := s.m[k]
	if had {
		s.bytes -= int64(len(old.value))
	} else {
		s.bytes += int64(len(k)) + perEntry
	}
	s.bytes += int64(len(value))
	s.m[k] = entry{value, expiry}
	if expiry != Never && (!had || old.expiry != expiry) {
		if _, ok := s.due[expiry]; !ok {
			heap.Push(&s.times, expiry)
		}
		s.due[expiry] = append(s.due[expiry], k)
	}
}

// touch notes that a key changed. Only its last value is written: a group that many rows changed costs one record.
func (s *Memory) touch(k string) {
	if _, ok := s.dirty[k]; !ok {
		s.dirty[k] = struct{}{}
		s.order = append(s.order, k)
	}
}

// Delete implements [Store].
func (s *Memory) Delete(key []byte) {
	k := string(key)
	if _, ok := s.m[k]; ok {
		s.touch(k)
		s.remove(k)
	}
}

func (s *Memory) remove(k string) {
	if e, ok := s.m[k]; ok {
		s.bytes -= int64(len(k)+len(e.value)) + perEntry
		delete(s.m, k)
	}
}

// Expired implements [Store].
func (s *Memory) Expired(watermark int64) iter.Seq2[[]byte, []byte] {
	return func(yield func([]byte, []byte) bool) {
		for len(s.times) > 0 && s.times[0] <= watermark {
			t := s.times[0]
			keys := s.due[t]
			for len(keys) > 0 {
				k := keys[0]
				if e, ok := s.m[k]; ok && e.expiry == t {
					if !yield([]byte(k), e.value) {
						s.due[t] = keys
						return
					}
				}
				keys = keys[1:]
				s.due[t] = keys
			}
			delete(s.due, t)
			heap.Pop(&s.times)
		}
	}
}

// All implements [Store].
func (s *Memory) All() iter.Seq2[[]byte, []byte] {
	return func(yield func([]byte, []byte) bool) {
		for k, e := range s.m {
			if !yield([]byte(k), e.value) {
				return
			}
		}
	}
}

// Len implements [Store].
func (s *Memory) Len() int { return len(s.m) }

// Bytes implements [Store].
func (s *Memory) Bytes() int64 { return s.bytes }

// Dir is the durable form of one operator's state: a folder of deltas and snapshots and the current version in memory.
type Dir struct {
	fs      vfs.FS
	dir     string
	store   *Memory
	version int64
	// sinceSnapshot counts the deltas, and deltaBytes their sizes, since the last snapshot.
	sinceSnapshot int
	deltaBytes    int64
	retain        int64
}

// DefaultRetain is how many versions can be gone back to, as Spark's minBatchesToRetain.
const DefaultRetain = 100

// Open loads a version of the state in a folder; version 0 is empty, whatever the folder holds. Files of later versions are left
// over from an epoch that was not committed. They are removed, durably, before anything is written: a snapshot of the epoch as it ran
// the first time must not be loaded in the place of what its second run wrote.
func Open(fs vfs.FS, dir string, version int64) (*Dir, error) {
	d := &Dir{fs: fs, dir: dir, version: version, store: NewMemory(), retain: DefaultRetain}
	if err := durable.Mkdir(fs, dir); err != nil {
		return nil, err
	}
	names, err := durable.List(fs, dir)
	if err != nil {
		return nil, err
	}
	if err := d.removeAbove(version, names); err != nil {
		return nil, err
	}
	base := int64(0)
	for _, n := range names {
		if v, kind, ok := parseName(n); ok && kind == "snapshot" && v <= version && v > base {
			base = v
		}
	}
	if base > 0 {
		if _, err := d.load(base, "snapshot"); err != nil {
			return nil, err
		}
	}
	for v := base + 1; v <= version; v++ {
		size, err := d.load(v, "delta")
		if err != nil {
			return nil, err
		}
		d.sinceSnapshot++
		d.deltaBytes += size
	}
	return d, nil
}

// removeAbove removes the files of later versions.
func (d *Dir) removeAbove(version int64, names []string) error {
	removed := false
	for _, n := range names {
		if v, _, ok := parseName(n); ok && v > version {
			if err := durable.Remove(d.fs, d.fs.PathJoin(d.dir, n)); err != nil {
				return err
			}
			removed = true
		}
	}
	if !removed {
		return nil
	}
	return durable.SyncDir(d.fs, d.dir)
}

// Store gives the map.
func (d *Dir) Store() *Memory { return d.store }

// Version is the version that is loaded or was committed last.
func (d *Dir) Version() int64 { return d.version }

func parseName(n string) (version int64, kind string, ok bool) {
	num, kind, ok := strings.Cut(n, ".")
	v, err := strconv.ParseInt(num, 10, 64)
	return v, kind, ok && err == nil && (kind == "delta" || kind == "snapshot")
}

func (d *Dir) path(version int64, kind string) string {
	return d.fs.PathJoin(d.dir, strconv.FormatInt(version, 10)+"."+kind)
}

// A file is the magic, records, a zero byte, the number of records and the CRC-32C of everything before it. A record is 1 (put)
// with key, value and expiry, or 2 (delete) with the key; lengths and numbers are varints.
const magic = "SBSTATE1"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendPut(b []byte, k string, e entry) []byte {
	b = append(b, 1)
	b = binary.AppendUvarint(b, uint64(len(k)))
	b = append(b, k...)
	b = binary.AppendUvarint(b, uint64(len(e.value)))
	b = append(b, e.value...)
	return binary.AppendVarint(b, e.expiry)
}

func seal(b []byte, records int) []byte {
	b = append(b, 0)
	b = binary.AppendUvarint(b, uint64(records))
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// Commit makes the changes since the last commit durable as the next version.
func (d *Dir) Commit() error {
	s := d.store
	b := []byte(magic)
	for _, k := range s.order {
		if e, ok := s.m[k]; ok {
			b = appendPut(b, k, e)
		} else {
			b = append(b, 2)
			b = binary.AppendUvarint(b, uint64(len(k)))
			b = append(b, k...)
		}
	}
	b = seal(b, len(s.order))
	next := d.version + 1
	if err := durable.Write(d.fs, d.path(next, "delta"), b); err != nil {
		return err
	}
	d.version = next
	s.dirty, s.order = map[string]struct{}{}, nil
	d.sinceSnapshot++
	d.deltaBytes += int64(len(b))
	// A snapshot pays when the deltas to read at a restart outweigh it.
	if d.sinceSnapshot >= 10 && d.deltaBytes*2 > s.bytes || d.sinceSnapshot >= 100 {
		if err := d.snapshot(); err != nil {
			return err
		}
		return d.purge()
	}
	return nil
}

// snapshot writes the whole map, by key, so that equal states are equal files.
func (d *Dir) snapshot() error {
	b := append(make([]byte, 0, d.store.bytes+64), magic...)
	keys := make([]string, 0, len(d.store.m))
	for k := range d.store.m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		b = appendPut(b, k, d.store.m[k])
	}
	if err := durable.Write(d.fs, d.path(d.version, "snapshot"), seal(b, len(keys))); err != nil {
		return err
	}
	d.sinceSnapshot, d.deltaBytes = 0, 0
	return nil
}

// purge removes the files that no version within the retention needs.
func (d *Dir) purge() error {
	oldest := d.version - d.retain
	names, err := durable.List(d.fs, d.dir)
	if err != nil {
		return err
	}
	base := int64(0)
	for _, n := range names {
		if v, kind, ok := parseName(n); ok && kind == "snapshot" && v <= oldest && v > base {
			base = v
		}
	}
	for _, n := range names {
		v, kind, ok := parseName(n)
		if ok && (v < base || v == base && kind == "delta") {
			if err := durable.Remove(d.fs, d.fs.PathJoin(d.dir, n)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *Dir) load(version int64, kind string) (int64, error) {
	path := d.path(version, kind)
	data, err := durable.Read(d.fs, path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return 0, corrupt(path, "it is missing")
		}
		return 0, err
	}
	if err := decode(data, d.store); err != nil {
		return 0, corrupt(path, err.Error())
	}
	return int64(len(data)), nil
}

// corrupt is the error of a file that cannot be used; there is no way on without it, so it names the ways out.
func corrupt(path, why string) error {
	e := condition.Newf(condition.CheckpointCorrupt, "The state file %s cannot be used: %s.", path, why)
	e.Hint = "Restore the file from a backup, or start the query with a new checkpoint folder, which reads its sources from their start."
	return e
}

// decode applies a file to a store.
func decode(data []byte, s *Memory) error {
	if len(data) < len(magic)+6 || string(data[:len(magic)]) != magic {
		return fmt.Errorf("it does not begin as a state file")
	}
	body, sum := data[:len(data)-4], binary.LittleEndian.Uint32(data[len(data)-4:])
	if crc32.Checksum(body, castagnoli) != sum {
		return fmt.Errorf("its checksum is wrong")
	}
	b := body[len(magic):]
	bytes := func() ([]byte, bool) {
		n, k := binary.Uvarint(b)
		if k <= 0 || n > uint64(len(b)-k) {
			return nil, false
		}
		x := b[k : k+int(n)]
		b = b[k+int(n):]
		return x, true
	}
	short := fmt.Errorf("it ends too early")
	for records := uint64(0); ; records++ {
		if len(b) == 0 {
			return short
		}
		op := b[0]
		b = b[1:]
		if op == 0 {
			n, k := binary.Uvarint(b)
			if k <= 0 || k != len(b) || n != records {
				return fmt.Errorf("it has %d records, not the number at its end", records)
			}
			return nil
		}
		key, ok := bytes()
		if !ok {
			return short
		}
		if op == 2 {
			s.remove(string(key))
			continue
		}
		value, ok := bytes()
		if !ok {
			return short
		}
		expiry, k := binary.Varint(b)
		if k <= 0 {
			return short
		}
		b = b[k:]
		s.set(string(key), append([]byte(nil), value...), expiry)
	}
}
