// Package sparkconnect runs expressions on Apache Spark 4 through Spark Connect.
//
//	session, err := sparkconnect.Connect(ctx, "sc://localhost:15002")
//	…
//	defer session.Close()
//	for row, err := range backend.Rows[Total](ctx, session, totals) { … }
package sparkconnect

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	_ "time/tzdata" // a session's time zone is known wherever the program runs

	"github.com/google/uuid"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect/internal/client"
	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/compiler/analyze"
	"github.com/spoonbill-go/spoonbill/compiler/sparksql"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/absent"
	"github.com/spoonbill-go/spoonbill/internal/zoneid"
)

const (
	zoneKey = "spark.sql.session.timeZone"
	ansiKey = "spark.sql.ansi.enabled"
)

// Session is a session on a Spark server. Views that a program makes live in it under the names that the program prints; they shadow no table that
// [Session.Table] gives.
type Session struct {
	c    *client.Client
	zone *time.Location
	// target is what programs are compiled for: the server as it was found.
	target compiler.Target

	// steps is held from a program's first view until the server has resolved its last query: another program may use the same names
	// for other sources.
	steps sync.Mutex
	views views

	streams streams

	// python is the version of the server's Python, once a query has told.
	python atomic.Pointer[string]
	// handOvers are the queries with functions of this process, which Close ends.
	handOvers handOvers

	// named says whether the server takes values beside a text, once it has been asked.
	named atomic.Pointer[bool]
}

var _ backend.Session = (*Session)(nil)

// Connect opens a session on the server at remote, "sc://host:port/;key=value…" with the keys token, user_id, use_ssl (true or false), session_id and
// user_agent; every other pair is sent as a header. Values may be percent-encoded. The context bounds the connecting alone.
//
// Each session sets spark.sql.variable.substitute to false, since Spark would else replace ${…} within literals.
func Connect(ctx context.Context, remote string, opts ...Option) (*Session, error) {
	var o options
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	r, err := client.ParseRemote(remote)
	if err != nil {
		return nil, err
	}
	r.TLS, r.TokenSource = o.tls, o.token
	c, err := client.Connect(ctx, r, o.client)
	if err != nil {
		return nil, err
	}
	s := &Session{c: c}
	if err := s.look(ctx); err != nil {
		return nil, errors.Join(err, c.Close(context.WithoutCancel(ctx)))
	}
	return s, nil
}

// look asks the server for what programs depend on.
func (s *Session) look(ctx context.Context) error {
	zone, _, err := s.c.Config(ctx, zoneKey)
	if err != nil {
		return err
	}
	if s.zone, err = parseZone(zone); err != nil {
		return err
	}
	ansi, _, err := s.c.Config(ctx, ansiKey)
	if err != nil {
		return err
	}
	s.target = compiler.Target{Spark: s.c.Version(), NoANSI: strings.EqualFold(ansi, "false"), Zone: zone}
	return nil
}

// ready refuses a call without a context, and one on a session that was never connected. A context that has ended is found by the first request.
func (s *Session) ready(ctx context.Context) error {
	var err error
	switch {
	case absent.Is(ctx):
		err = absent.NoContext(ctx)
	case s == nil || s.c == nil:
		err = absent.Opened("sparkconnect.Connect")
	}
	return condition.At(err, condition.Here(1))
}

// Version is the server's Spark version, such as "4.3.0".
func (s *Session) Version() string {
	if s == nil || s.c == nil {
		return ""
	}
	return s.c.Version()
}

// ID is the session's UUID on the server.
func (s *Session) ID() string {
	if s == nil || s.c == nil {
		return ""
	}
	return s.c.SessionID()
}

// Target is what the session compiles programs for.
func (s *Session) Target() compiler.Target {
	if s == nil {
		return compiler.Target{}
	}
	t := s.target
	t.Reserved = s.views.reserved()
	return t
}

// Zone implements [backend.Session].
func (s *Session) Zone() *time.Location {
	if s == nil || s.zone == nil {
		return time.UTC
	}
	return s.zone
}

// String gives the server's address and the session's id, and no secret.
func (s *Session) String() string {
	if s == nil || s.c == nil {
		return ""
	}
	return s.c.String()
}

// Close implements [backend.Session]. The server ends the session's operations and streaming queries.
func (s *Session) Close() error {
	if s == nil || s.c == nil {
		return nil // there is nothing to end
	}
	if running := s.handOvers.end(); len(running) > 0 {
		// The batch of a query is a view of the whole server, which the end of the session would leave there. It goes behind the query: before, that
		// would tell the query that its batch is done. A server that does not answer is Close's own to tell.
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		for _, q := range running {
			if q.StreamingQuery.Stop(ctx) == nil {
				_ = q.tidy(ctx)
			}
		}
	}
	return s.c.Close(context.Background())
}

