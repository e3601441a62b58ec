package state_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/durable"
	"github.com/spoonbill-go/spoonbill/backend/local/state"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

type item struct {
	value  string
	expiry int64
}

// stores are the kinds of store that every test runs with.
var stores = map[string]state.Options{"memory": {}, "disk": {Disk: 1 << 20}}

// each runs a test with every store.
func each(t *testing.T, test func(t *testing.T, o state.Options)) {
	for name, o := range stores {
		t.Run(name, func(t *testing.T) { test(t, o) })
	}
}

// open opens a version; the test's end closes it, where it has not been closed before.
func open(t *testing.T, fs vfs.FS, dir string, version int64, o state.Options) *state.Dir {
	t.Helper()
	d, err := state.Open(fs, dir, version, o)
	require.NoError(t, err)
	return d
}

func put(t *testing.T, d *state.Dir, key, value string, expiry int64) {
	t.Helper()
	require.NoError(t, d.Store().Put([]byte(key), []byte(value), expiry))
}

func content(t *testing.T, s state.Store) map[string]string {
	t.Helper()
	out := map[string]string{}
	for e, err := range s.All() {
		require.NoError(t, err)
		out[string(e.Key)] = string(e.Value)
	}
	require.Equal(t, len(out), s.Len())
	return out
}

func values(m map[string]item) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		out[k] = v.value
	}
	return out
}

// Random operations against a map: every version can be loaded again, by either store.
func TestAgainstMap(t *testing.T) {
	each(t, func(t *testing.T, o state.Options) {
		for seed := range uint64(6) {
			r := rand.New(rand.NewPCG(seed, 5))
			fs := vfs.NewMem()
			d := open(t, fs, "state/0/0", 0, o)
			model := map[string]item{}
			versions := []map[string]string{{}}
			for range 40 {
				s := d.Store()
				for range r.IntN(30) {
					k := fmt.Sprint("key", r.IntN(40))
					switch r.IntN(6) {
					case 0:
						require.NoError(t, s.Delete([]byte(k)))
						delete(model, k)
					case 1:
						v, ok, err := s.Get([]byte(k))
						require.NoError(t, err)
						w, had := model[k]
						require.Equal(t, had, ok)
						require.Equal(t, w.value, string(v))
					case 2:
						// Groups are of keys with eight bytes behind them; these have five characters and such a number.
						k = fmt.Sprintf("group%08d", r.IntN(20))
						require.NoError(t, s.Put([]byte(k), []byte("g"), state.Never))
						model[k] = item{"g", state.Never}
						var got []string
						for e, err := range s.Group([]byte("group")) {
							require.NoError(t, err)
							got = append(got, string(e.Key))
						}
						var want []string
						for k := range model {
							if strings.HasPrefix(k, "group") {
								want = append(want, k)
							}
						}
						sort.Strings(want)
						require.Equal(t, want, got)
					default:
						e := int64(state.Never)
						if r.IntN(3) > 0 {
							e = int64(r.IntN(100)) - 20
						}
						v := strings.Repeat(fmt.Sprint(r.IntN(1000)), 1+r.IntN(20))
						require.NoError(t, s.Put([]byte(k), []byte(v), e))
						model[k] = item{v, e}
					}
				}
				mark := int64(r.IntN(80)) - 20
				var due []int64
				for e, err := range s.Expired(mark) {
					require.NoError(t, err)
					k := string(e.Key)
					require.Equal(t, model[k], item{string(e.Value), e.Expiry})
					due = append(due, e.Expiry)
					require.LessOrEqual(t, e.Expiry, mark)
					require.NoError(t, s.Delete(e.Key))
					delete(model, k)
				}
				require.True(t, sort.SliceIsSorted(due, func(i, j int) bool { return due[i] < due[j] }))
				for k, v := range model {
					require.Greater(t, v.expiry, mark, k)
				}
				require.Equal(t, len(model), s.Len())
				require.NoError(t, d.Commit())
				versions = append(versions, values(model))
				if r.IntN(6) == 0 {
					version := d.Version()
					require.NoError(t, d.Close())
					// The store changes hands now and then.
					if r.IntN(2) == 0 {
						o.Disk = 1<<20 - o.Disk
					}
					d = open(t, fs, "state/0/0", version, o)
					require.Equal(t, values(model), content(t, d.Store()))
				}
			}
			require.NoError(t, d.Close())
			for v, want := range versions {
				s, err := state.Read(fs, "state/0/0", int64(v))
				require.NoError(t, err)
				require.Equal(t, want, content(t, s), "version %d", v)
			}
			// Going back removes what is later, so the way is backwards.
			for v := len(versions) - 1; v >= 20; v-- {
				d = open(t, fs, "state/0/0", int64(v), o)
				require.Equal(t, versions[v], content(t, d.Store()), "version %d", v)
				require.NoError(t, d.Close())
			}
			// Going back and on again writes the later versions anew.
			d = open(t, fs, "state/0/0", 20, o)
			put(t, d, "new", "x", state.Never)
			require.NoError(t, d.Commit())
			want := content(t, d.Store())
			require.NoError(t, d.Close())
			again := open(t, fs, "state/0/0", 21, o)
			require.Equal(t, want, content(t, again.Store()))
			require.NoError(t, again.Close())
		}
	})
}

