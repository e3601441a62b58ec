//go:build conformance

package conformance

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
)

// Spark as a stream, an input file an epoch, writes what is recorded, and so does the same expression as a batch; with -record it is written anew.
func TestSparkStreams(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	t.Cleanup(cancel)
	folder := env.Dir(t)
	require.NoError(t, StreamFiles(folder))
	have, err := load("streams")
	require.NoError(t, err)
	s := connect(t)
	var lock sync.Mutex
	fresh := map[string]Answer{}
	t.Cleanup(func() {
		if !*record || t.Failed() {
			return
		}
		for _, c := range Streams() { // what -run left out stays as it is
			for _, name := range []string{c.Name, asBatch(c.Name)} {
				old, ok := have.Of(s.Version(), name)
				if _, ran := fresh[name]; ok && !ran {
					fresh[name] = old
				}
			}
		}
		require.NoError(t, have.record(s.Version(), fresh).save("streams"))
	})
	for i, c := range Streams() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel() // a query of a few rows mostly waits
			name := fmt.Sprintf("stream_case_%d", i)
			sink := connectors.ToMemoryTable()
			if c.Mode == expr.Update {
				// Spark's guide leaves update out for the memory sink, and the sink takes it.
				sink = sink.AllModes()
			}
			w := c.Table(Input(folder)).WriteTo(sink).OutputMode(c.Mode).Name(name)
			a, err := AskStream(ctx, s, w, func() (expr.Table, error) { return s.Table(ctx, name) }, false)
			require.NoError(t, err)
			batch, err := Ask(ctx, s, c.Table(Input(folder)), false)
			require.NoError(t, err)
			for name, got := range map[string]Answer{c.Name: a, asBatch(c.Name): batch} {
				lock.Lock()
				fresh[name] = got
				lock.Unlock()
				if !*record {
					want, ok := have.Of(s.Version(), name)
					require.True(t, ok, "%s is not recorded: go test -tags conformance -record", name)
					require.Equal(t, want.String(), got.String(), "%s, recorded with Spark %s", name, have.Spark)
				}
			}
		})
	}
}
