package state_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sort"
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

func content(s state.Store) map[string]string {
	out := map[string]string{}
	for k, v := range s.All() {
		out[string(k)] = string(v)
	}
	return out
}

func values(m map[string]item) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		out[k] = v.value
	}
	return out
}

// Random operations against a map; every version can be loaded again.
func TestAgainstMap(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 5))
		fs := vfs.NewMem()
		d, err := state.Open(fs, "state/0/0", 0)
		require.NoError(t, err)
		model := map[string]item{}
		versions := []map[string]string{{}}
		for range 40 {
			s := d.Store()
			for range r.IntN(30) {
				k := fmt.Sprint("key", r.IntN(40))
				switch r.IntN(5) {
				case 0:
					s.Delete([]byte(k))
					delete(model, k)
				case 1:
					v, ok := s.Get([]byte(k))
					w, had := model[k]
					require.Equal(t, had, ok)
					require.Equal(t, w.value, string(v))
				default:
					e := int64(state.Never)
					if r.IntN(3) > 0 {
						e = int64(r.IntN(100))
					}
					v := fmt.Sprint(r.IntN(1000))
					s.Put([]byte(k), []byte(v), e)
					model[k] = item{v, e}
				}
			}
			mark := int64(r.IntN(60))
			var due []int64
			for k := range s.Expired(mark) {
				due = append(due, model[string(k)].expiry)
				require.LessOrEqual(t, model[string(k)].expiry, mark)
				s.Delete(k)
				delete(model, string(k))
			}
			require.True(t, sort.SliceIsSorted(due, func(i, j int) bool { return due[i] < due[j] }))
			for k, v := range model {
				require.Greater(t, v.expiry, mark, k)
			}
			require.Equal(t, len(model), s.Len())
			require.NoError(t, d.Commit())
			versions = append(versions, values(model))
			if r.IntN(6) == 0 {
				d, err = state.Open(fs, "state/0/0", d.Version())
				require.NoError(t, err)
				require.Equal(t, values(model), content(d.Store()))
			}
		}
		// Going back removes what is later, so the way is backwards.
		back := func(from, to int) (old *state.Dir) {
			for v := from; v >= to; v-- {
				old, err = state.Open(fs, "state/0/0", int64(v))
				require.NoError(t, err)
				require.Equal(t, versions[v], content(old.Store()), "version %d", v)
			}
			return old
		}
		// Going back and on again writes the later versions anew.
		old := back(len(versions)-1, 20)
		old.Store().Put([]byte("new"), []byte("x"), state.Never)
		require.NoError(t, old.Commit())
		again, err := state.Open(fs, "state/0/0", 21)
		require.NoError(t, err)
		require.Equal(t, content(old.Store()), content(again.Store()))
		back(20, 0)
	}
}

// An epoch whose commit came as far as a snapshot, and that runs again with another result, leaves nothing of the first run.
func TestFilesOfAnEpochThatRunsAgain(t *testing.T) {
	fs := vfs.NewCrashableMem()
	d, err := state.Open(fs, "s", 0)
	require.NoError(t, err)
	for i := range 9 {
		d.Store().Put([]byte("k"), fmt.Append(nil, i), state.Never)
		require.NoError(t, d.Commit())
	}
	d.Store().Put([]byte("k"), []byte("first run"), state.Never)
	require.NoError(t, d.Commit())
	names, err := fs.List("s")
	require.NoError(t, err)
	require.Contains(t, names, "10.snapshot")
	again, err := state.Open(fs, "s", 9)
	require.NoError(t, err)
	// Nothing of it comes back after a crash.
	names, err = fs.CrashClone(vfs.CrashCloneCfg{}).List("s")
	require.NoError(t, err)
	require.NotContains(t, names, "10.snapshot")
	require.NotContains(t, names, "10.delta")
	again.Store().Put([]byte("k"), []byte("second run"), state.Never)
	require.NoError(t, durable.Write(fs, "s/keep", nil)) // a file of another name is let be
	require.NoError(t, again.Commit())
	last, err := state.Open(fs, "s", 10)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"k": "second run"}, content(last.Store()))
	// The whole folder goes when the first epoch runs again.
	_, err = state.Open(fs, "s", 0)
	require.NoError(t, err)
	names, err = fs.List("s")
	require.NoError(t, err)
	require.Equal(t, []string{"keep"}, names)
}