// Entries at which the caller of Expired stopped, and those that it put on the way, come the next time.
func TestExpiredAgain(t *testing.T) {
	each(t, func(t *testing.T, o state.Options) {
		d := open(t, vfs.NewMem(), "s", 0, o)
		defer func() { require.NoError(t, d.Close()) }()
		due := func(watermark int64, see func(k string) bool) (out []string) {
			for e, err := range d.Store().Expired(watermark) {
				require.NoError(t, err)
				out = append(out, string(e.Key))
				if see == nil {
					require.NoError(t, d.Store().Delete(e.Key))
				} else if !see(string(e.Key)) {
					break
				}
			}
			return out
		}
		require.Empty(t, due(100, nil))
		for i := range 5 {
			put(t, d, fmt.Sprint("k", i), "v", int64(10*i)-10)
		}
		require.Equal(t, []string{"k0", "k1"}, due(9, func(k string) bool {
			if k == "k0" {
				require.NoError(t, d.Store().Delete([]byte(k)))
			}
			return k == "k0"
		}))
		require.NoError(t, d.Commit())
		require.Contains(t, due(9, nil), "k1")
		require.Empty(t, due(9, nil))
		require.Subset(t, due(20, func(k string) bool {
			require.NoError(t, d.Store().Delete([]byte(k)))
			if k == "k2" {
				put(t, d, "k4", "later", 50)
				put(t, d, "k5", "sooner", -30)
			}
			return true
		}), []string{"k2", "k3"})
		require.Subset(t, []string{"k5"}, due(49, nil)) // it was given before, or is now
		require.Equal(t, []string{"k4"}, due(50, nil))
		require.Zero(t, d.Store().Len())
	})
}

// An epoch whose commit came as far as a snapshot, and that runs again with another result, leaves nothing of the first run.
func TestFilesOfAnEpochThatRunsAgain(t *testing.T) {
	each(t, func(t *testing.T, o state.Options) {
		fs := vfs.NewCrashableMem()
		d := open(t, fs, "s", 0, o)
		for i := range 9 {
			put(t, d, "k", fmt.Sprint(i), state.Never)
			require.NoError(t, d.Commit())
		}
		put(t, d, "k", "first run", state.Never)
		require.NoError(t, d.Commit())
		names, err := fs.List("s")
		require.NoError(t, err)
		require.Contains(t, names, "10.snapshot")
		require.Equal(t, o.Disk > 0, slices.Contains(names, "10.pebble"))
		require.NoError(t, d.Close())
		again := open(t, fs, "s", 9, o)
		// Nothing of it comes back after a crash.
		names, err = fs.CrashClone(vfs.CrashCloneCfg{}).List("s")
		require.NoError(t, err)
		require.NotContains(t, names, "10.snapshot")
		require.NotContains(t, names, "10.delta")
		put(t, again, "k", "second run", state.Never)
		require.NoError(t, durable.Write(fs, "s/keep", nil)) // a file of another name is let be
		require.NoError(t, again.Commit())
		require.NoError(t, again.Close())
		last := open(t, fs, "s", 10, o)
		require.Equal(t, map[string]string{"k": "second run"}, content(t, last.Store()))
		require.NoError(t, last.Close())
		// The whole folder goes when the first epoch runs again.
		first := open(t, fs, "s", 0, o)
		require.Zero(t, first.Store().Len())
		require.NoError(t, first.Close())
		names, err = fs.List("s")
		require.NoError(t, err)
		require.Equal(t, []string{"keep"}, names)
	})
}

