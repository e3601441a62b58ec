//go:build conformance

package conformance

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// listener is a listener of Python's: it prints its port, and sends the one who connects what it reads.
const listener = `import socket, sys
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(1)
s.settimeout(120)
print(s.getsockname()[1], flush=True)
c, _ = s.accept()
c.settimeout(None)
while True:
    data = sys.stdin.buffer.read1(65536)
    if not data: break
    c.sendall(data)
c.close()
`

// besideSpark gives a port where Spark's server runs, in a container or not, and where to write what is sent to the one who connects; closing it closes the connection.
func besideSpark(t *testing.T) (port int, to io.WriteCloser) {
	t.Helper()
	at, err := url.Parse(env.Spark.Remote)
	require.NoError(t, err)
	name, args := "python3", []string{"-c", listener}
	if id, err := exec.CommandContext(t.Context(), "docker", "ps", "-q", "--filter", "publish="+at.Port()).Output(); err == nil && len(id) > 0 {
		name, args = "docker", append([]string{"exec", "-i", strings.TrimSpace(string(id)), name}, args...)
	}
	cmd := exec.CommandContext(t.Context(), name, args...)
	to, err = cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = to.Close()
		_ = cmd.Process.Kill() // while nobody connects, the end of its input does not end it
		_ = cmd.Wait()
	})
	text, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	port, err = strconv.Atoi(strings.TrimSpace(text))
	require.NoError(t, err)
	return port, to
}

// besideUs is besideSpark for the local engine.
func besideUs(t *testing.T) (port int, to io.WriteCloser) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = io.Copy(c, r)
		_ = c.Close()
	}()
	t.Cleanup(func() {
		_, _ = l.Close(), w.Close()
		<-done
	})
	return l.Addr().(*net.TCPAddr).Port, w
}

// socketLines sends bytes through a socket source into a sink and gives its rows, what the progress says of the source, and whether the query still ran when the peer had gone.
func socketLines(t *testing.T, s backend.Session, sink expr.Sink, table func(ctx context.Context) (expr.Table, error), port int, to io.WriteCloser, rows int) (lines []string, description string, active bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	type row struct {
		Value     string
		Timestamp time.Time
	}
	begun := time.Now()
	in := expr.Read("lines", connectors.Socket("127.0.0.1", port, connectors.IncludeTimestamp(), connectors.NumPartitions(1)))
	q, err := s.Start(ctx, in.WriteTo(sink).Name("socket_lines"))
	require.NoError(t, err)
	for _, part := range []string{"a\nb\r\n\nc\rd\n", "\xff\x00\xe2\x82x\n", strings.Repeat("x", 100_000) + "\n", "last"} {
		_, err := to.Write([]byte(part))
		require.NoError(t, err)
	}
	require.NoError(t, to.Close())
	for len(lines) < rows {
		require.NoError(t, ctx.Err())
		require.NoError(t, q.ProcessAllAvailable(ctx))
		found, err := table(ctx)
		require.NoError(t, err)
		got, err := backend.Collect[row](ctx, s, found)
		require.NoError(t, err)
		lines = lines[:0]
		for _, r := range got {
			lines = append(lines, r.Value)
			require.WithinRange(t, r.Timestamp, begun.Add(-time.Second), time.Now().Add(time.Second))
		}
	}
	p, err := q.LastProgress(ctx)
	require.NoError(t, err)
	active, err = q.IsActive(ctx)
	require.NoError(t, err)
	require.NoError(t, q.Stop(ctx))
	return lines, strings.ReplaceAll(p.Sources[0].Description, strconv.Itoa(port), "PORT"), active
}

// Both backends give the same lines of the same bytes, and go on when the peer has gone.
func TestSparkSocket(t *testing.T) {
	spark, here := connect(t), openLocal(t)
	port, to := besideSpark(t)
	want, description, active := socketLines(t, spark, connectors.ToMemoryTable(), func(ctx context.Context) (expr.Table, error) { return spark.Table(ctx, "socket_lines") }, port, to, 8)
	port, to = besideUs(t)
	kept := connectors.NewMemorySink()
	rows := func(context.Context) (expr.Table, error) {
		if len(kept.Rows()) == 0 {
			return expr.MemtableRows("none", []datatype.Field{{Name: "value", Type: datatype.String}, {Name: "timestamp", Type: datatype.Timestamp}}, nil), nil
		}
		return kept.Table("lines"), nil
	}
	got, ours, on := socketLines(t, here, kept, rows, port, to, 8)
	require.Equal(t, want, got)
	require.Equal(t, description, ours)
	require.Equal(t, active, on)
	require.True(t, active)

	// Nobody is there: the query fails, not its start.
	for _, s := range []backend.Session{spark, here} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		in := expr.Read("lines", connectors.Socket("127.0.0.1", 1))
		q, err := s.Start(ctx, in.WriteTo(connectors.Noop()))
		require.NoError(t, err)
		err = q.AwaitTermination(ctx)
		require.Equal(t, condition.StreamFailed, condition.Of(err), "%v", err)
		require.ErrorContains(t, err, "onnection refused")
		_, err = s.Batches(ctx, in)
		require.Equal(t, condition.NotBatch, condition.Of(err), "%v", err)
	}
}
