package exec

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// gated gives batches, each after the gate lets it.
type gated struct {
	batches []*vec.Batch
	gate    chan struct{}
	fail    error
	at      int
}

func (g *gated) Types() []datatype.Type     { return []datatype.Type{datatype.Long} }
func (g *gated) Open(context.Context) error { return nil }
func (g *gated) Close() error               { return nil }
func (g *gated) Next(ctx context.Context) (*vec.Batch, error) {
	if g.at == len(g.batches) {
		return nil, g.fail
	}
	select {
	case <-g.gate:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	g.at++
	return g.batches[g.at-1], nil
}

func numbers(values ...int64) *vec.Batch {
	return vec.NewBatch([]*vec.Vec{vec.Of(datatype.Long, values)}, len(values), nil)
}

func all(t *testing.T, ctx context.Context, s *Shared) (out []int64, err error) {
	t.Helper()
	require.NoError(t, s.Open(ctx))
	defer func() { require.NoError(t, s.Close()) }()
	for {
		b, err := s.Next(ctx)
		if b == nil || err != nil {
			return out, err
		}
		for i := range b.N {
			out = append(out, b.Cols[0].Any(i).(int64))
		}
		b.Release()
	}
}

// A reader that is stopped while it fills the spool takes nothing from the others, one that waits can be stopped, and a failure is everyone's.
func TestSpoolReaderThatIsStopped(t *testing.T) {
	gate := make(chan struct{})
	made := 0
	p := &Spool{Types: []datatype.Type{datatype.Long}, Make: func() (Operator, error) {
		made++
		return &gated{batches: []*vec.Batch{numbers(1, 2), numbers(3)}, gate: gate}, nil
	}}
	defer p.Close()
	first, stopFirst := context.WithCancel(t.Context())
	second, stopSecond := context.WithCancel(t.Context())
	ends := make(chan error, 2)
	go func() { _, err := all(t, first, &Shared{Spool: p}); ends <- err }()
	gate <- struct{}{} // it fills, and waits for its second batch
	go func() { _, err := all(t, second, &Shared{Spool: p}); ends <- err }()
	stopSecond()
	require.ErrorIs(t, <-ends, context.Canceled, "who waits need not wait for the other")
	rest := make(chan []int64, 1)
	go func() {
		rows, err := all(t, t.Context(), &Shared{Spool: p})
		require.NoError(t, err)
		rest <- rows
	}()
	stopFirst()
	require.ErrorIs(t, <-ends, context.Canceled)
	for range 2 {
		gate <- struct{}{}
	}
	require.Equal(t, []int64{1, 2, 3}, <-rest)
	rows, err := all(t, t.Context(), &Shared{Spool: p})
	require.NoError(t, err)
	require.Equal(t, []int64{1, 2, 3}, rows)
	require.Equal(t, 2, made, "what was filled is not computed again")

	broken := errors.New("broken")
	made = 0
	f := &Spool{Types: p.Types, Make: func() (Operator, error) { made++; return &gated{fail: broken}, nil }}
	defer f.Close()
	for range 2 {
		_, err := all(t, t.Context(), &Shared{Spool: f})
		require.ErrorIs(t, err, broken)
	}
	require.Equal(t, 1, made)
}

// The dictionaries that rows refer to count as memory of the spool, each once.
func TestSpoolCountsDictionaries(t *testing.T) {
	text := make([]byte, spoolBytes/2+1)
	word := func() *vec.Vec {
		return &vec.Vec{Type: datatype.String, Len: 1, Off: []int32{0, int32(len(text))}, Bytes: text}
	}
	coded := func(dict *vec.Vec) *vec.Batch {
		return vec.NewBatch([]*vec.Vec{{Type: datatype.String, Len: 2, Codes: []int32{0, 0}, Dict: dict}}, 2, nil)
	}
	one := word()
	for name, c := range map[string]struct {
		batches []*vec.Batch
		state   spoolState
	}{
		"one":  {[]*vec.Batch{coded(one), coded(one), coded(one)}, spoolFull},
		"many": {[]*vec.Batch{coded(word()), coded(word())}, spoolTooLarge},
	} {
		gate := make(chan struct{})
		close(gate)
		p := &Spool{Types: []datatype.Type{datatype.String}, Make: func() (Operator, error) { return &gated{batches: c.batches, gate: gate}, nil }}
		s := &Shared{Spool: p}
		require.NoError(t, s.Open(t.Context()))
		b, err := s.Next(t.Context())
		require.NoError(t, err)
		b.Release()
		require.Equal(t, c.state, p.state, name)
		require.NoError(t, s.Close())
		p.Close()
	}
}
