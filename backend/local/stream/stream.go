// Package stream drives a plan as a stream of epochs, by the rules of Spark's MicroBatchExecution: offsets are written before an
// epoch and the commit behind it, the watermark moves between epochs only, and an epoch without data runs when the watermark has
// moved far enough to finish state.
package stream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/uuid"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local/checkpoint"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/exec"
	"github.com/spoonbill-go/spoonbill/backend/local/fault"
	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/plan"
	"github.com/spoonbill-go/spoonbill/backend/local/state"
	"github.com/spoonbill-go/spoonbill/backend/local/statetable"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/compiler/analyze"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Config is a stream that is ready to start. The query closes the sources and the sink when it ends.
type Config struct {
	Plan  *plan.Plan
	Write *tree.Write
	// OpenSource opens the source of a streaming scan, OpenSink the sink, both for a query that they ask for what they need to know.
	OpenSource func(ctx context.Context, s *plan.Scan, q *Query) (connector.Source, error)
	OpenSink   func(ctx context.Context, q *Query, s *tree.Sink) (connector.Sink, error)
	// ReadStatic opens the rows of a source that is no stream.
	ReadStatic func(ctx context.Context, s *plan.Scan, p connector.Projection) (connector.Batches, error)
	// Encode turns the rows of an operator, which has such fields, into what a sink takes.
	Encode func(ctx context.Context, op exec.Operator, fields []datatype.Field, s *tree.Sink, env *kernel.Env) (connector.Batches, []datatype.Field, error)

	// Explain explains the query, with what an analysed epoch did where that is not nil.
	Explain func(o backend.ExplainOptions, analysed *plan.Profile) (backend.Explanation, error)

	ANSI        bool
	Zone        *time.Location
	Parallelism int
	BatchRows   int
	FS          vfs.FS
	Dir         string
	// State says how the state of operators is kept, and how many epochs the checkpoint can go back.
	State state.Options
	// Now is the clock.
	Now func() time.Time
	// Register is given the query before anybody is told of it, so that it can be found by its id from then on. An error of it is the start's. It may be nil.
	Register func(*Query) error
	// Event is told what happens to the query, in order, and Ended at last how it ended: nil when it was stopped or was done. Either may be nil.
	Event func(backend.Event)
	Ended func(failure *condition.Error)
}

// driver is a running query's goroutine.
type driver struct {
	Config
	q  *Query
	cp *checkpoint.Checkpoint
	// release gives back the checkpoint's folder.
	release func()
	// Sources are those of Plan.Streams, in order.
	Sources []connector.Source
	Sink    connector.Sink
	// Late is where late rows go, or nil.
	Late connector.Sink

	epoch   int64
	start   []json.RawMessage // where the next epoch begins to read; nil before the first
	first   []json.RawMessage // the positions before the first epoch
	pending *checkpoint.Offsets
	// watermark is that of the next epoch, previous that of the last one, in milliseconds. Before the first epoch both are 0, so rows before 1970 are late from
	// the start, as in Spark.
	watermark, previous int64
	// evicted is the watermark by which the last epoch of this run evicted, and ran tells whether there was one.
	evicted int64
	ran     bool
	// rang tells that the last epoch had no data, and gave processing-time timers their turn.
	rang bool
	// policy makes the watermark of those of the operators.
	policy tree.WatermarkPolicy
	// byOperator are the watermarks of the watermark operators.
	byOperator []int64
	// newest are the greatest event times that they saw in this run, in microseconds; MinInt64 for none.
	newest    []int64
	stores    map[int]*state.Dir
	memo      map[int]any
	single    bool
	lastStart time.Time
	// told is when a report last said that the query works or rests; zero before the first.
	told time.Time
	// looked is how long the last look at the sources took, in milliseconds, and states what the last report said of the stateful operators.
	looked int64
	states []backend.StateOperatorProgress
}

// grace is how long Start waits for the first positions of sources. What is wrong with them shows by then most often, and is Start's error; brokers that do not
// answer are waited for by the query.
const grace = 2 * time.Second

