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
)

// state prints the state of an operator in a checkpoint.
func state(ctx context.Context, out io.Writer, args []string) (err error) {
	flags := flag.NewFlagSet("state CHECKPOINT", flag.ContinueOnError)
	operator := flags.Int("operator", 0, "the number of the stateful operator; inputs have lower numbers")
	version := flags.Int64("version", 0, "the number of epochs that are in it; 0 is the last that was committed")
	rows := flags.Int("rows", 100, "how many rows are shown")
	zone := flags.String("zone", "UTC", "the time zone of time stamps")
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
		return fmt.Errorf("the state of which checkpoint? spoonbill state CHECKPOINT [-operator n] [-version v] [-rows n]")
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
