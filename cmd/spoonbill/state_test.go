package main

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
)

func TestState(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s, err := local.Open(local.StateStore(local.DiskStore(1 << 20)))
	require.NoError(t, err)
	in := connectors.NewMemoryStreamDDL("k STRING")
	require.NoError(t, in.AddRows([]any{"a"}, []any{"b"}, []any{"a"}))
	p := expr.Read("in", in)
	q, err := s.Start(ctx, p.GroupBy("k").Agg(expr.Count().As("n")).WriteTo(connectors.Noop()).OutputMode(expr.Complete).Checkpoint(dir).Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	require.NoError(t, q.AwaitTermination(ctx))
	require.NoError(t, s.Close())
	var b bytes.Buffer
	require.NoError(t, state(ctx, &b, []string{dir, "-operator", "0"}))
	require.Regexp(t, `\|a +\|2 +\|`, b.String())
	require.Regexp(t, `\|b +\|1 +\|`, b.String())
	require.Error(t, state(ctx, &b, []string{filepath.Join(dir, "none")}))
	require.ErrorContains(t, state(ctx, &b, nil), "which checkpoint")
	require.ErrorContains(t, state(ctx, &b, []string{dir, "-side", "left"}), "-spark")
}
