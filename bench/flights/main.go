// Command flights measures the flights example: the stream against the same stream on Spark, and the same question as a batch against DuckDB, over the
// same files in one run, taking turns. The least of several walls counts, for a machine has other work; CPU seconds of this process and of DuckDB
// stand beside them. It ends with an error when a ratio misses its bound, and says what it could not measure.
//
//	SPARK_REMOTE, SPOONBILL_DATA   a Spark Connect server and the folder that it shares with this process
//	DUCKDB_PYTHON                  a Python that has duckdb
package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/bench/internal/measure"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/examples/flights"
	"github.com/spoonbill-go/spoonbill/expr"
)

// The bounds: how many times faster than Spark the stream must be, and how many times slower than DuckDB the batch may be.
const (
	fasterThanSpark  = 5
	slowerThanDuckDB = 4
)

//go:embed duckdb.py
var duckdbScript string

func main() {
	in := flag.String("in", "data/nycflights13", "the folder of flights.csv.gz and airlines.csv.gz (make data)")
	streams := flag.Int("streams", 3, "how often each stream runs")
	batches := flag.Int("batches", 5, "how often each batch runs")
	profile := flag.String("cpuprofile", "", "write a profile of the local batches into this file")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *in, *streams, *batches, *profile); err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}

// took is what a run cost, in seconds.
type took struct{ wall, cpu float64 }

// least gives the run with the least wall.
func least(runs []took) took {
	return slices.MinFunc(runs, func(a, b took) int {
		switch {
		case a.wall < b.wall:
			return -1
		case a.wall > b.wall:
			return 1
		}
		return 0
	})
}

// timed runs f.
func timed(f func() error) (took, error) {
	began, used := time.Now(), measure.CPU()
	err := f()
	return took{time.Since(began).Seconds(), measure.CPU() - used}, err
}

func run(ctx context.Context, in string, streams, batches int, profile string) error {
	// Spark reads the same files, so they lie where it sees them.
	work, err := os.MkdirTemp(os.Getenv("SPOONBILL_DATA"), "bench-flights-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.Chmod(work, 0o777); err != nil {
		return err
	}
	folder, airlines, err := flights.Prepare(filepath.Join(in, "flights.csv.gz"), filepath.Join(in, "airlines.csv.gz"), work)
	if err != nil {
		return err
	}
	session, err := local.Open()
	if err != nil {
		return err
	}
	defer session.Close()
	fmt.Printf("nycflights13, 336,776 flights; %d cores, GOMAXPROCS %d.\n\n", runtime.NumCPU(), runtime.GOMAXPROCS(0))
	days := flights.ByDay(folder, airlines)
	missed := errors.Join(againstSpark(ctx, session, days, work, streams), againstDuckDB(ctx, session, days, folder, airlines, work, batches, profile))
	return missed
}

// stream runs the job to Parquet files once and gives the time from its start to its last commit.
func stream(ctx context.Context, s backend.Session, days expr.Table, result string) (took, []backend.Progress, error) {
	var recent []backend.Progress
	t, err := timed(func() error {
		q, err := s.Start(ctx, flights.Write(days, result, result+"-checkpoint"))
		if err != nil {
			return err
		}
		if err := q.AwaitTermination(ctx); err != nil {
			return err
		}
		recent, err = q.RecentProgress(ctx)
		return err
	})
	return t, recent, err
}