func TestBytesComeBackToZero(t *testing.T) {
	s := state.NewMemory()
	for i := range 100 {
		s.Put(fmt.Appendf(nil, "k%d", i%10), make([]byte, i), int64(i))
	}
	require.Equal(t, 10, s.Len())
	require.Positive(t, s.Bytes())
	for k := range s.Expired(1000) {
		s.Delete(k)
	}
	require.Zero(t, s.Len())
	require.Zero(t, s.Bytes())
}

// Old versions are removed, and those within the retention stay loadable.
func TestRetention(t *testing.T) {
	fs := vfs.NewMem()
	d, err := state.Open(fs, "s", 0)
	require.NoError(t, err)
	for i := range 500 {
		d.Store().Put([]byte("k"), fmt.Append(nil, i), state.Never)
		require.NoError(t, d.Commit())
	}
	names, err := fs.List("s")
	require.NoError(t, err)
	require.Less(t, len(names), 300)
	for v := int64(500); v >= 500-state.DefaultRetain; v-- {
		old, err := state.Open(fs, "s", v)
		require.NoError(t, err)
		got, _ := old.Store().Get([]byte("k"))
		require.Equal(t, fmt.Sprint(v-1), string(got))
	}
}

// Any changed or missing byte of a file is found.
func TestDamageIsFound(t *testing.T) {
	fs := vfs.NewMem()
	d, err := state.Open(fs, "s", 0)
	require.NoError(t, err)
	d.Store().Put([]byte("key"), []byte("value"), 7)
	require.NoError(t, d.Commit())
	whole, err := durable.Read(fs, "s/1.delta")
	require.NoError(t, err)
	for i := range whole {
		for _, data := range [][]byte{whole[:i], append(append(append([]byte(nil), whole[:i]...), whole[i]^1), whole[i+1:]...)} {
			require.NoError(t, durable.Write(fs, "s/1.delta", data))
			_, err := state.Open(fs, "s", 1)
			require.Equal(t, condition.CheckpointCorrupt, condition.Of(err), "byte %d", i)
			require.Contains(t, err.Error(), "1.delta")
		}
	}
	require.NoError(t, fs.Remove("s/1.delta"))
	_, err = state.Open(fs, "s", 1)
	require.Equal(t, condition.CheckpointCorrupt, condition.Of(err))
}

// A failure at any call leaves the version before or the one after, never something between.
func TestCommitFails(t *testing.T) {
	failed := errors.New("no space")
	for n := range 20 {
		base := vfs.NewCrashableMem()
		d, err := state.Open(base, "s", 0)
		require.NoError(t, err)
		d.Store().Put([]byte("a"), []byte("1"), state.Never)
		require.NoError(t, d.Commit())
		calls := 0
		fs := errorfs.Wrap(base, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
				if calls++; calls > n {
					return failed
				}
			}
			return nil
		}))
		d, err = state.Open(fs, "s", 1)
		if err != nil {
			require.ErrorIs(t, err, failed)
			continue
		}
		d.Store().Put([]byte("a"), []byte("2"), state.Never)
		commit := d.Commit()
		after := base.CrashClone(vfs.CrashCloneCfg{})
		if commit == nil {
			now, err := state.Open(after, "s", 2)
			require.NoError(t, err)
			require.Equal(t, map[string]string{"a": "2"}, content(now.Store()))
		}
		old, err := state.Open(after, "s", 1)
		require.NoError(t, err)
		require.Equal(t, map[string]string{"a": "1"}, content(old.Store()))
	}
}

func FuzzOpen(f *testing.F) {
	fs := vfs.NewMem()
	d, err := state.Open(fs, "s", 0)
	require.NoError(f, err)
	d.Store().Put([]byte("key"), []byte("value"), 7)
	require.NoError(f, d.Commit())
	seed, err := durable.Read(fs, "s/1.delta")
	require.NoError(f, err)
	f.Add(seed)
	f.Add([]byte("SBSTATE1\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fs := vfs.NewMem()
		require.NoError(t, fs.MkdirAll("s", 0o755))
		require.NoError(t, durable.Write(fs, "s/1.delta", data))
		if _, err := state.Open(fs, "s", 1); err != nil {
			require.Equal(t, condition.CheckpointCorrupt, condition.Of(err))
		}
	})
}
