// Command tpch measures the local engine by TPC-H over Parquet files: each query hot and in process, rows fetched, taking turns in one run with those of its peers
// that there are, Spark among them. The least of several walls counts, for a machine has other work; CPU seconds stand beside it. Results are compared as sets, numbers
// within two millionths, since some peers divide in doubles. A process of each is started cold for one query. It ends with an error when a result differs or a
// bound is missed, and says what it could not measure.
//
//	PEERS_PYTHON                    a Python that has duckdb, polars or datafusion
//	SPARK_REMOTE, SPARK_CONTAINER   a Spark Connect server that sees the files, and the container whose first process it is, for its CPU seconds
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
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/bench/internal/measure"
	"github.com/spoonbill-go/spoonbill/bench/tpch/queries"
	"github.com/spoonbill-go/spoonbill/expr"
)

const (
	// fasterThanSpark is how many times faster than Spark the geometric mean must be.
	fasterThanSpark = 5
	// slowerThanDuckDB is how many times DuckDB's time it may be. DuckDB is some 16 times faster than Spark local[2] on these queries, so this stands for the same
	// where Spark is missing.
	slowerThanDuckDB = 3.3
	// coldStart is how long a process may take to the result of a query over one table, in seconds.
	coldStart = 0.5
	coldQuery = "q06"
)

var (
	//go:embed sql.py
	sqlScript string
	//go:embed polars_api.py
	polarsScript string
)

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", ".cache/tpch/sf1", "the folder of the tables' Parquet files (bench/tpch/data.sh)")
	flag.IntVar(&o.runs, "runs", 3, "how often each query runs")
	flag.StringVar(&o.only, "only", "", "the queries to run, such as q01,q06; all by default")
	flag.StringVar(&o.profile, "cpuprofile", "", "write a profile of the local runs into this file")
	flag.BoolVar(&o.explain, "explain", false, "print the plans of the local engine and stop")
	flag.BoolVar(&o.cold, "cold", false, "answer one query and end: what the cold start of the local engine is measured by")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}

type options struct {
	dir, only, profile string
	runs               int
	explain, cold      bool
}

// engine answers queries.
type engine struct {
	name string
	// answer gives the rows of a query with its wall and CPU seconds; the latter are NaN where they cannot be seen.
	answer func(ctx context.Context, q queries.Query) (answer, error)
	// cold is the command that answers one query in a new process; nil for an engine whose start is another matter.
	cold []string
	end  func() error
	best map[string]answer
}

type answer struct {
	Seconds float64     `json:"seconds"`
	CPU     float64     `json:"cpu"`
	Rows    [][]*string `json:"rows"`
}

