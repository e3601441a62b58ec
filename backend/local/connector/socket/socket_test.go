package socket

import (
	"context"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// peer is what a source connects to.
type peer struct {
	net.Listener
	t *testing.T
}

func listen(t *testing.T) peer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return peer{l, t}
}

// accept waits for the source.
func (p peer) accept() net.Conn {
	p.t.Helper()
	c, err := p.Accept()
	require.NoError(p.t, err)
	p.t.Cleanup(func() { _ = c.Close() })
	return c
}

// source opens a source that connects to the peer. said is what the query's status says.
func (p peer) source(opts ...connectors.Option) (s *source, said func() string) {
	p.t.Helper()
	_, port, err := net.SplitHostPort(p.Addr().String())
	require.NoError(p.t, err)
	n, err := strconv.Atoi(port)
	require.NoError(p.t, err)
	d, err := connectors.Socket("127.0.0.1", n, opts...).Source()
	require.NoError(p.t, err)
	says := make(chan func() string, 1)
	open, err := connector.OpenSource(p.t.Context(), connector.Env{BatchRows: 3, Streaming: true, Now: func() time.Time { return time.UnixMilli(1_700_000_000_123) }, Waiting: func(what func() string) func() {
		says <- what
		return func() {}
	}}, d)
	require.NoError(p.t, err)
	s = open.(*source)
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	s.mem = mem
	p.t.Cleanup(func() {
		require.NoError(p.t, s.Close())
		mem.AssertSize(p.t, 0)
	})
	return s, func() string { return (<-says)() }
}

// until waits for an offset.
func until(t *testing.T, s *source, start, want string) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		o, err := s.Latest(t.Context(), connector.Offset(start), false)
		require.NoError(c, err)
		require.Equal(c, want, string(o))
	}, 10*time.Second, time.Millisecond)
}

func lines(t *testing.T, s *source, start, end string, p connector.Projection) (out []string) {
	t.Helper()
	rows, err := s.Read(t.Context(), connector.Offset(start), connector.Offset(end), p)
	require.NoError(t, err)
	for rec, err := range rows {
		require.NoError(t, err)
		require.LessOrEqual(t, rec.NumRows(), int64(3))
		for i := range int(rec.NumRows()) {
			out = append(out, rec.Column(0).(*array.String).Value(i))
			if rec.NumCols() > 1 {
				require.EqualValues(t, 1_700_000_000_123_000, rec.Column(1).(*array.Timestamp).Value(i))
			}
		}
		rec.Release()
	}
	return out
}

func TestLines(t *testing.T) {
	p := listen(t)
	s, said := p.source(connectors.IncludeTimestamp())
	require.Equal(t, "TextSocketV2[host: 127.0.0.1, port: "+s.port+"]", s.Description())
	o, err := s.Latest(t.Context(), connector.Offset("-1"), false)
	require.NoError(t, err)
	require.Equal(t, "-1", string(o))
	c := p.accept()
	// Lines end by \n, \r or both, also where both come apart; empty ones count, and bytes that are no UTF-8 are replaced as Java does.
	for _, part := range []string{"a\nb\r", "\n\r\nc\rd", "\n\xff\x00\xe2\x82x\n", "last"} {
		_, err := c.Write([]byte(part))
		require.NoError(t, err)
		time.Sleep(5 * time.Millisecond)
	}
	until(t, s, "-1", "5")
	require.Equal(t, []string{"a", "b", "", "c", "d", "\uFFFD\x00\uFFFDx"}, lines(t, s, "-1", "5", connector.Projection{}))
	require.Equal(t, []string{"c", "d"}, lines(t, s, "2", "4", connector.Projection{}))
	require.Empty(t, lines(t, s, "4", "4", connector.Projection{}))
	require.NoError(t, s.Commit(t.Context(), connector.Offset("3")))
	require.Equal(t, "5", s.Metrics()["latestOffset"])
	_, err = s.Read(t.Context(), connector.Offset("2"), connector.Offset("4"), connector.Projection{})
	require.ErrorContains(t, err, "are lost")
	// A peer that closes ends the lines, the last of which need not end, and not the query.
	require.NoError(t, c.Close())
	until(t, s, "5", "6")
	require.Equal(t, []string{"d", "\uFFFD\x00\uFFFDx", "last"}, lines(t, s, "3", "6", connector.Projection{}))
	require.Contains(t, said(), "has closed the connection")
	require.NoError(t, s.Commit(t.Context(), connector.Offset("6")))
	until(t, s, "6", "6")
}