// Start starts a query. It returns when the sources' first positions are known, or after a moment without them: then the query goes on to ask for them, and its status
// says so. As in Spark, it fails later when they cannot be had. ctx bounds the start alone.
func Start(ctx context.Context, cfg Config) (*Query, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	switch cfg.Write.Trigger.Kind {
	case tree.Continuous, tree.RealTime:
		e := condition.Newf(condition.Unsupported, "The local engine has no continuous and no real-time trigger.")
		e.Hint = "Use the default trigger, ProcessingTime or AvailableNow."
		e.Pos = cfg.Write.At
		return nil, e
	}
	cp, err := checkpoint.Open(cfg.FS, cfg.Dir, uuid.NewString(), cfg.Plan.Fingerprint())
	if err != nil {
		return nil, condition.At(err, cfg.Write.At)
	}
	release, ok := connector.Claim(cfg.FS, cfg.Dir, "checkpoint")
	if !ok {
		_ = cp.Close() // the first error is the one to tell
		e := condition.Newf(condition.ConcurrentStreamLog, "Another query writes into the folder of the checkpoint, %s.", cfg.Dir)
		e.Hint = "Give this query a checkpoint of its own."
		e.Pos = cfg.Write.At
		return nil, e
	}
	d := &driver{Config: cfg, cp: cp, release: release, stores: map[int]*state.Dir{}, memo: map[int]any{}}
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	d.q = newQuery(cp.ID, uuid.NewString(), cfg, cancel)
	if err := fault.Do(func() error { return d.open(ctx) }); err != nil {
		cancel()
		_ = fault.Do(d.close) // the first error is the one to tell
		return nil, condition.At(err, cfg.Write.At)
	}
	d.see()
	if cfg.Register != nil {
		if err := cfg.Register(d.q); err != nil {
			cancel()
			_ = fault.Do(d.close) // the first error is the one to tell
			d.q.end(nil)
			return nil, err
		}
	}
	d.event(backend.Event{Kind: backend.Started, Name: d.q.name, Timestamp: d.clockText(), Lints: analyze.Findings(cfg.Write, analyze.Stream)})
	ready := make(chan error, 1)
	go d.run(run, ready)
	moment := time.NewTimer(grace)
	defer moment.Stop()
	select {
	case err := <-ready:
		if err != nil {
			<-d.q.done
			return nil, condition.At(err, cfg.Write.At)
		}
	case <-moment.C:
	case <-ctx.Done():
		status, _ := d.q.Status(ctx) // it has no error
		cancel()
		<-d.q.done
		e := condition.Newf(condition.ConnectorFailed, "The query did not start before the time of its context was over: %s.", status.Message)
		e.Hint, e.Pos, e.Cause = "Give the context more time; it bounds the start alone.", cfg.Write.At, context.Cause(ctx)
		return nil, e
	}
	return d.q, nil
}

// open opens the sources and the sink and finds the next epoch.
func (d *driver) open(ctx context.Context) error {
	for _, scan := range d.Plan.Streams {
		s, err := d.OpenSource(ctx, scan, d.q)
		if err != nil {
			return condition.At(err, scan.Read.Pos())
		}
		d.Sources = append(d.Sources, s)
	}
	var err error
	if d.Sink, err = d.OpenSink(ctx, d.q, d.Write.Sink); err != nil {
		return err
	}
	if d.Write.Late != nil {
		if d.Late, err = d.OpenSink(ctx, d.q, d.Write.Late); err != nil {
			return err
		}
	}
	return d.resume()
}

// close closes the sources, the sink and the checkpoint and gives the first error.
func (d *driver) close() error {
	var first error
	for _, s := range d.Sources {
		if err := fault.Do(s.Close); first == nil {
			first = err
		}
	}
	for _, s := range []connector.Sink{d.Sink, d.Late} {
		if s != nil {
			if err := fault.Do(s.Close); first == nil {
				first = err
			}
		}
	}
	for _, op := range slices.Sorted(maps.Keys(d.stores)) {
		if err := fault.Do(d.stores[op].Close); first == nil {
			first = err
		}
	}
	d.release()
	if err := d.cp.Close(); first == nil {
		first = err
	}
	return first
}

