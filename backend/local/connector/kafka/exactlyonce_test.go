package kafka_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/backend/local/connector/kafka"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/window"
)

// onceJob is a query from files, one an epoch, to a topic: sums of windows, exactly once.
func onceJob(servers, topic, folder string) expr.Write {
	p := expr.Read("in", connectors.FromJSON(folder+"/in", connectors.RowsDDL("t TIMESTAMP, k INT, v INT"), connectors.MaxFilesPerTrigger(1)))
	w := p.Watermark("t", 5*time.Second)
	sums := w.GroupBy(window.Tumbling(w.Timestamp("t"), 10*time.Second), "k").Agg(w.Num("v").Sum().As("total"), expr.Count().As("n"))
	return sums.WriteTo(connectors.ToKafka(servers, topic, connectors.JSONOf("window STRUCT<start: TIMESTAMP, end: TIMESTAMP>, k INT, total BIGINT, n BIGINT"), connectors.ExactlyOnce(topic))).
		Checkpoint(folder + "/checkpoint").Trigger(expr.AvailableNow())
}

// onceInput is the content of a file of the job's input.
func onceInput(i int) []byte {
	var b bytes.Buffer
	r := rand.New(rand.NewPCG(1, uint64(i)))
	for range 20 {
		at := time.UnixMilli(int64(i)*10_000 + r.Int64N(10_000)).UTC()
		fmt.Fprintf(&b, "{\"t\":%q,\"k\":%d,\"v\":%d}\n", at.Format("2006-01-02T15:04:05.000Z"), r.IntN(4), r.IntN(100))
	}
	return b.Bytes()
}

// runOnce runs the job to its end or first error on a file system.
func runOnce(ctx context.Context, fs vfs.FS, servers, topic, folder string) error {
	s, err := local.Open(local.FileSystem(fs), local.Parallelism(2))
	if err != nil {
		return err
	}
	defer s.Close()
	q, err := s.Start(ctx, onceJob(servers, topic, folder))
	if err != nil {
		return err
	}
	return q.AwaitTermination(ctx)
}

// consumed gives what a consumer of committed records finds in a topic, sorted.
func consumed(t *testing.T, servers, topic string) []string {
	t.Helper()
	s, err := local.Open()
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	out := connectors.NewMemorySink()
	in := expr.Read("out", connectors.FromKafka(servers, topic, connectors.Codec{}, connectors.ReadCommitted()))
	require.NoError(t, s.Write(t.Context(), in.Select("value").WriteTo(out)))
	var values []string
	for _, r := range out.Rows() {
		values = append(values, string(r[0].([]byte)))
	}
	slices.Sort(values)
	return values
}

var errDiskGone = errors.New("the disk is gone")

// A crash at any writing call of the checkpoint, the state and the log, with the loss of what was not synced: the topic has each row once.
func TestExactlyOnceAfterCrash(t *testing.T) {
	t.Parallel()
	c, err := kfake.NewCluster(kfake.NumBrokers(1))
	require.NoError(t, err)
	defer c.Close()
	servers := strings.Join(c.ListenAddrs(), ",")
	input := func() *vfs.MemFS {
		mem := vfs.NewCrashableMem()
		require.NoError(t, mem.MkdirAll("/in", 0o755))
		for i := range 4 {
			f, err := mem.Create(fmt.Sprintf("/in/%d.json", i), vfs.WriteCategoryUnspecified)
			require.NoError(t, err)
			_, err = f.Write(onceInput(i))
			require.NoError(t, err)
			require.NoError(t, f.Sync())
			require.NoError(t, f.Close())
		}
		for _, d := range []string{"/", "/in"} {
			dir, err := mem.OpenDir(d)
			require.NoError(t, err)
			require.NoError(t, dir.Sync())
			require.NoError(t, dir.Close())
		}
		return mem
	}
	var calls atomic.Int64
	crashAt := func(base vfs.FS, n int64) vfs.FS {
		calls.Store(0)
		return errorfs.Wrap(base, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind.ReadOrWrite() == errorfs.OpIsWrite && calls.Add(1) > n {
				return errDiskGone
			}
			return nil
		}))
	}
	require.NoError(t, c.CreateTopic("calm", 2, nil))
	require.NoError(t, runOnce(t.Context(), crashAt(input(), 1<<60), servers, "calm", ""))
	all := calls.Load()
	want := consumed(t, servers, "calm")
	require.Greater(t, len(want), 8)
	r := rand.New(rand.NewPCG(4, 4))
	step := int64(7)
	if kafka.Stress {
		step = 1
	}
	for n := int64(0); n < all; n += step {
		topic := fmt.Sprint("crash-", n)
		require.NoError(t, c.CreateTopic(topic, 2, nil))
		base, at := input(), n
		for range 2 {
			err := runOnce(t.Context(), crashAt(base, at), servers, topic, "")
			if err == nil {
				break
			}
			require.ErrorIs(t, err, errDiskGone, "call %d", n)
			base = base.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(101), RNG: r})
			at = r.Int64N(all)
		}
		require.NoError(t, runOnce(t.Context(), base, servers, topic, ""), "call %d", n)
		require.Equal(t, want, consumed(t, servers, topic), "call %d", n)
	}
}

