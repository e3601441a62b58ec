package sparkconnect

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect/internal/client"
	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/compiler/sparksql"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// views are the session's temporary views by their folded names: those that programs have made for themselves, which no user sees, and the user's own,
// whose names no program takes.
type views struct {
	sync.Mutex
	own, user map[string]string
}

// take notes a view that a program makes. The name of a user's view is refused.
func (v *views) take(name string) error {
	v.Lock()
	defer v.Unlock()
	k := datatype.FoldName(name)
	if v.user[k] != "" {
		e := condition.Newf(condition.InvalidValue, "The program makes a view %s, and the session has a temporary view of that name.", datatype.QuoteName(name))
		e.Hint = "Compile it for the session's present Target, which reserves the names of temporary views."
		return e
	}
	if v.own == nil {
		v.own = map[string]string{}
	}
	v.own[k] = name
	return nil
}

// hidden tells the name of a view that is a program's.
func (v *views) hidden(name string) bool {
	v.Lock()
	defer v.Unlock()
	return v.own[datatype.FoldName(name)] != ""
}

// keep notes a view of the user's, and forget that it is gone.
func (v *views) keep(name string) {
	v.Lock()
	defer v.Unlock()
	k := datatype.FoldName(name)
	delete(v.own, k)
	if v.user == nil {
		v.user = map[string]string{}
	}
	v.user[k] = name
}

// lostView finds a view of hiddenName's of which an error says that it is not there.
var lostView = regexp.MustCompile("table or view `(spoonbill_[0-9a-f]{8}(?:_[0-9a-f]{4}){3}_[0-9a-f]{12})` cannot be found")

// tell says of a server's error that a view of the session's own is not there what that means to the user: a cached table was released.
func (s *Session) tell(err error) error {
	if condition.Of(err) != condition.TableNotFound {
		return err
	}
	if lost := lostView.FindStringSubmatch(err.Error()); lost == nil || s.views.hidden(lost[1]) {
		return err
	}
	e := condition.Newf(condition.Closed, "The cached table was released.")
	e.Hint = "Cache the table again."
	return e
}

// lose forgets a view of a program's that is gone.
func (v *views) lose(name string) {
	v.Lock()
	defer v.Unlock()
	delete(v.own, datatype.FoldName(name))
}

func (v *views) forget(name string) {
	v.Lock()
	defer v.Unlock()
	delete(v.user, datatype.FoldName(name))
}

// reserved are the names of the user's views.
func (v *views) reserved() []string {
	v.Lock()
	defer v.Unlock()
	return slices.Sorted(maps.Values(v.user))
}

// Catalog implements [backend.Session].
func (s *Session) Catalog() backend.Catalog { return catalog{s} }

type catalog struct{ *Session }

// ask runs what gives rows about the catalogue.
func ask[T any](ctx context.Context, s *Session, rel *client.Relation) ([]T, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	r, err := s.c.Query(quiet(ctx), rel)
	if err != nil {
		return nil, condition.At(err, condition.Here(1))
	}
	var out []T
	for row, err := range backend.Decode[T](backend.Result{Fields: r.Fields(), Batches: r.Batches()}) {
		if err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}

// one is [ask] for one value.
func one[T any](ctx context.Context, s *Session, rel *client.Relation) (T, error) {
	rows, err := ask[T](ctx, s, rel)
	if err == nil && len(rows) != 1 {
		err = condition.Newf(condition.ServerError, "the server gave %d rows where one is to come.", len(rows))
	}
	if err != nil {
		var zero T
		return zero, err
	}
	return rows[0], nil
}

func (s *Session) do(ctx context.Context, statement string) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	return condition.At(s.c.Command(quiet(ctx), client.Statement(statement)), condition.Here(1))
}