// resume finds the next epoch in the checkpoint.
func (d *driver) resume() error {
	d.byOperator = make([]int64, len(d.Plan.Watermarks))
	for range d.byOperator {
		d.newest = append(d.newest, math.MinInt64)
	}
	if d.policy = d.Write.Policy; d.policy == tree.AnyWatermark {
		d.policy = tree.MinWatermark
	}
	for i, s := range d.Sources {
		if l, ok := s.(connector.Logged); ok {
			if err := l.UseLog(d.cp.FS(), d.cp.SourceDir(i)); err != nil {
				return err
			}
		}
	}
	latest, found, err := d.cp.LatestOffsets()
	if err != nil || !found {
		return err
	}
	last, err := d.cp.ReadOffsets(latest, len(d.Sources))
	if err != nil {
		return err
	}
	if err := d.sameConf(last.Conf); err != nil {
		return err
	}
	if err := d.samePolicy(last.Conf[tree.PolicyConf]); err != nil {
		return err
	}
	committed, any, err := d.cp.LatestCommit()
	if err != nil {
		return err
	}
	d.watermark = last.WatermarkMs
	if any && committed == latest {
		c, err := d.cp.ReadCommit(latest)
		if err != nil {
			return err
		}
		d.epoch, d.start = latest+1, last.Ends
		d.watermark = max(d.watermark, c.NextWatermarkMs)
		d.previous = last.WatermarkMs
		// The last epoch may have moved the watermark so far that one without data is due. Spark waits for new data then, because it
		// looks at the plan of the last epoch of the same run; here a restart gives the output that no restart would have given.
		d.evicted, d.ran = last.WatermarkMs, true
	} else {
		// The epoch was begun and not committed: it runs again over the same range.
		d.epoch, d.pending = latest, &last
		if latest > 0 {
			before, err := d.cp.ReadOffsets(latest-1, len(d.Sources))
			if err != nil {
				return err
			}
			d.start, d.previous = before.Ends, before.WatermarkMs
		}
	}
	for i := range d.byOperator {
		// Spark starts its tracker from the global watermark; an operator below it cannot pull it back.
		d.byOperator[i] = d.watermark
	}
	return nil
}

// begin finds the positions before the first epoch.
func (d *driver) begin(ctx context.Context) error {
	d.first = make([]json.RawMessage, len(d.Sources))
	for i, s := range d.Sources {
		off, err := d.cp.Initial(i, func() (json.RawMessage, error) { return s.Initial(ctx) })
		if err != nil {
			return condition.At(err, d.Plan.Streams[i].Read.Pos())
		}
		d.first[i] = off
	}
	return nil
}

// The settings of a session that change the results of a query, as the offset log names them.
const (
	confANSI = "spark.sql.ansi.enabled"
	confZone = "spark.sql.session.timeZone"
)

// sameConf refuses to go on under other settings than those of the epochs before: state, and an epoch that runs again, would mix rows of
// both.
func (d *driver) sameConf(recorded map[string]string) error {
	for _, c := range []struct{ name, now, option string }{
		{confANSI, fmt.Sprint(d.ANSI), "local.ANSI(%s)"},
		{confZone, d.Zone.String(), "local.TimeZone(%q)"},
	} {
		then, ok := recorded[c.name]
		if !ok || then == c.now {
			continue
		}
		e := condition.Newf(condition.CheckpointMismatch, "The checkpoint %s was written with %s=%s, and this session has %s.", d.Dir, c.name, then, c.now)
		e.Hint = fmt.Sprintf("Open the session with "+c.option+", or start the query with a new checkpoint folder.", then)
		e.Pos = d.Write.At
		return e
	}
	return nil
}

// samePolicy takes the policy that the epochs before had, since their watermark came of it, and refuses another one that the query asks for.
func (d *driver) samePolicy(recorded string) error {
	p, err := expr.ParseWatermarkPolicy(recorded)
	switch {
	case err != nil || p == d.policy:
	case d.Write.Policy == tree.AnyWatermark:
		d.policy = p
	default:
		e := condition.Newf(condition.CheckpointMismatch, "The checkpoint %s was written under the watermark policy %s, and the query asks for %s.", d.Dir, p, d.policy)
		e.Hint = "Leave WatermarkPolicy out, or start the query with a new checkpoint folder."
		e.Pos = d.Write.At
		return e
	}
	return nil
}

// run is the query's goroutine: the first positions, whose error or nil goes to ready, the loop, and then everything is closed whatever happened. Done is
// closed last.
func (d *driver) run(ctx context.Context, ready chan<- error) {
	err := fault.Do(func() error { return d.begin(ctx) })
	ready <- err
	if err == nil {
		err = fault.Do(func() error { return d.loop(ctx) })
	}
	if e := fault.Do(d.close); err == nil {
		err = e
	}
	if e := fault.Do(func() error { exec.ReleaseMemo(d.memo); return nil }); err == nil {
		err = e
	}
	failure := d.failure(ctx, err)
	d.q.cancel()
	e := backend.Event{Kind: backend.Terminated}
	if failure != nil {
		e.Exception, e.ErrorClass = failure.Cause.Error(), condition.Of(failure.Cause)
	}
	d.event(e)
	if d.Ended != nil {
		d.Ended(failure)
	}
	d.q.end(failure)
}

