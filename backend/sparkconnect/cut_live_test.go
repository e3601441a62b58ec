//go:build conformance

package sparkconnect_test

import (
	"context"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// line is a network between this process and the server, which can be cut and mended.
type line struct {
	listener net.Listener
	to       string
	mu       sync.Mutex
	down     bool
	open     map[net.Conn]bool
	cuts     int
	done     sync.WaitGroup
}

func newLine(t *testing.T) (*line, string) {
	t.Helper()
	address := strings.TrimSuffix(strings.TrimPrefix(env.Spark.Remote, "sc://"), "/")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	x := &line{listener: l, to: address, open: map[net.Conn]bool{}}
	x.done.Go(x.accept)
	t.Cleanup(x.end)
	return x, "sc://" + l.Addr().String()
}

// end takes the line away; a second call does nothing.
func (x *line) end() {
	_ = x.listener.Close()
	x.cut(true)
	x.done.Wait()
}

func (x *line) accept() {
	for {
		near, err := x.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", x.to)
		if err != nil || !x.add(near, far) {
			_ = near.Close()
			if err == nil {
				_ = far.Close()
			}
			continue
		}
		for from, to := range map[net.Conn]net.Conn{near: far, far: near} {
			x.done.Go(func() {
				_, _ = io.Copy(to, from) // ends with the cut
				_, _ = from.Close(), to.Close()
			})
		}
	}
}

func (x *line) add(both ...net.Conn) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, c := range both {
		x.open[c] = true
	}
	return !x.down
}

// cut ends every connection that there is, and all that come where the line stays down.
func (x *line) cut(stay bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.down = stay
	for c := range x.open {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // a reset, as a dead machine's neighbour sends
		}
		_ = c.Close()
		delete(x.open, c)
	}
	x.cuts++
}

func connectOver(t *testing.T, remote string) (context.Context, *sparkconnect.Session) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	s, err := sparkconnect.Connect(ctx, remote)
	require.NoError(t, err)
	t.Cleanup(cancel)
	return ctx, s
}

// A connection that is cut in the middle of a result is made again, and no row is lost or comes twice.
func TestLiveCutInAResult(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	x, remote := newLine(t)
	ctx, s := connectOver(t, remote)
	const rows = 400_000
	table := expr.SQL("SELECT id, repeat(CAST(id AS STRING), 10) AS s FROM range(0, 400000, 1, 8)", mustParse(t, "id BIGINT, s STRING"), nil)
	r, err := s.Batches(ctx, table)
	require.NoError(t, err)
	seen, batches := make([]bool, rows), 0
	for b, err := range r.Batches {
		require.NoError(t, err, "after %d cuts", x.cuts)
		ids := b.Column(0)
		for i := range int(b.NumRows()) {
			id := ids.(interface{ Value(int) int64 }).Value(i)
			require.False(t, seen[id], "row %d came twice", id)
			seen[id] = true
		}
		if batches++; batches <= 5 {
			x.cut(false)
		}
	}
	for id, ok := range seen {
		require.True(t, ok, "row %d was lost", id)
	}
	require.GreaterOrEqual(t, x.cuts, 5)
	require.NoError(t, s.Close())
	x.end()
	goleak.VerifyNone(t, ignore)
}

// A stream goes on while nobody hears of it, and is heard again when the line is there again.
func TestLiveCutBesideAStream(t *testing.T) {
	x, remote := newLine(t)
	ctx, s := connectOver(t, remote)
	dir := env.Dir(t)
	require.NoError(t, os.Mkdir(dir+"/in", 0o777))
	put := func(name string) {
		require.NoError(t, os.WriteFile(dir+"/"+name, []byte(`{"k":"a"}`+"\n"), 0o666))
		require.NoError(t, os.Rename(dir+"/"+name, dir+"/in/"+name))
	}
	put("1.json")
	in := expr.Read("in", connectors.FromJSON(dir+"/in", connectors.RowsDDL("k STRING")))
	q, err := s.Start(ctx, in.WriteTo(connectors.ToJSON(dir+"/out")).Checkpoint(dir+"/ck"))
	require.NoError(t, err)
	require.NoError(t, q.ProcessAllAvailable(ctx))
	var read int64
	watched := make(chan error, 1)
	go func() {
		watched <- backend.Watch(ctx, q, func(p backend.Progress) { read += p.NumInputRows })
	}()
	for _, name := range []string{"2.json", "3.json", "4.json"} {
		x.cut(false)
		put(name)
		require.NoError(t, q.ProcessAllAvailable(ctx))
	}
	active, err := q.IsActive(ctx)
	require.NoError(t, err)
	require.True(t, active)
	x.cut(false)
	require.NoError(t, q.Stop(ctx))
	require.NoError(t, <-watched)
	n, err := backend.Count(ctx, s, expr.Read("out", connectors.FromJSON(dir+"/out", connectors.RowsDDL("k STRING"))))
	require.NoError(t, err)
	require.EqualValues(t, 4, n)
	require.NoError(t, s.Close())
}

// A server that is gone for good is told as such, by calls that run and by those that come, and nothing waits for ever.
func TestLiveLineDown(t *testing.T) {
	x, remote := newLine(t)
	ctx, s := connectOver(t, remote)
	table := expr.SQL("SELECT id, repeat(CAST(id AS STRING), 10) AS s FROM range(0, 400000, 1, 8)", mustParse(t, "id BIGINT, s STRING"), nil)
	r, err := s.Batches(ctx, table)
	require.NoError(t, err)
	var failed error
	for _, err := range r.Batches {
		if err != nil {
			failed = err
			break
		}
		x.cut(true)
	}
	require.Equal(t, condition.ServerUnavailable, condition.Of(failed), "%v", failed)
	require.NoError(t, ctx.Err(), "it took too long")
	brief, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err = backend.Count(brief, s, table)
	require.ErrorIs(t, err, context.DeadlineExceeded, "the patience is the caller's")
	_ = s.Close() // the server cannot be told
}

func mustParse(t *testing.T, ddl string) []datatype.Field {
	t.Helper()
	fields, err := datatype.ParseFields(ddl)
	require.NoError(t, err)
	return fields
}
