package local_test

import (
	"errors"
	"flag"
	"fmt"
	iofs "io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/window"
)

var (
	crashesFlag   = flag.Int("crashes", 60, "how many crashes TestCrashes makes at least")
	crashSeedFlag = flag.Uint64("crashseed", 1, "the seed of TestCrashes; 0 chooses one")
)

// crashJobs are the jobs of TestCrashes: those from files to files, and more kinds of state.
func crashJobs() []crashJob {
	var out []crashJob
	for _, j := range fileJobs {
		out = append(out, crashJob{j.name, j.query, j.store})
	}
	read := func(name string) expr.Table {
		return expr.Read(name, connectors.FromJSON("/in", connectors.RowsDDL("createTime TIMESTAMP, provinceId INT, payAmount DOUBLE"), connectors.MaxFilesPerTrigger(1))).Watermark("createTime", 10*time.Second)
	}
	end := func(t expr.Table) expr.Write {
		return t.WriteTo(connectors.ToJSON("/out")).Checkpoint("/ckpt").Trigger(expr.AvailableNow())
	}
	return append(out,
		crashJob{"deduplication", func() expr.Write {
			return end(read("payments").DropDuplicatesWithinWatermark("provinceId", "payAmount"))
		}, 0},
		crashJob{"sessions", func() expr.Write {
			p := read("payments")
			return end(p.GroupBy(window.Session(p.Timestamp("createTime"), 900*time.Millisecond), "provinceId").Agg(expr.Count().As("n"), p.Num("payAmount").Sum().As("total")))
		}, 1},
		crashJob{"join", func() expr.Write {
			l, r := read("left"), read("right").Rename(map[string]string{"otherTime": "createTime", "other": "provinceId", "otherAmount": "payAmount"})
			near := []any{l.Num("provinceId").Eq(r.Num("other")), r.Timestamp("otherTime").Ge(l.Timestamp("createTime")), r.Timestamp("otherTime").Le(l.Timestamp("createTime").Add(time.Second))}
			return end(l.LeftJoin(r, near...))
		}, 0})
}

// crashJob is a job from the files of /in, one an epoch, to those of /out.
type crashJob struct {
	name  string
	query func() expr.Write
	store int
}

func (j crashJob) run(t *testing.T, fs vfs.FS) error {
	t.Helper()
	s, err := local.Open(local.FileSystem(fs), local.Parallelism(2), local.BatchRows(16), storeOf(j.store))
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	q, err := s.Start(ctx, j.query())
	if err != nil {
		return err
	}
	return q.AwaitTermination(ctx)
}

// mishap is what happens to a file system.
type mishap int

const (
	// killed: the process is gone at a call that changes something, and with it what was not synced, in whole or in part.
	killed mishap = iota
	// torn: it is gone in the middle of a write, a part of which is done.
	torn
	// unsynced: a sync fails, once; what it was for may be lost.
	unsynced
	// full: there is no room any more for what takes some, nor for the end of a write.
	full
	// unread: a reading call fails, once.
	unread
	mishaps
)

// String names a mishap.
func (m mishap) String() string {
	return []string{"killed", "killed within a write", "failed sync", "full disk", "failed read"}[m]
}

// errMishap is what calls fail with.
var errMishap = errors.New("the disk failed")

// badDisk is a file system to which a mishap happens at a call.
type badDisk struct {
	vfs.FS
	kind mishap
	at   int
	cut  *rand.Rand

	mu sync.Mutex
	// calls are those that each mishap could happen at.
	calls [mishaps]int
	hit   bool
	// read are the files of the input that were opened.
	read map[string]bool
}

func newBadDisk(base vfs.FS, kind mishap, at int, cut *rand.Rand) *badDisk {
	d := &badDisk{kind: kind, at: at, cut: cut, read: map[string]bool{}}
	d.FS = errorfs.Wrap(base, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileWrite { // badFile has it
			return nil
		}
		_, err := d.call(op.Kind, op.Path, 0)
		return err
	}))
	return d
}