// failure makes STREAM_FAILED of an error; a stopped query has none.
func (d *driver) failure(ctx context.Context, err error) *condition.Error {
	// Clients of brokers and file systems wrap a cancellation in words of their own.
	if err == nil || ctx.Err() != nil && (errors.Is(err, context.Canceled) || strings.Contains(err.Error(), context.Canceled.Error())) {
		return nil
	}
	e := condition.Newf(condition.StreamFailed, "Query [id = %s, runId = %s] terminated with exception: %v", d.q.id, d.q.runID, err)
	e.Cause = err
	e.Pos = d.Write.At
	return e
}

// idleEvery is the time without an epoch after which a listener is told so, as Spark's noDataProgressEventInterval.
const idleEvery = 10 * time.Second

// event tells of the query.
func (d *driver) event(e backend.Event) {
	if d.Event != nil {
		e.ID, e.RunID = d.q.id, d.q.runID
		d.Event(e)
	}
}

// clockText is the time as events have it.
func (d *driver) clockText() string { return d.Now().UTC().Format(isoMillis) }

// pollDelay is how long the default trigger waits when there was no data, as Spark's pollingDelay.
const pollDelay = 10 * time.Millisecond

// loop runs epochs by the trigger until the query is stopped, fails, or (Once, AvailableNow) is done.
func (d *driver) loop(ctx context.Context) error {
	for op, n := range d.Plan.Stateful {
		dir, err := state.Open(d.FS, d.cp.StateDir(op), d.epoch, d.State)
		if err != nil {
			return err
		}
		d.stores[op] = dir
		if err := statetable.Describe(n).Save(d.FS, d.cp.StateDir(op)); err != nil {
			return err
		}
	}
	trigger := d.Write.Trigger
	if trigger.Kind == tree.AvailableNow {
		for _, s := range d.Sources {
			a, ok := s.(connector.AvailableNow)
			if !ok {
				// With a source that cannot, the whole query is one epoch, as in Spark 4.
				d.single = true
				continue
			}
			if err := a.PrepareAvailableNow(ctx); err != nil {
				return err
			}
		}
	}
	interval := time.Duration(trigger.IntervalMillis) * time.Millisecond
	rounds := 0
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		begin := d.Now()
		d.q.begin()
		worked, err := d.round(ctx, begin, rounds)
		if err != nil {
			return err
		}
		if worked {
			rounds++
		} else {
			d.rest(begin)
		}
		switch trigger.Kind {
		case tree.Once:
			return nil
		case tree.AvailableNow:
			if !worked {
				return nil
			}
			continue
		}
		if !worked {
			d.q.setStatus("Waiting for data to arrive", false, false)
			d.q.idle()
		}
		wait := time.Duration(0)
		if trigger.Kind == tree.ProcessingTime && interval > 0 {
			// The next multiple of the interval since 1970, as Spark's ProcessingTimeExecutor.
			now := d.Now().UnixMilli()
			next := now/interval.Milliseconds()*interval.Milliseconds() + interval.Milliseconds()
			if d.Now().Sub(begin) >= interval {
				next = now
			}
			wait = time.Duration(next-now) * time.Millisecond
			d.q.setStatus("Waiting for next trigger", false, false)
		} else if !worked {
			wait = pollDelay
		}
		if wait > 0 {
			t := time.NewTimer(wait)
			select {
			case <-t.C:
			case <-d.q.wake:
				t.Stop()
			case <-ctx.Done():
				t.Stop()
				return ctx.Err()
			}
		}
	}
}

