package local_test

import (
	"context"
	"fmt"
	iofs "io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// requireCondition holds that an error has a condition's name, the place in this file, a way out, and texts.
func requireCondition(t *testing.T, err error, name string, texts ...string) {
	t.Helper()
	require.Error(t, err)
	require.ErrorIs(t, err, &condition.Error{Condition: name})
	require.Regexp(t, `\w+_test\.go:\d+: `, err.Error(), "the place")
	hint := false
	for e := err; e != nil; {
		c, ok := e.(*condition.Error)
		if !ok {
			break
		}
		hint = hint || c.Hint != ""
		e = c.Cause
	}
	require.True(t, hint, "no way out: %v", err)
	for _, s := range texts {
		require.Contains(t, err.Error(), s)
	}
}

func requireEnd(t *testing.T, q backend.Query, err error) {
	t.Helper()
	require.NoError(t, err)
	wait, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	require.NoError(t, q.AwaitTermination(wait))
}

// endOfQuery gives the error of a query that must fail.
func endOfQuery(t *testing.T, q backend.Query, err error) error {
	t.Helper()
	require.NoError(t, err)
	wait, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err = q.AwaitTermination(wait)
	require.Error(t, err)
	require.Equal(t, condition.StreamFailed, condition.Of(err))
	active, e := q.IsActive(ctx)
	require.NoError(t, e)
	require.False(t, active)
	return err
}

func broker(t *testing.T, opts ...kfake.Opt) (*kfake.Cluster, string) {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c, strings.Join(c.ListenAddrs(), ",")
}

func send(t *testing.T, servers, topic string, values ...string) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(servers), kgo.RecordPartitioner(kgo.RoundRobinPartitioner()))
	require.NoError(t, err)
	defer client.Close()
	for _, v := range values {
		require.NoError(t, client.ProduceSync(ctx, &kgo.Record{Topic: topic, Value: []byte(v)}).FirstErr())
	}
}

const eventDDL = "n INT, word STRING"

func events(servers, topic string, codec, source []connectors.Option) expr.Table {
	return expr.Read("events", connectors.FromKafka(servers, topic, connectors.JSONOf(eventDDL, codec...), append([]connectors.Option{connectors.StartingOffsets(connectors.Earliest)}, source...)...))
}

func TestMissingTopic(t *testing.T) {
	t.Parallel()
	_, servers := broker(t, kfake.SeedTopics(1, "t"))
	send(t, servers, "t", `{"n":1}`)
	s := open(t)
	missing := events(servers, "nope", nil, nil)
	began := time.Now()
	_, err := s.Start(ctx, missing.Select("n").WriteTo(newCollector()).Checkpoint(t.TempDir()))
	requireCondition(t, err, condition.UnknownTopic, `"nope"`, servers)
	_, err = tryCollect(s, missing.Select("n"))
	requireCondition(t, err, condition.UnknownTopic, `"nope"`, servers)

	there := events(servers, "t", nil, nil).Select("n", "word")
	q, err := s.Start(ctx, there.WriteTo(connectors.ToKafka(servers, "nowhere", connectors.JSONOf(eventDDL))).Checkpoint(t.TempDir()).Trigger(expr.AvailableNow()))
	requireCondition(t, endOfQuery(t, q, err), condition.UnknownTopic, `"nowhere"`, servers)
	require.Less(t, time.Since(began), 30*time.Second)
}

func TestDeadBroker(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := l.Addr().String()
	require.NoError(t, l.Close())
	s := open(t)
	brief := []connectors.Option{connectors.Set("kafka.default.api.timeout.ms", "1000")}
	began := time.Now()
	q, err := s.Start(ctx, events(addr, "t", nil, brief).Select("n").WriteTo(newCollector()).Checkpoint(t.TempDir()))
	requireCondition(t, endOfQuery(t, q, err), condition.ConnectorFailed, addr, "topic t", "refused")
	_, err = tryCollect(s, events(addr, "t", nil, brief).Select("n"))
	requireCondition(t, err, condition.ConnectorFailed, addr, "refused")

	f, p := payments(t)
	f.add([]any{clock("12:00:00"), 1, 1.0})
	sink := connectors.ToKafka(addr, "t", connectors.JSONOf("provinceId INT"), connectors.Set("kafka.max.block.ms", "1000"), connectors.Set("kafka.delivery.timeout.ms", "1000"))
	q, err = s.Start(ctx, p.Select("provinceId").WriteTo(sink).Checkpoint(t.TempDir()).Trigger(expr.AvailableNow()))
	if err == nil {
		err = endOfQuery(t, q, err)
	}
	requireCondition(t, err, condition.ConnectorFailed, addr)
	require.Less(t, time.Since(began), 30*time.Second, "the time that the options give, and not much more")
}

