// Command compile measures how long the SQL of an expression takes, for three queries of TPC-H: against Ibis's to_sql of the same expressions in one run. The least
// of many runs counts on either side, for a machine has other work. It ends with an error when a ratio misses its bound.
//
//	IBIS_PYTHON   a Python that has Ibis; without it nothing is compared
package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/spoonbill-go/spoonbill/bench/tpch/queries"
	"github.com/spoonbill-go/spoonbill/compiler"
)

// quicker is how many times quicker than Ibis each query must compile.
const quicker = 100

//go:embed ibis.py
var ibisScript string

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var ibis struct {
		Version      string             `json:"version"`
		Milliseconds map[string]float64 `json:"milliseconds"`
	}
	python := os.Getenv("IBIS_PYTHON")
	if python != "" {
		cmd := exec.Command(python, "-c", ibisScript, "20")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("Ibis: %w", err)
		}
		if err := json.Unmarshal(out, &ibis); err != nil {
			return fmt.Errorf("Ibis: %w", err)
		}
	}
	tables := queries.Open("tpch")
	var missed error
	for _, q := range queries.All {
		if !slices.Contains([]string{"q01", "q08", "q21"}, q.Name) {
			continue
		}
		t := q.Build(tables)
		least := time.Hour
		for range 2000 {
			began := time.Now()
			if _, err := compiler.SQL(t); err != nil {
				return fmt.Errorf("%s: %w", q.Name, err)
			}
			least = min(least, time.Since(began))
		}
		ours := float64(least.Nanoseconds()) / 1000
		if python == "" {
			fmt.Printf("  %s  %6.1f µs\n", q.Name, ours)
			continue
		}
		theirs := ibis.Milliseconds[q.Name]
		verdict := "PASS"
		if theirs*1000 < quicker*ours {
			verdict = "MISSED"
			missed = errors.New("missed")
		}
		fmt.Printf("  %s: %s %6.1f µs, Ibis %s %.1f ms: %.0f times quicker; the bound is %d\n", verdict, q.Name, ours, ibis.Version, theirs, theirs*1000/ours, quicker)
	}
	if python == "" {
		fmt.Println("  NOT COMPARED: Ibis is missing. bench/run.sh puts it into a Python environment; IBIS_PYTHON names another.")
	}
	return missed
}