func run(ctx context.Context, o options) (err error) {
	session, err := local.Open()
	if err != nil {
		return err
	}
	defer session.Close()
	tables := queries.Open(o.dir)
	picked := queries.All
	if o.cold {
		o.only = coldQuery
	}
	if o.only != "" {
		names := strings.Split(o.only, ",")
		picked = slices.DeleteFunc(slices.Clone(picked), func(q queries.Query) bool { return !slices.Contains(names, q.Name) })
	}
	switch {
	case o.cold:
		for _, q := range picked {
			rows, err := texts(ctx, session, q.Build(tables))
			if err != nil {
				return err
			}
			fmt.Println(show(rows[0][0]))
		}
		return nil
	case o.explain:
		for _, q := range picked {
			text, err := session.Explain(ctx, q.Build(tables), backend.ExplainOptions{})
			if err != nil {
				return err
			}
			fmt.Printf("%s\n%s\n", q.Name, text)
		}
		return nil
	}
	engines, err := open(ctx, o, session, tables)
	if err != nil {
		return err
	}
	for _, e := range engines[1:] {
		defer func() { err = errors.Join(err, e.end()) }()
	}
	stop, err := measure.Profile(o.profile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	fmt.Printf("TPC-H, %s, %d cores, GOMAXPROCS %d, the least of %d.\n%-6s", o.dir, runtime.NumCPU(), runtime.GOMAXPROCS(0), o.runs, "query")
	for _, e := range engines {
		fmt.Printf(" %18s", e.name+" s (CPU)")
	}
	fmt.Printf(" %7s\n", "rows")
	var failed error
	for _, q := range picked {
		rows := 0
		var first [][]*string
		for i := range o.runs {
			for k := range engines {
				e := &engines[k]
				a, err := e.answer(ctx, q)
				if err != nil {
					return fmt.Errorf("%s on %s: %w", q.Name, e.name, err)
				}
				switch {
				case i > 0:
				case k == 0:
					rows, first = len(a.Rows), a.Rows
				default:
					if d := difference(slices.Clone(first), a.Rows, q.Ordered); d != "" {
						failed = errors.Join(failed, fmt.Errorf("%s: %s answers otherwise: %s", q.Name, e.name, d))
					}
				}
				if b, ok := e.best[q.Name]; ok {
					a.Seconds, a.CPU = min(a.Seconds, b.Seconds), min(a.CPU, b.CPU)
				}
				e.best[q.Name] = answer{Seconds: a.Seconds, CPU: a.CPU}
			}
		}
		fmt.Printf("%-6s", q.Name)
		for _, e := range engines {
			fmt.Printf(" %9.3f (%6.2f)", e.best[q.Name].Seconds, e.best[q.Name].CPU)
		}
		fmt.Printf(" %8d\n", rows)
	}
	means := make([]answer, len(engines))
	for _, line := range []string{"mean", "sum"} {
		fmt.Printf("%-6s", line)
		for i, e := range engines {
			var logs, sums answer
			for _, b := range e.best {
				logs.Seconds, logs.CPU = logs.Seconds+math.Log(b.Seconds), logs.CPU+math.Log(b.CPU)
				sums.Seconds, sums.CPU = sums.Seconds+b.Seconds, sums.CPU+b.CPU
			}
			n := float64(len(e.best))
			means[i] = answer{Seconds: math.Exp(logs.Seconds / n), CPU: math.Exp(logs.CPU / n)}
			of := means[i]
			if line == "sum" {
				of = sums
			}
			fmt.Printf(" %9.3f (%6.2f)", of.Seconds, of.CPU)
		}
		fmt.Println()
	}
	fmt.Printf("%-6s", "times")
	for i := range engines {
		fmt.Printf(" %9.2f (%6.2f)", means[0].Seconds/means[i].Seconds, means[0].CPU/means[i].CPU)
	}
	fmt.Println("   of the peer's mean")
	if failed != nil {
		fmt.Println("DIFFERS:", failed)
	}
	return errors.Join(failed, ratios(engines, means), colds(ctx, engines))
}

// open gives the local engine and those of its peers that there are.
func open(ctx context.Context, o options, session *local.Session, tables queries.Tables) ([]engine, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	engines := []engine{{
		name: "local", cold: []string{self, "-cold", "-dir", o.dir}, best: map[string]answer{},
		answer: func(ctx context.Context, q queries.Query) (answer, error) {
			return timed(ctx, session, q.Build(tables), measure.CPU)
		},
	}}
	if python := os.Getenv("PEERS_PYTHON"); python != "" {
		for _, peer := range []struct{ name, module, script string }{{"DuckDB", "duckdb", sqlScript}, {"Polars", "polars", polarsScript}, {"DataFusion", "datafusion", sqlScript}} {
			if exec.CommandContext(ctx, python, "-c", "import "+peer.module).Run() != nil {
				fmt.Printf("NOT MEASURED: %s is missing.\n", peer.name)
				continue
			}
			args := []string{python, "-c", peer.script, peer.module, o.dir, strconv.Itoa(runtime.GOMAXPROCS(0))}
			p, err := start(ctx, args)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", peer.name, err)
			}
			engines = append(engines, engine{name: peer.name, cold: append(args, coldQuery), best: map[string]answer{}, end: p.close,
				answer: func(_ context.Context, q queries.Query) (answer, error) { return p.ask(q.Name) }})
		}
	} else {
		fmt.Println("NOT MEASURED: DuckDB, Polars and DataFusion; bench/tpch/run.sh puts them into a Python environment.")
	}
	remote := os.Getenv("SPARK_REMOTE")
	if remote == "" {
		return engines, nil
	}
	spark, err := sparkconnect.Connect(ctx, remote, sparkconnect.TimeZone("UTC"), sparkconnect.Config("spark.sql.shuffle.partitions", "4"))
	if err != nil {
		return nil, err
	}
	return append(engines, engine{name: "Spark", best: map[string]answer{}, end: spark.Close,
		answer: func(ctx context.Context, q queries.Query) (answer, error) {
			return timed(ctx, spark, q.Build(tables), containerCPU)
		}}), nil
}