// Batches implements [backend.Session]. The server begins at once; the rows wait there until they are read. Its work ends when the loop over them is
// left, or with the context.
func (s *Session) Batches(ctx context.Context, t expr.Table) (backend.Result, error) {
	if err := s.ready(ctx); err != nil {
		return backend.Result{}, err
	}
	p, err := compiler.Compile(t, compiler.Batch, s.Target())
	if err != nil {
		return backend.Result{}, err
	}
	return s.Run(ctx, p)
}

// Run carries out a program that gives rows, as [compiler.Compile] makes it for batch. Columns that are not those of the program, because a table was replaced
// after its handle was made, are SPOONBILL_SCHEMA_MISMATCH.
func (s *Session) Run(ctx context.Context, p *compiler.Program) (res backend.Result, err error) {
	at := condition.Here(1)
	defer func() { err = condition.At(s.tell(err), at) }()
	if err := s.ready(ctx); err != nil {
		return backend.Result{}, err
	}
	last, ok := lastStep(p).(compiler.QueryStep)
	if !ok {
		return backend.Result{}, wrongProgram("rows")
	}
	s.steps.Lock()
	defer s.steps.Unlock()
	if err := s.prepare(ctx, p); err != nil {
		return backend.Result{}, err
	}
	query, err := s.query(ctx, last.SQL, last.Args)
	if err != nil {
		return backend.Result{}, err
	}
	// The schema that comes first means that every name is resolved.
	r, err := s.c.Query(ctx, query)
	if err != nil {
		return backend.Result{}, err
	}
	if err := same(p.Schema, r.Fields()); err != nil {
		r.Close()
		return backend.Result{}, err
	}
	return backend.Result{Fields: r.Fields(), Batches: once(ctx, r, at)}, nil
}

// same compares the names of a program's columns with those that the server found for it. Their types are the server's to say: without ANSI some are others.
func same(schema *tree.Schema, have []datatype.Field) error {
	if schema == nil {
		return nil // of a program that was put together by hand
	}
	want := schema.Types()
	ok := len(want) == len(have)
	for i := 0; ok && i < len(want); i++ {
		ok = datatype.FoldName(want[i].Name) == datatype.FoldName(have[i].Name)
	}
	if ok {
		return nil
	}
	e := condition.Newf(condition.SchemaMismatch, "The server gives the columns %s, but the expression has %s.", datatype.DDL(have), datatype.DDL(want))
	e.Hint = "A table was replaced since: ask the session for it again, or declare the columns that it has now."
	return e
}

// Write implements [backend.Session].
func (s *Session) Write(ctx context.Context, w expr.Write) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	p, err := compiler.CompileWrite(w, compiler.Batch, s.Target())
	if err != nil {
		return err
	}
	return s.RunWrite(ctx, p)
}

// RunWrite carries out a program that writes as a batch, as [compiler.CompileWrite] makes it.
func (s *Session) RunWrite(ctx context.Context, p *compiler.Program) (err error) {
	at := condition.Here(1)
	defer func() { err = condition.At(s.tell(err), at) }()
	if err := s.ready(ctx); err != nil {
		return err
	}
	last, ok := lastStep(p).(compiler.WriteBatchStep)
	if !ok {
		return wrongProgram("a batch write")
	}
	// A view of its own keeps the query as it was resolved, so that the long write itself holds no other program up.
	name, err := s.hiddenName()
	if err != nil {
		return err
	}
	view := *p
	view.Steps = append(slices.Clone(p.Steps[:len(p.Steps)-1]), compiler.QueryStep{SQL: last.SQL, Args: last.Args})
	if err := s.view(ctx, &view, name, false); err != nil {
		return err
	}
	hide(s.c, last.Sink.Options)
	have, err := s.c.Schema(ctx, client.Named(name))
	if err == nil && last.Sink.Codec == nil {
		err = same(p.Schema, have)
	}
	if err != nil {
		return errors.Join(err, s.drop(ctx, name))
	}
	write := client.Write(client.Named(name), last)
	if last.Sink.Insert == tree.InsertByName {
		write = client.Statement(last.Insert("SELECT * FROM " + name))
	}
	err = s.c.Command(ctx, write)
	return errors.Join(err, s.drop(ctx, name))
}

