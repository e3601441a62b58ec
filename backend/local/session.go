// Package local runs expressions inside the process: in batch, or as streams of micro-batches, with Spark's answers.
//
// A session has every connector below backend/local/connector; nothing more is to be imported.
package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	_ "time/tzdata" // a session's time zone is known wherever the program runs

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/durable"
	"github.com/spoonbill-go/spoonbill/backend/local/exec"
	"github.com/spoonbill-go/spoonbill/backend/local/fault"
	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/plan"
	"github.com/spoonbill-go/spoonbill/backend/local/state"
	"github.com/spoonbill-go/spoonbill/backend/local/stream"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/compiler/analyze"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/absent"
	"github.com/spoonbill-go/spoonbill/internal/zoneid"
)

// config is what options set.
type config struct {
	zone        *time.Location
	ansi        bool
	parallelism int
	batchRows   int
	fs          vfs.FS
	now         func() time.Time
	warehouse   string
	state       state.Options
	// without are rules of the planner that tests switch off.
	without []string
	err     error
}

// Option sets up a session.
type Option func(*config)

// TimeZone sets the session's time zone by a name that Spark takes for spark.sql.session.timeZone: a region such as "Europe/Berlin", an
// offset such as "+01:00" or "GMT+1", or "UTC", the default. The zone database is part of the program.
func TimeZone(name string) Option {
	return func(c *config) {
		loc, ok := zoneid.Parse(name)
		if !ok {
			e := condition.Newf(condition.InvalidOption, "The time zone %q is not known.", name)
			e.Hint = "Set local.TimeZone to a region such as Europe/Berlin or an offset such as +01:00."
			c.err = e
			return
		}
		c.zone = loc
	}
}

// ANSI sets the mode of errors: on (the default) an overflow or a failed cast raises, off it wraps or gives null
// (spark.sql.ansi.enabled).
func ANSI(on bool) Option { return func(c *config) { c.ansi = on } }

// Parallelism sets how many goroutines work on a query; default the number of processors.
func Parallelism(n int) Option { return func(c *config) { c.parallelism = n } }

// BatchRows sets how many rows a batch has at most; default 16,384.
func BatchRows(n int) Option { return func(c *config) { c.batchRows = n } }

// FileSystem sets where checkpoints are kept and where file sources and sinks have their files; default the operating system's files. Tests
// put faults into one.
func FileSystem(fs vfs.FS) Option { return func(c *config) { c.fs = fs } }

// Clock sets what current_timestamp and triggers go by.
func Clock(now func() time.Time) Option { return func(c *config) { c.now = now } }

// Store is where streaming queries keep the state of their operators: [MemoryStore] or [DiskStore].
type Store struct {
	disk   bool
	memory int64
}

// MemoryStore keeps state in memory, and its changes in the checkpoint. It is the default, and the fastest as long as the state has room.
func MemoryStore() Store { return Store{} }

// DiskStore keeps state in files of the checkpoint's folder, by Pebble, for state that is larger than memory. Each stateful operator takes about so many bytes of
// memory for it, of which more means fewer looks at files: with 256 MiB, 20 million keys of 16 bytes took less than 650 MiB of the process in all (bench/state).
//
// It is what Spark has in RocksDBStateStoreProvider.
func DiskStore(memory int64) Store { return Store{disk: true, memory: memory} }

// StateStore sets where the streaming queries of the session keep the state of their operators. A checkpoint may be gone on with by either store.
//
// Source: Spark's spark.sql.streaming.stateStore.providerClass.
func StateStore(s Store) Option {
	return func(c *config) {
		if s.disk && s.memory < 1<<20 {
			c.err = condition.Newf(condition.InvalidOption, "A store on disk needs at least 1 MiB of memory, not %d bytes.", s.memory)
			return
		}
		c.state.Disk = s.memory
	}
}

// DefaultRetain is how many epochs a checkpoint can go back where [Retain] does not say so.
const DefaultRetain = state.DefaultRetain

// Retain sets for how many epochs back the logs and the versions of the state are kept in checkpoints; default [DefaultRetain].
//
// Source: Spark's spark.sql.streaming.minBatchesToRetain.
func Retain(epochs int) Option {
	return func(c *config) {
		if epochs < 1 {
			c.err = condition.Newf(condition.InvalidOption, "At least one epoch is to be retained, not %d.", epochs)
			return
		}
		c.state.Retain = int64(epochs)
	}
}

