// Package noop is the sink that computes everything and writes nothing, for measurements.
package noop

import (
	"context"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

func init() {
	connector.RegisterSink("noop", func(context.Context, connector.Env, *tree.Sink) (connector.Sink, error) { return sink{}, nil })
}

type sink struct{}

// Write implements [connector.Sink]: it takes all rows and counts them.
func (sink) Write(_ context.Context, _ int64, _ tree.OutputMode, _ []datatype.Field, rows connector.Batches) (int64, error) {
	n := int64(0)
	for rec, err := range rows {
		if err != nil {
			return n, err
		}
		n += rec.NumRows()
		rec.Release()
	}
	return n, nil
}

// Description implements [connector.Sink].
func (sink) Description() string { return "NoopTable" }

// Close implements [connector.Sink].
func (sink) Close() error { return nil }
