package backend

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Catalog is what a session knows by name: catalogues of databases of tables and views. Parts of a name are given apart and as they are, without quotes:
// ("db", "t"). A name of one part is a temporary view, or else a table of the current database. Names are compared without regard to letter case; those of
// databases and tables have letters, digits and _ only (INVALID_SCHEMA_OR_RELATION_NAME), those of temporary views anything.
//
// Rows are written into tables by Session.Write with connectors.ToTable, and an empty table is made by [CreateTable].
//
// A pattern is Spark's: * stands for any text, | for or, and the rest is a regular expression, without regard to letter case; "" takes everything. Lists are in
// the order of their names.
//
// Source: Spark's Catalog.
type Catalog interface {
	// CurrentCatalog gives the name of the current catalogue.
	CurrentCatalog(ctx context.Context) (string, error)
	// SetCurrentCatalog makes a catalogue the current one; CATALOG_NOT_FOUND where there is none.
	SetCurrentCatalog(ctx context.Context, name string) error
	// ListCatalogs gives the names of the catalogues. Spark lists those that the session has used.
	ListCatalogs(ctx context.Context, pattern string) ([]string, error)

	// CurrentDatabase gives the current database's name, without its catalogue. It is not there any more where it was dropped.
	CurrentDatabase(ctx context.Context) (string, error)
	// SetCurrentDatabase makes a database the current one; SCHEMA_NOT_FOUND where there is none.
	SetCurrentDatabase(ctx context.Context, name ...string) error
	// ListDatabases gives the names of the current catalogue's databases.
	ListDatabases(ctx context.Context, pattern string) ([]string, error)
	// DatabaseExists tells whether there is a database.
	DatabaseExists(ctx context.Context, name ...string) (bool, error)
	// CreateDatabase makes a database. One that is there is SCHEMA_ALREADY_EXISTS, unless force.
	CreateDatabase(ctx context.Context, force bool, name ...string) error
	// DropDatabase drops a database. One with tables is SCHEMA_NOT_EMPTY, unless cascade, which drops them; one that is not there is SCHEMA_NOT_FOUND, unless
	// force.
	DropDatabase(ctx context.Context, force, cascade bool, name ...string) error

	// ListTables gives the tables and views of a database, the current one by default, and the session's temporary views.
	ListTables(ctx context.Context, pattern string, database ...string) ([]TableInfo, error)
	// GetTable describes a table or view; TABLE_OR_VIEW_NOT_FOUND where there is none.
	GetTable(ctx context.Context, name ...string) (TableInfo, error)
	// TableExists tells whether there is a table or view.
	TableExists(ctx context.Context, name ...string) (bool, error)
	// ListColumns gives the columns of a table or view, in their order.
	ListColumns(ctx context.Context, name ...string) ([]ColumnInfo, error)

	// CreateTempView gives a table a name in the session: the expression, which is computed each time that the name is read. With replace it takes the place of a
	// view of that name, which is TEMP_TABLE_OR_VIEW_ALREADY_EXISTS else.
	CreateTempView(ctx context.Context, name string, t expr.Table, replace bool) error
	// DropTempView forgets a temporary view and tells whether there was one.
	DropTempView(ctx context.Context, name string) (bool, error)
	// CreateView keeps a table's query in the catalogue, beyond the session. Of what is there already mode says what happens: an error, nothing (SaveIgnore), or
	// another query (SaveOverwrite). On Spark the query may read tables of the catalogue only; the local engine has temporary views alone.
	CreateView(ctx context.Context, t expr.Table, mode expr.SaveMode, name ...string) error
	// DropView drops a view; one that is not there is TABLE_OR_VIEW_NOT_FOUND, unless force.
	DropView(ctx context.Context, force bool, name ...string) error

	// DropTable drops a table with its rows, or a temporary view; one that is not there is TABLE_OR_VIEW_NOT_FOUND, unless force.
	DropTable(ctx context.Context, force bool, name ...string) error
	// TruncateTable takes all rows out of a table.
	TruncateTable(ctx context.Context, name ...string) error
	// RenameTable gives a table another name in its database; TABLE_OR_VIEW_ALREADY_EXISTS where that is taken.
	RenameTable(ctx context.Context, to string, name ...string) error
	// RefreshTable forgets what the session keeps of a table's files, so that what others wrote is seen.
	RefreshTable(ctx context.Context, name ...string) error
}

// TableInfo describes a table or view.
//
// Source: Spark's catalog.Table.
type TableInfo struct {
	// Name is the table's own name.
	Name string
	// Catalog and Database are where it is; "" of a temporary view.
	Catalog, Database string
	// Type is Spark's word: MANAGED, EXTERNAL, VIEW or TEMPORARY.
	Type string
	// Temporary tells the session's own views.
	Temporary bool
}

// SortTables puts tables in the order of lists: by their names, tables before temporary views of the same one. Sessions use it.
func SortTables(list []TableInfo) {
	slices.SortFunc(list, func(a, b TableInfo) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(len(b.Database), len(a.Database)))
	})
}

// ColumnInfo describes a column of a table or view.
//
// Source: Spark's catalog.Column.
type ColumnInfo struct {
	// Name is the column's name and Type its type.
	Name string
	Type datatype.Type
	// Nullable tells whether the column may hold null. All columns of tables may.
	Nullable bool
	// Partition tells the columns whose values name folders.
	Partition bool
}

// CreateTable makes a table without rows; what mode says of one that is there is as in a write of no rows. Its columns may all be null, and those that the rows
// are partitioned by come last.
func CreateTable(ctx context.Context, s Session, fields []datatype.Field, table connectors.TableSink, mode expr.SaveMode) error {
	if s == nil {
		return condition.Newf(condition.InvalidValue, "The session is nil.")
	}
	return s.Write(ctx, expr.MemtableRows("rows", fields, nil).WriteTo(table).SaveMode(mode))
}

// Cached is a table whose rows a session keeps, until [Cached.Release] or the session's end.
type Cached struct {
	// Table is the table over what is kept.
	Table expr.Table
	// Bytes is how much memory the rows take; 0 on Spark, which does not tell.
	Bytes int64

	release func(context.Context) error
	once    sync.Mutex
	done    bool
}

// NewCached makes a handle whose first Release that succeeds calls release. Sessions use it.
func NewCached(t expr.Table, bytes int64, release func(context.Context) error) *Cached {
	return &Cached{Table: t, Bytes: bytes, release: release}
}

// Release gives the rows up; Table cannot be read any more. Once it has succeeded, another call does nothing.
//
// Source: Ibis's CachedTable.release; Spark's unpersist.
func (c *Cached) Release(ctx context.Context) error {
	if c == nil {
		return condition.Newf(condition.InvalidValue, "The handle is nil: Session.Cache gives one.")
	}
	c.once.Lock()
	defer c.once.Unlock()
	if c.done {
		return nil
	}
	if c.release == nil {
		return condition.Newf(condition.InvalidValue, "The handle was never made: Session.Cache gives one.")
	}
	err := c.release(ctx)
	c.done = err == nil
	return err
}