// Session runs expressions in this process; it satisfies backend.Session and is safe for concurrent use.
type Session struct {
	cfg config

	mu      sync.Mutex
	closed  bool
	queries map[*stream.Query]bool
	// starting are the names of the queries whose start has not ended yet.
	starting map[string]bool
	// held are the tables that the session keeps in memory.
	held map[*held]bool

	warehouse  *warehouse
	events     backend.Events
	terminated terminated
}

var _ backend.Session = (*Session)(nil)

// Open makes a session. It starts nothing and opens nothing.
func Open(opts ...Option) (*Session, error) {
	c := config{zone: time.UTC, ansi: true, parallelism: runtime.GOMAXPROCS(0), batchRows: 16 << 10, fs: vfs.Default, now: time.Now}
	for _, o := range opts {
		if o == nil {
			continue
		}
		o(&c)
	}
	switch {
	case c.err != nil:
		return nil, condition.At(c.err, condition.Here(1))
	case absent.Is(c.fs) || c.now == nil:
		e := condition.Newf(condition.InvalidOption, "The file system (local.FileSystem) or the clock (local.Clock) is nil.")
		e.Pos, e.Hint = condition.Here(1), "Leave the option out for the machine's own."
		return nil, e
	case c.parallelism < 1 || c.batchRows < 1:
		e := condition.Newf(condition.InvalidOption, "The parallelism (%d) and the rows of a batch (%d) must be at least 1.", c.parallelism, c.batchRows)
		e.Pos = condition.Here(1)
		return nil, e
	}
	return &Session{
		cfg: c, queries: map[*stream.Query]bool{}, starting: map[string]bool{}, held: map[*held]bool{},
		warehouse: newWarehouse(c.fs, c.warehouse), terminated: terminated{wake: make(chan struct{})},
	}, nil
}

// Zone implements backend.Session.
func (s *Session) Zone() *time.Location {
	if s == nil || s.cfg.zone == nil {
		return time.UTC
	}
	return s.cfg.zone
}

func (s *Session) env() connector.Env {
	return connector.Env{Zone: s.cfg.zone, ANSI: s.cfg.ansi, BatchRows: s.cfg.batchRows, Parallelism: s.cfg.parallelism, FS: s.cfg.fs, Now: s.cfg.now}
}

// usable refuses a call without a context, and one on a session that is closed or never was opened. A context that has ended is found later, by who reads the rows or
// waits.
func (s *Session) usable(ctx context.Context) error {
	if err := absent.NoContext(ctx); err != nil {
		return condition.At(err, condition.Here(1))
	}
	return condition.At(s.open(), condition.Here(1))
}

// ready is usable, and refuses a context that has ended too.
func (s *Session) ready(ctx context.Context) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	return ctx.Err()
}

