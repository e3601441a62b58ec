// Command tpch measures the local engine by TPC-H over Parquet files: each query hot and in process, taking turns with DuckDB in one run, rows fetched. The
// least of several walls counts, for a machine has other work. Results are compared as sets, numbers within a millionth: DuckDB divides in doubles. It ends with
// an error when a result differs or the geometric mean misses its bound.
//
//	DUCKDB_PYTHON   a Python that has duckdb; without it nothing is compared
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
	"math"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/bench/tpch/queries"
	"github.com/spoonbill-go/spoonbill/expr"
)

// slowerThanDuckDB is how many times DuckDB's time the geometric mean may be. DuckDB is some 16 times faster than Spark local[2] on these queries, so this is 5
// times faster than Spark.
const slowerThanDuckDB = 3.3

//go:embed duckdb.py
var duckdbScript string

func main() {
	dir := flag.String("dir", ".cache/tpch/sf1", "the folder of the tables' Parquet files (bench/tpch/run.sh)")
	runs := flag.Int("runs", 3, "how often each query runs")
	only := flag.String("only", "", "the queries to run, such as q01,q06; all by default")
	profile := flag.String("cpuprofile", "", "write a profile of the local runs into this file")
	explain := flag.Bool("explain", false, "print the plans of the local engine and stop")
	bound := flag.Float64("bound", slowerThanDuckDB, "how many times DuckDB's time the geometric mean may be")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *dir, *runs, *only, *profile, *explain, *bound); err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, dir string, runs int, only, profile string, explain bool, bound float64) (err error) {
	session, err := local.Open()
	if err != nil {
		return err
	}
	defer session.Close()
	tables := queries.Open(dir)
	picked := queries.All
	if only != "" {
		names := strings.Split(only, ",")
		picked = slices.DeleteFunc(slices.Clone(picked), func(q queries.Query) bool { return !slices.Contains(names, q.Name) })
	}
	if explain {
		for _, q := range picked {
			text, err := session.Explain(ctx, q.Build(tables), backend.ExplainOptions{})
			if err != nil {
				return err
			}
			fmt.Printf("%s\n%s\n", q.Name, text)
		}
		return nil
	}
	var duck *duckdb
	if python := os.Getenv("DUCKDB_PYTHON"); python != "" {
		if duck, err = startDuckDB(ctx, python, dir, strconv.Itoa(runtime.GOMAXPROCS(0))); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, duck.close()) }()
	}
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	fmt.Printf("TPC-H, %s, %d cores, GOMAXPROCS %d, the least of %d.\n", dir, runtime.NumCPU(), runtime.GOMAXPROCS(0), runs)
	fmt.Printf("%-6s %9s %9s %9s %9s %7s %7s %7s\n", "query", "local s", "CPU s", "DuckDB s", "CPU s", "times", "CPU", "rows")
	var failed error
	var logs, sums [4]float64
	for _, q := range picked {
		ours, cpuLeast, theirs, theirCPU := math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)
		var rows [][]*string
		for range runs {
			began, used := time.Now(), cpu()
			rows, err = texts(ctx, session, q.Build(tables))
			if err != nil {
				return fmt.Errorf("%s: %w", q.Name, err)
			}
			ours, cpuLeast = min(ours, time.Since(began).Seconds()), min(cpuLeast, cpu()-used)
			if duck == nil {
				continue
			}
			a, err := duck.ask(q.Name)
			if err != nil {
				return err
			}
			theirs, theirCPU = min(theirs, a.Seconds), min(theirCPU, a.CPU)
			if d := difference(rows, a.Rows, q.Ordered); d != "" {
				failed = errors.Join(failed, fmt.Errorf("%s: %s", q.Name, d))
				fmt.Println("  DIFFERS:", d)
				break
			}
		}
		fmt.Printf("%-6s %9.3f %9.3f %9.3f %9.3f %7.2f %7.2f %7d\n", q.Name, ours, cpuLeast, theirs, theirCPU, ours/theirs, cpuLeast/theirCPU, len(rows))
		for i, x := range []float64{ours, cpuLeast, theirs, theirCPU} {
			logs[i] += math.Log(x)
			sums[i] += x
		}
	}
	n := float64(len(picked))
	for i := range logs {
		logs[i] = math.Exp(logs[i] / n)
	}
	for _, line := range []struct {
		name string
		of   [4]float64
	}{{"mean", logs}, {"sum", sums}} {
		fmt.Printf("%-6s %9.3f %9.3f %9.3f %9.3f %7.2f %7.2f\n", line.name, line.of[0], line.of[1], line.of[2], line.of[3], line.of[0]/line.of[2], line.of[1]/line.of[3])
	}
	a, b := logs[0], logs[2]
	switch {
	case failed != nil:
		return failed
	case duck == nil:
		fmt.Println("NOT COMPARED: DuckDB is missing; bench/tpch/run.sh puts it into a Python environment.")
	case a/b > bound:
		fmt.Printf("MISSED: %.2f times DuckDB's time; the bound is %g\n", a/b, bound)
		return errors.New("missed")
	default:
		fmt.Printf("PASS: %.2f times DuckDB's time; the bound is %g\n", a/b, bound)
	}
	return nil
}