// rest reports a look at the sources that found nothing: the only one of a run that ends with it, and whenever there was nothing to tell for [idleEvery]. A listener is told of the later ones.
//
// Source: Spark's ProgressContext.finishTrigger.
func (d *driver) rest(begin time.Time) {
	now := d.Now()
	first := d.told.IsZero()
	if !first && now.Sub(d.told) < idleEvery {
		return
	}
	d.told = now
	if k := d.Write.Trigger.Kind; first && k != tree.AvailableNow && k != tree.Once {
		return // the query waits, and its status says so
	}
	p := d.report(begin, map[string]int64{"latestOffset": d.looked, "triggerExecution": now.Sub(begin).Milliseconds()}, -1)
	starts := d.starts()
	for i, s := range d.Sources {
		sp := d.source(s, begin, starts[i], starts[i], 0, p.BatchDuration)
		sp.Metrics = nil
		p.Sources = append(p.Sources, sp)
	}
	p.InputRowsPerSecond, p.ProcessedRowsPerSecond = d.arrived(0, begin), perSecond(0, p.BatchDuration)
	if len(d.Plan.Watermarks) > 0 && !d.lastStart.IsZero() { // as Spark, which tells it of the epoch before in this run
		p.EventTime = map[string]string{"watermark": iso(d.watermark)}
	}
	for _, s := range d.states {
		s.NumRowsUpdated, s.NumRowsDroppedByWatermark = 0, 0
		p.StateOperators = append(p.StateOperators, s)
	}
	d.q.report(p)
	if !first {
		d.event(backend.Event{Kind: backend.Idle, Timestamp: d.clockText()})
	}
}

// round makes the next epoch, if one is due, and runs it.
func (d *driver) round(ctx context.Context, begin time.Time, rounds int) (bool, error) {
	times := map[string]int64{}
	clock := func(name string, from time.Time) { times[name] += d.Now().Sub(from).Milliseconds() }
	d.q.setStatus("Getting offsets from sources", false, true)
	newData := false
	if d.pending == nil {
		from := d.Now()
		starts := d.starts()
		ends := make([]json.RawMessage, len(d.Sources))
		for i, s := range d.Sources {
			all := d.Write.Trigger.Kind == tree.Once || d.single
			end := starts[i]
			// A query that is one epoch looks at its sources once.
			if !(d.single && rounds > 0) {
				var err error
				if end, err = s.Latest(ctx, starts[i], all); err != nil {
					return false, condition.At(err, d.Plan.Streams[i].Read.Pos())
				}
			}
			ends[i] = end
			newData = newData || string(end) != string(starts[i])
		}
		clock("latestOffset", from)
		d.looked = times["latestOffset"]
		d.rang = d.rang && !newData
		if !newData {
			if due, err := d.wantsEpoch(begin.UnixMilli() * 1000); err != nil || !due {
				return false, err
			}
			d.rang = true
		}
		from = d.Now()
		o := checkpoint.Offsets{WatermarkMs: d.watermark, TimestampMs: begin.UnixMilli(), Ends: ends, Conf: map[string]string{
			confANSI:        fmt.Sprint(d.ANSI),
			confZone:        d.Zone.String(),
			tree.PolicyConf: d.policy.String(),
		}}
		if err := d.cp.WriteOffsets(d.epoch, o); err != nil {
			return false, err
		}
		clock("walCommit", from)
		d.pending = &o
	} else {
		newData = true
	}
	d.q.setStatus("Processing new data", newData, true)
	if err := d.runEpoch(ctx, begin, times, clock); err != nil {
		return false, err
	}
	return true, nil
}

// starts are the positions where the next epoch begins to read.
func (d *driver) starts() []json.RawMessage {
	if d.start == nil {
		return d.first
	}
	out := append([]json.RawMessage(nil), d.start...)
	for i, s := range out {
		if s == nil {
			out[i] = d.first[i]
		}
	}
	return out
}

// wantsEpoch tells whether a stateful operator has something to finish under the new watermark, as Spark's shouldRunAnotherBatch, or at the present moment.
//
// A query that takes what is there and ends (AvailableNow) gives processing-time timers one epoch behind the data: those that are due by then have their turn, and what they set anew is for the next
// start. A timer that sets itself again would else keep the query for ever.
func (d *driver) wantsEpoch(now int64) (bool, error) {
	for op, n := range d.Plan.Stateful {
		if d.rang && d.Write.Trigger.Kind == tree.AvailableNow {
			break
		}
		if x, ok := n.(*plan.Keyed); ok && x.Process.Time == tree.ProcessingTimeMode {
			// Spark runs epochs without end then; here one is due when a timer or a TTL is. The first entry tells: one that is passed over might not come again.
			for _, err := range d.stores[op].Store().Expired(now - 1) {
				return true, err
			}
		}
	}
	return d.finishes(), nil
}