func (s *Session) open() error {
	if s == nil {
		return absent.Opened("local.Open")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.check()
}

func sessionClosed() error {
	e := condition.Newf(condition.Closed, "The session was closed.")
	e.Hint = "Open another one with local.Open."
	return e
}

// check is open under the lock.
func (s *Session) check() error {
	switch {
	case s.queries == nil:
		return absent.Opened("local.Open")
	case s.closed:
		return sessionClosed()
	}
	return nil
}

// target is the newest Spark that the compiler knows, as the local engine runs it.
func (s *Session) target() analyze.Target {
	t := target()
	t.Real = func(path string) string { return durable.Real(s.cfg.fs, path) }
	return t
}

func target() analyze.Target { return analyze.Target{Version: newest(), Local: true} }

// newest reads [compiler.NewestSpark].
var newest = sync.OnceValue(func() (v analyze.Version) {
	parts := strings.Split(compiler.NewestSpark, ".")
	v.Major, _ = strconv.Atoi(parts[0])
	if len(parts) > 1 {
		v.Minor, _ = strconv.Atoi(parts[1])
	}
	return v
})

// task makes the task of a batch query.
func (s *Session) task() *exec.Task {
	return &exec.Task{
		Env:         &kernel.Env{ANSI: s.cfg.ansi, Zone: s.cfg.zone, Now: s.cfg.now().UnixMicro()},
		Parallelism: s.cfg.parallelism, BatchRows: s.cfg.batchRows, Mode: tree.Append,
	}
}

// Batches implements backend.Session. Nothing is read before the rows are asked for, and they can be read once.
func (s *Session) Batches(ctx context.Context, t expr.Table) (backend.Result, error) {
	r, err := t.Relation()
	if err != nil {
		return backend.Result{}, err
	}
	return s.relation(ctx, r)
}

func (s *Session) relation(ctx context.Context, r tree.Relation) (res backend.Result, err error) {
	defer fault.Catch(&err)
	if err := s.usable(ctx); err != nil {
		return backend.Result{}, err
	}
	if err := s.allows(r); err != nil {
		return backend.Result{}, err
	}
	p, err := plan.Make(r, s.kind())
	if err != nil {
		return backend.Result{}, err
	}
	fields := r.Schema().Types()
	schema, err := vec.RecordSchema(fields)
	if err != nil {
		return backend.Result{}, err
	}
	run := s.batch(r, p)
	// Expressions are compiled here, so that what the engine refuses is refused before the first row.
	op, err := run.build()
	if err != nil {
		return backend.Result{}, err
	}
	var taken atomic.Bool
	batches := func(yield func(arrow.RecordBatch, error) bool) {
		if !taken.CompareAndSwap(false, true) {
			e := condition.Newf(condition.Closed, "the rows of this result were read before.")
			e.Hint = "Ask the session for the table again."
			yield(nil, e)
			return
		}
		run.meter = backend.NewWorkMeter(ctx)
		defer run.meter.End()
		// A panic of the reader is the reader's; sources and operators end all the same.
		if better, err := run.better(ctx); err != nil {
			yield(nil, err)
			return
		} else if better != nil {
			op = better
		}
		end := sync.OnceValue(func() error { return errors.Join(fault.Do(op.Close), run.close()) })
		defer func() { _ = end() }() // its error has been told
		err := fault.Do(func() error { return op.Open(ctx) })
		for err == nil {
			var rec arrow.RecordBatch
			rec, err = fault.Get(func() (arrow.RecordBatch, error) {
				b, err := op.Next(ctx)
				if b == nil || err != nil {
					return nil, err
				}
				return b.ToRecord(schema, fields), nil
			})
			if rec == nil || err != nil {
				break
			}
			if !give(rec, yield) {
				return
			}
		}
		if e := end(); err == nil {
			err = e
		}
		if err != nil {
			yield(nil, err)
		}
	}
	return backend.Result{Fields: fields, Batches: batches}, nil
}

// allows refuses a batch that cannot run.
func (s *Session) allows(r tree.Relation) error {
	if err := s.open(); err != nil {
		return condition.At(err, condition.Here(1))
	}
	if absent.Is(r) {
		e := condition.Newf(condition.InvalidValue, "There is no relation.")
		e.Pos, e.Hint = condition.Here(1), "Pass a table made by expr, or what its Relation gives."
		return e
	}
	return errors.Join(analyze.Parameters(r), analyze.Relation(r, analyze.Batch, s.target()))
}

// give hands a record to a reader, who has it for the time of the call.
func give(rec arrow.RecordBatch, yield func(arrow.RecordBatch, error) bool) bool {
	defer rec.Release()
	return yield(rec, nil)
}

// batchRun is one run of a batch plan with the sources that it opened.
type batchRun struct {
	s *Session
	r tree.Relation
	p *plan.Plan
	// meter counts the rows that sources give; it is set before the first is read.
	meter *backend.WorkMeter
	// profile is of a run that is explained.
	profile *plan.Profile

	mu      sync.Mutex
	sources []connector.Source
	// idle are open sources that no one reads at present, for who reads the same again: a subquery that runs for each row.
	idle map[*tree.Read][]openSource
}

// openSource is a source with the range that a batch reads of it.
type openSource struct {
	connector.Source
	start, end connector.Offset
}

func (s *Session) batch(r tree.Relation, p *plan.Plan) *batchRun { return &batchRun{s: s, r: r, p: p} }

// kind is how a batch is planned.
func (s *Session) kind() plan.Kind {
	return plan.Kind{Without: s.cfg.without, Tables: s.warehouse.resolver(nil)}
}

// better plans a query with joins anew by what its sources know of their rows, and gives its operators, or nil where there is nothing to know.
func (r *batchRun) better(ctx context.Context) (exec.Operator, error) {
	if !r.p.HasJoin() {
		return nil, nil
	}
	return fault.Get(func() (exec.Operator, error) {
		p, err := plan.Make(r.r, r.s.knowing(ctx))
		if err != nil {
			return nil, err
		}
		r.p = p
		return r.build()
	})
}

// knowing is kind with what sources know of their rows, each asked once.
func (s *Session) knowing(ctx context.Context) plan.Kind {
	k := s.kind()
	known := map[*tree.Read]connector.Statistics{}
	k.Statistics = func(scan *plan.Scan) (connector.Statistics, bool) {
		st, ok := known[scan.Read]
		if !ok {
			if st, ok = s.statistics(ctx, scan); ok {
				known[scan.Read] = st
			}
		}
		return st, ok
	}
	return k
}

// statistics asks a source. Whatever is wrong with it will be told when it is read.
func (s *Session) statistics(ctx context.Context, scan *plan.Scan) (st connector.Statistics, ok bool) {
	src, err := connector.OpenSource(ctx, s.env(), scan.Read.Source)
	if err != nil {
		return st, false
	}
	defer src.Close() // a source that was only asked loses nothing
	m, is := src.(connector.Measured)
	if !is {
		return st, false
	}
	start, err := src.Initial(ctx)
	if err != nil {
		return st, false
	}
	end, err := src.Latest(ctx, start, true)
	if err != nil {
		return st, false
	}
	st, ok, err = m.Statistics(ctx, start, end)
	return st, ok && err == nil
}

func (r *batchRun) build() (exec.Operator, error) {
	return r.p.Build(r.s.task(), plan.Inputs{Read: r.read, Profile: r.profile})
}

// source gives an open source that is not being read, with everything that it has.
func (r *batchRun) source(ctx context.Context, read *tree.Read) (openSource, error) {
	r.mu.Lock()
	if free := r.idle[read]; len(free) > 0 {
		r.idle[read] = free[:len(free)-1]
		r.mu.Unlock()
		return free[len(free)-1], nil
	}
	r.mu.Unlock()
	src, err := connector.OpenSource(ctx, r.s.env(), read.Source)
	if err != nil {
		return openSource{}, err
	}
	r.mu.Lock()
	r.sources = append(r.sources, src)
	r.mu.Unlock()
	out := openSource{Source: src}
	if out.start, err = src.Initial(ctx); err == nil {
		out.end, err = src.Latest(ctx, out.start, true)
	}
	return out, err
}

// read gives the rows of a source. Sources are not read by two at once, so one is free again when its rows have ended.
func (r *batchRun) read(ctx context.Context, scan *plan.Scan, p connector.Projection) (connector.Batches, error) {
	src, err := r.source(ctx, scan.Read)
	if err != nil {
		return nil, err
	}
	rows, err := src.Read(ctx, src.start, src.end, p)
	if err != nil {
		return nil, err
	}
	return func(yield func(arrow.RecordBatch, error) bool) {
		defer func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			if r.idle == nil {
				r.idle = map[*tree.Read][]openSource{}
			}
			r.idle[scan.Read] = append(r.idle[scan.Read], src)
		}()
		for rec, err := range rows {
			n := int64(0)
			if rec != nil {
				n = rec.NumRows() // before the consumer releases it
			}
			if !yield(rec, err) {
				return
			}
			if r.meter != nil {
				r.meter.Add(n)
			}
		}
	}, nil
}

