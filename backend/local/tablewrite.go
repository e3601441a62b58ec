package local

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// tableFormats are the formats that tables can have here.
var tableFormats = []string{"parquet", "json", "csv", "avro", "text"}

// tableSink writes the rows of a batch into a table. They are part of it when all of them are durable, or never.
type tableSink struct {
	w        *warehouse
	env      connector.Env
	database string
	is       description // of a table that is made; else what the table was
	fields   []datatype.Field
	// into is the table that is there, whose rows or which itself is changed; nil for one that is made. replace says that it gets other columns too.
	into    *stored
	replace bool
	save    tree.SaveMode
	// unsure is set when the description could not be written: the file system may have it all the same, so the rows stay until the warehouse is opened next.
	unsure bool
}

// tableWrite finds out what a write into a table means: its input with the columns of the table, and the sink. A nil sink says that nothing is to be written.
func (w *warehouse) tableWrite(env connector.Env, t *tree.Write) (tree.Relation, connector.Sink, error) {
	s := t.Sink
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.open(); err != nil {
		return nil, nil, err
	}
	db, own, err := w.place(s.Table)
	if err != nil {
		return nil, nil, err
	}
	tables, err := w.tables(db)
	if err != nil {
		return nil, nil, err
	}
	out := &tableSink{w: w, env: env, database: db, save: t.Save}
	out.env.FS = w.fs
	have := tables[own]
	switch {
	case have != nil && have.broken != nil:
		return nil, nil, have.broken
	case have == nil && s.Insert != tree.Save:
		return nil, nil, w.notFound(s.Table)
	case have != nil && t.Save == tree.ErrorIfExists:
		e := condition.Newf(condition.TableAlreadyExists, "Cannot create table or view %s because it already exists.", quoteAll(catalogName, db, own))
		e.Hint = "Write with the save mode append, overwrite or ignore, or into another table."
		return nil, nil, e
	case have != nil && t.Save == tree.SaveIgnore:
		return nil, nil, nil
	case have != nil && (t.Save == tree.SaveAppend || s.Insert != tree.Save):
		out.into, out.is, out.fields = have, have.is, have.fields
		if t.Save == tree.SaveOverwrite {
			if err := w.notRead(t.Input, nil, db, own); err != nil {
				return nil, nil, err
			}
		}
		in, err := out.align(t)
		return in, out, err
	}
	if err := valid(own); err != nil {
		return nil, nil, err
	}
	if have != nil {
		out.into, out.replace = have, true
		if err := w.notRead(t.Input, nil, db, own); err != nil {
			return nil, nil, err
		}
	}
	in, err := out.create(t, own)
	return in, out, err
}

// notRead refuses to replace the rows that are being read, as Spark does.
func (w *warehouse) notRead(r tree.Relation, inner map[*tree.Table]found, db, own string) error {
	var bad error
	tree.WalkRelations(r, func(x tree.Relation) {
		t, ok := x.(*tree.Table)
		if !ok || bad != nil {
			return
		}
		f, ok := inner[t]
		if !ok {
			var err error
			if f, err = w.look(t.Name); err != nil {
				return // the plan says so
			}
		}
		switch {
		case f.view != nil:
			bad = w.notRead(f.view.rel, f.view.inner, db, own)
		case f.database == db && f.name == own:
			e := condition.Newf(condition.OverwriteOfInput, "Can't overwrite the target that is also being read from. The target table is %s.", quoteAll(catalogName, db, own))
			e.Hint = "Write into another table, or Cache the rows first."
			bad = e
		}
	})
	return bad
}

