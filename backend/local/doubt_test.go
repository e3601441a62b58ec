package local_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// holdings are the tables of all databases with their rows.
func holdings(t *testing.T, s *local.Session) string {
	t.Helper()
	c := s.Catalog()
	dbs, err := c.ListDatabases(ctx, "*")
	require.NoError(t, err)
	var out strings.Builder
	for _, db := range dbs {
		fmt.Fprint(&out, db, ":")
		tables, err := c.ListTables(ctx, "*", db)
		require.NoError(t, err)
		for _, table := range tables {
			fmt.Fprint(&out, " ", table.Name, ids(t, s, db, table.Name))
		}
		fmt.Fprintln(&out)
	}
	return out.String()
}

// A file system that fails at one of its calls, or from one on: a change of the catalogue is done or not, the session and the next one see the same, and one that begins after
// the machine has failed sees the one or the other, whole.
func TestWarehouseDoubt(t *testing.T) {
	changes := []struct {
		name string
		do   func(s *local.Session) error
	}{
		{"create", func(s *local.Session) error { return save(s, pairs(7), expr.ErrorIfExists, "fresh") }},
		{"create empty", func(s *local.Session) error { return save(s, pairs(), expr.ErrorIfExists, "db", "fresh") }},
		{"append", func(s *local.Session) error { return save(s, pairs(3), expr.SaveAppend, "t") }},
		{"overwrite", func(s *local.Session) error { return save(s, pairs(9), expr.SaveOverwrite, "db", "t") }},
		{"truncate", func(s *local.Session) error { return s.Catalog().TruncateTable(ctx, "t") }},
		{"rename", func(s *local.Session) error { return s.Catalog().RenameTable(ctx, "other", "t") }},
		{"drop", func(s *local.Session) error { return s.Catalog().DropTable(ctx, false, "db", "t") }},
		{"create database", func(s *local.Session) error { return s.Catalog().CreateDatabase(ctx, false, "more") }},
		{"drop database", func(s *local.Session) error { return s.Catalog().DropDatabase(ctx, false, true, "db") }},
	}
	for _, change := range changes {
		for _, lasting := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/lasting=%v", change.name, lasting), func(t *testing.T) {
				t.Parallel()
				failed := 0
				for n := int32(1); ; n++ {
					require.Less(t, n, int32(200))
					mem := vfs.NewCrashableMem()
					var on atomic.Bool
					var calls atomic.Int32
					fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
						if on.Load() && op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
							if c := calls.Add(1); c == n || lasting && c > n {
								return errorfs.ErrInjected
							}
						}
						return nil
					}))
					s := openAt(t, local.FileSystem(fs), local.Warehouse("/w"), local.Parallelism(1))
					require.NoError(t, s.Catalog().CreateDatabase(ctx, false, "db"))
					require.NoError(t, save(s, pairs(1, 2), expr.ErrorIfExists, "t"))
					require.NoError(t, save(s, pairs(5), expr.ErrorIfExists, "db", "t"))
					before := holdings(t, s)
					on.Store(true)
					err := change.do(s)
					on.Store(false)
					now := holdings(t, s)
					if err == nil {
						require.NotEqual(t, before, now)
					} else {
						require.NotEmpty(t, condition.Of(err), "%v", err)
						failed++
					}
					crashed := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rand.New(rand.NewPCG(uint64(n), 3))})
					require.NoError(t, s.Close())
					require.Equal(t, now, holdings(t, openAt(t, local.FileSystem(mem), local.Warehouse("/w"))), "call %d: %v", n, err)
					again := openAt(t, local.FileSystem(crashed), local.Warehouse("/w"))
					if after := holdings(t, again); err == nil {
						require.Equal(t, now, after, "call %d", n)
					} else if now != before {
						require.Contains(t, []string{before, now}, after, "call %d: %v", n, err)
						require.Contains(t, err.Error(), "not sure")
					}
					if calls.Load() < n {
						break
					}
				}
				require.Positive(t, failed)
			})
		}
	}
}