func againstSpark(ctx context.Context, session backend.Session, days expr.Table, work string, n int) error {
	fmt.Println("The stream, from files to Parquet, from its start to its last commit:")
	var spark backend.Session
	remote := os.Getenv("SPARK_REMOTE")
	if remote != "" {
		s, err := sparkconnect.Connect(ctx, remote, sparkconnect.TimeZone("UTC"), sparkconnect.Config("spark.sql.shuffle.partitions", "2"))
		if err != nil {
			return err
		}
		defer s.Close()
		spark = s
	}
	var ours, theirs []took
	var want []string
	for i := range n + 1 {
		out := filepath.Join(work, "local-"+strconv.Itoa(i))
		t, recent, err := stream(ctx, session, days, out)
		if err != nil {
			return fmt.Errorf("local stream: %w", err)
		}
		ours = append(ours, t)
		if want == nil {
			if want, err = texts(ctx, session, flights.Stored(out)); err != nil {
				return err
			}
			fmt.Printf("  %d epochs, %d rows\n", len(recent), len(want))
		}
		if spark == nil {
			continue
		}
		out = filepath.Join(work, "spark-"+strconv.Itoa(i))
		t, recent, err = stream(ctx, spark, days, out)
		if err != nil {
			return fmt.Errorf("stream on Spark: %w", err)
		}
		wall := t.wall
		// Spark's own reports are kinder to it: they leave out the start of the query. Ours is measured whole.
		if t.wall, err = measure.Reported(recent); err != nil {
			return err
		}
		if i == 0 { // the first one warms Spark's machine up
			got, err := texts(ctx, session, flights.Stored(out))
			if err != nil {
				return err
			}
			if !slices.Equal(want, got) {
				return fmt.Errorf("Spark's rows are not the local ones: %d and %d", len(got), len(want))
			}
			fmt.Printf("  Spark, cold: %.2f s (%.2f s from outside), the same rows\n", t.wall, wall)
			continue
		}
		theirs = append(theirs, t)
	}
	t := least(ours)
	fmt.Printf("  local   %6.3f s   %6.3f CPU s   least of %d, the query's start included\n", t.wall, t.cpu, len(ours))
	if spark == nil {
		fmt.Print("  NOT MEASURED: Spark is missing. Set SPARK_REMOTE and SPOONBILL_DATA, or run it as: images/serve.sh run bench/run.sh\n\n")
		return nil
	}
	u := least(theirs)
	ratio := u.wall / t.wall
	fmt.Printf("  Spark   %6.3f s                    least of %d, warm, the query's start left out\n", u.wall, len(theirs))
	return verdict(ratio >= fasterThanSpark, fmt.Sprintf("%.1f times faster than Spark local[2]; the bound is %d", ratio, fasterThanSpark))
}

func verdict(ok bool, text string) error {
	if ok {
		fmt.Printf("  PASS: %s\n\n", text)
		return nil
	}
	fmt.Printf("  MISSED: %s\n\n", text)
	return errors.New("missed: " + text)
}

// texts gives a table's rows as DuckDB's script prints them, sorted.
func texts(ctx context.Context, s backend.Session, days expr.Table) ([]string, error) {
	var out []string
	text := func(v *string) string {
		if v == nil {
			return "NULL"
		}
		return *v
	}
	for d, err := range backend.Rows[flights.Daily](ctx, s, days) {
		if err != nil {
			return nil, err
		}
		mean, most := "NULL", "NULL"
		if d.MeanDelay != nil {
			// Sums of whole numbers are exact, so the means are equal to the last bit.
			mean = fmt.Sprintf("%.17g", *d.MeanDelay)
		}
		if d.MaxDelay != nil {
			most = strconv.Itoa(int(*d.MaxDelay))
		}
		out = append(out, fmt.Sprint(d.Month, "|", d.Day.Format(time.DateOnly), "|", text(d.Carrier), "|", text(d.Name), "|", d.Departures, "|", d.Cancelled, "|", mean, "|", most))
	}
	slices.Sort(out)
	return out, nil
}

// duckdb is a running script.
type duckdb struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	version string
}

type duckdbAnswer struct {
	Version string   `json:"version"`
	Wall    float64  `json:"wall"`
	CPU     float64  `json:"cpu"`
	Rows    []string `json:"rows"`
}

func startDuckDB(ctx context.Context, python string, args ...string) (*duckdb, error) {
	d := &duckdb{cmd: exec.CommandContext(ctx, python, append([]string{"-c", duckdbScript}, args...)...)}
	d.cmd.Stderr = os.Stderr
	var err error
	if d.in, err = d.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	d.out = bufio.NewReader(out)
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	hello, err := d.read()
	d.version = hello.Version
	return d, err
}