// cpu is what this process has used so far, in seconds.
func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// texts runs a query and gives its rows as texts, nil for null.
func texts(ctx context.Context, s *local.Session, t expr.Table) ([][]*string, error) {
	res, err := s.Batches(ctx, t)
	if err != nil {
		return nil, err
	}
	var out [][]*string
	for rec, err := range res.Batches {
		if err != nil {
			return nil, err
		}
		for i := range int(rec.NumRows()) {
			row := make([]*string, rec.NumCols())
			for k := range row {
				if c := rec.Column(k); !c.IsNull(i) {
					text := c.ValueStr(i)
					row[k] = &text
				}
			}
			out = append(out, row)
		}
	}
	return out, nil
}

// difference gives the first difference of two results, "" for none.
func difference(ours, theirs [][]*string, ordered bool) string {
	if len(ours) != len(theirs) {
		return fmt.Sprintf("%d rows, not %d", len(ours), len(theirs))
	}
	if !ordered {
		sortRows(ours)
		sortRows(theirs)
	}
	for i, a := range ours {
		if len(a) != len(theirs[i]) {
			return fmt.Sprintf("row %d has %d columns, not %d", i, len(a), len(theirs[i]))
		}
		for k, x := range a {
			y := theirs[i][k]
			if x == nil && y == nil || x != nil && y != nil && same(*x, *y) {
				continue
			}
			return fmt.Sprintf("row %d, column %d: %s, not %s", i, k, show(x), show(y))
		}
	}
	return ""
}

func show(s *string) string {
	if s == nil {
		return "NULL"
	}
	return *s
}

func sortRows(rows [][]*string) {
	key := func(r []*string) string {
		var b strings.Builder
		for _, s := range r {
			b.WriteString(canonical(show(s)) + "\x00")
		}
		return b.String()
	}
	slices.SortFunc(rows, func(a, b []*string) int { return strings.Compare(key(a), key(b)) })
}

// canonical prints a number in one way.
func canonical(s string) string {
	if x, err := strconv.ParseFloat(s, 64); err == nil {
		return strconv.FormatFloat(x, 'e', 5, 64)
	}
	return s
}

// same compares numbers within a millionth and everything else by its text.
func same(a, b string) bool {
	if a == b {
		return true
	}
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && math.Abs(x-y) <= 1e-6*max(math.Abs(x), math.Abs(y), 1)
}

// duckdb is a running script.
type duckdb struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

type answer struct {
	Seconds float64     `json:"seconds"`
	CPU     float64     `json:"cpu"`
	Rows    [][]*string `json:"rows"`
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
	return d, d.cmd.Start()
}

func (d *duckdb) ask(query string) (a answer, err error) {
	if _, err := io.WriteString(d.in, query+"\n"); err != nil {
		return a, err
	}
	line, err := d.out.ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("DuckDB's script ended: %w", err)
	}
	return a, json.Unmarshal(line, &a)
}

func (d *duckdb) close() error { return errors.Join(d.in.Close(), d.cmd.Wait()) }
