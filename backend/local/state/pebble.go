package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/spoonbill-go/spoonbill/backend/local/durable"
)

// workDir is the folder of the store's own files, beside the deltas and snapshots. Nothing in it outlives a run: a start makes it anew from what was
// committed, so a crash may leave anything there.
const workDir = "work"

// Pebble is a [Store] in files. The changes of an epoch stand in memory until they are many or someone asks for entries in an order; then
// they are written to the epoch's delta and put into the tree of files.
//
// The tree has no log of its own and is not what a restart begins with. What makes a version durable is its delta, as with [Memory]. A snapshot flushes the
// tree and links its files, which never change once they are written, into a folder; the snapshot's file, which names the folder, is written when
// all of that is durable.
type Pebble struct {
	dir   *Dir
	work  string
	db    *pebble.DB
	cache *pebble.Cache
	fault *diskFault
	// memtable is the size at which the tree's part in memory becomes a file, and unflushed what went into it since the last flush that was waited for.
	memtable, unflushed int64
	// bytes is the size of all keys and values, and entries their number.
	bytes   int64
	entries int
	// dirty are the changes that the tree has not; order are their keys in the order of their first change.
	dirty      map[string]change
	order      []string
	dirtyBytes int64
	// next is not above the expiry of any entry of the tree, so that an epoch in which nothing is due reads nothing.
	next int64
	// last is what was found when a key was looked up last: most changes follow a look.
	last struct {
		key   string
		found bool
		size  int
		at    int64
	}
	value []byte // room for a value of the tree
}

// change is a changed entry, nil for a deletion, and whether and with which expiry the tree has one of the key.
type change struct {
	*Entry
	had bool
	at  int64
}

// spillBytes is how much of the changes of an epoch is kept in memory.
var spillBytes int64 = 8 << 20 // tests make it small

// diskFault is the first error of the tree's own goroutines. The tree would try again for ever, or end the process: here whoever uses it
// finds the error, and its query ends.
type diskFault struct {
	once sync.Once
	err  error
	done chan struct{}
}

func (f *diskFault) set(err error) {
	f.once.Do(func() { f.err = err; close(f.done) })
}

func (f *diskFault) get() error {
	select {
	case <-f.done:
		return f.err
	default:
		return nil
	}
}

// Infof implements pebble.Logger.
func (f *diskFault) Infof(string, ...any) {}

// Errorf implements pebble.Logger.
func (f *diskFault) Errorf(string, ...any) {}

// Fatalf implements pebble.Logger. It comes back, and the caller goes on with the error that it told.
func (f *diskFault) Fatalf(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	for _, a := range args {
		if e, ok := a.(error); ok {
			err = e // the error itself says whether the disk is full
		}
	}
	f.set(err)
}

// The keys of the tree: entries, and the index of those that expire, by their time.
const (
	entryPrefix  = 'd'
	expiryPrefix = 'x'
	sizePrefix   = 's' // the version of a snapshot, how many entries it has and how large they are
)

func treeKey(k string) []byte { return append([]byte{entryPrefix}, k...) }

// flipped is a time whose bytes are in the order of the times.
func flipped(t int64) uint64 { return uint64(t) ^ 1<<63 }

func expiryKey(t int64, k string) []byte {
	return append(binary.BigEndian.AppendUint64([]byte{expiryPrefix}, flipped(t)), k...)
}

// openPebble makes an empty store that takes about so many bytes of memory.
func openPebble(d *Dir, memory int64) (*Pebble, error) {
	p := &Pebble{
		dir: d, work: d.fs.PathJoin(d.dir, workDir), dirty: map[string]change{}, next: math.MaxInt64,
		memtable: min(max(memory/8, 1<<20), 64<<20),
	}
	p.cache = pebble.NewCache(max(memory/2, 1<<20))
	if err := durable.Failed("remove", p.work, d.fs.RemoveAll(p.work)); err != nil && !errors.Is(err, os.ErrNotExist) {
		p.cache.Unref()
		return nil, err
	}
	if err := p.open(); err != nil {
		p.cache.Unref()
		return nil, err
	}
	return p, nil
}