// create describes a new table of a write: its columns may be null, and those of partitions come last.
func (s *tableSink) create(t *tree.Write, own string) (tree.Relation, error) {
	provider := strings.ToLower(t.Sink.Provider)
	if provider == "" {
		provider = tableFormats[0]
	}
	if !slices.Contains(tableFormats, provider) {
		e := condition.Newf(condition.DataSourceNotFound, "The local engine has no tables of the format %s.", provider)
		e.Hint = "It has " + strings.Join(tableFormats, ", ") + "."
		return nil, e
	}
	schema := t.Input.Schema()
	name := quoteAll(catalogName, s.database, own)
	seen := map[string]bool{}
	for _, f := range schema.Fields() {
		if k := datatype.FoldName(f.Name); seen[k] {
			return nil, condition.Newf(condition.ColumnAlreadyExists, "The column %s comes twice in the table %s.", datatype.QuoteName(f.Name), name)
		} else {
			seen[k] = true
		}
	}
	var partition []int
	for _, p := range t.Sink.PartitionBy {
		i := schema.Lookup(p)
		if len(i) != 1 || slices.Contains(partition, i[0]) {
			e := condition.Newf(condition.UnresolvedColumn, "The partition column %s of the table %s cannot be resolved.", datatype.QuoteName(p), name)
			e.Hint = "Its columns are " + strings.Join(schema.Names(), ", ") + "."
			return nil, e
		}
		partition = append(partition, i[0])
	}
	if len(partition) == schema.Len() {
		return nil, condition.Newf(condition.AllPartitionColumns, "Cannot use all columns for partition columns.")
	}
	var order []int
	for i := range schema.Len() {
		if !slices.Contains(partition, i) {
			order = append(order, i)
		}
	}
	s.is = description{Version: descriptionVersion, Name: own, Format: provider}
	var columns []tree.Scalar
	for i, c := range append(order, partition...) {
		f := schema.Field(c)
		s.fields = append(s.fields, datatype.Field{Name: f.Name, Type: datatype.AsNullable(f.Type), Nullable: true})
		columns = append(columns, &tree.Column{Rel: t.Input, Ordinal: c})
		if i >= len(order) {
			s.is.PartitionBy = append(s.is.PartitionBy, f.Name)
		}
	}
	s.is.Columns = datatype.DDL(s.fields)
	for _, o := range t.Sink.Options {
		if s.is.Options == nil {
			s.is.Options = map[string]string{}
		}
		s.is.Options[o.Key] = o.Value
	}
	return s.project(t, columns)
}

// align gives the input of a write the columns of the table that is there.
func (s *tableSink) align(t *tree.Write) (tree.Relation, error) {
	schema := t.Input.Schema()
	name := quoteAll(catalogName, s.database, s.is.Name)
	columns := make([]tree.Scalar, len(s.fields))
	if t.Sink.Insert == tree.InsertByPosition {
		if schema.Len() != len(s.fields) {
			kind, word := condition.NotEnoughColumns, "not enough"
			if schema.Len() > len(s.fields) {
				kind, word = condition.TooManyColumns, "too many"
			}
			return nil, condition.Newf(kind, "Cannot write to %s, the reason is %s data columns: it has %s, and the rows %s.", name, word, s.is.Columns, strings.Join(schema.Names(), ", "))
		}
		for i := range columns {
			columns[i] = &tree.Column{Rel: t.Input, Ordinal: i}
		}
		return s.project(t, columns)
	}
	if t.Sink.Insert == tree.Save {
		if err := s.sameTable(t, name); err != nil {
			return nil, err
		}
	}
	used := 0
	for i, f := range s.fields {
		at := schema.Lookup(f.Name)
		switch {
		case len(at) > 0:
			used++
			columns[i] = &tree.Column{Rel: t.Input, Ordinal: at[0]}
		case t.Sink.Insert == tree.Save:
			return nil, condition.Newf(condition.AppendColumnMissing, "Cannot resolve %s of the table %s given input columns: %s.", datatype.QuoteName(f.Name), name, strings.Join(schema.Names(), ", "))
		default:
			columns[i] = &tree.Literal{Typ: f.Type}
		}
	}
	if used < schema.Len() {
		var extra []string
		for _, n := range schema.Names() {
			if !slices.ContainsFunc(s.fields, func(f datatype.Field) bool { return datatype.FoldName(f.Name) == datatype.FoldName(n) }) {
				extra = append(extra, datatype.QuoteName(n))
			}
		}
		return nil, condition.Newf(condition.ExtraColumns, "Cannot write incompatible data for the table %s: Cannot write extra columns %s.", name, strings.Join(extra, ", "))
	}
	return s.project(t, columns)
}

