package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/uuid"

	"github.com/spoonbill-go/spoonbill/backend/local/checkpoint"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/durable"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// The names that every catalogue has, as on Spark.
const (
	catalogName     = "spark_catalog"
	defaultDatabase = "default"
)

// The layout of a warehouse: a folder for each table, those of other databases than the default one in <database>.db. A table's folder has a file that describes
// it, which is replaced whole and is the commit of every write, and a folder of data for each write.
const (
	tableFile   = "_spoonbill_table.json"
	dataPrefix  = "data-"
	databaseEnd = ".db"
	// droppedFile in a database's folder is the commit of its drop: what else is there goes now or when the warehouse is opened next.
	droppedFile = "_spoonbill_dropped"
)

// description is the content of a table's file.
type description struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	// Columns is their schema in DDL, those of partitions last.
	Columns     string            `json:"columns"`
	Format      string            `json:"format"`
	Options     map[string]string `json:"options,omitempty"`
	PartitionBy []string          `json:"partitionBy,omitempty"`
	// Data are the folders whose rows the table has.
	Data []string `json:"data"`
}

const descriptionVersion = 1

// stored is a table of the warehouse. Its fields change under the warehouse's lock.
type stored struct {
	dir    string
	is     description
	fields []datatype.Field
	// broken is what is wrong with the table's file.
	broken error
	// readers counts who reads a folder of data, and left are those folders that go with their last reader.
	readers map[string]int
	left    map[string]bool
	dropped bool
}

// view is a temporary view: a relation, and what the tables in it were when it was made.
type view struct {
	name  string
	rel   tree.Relation
	inner map[*tree.Table]found
}

// found is what a name means: a view, or the table of a database.
type found struct {
	view           *view
	database, name string
}

// warehouse is the catalogue of a session: databases of tables in a folder, and temporary views.
type warehouse struct {
	fs  vfs.FS
	dir string
	// private says that the folder is in memory, and nobody else's.
	private bool

	mu        sync.Mutex
	lock      io.Closer
	loaded    bool
	closed    bool
	current   string
	databases map[string]map[string]*stored
	views     map[string]*view
}

// newWarehouse makes a catalogue over a folder, or in memory where dir is "". Nothing is opened before the first use.
func newWarehouse(fs vfs.FS, dir string) *warehouse {
	w := &warehouse{fs: fs, dir: dir, current: defaultDatabase, views: map[string]*view{}}
	if dir == "" {
		w.fs, w.dir, w.private = vfs.NewMem(), "/warehouse", true
	}
	return w
}

func storeFailed(path string, err error) error {
	if err == nil {
		return nil
	}
	e := condition.Newf(condition.TaskWriteFailed, "The warehouse's %s cannot be written or read.", path)
	e.Hint, e.Cause = "Look at the rights and the health of the disk. The table is as it was before.", durable.Cause(err)
	return e
}

// unsure is the error of a change that was made but could not be made durable: the next session sees it unless the machine fails before the disk has it.
func unsure(path string, err error) error {
	e := condition.Newf(condition.TaskWriteFailed, "The warehouse's %s was changed, but it is not sure that the change outlives the machine.", path)
	e.Hint, e.Cause = "Look at the health of the disk, and then at the table, before you do it again.", durable.Cause(err)
	return e
}

// open loads what the folder has, and locks it, once; the lock of w is held.
func (w *warehouse) open() error {
	if w.closed {
		return sessionClosed()
	}
	if w.loaded {
		return nil
	}
	if w.fs == vfs.Default {
		abs, err := filepath.Abs(w.dir)
		if err != nil {
			return storeFailed(w.dir, err)
		}
		w.dir = abs
	}
	if err := durable.Mkdir(w.fs, w.dir); err != nil {
		return storeFailed(w.dir, err)
	}
	if !w.private {
		lock, err := checkpoint.Lock(w.fs, w.dir)
		if condition.Of(err) == condition.ConcurrentStreamLog {
			e := condition.Newf(condition.ConcurrentStreamLog, "Another session has the warehouse %s.", w.dir)
			e.Hint, e.Cause = "Close it first, or open this one with another local.Warehouse.", err
			return e
		}
		if err != nil {
			return storeFailed(w.dir, err)
		}
		w.lock = lock
	}
	if err := w.load(); err != nil {
		if w.lock != nil {
			_ = w.lock.Close() // the first error is the one to tell
			w.lock = nil
		}
		return err
	}
	w.loaded = true
	return nil
}