// treeFS is the file system of a tree. The tree ends the process where a sync fails, since it could not know what is durable. Nothing of it needs to be but the
// files of a snapshot, which is not finished once there is a fault: so a sync that fails is noted, and the tree goes on until its query ends.
type treeFS struct {
	vfs.FS
	fault *diskFault
}

// treeFile is a file or a folder of a [treeFS].
type treeFile struct {
	vfs.File
	fault *diskFault
}

func (f treeFS) file(x vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return treeFile{x, f.fault}, nil
}

// Create implements vfs.FS.
func (f treeFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return f.file(f.FS.Create(name, c))
}

// OpenReadWrite implements vfs.FS.
func (f treeFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	return f.file(f.FS.OpenReadWrite(name, c, o...))
}

// OpenDir implements vfs.FS.
func (f treeFS) OpenDir(name string) (vfs.File, error) { return f.file(f.FS.OpenDir(name)) }

// ReuseForWrite implements vfs.FS.
func (f treeFS) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return f.file(f.FS.ReuseForWrite(from, to, c))
}

// Unwrap implements vfs.FS.
func (f treeFS) Unwrap() vfs.FS { return f.FS }

func (f treeFile) note(err error) error {
	if err != nil {
		f.fault.set(err)
	}
	return nil
}

// Sync implements vfs.File.
func (f treeFile) Sync() error { return f.note(f.File.Sync()) }

// SyncData implements vfs.File.
func (f treeFile) SyncData() error { return f.note(f.File.SyncData()) }

// SyncTo implements vfs.File.
func (f treeFile) SyncTo(length int64) (bool, error) {
	full, err := f.File.SyncTo(length)
	return full, f.note(err)
}

// readFS is a file system in which a folder is not locked, since it is only read.
type readFS struct{ vfs.FS }

// Lock implements vfs.FS.
func (readFS) Lock(string) (io.Closer, error) { return io.NopCloser(nil), nil }

// treeOptions are the tree's options over a file system.
func treeOptions(fs vfs.FS, fault *diskFault) *pebble.Options {
	o := &pebble.Options{
		FS: treeFS{fs, fault}, Logger: fault, DisableWAL: true, FormatMajorVersion: pebble.FormatNewest,
		// The store waits for the tree itself, so that it can end when the disk fails.
		MemTableStopWritesThreshold: math.MaxInt32, L0StopWritesThreshold: math.MaxInt32,
		EventListener: &pebble.EventListener{
			BackgroundError: fault.set,
			DataCorruption:  func(i pebble.DataCorruptionInfo) { fault.set(i.Details) },
		},
	}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10) // most keys that are looked for are new
	}
	// A flush or merge that ends looks for the next merge, and nothing else makes one due. The usual scheduler has a goroutine that looks now and then, and that stays
	// behind when a tree cannot be opened.
	o.Experimental.CompactionScheduler = pebble.NewConcurrencyLimitSchedulerWithNoPeriodicGrantingForTest()
	return o
}

// open opens the tree in the work folder.
func (p *Pebble) open() error {
	p.fault = &diskFault{done: make(chan struct{})}
	o := treeOptions(p.dir.fs, p.fault)
	o.Cache, o.MemTableSize = p.cache, uint64(p.memtable)
	db, err := pebble.Open(p.work, o)
	if err == nil {
		if err = p.fault.get(); err != nil {
			_ = db.Close() // the first error is the one to tell
		}
	}
	p.db = db
	return p.failed("open", err)
}

// failed makes the store's error of one of the tree.
func (p *Pebble) failed(what string, err error) error {
	if e := p.fault.get(); e != nil {
		err = e // what came first tells more than what came of it
	}
	if err != nil && pebble.IsCorruptionError(err) {
		return corrupt(p.work, err.Error())
	}
	return durable.Failed(what, p.work, err)
}