// timed runs a query on a session and measures it.
func timed(ctx context.Context, s backend.Session, t expr.Table, cpu func() float64) (answer, error) {
	used, began := cpu(), time.Now()
	rows, err := texts(ctx, s, t)
	wall := time.Since(began).Seconds()
	return answer{Seconds: wall, CPU: cpu() - used, Rows: rows}, err
}

// ratios says whether the engine is as fast as promised.
func ratios(engines []engine, means []answer) error {
	var missed error
	for i, e := range engines {
		ratio := means[0].Seconds / means[i].Seconds
		switch e.name {
		case "Spark":
			missed = errors.Join(missed, verdict(1/ratio >= fasterThanSpark, fmt.Sprintf("%.1f times faster than Spark; the bound is %d", 1/ratio, fasterThanSpark)))
		case "DuckDB":
			if engines[len(engines)-1].name != "Spark" {
				missed = errors.Join(missed, verdict(ratio <= slowerThanDuckDB, fmt.Sprintf("%.2f times DuckDB's time; the bound is %g", ratio, slowerThanDuckDB)))
			}
		}
	}
	return missed
}

// colds starts a process of each engine for one query.
func colds(ctx context.Context, engines []engine) error {
	fmt.Printf("Cold start of the process to the result of %s:\n", coldQuery)
	var missed error
	for i, e := range engines {
		if e.cold == nil {
			continue
		}
		least := math.Inf(1)
		for range 5 {
			began := time.Now()
			if out, err := exec.CommandContext(ctx, e.cold[0], e.cold[1:]...).Output(); err != nil || len(out) == 0 {
				return fmt.Errorf("%s: %w", e.name, err)
			}
			least = min(least, time.Since(began).Seconds())
		}
		if i > 0 {
			fmt.Printf("  %-10s %.3f s\n", e.name, least)
			continue
		}
		missed = verdict(least < coldStart, fmt.Sprintf("local %.3f s; the bound is %g", least, coldStart))
	}
	return missed
}

func verdict(ok bool, text string) error {
	if ok {
		fmt.Printf("PASS: %s\n", text)
		return nil
	}
	fmt.Printf("MISSED: %s\n", text)
	return errors.New("missed: " + text)
}

// containerCPU is what the first process of SPARK_CONTAINER has used so far, in seconds.
func containerCPU() float64 {
	const ticks = 100 // a second, on Linux
	name := os.Getenv("SPARK_CONTAINER")
	if name == "" {
		return math.NaN()
	}
	out, err := exec.Command("docker", "exec", name, "cat", "/proc/1/stat").Output()
	if err != nil {
		return math.NaN()
	}
	fields := strings.Fields(string(out[strings.LastIndexByte(string(out), ')')+1:]))
	if len(fields) < 13 {
		return math.NaN()
	}
	user, err1 := strconv.ParseFloat(fields[11], 64)
	system, err2 := strconv.ParseFloat(fields[12], 64)
	if err1 != nil || err2 != nil {
		return math.NaN()
	}
	return (user + system) / ticks
}

// texts runs a query and gives its rows as texts, nil for null.
func texts(ctx context.Context, s backend.Session, t expr.Table) ([][]*string, error) {
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

// same compares numbers within two millionths, since DataFusion cuts the mean of decimals at the sixth digit, and everything else by its text.
func same(a, b string) bool {
	if a == b {
		return true
	}
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && math.Abs(x-y) <= 2e-6*max(math.Abs(x), math.Abs(y), 1)
}

// peer is a running script.
type peer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(ctx context.Context, args []string) (*peer, error) {
	p := &peer{cmd: exec.CommandContext(ctx, args[0], args[1:]...)}
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	_, err = p.out.ReadBytes('\n') // its version
	return p, err
}

func (p *peer) ask(query string) (a answer, err error) {
	if _, err := io.WriteString(p.in, query+"\n"); err != nil {
		return a, err
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("the script ended: %w", err)
	}
	return a, json.Unmarshal(line, &a)
}

func (p *peer) close() error { return errors.Join(p.in.Close(), p.cmd.Wait()) }