// tableName checks the parts of a name and quotes it. Where a view of a program's hides a table of one part, the table is meant.
func (s *Session) tableName(ctx context.Context, what string, name []string) (string, error) {
	if err := s.ready(ctx); err != nil {
		return "", err
	}
	if len(name) == 0 || slices.Contains(name, "") {
		e := condition.Newf(condition.InvalidValue, "a %s needs a name, and no part of it may be empty.", what)
		e.Pos = condition.Here(1)
		return "", e
	}
	if what != database && len(name) == 1 && s.views.hidden(name[0]) {
		current, err := s.currentDatabase(ctx)
		if err != nil {
			return "", err
		}
		name = append(current, name...)
	}
	return client.TableName(name...), nil
}

const (
	database = "database"
	table    = "table"
)

func ifExists(force bool) string {
	if force {
		return "IF EXISTS "
	}
	return ""
}

// CurrentCatalog implements [backend.Catalog].
func (c catalog) CurrentCatalog(ctx context.Context) (string, error) {
	current, err := c.currentDatabase(ctx)
	if err != nil {
		return "", err
	}
	return current[0], nil
}

// SetCurrentCatalog implements [backend.Catalog].
func (c catalog) SetCurrentCatalog(ctx context.Context, name string) error {
	n, err := c.tableName(ctx, database, []string{name})
	if err != nil {
		return err
	}
	return c.do(ctx, "SET CATALOG "+n)
}

// ListCatalogs implements [backend.Catalog].
func (c catalog) ListCatalogs(ctx context.Context, pattern string) ([]string, error) {
	return c.list(ctx, client.ListCatalogs(pattern))
}

// list gives the names of what a relation lists.
func (c catalog) list(ctx context.Context, rel *client.Relation) ([]string, error) {
	rows, err := ask[struct{ Name string }](ctx, c.Session, rel)
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = r.Name
	}
	slices.Sort(out)
	return out, err
}

// CurrentDatabase implements [backend.Catalog].
func (c catalog) CurrentDatabase(ctx context.Context) (string, error) {
	current, err := c.currentDatabase(ctx)
	if err != nil {
		return "", err
	}
	return current[1], nil
}

// SetCurrentDatabase implements [backend.Catalog].
func (c catalog) SetCurrentDatabase(ctx context.Context, name ...string) error {
	n, err := c.tableName(ctx, database, name)
	if err != nil {
		return err
	}
	return c.do(ctx, "USE "+n)
}

// ListDatabases implements [backend.Catalog].
func (c catalog) ListDatabases(ctx context.Context, pattern string) ([]string, error) {
	return c.list(ctx, client.ListDatabases(pattern))
}

// DatabaseExists implements [backend.Catalog].
func (c catalog) DatabaseExists(ctx context.Context, name ...string) (bool, error) {
	n, err := c.tableName(ctx, database, name)
	if err != nil {
		return false, err
	}
	return one[bool](ctx, c.Session, client.DatabaseExists(n))
}

// CreateDatabase implements [backend.Catalog].
func (c catalog) CreateDatabase(ctx context.Context, force bool, name ...string) error {
	n, err := c.tableName(ctx, database, name)
	if err != nil {
		return err
	}
	words := "CREATE DATABASE "
	if force {
		words += "IF NOT EXISTS "
	}
	return c.do(ctx, words+n)
}

// DropDatabase implements [backend.Catalog].
func (c catalog) DropDatabase(ctx context.Context, force, cascade bool, name ...string) error {
	n, err := c.tableName(ctx, database, name)
	if err != nil {
		return err
	}
	if cascade {
		n += " CASCADE"
	}
	return c.do(ctx, "DROP DATABASE "+ifExists(force)+n)
}

// tableRow is a row of Spark's catalogue.
type tableRow struct {
	Name        string
	Catalog     *string
	Namespace   []string
	TableType   string `spoonbill:"tableType"`
	IsTemporary bool   `spoonbill:"isTemporary"`
}

func (r tableRow) info() backend.TableInfo {
	out := backend.TableInfo{Name: r.Name, Database: strings.Join(r.Namespace, "."), Type: r.TableType, Temporary: r.IsTemporary}
	if r.Catalog != nil {
		out.Catalog = *r.Catalog
	}
	return out
}