// drop forgets a view, also when the context has ended.
func (s *Session) drop(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(quiet(context.WithoutCancel(ctx)), 10*time.Second)
	defer cancel()
	err := s.c.Command(ctx, client.Statement("DROP VIEW IF EXISTS "+datatype.QuoteName(name)))
	if err == nil {
		s.views.lose(name)
	}
	return err
}

// hiddenName gives the name of a view of the session's own.
func (s *Session) hiddenName() (string, error) {
	name := "spoonbill_" + strings.ReplaceAll(uuid.NewString(), "-", "_")
	return name, s.views.take(name)
}

// Start implements [backend.Session]. A checkpoint is a path of the server's.
func (s *Session) Start(ctx context.Context, w expr.Write) (backend.Query, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	p, err := compiler.CompileWrite(w, compiler.Stream, s.Target())
	if err != nil {
		return nil, err
	}
	t, err := w.Tree()
	if err != nil {
		return nil, err
	}
	return s.runStream(ctx, p, analyze.Findings(t, analyze.Stream))
}

// RunStream carries out a program that starts a stream, as [compiler.CompileWrite] makes it.
func (s *Session) RunStream(ctx context.Context, p *compiler.Program) (backend.Query, error) {
	return s.runStream(ctx, p, nil)
}

func (s *Session) runStream(ctx context.Context, p *compiler.Program, lints []compiler.Finding) (running backend.Query, err error) {
	at := condition.Here(1)
	defer func() { err = condition.At(s.tell(err), at) }()
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	last, ok := lastStep(p).(compiler.WriteStreamStep)
	if !ok {
		return nil, wrongProgram("a stream")
	}
	s.steps.Lock()
	defer s.steps.Unlock()
	if err := s.prepare(ctx, p); err != nil {
		return nil, err
	}
	hide(s.c, last.Sink.Options)
	query, err := s.query(quiet(ctx), last.SQL, last.Args)
	if err != nil {
		return nil, err
	}
	s.streams.starting.RLock()
	defer s.streams.starting.RUnlock()
	restore, err := s.settings(quiet(ctx), settingsOf(last))
	if err != nil {
		return nil, err
	}
	var (
		q       *client.StreamingQuery
		batches *batches
	)
	if last.Sink.Each != nil {
		q, batches, err = s.startEach(quiet(ctx), query, last)
	} else {
		q, err = s.c.Start(quiet(ctx), client.StreamWrite(query, last))
	}
	if e := restore(); err == nil && e != nil {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err = errors.Join(e, q.Stop(stop))
	}
	if err != nil {
		return nil, err // and no nil handle within an interface that is none
	}
	// Spark sends a listener all events but this one, which comes with the answer where the session has a listener.
	if text := q.StartedEvent(); text != "" {
		if e, err := backend.ParseEvent(backend.Started, []byte(text)); err == nil {
			e.Lints = lints
			s.streams.events.Publish(e)
		}
	}
	if batches != nil {
		return s.handOver(ctx, q, batches), nil
	}
	return q, nil
}

// settings are what the session is to have while a program starts, which keeps them, and the function that takes them back.
func (s *Session) settings(ctx context.Context, want []client.Setting) (restore func() error, err error) {
	var undo []func(ctx context.Context) error
	restore = func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		var errs []error
		for _, f := range undo {
			errs = append(errs, f(ctx))
		}
		return errors.Join(errs...)
	}
	for _, w := range want {
		before, had, err := s.c.Config(ctx, w.Key)
		if err == nil {
			err = s.c.SetConfig(ctx, w)
		}
		if err != nil {
			return restore, errors.Join(err, restore())
		}
		undo = append(undo, func(ctx context.Context) error {
			if !had {
				return s.c.UnsetConfig(ctx, w.Key)
			}
			return s.c.SetConfig(ctx, client.Setting{Key: w.Key, Value: before})
		})
	}
	return restore, nil
}

// settingsOf are the settings that the start of a stream wants.
func settingsOf(step compiler.WriteStreamStep) []client.Setting {
	var out []client.Setting
	if step.Policy != tree.AnyWatermark {
		out = append(out, client.Setting{Key: tree.PolicyConf, Value: step.Policy.String()})
	}
	if step.RocksDB {
		out = append(out, client.Setting{Key: compiler.StateStoreConf, Value: compiler.RocksDBProvider})
	}
	return out
}