// A broker dies while a query reads from it, and comes back with its data: the query goes on, and its output is complete. In files nothing is
// twice; in Kafka an epoch may come again as a whole.
func TestBrokerDiesAndComesBack(t *testing.T) {
	t.Parallel()
	for _, into := range []string{"files", "kafka"} {
		t.Run(into, func(t *testing.T) {
			data := t.TempDir()
			c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "in", "out"), kfake.DataDir(data), kfake.SyncWrites())
			require.NoError(t, err)
			servers := c.ListenAddrs()[0]
			_, text, err := net.SplitHostPort(servers)
			require.NoError(t, err)
			port, err := strconv.Atoi(text)
			require.NoError(t, err)
			var values, want []string
			for i := range 120 {
				values = append(values, fmt.Sprintf(`{"n":%d,"word":"w%d"}`, i, i))
			}
			want = append(want, values...)
			send(t, servers, "in", values...)

			out := filepath.Join(t.TempDir(), "out")
			table := events(servers, "in", nil, []connectors.Option{connectors.MaxOffsetsPerTrigger(20)}).Select("n", "word")
			var w expr.Write
			if into == "files" {
				w = table.WriteTo(connectors.ToJSON(out))
			} else {
				w = table.WriteTo(connectors.ToKafka(servers, "out", connectors.JSONOf(eventDDL)))
			}
			s := open(t)
			q, err := s.Start(ctx, w.Checkpoint(t.TempDir()))
			require.NoError(t, err)
			require.Eventually(t, func() bool {
				p, err := q.LastProgress(ctx)
				return err == nil && p != nil && p.BatchID >= 1
			}, 30*time.Second, time.Millisecond)
			c.Close()
			time.Sleep(500 * time.Millisecond)
			active, err := q.IsActive(ctx)
			require.NoError(t, err)
			if !active {
				_, err := q.Exception(ctx)
				require.NoError(t, q.AwaitTermination(ctx), "the query must wait for its broker; %v", err)
			}
			c, err = kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(port), kfake.DataDir(data), kfake.SyncWrites())
			require.NoError(t, err)
			defer c.Close()
			send(t, servers, "in", `{"n":999,"word":"after"}`)
			want = append(want, `{"n":999,"word":"after"}`)
			wait, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			require.NoError(t, q.ProcessAllAvailable(wait))
			require.NoError(t, q.Stop(wait))
			slices.Sort(want)
			if into == "files" {
				var got []string
				for _, r := range plainRows(t, vfs.Default, out) {
					got = append(got, strings.TrimSpace(r))
				}
				require.Equal(t, want, got)
				return
			}
			got := collect(t, s, events(servers, "out", nil, nil).Select("n", "word"))
			slices.Sort(got)
			var unique []string
			for _, r := range slices.Compact(got) {
				n, word, _ := strings.Cut(r, "|")
				unique = append(unique, fmt.Sprintf(`{"n":%s,"word":%q}`, n, word))
			}
			slices.Sort(unique)
			require.Equal(t, want, unique)
		})
	}
}

// eventLines are good and bad records; what they give is in the columns n, word and, where it is asked for, the corrupt record.
var eventLines = []string{`{"n":1,"word":"a"}`, `{"n":2,"word":`, `{"n":"x","word":"c"}`, `{"n":4}`}

func TestBrokenJSON(t *testing.T) {
	_, servers := broker(t, kfake.SeedTopics(1, "t"))
	send(t, servers, "t", eventLines...)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.json"), []byte(strings.Join(eventLines, "\n")+"\n"), 0o644))
	kafka := func(opts ...connectors.Option) expr.Table { return events(servers, "t", opts, nil) }
	files := func(opts ...connectors.Option) expr.Table {
		return expr.Read("events", connectors.FromJSON(dir, connectors.RowsDDL(eventDDL), opts...))
	}
	permissive, dropped := []string{"1|a", "4|NULL", "NULL|NULL", "NULL|c"}, []string{"1|a", "4|NULL"}
	withText := []string{"1|a|NULL", "4|NULL|NULL", "NULL|NULL|" + eventLines[1], "NULL|c|" + eventLines[2]}
	for _, c := range []struct {
		name  string
		table expr.Table
		want  []string // nil for an error
	}{
		{"kafka, permissive", kafka().Select("n", "word"), permissive},
		{"kafka, permissive by name", kafka(connectors.Mode("PERMISSIVE")).Select("n", "word"), permissive},
		{"kafka, corrupt record", kafka(connectors.CorruptRecord("bad")).Select("n", "word", "bad"), withText},
		{"kafka, fail fast", kafka(connectors.Mode("FAILFAST")).Select("n", "word"), nil},
		{"files, permissive", files().Select("n", "word"), permissive},
		{"files, corrupt record", files(connectors.CorruptRecord("bad")).Select("n", "word", "bad"), withText},
		{"files, drop malformed", files(connectors.Mode("DROPMALFORMED")).Select("n", "word"), dropped},
		{"files, fail fast", files(connectors.Mode("FAILFAST")).Select("n", "word"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t)
			got, err := tryCollect(s, c.table)
			sink := newCollector()
			q, started := s.Start(ctx, c.table.WriteTo(sink).Checkpoint(t.TempDir()).Trigger(expr.AvailableNow()))
			if c.want == nil {
				requireCondition(t, err, "MALFORMED_RECORD_IN_PARSING", "FAILFAST")
				requireCondition(t, endOfQuery(t, q, started), "MALFORMED_RECORD_IN_PARSING", "FAILFAST")
				require.Empty(t, sink.rows())
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, sorted(got))
			requireEnd(t, q, started)
			require.Equal(t, c.want, sink.rows())
		})
	}
	// A message has no mode that leaves it out, as in Spark.
	_, err := tryCollect(open(t), kafka(connectors.Mode("DROPMALFORMED")).Select("n", "word"))
	require.Equal(t, condition.InvalidOption, condition.Of(err))
	require.ErrorContains(t, err, "must be one of PERMISSIVE, FAILFAST")
}