// sameTable refuses to add rows to a table that is not as the write describes it.
func (s *tableSink) sameTable(t *tree.Write, name string) error {
	provider := strings.ToLower(t.Sink.Provider)
	if provider == "" {
		provider = tableFormats[0]
	}
	if provider != s.is.Format {
		return condition.Newf(condition.AppendFormat, "The format of the existing table %s is %s. It doesn't match the specified format %s.", name, s.is.Format, provider)
	}
	if !slices.EqualFunc(t.Sink.PartitionBy, s.is.PartitionBy, func(a, b string) bool { return datatype.FoldName(a) == datatype.FoldName(b) }) {
		e := condition.Newf(condition.AppendPartitioning, "Specified partitioning does not match that of the existing table %s. Specified partition columns: [%s]. Existing partition columns: [%s].",
			name, strings.Join(t.Sink.PartitionBy, ", "), strings.Join(s.is.PartitionBy, ", "))
		e.Hint = "Name the same columns with PartitionBy, or insert with ByName or ByPosition."
		return e
	}
	if n := t.Input.Schema().Len(); n != len(s.fields) {
		return condition.Newf(condition.AppendColumnCount, "The column number of the existing table %s (%s) doesn't match the data schema, which has %d.", name, s.is.Columns, n)
	}
	return nil
}

// project makes the columns of the table, cast to its types as an INSERT casts them.
func (s *tableSink) project(t *tree.Write, columns []tree.Scalar) (tree.Relation, error) {
	p := &tree.Project{Node: tree.Node{Out: tree.SchemaOf(s.fields), At: t.At}, Input: t.Input}
	for i, c := range columns {
		f := s.fields[i]
		if !datatype.EqualIgnoringNulls(c.Type(), f.Type) {
			if !assignable(c.Type(), f.Type) {
				e := condition.Newf(condition.CannotSafelyCast, "Cannot write incompatible data for the table %s: Cannot safely cast %s %s to %s.", quoteAll(catalogName, s.database, s.is.Name), datatype.QuoteName(f.Name), c.Type(), f.Type)
				e.Hint = "Cast the column to " + f.Type.String() + " first."
				return nil, e
			}
			c = &tree.Cast{Arg: c, To: f.Type, Store: true, At: t.At}
		}
		p.Columns = append(p.Columns, tree.Named{Name: f.Name, Expr: c})
	}
	return p, nil
}

// assignable tells whether an INSERT may cast a type to another.
//
// Source: Spark's Cast.canANSIStoreAssign.
func assignable(from, to datatype.Type) bool {
	a, b := from.Kind(), to.Kind()
	moment := func(k datatype.Kind) bool {
		return k == datatype.KindDate || k == datatype.KindTimestamp || k == datatype.KindTimestampNTZ
	}
	switch {
	case datatype.EqualIgnoringNulls(from, to), a == datatype.KindNull:
		return true
	case datatype.IsNumeric(from) && datatype.IsNumeric(to), moment(a) && moment(b):
		return true
	case b == datatype.KindString:
		return a < datatype.KindCalendarInterval
	case a == b && (a == datatype.KindDayTime || a == datatype.KindYearMonth):
		return true
	}
	switch x := from.(type) {
	case datatype.Array:
		y, ok := to.(datatype.Array)
		return ok && assignable(x.Elem, y.Elem)
	case datatype.Map:
		y, ok := to.(datatype.Map)
		return ok && assignable(x.Key, y.Key) && assignable(x.Value, y.Value)
	case datatype.Struct:
		y, ok := to.(datatype.Struct)
		if !ok || len(x.Fields) != len(y.Fields) {
			return false
		}
		for i, f := range x.Fields {
			if datatype.FoldName(f.Name) != datatype.FoldName(y.Fields[i].Name) || !assignable(f.Type, y.Fields[i].Type) {
				return false
			}
		}
		return true
	}
	return false
}