// find reads an entry of the tree: its value, which is the caller's, and its expiry.
func (p *Pebble) find(key string) (value []byte, expiry int64, ok bool, err error) {
	v, closer, err := p.db.Get(treeKey(key))
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, 0, false, nil
	}
	if err != nil {
		return nil, 0, false, p.failed("read", err)
	}
	expiry, value, ok = readValue(v)
	value = append([]byte(nil), value...)
	if e := closer.Close(); e != nil {
		return nil, 0, false, p.failed("read", e)
	}
	if !ok {
		return nil, 0, false, corrupt(p.work, "an entry is too short")
	}
	return value, expiry, true, nil
}

func readValue(v []byte) (expiry int64, value []byte, ok bool) {
	if len(v) < 8 {
		return 0, nil, false
	}
	return int64(binary.BigEndian.Uint64(v)), v[8:], true
}

// Get implements [Store].
func (p *Pebble) Get(key []byte) ([]byte, bool, error) {
	if c, ok := p.dirty[string(key)]; ok {
		if c.Entry == nil {
			return nil, false, nil
		}
		return c.Value, true, nil
	}
	v, expiry, ok, err := p.find(string(key))
	if err != nil {
		return nil, false, err
	}
	p.last.key, p.last.found, p.last.size, p.last.at = string(key), ok, len(v), expiry
	return v, ok, nil
}

// look tells what the tree has under a key: the size of its value and its expiry.
func (p *Pebble) look(k string) (size int, expiry int64, ok bool, err error) {
	if p.last.key == k && k != "" {
		return p.last.size, p.last.at, p.last.found, nil
	}
	v, expiry, ok, err := p.find(k)
	return len(v), expiry, ok, err
}

// Put implements [Store].
func (p *Pebble) Put(key, value []byte, expiry int64) error {
	k := string(key)
	if err := p.change(k, &Entry{bytes.Clone(key), bytes.Clone(value), expiry}); err != nil {
		return err
	}
	return p.room(p.dir.delta)
}

// Delete implements [Store].
func (p *Pebble) Delete(key []byte) error {
	if err := p.change(string(key), nil); err != nil {
		return err
	}
	return p.room(p.dir.delta)
}

// change notes an entry, or with nil its deletion.
func (p *Pebble) change(k string, e *Entry) error {
	c, noted := p.dirty[k]
	size, had := 0, false
	if noted {
		if had = c.Entry != nil; had {
			size = len(c.Value)
			p.dirtyBytes -= int64(size)
		}
	} else {
		var err error
		if size, c.at, c.had, err = p.look(k); err != nil {
			return err
		}
		had = c.had
	}
	if e == nil && !had {
		return nil
	}
	if !noted {
		p.order = append(p.order, k)
		p.dirtyBytes += 2*int64(len(k)) + perEntry
	}
	if had {
		p.bytes -= int64(len(k) + size)
		p.entries--
	}
	if e != nil {
		p.bytes += int64(len(k) + len(e.Value))
		p.entries++
		p.dirtyBytes += int64(len(e.Value))
	}
	c.Entry = e
	p.dirty[k] = c
	return nil
}

// room spills the changes once they are many.
func (p *Pebble) room(delta func() *recordWriter) error {
	if p.dirtyBytes < spillBytes {
		return nil
	}
	return p.spill(delta())
}

// spill writes the changes to a delta and puts them into the tree. Without a delta they come from one.
func (p *Pebble) spill(w *recordWriter) error {
	if len(p.order) == 0 {
		return p.failed("write", nil)
	}
	b := p.db.NewBatch()
	defer b.Close() // its commit tells what counts
	for _, k := range p.order {
		if err := p.record(b, w, k, p.dirty[k]); err != nil {
			return p.failed("write", err)
		}
	}
	p.unflushed += int64(b.Len())
	if err := b.Commit(pebble.NoSync); err != nil {
		return p.failed("write", err)
	}
	clear(p.dirty)
	p.order, p.dirtyBytes, p.last.key = p.order[:0], 0, ""
	if p.unflushed > 2*p.memtable {
		return p.flush()
	}
	return p.failed("write", nil)
}

