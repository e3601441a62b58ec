package durable_test

import (
	"io/fs"
	"os"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/durable"
)

// A folder, and what is in it, that a process left without a sync is durable once another one has asked for the folder: neither what is built on it nor it is lost alone.
func TestMkdirOfWhatIsThere(t *testing.T) {
	mem := vfs.NewCrashableMem()
	require.NoError(t, mem.MkdirAll("/a/b", 0o755))
	f, err := mem.Create("/a/b/file", vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	require.NoError(t, f.Sync())
	require.NoError(t, f.Close())
	_, err = mem.CrashClone(vfs.CrashCloneCfg{}).Stat("/a/b/file")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, durable.Mkdir(mem, "/a"))
	require.NoError(t, durable.Mkdir(mem, "/a/b"))
	_, err = mem.CrashClone(vfs.CrashCloneCfg{}).Stat("/a/b/file")
	require.NoError(t, err)

	// A folder above that may be passed through and not opened is no failure, and one that cannot be synced is.
	for _, c := range []struct {
		err  error
		want error
	}{{&fs.PathError{Op: "open", Path: "/a", Err: fs.ErrPermission}, nil}, {errorfs.ErrInjected, errorfs.ErrInjected}} {
		err := durable.Mkdir(errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind == errorfs.OpOpenDir && op.Path == "/a" {
				return c.err
			}
			return nil
		})), "/a/b")
		require.ErrorIs(t, err, c.want)
	}
}