func (r *batchRun) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var first error
	for _, src := range r.sources {
		if err := fault.Do(src.Close); first == nil {
			first = err
		}
	}
	r.sources, r.idle = nil, nil
	return first
}

// Write implements backend.Session.
func (s *Session) Write(ctx context.Context, w expr.Write) error {
	t, err := w.Tree()
	if err != nil {
		return err
	}
	return s.write(ctx, t)
}

func (s *Session) write(ctx context.Context, w *tree.Write) (err error) {
	defer fault.Catch(&err)
	if err := s.usable(ctx); err != nil {
		return err
	}
	if err := errors.Join(analyze.Parameters(w.Input), analyze.Write(w, analyze.Batch, s.target())); err != nil {
		return err
	}
	env := s.env()
	env.Save = w.Save
	var sink connector.Sink
	if w.Sink.Format == tree.TableFormat {
		aligned := *w
		env.Save = tree.ErrorIfExists // each write has a folder of its own
		aligned.Input, sink, err = s.warehouse.tableWrite(env, w)
		if sink == nil || err != nil {
			return condition.At(err, w.At)
		}
		w = &aligned
	}
	p, err := plan.Make(w.Input, s.kind())
	if err != nil {
		return err
	}
	if sink == nil {
		if sink, err = connector.OpenSink(ctx, env, w.Sink); err != nil {
			return condition.At(err, w.At)
		}
	}
	run := s.batch(w.Input, p)
	run.meter = backend.NewWorkMeter(ctx)
	defer run.meter.End()
	err = fault.Do(func() (err error) {
		op, err := run.better(ctx)
		if op == nil && err == nil {
			op, err = run.build()
		}
		if err != nil {
			return err
		}
		// The first error is the one to tell.
		defer func() {
			if e := fault.Do(op.Close); err == nil {
				err = e
			}
		}()
		defer fault.Catch(&err)
		if err := op.Open(ctx); err != nil {
			return err
		}
		rows, fields, err := encode(ctx, op, w.Input.Schema().Types(), w.Sink, &kernel.Env{ANSI: s.cfg.ansi, Zone: s.cfg.zone})
		if err == nil {
			_, err = sink.Write(ctx, 0, w.Mode, fields, rows)
			err = condition.At(err, w.At)
		}
		return err
	})
	if e := run.close(); err == nil {
		err = e
	}
	if e := fault.Do(sink.Close); err == nil {
		err = e
	}
	return err
}