// record writes a change to a batch of the tree and to a delta. The index has an entry exactly where the tree has one that expires.
func (p *Pebble) record(b *pebble.Batch, w *recordWriter, k string, c change) error {
	if c.had && c.at != Never && (c.Entry == nil || c.Expiry != c.at) {
		if err := b.Delete(expiryKey(c.at, k), nil); err != nil {
			return err
		}
	}
	if c.Entry == nil {
		if c.had {
			if err := b.Delete(treeKey(k), nil); err != nil {
				return err
			}
		}
		if w == nil {
			return nil
		}
		return w.delete([]byte(k))
	}
	if c.Expiry != Never && (!c.had || c.Expiry != c.at) {
		if err := b.Set(expiryKey(c.Expiry, k), nil, nil); err != nil {
			return err
		}
		p.next = min(p.next, c.Expiry)
	}
	p.value = append(binary.BigEndian.AppendUint64(p.value[:0], uint64(c.Expiry)), c.Value...)
	if err := b.Set(treeKey(k), p.value, nil); err != nil {
		return err
	}
	if w == nil {
		return nil
	}
	return w.put(c.Key, c.Value, c.Expiry)
}

// maxSublevels is how many sorted runs the first level may have before the store waits for the tree to merge some.
const maxSublevels = 16

// flush writes the tree's part in memory to files and waits for them, or for an error.
func (p *Pebble) flush() error {
	if err := p.failed("write", nil); err != nil {
		return err
	}
	done, err := p.db.AsyncFlush()
	if err != nil {
		return p.failed("write", err)
	}
	select {
	case <-done:
	case <-p.fault.done:
		return p.failed("write", nil)
	}
	p.unflushed = 0
	for p.db.Metrics().Levels[0].Sublevels > maxSublevels {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-p.fault.done:
			return p.failed("write", nil)
		}
	}
	return p.failed("write", nil)
}

// span gives the entries of the tree from lower on and below upper. Changes must have been spilled.
func (p *Pebble) span(lower, upper []byte, give func(key, value []byte) (more bool, err error)) (err error) {
	it, err := p.db.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		return p.failed("read", err)
	}
	defer func() {
		if e := it.Close(); err == nil {
			err = p.failed("read", e)
		}
	}()
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.ValueAndErr()
		if err != nil {
			return p.failed("read", err)
		}
		if more, err := give(it.Key(), v); err != nil || !more {
			return err
		}
	}
	return nil
}

// entriesOf gives the entries whose keys, in the tree, are in a span and pass a test.
func (p *Pebble) entriesOf(lower, upper []byte, want func(key []byte) bool) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		stopped := false
		err := p.spill(p.dir.delta())
		if err == nil {
			err = p.span(lower, upper, func(key, v []byte) (bool, error) {
				if !want(key) {
					return true, nil
				}
				expiry, value, ok := readValue(v)
				if !ok {
					return false, corrupt(p.work, "an entry is too short")
				}
				stopped = !yield(Entry{append([]byte(nil), key[1:]...), append([]byte(nil), value...), expiry}, nil)
				return !stopped, nil
			})
		}
		if err != nil && !stopped {
			yield(Entry{}, err)
		}
	}
}

// Group implements [Store].
func (p *Pebble) Group(prefix []byte) iter.Seq2[Entry, error] {
	lower := treeKey(string(prefix))
	return p.entriesOf(lower, after(lower), func(key []byte) bool { return len(key) == len(lower)+Suffix })
}

// after is the least key above all that begin with a prefix.
func after(prefix []byte) []byte {
	out := append([]byte(nil), prefix...)
	for i := len(out) - 1; i >= 0; i-- {
		if out[i]++; out[i] != 0 {
			return out[:i+1]
		}
	}
	return nil
}

