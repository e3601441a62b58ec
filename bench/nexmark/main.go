// Command nexmark measures the queries of Nexmark as streams over Parquet files: each until everything that there is has been read, with a checkpoint, into a sink
// that throws its rows away; on the local engine and, where SPARK_REMOTE names a server that sees the files, on Spark. The least of several walls counts, for a machine
// has other work; CPU seconds of this process stand beside it. It ends with an error when a bound is missed, and says what it could not measure.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/bench/internal/measure"
	"github.com/spoonbill-go/spoonbill/bench/nexmark/events"
	"github.com/spoonbill-go/spoonbill/bench/nexmark/queries"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
)

// How many times Spark's rate a query must have. Reading the files bounds those that keep nothing.
const (
	fasterStateful = 5
	fasterPlain    = 1.5
)

// bounded are the queries without state that have a bound.
var bounded = []string{"q0", "q1", "q2"}

type options struct {
	dir, only, profile, allocs string
	config                     events.Config
	epoch                      int64
	runs                       int
}

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", ".cache/nexmark", "the folder of the events; they are made where they are missing")
	flag.IntVar(&o.config.Events, "events", 5_000_000, "how many events there are")
	flag.IntVar(&o.config.Files, "files", 50, "in how many files of each kind they are")
	flag.Uint64Var(&o.config.Seed, "seed", 1, "the seed of the events")
	flag.Int64Var(&o.epoch, "epoch", 10, "how many files of a kind an epoch reads")
	flag.IntVar(&o.runs, "runs", 2, "how often each query runs")
	flag.StringVar(&o.only, "only", "", "the queries to run, such as q5,q7; all by default")
	flag.StringVar(&o.profile, "cpuprofile", "", "write a profile of the local runs into this file")
	flag.StringVar(&o.allocs, "allocprofile", "", "write a profile of what was allocated into this file")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}

// prepare makes the events, once for each configuration, and gives their folder.
func prepare(o options) (string, error) {
	dir, err := filepath.Abs(filepath.Join(o.dir, fmt.Sprintf("%d-%d-%d", o.config.Events, o.config.Files, o.config.Seed)))
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	making := dir + ".new"
	if err := os.RemoveAll(making); err != nil {
		return "", err
	}
	if err := events.Write(making, o.config); err != nil {
		return "", err
	}
	return dir, os.Rename(making, dir)
}

func run(ctx context.Context, o options) (err error) {
	dir, err := prepare(o)
	if err != nil {
		return err
	}
	here, err := local.Open()
	if err != nil {
		return err
	}
	defer here.Close()
	var spark backend.Session
	if remote := os.Getenv("SPARK_REMOTE"); remote != "" {
		s, err := sparkconnect.Connect(ctx, remote, sparkconnect.TimeZone("UTC"), sparkconnect.Config("spark.sql.shuffle.partitions", "2"))
		if err != nil {
			return err
		}
		defer s.Close()
		spark = s
	}
	stop, err := measure.Profile(o.profile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop(), measure.Allocations(o.allocs)) }()
	picked := queries.All
	if o.only != "" {
		names := strings.Split(o.only, ",")
		picked = slices.DeleteFunc(slices.Clone(picked), func(q queries.Query) bool { return !slices.Contains(names, q.Name) })
	}
	fmt.Printf("Nexmark, %d events in %d files of each kind, %d of them an epoch; %d cores, GOMAXPROCS %d, the least of %d.\n",
		o.config.Events, o.config.Files, o.epoch, runtime.NumCPU(), runtime.GOMAXPROCS(0), o.runs)
	fmt.Printf("%-5s %10s %18s %14s %10s %14s %8s\n", "query", "rows read", "local s (CPU)", "M events/s", "Spark s", "M events/s", "times")
	in := queries.Open(dir, o.epoch)
	if spark != nil { // the first query warms Spark's machine up
		if _, err := least(ctx, spark, queries.All[0], in, 1); err != nil {
			return err
		}
	}
	var missed []string
	for _, q := range picked {
		ours, err := least(ctx, here, q, in, o.runs)
		if err != nil {
			return fmt.Errorf("%s: %w", q.Name, err)
		}
		rate := func(seconds float64) float64 { return float64(ours.rows) / seconds / 1e6 }
		fmt.Printf("%-5s %10d %10.3f (%5.2f) %14.2f", q.Name, ours.rows, ours.wall, ours.cpu, rate(ours.wall))
		if spark == nil {
			fmt.Println()
			continue
		}
		theirs, err := least(ctx, spark, q, in, o.runs)
		if err != nil {
			return fmt.Errorf("%s on Spark: %w", q.Name, err)
		}
		// Spark's own reports are kinder to it: they leave out the start of the query. Ours is measured whole.
		times, bound := theirs.reported/ours.wall, 0.0
		switch {
		case q.Stateful:
			bound = fasterStateful
		case slices.Contains(bounded, q.Name):
			bound = fasterPlain
		}
		fmt.Printf(" %10.3f %14.2f %8.1f", theirs.reported, rate(theirs.reported), times)
		if times < bound {
			missed = append(missed, fmt.Sprintf("%s is %.1f times as fast as Spark; the bound is %g", q.Name, times, bound))
			fmt.Print("  MISSED")
		}
		fmt.Println()
	}
	if spark == nil {
		fmt.Println("NOT MEASURED: Spark is missing.")
		return nil
	}
	if len(missed) > 0 {
		return errors.New(strings.Join(missed, "\n"))
	}
	fmt.Printf("PASS: at least %d times Spark's rate with state, %g times without\n", fasterStateful, fasterPlain)
	return nil
}

// result is what a query cost.
type result struct {
	rows int64
	// wall and cpu are from the query's start to its end, reported is the time from its first epoch's begin to the last one's commit, in seconds.
	wall, cpu, reported float64
}

// least runs a query some times and gives the run with the least wall.
func least(ctx context.Context, s backend.Session, q queries.Query, in queries.Streams, runs int) (result, error) {
	var all []result
	for range runs {
		r, err := once(ctx, s, q, in)
		if err != nil {
			return result{}, err
		}
		all = append(all, r)
	}
	return slices.MinFunc(all, func(a, b result) int { return cmp.Compare(a.wall, b.wall) }), nil
}

func once(ctx context.Context, s backend.Session, q queries.Query, in queries.Streams) (r result, err error) {
	checkpoint := fmt.Sprintf("/tmp/nexmark-%s-%d", q.Name, time.Now().UnixNano()) // on Spark it is the server's
	defer func() { err = errors.Join(err, os.RemoveAll(checkpoint)) }()
	w := q.Build(in).WriteTo(connectors.Noop()).OutputMode(q.Mode).Checkpoint(checkpoint).Trigger(expr.AvailableNow())
	began, used := time.Now(), measure.CPU()
	query, err := s.Start(ctx, w)
	if err != nil {
		return r, err
	}
	if err := query.AwaitTermination(ctx); err != nil {
		return r, err
	}
	r.wall, r.cpu = time.Since(began).Seconds(), measure.CPU()-used
	recent, err := query.RecentProgress(ctx)
	if err != nil {
		return r, err
	}
	for _, p := range recent {
		r.rows += p.NumInputRows
	}
	r.reported, err = measure.Reported(recent)
	return r, err
}