// encode makes of an open operator's rows what a sink takes.
func encode(ctx context.Context, op exec.Operator, fields []datatype.Field, sink *tree.Sink, env *kernel.Env) (connector.Batches, []datatype.Field, error) {
	step, fields, err := plan.Encoder(sink, fields, env)
	if err != nil {
		return nil, nil, err
	}
	schema, err := vec.RecordSchema(fields)
	if err != nil {
		return nil, nil, err
	}
	return func(yield func(arrow.RecordBatch, error) bool) {
		for {
			b, err := op.Next(ctx)
			if err == nil && b == nil {
				return
			}
			if err == nil && step != nil {
				b, err = step(b)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if b == nil {
				continue
			}
			// The consumer releases the record, as the contract of connector.Batches says.
			if !yield(b.ToRecord(schema, fields), nil) {
				return
			}
		}
	}, fields, nil
}

// Start implements backend.Session.
func (s *Session) Start(ctx context.Context, w expr.Write) (backend.Query, error) {
	t, err := w.Tree()
	if err != nil {
		return nil, err
	}
	q, err := s.start(ctx, t)
	if err != nil {
		return nil, err
	}
	return q, nil
}

func (s *Session) start(ctx context.Context, w *tree.Write) (q *stream.Query, err error) {
	defer fault.Catch(&err)
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	if err := errors.Join(analyze.Parameters(w.Input), analyze.Write(w, analyze.Stream, s.target())); err != nil {
		return nil, err
	}
	if w.Sink.Format == tree.TableFormat {
		e := condition.Newf(condition.Unsupported, "The local engine writes tables of its catalogue in batch only.")
		e.Pos, e.Operator, e.Hint = w.At, "WriteTo", "Write files as a stream (connectors.ToParquet), or run the query on Spark."
		return nil, e
	}
	kind := plan.Kind{Stream: true, Mode: w.Mode, Sink: w.Sink.Format, Tables: s.warehouse.resolver(nil)}
	if w.Late != nil {
		// Late rows are shown whole, also where the query needs less of them.
		kind.Without = []string{"prune-columns"}
	}
	p, err := plan.Make(w.Input, kind)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(fitsRows(w.Sink, w.Input.Schema().Types()), fitsRows(w.Late, tree.LateFields())); err != nil {
		return nil, err
	}
	// A first build finds what the engine refuses before anything is opened.
	if _, err := p.Build(s.streamTask(w), plan.Inputs{}); err != nil {
		return nil, err
	}
	cfg := stream.Config{
		Plan: p, Write: w, ANSI: s.cfg.ansi, Zone: s.cfg.zone, Parallelism: s.cfg.parallelism, BatchRows: s.cfg.batchRows, Now: s.cfg.now,
		FS: s.cfg.fs, Dir: w.Checkpoint, State: s.cfg.state, Encode: encode, ReadStatic: s.readStatic, Event: s.events.Publish, Ended: s.terminated.note,
	}
	if w.Checkpoint == "" {
		// As Spark's temporary checkpoint of console and memory sinks: gone with the query.
		cfg.FS, cfg.Dir, cfg.State.Disk = vfs.NewMem(), "checkpoint", 0
	}
	env := func(q *stream.Query) connector.Env {
		e := s.env()
		e.Streaming, e.QueryID, e.Waiting = true, q.ID(), q.Wait
		return e
	}
	cfg.OpenSource = func(ctx context.Context, scan *plan.Scan, q *stream.Query) (connector.Source, error) {
		return connector.OpenSource(ctx, env(q), scan.Read.Source)
	}
	cfg.OpenSink = func(ctx context.Context, q *stream.Query, sink *tree.Sink) (connector.Sink, error) {
		if sink.Each != nil {
			return openBatchSink(q, sink)
		}
		return connector.OpenSink(ctx, env(q), sink)
	}
	cfg.Explain = func(o backend.ExplainOptions, analysed *plan.Profile) (backend.Explanation, error) {
		if analysed == nil {
			analysed = profileOf(o)
			if _, err := p.Build(s.streamTask(w), plan.Inputs{Profile: analysed}); err != nil {
				return backend.Explanation{}, err
			}
		}
		note := fmt.Sprintf("stream in %s mode into %s", w.Mode, w.Sink.Format)
		if n := len(p.Watermarks); n > 1 && w.Policy == tree.MaxWatermark {
			note += fmt.Sprintf(", under the greatest of %d watermarks", n)
		} else if n > 1 {
			note += fmt.Sprintf(", under the least of %d watermarks", n)
		}
		return plan.Explain(w.Input, kind, o.Mode, analysed.Physical(), note)
	}
	if err := s.take(w); err != nil {
		return nil, err
	}
	defer s.leave(w.Name)
	cfg.Register = s.register
	q, err = stream.Start(ctx, cfg)
	if closed := s.open(); closed != nil {
		// The session was closed while the query was started, which ends it, whatever else happened.
		if q != nil {
			_ = q.Stop(context.Background())
		}
		return nil, closed
	}
	return q, err
}

// take keeps a name for a query that is about to start. As in Spark, two running queries of a session have different names.
func (s *Session) take(w *tree.Write) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.check(); err != nil {
		return err
	}
	if w.Name == "" {
		return nil
	}
	s.forget()
	used := s.starting[w.Name]
	for q := range s.queries {
		used = used || q.Name() == w.Name
	}
	if used {
		e := condition.Newf(condition.InvalidOption, "Cannot start query with name %s as a query with that name is already active in this session.", w.Name)
		e.Hint = "Give the query another name, or stop the other one first."
		e.Pos = w.At
		return e
	}
	s.starting[w.Name] = true
	return nil
}