// ListTables implements [backend.Catalog]; views that programs have made for themselves are left out.
func (c catalog) ListTables(ctx context.Context, pattern string, db ...string) ([]backend.TableInfo, error) {
	if len(db) == 0 {
		current, err := c.currentDatabase(ctx)
		if err != nil {
			return nil, err
		}
		db = current
	}
	n, err := c.tableName(ctx, database, db)
	if err != nil {
		return nil, err
	}
	rows, err := ask[tableRow](ctx, c.Session, client.ListTables(n, pattern))
	if err != nil {
		return nil, err
	}
	var out []backend.TableInfo
	for _, r := range rows {
		if !r.IsTemporary || !c.views.hidden(r.Name) {
			out = append(out, r.info())
		}
	}
	backend.SortTables(out)
	return out, nil
}

// GetTable implements [backend.Catalog].
func (c catalog) GetTable(ctx context.Context, name ...string) (backend.TableInfo, error) {
	n, err := c.tableName(ctx, table, name)
	if err != nil {
		return backend.TableInfo{}, err
	}
	r, err := one[tableRow](ctx, c.Session, client.GetTable(n))
	return r.info(), err
}

// TableExists implements [backend.Catalog].
func (c catalog) TableExists(ctx context.Context, name ...string) (bool, error) {
	n, err := c.tableName(ctx, table, name)
	if err != nil {
		return false, err
	}
	return one[bool](ctx, c.Session, client.TableExists(n))
}

// ListColumns implements [backend.Catalog].
func (c catalog) ListColumns(ctx context.Context, name ...string) ([]backend.ColumnInfo, error) {
	n, err := c.tableName(ctx, table, name)
	if err != nil {
		return nil, err
	}
	rows, err := ask[struct {
		Name, DataType        string
		Nullable, IsPartition bool
	}](ctx, c.Session, client.ListColumns(n))
	if err != nil {
		return nil, err
	}
	out := make([]backend.ColumnInfo, len(rows))
	for i, r := range rows {
		t, err := datatype.Parse(r.DataType)
		if err != nil {
			return nil, err
		}
		out[i] = backend.ColumnInfo{Name: r.Name, Type: t, Nullable: r.Nullable, Partition: r.IsPartition}
	}
	return out, nil
}

// CreateTempView implements [backend.Catalog].
func (c catalog) CreateTempView(ctx context.Context, name string, t expr.Table, replace bool) error {
	if err := c.ready(ctx); err != nil {
		return err
	}
	if name == "" {
		return condition.Newf(condition.InvalidValue, "a temporary view needs a name.")
	}
	target := c.Target()
	target.Reserved = append(target.Reserved, name)
	p, err := compiler.Compile(t, compiler.Batch, target)
	if err != nil {
		return err
	}
	if err := c.view(ctx, p, name, replace || c.views.hidden(name)); err != nil {
		return err
	}
	c.views.keep(name)
	return nil
}

// view makes a temporary view of what a program gives.
func (s *Session) view(ctx context.Context, p *compiler.Program, name string, replace bool) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	last, ok := lastStep(p).(compiler.QueryStep)
	if !ok {
		return wrongProgram("rows")
	}
	s.steps.Lock()
	defer s.steps.Unlock()
	if err := s.prepare(ctx, p); err != nil {
		return err
	}
	query, err := s.query(quiet(ctx), last.SQL, last.Args)
	if err != nil {
		return err
	}
	return s.c.Command(quiet(ctx), client.View(name, query, replace))
}

// DropTempView implements [backend.Catalog].
func (c catalog) DropTempView(ctx context.Context, name string) (bool, error) {
	if err := c.ready(ctx); err != nil {
		return false, err
	}
	if name == "" || c.views.hidden(name) {
		return false, nil
	}
	was, err := one[bool](ctx, c.Session, client.DropTempView(name))
	if err == nil {
		c.views.forget(name)
	}
	return was, err
}

