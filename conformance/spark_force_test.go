//go:build conformance

package conformance

import (
	"context"
	"testing"

	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/compiler"
)

// force carries a program out whatever it is, and gives what Spark says: some it refuses when the query starts, some only when it runs.
func force(ctx context.Context, t *testing.T, p *compiler.Program, s *sparkconnect.Session) error {
	t.Helper()
	switch p.Steps[len(p.Steps)-1].(type) {
	case compiler.QueryStep:
		r, err := s.Run(ctx, p)
		if err != nil {
			return err
		}
		for _, err := range r.Batches {
			if err != nil {
				return err
			}
		}
		return nil
	case compiler.WriteBatchStep:
		return s.RunWrite(ctx, p)
	}
	q, err := s.RunStream(ctx, p)
	if err != nil {
		return err
	}
	defer func() { _ = q.Stop(ctx) }() // a query that Spark took after all
	return q.ProcessAllAvailable(ctx)
}
