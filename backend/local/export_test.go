package local

import (
	"context"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// WithoutRules switches rules of the planner off.
func WithoutRules(names ...string) Option { return func(c *config) { c.without = names } }

// Relation is [Session.Batches] for a tree that no table method makes.
func (s *Session) Relation(ctx context.Context, r tree.Relation) (backend.Result, error) {
	return s.relation(ctx, r)
}

// StartTree is [Session.Start] for a tree that no table method makes.
func (s *Session) StartTree(ctx context.Context, w *tree.Write) (backend.Query, error) {
	return s.start(ctx, w)
}