// call counts a call and says whether it fails; of a write of so many bytes the first part may be done.
func (d *badDisk) call(kind errorfs.OpKind, name string, bytes int) (part int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if kind == errorfs.OpOpen && strings.HasPrefix(name, "/in/") {
		d.read[path.Base(name)] = true
	}
	is := [mishaps]bool{
		killed:   kind.ReadOrWrite() == errorfs.OpIsWrite,
		torn:     kind == errorfs.OpFileWrite,
		unsynced: kind == errorfs.OpFileSync || kind == errorfs.OpFileSyncData || kind == errorfs.OpFileSyncTo,
		unread:   kind.ReadOrWrite() == errorfs.OpIsRead,
	}
	switch kind {
	case errorfs.OpCreate, errorfs.OpMkdirAll, errorfs.OpFileWrite, errorfs.OpFileWriteAt, errorfs.OpFileSync, errorfs.OpFilePreallocate, errorfs.OpLink:
		is[full] = true
	}
	for m := range mishaps {
		if is[m] {
			d.calls[m]++
		}
	}
	first := false
	if is[d.kind] && d.calls[d.kind] == d.at {
		d.hit, first = true, true
	}
	switch {
	case !d.hit:
		return bytes, nil
	case d.kind == killed && is[killed]:
		return 0, errMishap
	case d.kind == torn && first && bytes > 0:
		return d.cut.IntN(bytes + 1), errMishap
	case d.kind == torn && is[killed]:
		return 0, errMishap
	case d.kind == full && is[full]:
		err := &iofs.PathError{Op: "write", Path: name, Err: syscall.ENOSPC}
		if bytes > 0 {
			return d.cut.IntN(bytes), err
		}
		return 0, err
	case first:
		return 0, errMishap
	}
	return bytes, nil
}

// Create implements vfs.FS.
func (d *badDisk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.Create(name, c)
	return d.file(f, name), err
}

// OpenReadWrite implements vfs.FS.
func (d *badDisk) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := d.FS.OpenReadWrite(name, c, opts...)
	return d.file(f, name), err
}

// ReuseForWrite implements vfs.FS.
func (d *badDisk) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.ReuseForWrite(old, name, c)
	return d.file(f, name), err
}

func (d *badDisk) file(f vfs.File, name string) vfs.File {
	if f == nil {
		return nil
	}
	return &badFile{f, d, name}
}

// badFile is a file whose writes may end in the middle.
type badFile struct {
	vfs.File
	d    *badDisk
	name string
}

// Write implements vfs.File.
func (f *badFile) Write(b []byte) (int, error) {
	n, err := f.d.call(errorfs.OpFileWrite, f.name, len(b))
	if n > 0 || err == nil {
		if n, e := f.File.Write(b[:n]); e != nil {
			return n, e
		}
	}
	return n, err
}

// newestCommit is the last epoch that a checkpoint has as committed, -1 for none.
func newestCommit(t *testing.T, fs vfs.FS) int {
	t.Helper()
	names, err := fs.List("/ckpt/commits")
	if err != nil {
		return -1
	}
	last := -1
	for _, n := range names {
		if e, err := strconv.Atoi(n); err == nil {
			last = max(last, e)
		}
	}
	return last
}