func (w *warehouse) load() error {
	w.databases = map[string]map[string]*stored{}
	folders, err := w.loadDatabase(defaultDatabase, w.dir)
	for _, f := range folders {
		db, ok := strings.CutSuffix(f, databaseEnd)
		if !ok || err != nil {
			continue
		}
		dir, gone := w.fs.PathJoin(w.dir, f), false
		if gone, err = w.dropped(dir); gone {
			w.sweep(dir)
		} else if err == nil {
			_, err = w.loadDatabase(db, dir)
		}
	}
	return err
}

// dropped tells whether the database in a folder was dropped.
func (w *warehouse) dropped(dir string) (bool, error) { return w.has(w.fs.PathJoin(dir, droppedFile)) }

// has tells whether a file is there; that it could not be looked at is an error.
func (w *warehouse) has(path string) (bool, error) {
	_, err := w.fs.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil, storeFailed(path, err)
}

// forget removes the descriptions of the tables in a dropped database's folder; their rows may be read yet.
func (w *warehouse) forget(dir string) error {
	names, err := w.fs.List(dir)
	if err != nil {
		return storeFailed(dir, err)
	}
	for _, n := range names {
		if info, err := w.fs.Stat(w.fs.PathJoin(dir, n)); err != nil {
			return storeFailed(dir, err)
		} else if !info.IsDir() {
			continue
		}
		file := w.fs.PathJoin(dir, n, tableFile)
		if is, err := w.has(file); err != nil {
			return err
		} else if !is {
			continue
		}
		if err := w.fs.Remove(file); err != nil {
			return storeFailed(file, err)
		}
		if err := durable.SyncDir(w.fs, w.fs.PathJoin(dir, n)); err != nil {
			return storeFailed(file, err)
		}
	}
	return nil
}

// sweep removes what a dropped database has left, which nobody reads, and its folder unless somebody else's files are in it.
func (w *warehouse) sweep(dir string) {
	if w.forget(dir) != nil {
		return // the next opening tries again
	}
	names, _ := w.fs.List(dir)
	for _, n := range names {
		w.remains(w.fs.PathJoin(dir, n))
	}
	if names, err := w.fs.List(dir); err != nil || len(names) > 1 {
		return
	}
	// Without its mark the folder would be a database again, so both go at once: under this name it is nobody's.
	gone := w.fs.PathJoin(w.dir, dataPrefix+uuid.NewString())
	if w.fs.Rename(dir, gone) == nil {
		_ = w.fs.RemoveAll(gone)
	}
}

// revive makes the folder of a dropped database one of a new database, which has none of its tables.
func (w *warehouse) revive(dir string) error {
	if err := w.forget(dir); err != nil {
		return err
	}
	mark := w.fs.PathJoin(dir, droppedFile)
	if err := w.fs.Remove(mark); err != nil {
		return storeFailed(mark, err)
	}
	return storeFailed(dir, durable.SyncDir(w.fs, dir))
}

// loadDatabase finds the tables of a database, and clears what writes that did not end have left. It gives the folders that are no tables.
func (w *warehouse) loadDatabase(db, dir string) ([]string, error) {
	tables := map[string]*stored{}
	w.databases[db] = tables
	names, err := w.fs.List(dir)
	if err != nil {
		return nil, storeFailed(dir, err)
	}
	slices.Sort(names) // else it is chance which of two folders has a name
	var others []string
	for _, n := range names {
		path := w.fs.PathJoin(dir, n)
		if info, err := w.fs.Stat(path); err != nil || !info.IsDir() {
			continue
		}
		if strings.HasSuffix(n, databaseEnd) {
			others = append(others, n)
			continue
		}
		t := &stored{dir: path, readers: map[string]int{}, left: map[string]bool{}}
		text, err := durable.Read(w.fs, w.fs.PathJoin(path, tableFile))
		switch {
		case errors.Is(err, os.ErrNotExist):
			// A table that was never made whole, or was dropped; or a folder of somebody else's.
			w.remains(path)
			continue
		case err != nil:
			return nil, storeFailed(path, err)
		}
		if t.broken = t.read(text); t.broken != nil {
			t.is.Name = n
		} else if err := w.clear(t); err != nil {
			return nil, err
		}
		if other := tables[t.is.Name]; other != nil {
			// A change of one of the names did not outlive the machine.
			e := condition.Newf(condition.FailedReadFile, "Two folders of the warehouse, %s and %s, have a table %s.", other.dir, t.dir, quoteAll(db, t.is.Name))
			e.Hint = "It is that of the first folder. Drop this one, or give it another name in its " + tableFile + " while no session is open."
			t.broken, t.is.Name = e, n
		}
		tables[t.is.Name] = t
	}
	return others, nil
}

