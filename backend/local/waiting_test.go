package local_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// mortal is a broker that can be stopped and started again with what it had. It is down at first.
type mortal struct {
	t       *testing.T
	dir     string
	port    int
	cluster *kfake.Cluster
}

func newMortal(t *testing.T) *mortal {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	m := &mortal{t: t, dir: t.TempDir(), port: l.Addr().(*net.TCPAddr).Port}
	t.Cleanup(m.stop)
	return m
}

func (m *mortal) servers() string { return fmt.Sprintf("127.0.0.1:%d", m.port) }

func (m *mortal) start() {
	require.Eventually(m.t, func() bool {
		c, err := kfake.NewCluster(kfake.Ports(m.port), kfake.DataDir(m.dir), kfake.SeedTopics(1, "t", "out"))
		m.cluster = c
		return err == nil
	}, 10*time.Second, 20*time.Millisecond)
}

func (m *mortal) stop() {
	if m.cluster != nil {
		m.cluster.Close()
		m.cluster = nil
	}
}

func requireStatus(t *testing.T, q backend.Query, texts ...string) {
	t.Helper()
	message := ""
	require.Eventually(t, func() bool {
		s, err := q.Status(ctx)
		require.NoError(t, err)
		message = s.Message
		for _, x := range texts {
			if !strings.Contains(message, x) {
				return false
			}
		}
		return true
	}, 15*time.Second, 10*time.Millisecond, "the status %q lacks %q", &message, texts)
}

// A query whose broker is down starts, says what it waits for, and goes on when the broker comes, each time; nothing is lost.
func TestQueryWaitsForItsBroker(t *testing.T) {
	t.Parallel()
	b, s, out := newMortal(t), open(t), newCollector()
	began := time.Now()
	q, err := s.Start(ctx, events(b.servers(), "t", nil, nil).Select("n").WriteTo(out).Checkpoint(t.TempDir()))
	require.NoError(t, err)
	require.Less(t, time.Since(began), 10*time.Second)
	requireStatus(t, q, "Waiting for the Kafka brokers "+b.servers(), "topic t", "refused")
	active, err := q.IsActive(ctx)
	require.NoError(t, err)
	require.True(t, active)
	b.start()
	send(t, b.servers(), "t", `{"n":1}`)
	require.NoError(t, q.ProcessAllAvailable(ctx))
	requireStatus(t, q, "Waiting for data to arrive")
	b.stop()
	requireStatus(t, q, "Waiting for the Kafka brokers "+b.servers(), "topic t")
	b.start()
	send(t, b.servers(), "t", `{"n":2}`)
	require.NoError(t, q.ProcessAllAvailable(ctx))
	require.NoError(t, q.Stop(ctx))
	require.Equal(t, []string{"1", "2"}, sorted(out.rows()))
}

// A sink's brokers are waited for in the same way.
func TestQueryWaitsForItsSink(t *testing.T) {
	t.Parallel()
	b, s := newMortal(t), open(t)
	f, p := payments(t)
	f.add([]any{clock("12:00:00"), 1, 1.0})
	q, err := s.Start(ctx, p.Select("provinceId").WriteTo(connectors.ToKafka(b.servers(), "out", connectors.JSONOf("provinceId INT"))).Checkpoint(t.TempDir()).Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	requireStatus(t, q, "Waiting for the Kafka brokers "+b.servers(), "topic out", "refused")
	b.start()
	requireEnd(t, q, nil)
}

// A context that is over before the brokers answer tells what was waited for, in a batch and at a start.
func TestContextOverBeforeTheBroker(t *testing.T) {
	t.Parallel()
	b, s := newMortal(t), open(t)
	in := events(b.servers(), "t", nil, nil).Select("n")
	for name, run := range map[string]func(ctx context.Context) error{
		"start": func(ctx context.Context) error {
			_, err := s.Start(ctx, in.WriteTo(newCollector()).Checkpoint(t.TempDir()))
			return err
		},
		"batch": func(ctx context.Context) error {
			_, err := backend.Collect[*int32](ctx, s, in)
			return err
		},
		"write": func(ctx context.Context) error {
			rows := expr.MemtableRows("m", fields(t, "n INT"), [][]any{{7}})
			return s.Write(ctx, rows.WriteTo(connectors.ToKafka(b.servers(), "t", connectors.JSONOf("n INT"))))
		},
	} {
		short, cancel := context.WithTimeout(ctx, 1200*time.Millisecond)
		err := run(short)
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded, name)
		requireCondition(t, err, condition.ConnectorFailed, b.servers(), "topic t", "refused")
	}
}