func TestBytesComeBackToZero(t *testing.T) {
	s := state.NewMemory()
	for i := range 100 {
		require.NoError(t, s.Put(fmt.Appendf(nil, "k%d", i%10), make([]byte, i), int64(i)))
	}
	require.Equal(t, 10, s.Len())
	require.Positive(t, s.Bytes())
	for e := range s.Expired(1000) {
		require.NoError(t, s.Delete(e.Key))
	}
	require.Zero(t, s.Len())
	require.Zero(t, s.Bytes())
}

// Old versions are removed, and those within the retention stay loadable.
func TestRetention(t *testing.T) {
	each(t, func(t *testing.T, o state.Options) {
		for _, o.Retain = range []int64{0, 7} {
			fs := vfs.NewMem()
			d := open(t, fs, "s", 0, o)
			for i := range 400 {
				put(t, d, "k", fmt.Sprint(i), state.Never)
				require.NoError(t, d.Commit())
			}
			require.NoError(t, d.Close())
			names, err := fs.List("s")
			require.NoError(t, err)
			require.Less(t, len(names), 20+2*int(o.Retained()))
			for v := int64(400); v >= 400-o.Retained(); v-- {
				s, err := state.Read(fs, "s", v)
				require.NoError(t, err)
				got, _, err := s.Get([]byte("k"))
				require.NoError(t, err)
				require.Equal(t, fmt.Sprint(v-1), string(got))
			}
		}
	})
}

// Any changed or missing byte of a file is found.
func TestDamageIsFound(t *testing.T) {
	each(t, func(t *testing.T, o state.Options) {
		fs := vfs.NewMem()
		d := open(t, fs, "s", 0, o)
		put(t, d, "key", "value", 7)
		require.NoError(t, d.Commit())
		require.NoError(t, d.Close())
		whole, err := durable.Read(fs, "s/1.delta")
		require.NoError(t, err)
		for i := range whole {
			for _, data := range [][]byte{whole[:i], append(append(append([]byte(nil), whole[:i]...), whole[i]^1), whole[i+1:]...)} {
				require.NoError(t, durable.Write(fs, "s/1.delta", data))
				_, err := state.Open(fs, "s", 1, o)
				require.Equal(t, condition.CheckpointCorrupt, condition.Of(err), "byte %d", i)
				require.Contains(t, err.Error(), "1.delta")
			}
		}
		require.NoError(t, fs.Remove("s/1.delta"))
		_, err = state.Open(fs, "s", 1, o)
		require.Equal(t, condition.CheckpointCorrupt, condition.Of(err))
	})
}

// A snapshot of files without its folder, or with a part of it, is an error of either store.
func TestDamagedFolder(t *testing.T) {
	fs := vfs.NewMem()
	d := open(t, fs, "s", 0, state.Options{Disk: 1 << 20})
	for i := range 10 {
		put(t, d, fmt.Sprint(i), "v", state.Never)
		require.NoError(t, d.Commit())
	}
	require.NoError(t, d.Close())
	names, err := fs.List("s/10.pebble")
	require.NoError(t, err)
	for _, n := range names {
		if !strings.HasSuffix(n, ".sst") && !strings.HasPrefix(n, "MANIFEST") {
			continue
		}
		kept, err := durable.Read(fs, "s/10.pebble/"+n)
		require.NoError(t, err)
		require.NoError(t, durable.Write(fs, "s/10.pebble/"+n, kept[:len(kept)/2]))
		for name, o := range stores {
			_, err := state.Open(fs, "s", 10, o)
			require.Error(t, err, name+" "+n)
		}
		require.NoError(t, durable.Write(fs, "s/10.pebble/"+n, kept))
	}
	require.NoError(t, fs.RemoveAll("s/10.pebble"))
	for name, o := range stores {
		_, err := state.Open(fs, "s", 10, o)
		require.Equal(t, condition.CheckpointCorrupt, condition.Of(err), name)
		require.Contains(t, err.Error(), "10.pebble")
	}
}

// failing is a file system whose writing calls fail from the n-th on, or only the n-th.
func failing(base vfs.FS, n int64, once bool) (vfs.FS, *atomic.Int64) {
	var calls atomic.Int64
	return errorfs.Wrap(base, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
			return nil
		}
		if c := calls.Add(1); c == n || c > n && !once {
			return errFailed
		}
		return nil
	})), &calls
}