// CreateView implements [backend.Catalog].
func (c catalog) CreateView(ctx context.Context, t expr.Table, mode expr.SaveMode, name ...string) error {
	n, err := c.tableName(ctx, table, name)
	if err != nil {
		return err
	}
	words, ok := map[expr.SaveMode]string{expr.ErrorIfExists: "CREATE VIEW ", expr.SaveIgnore: "CREATE VIEW IF NOT EXISTS ", expr.SaveOverwrite: "CREATE OR REPLACE VIEW "}[mode]
	if !ok {
		return condition.Newf(condition.InvalidValue, "a view has no save mode %s.", mode)
	}
	p, err := compiler.Compile(t, compiler.Batch, c.Target())
	if err != nil {
		return err
	}
	for _, step := range p.Steps[:len(p.Steps)-1] {
		if _, check := step.(compiler.CheckStep); !check {
			e := condition.Newf(condition.InvalidTempReference, "The view %s would outlive what its query reads: a source or a step that is a temporary view of this session.", n)
			e.Hint = "Read tables of the catalogue (Session.Table), or make it with CreateTempView."
			return e
		}
	}
	last, ok := lastStep(p).(compiler.QueryStep)
	if !ok {
		return wrongProgram("rows")
	}
	c.steps.Lock()
	defer c.steps.Unlock()
	if err := c.prepare(ctx, p); err != nil {
		return err
	}
	return c.do(ctx, words+n+" AS\n"+sparksql.Inline(last.SQL, last.Args))
}

// DropView implements [backend.Catalog].
func (c catalog) DropView(ctx context.Context, force bool, name ...string) error {
	n, err := c.tableName(ctx, table, name)
	if err != nil {
		return err
	}
	return c.gone(c.do(ctx, "DROP VIEW "+ifExists(force)+n), name)
}

// gone forgets a temporary view that a statement has dropped.
func (c catalog) gone(err error, name []string) error {
	if err == nil && len(name) == 1 {
		c.views.forget(name[0])
	}
	return err
}

// DropTable implements [backend.Catalog].
func (c catalog) DropTable(ctx context.Context, force bool, name ...string) error {
	return c.gone(c.alter(ctx, "DROP TABLE "+ifExists(force), "", name), name)
}

func (c catalog) alter(ctx context.Context, words, behind string, name []string) error {
	n, err := c.tableName(ctx, table, name)
	if err != nil {
		return err
	}
	return c.do(ctx, words+n+behind)
}

// TruncateTable implements [backend.Catalog].
func (c catalog) TruncateTable(ctx context.Context, name ...string) error {
	return c.alter(ctx, "TRUNCATE TABLE ", "", name)
}

// RenameTable implements [backend.Catalog].
func (c catalog) RenameTable(ctx context.Context, to string, name ...string) error {
	if to == "" {
		return condition.Newf(condition.InvalidValue, "a table needs a name.")
	}
	if len(name) < 2 {
		current, err := c.currentDatabase(ctx)
		if err != nil {
			return err
		}
		name = append(current, name...)
	}
	// Spark takes a name of one part for one in the current database, and none with a catalogue.
	return c.alter(ctx, "ALTER TABLE ", " RENAME TO "+client.TableName(name[len(name)-2], to), name)
}

// RefreshTable implements [backend.Catalog].
func (c catalog) RefreshTable(ctx context.Context, name ...string) error {
	return c.alter(ctx, "REFRESH TABLE ", "", name)
}

// Cache implements [backend.Session]: Spark's CACHE TABLE of a temporary view of the session.
func (s *Session) Cache(ctx context.Context, t expr.Table) (*backend.Cached, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	p, err := compiler.Compile(t, compiler.Batch, s.Target())
	if err != nil {
		return nil, err
	}
	name, err := s.hiddenName()
	if err != nil {
		return nil, err
	}
	if err := s.view(ctx, p, name, false); err != nil {
		return nil, err
	}
	release := func(ctx context.Context) error {
		if err := s.do(ctx, "UNCACHE TABLE IF EXISTS "+name); err != nil {
			return err
		}
		return s.drop(ctx, name)
	}
	if err := s.c.Command(ctx, client.Statement("CACHE TABLE "+name)); err != nil {
		return nil, errors.Join(err, release(context.WithoutCancel(ctx)))
	}
	return backend.NewCached(expr.CatalogTable(p.Schema.Types(), name), 0, release), nil
}
