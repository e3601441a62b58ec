//go:build conformance

package testenv

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/spark-connect-go/spark/sql"
	"github.com/twmb/franz-go/pkg/kgo"
)

// childDir, when set, makes the test binary the process that TestKilled kills.
const childDir = "SPOONBILL_TESTENV_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		os.Exit(child(dir))
	}
	os.Exit(m.Run())
}

// own has Start make containers, whatever the environment of the run names.
func own(t *testing.T) {
	for _, v := range []string{envSpark, envKafka, envKafkaFromSpark} {
		t.Setenv(v, "")
	}
	t.Setenv(envData, t.TempDir())
}

func start(t *testing.T, opts ...Option) *Env {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	env, err := Start(ctx, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := env.Close(); err != nil {
			t.Error(err)
		}
	})
	return env
}

func TestContainers(t *testing.T) {
	own(t)
	env := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()

	for _, address := range []string{strings.TrimPrefix(env.Spark.Remote, "sc://"), env.Kafka.Host} {
		if err := checkLoopback("address", address); err != nil {
			t.Error(err)
		}
	}
	published := docker(t, "ps", "-q", "--filter", "label="+env.containers.label)
	for _, id := range strings.Fields(published) {
		for _, line := range strings.Split(strings.TrimSpace(docker(t, "port", id)), "\n") {
			if !strings.Contains(line, "-> 127.0.0.1:") {
				t.Errorf("published beyond loopback: %s", line)
			}
		}
	}

	session, err := sql.NewSessionBuilder().Remote(env.Spark.Remote).Build(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Stop()
	query := func(text string) string {
		t.Helper()
		df, err := session.Sql(ctx, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		rows, err := df.Collect(ctx)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var out []string
		for _, row := range rows {
			out = append(out, fmt.Sprint(row.Values()...))
		}
		return strings.Join(out, ",")
	}

	t.Run("configuration", func(t *testing.T) {
		if got := query("SELECT current_timezone()"); got != "UTC" {
			t.Errorf("session time zone %s", got)
		}
		if got := query("SELECT version()"); !strings.HasPrefix(got, "4.2.0") {
			t.Errorf("version %s", got)
		}
	})

	t.Run("shared folder", func(t *testing.T) {
		dir := env.Dir(t)
		if err := os.WriteFile(filepath.Join(dir, "in.csv"), []byte("1\n2\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := query("SELECT sum(int(_c0)) FROM csv.`" + dir + "/in.csv`"); got != "3" {
			t.Errorf("Spark read %s from the test's file", got)
		}
		out := filepath.Join(dir, "out")
		query("INSERT OVERWRITE DIRECTORY '" + out + "' USING json SELECT 7 AS n")
		files, err := filepath.Glob(out + "/part-*")
		if err != nil || len(files) == 0 {
			t.Fatalf("no file of Spark's in %s: %v", out, err)
		}
		for _, path := range append(files, out) {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			// Everybody may read and delete, since the test need not be root.
			if mode := info.Mode().Perm(); mode&0o066 != 0o066 {
				t.Errorf("%s has mode %v", path, mode)
			}
		}
	})

	t.Run("Kafka from both sides", func(t *testing.T) {
		produce(ctx, t, env.Kafka, "both", "from the host")
		df, err := session.Read().Format("kafka").
			Option("kafka.bootstrap.servers", env.Kafka.FromSpark).Option("subscribe", "both").Load("")
		if err != nil {
			t.Fatal(err)
		}
		rows, err := df.Collect(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) != 1 || string(rows[0].Value("value").([]byte)) != "from the host" {
			t.Errorf("Spark read %v", rows)
		}
	})

	t.Run("Kafka dies and comes back", func(t *testing.T) {
		produce(ctx, t, env.Kafka, "dies", "before")
		for _, end := range []func(context.Context) error{env.Kafka.Kill, env.Kafka.Stop} {
			if err := end(ctx); err != nil {
				t.Fatal(err)
			}
			if conn, err := net.DialTimeout("tcp", env.Kafka.Host, time.Second); err == nil {
				conn.Close()
				t.Fatal("the broker still listens")
			}
			if err := env.Kafka.Start(ctx); err != nil {
				t.Fatal(err)
			}
		}
		produce(ctx, t, env.Kafka, "dies", "after")
		if got := strings.Join(consume(ctx, t, env.Kafka, "dies", 2), " "); got != "before after" {
			t.Errorf("the topic holds %q", got)
		}
		if _, err := env.Kafka.Logs(ctx); err != nil {
			t.Error(err)
		}
	})

	t.Run("close", func(t *testing.T) {
		if err := env.Close(); err != nil {
			t.Fatal(err)
		}
		assertGone(t, env.containers.label, env.DataDir)
	})
}

func TestSparkConf(t *testing.T) {
	own(t)
	env := start(t, WithoutKafka(), SparkConf("spark.sql.session.timeZone", "Asia/Tokyo"))
	if env.Kafka != nil {
		t.Error("WithoutKafka started Kafka")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	session, err := sql.NewSessionBuilder().Remote(env.Spark.Remote).Build(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Stop()
	df, err := session.Sql(ctx, "SELECT current_timezone()")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := df.Collect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got := rows[0].At(0); got != "Asia/Tokyo" {
		t.Errorf("time zone %v", got)
	}
}

// TestKilled proves that a test process which dies without a chance to clean up
// leaves no container, network or folder.
func TestKilled(t *testing.T) {
	own(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+t.TempDir())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var said []string
	for len(said) < 2 && lines.Scan() {
		said = append(said, lines.Text())
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // "signal: killed"
	if len(said) < 2 {
		t.Fatal("the child did not start its server")
	}
	deadline := time.Now().Add(time.Minute)
	for time.Now().Before(deadline) {
		if _, err := os.Stat(said[1]); errors.Is(err, os.ErrNotExist) {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	assertGone(t, said[0], said[1])
}

// child starts a broker, says what it made and waits for its end.
func child(dir string) int {
	if err := os.Setenv(envData, dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	env, err := Start(ctx, WithoutSpark())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Printf("%s\n%s\n", env.containers.label, env.DataDir)
	time.Sleep(time.Minute)
	return 1
}

func TestNamedServers(t *testing.T) {
	own(t)
	t.Setenv(envSpark, "sc://127.0.0.1:15002")
	t.Setenv(envKafka, "127.0.0.1:9094,localhost:9095")
	t.Setenv(envKafkaFromSpark, "kafka:9092")
	env := start(t)
	if env.Spark.Remote != "sc://127.0.0.1:15002" || len(env.Kafka.Seeds()) != 2 || env.Kafka.FromSpark != "kafka:9092" {
		t.Errorf("got %+v, %+v", env.Spark, env.Kafka)
	}
	if err := env.Kafka.Stop(t.Context()); !errors.Is(err, ErrNotOurs) {
		t.Errorf("Stop: %v", err)
	}
	dir := env.DataDir
	if err := env.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data folder is still there: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	for _, tc := range []struct {
		name string
		env  map[string]string
		opts []Option
		want []string
	}{
		{"foreign Spark", map[string]string{envSpark: "sc://10.0.0.7:15002"}, nil, []string{"loopback", envSpark}},
		{"no Spark address", map[string]string{envSpark: "127.0.0.1:15002"}, nil, []string{"sc://host:port"}},
		{"foreign Kafka", map[string]string{envKafka: "127.0.0.1:9094,10.0.0.7:9092"}, nil, []string{"loopback", "10.0.0.7"}},
		{"Kafka that Spark cannot dial", map[string]string{envKafka: "127.0.0.1:9094"}, nil, []string{envKafkaFromSpark}},
		{"relative folder", map[string]string{envData: "data"}, nil, []string{"absolute"}},
		{"configured Spark", map[string]string{envSpark: "sc://127.0.0.1:15002"}, []Option{SparkConf("a", "b")}, []string{"--conf a=b", envSpark}},
		{"no image", map[string]string{envKafkaImage: "spoonbill-kafka:none"}, []Option{WithoutSpark()}, []string{"spoonbill-kafka:none", "images/setup.sh"}},
		{"no Docker", map[string]string{"DOCKER_HOST": "unix:///nowhere.sock"}, nil, []string{"no Docker", "images/setup.sh", envSpark}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			own(t)
			for k, v := range tc.env {
				t.Setenv(k, v)
			}
			env, err := Start(t.Context(), tc.opts...)
			if err == nil {
				t.Fatal("started", env.Close())
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
		})
	}
}

func produce(ctx context.Context, t *testing.T, k *Kafka, topic, value string) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(k.Seeds()...), kgo.AllowAutoTopicCreation())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.ProduceSync(ctx, &kgo.Record{Topic: topic, Value: []byte(value)}).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

func consume(ctx context.Context, t *testing.T, k *Kafka, topic string, n int) []string {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(k.Seeds()...), kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var values []string
	for len(values) < n {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) { values = append(values, string(r.Value)) })
	}
	return values
}

func assertGone(t *testing.T, label, dir string) {
	t.Helper()
	if left := docker(t, "ps", "-aq", "--filter", "label="+label); left != "" {
		t.Errorf("containers left: %s", left)
	}
	if left := docker(t, "network", "ls", "-q", "--filter", "label="+label); left != "" {
		t.Errorf("networks left: %s", left)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("folder %s: %v", dir, err)
	}
}

func docker(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("docker", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("docker %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
