package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/connectors"
)

// state prints the state of an operator in a checkpoint.
func state(ctx context.Context, out io.Writer, args []string) (err error) {
	flags := flag.NewFlagSet("state CHECKPOINT", flag.ContinueOnError)
	operator := flags.Int("operator", 0, "the number of the stateful operator; inputs have lower numbers")
	version := flags.Int64("version", 0, "the number of epochs that are in it; 0 is the last that was committed")
	rows := flags.Int("rows", 100, "how many rows are shown")
	zone := flags.String("zone", "UTC", "the time zone of time stamps")
	spark := flags.String("spark", "", "the Spark Connect server, sc://host:port, that reads the state where the checkpoint is one of Spark's")
	side := flags.String("side", "", "left or right: the side of a join of two streams (with -spark)")
	store := flags.String("store", "", "the store of the operator (with -spark)")
	operators := flags.Bool("operators", false, "show which operators there are instead (with -spark)")
	path := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		path, args = args[0], args[1:]
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if path == "" {
		path = flags.Arg(0)
	}
	if path == "" {
		return fmt.Errorf("the state of which checkpoint? spoonbill state CHECKPOINT [-operator n] [-version v] [-rows n] [-spark sc://host:port]")
	}
	if *spark != "" {
		var opts []connectors.Option
		if *operator != 0 {
			opts = append(opts, connectors.StateOperator(int64(*operator)))
		}
		if *version > 0 {
			opts = append(opts, connectors.StateBatch(*version-1))
		}
		if *side != "" {
			opts = append(opts, connectors.JoinSide(*side))
		}
		if *store != "" {
			opts = append(opts, connectors.StateStoreName(*store))
		}
		source := connectors.FromState(path, opts...)
		if *operators {
			source = connectors.FromStateMetadata(path)
		}
		return sparkState(ctx, out, *spark, source, *rows)
	}
	if *side != "" || *store != "" || *operators {
		return fmt.Errorf("-side, -store and -operators are for checkpoints of Spark's: give the server with -spark")
	}
	s, err := local.Open(local.TimeZone(*zone))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	r, err := s.State(ctx, path, local.StateOptions{Operator: *operator, Version: *version})
	if err != nil {
		return err
	}
	return backend.Show(out, r, backend.ShowOptions{Rows: *rows, Zone: s.Zone()})
}

// sparkState prints a state that a server reads.
func sparkState(ctx context.Context, out io.Writer, remote string, source connectors.StateSource, rows int) (err error) {
	s, err := sparkconnect.Connect(ctx, remote)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	t, err := backend.ReadState(ctx, s, "state", source)
	if err != nil {
		return err
	}
	r, err := s.Batches(ctx, t)
	if err != nil {
		return err
	}
	return backend.Show(out, r, backend.ShowOptions{Rows: rows, Zone: s.Zone()})
}
