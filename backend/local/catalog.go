package local

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local/durable"
	"github.com/spoonbill-go/spoonbill/backend/local/fault"
	"github.com/spoonbill-go/spoonbill/backend/local/plan"
	"github.com/spoonbill-go/spoonbill/compiler/analyze"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/absent"
)

// Warehouse sets the folder in which the session's catalogue keeps its tables, below the session's file system. One session has it at a time. Without one,
// tables are kept in memory and end with the session.
func Warehouse(dir string) Option {
	return func(c *config) {
		if c.warehouse = dir; dir == "" {
			c.err = condition.Newf(condition.InvalidOption, "The folder of the warehouse is empty.")
		}
	}
}

// Catalog implements backend.Session: one catalogue, spark_catalog, whose tables are files below the folder of [Warehouse]. A table's rows are changed by whole
// writes, each of which is seen whole or not at all; who reads goes on with the rows that were there.
func (s *Session) Catalog() backend.Catalog {
	if s == nil {
		return catalog{}
	}
	return catalog{s.warehouse}
}

type catalog struct{ w *warehouse }

// under runs f under the warehouse's lock.
func (c catalog) under(ctx context.Context, f func() error) error {
	at := condition.Here(1)
	if err := absent.Context(ctx); err != nil {
		return condition.At(err, at)
	}
	if c.w == nil {
		return condition.At(absent.Opened("local.Open"), at)
	}
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if err := c.w.open(); err != nil {
		return condition.At(err, at)
	}
	return condition.At(fault.Do(f), at)
}