// Explain implements [backend.Session]: Spark's EXPLAIN. With Analyze a further section has the plan that ran, with the metrics that the server sends behind the rows.
func (s *Session) Explain(ctx context.Context, t expr.Table, o backend.ExplainOptions) (backend.Explanation, error) {
	if err := s.ready(ctx); err != nil {
		return backend.Explanation{}, err
	}
	if err := o.Check(); err != nil {
		return backend.Explanation{}, err
	}
	p, err := compiler.Compile(t, compiler.Batch, s.Target())
	if err != nil {
		return backend.Explanation{}, err
	}
	last, ok := lastStep(p).(compiler.QueryStep)
	if !ok {
		return backend.Explanation{}, wrongProgram("rows")
	}
	plan, query, err := s.explain(ctx, p, last, o)
	if err != nil || !o.Analyze {
		return plan, err
	}
	// The rows are read outside the lock: the query is resolved.
	ran, err := query.Analyzed()
	plan.Sections = append(plan.Sections, ran)
	return plan, err
}

// explain asks for the plan of a program's query, and with Analyze starts it.
func (s *Session) explain(ctx context.Context, p *compiler.Program, last compiler.QueryStep, o backend.ExplainOptions) (backend.Explanation, *client.Result, error) {
	s.steps.Lock()
	defer s.steps.Unlock()
	if err := s.prepare(ctx, p); err != nil {
		return backend.Explanation{}, nil, err
	}
	query, err := s.query(ctx, last.SQL, last.Args)
	if err != nil {
		return backend.Explanation{}, nil, err
	}
	plan, err := s.c.Explain(ctx, query, o.Mode)
	if err != nil || !o.Analyze {
		return plan, nil, err
	}
	running, err := s.c.Query(ctx, query)
	return plan, running, err
}

// Table implements [backend.Session]: a table or a view of the server's catalogue, found now with its columns. A name of one part is a temporary view, such as the
// table of a memory sink, or else in the current database. Under Start a table is read as a stream.
func (s *Session) Table(ctx context.Context, name ...string) (expr.Table, error) {
	if err := s.ready(ctx); err != nil {
		return expr.Table{}, err
	}
	at := condition.Here(1)
	n, err := s.tableName(ctx, table, name)
	if err != nil {
		return expr.Table{}, condition.At(err, at)
	}
	fields, err := s.c.Schema(ctx, client.Table(n, false))
	if err != nil {
		return expr.Table{}, condition.At(err, at)
	}
	if len(name) > 1 {
		return expr.StreamingTable(fields, name...), nil
	}
	// With its database a table is never taken for a view of the same name that is made later.
	r, err := one[tableRow](ctx, s, client.GetTable(n))
	switch {
	case err != nil:
		return expr.Table{}, err
	case r.IsTemporary:
		return expr.CatalogTable(fields, name...), nil
	}
	name = append(slices.Clone(r.Namespace), r.Name)
	if r.Catalog != nil {
		name = append([]string{*r.Catalog}, name...)
	}
	return expr.StreamingTable(fields, name...), nil
}

// Schema implements [backend.Session]; a path is the server's.
func (s *Session) Schema(ctx context.Context, source expr.Source) ([]datatype.Field, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	at := condition.Here(1)
	if absent.Is(source) {
		e := condition.Newf(condition.InvalidValue, "The source is nil.")
		e.Pos, e.Hint = at, "Use a constructor of package connectors."
		return nil, e
	}
	src, err := source.Source()
	if err != nil {
		return nil, condition.At(err, at)
	}
	if !src.Undeclared {
		return src.Schema().Types(), nil
	}
	hide(s.c, src.Options)
	fields, err := s.c.Schema(ctx, client.Read(compiler.ReadStep{Source: src}))
	return fields, condition.At(err, at)
}

// currentDatabase gives the names of the current catalogue and its current database.
func (s *Session) currentDatabase(ctx context.Context) ([]string, error) {
	r, err := one[struct{ C, D string }](ctx, s, client.SQL("SELECT current_catalog() AS c, current_database() AS d"))
	return []string{r.C, r.D}, err
}

func lastStep(p *compiler.Program) compiler.Step {
	if p == nil || len(p.Steps) == 0 {
		return nil
	}
	return p.Steps[len(p.Steps)-1]
}

func wrongProgram(what string) error {
	return condition.Newf(condition.InvalidValue, "the program does not end in %s.", what)
}

// quiet is a context for what the session does besides the user's own batch, which alone reports its work.
func quiet(ctx context.Context) context.Context { return backend.WithWork(ctx, nil) }