// All implements [Store].
func (p *Pebble) All() iter.Seq2[Entry, error] {
	return p.entriesOf([]byte{entryPrefix}, []byte{entryPrefix + 1}, func([]byte) bool { return true })
}

// Expired implements [Store]. It reads the part of the index that is due, and the entries that it names.
func (p *Pebble) Expired(watermark int64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if err := p.spill(p.dir.delta()); err != nil {
			yield(Entry{}, err)
			return
		}
		if p.next > watermark {
			return
		}
		// What is put on the way lowers it again.
		p.next = math.MaxInt64
		next, stopped := int64(math.MaxInt64), false
		err := p.span([]byte{expiryPrefix}, []byte{expiryPrefix + 1}, func(key, _ []byte) (bool, error) {
			if len(key) < 9 {
				return false, corrupt(p.work, "an entry of the index is too short")
			}
			t := int64(binary.BigEndian.Uint64(key[1:]) ^ 1<<63)
			if t > watermark {
				next = min(next, t)
				return false, nil
			}
			e, ok, err := p.entry(string(key[9:]))
			if err != nil {
				return false, err
			}
			if !ok || e.Expiry != t {
				return true, nil // changed on the way
			}
			stopped = !yield(e, nil)
			if c, dirty := p.dirty[string(e.Key)]; !dirty || c.Entry != nil {
				next = min(next, t) // it was left, as far as is known
			}
			return !stopped, nil
		})
		if p.next = min(p.next, next); stopped || err != nil {
			p.next = math.MinInt64
		}
		if err != nil && !stopped {
			yield(Entry{}, err)
		}
	}
}

// entry gives the entry of a key.
func (p *Pebble) entry(k string) (Entry, bool, error) {
	if c, dirty := p.dirty[k]; dirty {
		if c.Entry == nil {
			return Entry{}, false, nil
		}
		return *c.Entry, true, nil
	}
	value, expiry, ok, err := p.find(k)
	p.last.key, p.last.found, p.last.size, p.last.at = k, ok, len(value), expiry
	return Entry{[]byte(k), value, expiry}, ok, err
}

// Len implements [Store].
func (p *Pebble) Len() int { return p.entries }

// Bytes implements [Store]: the changes of the epoch, the tree's part in memory, and as much of the rest as the cache has at most.
func (p *Pebble) Bytes() int64 {
	return p.dirtyBytes + min(p.bytes+perEntry*int64(p.entries), p.cache.MaxSize()+p.unflushed)
}

// set implements [holder].
func (p *Pebble) set(key, value []byte, expiry int64) error {
	if err := p.change(string(key), &Entry{bytes.Clone(key), bytes.Clone(value), expiry}); err != nil {
		return err
	}
	return p.room(noDelta)
}

// remove implements [holder].
func (p *Pebble) remove(key []byte) error {
	if err := p.change(string(key), nil); err != nil {
		return err
	}
	return p.room(noDelta)
}

func noDelta() *recordWriter { return nil }

// loaded implements [holder].
func (p *Pebble) loaded() error { return p.spill(nil) }

// changes implements [holder].
func (p *Pebble) changes(w *recordWriter) error { return p.spill(w) }

// worth implements [holder]: links cost little, so the deltas that a restart reads are kept few. But each snapshot keeps files that the tree has
// replaced.
func (p *Pebble) worth(deltas int, bytes int64) bool {
	return deltas >= 10 && (bytes > 64<<20 || bytes*2 > p.bytes) || deltas >= 100
}

// snapshot implements [holder]. The order is what keeps it whole: all entries in files, the files linked into a folder of their own and that durable, and then the
// file that names the folder.
func (p *Pebble) snapshot(d *Dir) error {
	var size mark
	for _, n := range []int64{d.version, int64(p.entries), p.bytes} {
		size = binary.BigEndian.AppendUint64(size, uint64(n))
	}
	if err := p.db.Set([]byte{sizePrefix}, size, pebble.NoSync); err != nil {
		return p.failed("write", err)
	}
	if err := p.flush(); err != nil {
		return err
	}
	folder := d.path(d.version, folderKind)
	if err := p.db.Checkpoint(folder); err != nil {
		return p.failed("link the files of", err)
	}
	if err := p.failed("write", nil); err != nil {
		return err
	}
	w := newRecordWriter(d.fs, d.path(d.version, snapshotKind), magicPebble)
	if err := w.put(nil, size, Never); err != nil {
		return err
	}
	return w.commit()
}