// Write implements [connector.Sink].
func (s *tableSink) Write(ctx context.Context, epoch int64, mode tree.OutputMode, schema []datatype.Field, rows connector.Batches) (int64, error) {
	folder, dir := dataPrefix+uuid.NewString(), ""
	if s.into != nil {
		dir = s.into.dir
	} else {
		s.w.mu.Lock()
		_, err := s.w.tables(s.database)
		if err == nil {
			dir, err = s.w.folder(s.database, s.is.Name)
		}
		s.w.mu.Unlock()
		if err != nil {
			return 0, err
		}
	}
	// Until the table's description speaks of it, the folder is nobody's.
	abandon := func() {
		_ = s.w.fs.RemoveAll(s.w.fs.PathJoin(dir, folder)) // else it is cleared when the warehouse is opened next
		if s.into == nil {
			_ = s.w.fs.Remove(dir)
		}
	}
	to, err := connector.OpenSink(ctx, s.env, &tree.Sink{
		Format: s.is.Format, Path: s.w.fs.PathJoin(dir, folder), PartitionBy: s.is.PartitionBy, Options: optionsOf(s.is.Options), Batch: true,
	})
	if err != nil {
		abandon()
		return 0, err
	}
	n, err := to.Write(ctx, epoch, mode, schema, rows)
	if e := to.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = s.commit(dir, folder, n)
	}
	if err != nil || n == 0 {
		s.w.mu.Lock()
		defer s.w.mu.Unlock()
		if err != nil {
			if !s.unsure {
				abandon()
			}
			return 0, err
		}
		_ = s.w.fs.RemoveAll(s.w.fs.PathJoin(dir, folder)) // it holds no row
	}
	return n, nil
}

// commit makes the rows those of the table.
func (s *tableSink) commit(dir, folder string, n int64) error {
	w := s.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return sessionClosed()
	}
	tables, err := w.tables(s.database)
	if err != nil {
		return err
	}
	var fresh []string
	if n > 0 {
		fresh = []string{folder}
	}
	if s.into == nil {
		if tables[s.is.Name] != nil {
			e := condition.Newf(condition.TableAlreadyExists, "Cannot create table or view %s because it already exists.", quoteAll(catalogName, s.database, s.is.Name))
			e.Hint = "It was made while the rows were computed. Write again."
			return e
		}
		t := &stored{dir: dir, fields: s.fields, readers: map[string]int{}, left: map[string]bool{}}
		s.is.Data = fresh
		done, err := w.save(t, s.is)
		if s.unsure = done != untouched; done >= seen {
			tables[s.is.Name] = t
		}
		return err
	}
	t := s.into
	if t.dropped || t.broken != nil {
		return w.notFound([]string{s.database, s.is.Name})
	}
	is := t.is
	old := is.Data
	switch {
	case s.replace:
		is = s.is
		is.Name, is.Data = t.is.Name, fresh
	case !sameTypes(t.fields, s.fields):
		return condition.Newf(condition.SchemaMismatch, "The table %s was replaced while the rows were computed.", quoteAll(catalogName, s.database, s.is.Name))
	case s.save == tree.SaveOverwrite:
		is.Data = fresh
	default:
		is.Data, old = append(slices.Clone(is.Data), fresh...), nil
	}
	done, err := w.save(t, is)
	if s.unsure = done != untouched; done >= seen {
		t.fields = s.fields
	}
	if done == safe {
		w.release(t, old...)
	}
	return err
}

// Description implements [connector.Sink].
func (s *tableSink) Description() string { return quoteAll(catalogName, s.database, s.is.Name) }

// Close implements [connector.Sink].
func (s *tableSink) Close() error { return nil }
