// Package console prints each epoch as Spark's console sink does.
package console

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

func init() { connector.RegisterSink("console", open) }

type sink struct {
	env  connector.Env
	show backend.ShowOptions
}

// printing keeps the tables of several queries apart, for they may share a terminal.
var printing sync.Mutex

func open(_ context.Context, env connector.Env, t *tree.Sink) (connector.Sink, error) {
	s := &sink{env: env, show: backend.DefaultShow}
	s.show.Zone = env.Zone
	if v, ok := t.Options.Get("numRows"); ok {
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 {
			return nil, condition.Newf(condition.InvalidOption, "The option numRows: %q is no count.", v)
		}
		s.show.Rows = n
	}
	if v, ok := t.Options.Get("truncate"); ok {
		cut, err := strconv.ParseBool(strings.ToLower(v))
		if err != nil {
			return nil, condition.Newf(condition.InvalidOption, "The option truncate: %q is neither true nor false.", v)
		}
		if !cut {
			s.show.Truncate = 0
		}
	}
	return s, nil
}

// Write implements [connector.Sink]. A stream's epoch has a heading with its number, a batch has none, as in Spark.
func (s *sink) Write(ctx context.Context, epoch int64, _ tree.OutputMode, schema []datatype.Field, rows connector.Batches) (int64, error) {
	var total int64
	var kept []arrow.RecordBatch
	defer func() {
		for _, b := range kept {
			b.Release()
		}
	}()
	// All rows are drawn, for the operators above must reach their end; only those that are shown are kept, and one to tell that there are more.
	for b, err := range rows {
		if err != nil {
			return 0, err
		}
		if total <= int64(s.show.Rows) {
			kept = append(kept, b)
		} else {
			b.Release()
		}
		total += b.NumRows()
		if err := ctx.Err(); err != nil {
			return 0, err
		}
	}
	printing.Lock()
	defer printing.Unlock()
	if s.env.Streaming {
		const rule = "-------------------------------------------"
		if _, err := fmt.Fprintf(s.env.Out, "%s\nBatch: %d\n%s\n", rule, epoch, rule); err != nil {
			return 0, err
		}
	}
	shown := backend.Result{Fields: schema, Batches: func(yield func(arrow.RecordBatch, error) bool) {
		for _, b := range kept {
			if !yield(b, nil) {
				return
			}
		}
	}}
	return total, backend.Show(s.env.Out, shown, s.show)
}

// Description implements [connector.Sink].
func (s *sink) Description() string {
	return fmt.Sprintf("ConsoleTable[numRows=%d, truncate=%t]", s.show.Rows, s.show.Truncate > 0)
}

// Close implements [connector.Sink].
func (s *sink) Close() error { return nil }
