package backend

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/internal/absent"
)

// Work tells how far a batch has come: rows for a table, or a write. The local engine counts rows; Spark reports tasks, every two seconds by default
// (spark.connect.progress.reportInterval).
//
// Source: Spark Connect's ExecutePlanResponse.ExecutionProgress.
type Work struct {
	// Rows is how many rows the sources have given so far; 0 on Spark, which does not tell.
	Rows int64
	// Bytes is how many bytes the finished tasks have read, Tasks and Done how many tasks of the stages that are known there are and are finished, and Running how
	// many run; 0 on the local engine.
	Bytes, Tasks, Done, Running int64
	// Elapsed is the time since the start.
	Elapsed time.Duration
	// Ended is true in the last report, which comes whether the work was done, failed or was left.
	Ended bool
}

// String gives the report as a line for people.
func (w Work) String() string {
	took := fmt.Sprintf("%.1f s", w.Elapsed.Seconds())
	if w.Tasks > 0 {
		return fmt.Sprintf("%d of %d tasks, %d running, %s read, %s", w.Done, w.Tasks, w.Running, sizeText(w.Bytes), took)
	}
	if w.Rows == 0 {
		return "running, " + took
	}
	return fmt.Sprintf("%d rows read, %s", w.Rows, took)
}

func sizeText(n int64) string {
	const step = 1024
	size, unit := float64(n), "B"
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if size < step {
			break
		}
		size, unit = size/step, next
	}
	if unit == "B" {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", size, unit)
}

type workKey struct{}

// WithWork gives a context whose batches (Batches, Write, and what is made of them: [Rows], [Collect], [ShowTable], …) report to see: now and then while
// they run, and once at the end. The calls of one batch come one after the other, from the goroutines that do the work, so see should be quick. A nil see
// ends the reports.
func WithWork(ctx context.Context, see func(Work)) context.Context {
	if ctx == nil {
		return nil // the session says what is wrong with it
	}
	return context.WithValue(ctx, workKey{}, see)
}

// WorkOf gives what [WithWork] has put into a context, or nil. Sessions use it.
func WorkOf(ctx context.Context) func(Work) {
	if ctx == nil {
		return nil // the session says what is wrong with it
	}
	see, _ := ctx.Value(workKey{}).(func(Work))
	return see
}

// reportEvery is the least time between two reports of work, and between two looks at a query.
const reportEvery = 100 * time.Millisecond

// WorkMeter counts rows for the function of [WithWork]. A nil meter, which a context without one gives, does nothing. Sessions use it.
type WorkMeter struct {
	see   func(Work)
	began time.Time

	mu   sync.Mutex
	last time.Time
	work Work
}

// NewWorkMeter makes a meter that reports to the function in ctx.
func NewWorkMeter(ctx context.Context) *WorkMeter {
	see := WorkOf(ctx)
	if see == nil {
		return nil
	}
	now := time.Now()
	return &WorkMeter{see: see, began: now, last: now}
}

// Add counts rows; many goroutines may call it.
func (m *WorkMeter) Add(rows int64) {
	m.report(func(w *Work) { w.Rows += rows }, false)
}

// Set takes the counts of w, but not its times.
func (m *WorkMeter) Set(w Work) { m.report(func(mine *Work) { *mine = w }, true) }

// End gives the last report; a second call does nothing.
func (m *WorkMeter) End() { m.report(func(w *Work) { w.Ended = true }, true) }

func (m *WorkMeter) report(change func(*Work), always bool) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.work.Ended {
		return
	}
	change(&m.work)
	now := time.Now()
	if !always && now.Sub(m.last) < reportEvery {
		return
	}
	m.last = now
	m.work.Elapsed = now.Sub(m.began)
	if m.see != nil {
		m.see(m.work)
	}
}

// Watch gives each progress report of a query to see, once and in order, until the query has ended or the context does; then it returns what
// [Query.AwaitTermination] says. Reports that a query drops before they are looked at (Spark keeps 100) are not seen.
func Watch(ctx context.Context, q Query, see func(Progress)) error {
	if q == nil || see == nil {
		return condition.Newf(condition.InvalidValue, "The query or the function is nil.")
	}
	if err := absent.Context(ctx); err != nil {
		return err
	}
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(ctx)
	var await sync.WaitGroup
	await.Go(func() { ended <- q.AwaitTermination(ctx) })
	defer await.Wait()
	defer cancel()
	seen := int64(-1)
	look := func() error {
		recent, err := q.RecentProgress(ctx)
		for _, p := range recent {
			if p.BatchID > seen {
				seen = p.BatchID
				see(p)
			}
		}
		return err
	}
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if ctx.Err() == nil {
				// The reports of the end count also where the query failed; its failure is what is told.
				if e := look(); err == nil {
					err = e
				}
			}
			return err
		case <-tick.C:
			if err := look(); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
}

// StatusLine keeps one line of a terminal up to date. Its methods are made to be handed on: WithWork(ctx, line.Work), Watch(ctx, query, line.Progress).
// A file that is no terminal gets nothing, so that logs stay clean; any other writer gets what a terminal would.
type StatusLine struct {
	mu     sync.Mutex
	w      io.Writer
	shown  int
	epochs int64
	rows   int64
	began  time.Time
}

// NewStatusLine makes a status line on w, such as os.Stderr.
func NewStatusLine(w io.Writer) *StatusLine {
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
			w = nil
		}
	}
	return &StatusLine{w: w, began: time.Now()}
}

// Work shows how far a batch has come; the last report takes the line away.
func (l *StatusLine) Work(w Work) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.Ended {
		l.show("")
		return
	}
	l.show(w.String())
}

// Progress shows how far a streaming query has come: its epochs and the rows that they have read since the line was made.
func (l *StatusLine) Progress(p Progress) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.epochs++
	l.rows += p.NumInputRows
	l.show(fmt.Sprintf("epoch %d: %d rows read in %d epochs, %.1f s", p.BatchID, l.rows, l.epochs, time.Since(l.began).Seconds()))
}

// End takes the line away, so that what is printed next begins a line.
func (l *StatusLine) End() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.show("")
}

func (l *StatusLine) show(text string) {
	if l.w == nil || text == "" && l.shown == 0 {
		return
	}
	line := "\r" + text + strings.Repeat(" ", max(0, l.shown-len(text)))
	if text == "" {
		line += "\r"
	}
	l.shown = len(text)
	// A status line that cannot be printed is no reason to stop the work.
	_, _ = io.WriteString(l.w, line)
}
