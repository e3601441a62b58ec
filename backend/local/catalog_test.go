package local_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
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
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

type pair struct {
	ID   int32
	Name *string
}

func pairs(ids ...int32) expr.Table {
	rows := make([]pair, len(ids))
	for i, id := range ids {
		name := fmt.Sprint("n", id)
		rows[i] = pair{ID: id, Name: &name}
	}
	return expr.Memtable("rows", rows)
}

func openAt(t *testing.T, opts ...local.Option) *local.Session {
	t.Helper()
	s, err := local.Open(opts...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func save(s *local.Session, t expr.Table, mode expr.SaveMode, name ...string) error {
	return s.Write(ctx, t.WriteTo(connectors.ToTable(name...)).SaveMode(mode))
}

func ids(t *testing.T, s *local.Session, name ...string) []int32 {
	t.Helper()
	table, err := s.Table(ctx, name...)
	require.NoError(t, err)
	out, err := backend.Collect[int32](ctx, s, table.Select("id").OrderBy("id"))
	require.NoError(t, err)
	return out
}

// A warehouse is what it was when it is opened again, and belongs to one session at a time.
func TestWarehouseReopens(t *testing.T) {
	dir := t.TempDir()
	s, err := local.Open(local.Warehouse(dir))
	require.NoError(t, err)
	require.NoError(t, s.Catalog().CreateDatabase(ctx, false, "db"))
	require.NoError(t, save(s, pairs(1, 2), expr.ErrorIfExists, "db", "t"))
	require.NoError(t, save(s, pairs(3), expr.SaveAppend, "db", "t"))
	require.NoError(t, save(s, pairs(7), expr.ErrorIfExists, "gone"))
	require.NoError(t, save(s, pairs(8), expr.ErrorIfExists, "old"))
	require.NoError(t, s.Catalog().RenameTable(ctx, "new", "old"))
	require.NoError(t, save(s, pairs(9), expr.ErrorIfExists, "old"))
	require.NoError(t, s.Catalog().DropTable(ctx, false, "gone"))

	other := openAt(t, local.Warehouse(dir))
	_, err = other.Table(ctx, "db", "t")
	require.Equal(t, condition.ConcurrentStreamLog, condition.Of(err), "%v", err)
	require.NoError(t, s.Close())
	_, err = s.Catalog().CurrentDatabase(ctx)
	require.Equal(t, condition.Closed, condition.Of(err))

	// What a write that never ended has left goes; what is not the warehouse's stays.
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "half", "data-0d9cbb4e-7d07-4b0e-9b4c-0f8f3c1f2a55"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "db.db", "t", "data-0d9cbb4e-7d07-4b0e-9b4c-0f8f3c1f2a55"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "mine"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mine", "notes.txt"), []byte("x"), 0o600))
	require.Equal(t, []int32{1, 2, 3}, ids(t, other, "db", "t"))
	require.Equal(t, []int32{8}, ids(t, other, "new"))
	require.Equal(t, []int32{9}, ids(t, other, "old"))
	require.NoDirExists(t, filepath.Join(dir, "half"))
	require.NoDirExists(t, filepath.Join(dir, "db.db", "t", "data-0d9cbb4e-7d07-4b0e-9b4c-0f8f3c1f2a55"))
	require.FileExists(t, filepath.Join(dir, "mine", "notes.txt"))
	list, err := other.Catalog().ListTables(ctx, "")
	require.NoError(t, err)
	require.Len(t, list, 2)
}

// A damaged description is an error that names the file, of that table alone.
func TestWarehouseDamaged(t *testing.T) {
	dir := t.TempDir()
	s, err := local.Open(local.Warehouse(dir))
	require.NoError(t, err)
	require.NoError(t, save(s, pairs(1), expr.ErrorIfExists, "t"))
	require.NoError(t, save(s, pairs(2), expr.ErrorIfExists, "u"))
	require.NoError(t, s.Close())
	for _, text := range []string{"", "{", `{"version":2}`, `{"version":1,"name":"t","columns":"id WRONG"}`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "t", "_spoonbill_table.json"), []byte(text), 0o600))
		s := openAt(t, local.Warehouse(dir))
		_, err = s.Table(ctx, "t")
		require.Equal(t, condition.FailedReadFile, condition.Of(err))
		require.ErrorContains(t, err, "_spoonbill_table.json")
		require.Equal(t, condition.FailedReadFile, condition.Of(save(s, pairs(1), expr.SaveOverwrite, "t")))
		require.Equal(t, []int32{2}, ids(t, s, "u"))
		ok, err := s.Catalog().TableExists(ctx, "t")
		require.NoError(t, err)
		require.True(t, ok)
		require.NoError(t, s.Close())
	}
	s = openAt(t, local.Warehouse(dir))
	require.NoError(t, s.Catalog().DropTable(ctx, false, "t"))
	require.NoError(t, save(s, pairs(4), expr.ErrorIfExists, "t"))
	require.Equal(t, []int32{4}, ids(t, s, "t"))
}