func (d *duckdb) read() (duckdbAnswer, error) {
	var a duckdbAnswer
	line, err := d.out.ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("DuckDB's script ended: %w", err)
	}
	return a, json.Unmarshal(line, &a)
}

func (d *duckdb) ask(line string) (duckdbAnswer, error) {
	if _, err := io.WriteString(d.in, line+"\n"); err != nil {
		return duckdbAnswer{}, err
	}
	return d.read()
}

func (d *duckdb) close() error { return errors.Join(d.in.Close(), d.cmd.Wait()) }

func againstDuckDB(ctx context.Context, session backend.Session, days expr.Table, folder, airlines, work string, n int, profile string) (err error) {
	fmt.Println("The same question as a batch, its rows fetched:")
	// The same lines as Parquet, a file for each of CSV.
	parquet := filepath.Join(work, "parquet")
	all := expr.Read("flights", connectors.FromCSV(folder, connectors.RowsOf[flights.Flight](), connectors.Header(), connectors.NullValue("NA"), connectors.MaxFilesPerTrigger(1)))
	q, err := session.Start(ctx, all.WriteTo(connectors.ToParquet(parquet)).Checkpoint(filepath.Join(work, "parquet-checkpoint")).Trigger(expr.AvailableNow()))
	if err == nil {
		err = q.AwaitTermination(ctx)
	}
	if err != nil {
		return err
	}
	tables := map[string]expr.Table{
		"csv":     days,
		"parquet": flights.ByDayOf(expr.Read("flights", connectors.FromParquet(parquet, connectors.RowsOf[flights.Flight]())), airlines),
	}
	var duck *duckdb
	if python := os.Getenv("DUCKDB_PYTHON"); python != "" {
		if duck, err = startDuckDB(ctx, python, folder, parquet, airlines, strconv.Itoa(runtime.GOMAXPROCS(0))); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, duck.close()) }()
	}
	stop, err := measure.Profile(profile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	var missed error
	for _, format := range []string{"csv", "parquet"} {
		var ours, theirs []took
		for i := range n {
			var rows []string
			t, err := timed(func() error {
				var err error
				rows, err = texts(ctx, session, tables[format])
				return err
			})
			if err != nil {
				return fmt.Errorf("local batch: %w", err)
			}
			ours = append(ours, t)
			if duck == nil {
				continue
			}
			a, err := duck.ask(format)
			if err != nil {
				return err
			}
			theirs = append(theirs, took{a.Wall, a.CPU})
			if i == 0 {
				a, err := duck.ask("rows " + format)
				if err != nil {
					return err
				}
				if d := differences(rows, a.Rows); d != "" {
					return fmt.Errorf("DuckDB's rows are not the local ones: %s", d)
				}
			}
		}
		t := least(ours)
		fmt.Printf("  %-8s local    %6.3f s   %6.3f CPU s   least of %d\n", format, t.wall, t.cpu, n)
		if duck == nil {
			continue
		}
		u := least(theirs)
		fmt.Printf("  %-8s DuckDB   %6.3f s   %6.3f CPU s   least of %d, version %s, the same rows\n", format, u.wall, u.cpu, n, duck.version)
		ratio := t.wall / u.wall
		missed = errors.Join(missed, verdict(ratio <= slowerThanDuckDB, fmt.Sprintf("%s: %.2f times DuckDB's time; the bound is %d", format, ratio, slowerThanDuckDB)))
	}
	if duck == nil {
		fmt.Print("  NOT MEASURED: DuckDB is missing. bench/run.sh puts it into a Python environment; DUCKDB_PYTHON names another.\n\n")
	}
	return missed
}

// differences gives the first rows that differ, "" for none.
func differences(ours, theirs []string) string {
	if len(ours) != len(theirs) {
		return fmt.Sprintf("%d and %d", len(theirs), len(ours))
	}
	for i, r := range ours {
		if r != theirs[i] {
			return fmt.Sprintf("%q and %q", theirs[i], r)
		}
	}
	return ""
}