var errFailed = errors.New("no space")

// A failure at any call, of the kind that stays or of one call alone, with a crash behind it, leaves every version that was committed, whole. A commit that
// came back without an error is one of them.
func TestCommitFails(t *testing.T) {
	each(t, func(t *testing.T, o state.Options) {
		// work commits versions until an error and gives the last that was.
		work := func(fs vfs.FS) (last int64, err error) {
			d, err := state.Open(fs, "s", 0, o)
			if err != nil {
				return 0, err
			}
			for v := range 12 {
				for k := range 3 {
					if err = d.Store().Put(fmt.Appendf(nil, "k%d", k), fmt.Appendf(nil, "%d", v), int64(v)); err != nil {
						break
					}
				}
				if err == nil {
					err = d.Commit()
				}
				if err != nil {
					break
				}
				last = d.Version()
			}
			return last, errors.Join(err, d.Close())
		}
		fs, calls := failing(vfs.NewCrashableMem(), 1<<60, false)
		last, err := work(fs)
		require.NoError(t, err)
		require.EqualValues(t, 12, last)
		step := int64(1)
		if testing.Short() {
			step = 7
		}
		r := rand.New(rand.NewPCG(1, 2))
		for _, once := range []bool{false, true} {
			for n := int64(1); n <= calls.Load(); n += step {
				base := vfs.NewCrashableMem()
				fs, _ := failing(base, n, once)
				last, err := work(fs)
				// The store on disk removes what it has replaced at its leisure, and lets it be where it cannot.
				if err != nil {
					require.ErrorIs(t, err, errFailed, "call %d", n)
					require.NotEmpty(t, condition.Of(err))
				} else {
					require.EqualValues(t, 12, last)
				}
				after := base.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: int(n * 37 % 101), RNG: r})
				for _, o := range stores {
					d, err := state.Open(after, "s", last, o)
					require.NoError(t, err, "call %d", n)
					want := map[string]string{}
					if last > 0 {
						v := fmt.Sprint(last - 1)
						want = map[string]string{"k0": v, "k1": v, "k2": v}
					}
					require.Equal(t, want, content(t, d.Store()), "call %d", n)
					require.NoError(t, d.Close())
				}
			}
		}
	})
}

// Many entries go through all levels of the store on disk, and their deltas through several pieces.
func TestManyEntries(t *testing.T) {
	fs := vfs.NewMem()
	o := stores["disk"]
	d := open(t, fs, "s", 0, o)
	value := strings.Repeat("x", 200)
	const n = 12_000
	for v := range 3 {
		for i := range n / 3 {
			put(t, d, fmt.Sprintf("key %07d", (v*n/3+i)*7919%n), value, int64(i))
		}
		require.NoError(t, d.Commit())
	}
	require.NoError(t, d.Close())
	for _, o := range stores {
		d = open(t, fs, "s", 3, o)
		require.Equal(t, n, d.Store().Len())
		require.Less(t, d.Store().Bytes(), int64(len(value)+100)*n)
		require.NoError(t, d.Close())
	}
	d = open(t, fs, "s", 3, stores["disk"])
	defer func() { require.NoError(t, d.Close()) }()
	gone := 0
	for e, err := range d.Store().Expired(n / 6) {
		require.NoError(t, err)
		require.Equal(t, value, string(e.Value))
		require.NoError(t, d.Store().Delete(e.Key))
		gone++
	}
	require.Equal(t, n/2+3, gone)
	require.Equal(t, n-gone, d.Store().Len())
}

func FuzzOpen(f *testing.F) {
	fs := vfs.NewMem()
	d, err := state.Open(fs, "s", 0, state.Options{})
	require.NoError(f, err)
	require.NoError(f, d.Store().Put([]byte("key"), []byte("value"), 7))
	require.NoError(f, d.Commit())
	seed, err := durable.Read(fs, "s/1.delta")
	require.NoError(f, err)
	f.Add(seed)
	f.Add([]byte("SBSTATE1\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fs := vfs.NewMem()
		require.NoError(t, fs.MkdirAll("s", 0o755))
		require.NoError(t, durable.Write(fs, "s/1.delta", data))
		if _, err := state.Open(fs, "s", 1, state.Options{}); err != nil {
			require.Equal(t, condition.CheckpointCorrupt, condition.Of(err))
		}
	})
}