// finishes tells whether a stateful operator has something to finish under the new watermark.
func (d *driver) finishes() bool {
	if !d.ran || d.watermark <= d.evicted {
		return false
	}
	for _, n := range d.Plan.Stateful {
		switch x := n.(type) {
		case *plan.Aggregate:
			if x.EventKey >= 0 && d.Write.Mode != tree.Complete {
				return true
			}
		case *plan.Deduplicate:
			// Spark asks for an epoch wherever the rows have event time, also where no key leaves the state by it.
			if x.Event >= 0 {
				return true
			}
		case *plan.Join:
			if x.Bounded() {
				return true
			}
		case *plan.Keyed:
			if x.Process.Time == tree.EventTimeMode {
				return true
			}
		case *plan.Over, *plan.AsofJoin, *plan.Match:
			return true
		}
	}
	return false
}

// runEpoch runs the epoch that the offset log holds: the plan into the sink, then the state, then the commit. A failure leaves no
// commit,
// so the epoch runs again: sinks and state must give the same for the same epoch, and do.
func (d *driver) runEpoch(ctx context.Context, begin time.Time, times map[string]int64, clock func(string, time.Time)) error {
	o := d.pending
	starts := d.starts()
	env := &kernel.Env{ANSI: d.ANSI, Zone: d.Zone, Now: o.TimestampMs * 1000}
	task := &exec.Task{
		Env: env, Parallelism: d.Parallelism, BatchRows: d.BatchRows, Stream: true, Mode: d.Write.Mode, Memo: d.memo, Epoch: d.epoch,
		Stores: func(op int) (state.Store, error) { return d.stores[op].Store(), nil },
	}
	marks := d.Plan.Marks(d.previous*1000, o.WatermarkMs*1000)
	var late *lateRows
	if d.Write.Late != nil {
		late = newLateRows(d.Plan, env, d.epoch)
		task.Late = func(op, input int, b *vec.Batch, rows []int32, times []int64) error {
			return late.add(op, input, b, rows, times, marks[op].LateBefore)
		}
	}
	rows, malformed := make([]atomic.Int64, len(d.Sources)), make([]atomic.Int64, len(d.Sources))
	of := func(counts []atomic.Int64) func(s *plan.Scan) *atomic.Int64 {
		return func(s *plan.Scan) *atomic.Int64 {
			if s.Index < 0 {
				return nil
			}
			return &counts[s.Index]
		}
	}
	from := d.Now()
	profile, analysed := d.q.analysed()
	op, err := d.Plan.Build(task, plan.Inputs{
		Profile: profile, Marks: marks, Rows: of(rows), Malformed: of(malformed),
		Read: func(ctx context.Context, s *plan.Scan, p connector.Projection) (connector.Batches, error) {
			if !s.Stream {
				return d.ReadStatic(ctx, s, p)
			}
			i := s.Index
			if string(starts[i]) == string(o.Ends[i]) {
				return func(func(arrow.RecordBatch, error) bool) {}, nil
			}
			return d.Sources[i].Read(ctx, starts[i], o.Ends[i], p)
		},
	})
	if err != nil {
		return err
	}
	clock("queryPlanning", from)
	times["getBatch"] += 0 // Spark plans over what it has got; here nothing is got before the plan is pulled
	from = d.Now()
	written, err := d.write(ctx, op, env)
	if err != nil {
		return err
	}
	if err := d.writeLate(ctx, env, late); err != nil {
		return err
	}
	clock("addBatch", from)
	from = d.Now()
	for i := range d.Plan.Stateful {
		if err := d.stores[i].Commit(); err != nil {
			return err
		}
	}
	stateCommit := d.Now().Sub(from).Milliseconds()
	next := d.advance(task.Seen(), o.WatermarkMs)
	from = d.Now()
	if err := d.cp.WriteCommit(d.epoch, checkpoint.Commit{NextWatermarkMs: next}); err != nil {
		return err
	}
	clock("commitOffsets", from)
	for i, s := range d.Sources {
		if o.Ends[i] == nil {
			continue
		}
		if err := s.Commit(ctx, o.Ends[i]); err != nil {
			return err
		}
	}
	if d.epoch%16 == 0 {
		if err := d.cp.Purge(d.epoch, d.State.Retained()); err != nil {
			return err
		}
	}
	times["triggerExecution"] = d.Now().Sub(begin).Milliseconds()
	p := d.progress(task, begin, times, starts, rows, malformed, written, stateCommit)
	d.q.report(p)
	d.told = d.Now()
	d.event(backend.Event{Kind: backend.Progressed, Name: p.Name, Timestamp: p.Timestamp, Progress: &p})
	d.start, d.pending = o.Ends, nil
	d.previous = o.WatermarkMs
	d.evicted, d.ran = o.WatermarkMs, true
	d.watermark = next
	d.epoch++
	d.see()
	d.lastStart = begin
	analysed()
	return nil
}

