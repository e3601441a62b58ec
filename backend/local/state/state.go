package state

import (
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/spoonbill-go/spoonbill/backend/local/durable"
)

// Options say how a state is kept. The zero value keeps it in memory, with [DefaultRetain] versions.
type Options struct {
	// Disk keeps the entries in files, by Pebble, and only so many bytes of them in memory; 0 keeps them all in memory.
	Disk int64
	// Retain is how many versions can be gone back to; 0 is [DefaultRetain].
	Retain int64
}

// DefaultRetain is how many versions can be gone back to, as Spark's spark.sql.streaming.minBatchesToRetain.
const DefaultRetain = 100

// Retained is how many versions can be gone back to.
func (o Options) Retained() int64 {
	if o.Retain == 0 {
		return DefaultRetain
	}
	return o.Retain
}

// holder is a store with what [Dir] asks of one.
type holder interface {
	Store
	// The setter changes entries without noting it, for loading.
	setter
	// loaded is called when all entries of a version have been set.
	loaded() error
	// changes writes what was changed since the last call and has not been written yet.
	changes(w *recordWriter) error
	// worth tells whether a snapshot should be made behind so many deltas of so many bytes.
	worth(deltas int, bytes int64) bool
	// snapshot writes the snapshot of the directory's version.
	snapshot(d *Dir) error
	// restore takes the entries out of a folder that a snapshot of files names, which says so of it. The store is empty before.
	restore(d *Dir, folder string, of mark) error
	close() error
}

// Dir is the durable form of one operator's state: a folder of deltas and snapshots, and the current version in a store.
type Dir struct {
	fs      vfs.FS
	dir     string
	store   holder
	version int64
	// pending is the delta of the epoch that runs, nil before its first record.
	pending *recordWriter
	// sinceSnapshot counts the deltas, and deltaBytes their sizes, since the last snapshot.
	sinceSnapshot int
	deltaBytes    int64
	retain        int64
	// failed is why nothing can be committed any more.
	failed error
}

const (
	deltaKind    = "delta"
	snapshotKind = "snapshot"
	folderKind   = "pebble"
)

// Open loads a version of the state in a folder; version 0 is empty, whatever the folder holds. Files of later versions are left
// over from an epoch that was not committed. They are removed, durably, before anything is written: a snapshot of the epoch as it ran
// the first time must not be loaded in the place of what its second run wrote. Close ends the use.
func Open(fs vfs.FS, dir string, version int64, o Options) (*Dir, error) {
	if err := durable.Mkdir(fs, dir); err != nil {
		return nil, err
	}
	names, err := durable.List(fs, dir)
	if err != nil {
		return nil, err
	}
	d := &Dir{fs: fs, dir: dir, version: version, retain: o.Retained()}
	if err := d.removeIf(names, func(v int64, _ string) bool { return v > version }); err != nil {
		return nil, err
	}
	if err := d.load(names, o.Disk); err != nil {
		return nil, err
	}
	return d, nil
}

// Read loads a version of the state in a folder into memory and changes nothing in the folder, which may be in use.
func Read(fs vfs.FS, dir string, version int64) (Store, error) {
	names, err := durable.List(fs, dir)
	if err != nil {
		return nil, err
	}
	d := &Dir{fs: fs, dir: dir, version: version}
	if err := d.load(names, 0); err != nil {
		return nil, err
	}
	return d.store, nil
}

// load makes the store of the directory's version.
func (d *Dir) load(names []string, disk int64) (err error) {
	d.store = newHolder()
	if disk > 0 {
		if d.store, err = openPebble(d, disk); err != nil {
			return err
		}
	}
	defer func() {
		if err != nil {
			_ = d.store.close() // the first error is the one to tell
		}
	}()
	base := newest(names, d.version)
	if base > 0 {
		_, of, err := readRecords(d.fs, d.path(base, snapshotKind), d.store)
		if err == nil && of != nil {
			err = d.store.restore(d, d.path(base, folderKind), of)
		}
		if err != nil {
			return err
		}
	}
	for v := base + 1; v <= d.version; v++ {
		size, _, err := readRecords(d.fs, d.path(v, deltaKind), d.store)
		if err != nil {
			return err
		}
		d.sinceSnapshot++
		d.deltaBytes += size
	}
	return d.store.loaded()
}