// leave ends what take began: the name is the running query's from now on, or free.
func (s *Session) leave(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.starting, name)
}

// register notes a query that is about to run. It fails where the session was closed in the meantime.
func (s *Session) register(q *stream.Query) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.check(); err != nil {
		return err
	}
	s.forget()
	s.queries[q] = true
	return nil
}

// forget drops the queries that have ended; the lock is held.
func (s *Session) forget() {
	for q := range s.queries {
		select {
		case <-q.Done():
			delete(s.queries, q)
		default:
		}
	}
}

func (s *Session) streamTask(w *tree.Write) *exec.Task {
	t := s.task()
	t.Stream, t.Mode = true, w.Mode
	return t
}

// readStatic opens a look-up table of a stream; the source is closed when its rows have been read.
func (s *Session) readStatic(ctx context.Context, scan *plan.Scan, p connector.Projection) (connector.Batches, error) {
	run := s.batch(nil, nil)
	rows, err := run.read(ctx, scan, p)
	if err != nil {
		_ = run.close()
		return nil, err
	}
	return func(yield func(arrow.RecordBatch, error) bool) {
		for rec, err := range rows {
			if !yield(rec, err) {
				_ = run.close()
				return
			}
		}
		if err := run.close(); err != nil {
			yield(nil, err)
		}
	}, nil
}

// Explain implements backend.Session. The plan is that of a batch, for which sources are asked what they know of their rows where there are joins to order.
func (s *Session) Explain(ctx context.Context, t expr.Table, o backend.ExplainOptions) (backend.Explanation, error) {
	r, err := t.Relation()
	if err != nil {
		return backend.Explanation{}, err
	}
	return s.ExplainTree(ctx, r, o)
}

