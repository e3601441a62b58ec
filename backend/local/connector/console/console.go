// Package console is the sink that prints each epoch as Spark's does.
package console

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

func init() {
	connector.RegisterSink("console", func(_ context.Context, env connector.Env, s *tree.Sink) (connector.Sink, error) { return open(env, s) })
}

// sink is an open console.
type sink struct {
	out    io.Writer
	stream bool
	show   backend.ShowOptions
}

// open reads the options numRows (20) and truncate (true).
//
// Source: Spark's ConsoleWrite.
func open(env connector.Env, d *tree.Sink) (*sink, error) {
	s := &sink{out: env.Out, stream: env.Streaming, show: backend.DefaultShow}
	if s.out == nil {
		s.out = os.Stdout
	}
	s.show.Zone = env.Zone
	if v, ok := d.Options.Get("numRows"); ok {
		n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 32)
		if err != nil {
			return nil, condition.Newf(condition.InvalidOption, "Option numRows must be a whole number, not %q.", v)
		}
		s.show.Rows = int(min(max(n, 0), math.MaxInt32-1))
	}
	if v, ok := d.Options.Get("truncate"); ok {
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "true":
		case "false":
			s.show.Truncate = 0
		default:
			return nil, condition.Newf(condition.InvalidOption, "Option truncate of the console must be true or false, not %q.", v)
		}
	}
	return s, nil
}

const rule = "-------------------------------------------\n"

// Write implements [connector.Sink]. All rows are taken and counted, though the first ones alone are shown. An epoch that is written again
// is printed again. A batch has no heading, as in Spark.
func (s *sink) Write(_ context.Context, epoch int64, _ tree.OutputMode, fields []datatype.Field, rows connector.Batches) (int64, error) {
	var (
		kept []arrow.RecordBatch
		n    int64
	)
	defer func() {
		for _, rec := range kept {
			rec.Release()
		}
	}()
	for rec, err := range rows {
		if err != nil {
			return n, err
		}
		have := rec.NumRows()
		// One row more than is shown tells that there are more.
		if n <= int64(s.show.Rows) && have > 0 {
			kept = append(kept, rec)
		} else {
			rec.Release()
		}
		n += have
	}
	if s.stream {
		if _, err := fmt.Fprintf(s.out, "%sBatch: %d\n%s", rule, epoch, rule); err != nil {
			return n, failed(err)
		}
	}
	err := backend.Show(s.out, backend.Result{Fields: fields, Batches: func(yield func(arrow.RecordBatch, error) bool) {
		for _, rec := range kept {
			if !yield(rec, nil) {
				return
			}
		}
	}}, s.show)
	if err != nil {
		return n, failed(err)
	}
	return n, nil
}

func failed(err error) error {
	e := condition.Newf(condition.ConnectorFailed, "The console cannot be written to.")
	e.Cause = err
	return e
}

// Description implements [connector.Sink].
func (s *sink) Description() string { return "org.apache.spark.sql.execution.streaming.ConsoleTable$" }

// Close implements [connector.Sink].
func (s *sink) Close() error { return nil }