// The job in a process of its own is the test's binary, started again with these variables.
const (
	onceFolder  = "SPOONBILL_ONCE_FOLDER"
	onceServers = "SPOONBILL_ONCE_SERVERS"
	onceTopic   = "SPOONBILL_ONCE_TOPIC"
)

func init() {
	folder := os.Getenv(onceFolder)
	if folder == "" {
		return
	}
	// Slow calls spread the job evenly over the steps between which a kill matters.
	slow := errorfs.Wrap(vfs.Default, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			time.Sleep(200 * time.Microsecond)
		}
		return nil
	}))
	if err := runOnce(context.Background(), slow, os.Getenv(onceServers), os.Getenv(onceTopic), folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// killedProcess runs the job in a process that is killed so many times, at moments chosen at random, and compares what consumers of committed records see with a job that
// nothing happened to.
func killedProcess(t *testing.T, servers string, create func(topic string), files, kills int) {
	t.Helper()
	prepare := func() string {
		folder := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(folder, "in"), 0o755))
		for i := range files {
			require.NoError(t, os.WriteFile(filepath.Join(folder, "in", fmt.Sprintf("%03d.json", i)), onceInput(i), 0o644))
		}
		return folder
	}
	name := fmt.Sprintf("once-%d", time.Now().UnixNano())
	calm, killed := name+"-calm", name+"-killed"
	create(calm)
	create(killed)
	began := time.Now()
	require.NoError(t, startOnce(t, servers, calm, prepare()).wait())
	took := time.Since(began)
	want := consumed(t, servers, calm)
	require.Greater(t, len(want), files)

	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 6))
	folder := prepare()
	done, last := 0, -1
	for done < kills {
		p := startOnce(t, servers, killed, folder)
		timer := time.NewTimer(time.Duration(r.Int64N(int64(took) / 2)))
		select {
		case <-p.ended:
			timer.Stop()
			require.NoError(t, p.err)
			t.Logf("it was done after %d kills", done)
			require.Greater(t, done, 0)
			kills = done
		case <-timer.C:
			require.NoError(t, p.cmd.Process.Kill())
			<-p.ended
			done++
		}
		// What is committed only grows, and no row of it is there twice.
		seen := consumed(t, servers, killed)
		require.GreaterOrEqual(t, len(seen), last)
		require.Equal(t, len(seen), len(slices.Compact(slices.Clone(seen))), "a row is there twice")
		last = len(seen)
	}
	require.NoError(t, startOnce(t, servers, killed, folder).wait())
	require.Equal(t, want, consumed(t, servers, killed))
}

type onceProcess struct {
	cmd    *exec.Cmd
	stderr bytes.Buffer
	ended  chan struct{}
	err    error
}

func startOnce(t *testing.T, servers, topic, folder string) *onceProcess {
	t.Helper()
	p := &onceProcess{cmd: exec.Command(os.Args[0]), ended: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), onceFolder+"="+folder, onceServers+"="+servers, onceTopic+"="+topic)
	p.cmd.Stderr, p.cmd.Stdout = &p.stderr, io.Discard
	require.NoError(t, p.cmd.Start())
	go func() {
		defer close(p.ended)
		if p.err = p.cmd.Wait(); p.err != nil {
			p.err = fmt.Errorf("%w: %s", p.err, p.stderr.String())
		}
	}()
	return p
}

func (p *onceProcess) wait() error {
	<-p.ended
	return p.err
}

// A process that is killed loses no row and writes none twice.
func TestExactlyOnceKilledProcess(t *testing.T) {
	t.Parallel()
	c, err := kfake.NewCluster(kfake.NumBrokers(1))
	require.NoError(t, err)
	defer c.Close()
	kills := 3
	if kafka.Stress {
		kills = 50
	}
	killedProcess(t, strings.Join(c.ListenAddrs(), ","), func(topic string) { require.NoError(t, c.CreateTopic(topic, 2, nil)) }, 6, kills)
}