// A database that was dropped does not come back because of what others have put into its folder, or of who reads a table of it; one of its name has none of its tables.
func TestDroppedDatabaseStaysDropped(t *testing.T) {
	mem := vfs.NewMem()
	s, err := local.Open(local.FileSystem(mem), local.Warehouse("/w"), local.BatchRows(1))
	require.NoError(t, err)
	c := s.Catalog()
	require.NoError(t, c.CreateDatabase(ctx, false, "db"))
	require.NoError(t, save(s, pairs(1, 2, 3), expr.ErrorIfExists, "db", "t"))
	require.NoError(t, mem.MkdirAll("/w/db.db/notes", 0o755))
	f, err := mem.Create("/w/db.db/notes/mine", vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	table, err := s.Table(ctx, "db", "t")
	require.NoError(t, err)
	n := 0
	for row, err := range backend.Rows[pair](ctx, s, table) {
		require.NoError(t, err)
		require.NotNil(t, row.Name)
		if n++; n == 1 {
			require.NoError(t, c.DropDatabase(ctx, false, true, "db"))
			require.NoError(t, c.CreateDatabase(ctx, false, "db"))
			require.Equal(t, "db:\ndefault:\n", holdings(t, s))
			require.NoError(t, save(s, pairs(8), expr.ErrorIfExists, "db", "t"))
		}
	}
	require.Equal(t, 3, n)
	require.Equal(t, []int32{8}, ids(t, s, "db", "t"))
	require.NoError(t, c.DropDatabase(ctx, false, true, "db"))
	require.NoError(t, s.Close())

	s = openAt(t, local.FileSystem(mem), local.Warehouse("/w"))
	require.Equal(t, "default:\n", holdings(t, s))
	left, err := mem.List("/w/db.db/notes")
	require.NoError(t, err)
	require.Equal(t, []string{"mine"}, left)
	require.NoError(t, s.Catalog().CreateDatabase(ctx, false, "db"))
	require.Equal(t, "db:\ndefault:\n", holdings(t, s))
}

// Of two folders that have one name one is the table, and the other says what is wrong with it and can be dropped.
func TestTwoFoldersOfOneName(t *testing.T) {
	mem := vfs.NewMem()
	s, err := local.Open(local.FileSystem(mem), local.Warehouse("/w"))
	require.NoError(t, err)
	require.NoError(t, s.Write(ctx, pairs(1).WriteTo(connectors.ToTable("a")).SaveMode(expr.ErrorIfExists)))
	require.NoError(t, save(s, pairs(2), expr.ErrorIfExists, "b"))
	require.NoError(t, s.Close())
	_, err = vfs.Clone(mem, mem, "/w/a/_spoonbill_table.json", "/w/b/_spoonbill_table.json")
	require.NoError(t, err)

	s = openAt(t, local.FileSystem(mem), local.Warehouse("/w"))
	require.Equal(t, []int32{1}, ids(t, s, "a"))
	_, err = s.Table(ctx, "b")
	require.ErrorContains(t, err, "have a table `default`.`a`")
	require.NoError(t, s.Catalog().DropTable(ctx, false, "b"))
	require.Equal(t, "default: a[1]\n", holdings(t, s))
}

// That a mark or a description cannot be looked at does not bring back what was dropped: the catalogue says so, and the next try finds it.
func TestDroppedIsNotGuessed(t *testing.T) {
	mem := vfs.NewMem()
	var fail atomic.Bool
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if fail.Load() && op.Kind == errorfs.OpStat && strings.HasPrefix(op.Path, "/w/db.db/") {
			return errorfs.ErrInjected
		}
		return nil
	}))
	s, err := local.Open(local.FileSystem(fs), local.Warehouse("/w"))
	require.NoError(t, err)
	require.NoError(t, s.Catalog().CreateDatabase(ctx, false, "db"))
	require.NoError(t, save(s, pairs(1), expr.ErrorIfExists, "db", "t"))
	require.NoError(t, mem.MkdirAll("/w/db.db/notes/mine", 0o755))
	require.NoError(t, s.Catalog().DropDatabase(ctx, false, true, "db"))
	fail.Store(true)
	require.Equal(t, condition.TaskWriteFailed, condition.Of(s.Catalog().CreateDatabase(ctx, false, "db")))
	require.Equal(t, "default:\n", holdings(t, s))
	require.NoError(t, s.Close())
	broken, err := local.Open(local.FileSystem(fs), local.Warehouse("/w"))
	require.NoError(t, err)
	_, err = broken.Catalog().ListDatabases(ctx, "*")
	require.Equal(t, condition.TaskWriteFailed, condition.Of(err))
	fail.Store(false)
	require.Equal(t, "default:\n", holdings(t, broken))
	require.NoError(t, broken.Catalog().CreateDatabase(ctx, false, "db"))
	require.Equal(t, "db:\ndefault:\n", holdings(t, broken))
	require.NoError(t, broken.Close())
}