// matching gives the names that a pattern of Spark's takes, in order.
//
// Source: Spark's StringUtils.filterPattern.
func matching(names []string, pattern string) []string {
	var out []string
	for _, part := range strings.Split(strings.TrimSpace(pattern), "|") {
		re, err := regexp.Compile("(?i)^(?:" + strings.ReplaceAll(part, "*", ".*") + ")$")
		for _, n := range names {
			if pattern == "" || err == nil && re.MatchString(n) {
				out = append(out, n)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// CurrentCatalog implements backend.Catalog.
func (c catalog) CurrentCatalog(ctx context.Context) (string, error) {
	return catalogName, c.under(ctx, func() error { return nil })
}

// SetCurrentCatalog implements backend.Catalog.
func (c catalog) SetCurrentCatalog(ctx context.Context, name string) error {
	return c.under(ctx, func() error {
		if err := checkName([]string{name}); err != nil || datatype.FoldName(name) == catalogName {
			return err
		}
		e := condition.Newf(condition.CatalogNotFound, "The catalog %s not found.", quoteAll(name))
		e.Hint = "The local engine has " + catalogName + " alone."
		return e
	})
}

// ListCatalogs implements backend.Catalog.
func (c catalog) ListCatalogs(ctx context.Context, pattern string) ([]string, error) {
	return matching([]string{catalogName}, pattern), c.under(ctx, func() error { return nil })
}

// CurrentDatabase implements backend.Catalog.
func (c catalog) CurrentDatabase(ctx context.Context) (name string, err error) {
	err = c.under(ctx, func() error { name = c.w.current; return nil })
	return name, err
}

// SetCurrentDatabase implements backend.Catalog.
func (c catalog) SetCurrentDatabase(ctx context.Context, name ...string) error {
	return c.under(ctx, func() error {
		db, err := c.w.databaseOf(name)
		if err == nil {
			_, err = c.w.tables(db)
		}
		if err == nil {
			c.w.current = db
		}
		return err
	})
}

// ListDatabases implements backend.Catalog.
func (c catalog) ListDatabases(ctx context.Context, pattern string) (out []string, err error) {
	err = c.under(ctx, func() error { out = matching(sortedKeys(c.w.databases), pattern); return nil })
	return out, err
}

// DatabaseExists implements backend.Catalog.
func (c catalog) DatabaseExists(ctx context.Context, name ...string) (ok bool, err error) {
	err = c.under(ctx, func() error {
		db, err := c.w.databaseOf(name)
		_, ok = c.w.databases[db]
		return err
	})
	return ok, err
}

// CreateDatabase implements backend.Catalog.
func (c catalog) CreateDatabase(ctx context.Context, force bool, name ...string) error {
	return c.under(ctx, func() error {
		db, err := c.w.databaseOf(name)
		if err == nil {
			err = valid(db)
		}
		if err != nil {
			return err
		}
		if _, ok := c.w.databases[db]; ok {
			if force {
				return nil
			}
			e := condition.Newf(condition.SchemaAlreadyExists, "Cannot create schema %s because it already exists.", quoteAll(db))
			e.Hint = "Give it another name, or force."
			return e
		}
		dir := c.w.fs.PathJoin(c.w.dir, db+databaseEnd)
		if gone, err := c.w.dropped(dir); err != nil {
			return err
		} else if gone {
			if err := c.w.revive(dir); err != nil {
				return err
			}
		}
		if err := durable.Mkdir(c.w.fs, dir); err != nil {
			if _, e := c.w.fs.Stat(dir); e != nil {
				return storeFailed(dir, err)
			}
			c.w.databases[db] = map[string]*stored{} // it has the folder, which the next session finds
			return unsure(dir, err)
		}
		c.w.databases[db] = map[string]*stored{}
		return nil
	})
}

// DropDatabase implements backend.Catalog.
func (c catalog) DropDatabase(ctx context.Context, force, cascade bool, name ...string) error {
	return c.under(ctx, func() error {
		db, err := c.w.databaseOf(name)
		if err != nil {
			return err
		}
		tables, err := c.w.tables(db)
		switch {
		case err != nil && force:
			return nil
		case err != nil:
			return err
		case db == defaultDatabase:
			return condition.Newf(condition.DropDefaultDatabase, "The feature is not supported: Drop the default database %s.", quoteAll(catalogName, db))
		case len(tables) > 0 && !cascade:
			e := condition.Newf(condition.SchemaNotEmpty, "Cannot drop a schema %s because it contains objects.", quoteAll(db))
			e.Hint = "Drop them first, or use cascade."
			return e
		}
		dir := c.w.fs.PathJoin(c.w.dir, db+databaseEnd)
		if err := durable.Write(c.w.fs, c.w.fs.PathJoin(dir, droppedFile), nil); err != nil {
			if gone, e := c.w.dropped(dir); e == nil && !gone {
				return storeFailed(dir, err)
			}
			delete(c.w.databases, db)
			return unsure(dir, err) // its tables stay until the warehouse is opened next
		}
		delete(c.w.databases, db)
		// It is gone now. What cannot be removed here goes when the warehouse is opened next.
		inUse := false
		for _, n := range sortedKeys(tables) {
			t := tables[n]
			_ = c.w.drop(tables, t)
			inUse = inUse || len(t.left) > 0
		}
		if !inUse {
			c.w.sweep(dir)
		}
		return nil
	})
}

// ListTables implements backend.Catalog.
func (c catalog) ListTables(ctx context.Context, pattern string, database ...string) (out []backend.TableInfo, err error) {
	err = c.under(ctx, func() error {
		db := c.w.current
		if len(database) > 0 {
			var err error
			if db, err = c.w.databaseOf(database); err != nil {
				return err
			}
		}
		tables, err := c.w.tables(db)
		if err != nil {
			return err
		}
		for _, n := range matching(sortedKeys(tables), pattern) {
			out = append(out, tableInfo(db, n))
		}
		views := map[string]*view{}
		for _, v := range c.w.views {
			views[v.name] = v
		}
		for _, n := range matching(sortedKeys(views), pattern) {
			out = append(out, viewInfo(n))
		}
		backend.SortTables(out)
		return nil
	})
	return out, err
}

func tableInfo(db, name string) backend.TableInfo {
	return backend.TableInfo{Name: name, Catalog: catalogName, Database: db, Type: "MANAGED"}
}

func viewInfo(name string) backend.TableInfo {
	return backend.TableInfo{Name: name, Type: "TEMPORARY", Temporary: true}
}

// GetTable implements backend.Catalog.
func (c catalog) GetTable(ctx context.Context, name ...string) (out backend.TableInfo, err error) {
	err = c.under(ctx, func() error {
		f, err := c.w.look(name)
		switch {
		case err != nil:
		case f.view != nil:
			out = viewInfo(f.view.name)
		default:
			out = tableInfo(f.database, f.name)
		}
		return err
	})
	return out, err
}

// TableExists implements backend.Catalog.
func (c catalog) TableExists(ctx context.Context, name ...string) (bool, error) {
	_, err := c.GetTable(ctx, name...)
	switch condition.Of(err) {
	case condition.TableNotFound:
		return false, nil
	case condition.FailedReadFile:
		return true, nil // it is there, and damaged
	}
	return err == nil, err
}

// ListColumns implements backend.Catalog.
func (c catalog) ListColumns(ctx context.Context, name ...string) (out []backend.ColumnInfo, err error) {
	err = c.under(ctx, func() error {
		f, err := c.w.look(name)
		if err != nil {
			return err
		}
		var fields []datatype.Field
		partitions := 0
		if f.view != nil {
			fields = f.view.rel.Schema().Types()
		} else {
			t := c.w.databases[f.database][f.name]
			fields, partitions = t.fields, len(t.is.PartitionBy)
		}
		for i, x := range fields {
			out = append(out, backend.ColumnInfo{Name: x.Name, Type: x.Type, Nullable: x.Nullable, Partition: i >= len(fields)-partitions})
		}
		return nil
	})
	return out, err
}

// CreateTempView implements backend.Catalog. Views and tables that the query reads are those of now.
func (c catalog) CreateTempView(ctx context.Context, name string, t expr.Table, replace bool) error {
	r, err := t.Relation()
	if err != nil {
		return err
	}
	if err := errors.Join(analyze.Parameters(r), analyze.Relation(r, analyze.Batch, target())); err != nil {
		return err
	}
	v := &view{name: name, rel: r, inner: map[*tree.Table]found{}}
	free := func() error {
		if c.w.views[datatype.FoldName(name)] == nil || replace {
			return nil
		}
		e := condition.Newf(condition.TempViewAlreadyExists, "Cannot create the temporary view %s because it already exists.", quoteAll(name))
		e.Hint = "Give it another name, or replace the one that is there."
		return e
	}
	err = c.under(ctx, func() error {
		if err := checkName([]string{name}); err != nil {
			return err
		}
		if err := free(); err != nil {
			return err
		}
		var missing error
		tree.WalkRelations(r, func(x tree.Relation) {
			if t, ok := x.(*tree.Table); ok && missing == nil {
				v.inner[t], missing = c.w.look(t.Name)
				missing = condition.At(missing, t.Pos())
			}
		})
		return missing
	})
	if err != nil {
		return err
	}
	// What the engine refuses is refused now, as Spark does.
	if _, err := fault.Get(func() (*plan.Plan, error) { return plan.Make(r, plan.Kind{Tables: c.w.resolver(v.inner)}) }); err != nil {
		return err
	}
	return c.under(ctx, func() error {
		if err := free(); err != nil { // another may have come while the lock was open
			return err
		}
		c.w.views[datatype.FoldName(name)] = v
		return nil
	})
}

// DropTempView implements backend.Catalog.
func (c catalog) DropTempView(ctx context.Context, name string) (was bool, err error) {
	err = c.under(ctx, func() error {
		k := datatype.FoldName(name)
		was = c.w.views[k] != nil
		delete(c.w.views, k)
		return nil
	})
	return was, err
}

// CreateView implements backend.Catalog: the local engine keeps no query beyond the session, and says so.
func (c catalog) CreateView(_ context.Context, t expr.Table, _ expr.SaveMode, name ...string) error {
	if err := errors.Join(t.Err(), checkName(name)); err != nil {
		return err
	}
	e := condition.Newf(condition.Unsupported, "The local engine has temporary views only, so it cannot keep the view %s.", quoteAll(name...))
	e.Pos, e.Operator, e.Hint = condition.Here(1), "CreateView", "Use CreateTempView, or write the rows into a table with connectors.ToTable."
	return e
}

// DropView implements backend.Catalog.
func (c catalog) DropView(ctx context.Context, force bool, name ...string) error {
	return c.under(ctx, func() error {
		f, err := c.w.look(name)
		switch {
		case err != nil && force && condition.Of(err) == condition.TableNotFound:
			return nil
		case err != nil:
			return err
		case f.view == nil:
			e := condition.Newf(condition.WrongObjectType, "The operation DROP VIEW requires a VIEW. But %s is a MANAGED.", quoteAll(catalogName, f.database, f.name))
			e.Hint = "Use DropTable instead."
			return e
		}
		delete(c.w.views, datatype.FoldName(f.view.name))
		return nil
	})
}

// DropTable implements backend.Catalog.
func (c catalog) DropTable(ctx context.Context, force bool, name ...string) error {
	return c.under(ctx, func() error {
		if len(name) == 1 && c.w.views[datatype.FoldName(name[0])] != nil {
			delete(c.w.views, datatype.FoldName(name[0]))
			return nil
		}
		t, err := c.w.stored(name)
		if t == nil {
			if force && condition.Of(err) == condition.TableNotFound {
				return nil
			}
			return err
		}
		db, _, err := c.w.place(name)
		if err != nil {
			return err
		}
		return c.w.drop(c.w.databases[db], t)
	})
}

// table gives a table that is about to be changed.
func (c catalog) table(what string, name []string) (*stored, error) {
	f, err := c.w.look(name)
	if err != nil {
		return nil, err
	}
	if f.view != nil {
		return nil, condition.Newf(condition.TableNotView, "'%s' expects a table but %s is a view.", what, quoteAll(f.view.name))
	}
	return c.w.databases[f.database][f.name], nil
}

// TruncateTable implements backend.Catalog.
func (c catalog) TruncateTable(ctx context.Context, name ...string) error {
	return c.under(ctx, func() error {
		t, err := c.table("TRUNCATE TABLE", name)
		if err != nil {
			return err
		}
		is := t.is
		old := is.Data
		is.Data = nil
		if _, err := c.w.save(t, is); err != nil {
			return err
		}
		c.w.release(t, old...)
		return nil
	})
}

// RenameTable implements backend.Catalog. The table's folder keeps its name.
func (c catalog) RenameTable(ctx context.Context, to string, name ...string) error {
	return c.under(ctx, func() error {
		t, err := c.w.stored(name)
		if err != nil {
			return err
		}
		own := datatype.FoldName(to)
		if err := errors.Join(checkName([]string{to})); err != nil {
			return err
		}
		if err := valid(own); err != nil {
			return err
		}
		db, _, err := c.w.place(name)
		if err != nil {
			return err
		}
		tables := c.w.databases[db]
		if tables[own] != nil {
			return condition.Newf(condition.TableAlreadyExists, "Cannot create table or view %s because it already exists.", quoteAll(db, own))
		}
		is := t.is
		is.Name = own
		before := t.is.Name
		done, err := c.w.save(t, is)
		if done >= seen {
			delete(tables, before)
			tables[own] = t
		}
		return err
	})
}

// RefreshTable implements backend.Catalog: nobody else writes into the warehouse, so there is nothing to forget.
func (c catalog) RefreshTable(ctx context.Context, name ...string) error {
	return c.under(ctx, func() error {
		_, err := c.w.look(name)
		return err
	})
}

// resolver finds the tables of one query. inner are those that are known already.
func (w *warehouse) resolver(inner map[*tree.Table]found) plan.Tables {
	type is struct {
		rel   tree.Relation
		inner plan.Tables
	}
	var mu sync.Mutex
	known := map[*tree.Table]is{}
	return func(x *tree.Table) (tree.Relation, plan.Tables, error) {
		mu.Lock()
		defer mu.Unlock()
		if k, ok := known[x]; ok {
			return k.rel, k.inner, nil
		}
		if x.AsOf() {
			e := condition.Newf(condition.TimeTravel, "The feature is not supported: Time travel on the relation: %s.", quoteAll(x.Name...))
			e.Hint = "The local engine keeps a table as it is now. Write what is to stay into a table of its own, or run the query on Spark over a format with versions."
			return nil, nil, e
		}
		f, ok := inner[x]
		if !ok {
			var err error
			if f, err = w.find(x.Name); err != nil {
				return nil, nil, err
			}
		}
		out := is{inner: w.resolver(nil)}
		if f.view != nil {
			out = is{rel: f.view.rel, inner: w.resolver(f.view.inner)}
		} else {
			fields, err := w.fieldsOf(f)
			if err != nil {
				return nil, nil, err
			}
			out.rel = &tree.Read{
				Node: tree.Node{Out: tree.SchemaOf(fields), At: x.At}, Name: f.name, Static: true,
				Source: &tree.Source{Format: tree.TableFormat, Path: quoteAll(f.database, f.name), Fields: fields, Batch: true, Local: &tableRef{w: w, found: f, fields: fields}},
			}
		}
		var err error
		if out.rel, err = declared(x, out.rel); err != nil {
			return nil, nil, err
		}
		known[x] = out
		return out.rel, out.inner, nil
	}
}

// declared gives a relation the columns that a table was declared with, found by their names.
func declared(x *tree.Table, r tree.Relation) (tree.Relation, error) {
	want := x.Schema().Types()
	if sameTypes(want, r.Schema().Types()) {
		return r, nil
	}
	p := &tree.Project{Node: tree.Node{Out: x.Schema(), At: x.At}, Input: r}
	for _, f := range want {
		i := r.Schema().Lookup(f.Name)
		if len(i) != 1 {
			e := condition.Newf(condition.UnresolvedColumn, "The table %s has no column %s.", quoteAll(x.Name...), datatype.QuoteName(f.Name))
			e.Hint = "It has " + strings.Join(r.Schema().Names(), ", ") + "."
			return nil, e
		}
		c := &tree.Column{Rel: r, Ordinal: i[0]}
		if !datatype.EqualIgnoringNulls(c.Type(), f.Type) {
			e := condition.Newf(condition.SchemaMismatch, "Column %s of the table %s is declared as %s, but it is %s.", datatype.QuoteName(f.Name), quoteAll(x.Name...), f.Type, c.Type())
			e.Hint = "Ask the session for the table, which finds its columns."
			return nil, e
		}
		p.Columns = append(p.Columns, tree.Named{Name: f.Name, Expr: c})
	}
	return p, nil
}