// A column that nobody reads is nulls.
func TestColumns(t *testing.T) {
	p := listen(t)
	s, _ := p.source(connectors.IncludeTimestamp())
	until(t, s, "-1", "-1")
	_, err := p.accept().Write([]byte("a\n"))
	require.NoError(t, err)
	until(t, s, "-1", "0")
	rows, err := s.Read(t.Context(), connector.Offset("-1"), connector.Offset("0"), connector.Projection{Columns: []int{1}})
	require.NoError(t, err)
	for rec, err := range rows {
		require.NoError(t, err)
		require.True(t, rec.Column(0).IsNull(0))
		rec.Release()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rows, err = s.Read(ctx, connector.Offset("-1"), connector.Offset("0"), connector.Projection{})
	require.NoError(t, err)
	for _, err := range rows {
		require.ErrorIs(t, err, context.Canceled)
	}
}

// A run behind a restart counts on from where the checkpoint is.
func TestGoesOn(t *testing.T) {
	p := listen(t)
	s, _ := p.source()
	until(t, s, "41", "41")
	_, err := p.accept().Write([]byte("new\n"))
	require.NoError(t, err)
	until(t, s, "41", "42")
	require.Equal(t, []string{"new"}, lines(t, s, "41", "42", connector.Projection{}))
}

// A long line comes whole; one that is too long ends the query behind the lines before it.
func TestLongLines(t *testing.T) {
	p := listen(t)
	s, _ := p.source()
	s.longest = 3 << 20
	until(t, s, "-1", "-1")
	c := p.accept()
	long := strings.Repeat("x", 3<<20)
	go func() { _, _ = c.Write([]byte(long + "\n" + long + "y")) }()
	until(t, s, "-1", "0")
	require.Equal(t, []string{long}, lines(t, s, "-1", "0", connector.Projection{}))
	require.NoError(t, s.Commit(t.Context(), connector.Offset("0")))
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		_, err := s.Latest(t.Context(), connector.Offset("0"), false)
		require.ErrorContains(c, err, "Line 1 of 127.0.0.1:"+s.port+" is longer than 3145728 bytes")
	}, 10*time.Second, time.Millisecond)
	_ = c.Close()
}

// More lines than memory is for wait at the peer until epochs are done, and a source that is closed meanwhile leaves nobody waiting.
func TestWaitingLines(t *testing.T) {
	p := listen(t)
	s, _ := p.source()
	until(t, s, "-1", "-1")
	c := p.accept()
	text := []byte(strings.Repeat("x", 8<<20-1) + "\n")
	written := make(chan int, 1)
	go func() {
		n := 0
		for range 20 {
			if _, err := c.Write(text); err != nil {
				break
			}
			n++
		}
		written <- n
	}()
	until(t, s, "-1", "8")
	time.Sleep(50 * time.Millisecond)
	until(t, s, "-1", "8")
	require.NoError(t, s.Commit(t.Context(), connector.Offset("4")))
	until(t, s, "4", "13")
	require.NoError(t, s.Close())
	require.Less(t, <-written, 20)
}

func TestRefused(t *testing.T) {
	p := listen(t)
	s, _ := p.source()
	require.NoError(t, p.Close())
	_, err := s.Latest(t.Context(), connector.Offset("-1"), false)
	require.Equal(t, condition.ConnectorFailed, condition.Of(err))
	require.ErrorContains(t, err, "cannot connect to 127.0.0.1:")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Latest(ctx, connector.Offset("-1"), false)
	require.ErrorIs(t, err, context.Canceled)
	for _, o := range []string{"", "x", "null", "-2", `"1"`} {
		_, err := s.Latest(t.Context(), connector.Offset(o), false)
		require.Equal(t, condition.CheckpointCorrupt, condition.Of(err), o)
	}
	for want, src := range map[string]connectors.SocketSource{
		"needs a host":             connectors.Socket(" ", 1),
		"must be from 1 to 65535":  connectors.Socket("h", 0),
		"not 65536":                connectors.Socket("h", 65536),
		"one of true, false":       connectors.Socket("h", 1, connectors.Set("includeTimestamp", "yes")),
		"numPartitions must be at": connectors.Socket("h", 1, connectors.NumPartitions(0)),
		"has no option":            connectors.Socket("h", 1, connectors.Set("includeTime", "true")),
		"never made":               {},
	} {
		_, err := src.Source()
		require.Equal(t, condition.InvalidOption, condition.Of(err), want)
		require.ErrorContains(t, err, want)
	}
}