// A job whose disk or process fails at any moment, and again while it is started anew, writes each row once, and reads no epoch again that was committed. Kills come at each
// call that changes something where there are enough crashes to make, and the rest are other mishaps at calls chosen by the seed.
func TestCrashes(t *testing.T) {
	t.Parallel()
	const files = 4
	seed := *crashSeedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d (-crashseed %d repeats them)", seed, seed)
	r := rand.New(rand.NewPCG(seed, 2000))

	type moment struct {
		job  int
		kind mishap
		at   int
	}
	jobs := crashJobs()
	var (
		kills, others []moment
		whole         = make([][]string, len(jobs))
		calls         = make([][mishaps]int, len(jobs))
	)
	for i, j := range jobs {
		d := newBadDisk(inputFiles(t, files), killed, -1, r)
		require.NoError(t, j.run(t, d), j.name)
		whole[i], calls[i] = plainRows(t, d, "/out"), d.calls
		require.Greater(t, len(whole[i]), 8, j.name)
		require.Len(t, d.read, files)
		for m := range mishaps {
			for at := range d.calls[m] {
				if x := (moment{i, m, at + 1}); m == killed {
					kills = append(kills, x)
				} else {
					others = append(others, x)
				}
			}
		}
	}
	r.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	moments := append(slices.Clone(kills), others...)
	if *crashesFlag < len(kills) {
		r.Shuffle(len(moments), func(i, j int) { moments[i], moments[j] = moments[j], moments[i] })
	}
	made, again, total := map[mishap]int{}, 0, 0
	for turn := 0; total < *crashesFlag; turn++ {
		first := moments[turn%len(moments)]
		j := jobs[first.job]
		base := inputFiles(t, files)
		var story []string
		for x, more := first, true; more; {
			committed := newestCommit(t, base)
			d := newBadDisk(base, x.kind, x.at, r)
			err := j.run(t, d)
			story = append(story, fmt.Sprintf("%s at call %d", x.kind, x.at))
			said := func() string {
				return fmt.Sprintf("%s, seed %d, crash %d: %s", j.name, seed, total, strings.Join(story, ", then "))
			}
			for name := range d.read {
				epoch, e := strconv.Atoi(strings.TrimSuffix(name, ".json"))
				require.NoError(t, e)
				require.Greater(t, epoch, committed, "an epoch that was committed was read again: %s", said())
			}
			more = false
			if d.hit {
				made[x.kind]++
				total++
				if more = r.IntN(2) == 0; more {
					again++
				}
			}
			if err != nil {
				require.True(t, errors.Is(err, errMishap) || errors.Is(err, syscall.ENOSPC), "%s: %v", said(), err)
			}
			switch d.kind {
			case killed, torn:
				base = base.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 100, r.IntN(101)}[r.IntN(3)], RNG: r})
			case unsynced:
				if r.IntN(2) == 0 {
					base = base.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(101), RNG: r})
				}
			}
			requirePart(t, whole[first.job], plainRows(t, base, "/out"), said())
			next := mishap(r.IntN(int(mishaps)))
			x = moment{first.job, next, 1 + r.IntN(calls[first.job][next])}
		}
		committed := newestCommit(t, base)
		d := newBadDisk(base, killed, -1, r)
		require.NoError(t, j.run(t, d), "%s, seed %d: %v", j.name, seed, story)
		require.Equal(t, whole[first.job], plainRows(t, base, "/out"), "%s, seed %d: %v", j.name, seed, story)
		for name := range d.read {
			epoch, err := strconv.Atoi(strings.TrimSuffix(name, ".json"))
			require.NoError(t, err)
			require.Greater(t, epoch, committed, "an epoch that was committed was read again: %s, seed %d: %v", j.name, seed, story)
		}
	}
	text := fmt.Sprintf("%d crashes, %d of them while a job was started again after another one:", total, again)
	for _, m := range slices.Sorted(maps.Keys(made)) {
		text += fmt.Sprintf(" %d × %s;", made[m], m)
	}
	t.Log(strings.TrimSuffix(text, ";"), "- no row lost, none twice")
}

// A start that cannot look at what waits to be published fails, and the next one publishes it.
func TestStartThatCannotLook(t *testing.T) {
	t.Parallel()
	j := fileJobs[0]
	fs, calls := crashing(inputFiles(t, 3), 1<<60)
	require.NoError(t, j.run(t, fs))
	whole, blind := plainRows(t, fs, "/out"), 0
	for n := int64(0); n < calls.Load(); n++ {
		base := inputFiles(t, 3)
		fs, _ := crashing(base, n)
		require.ErrorIs(t, j.run(t, fs), errCrash, "call %d", n)
		base = base.CrashClone(vfs.CrashCloneCfg{})
		err := j.run(t, errorfs.Wrap(base, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind == errorfs.OpStat && strings.HasPrefix(op.Path, "/out/_spoonbill_metadata/tmp/") {
				return errMishap
			}
			return nil
		})))
		if err != nil {
			require.ErrorIs(t, err, errMishap, "call %d", n)
			blind++
		}
		require.NoError(t, j.run(t, base), "call %d", n)
		require.Equal(t, whole, plainRows(t, base, "/out"), "call %d", n)
	}
	require.Greater(t, blind, 3)
}