// newest is the version of the newest snapshot that is not above a version, or 0.
func newest(names []string, version int64) (base int64) {
	for _, n := range names {
		if v, kind, ok := parseName(n); ok && kind == snapshotKind && v <= version && v > base {
			base = v
		}
	}
	return base
}

// removeIf removes the files of some versions. A snapshot goes, durably, before the folder that it names, so that none is ever there
// without its folder.
func (d *Dir) removeIf(names []string, gone func(v int64, kind string) bool) error {
	var folders []string
	removed := false
	for _, n := range names {
		v, kind, ok := parseName(n)
		if !ok || !gone(v, kind) {
			continue
		}
		path := d.fs.PathJoin(d.dir, n)
		if kind == folderKind {
			folders = append(folders, path)
			continue
		}
		if err := durable.Remove(d.fs, path); err != nil {
			return err
		}
		removed = true
	}
	if removed {
		if err := durable.SyncDir(d.fs, d.dir); err != nil {
			return err
		}
	}
	for _, path := range folders {
		if err := durable.Failed("remove", path, d.fs.RemoveAll(path)); err != nil {
			return err
		}
	}
	return nil
}

// Store gives the map.
func (d *Dir) Store() Store { return d.store }

// Version is the version that is loaded or was committed last.
func (d *Dir) Version() int64 { return d.version }

// Close gives back what the store holds. It commits nothing.
func (d *Dir) Close() error {
	if d.pending != nil {
		d.pending.abort()
		d.pending = nil
	}
	return d.store.close()
}

func parseName(n string) (version int64, kind string, ok bool) {
	num, kind, ok := strings.Cut(n, ".")
	v, err := strconv.ParseInt(num, 10, 64)
	return v, kind, ok && err == nil && (kind == deltaKind || kind == snapshotKind || kind == folderKind)
}

func (d *Dir) path(version int64, kind string) string {
	return d.fs.PathJoin(d.dir, strconv.FormatInt(version, 10)+"."+kind)
}

// delta is the delta of the epoch that runs.
func (d *Dir) delta() *recordWriter {
	if d.pending == nil {
		d.pending = newRecordWriter(d.fs, d.path(d.version+1, deltaKind), magic)
	}
	return d.pending
}

// Commit makes the changes since the last commit durable as the next version. The delta alone is the commit: a snapshot that fails behind it
// is an error too, but the version is there. After an error the directory commits nothing more.
func (d *Dir) Commit() error {
	if d.failed == nil {
		d.failed = d.commit()
	}
	return d.failed
}

func (d *Dir) commit() error {
	w := d.delta()
	if err := d.store.changes(w); err != nil {
		return err
	}
	d.pending = nil
	if err := w.commit(); err != nil {
		return err
	}
	d.version++
	d.sinceSnapshot++
	d.deltaBytes += w.size
	if !d.store.worth(d.sinceSnapshot, d.deltaBytes) {
		return nil
	}
	if err := d.store.snapshot(d); err != nil {
		return err
	}
	d.sinceSnapshot, d.deltaBytes = 0, 0
	return d.purge()
}

// purge removes the files that no version within the retention needs: those before the newest snapshot that the oldest of these versions can
// begin with.
func (d *Dir) purge() error {
	names, err := durable.List(d.fs, d.dir)
	if err != nil {
		return err
	}
	base := newest(names, d.version-d.retain)
	return d.removeIf(names, func(v int64, kind string) bool { return v < base || v == base && kind == deltaKind })
}