// A Parquet file that was cut fails the query; when it is whole again the query goes on from its checkpoint, and nothing is lost or twice.
func TestTruncatedParquet(t *testing.T) {
	dir, out, ckpt := t.TempDir(), filepath.Join(t.TempDir(), "out"), t.TempDir()
	s := open(t)
	file := func(n int, rows ...any) string {
		var goRows []struct {
			N int32 `spoonbill:"n"`
		}
		for _, r := range rows {
			goRows = append(goRows, struct {
				N int32 `spoonbill:"n"`
			}{int32(r.(int))})
		}
		tmp := filepath.Join(t.TempDir(), "one")
		require.NoError(t, s.Write(ctx, expr.Memtable("rows", goRows).WriteTo(connectors.ToParquet(tmp))))
		parts, err := filepath.Glob(tmp + "/part-*")
		require.NoError(t, err)
		require.Len(t, parts, 1)
		to := filepath.Join(dir, fmt.Sprintf("%d.parquet", n))
		require.NoError(t, os.Rename(parts[0], to))
		require.NoError(t, os.Chtimes(to, clock("12:00:00"), clock("12:00:00").Add(time.Duration(n)*time.Second)))
		return to
	}
	file(0, 1, 2)
	bad := file(1, 3, 4)
	file(2, 5)
	whole, err := os.ReadFile(bad)
	require.NoError(t, err)
	in := func() expr.Table {
		return expr.Read("rows", connectors.FromParquet(dir, connectors.RowsDDL("n INT"), connectors.MaxFilesPerTrigger(1)))
	}
	start := func() (backend.Query, error) {
		return s.Start(ctx, in().WriteTo(connectors.ToJSON(out)).Checkpoint(ckpt).Trigger(expr.AvailableNow()))
	}
	// A file without a byte has no rows, as on Spark, which makes no split of it.
	require.NoError(t, os.WriteFile(bad, nil, 0o644))
	require.Equal(t, []string{"1", "2", "5"}, sorted(collect(t, s, in())))
	for _, size := range []int{3, len(whole) / 2, len(whole) - 1} {
		require.NoError(t, os.WriteFile(bad, whole[:size], 0o644))
		require.NoError(t, os.Chtimes(bad, clock("12:00:00"), clock("12:00:01")))
		_, err := tryCollect(s, in())
		requireCondition(t, err, "FAILED_READ_FILE", "1.parquet")
		q, err := start()
		requireCondition(t, endOfQuery(t, q, err), "FAILED_READ_FILE", "1.parquet")
		require.Equal(t, []string{` {"n":1}`, ` {"n":2}`}, plainRows(t, vfs.Default, out))
	}
	require.NoError(t, os.WriteFile(bad, whole, 0o644))
	q, err := start()
	requireEnd(t, q, err)
	require.Equal(t, []string{` {"n":1}`, ` {"n":2}`, ` {"n":3}`, ` {"n":4}`, ` {"n":5}`}, plainRows(t, vfs.Default, out))
}