// read takes the description of a table from its file.
func (t *stored) read(text []byte) error {
	err := json.Unmarshal(text, &t.is)
	if err == nil && t.is.Version != descriptionVersion {
		err = errors.New("it is of another version")
	}
	if err == nil {
		t.fields, err = datatype.ParseFields(t.is.Columns)
	}
	if err != nil {
		e := condition.Newf(condition.FailedReadFile, "The description of a table, %s/%s, is damaged.", t.dir, tableFile)
		e.Hint, e.Cause = "Drop the table, or put the file back.", err
		return e
	}
	return nil
}

// isData tells whether an entry of a table's folder is a folder of data that a write has made: its name is the prefix and a UUID.
func (w *warehouse) isData(dir, name string) bool {
	id, ok := strings.CutPrefix(name, dataPrefix)
	if !ok || len(id) != len(uuid.UUID{}.String()) || uuid.Validate(id) != nil {
		return false
	}
	info, err := w.fs.Stat(w.fs.PathJoin(dir, name))
	return err == nil && info.IsDir()
}

// clear removes the folders of data that a table does not have. What others have put into its folder stays.
func (w *warehouse) clear(t *stored) error {
	names, err := w.fs.List(t.dir)
	if err != nil {
		return storeFailed(t.dir, err)
	}
	for _, n := range names {
		if slices.Contains(t.is.Data, n) || !w.isData(t.dir, n) {
			continue
		}
		if err := w.fs.RemoveAll(w.fs.PathJoin(t.dir, n)); err != nil {
			return storeFailed(t.dir, err)
		}
	}
	return nil
}

// remains removes a folder without a description if nothing but folders of data and the mark of a drop is in it. Everything else may be somebody's, and what cannot be removed
// is in nobody's way.
func (w *warehouse) remains(dir string) {
	names, err := w.fs.List(dir)
	if err != nil || len(names) == 0 {
		return
	}
	for _, n := range names {
		if n != droppedFile && !w.isData(dir, n) {
			return
		}
	}
	_ = w.fs.RemoveAll(dir) // it stays, and the next open tries again
}

// close gives the folder back.
func (w *warehouse) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.lock == nil {
		return nil
	}
	err := w.lock.Close()
	w.lock = nil
	return storeFailed(w.dir, err)
}

func quoteAll(parts ...string) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = "`" + strings.ReplaceAll(p, "`", "``") + "`"
	}
	return strings.Join(out, ".")
}

// check looks at the parts of a name.
func checkName(name []string) error {
	if len(name) == 0 || slices.Contains(name, "") {
		return condition.Newf(condition.InvalidValue, "A name is needed, and no part of it may be empty.")
	}
	return nil
}

// databaseOf gives the folded name of a database whose name has one part, or two with the catalogue's.
func (w *warehouse) databaseOf(name []string) (string, error) {
	if err := checkName(name); err != nil {
		return "", err
	}
	if len(name) == 2 && datatype.FoldName(name[0]) == catalogName {
		name = name[1:]
	}
	if len(name) > 1 {
		return "", condition.Newf(condition.SinglePartNamespace, "%s requires a single-part namespace, but got identifier %s.", catalogName, quoteAll(name...))
	}
	return datatype.FoldName(name[0]), nil
}