// restore implements [holder]: the files of the folder are linked to the work folder. The tree never writes to a file that is there when it is
// opened, so the folder stays as it is.
func (p *Pebble) restore(d *Dir, folder string, of mark) error {
	if err := p.db.Close(); err != nil {
		return p.failed("close", err)
	}
	names, err := durable.List(d.fs, folder)
	if errors.Is(err, os.ErrNotExist) {
		err = corrupt(folder, "it is missing")
	}
	if err == nil {
		err = durable.Failed("remove", p.work, d.fs.RemoveAll(p.work))
	}
	if err == nil {
		err = durable.Failed("make the folder", p.work, d.fs.MkdirAll(p.work, 0o755))
	}
	for _, n := range names {
		if err == nil {
			err = durable.Failed("link", folder, vfs.LinkOrCopy(d.fs, d.fs.PathJoin(folder, n), d.fs.PathJoin(p.work, n)))
		}
	}
	if err != nil {
		p.db = nil
		return err
	}
	if err := p.open(); err != nil {
		p.db = nil
		return err
	}
	if p.entries, p.bytes, err = treeSize(p.db, folder, of); err != nil {
		return err
	}
	p.next = math.MinInt64 // unknown
	return nil
}

// treeSize reads how many entries a snapshot has, and how large they are, and compares it with what its file says.
func treeSize(db *pebble.DB, folder string, of mark) (entries int, bytes int64, err error) {
	v, closer, err := db.Get([]byte{sizePrefix})
	if err != nil {
		return 0, 0, corrupt(folder, "it has less than it had")
	}
	same := len(v) == 24 && string(v) == string(of)
	if err := closer.Close(); err != nil || !same {
		return 0, 0, corrupt(folder, "it has less than it had")
	}
	return int(binary.BigEndian.Uint64(of[8:])), int64(binary.BigEndian.Uint64(of[16:])), nil
}

// close implements [holder].
func (p *Pebble) close() error {
	var err error
	if p.db != nil {
		err = p.db.Close()
		p.db = nil
	}
	p.cache.Unref()
	if e := p.failed("close", err); e != nil {
		return e
	}
	// The files mean nothing any more, and the next run removes what could not be removed.
	return durable.Failed("remove", p.work, p.dir.fs.RemoveAll(p.work))
}

// readPebble puts the entries of a snapshot's folder into a store. The folder is only read.
func readPebble(fs vfs.FS, folder string, of mark, s setter) (err error) {
	fault := &diskFault{done: make(chan struct{})}
	if _, err := fs.Stat(folder); errors.Is(err, os.ErrNotExist) {
		return corrupt(folder, "it is missing")
	}
	o := treeOptions(readFS{fs}, fault)
	o.ReadOnly = true
	db, err := pebble.Open(folder, o)
	if err != nil {
		if pebble.IsCorruptionError(err) {
			return corrupt(folder, err.Error())
		}
		return durable.Failed("open", folder, err)
	}
	p := &Pebble{work: folder, db: db, fault: fault}
	defer func() {
		if e := db.Close(); err == nil {
			err = durable.Failed("close", folder, e)
		}
	}()
	if _, _, err := treeSize(db, folder, of); err != nil {
		return err
	}
	return p.span([]byte{entryPrefix}, []byte{entryPrefix + 1}, func(key, v []byte) (bool, error) {
		expiry, value, ok := readValue(v)
		if !ok {
			return false, corrupt(folder, "an entry is too short")
		}
		return true, s.set(key[1:], value, expiry)
	})
}