// planned tells a sink that asks which epoch this is.
func (d *driver) planned(s connector.Sink) {
	p, ok := s.(connector.Planned)
	if !ok {
		return
	}
	lines := []string{fmt.Sprint(d.epoch, d.previous, d.pending.WatermarkMs)}
	starts := d.starts()
	for i, end := range d.pending.Ends {
		lines = append(lines, string(checkpoint.OneLine(starts[i]))+" "+string(checkpoint.OneLine(end)))
	}
	slices.Sort(lines[1:]) // sources may come in another order
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	p.Planned(hex.EncodeToString(sum[:16]))
}

// write pulls the plan to its end into the sink.
func (d *driver) write(ctx context.Context, op exec.Operator, env *kernel.Env) (n int64, err error) {
	// However it ends, a panic included, the operators end too, and the first error is the one to tell.
	defer func() {
		if e := fault.Do(op.Close); err == nil {
			err = e
		}
	}()
	defer fault.Catch(&err)
	if err := op.Open(ctx); err != nil {
		return 0, err
	}
	rows, fields, err := d.Encode(ctx, op, d.Write.Input.Schema().Types(), d.Write.Sink, env)
	if err != nil {
		return 0, err
	}
	d.planned(d.Sink)
	n, err = d.Sink.Write(ctx, d.epoch, d.Write.Mode, fields, rows)
	if err == nil {
		// A sink that needs no more rows must not keep operators from seeing the rest: their state depends on it.
		for {
			b, e := op.Next(ctx)
			if b == nil || e != nil {
				err = e
				break
			}
			b.Release()
		}
	}
	return n, err
}

// advance gives the watermark behind an epoch: the least over the watermark operators of their greatest event time less the delay, or under the policy max the greatest.
// One that has seen no row in this run holds it where the run began, at 0 in a query's first, and it never moves back.
//
// Source: Spark's WatermarkTracker.
func (d *driver) advance(seen map[int]exec.EventTimes, current int64) int64 {
	if len(d.byOperator) == 0 {
		return current
	}
	for i := range d.byOperator {
		if e, ok := seen[i]; ok && e.Count > 0 {
			ms := floorMs(e.Max) - e.DelayMicros/1000
			d.byOperator[i] = max(d.byOperator[i], ms)
			d.newest[i] = max(d.newest[i], e.Max)
		}
	}
	if d.policy == tree.MaxWatermark {
		return max(current, slices.Max(d.byOperator))
	}
	return max(current, slices.Min(d.byOperator))
}

func floorMs(us int64) int64 {
	q := us / 1000
	if us%1000 < 0 {
		q--
	}
	return q
}

// malformedRecords is the metric of sources of text: how many records of the epoch were not read whole, and so have nulls or were left out, by their mode. Spark has none such.
const malformedRecords = "malformedRecords"

// lateInputRows is the metric of stateful operators that dropped rows: how many rows of their input were late. numRowsDroppedByWatermark is Spark's count, which takes the
// rows of one group for one.
const lateInputRows = "numLateInputRows"

// untimedInputRows is the metric of windows over the rows of a stream: how many rows were left out because they have no event time.
const untimedInputRows = "numRowsWithoutEventTime"

const isoMillis = "2006-01-02T15:04:05.000Z"

func iso(ms int64) string { return time.UnixMilli(ms).UTC().Format(isoMillis) }

// perSecond is a rate over milliseconds, none over no time.
func perSecond(n, ms int64) backend.Rate { return backend.Rate(float64(n) / (float64(ms) / 1000)) }

// arrived is the rate of rows since the epoch before. Before the first of a run there was all time, as for Spark.
func (d *driver) arrived(n int64, begin time.Time) backend.Rate {
	if d.lastStart.IsZero() {
		return 0
	}
	return perSecond(n, begin.Sub(d.lastStart).Milliseconds())
}