func TestCheckpointOfAnotherQuery(t *testing.T) {
	f, p := payments(t)
	f.add([]any{clock("12:00:00"), 1, 1.0})
	s, ckpt := open(t), t.TempDir()
	q, err := s.Start(ctx, perProvince(p).WriteTo(newCollector()).Checkpoint(ckpt).Trigger(expr.AvailableNow()))
	requireEnd(t, q, err)
	_, err = s.Start(ctx, p.GroupBy("provinceId").Agg(expr.Count().As("n")).WriteTo(newCollector()).OutputMode(expr.Complete).Checkpoint(ckpt).Trigger(expr.AvailableNow()))
	requireCondition(t, err, condition.CheckpointMismatch, ckpt, "\n- ", "\n+ ", "count()")
}

// holdEnv makes this binary a process that runs a query on the checkpoint that it names until it is killed.
const holdEnv = "SPOONBILL_TEST_HOLD"

func TestHoldCheckpoint(t *testing.T) {
	ckpt := os.Getenv(holdEnv)
	if ckpt == "" {
		return // the body of another process, which TestTwoQueriesOnOneCheckpoint starts
	}
	_, p := payments(t)
	q, err := open(t).Start(ctx, p.WriteTo(newCollector()).Checkpoint(ckpt))
	require.NoError(t, err)
	fmt.Println("holding")
	require.NoError(t, q.AwaitTermination(ctx))
}

func TestTwoQueriesOnOneCheckpoint(t *testing.T) {
	ckpt := t.TempDir()
	_, p := payments(t)
	start := func(s *local.Session, dir string) (backend.Query, error) {
		return s.Start(ctx, p.WriteTo(newCollector()).Checkpoint(dir))
	}
	s, other := open(t), open(t)
	q, err := start(s, ckpt)
	require.NoError(t, err)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(ckpt, link))
	for _, x := range []*local.Session{s, other} {
		for _, dir := range []string{ckpt, ckpt + "/", filepath.Join(ckpt, "..", filepath.Base(ckpt)), link} {
			_, err := start(x, dir)
			requireCondition(t, err, condition.ConcurrentStreamLog, dir, "Stop it first")
		}
	}
	active, err := q.IsActive(ctx)
	require.NoError(t, err)
	require.True(t, active, "the first goes on")
	require.NoError(t, q.Stop(ctx))
	q, err = start(other, link)
	require.NoError(t, err)
	require.NoError(t, q.Stop(ctx))

	// Another process has it, and is killed: the lock goes with it.
	cmd := exec.Command(os.Args[0], "-test.run", "^TestHoldCheckpoint$")
	cmd.Env = append(os.Environ(), holdEnv+"="+ckpt)
	pipe, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line := make([]byte, len("holding"))
	_, err = pipe.Read(line)
	require.NoError(t, err)
	require.Equal(t, "holding", string(line))
	_, err = start(s, ckpt)
	requireCondition(t, err, condition.ConcurrentStreamLog, ckpt)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // says that it was killed
	q, err = start(s, ckpt)
	require.NoError(t, err)
	require.NoError(t, q.Stop(ctx))
}

func TestUnwritableFolders(t *testing.T) {
	f, p := payments(t)
	f.add([]any{clock("12:00:00"), 1, 1.0})
	s := open(t)
	// A file stands where the folder should be.
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o644))
	for _, out := range []string{file, filepath.Join(file, "below")} {
		q, err := s.Start(ctx, p.WriteTo(connectors.ToJSON(out)).Checkpoint(t.TempDir()).Trigger(expr.AvailableNow()))
		if err == nil {
			err = endOfQuery(t, q, err)
		}
		requireCondition(t, err, condition.TaskWriteFailed, out)
		err = s.Write(ctx, p.WriteTo(connectors.ToJSON(out)).SaveMode(expr.SaveAppend))
		requireCondition(t, err, condition.TaskWriteFailed, out)
		_, err = s.Start(ctx, p.WriteTo(newCollector()).Checkpoint(out))
		requireCondition(t, err, condition.CheckpointFailed, out)
	}
	// The process has no right to write.
	denied := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite && strings.HasPrefix(op.Path, "/denied") {
			return &iofs.PathError{Op: "open", Path: op.Path, Err: iofs.ErrPermission}
		}
		return nil
	}))
	s = open(t, local.FileSystem(denied))
	q, err := s.Start(ctx, p.WriteTo(connectors.ToJSON("/denied/out")).Checkpoint("/ckpt").Trigger(expr.AvailableNow()))
	if err == nil {
		err = endOfQuery(t, q, err)
	}
	requireCondition(t, err, condition.TaskWriteFailed, "/denied/out", "permission")
	err = s.Write(ctx, p.WriteTo(connectors.ToJSON("/denied/out")))
	requireCondition(t, err, condition.TaskWriteFailed, "/denied/out", "permission")
	_, err = s.Start(ctx, p.WriteTo(newCollector()).Checkpoint("/denied/ckpt"))
	requireCondition(t, err, condition.CheckpointFailed, "/denied/ckpt", "permission")
}