// ExplainTree is [Session.Explain] for a relation of the tree.
func (s *Session) ExplainTree(ctx context.Context, r tree.Relation, o backend.ExplainOptions) (e backend.Explanation, err error) {
	defer fault.Catch(&err)
	if err := s.ready(ctx); err != nil {
		return e, err
	}
	if err := explainable(o); err != nil {
		return e, err
	}
	if err := s.allows(r); err != nil {
		return e, err
	}
	run := s.batch(r, nil)
	run.profile = profileOf(o)
	k := s.kind()
	if run.p, err = plan.Make(r, k); err == nil && (run.p.HasJoin() || o.Mode == backend.ExplainCost) {
		k = s.knowing(ctx)
		run.p, err = plan.Make(r, k)
	}
	if err != nil {
		return e, err
	}
	op, err := run.build()
	if err != nil {
		return e, err
	}
	if o.Analyze {
		run.meter = backend.NewWorkMeter(ctx)
		err = fault.Do(func() error { return drain(ctx, op) })
		err = errors.Join(err, fault.Do(op.Close), run.close())
		run.meter.End()
		if err != nil {
			return e, err
		}
	}
	return plan.Explain(r, k, o.Mode, run.profile.Physical(), "")
}

// explainable refuses what the local engine cannot explain.
func explainable(o backend.ExplainOptions) error {
	if o.Mode != backend.ExplainCodegen {
		return o.Check()
	}
	e := condition.Newf(condition.Unsupported, "The local engine generates no code, so Explain has no mode %s.", o.Mode)
	e.Operator, e.Hint = "Explain", "Use backend.ExplainFormatted, or run the query on Spark."
	return e
}

func profileOf(o backend.ExplainOptions) *plan.Profile {
	return &plan.Profile{Measure: o.Analyze, Columns: o.Mode == backend.ExplainFormatted}
}

// drain runs an operator to its end.
func drain(ctx context.Context, op exec.Operator) error {
	if err := op.Open(ctx); err != nil {
		return err
	}
	for {
		b, err := op.Next(ctx)
		if b == nil || err != nil {
			return err
		}
		b.Release()
	}
}

// Table implements backend.Session: a table or a temporary view of the session's catalogue, with its columns. It is looked up again when it is read.
func (s *Session) Table(ctx context.Context, name ...string) (expr.Table, error) {
	if err := s.ready(ctx); err != nil {
		return expr.Table{}, err
	}
	at := condition.Here(1)
	f, err := s.warehouse.find(name)
	if err != nil {
		return expr.Table{}, condition.At(err, at)
	}
	fields, err := s.warehouse.fieldsOf(f)
	if err != nil {
		return expr.Table{}, condition.At(err, at)
	}
	if f.view == nil {
		name = []string{catalogName, f.database, f.name}
	}
	return expr.CatalogTable(fields, name...), nil
}

// Schema implements backend.Session.
func (s *Session) Schema(ctx context.Context, source expr.Source) (fields []datatype.Field, err error) {
	defer fault.Catch(&err)
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
	fields, err = connector.FindSchema(ctx, s.env(), src)
	return fields, condition.At(err, at)
}

// Close implements backend.Session: it stops all of the session's queries at once and waits for their ends. A query that is being
// started at the time is stopped too, and its Start gives SPOONBILL_CLOSED. Within a function of ForeachBatch it does not wait: what is left to do is done behind the function's end.
func (s *Session) Close() error {
	if s == nil || s.warehouse == nil {
		return nil // there is nothing to end
	}
	s.mu.Lock()
	s.closed = true
	var running []*stream.Query
	for q := range s.queries {
		running = append(running, q)
	}
	kept := slices.Collect(maps.Keys(s.held))
	clear(s.held)
	s.mu.Unlock()
	within := backend.InBatch(context.Background())
	finish := func() error {
		errs := make([]error, len(running))
		var wg sync.WaitGroup
		for i, q := range running {
			wg.Go(func() { errs[i] = q.Stop(context.Background()) })
		}
		wg.Wait()
		s.terminated.note(nil) // whoever waits finds the session closed
		s.events.Fail(sessionClosed())
		for _, h := range kept {
			h.release()
		}
		return errors.Join(append(errs, s.warehouse.close())...)
	}
	if within {
		go func() { _ = fault.Do(finish) }() // it ends with the queries; who closes the session once more learns how
		return nil
	}
	return finish()
}