// A file system that fails at each of its calls in turn: the table is as it was or as it is to be, now and when the warehouse is opened again.
func TestWarehouseWholeOrNot(t *testing.T) {
	for name, change := range map[string]struct {
		do    func(s *local.Session) error
		after []int32
	}{
		"append":    {func(s *local.Session) error { return save(s, pairs(3, 4), expr.SaveAppend, "t") }, []int32{1, 2, 3, 4}},
		"overwrite": {func(s *local.Session) error { return save(s, pairs(9), expr.SaveOverwrite, "t") }, []int32{9}},
		"truncate":  {func(s *local.Session) error { return s.Catalog().TruncateTable(ctx, "t") }, nil},
		"replace": {func(s *local.Session) error {
			return save(s, pairs(9).Mutate(expr.Lit(1).As("more")), expr.SaveOverwrite, "t")
		}, []int32{9}},
	} {
		t.Run(name, func(t *testing.T) {
			failures, kept := 0, 0
			for n := int32(0); ; n++ {
				require.Less(t, n, int32(200))
				mem := vfs.NewMem()
				var on atomic.Bool
				var calls atomic.Int32
				fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
					if on.Load() && op.Kind.ReadOrWrite() == errorfs.OpIsWrite && calls.Add(1) == n+1 {
						return errorfs.ErrInjected
					}
					return nil
				}))
				s, err := local.Open(local.FileSystem(fs), local.Warehouse("/w"), local.Parallelism(1))
				require.NoError(t, err)
				require.NoError(t, save(s, pairs(1, 2), expr.ErrorIfExists, "t"))
				on.Store(true)
				err = change.do(s)
				on.Store(false)
				reached := calls.Load() > n
				now := ids(t, s, "t")
				if err == nil {
					require.Equal(t, change.after, now)
				} else {
					require.NotEmpty(t, condition.Of(err), "%v", err)
					require.True(t, errors.Is(err, errorfs.ErrInjected) || strings.Contains(err.Error(), "injected"), "%v", err)
					failures++
				}
				require.NoError(t, s.Close())
				again := openAt(t, local.FileSystem(mem), local.Warehouse("/w"))
				after := ids(t, again, "t")
				if err != nil && fmt.Sprint(after) == fmt.Sprint([]int32{1, 2}) {
					kept++
				} else {
					require.Equal(t, change.after, after, "call %d", n)
				}
				// The table goes on: what failed can be done again.
				require.NoError(t, again.Write(ctx, pairs(5).WriteTo(connectors.ToTable("t").ByName()).SaveMode(expr.SaveAppend)))
				require.Contains(t, ids(t, again, "t"), int32(5))
				if !reached {
					break
				}
			}
			require.Positive(t, failures)
			require.Positive(t, kept)
		})
	}
}

// Readers keep the rows that they began with, whatever happens to the table.
func TestTableReadersKeepRows(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, local.Warehouse(dir), local.BatchRows(2))
	for name, change := range map[string]func() error{
		"overwrite": func() error { return save(s, pairs(100), expr.SaveOverwrite, "t") },
		"truncate":  func() error { return s.Catalog().TruncateTable(ctx, "t") },
		"rename":    func() error { return s.Catalog().RenameTable(ctx, "u", "t") },
		"drop":      func() error { return s.Catalog().DropTable(ctx, false, "t") },
	} {
		require.NoError(t, save(s, pairs(1, 2, 3), expr.SaveOverwrite, "t"), name)
		require.NoError(t, save(s, pairs(4, 5, 6), expr.SaveAppend, "t"), name)
		table, err := s.Table(ctx, "t")
		require.NoError(t, err)
		n := 0
		for row, err := range backend.Rows[pair](ctx, s, table) {
			require.NoError(t, err, name)
			require.NotNil(t, row.Name)
			if n == 0 {
				require.NoError(t, change(), name)
			}
			n++
		}
		require.Equal(t, 6, n, name)
		require.NoError(t, s.Catalog().DropTable(ctx, true, "u"))
	}
	// Nobody reads, so nothing is left but the lock.
	require.NoError(t, s.Catalog().DropTable(ctx, true, "t"))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
}