// report begins a report.
func (d *driver) report(begin time.Time, times map[string]int64, written int64) backend.Progress {
	return backend.Progress{
		ID: d.q.id, RunID: d.q.runID, Name: d.q.name, Timestamp: begin.UTC().Format(isoMillis), BatchID: d.epoch, BatchDuration: times["triggerExecution"], DurationMs: times,
		Sink: backend.SinkProgress{Description: d.Sink.Description(), NumOutputRows: written},
	}
}

// source is what a report says of a source that gave n rows in so many milliseconds.
func (d *driver) source(s connector.Source, begin time.Time, start, end json.RawMessage, n, took int64) backend.SourceProgress {
	sp := backend.SourceProgress{
		Description: s.Description(), StartOffset: json.RawMessage("null"), EndOffset: end, LatestOffset: json.RawMessage("null"), NumInputRows: n,
		InputRowsPerSecond: d.arrived(n, begin), ProcessedRowsPerSecond: perSecond(n, took), Metrics: map[string]string{},
	}
	if d.start != nil {
		sp.StartOffset = start
	}
	for k, v := range s.Metrics() {
		if k == "latestOffset" {
			if json.Valid([]byte(v)) {
				sp.LatestOffset = json.RawMessage(v)
			}
			continue
		}
		sp.Metrics[k] = v
	}
	return sp
}

// progress makes the epoch's report in Spark's form.
func (d *driver) progress(task *exec.Task, begin time.Time, times map[string]int64, starts []json.RawMessage, rows, malformed []atomic.Int64, written, stateCommit int64) backend.Progress {
	o := d.pending
	p := d.report(begin, times, written)
	for i, s := range d.Sources {
		n := rows[i].Load()
		p.NumInputRows += n
		sp := d.source(s, begin, starts[i], o.Ends[i], n, p.BatchDuration)
		if src := d.Plan.Streams[i].Read.Source; src.Codec != nil || src.Format == "csv" || src.Format == "json" {
			sp.Metrics[malformedRecords] = strconv.FormatInt(malformed[i].Load(), 10)
		}
		p.Sources = append(p.Sources, sp)
	}
	p.InputRowsPerSecond, p.ProcessedRowsPerSecond = d.arrived(p.NumInputRows, begin), perSecond(p.NumInputRows, p.BatchDuration)
	if len(d.Plan.Watermarks) > 0 {
		p.EventTime = map[string]string{"watermark": iso(o.WatermarkMs)}
		count, sum, lo, hi := int64(0), 0.0, int64(math.MaxInt64), int64(math.MinInt64)
		for _, e := range task.Seen() {
			if e.Count > 0 {
				count += e.Count
				sum += e.Sum
				lo, hi = min(lo, e.Min), max(hi, e.Max)
			}
		}
		if count > 0 {
			p.EventTime["min"], p.EventTime["max"] = iso(floorMs(lo)), iso(floorMs(hi))
			p.EventTime["avg"] = iso(int64(sum / float64(count) / 1000))
		}
	}
	metrics := task.Metrics()
	// From the sink to the sources, as Spark lists them.
	for op := len(d.Plan.Stateful) - 1; op >= 0; op-- {
		s := d.stores[op].Store()
		sp := backend.StateOperatorProgress{OperatorName: "stateStoreSave", NumRowsTotal: int64(s.Len()), MemoryUsedBytes: s.Bytes(), CommitTimeMs: stateCommit, NumShufflePartitions: 1, NumStateStoreInstances: 1}
		if m := metrics[op]; m != nil {
			sp.OperatorName = m.Name
			sp.NumRowsTotal, sp.NumRowsUpdated, sp.NumRowsRemoved = m.RowsTotal, m.RowsUpdated, m.RowsRemoved
			sp.NumRowsDroppedByWatermark = m.RowsDropped
			custom := map[string]int64{}
			if m.LateRows > 0 {
				custom[lateInputRows] = m.LateRows
			}
			if m.RowsUntimed > 0 {
				custom[untimedInputRows] = m.RowsUntimed
			}
			if m.Name == "dedupe" || m.Name == "dedupeWithinWatermark" {
				custom["numDroppedDuplicateRows"] = m.DuplicateRows
			}
			if len(custom) > 0 {
				sp.CustomMetrics = custom
			}
			if m.Name == "symmetricHashJoin" {
				sp.NumStateStoreInstances = 4
			}
		}
		p.StateOperators = append(p.StateOperators, sp)
	}
	d.states = p.StateOperators
	return p
}