// prepare makes the views of a program: every step but the last.
func (s *Session) prepare(ctx context.Context, p *compiler.Program) error {
	ctx = quiet(ctx)
	for _, step := range p.Steps[:len(p.Steps)-1] {
		var name string
		var rel *client.Relation
		switch x := step.(type) {
		case compiler.ReadStep:
			hide(s.c, x.Source.Options)
			name, rel = x.View, client.Read(x)
		case compiler.ViewStep:
			query, err := s.query(ctx, x.SQL, x.Args)
			if err != nil {
				return err
			}
			name, rel = x.View, query
		case compiler.WatermarkStep:
			name, rel = x.View, client.Watermark(client.Named(x.Input), x.Column, x.Delay)
		case compiler.DeduplicateStep:
			name, rel = x.View, client.Deduplicate(client.Named(x.Input), x.Columns, x.WithinWatermark)
		case compiler.StatefulStep:
			version, err := s.pythonVersion(ctx)
			if err == nil {
				rel, err = client.Stateful(x, version)
			}
			if err != nil {
				return condition.At(err, x.At)
			}
			name = x.View
		case compiler.CheckStep:
			query, err := s.query(ctx, x.SQL, x.Args)
			if err != nil {
				return err
			}
			have, err := s.c.Schema(ctx, query)
			if err == nil {
				err = declared(x.Fields, have)
			}
			if err != nil {
				return condition.At(err, x.At)
			}
			continue
		default:
			return condition.Newf(condition.Unsupported, "Spark Connect has no way to carry out the step %T.", step)
		}
		if err := s.views.take(name); err != nil {
			return err
		}
		if err := s.c.Command(ctx, client.View(name, rel, true)); err != nil {
			return err
		}
	}
	return nil
}

// query is a text with the values of its parameters, which go beside it, or in their places where the server does not take them: its parser has to
// put them into the text, and one of an extension such as Delta's may not (Spark 4.2).
func (s *Session) query(ctx context.Context, sql string, args []tree.ParamValue) (*client.Relation, error) {
	if len(args) == 0 {
		return client.SQL(sql), nil
	}
	takes := s.named.Load()
	if takes == nil {
		// No lock is held while the server is asked: two that ask at once learn the same.
		one := tree.ParamValue{Name: "x", Value: &tree.Literal{Value: int64(1), Typ: datatype.Int}}
		_, err := s.c.Schema(ctx, client.SQL("SELECT :x AS x", one))
		if err != nil && !errors.Is(err, &condition.Error{Condition: "UNBOUND_SQL_PARAMETER"}) {
			return nil, err
		}
		takes = new(err == nil)
		s.named.Store(takes)
	}
	if *takes {
		return client.SQL(sql, args...), nil
	}
	return client.SQL(sparksql.Inline(sql, args)), nil
}

// declared compares the columns that a query of the user's was declared with with those that the server found.
func declared(want, have []datatype.Field) error {
	fail := func(format string, args ...any) error {
		e := condition.Newf(condition.SchemaMismatch, format, args...)
		e.Operator, e.Hint = "SQL", "The query gives "+datatype.DDL(have)+"."
		return e
	}
	for i, w := range want {
		if i >= len(have) {
			return fail("Column %s is declared, but the query gives %d columns only.", datatype.QuoteName(w.Name), len(have))
		}
		h := have[i]
		switch {
		case h.Name != w.Name:
			return fail("Column %d is declared as %s, but the query names it %s.", i+1, datatype.QuoteName(w.Name), datatype.QuoteName(h.Name))
		case !datatype.EqualIgnoringNulls(h.Type, w.Type):
			return fail("Column %s is declared as %s, but the query gives %s.", datatype.QuoteName(w.Name), w.Type, h.Type)
		case h.Nullable && !w.Nullable:
			return fail("Column %s is declared as NOT NULL, but the query may give null.", datatype.QuoteName(w.Name))
		}
	}
	if len(have) > len(want) {
		return fail("Column %s of the query is not declared.", datatype.QuoteName(have[len(want)].Name))
	}
	return nil
}

// hide keeps the secrets among options out of errors.
func hide(c *client.Client, options tree.Options) {
	for _, o := range options {
		if o.Secret {
			c.Hide(o.Value)
		}
	}
}

// parseZone reads a session's time zone in the forms that Spark takes.
func parseZone(name string) (*time.Location, error) {
	if z, ok := zoneid.Parse(name); ok {
		return z, nil
	}
	e := condition.Newf(condition.InvalidOption, "the session's time zone %q is not known here.", name)
	e.Hint = "Set sparkconnect.TimeZone to a region such as Europe/Berlin or an offset such as +01:00."
	return nil, e
}