// Many writers and readers of one table: no row is lost or seen in part.
func TestTableConcurrent(t *testing.T) {
	s := openAt(t)
	require.NoError(t, save(s, pairs(), expr.ErrorIfExists, "t"))
	table, err := s.Table(ctx, "t")
	require.NoError(t, err)
	var wg sync.WaitGroup
	made := make(chan error, 8)
	for i := range 8 {
		wg.Go(func() {
			for k := range 5 {
				id := int32(i*5 + k)
				if err := save(s, pairs(id, id+1000), expr.SaveAppend, "t"); err != nil {
					t.Error(err)
				}
				n, err := backend.Count(ctx, s, table)
				if err != nil || n%2 != 0 {
					t.Errorf("%d rows, %v", n, err)
				}
			}
			made <- save(s, pairs(int32(i)), expr.ErrorIfExists, "one")
			name := fmt.Sprint("v", i%2)
			if err := s.Catalog().CreateTempView(ctx, name, table, true); err != nil {
				t.Error(err)
			}
			if _, err := s.Catalog().ListTables(ctx, ""); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	close(made)
	won := 0
	for err := range made {
		if err == nil {
			won++
		} else {
			require.Equal(t, condition.TableAlreadyExists, condition.Of(err))
		}
	}
	require.Equal(t, 1, won)
	require.Len(t, ids(t, s, "t"), 80)
	require.Len(t, ids(t, s, "one"), 1)
}

// Cached rows are computed once, have a size, and go when they are released or with the session.
func TestCache(t *testing.T) {
	s, err := local.Open()
	require.NoError(t, err)
	f := newFeed(t, "id INT, name STRING")
	f.add([]any{1, "a"}, []any{2, nil})
	c, err := s.Cache(ctx, expr.Read("in", f))
	require.NoError(t, err)
	require.Positive(t, c.Bytes)
	f.add([]any{3, "c"})
	for range 2 {
		n, err := backend.Count(ctx, s, c.Table)
		require.NoError(t, err)
		require.EqualValues(t, 2, n)
	}
	larger, err := s.Cache(ctx, expr.Read("in", f).Union(expr.Read("again", f)))
	require.NoError(t, err)
	require.Greater(t, larger.Bytes, c.Bytes)
	require.NoError(t, c.Release(ctx))
	require.NoError(t, c.Release(ctx))
	_, err = backend.Count(ctx, s, c.Table)
	require.Equal(t, condition.Closed, condition.Of(err))
	require.NoError(t, s.Close())
	_, err = s.Cache(ctx, pairs(1))
	require.Equal(t, condition.Closed, condition.Of(err))
}

// What the local engine does not have is refused by name, with the way out.
func TestCatalogRefusals(t *testing.T) {
	s := openAt(t)
	require.NoError(t, save(s, pairs(1), expr.ErrorIfExists, "t"))
	table, err := s.Table(ctx, "t")
	require.NoError(t, err)
	_, err = s.Batches(ctx, table.VersionAsOf(0))
	require.Equal(t, condition.TimeTravel, condition.Of(err))
	require.ErrorContains(t, err, "run the query on Spark")
	require.ErrorContains(t, err, "catalog_test.go")
	err = s.Catalog().CreateView(ctx, table, expr.ErrorIfExists, "v")
	require.Equal(t, condition.Unsupported, condition.Of(err))
	require.ErrorContains(t, err, "CreateTempView")
	_, err = s.Start(ctx, expr.Read("in", newFeed(t, "id INT")).WriteTo(connectors.ToTable("u")).Checkpoint(t.TempDir()))
	require.Equal(t, condition.Unsupported, condition.Of(err))
	require.ErrorContains(t, err, "ToParquet")
	_, err = s.Start(ctx, expr.StreamingTable(table.Schema().Types(), "t").WriteTo(connectors.Noop()))
	require.Equal(t, condition.Unsupported, condition.Of(err))
	require.ErrorContains(t, err, "Session.Table")
	_, err = s.Table(ctx, "tt")
	require.Equal(t, condition.TableNotFound, condition.Of(err))
	require.ErrorContains(t, err, "There is t.")
	_, err = local.Open(local.Warehouse(""))
	require.Equal(t, condition.InvalidOption, condition.Of(err))

	// What does not fit a column is an error under every mode.
	legacy := openAt(t, local.ANSI(false))
	require.NoError(t, save(legacy, pairs(1).Select("id"), expr.ErrorIfExists, "t"))
	large := expr.Memtable("rows", []struct{ ID int64 }{{1 << 40}})
	require.Equal(t, condition.CastOverflowInInsert, condition.Of(save(legacy, large, expr.SaveAppend, "t")))
	require.Equal(t, []int32{1}, ids(t, legacy, "t"))

	// A table that was declared is read by its names; what does not fit is told.
	fields := table.Schema().Types()
	swapped := expr.CatalogTable([]datatype.Field{fields[1], fields[0]}, "t")
	rows, err := backend.Collect[pair](ctx, s, swapped)
	require.NoError(t, err)
	require.EqualValues(t, 1, rows[0].ID)
	fields[0].Name = "other"
	_, err = s.Batches(ctx, expr.CatalogTable(fields, "t"))
	require.Equal(t, condition.UnresolvedColumn, condition.Of(err))
	fields[0].Name = fields[1].Name
	_, err = s.Batches(ctx, expr.CatalogTable(fields[:1], "t"))
	require.Equal(t, condition.SchemaMismatch, condition.Of(err))

	// A look-up table of a stream may be one of the catalogue, and a subquery may read one for each row.
	f := newFeed(t, "id INT")
	f.add([]any{1}, []any{5})
	sink := newCollector()
	q, err := s.Start(ctx, expr.Read("in", f).Join(table, "id").WriteTo(sink).Checkpoint(t.TempDir()))
	require.NoError(t, err)
	require.NoError(t, q.ProcessAllAvailable(ctx))
	require.Equal(t, []string{"1|n1"}, sink.rows())
	require.NoError(t, q.Stop(ctx))
	in := expr.Read("in", f)
	n, err := backend.Count(ctx, s, in.Filter(expr.Exists(table.Filter(table.Num("id").Lt(in.Num("id"))))))
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
}