// tables gives the tables of a database that must be there.
func (w *warehouse) tables(db string) (map[string]*stored, error) {
	if t, ok := w.databases[db]; ok {
		return t, nil
	}
	e := condition.Newf(condition.SchemaNotFound, "The schema %s cannot be found.", quoteAll(catalogName, db))
	e.Hint = "There is " + strings.Join(sortedKeys(w.databases), ", ") + "."
	return nil, e
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// place gives the database and the name that a table's name means, folded, whether it is there or not.
func (w *warehouse) place(name []string) (db, table string, err error) {
	if err := checkName(name); err != nil {
		return "", "", err
	}
	db = w.current
	if len(name) > 1 {
		if db, err = w.databaseOf(name[:len(name)-1]); err != nil {
			return "", "", err
		}
	}
	return db, datatype.FoldName(name[len(name)-1]), nil
}

// notFound names what there is under like names.
func (w *warehouse) notFound(name []string) error {
	e := condition.Newf(condition.TableNotFound, "The table or view %s cannot be found.", quoteAll(name...))
	db, own, err := w.place(name)
	if err != nil {
		return e
	}
	have := sortedKeys(w.databases[db])
	if len(name) == 1 {
		have = append(have, sortedKeys(w.views)...)
	}
	if w.databases[db] == nil {
		e.Hint = "There is no database " + quoteAll(db) + "."
		return e
	}
	near := func(n string) int {
		same := 0
		for same < min(len(n), len(own)) && n[same] == own[same] {
			same++
		}
		return same
	}
	sort.SliceStable(have, func(i, j int) bool { return near(have[i]) > near(have[j]) })
	if len(have) == 0 {
		e.Hint = "There are no tables in the database " + quoteAll(db) + "."
	} else {
		e.Hint = "There is " + strings.Join(have[:min(5, len(have))], ", ") + "."
	}
	return e
}

// stored gives a table that must be there and be whole.
func (w *warehouse) stored(name []string) (*stored, error) {
	db, own, err := w.place(name)
	if err != nil {
		return nil, err
	}
	t := w.databases[db][own]
	if t == nil {
		return nil, w.notFound(name)
	}
	return t, t.broken
}

// find tells what a name means: a name of one part a temporary view first.
func (w *warehouse) find(name []string) (found, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.open(); err != nil {
		return found{}, err
	}
	return w.look(name)
}

// look is find under the lock.
func (w *warehouse) look(name []string) (found, error) {
	if err := checkName(name); err != nil {
		return found{}, err
	}
	if len(name) == 1 {
		if v := w.views[datatype.FoldName(name[0])]; v != nil {
			return found{view: v}, nil
		}
	}
	if _, err := w.stored(name); err != nil {
		if condition.Of(err) == condition.SinglePartNamespace {
			err = w.notFound(name)
		}
		return found{}, err
	}
	db, own, err := w.place(name)
	return found{database: db, name: own}, err
}

// fieldsOf gives the columns of what a name means.
func (w *warehouse) fieldsOf(f found) ([]datatype.Field, error) {
	if f.view != nil {
		return f.view.rel.Schema().Types(), nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	t, err := w.stored([]string{f.database, f.name})
	if err != nil {
		return nil, err
	}
	return t.fields, nil
}

var relationName = regexp.MustCompile(`^\w+$`)

// valid refuses names that Spark's session catalogue refuses.
func valid(name string) error {
	if relationName.MatchString(name) {
		return nil
	}
	return condition.Newf(condition.InvalidRelationName, "%s is not a valid name for tables/schemas. Valid names only contain alphabet characters, numbers and _.", quoteAll(name))
}

// outcome is what became of a description that was saved.
type outcome int

const (
	// untouched: the table is as it was.
	untouched outcome = iota
	// doubtful: the old or the new description is there, or will be; the rows of both must stay.
	doubtful
	// seen: all see the new description, but it may not outlive the machine, so the rows of both must stay.
	seen
	// safe: the new description is there for good.
	safe
)

// save writes a table's description, which is the commit of a change. The table has it where the outcome is seen or safe; there is an error unless it is safe.
func (w *warehouse) save(t *stored, is description) (outcome, error) {
	path := w.fs.PathJoin(t.dir, tableFile)
	text, err := json.MarshalIndent(is, "", "  ")
	if err != nil {
		return untouched, storeFailed(t.dir, err)
	}
	if err = durable.Write(w.fs, path, text); err == nil {
		t.is = is
		return safe, nil
	}
	// The file may have got its name before the error. What it says is what the next session finds, so that is what this one goes on with.
	switch now, e := durable.Read(w.fs, path); {
	case e == nil && bytes.Equal(now, text):
		t.is = is
		return seen, unsure(t.dir, err)
	case e == nil || errors.Is(e, os.ErrNotExist):
		return untouched, storeFailed(t.dir, err)
	}
	return doubtful, unsure(t.dir, err)
}

// release lets folders of data go that a table does not have any more, now or with their last reader.
func (w *warehouse) release(t *stored, folders ...string) {
	for _, f := range folders {
		if t.readers[f] > 0 {
			t.left[f] = true
			continue
		}
		delete(t.left, f)
		// What cannot be removed is cleared when the warehouse is opened next.
		_ = w.fs.RemoveAll(w.fs.PathJoin(t.dir, f))
	}
	if t.dropped && len(t.left) == 0 {
		_ = w.fs.Remove(t.dir)
	}
}

// drop takes a table out of its database.
func (w *warehouse) drop(tables map[string]*stored, t *stored) error {
	path := w.fs.PathJoin(t.dir, tableFile)
	if err := w.fs.Remove(path); err != nil {
		return storeFailed(path, err)
	}
	delete(tables, t.is.Name)
	t.dropped = true
	if err := durable.SyncDir(w.fs, t.dir); err != nil {
		return unsure(t.dir, err) // the description may come back, so the rows stay until the warehouse is opened next
	}
	w.release(t, t.is.Data...)
	return nil
}

// folder makes a folder for a new table: one of its name, or another where a table that was renamed or dropped has that.
func (w *warehouse) folder(db, name string) (string, error) {
	dir := w.dir
	if db != defaultDatabase {
		dir = w.fs.PathJoin(dir, db+databaseEnd)
	}
	path := w.fs.PathJoin(dir, name)
	if _, err := w.fs.Stat(path); err == nil {
		path += "-" + uuid.NewString()
	}
	return path, storeFailed(path, durable.Mkdir(w.fs, path))
}

// tableRef is a stored table as the source of a read; it is looked up when it is opened.
type tableRef struct {
	w *warehouse
	found
	fields []datatype.Field
}

// Open implements [connector.Opener]: the rows are those that the table has at this moment.
func (r *tableRef) Open(ctx context.Context, env connector.Env) (connector.Source, error) {
	w := r.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.open(); err != nil {
		return nil, err
	}
	t, err := w.stored([]string{r.database, r.name})
	if err != nil {
		return nil, err
	}
	if !sameTypes(t.fields, r.fields) {
		e := condition.Newf(condition.SchemaMismatch, "The table %s was replaced while it was about to be read.", quoteAll(r.database, r.name))
		e.Hint = "Ask the session for the table again."
		return nil, e
	}
	out := &tableSource{w: w, t: t, name: quoteAll(catalogName, r.database, r.name)}
	env.FS = w.fs
	for _, f := range t.is.Data {
		src, err := connector.OpenSource(ctx, env, &tree.Source{
			Format: t.is.Format, Path: literalPath(w.fs.PathJoin(t.dir, f)), Fields: t.fields, Options: optionsOf(t.is.Options), Batch: true,
		})
		if err != nil {
			return nil, errors.Join(err, out.end())
		}
		t.readers[f]++
		out.folders, out.parts = append(out.folders, f), append(out.parts, src)
	}
	return out, nil
}

// literalPath keeps a path from being read as a pattern.
func literalPath(path string) string {
	var b strings.Builder
	for _, c := range path {
		if strings.ContainsRune(`*?[{\`, c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

func optionsOf(m map[string]string) tree.Options {
	var out tree.Options
	for k, v := range m {
		out = out.With(tree.Option{Key: k, Value: v})
	}
	return out
}

func sameTypes(a, b []datatype.Field) bool {
	return slices.EqualFunc(a, b, func(x, y datatype.Field) bool {
		return datatype.FoldName(x.Name) == datatype.FoldName(y.Name) && datatype.EqualIgnoringNulls(x.Type, y.Type)
	})
}

// tableSource reads the folders of a table one after the other. It reads no stream.
type tableSource struct {
	w       *warehouse
	t       *stored
	name    string
	folders []string
	parts   []connector.Source
}

// Initial implements [connector.Source].
func (s *tableSource) Initial(ctx context.Context) (connector.Offset, error) {
	return s.offsets(func(i int) (connector.Offset, error) { return s.parts[i].Initial(ctx) })
}

func (s *tableSource) offsets(of func(i int) (connector.Offset, error)) (connector.Offset, error) {
	out := make([]connector.Offset, len(s.parts))
	for i := range out {
		var err error
		if out[i], err = of(i); err != nil {
			return nil, err
		}
	}
	return json.Marshal(out)
}

func (s *tableSource) split(o connector.Offset) ([]connector.Offset, error) {
	var out []connector.Offset
	if err := json.Unmarshal(o, &out); err != nil || len(out) != len(s.parts) {
		return nil, condition.Newf(condition.CheckpointCorrupt, "%s is no position in the table %s.", o, s.name)
	}
	return out, nil
}

// Latest implements [connector.Source].
func (s *tableSource) Latest(ctx context.Context, start connector.Offset, all bool) (connector.Offset, error) {
	starts, err := s.split(start)
	if err != nil {
		return nil, err
	}
	return s.offsets(func(i int) (connector.Offset, error) { return s.parts[i].Latest(ctx, starts[i], all) })
}

// Read implements [connector.Source].
func (s *tableSource) Read(ctx context.Context, start, end connector.Offset, p connector.Projection) (connector.Batches, error) {
	starts, err := s.split(start)
	if err != nil {
		return nil, err
	}
	ends, err := s.split(end)
	if err != nil {
		return nil, err
	}
	return func(yield func(rec record, err error) bool) {
		for i, part := range s.parts {
			rows, err := part.Read(ctx, starts[i], ends[i], p)
			if err != nil {
				yield(nil, err)
				return
			}
			for rec, err := range rows {
				if !yield(rec, err) {
					return
				}
			}
		}
	}, nil
}

// Statistics implements [connector.Measured].
func (s *tableSource) Statistics(ctx context.Context, start, end connector.Offset) (out connector.Statistics, ok bool, err error) {
	starts, err := s.split(start)
	if err != nil {
		return out, false, err
	}
	ends, err := s.split(end)
	if err != nil {
		return out, false, err
	}
	for i, part := range s.parts {
		m, is := part.(connector.Measured)
		if !is {
			return out, false, nil
		}
		st, ok, err := m.Statistics(ctx, starts[i], ends[i])
		if err != nil || !ok {
			return out, false, err
		}
		out.Rows += st.Rows
		if i == 0 {
			out.Ranges = st.Ranges
			continue
		}
		both := map[int]connector.Range{}
		for k, a := range out.Ranges {
			if b, ok := st.Ranges[k]; ok {
				both[k] = connector.Range{Min: min(a.Min, b.Min), Max: max(a.Max, b.Max)}
			}
		}
		out.Ranges = both
	}
	return out, true, nil
}

// Commit implements [connector.Source].
func (s *tableSource) Commit(context.Context, connector.Offset) error { return nil }

// Metrics implements [connector.Source].
func (s *tableSource) Metrics() map[string]string { return map[string]string{} }

// Description implements [connector.Source].
func (s *tableSource) Description() string { return s.name }

// Close implements [connector.Source].
func (s *tableSource) Close() error {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	return s.end()
}

// end is Close under the warehouse's lock.
func (s *tableSource) end() error {
	var first error
	for i, part := range s.parts {
		if err := part.Close(); first == nil {
			first = err
		}
		f := s.folders[i]
		if s.t.readers[f]--; s.t.readers[f] == 0 {
			delete(s.t.readers, f)
			if s.t.left[f] {
				delete(s.t.left, f)
				s.w.release(s.t, f)
			}
		}
	}
	s.parts, s.folders = nil, nil
	return first
}
