//go:build conformance

package testenv

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// The environment variables that name servers which run already.
const (
	envSpark          = "SPARK_REMOTE"
	envKafka          = "KAFKA_BROKERS"
	envKafkaFromSpark = "KAFKA_BROKERS_FROM_SPARK"
	envData           = "SPOONBILL_DATA"
)

// ErrNotOurs is what Stop, Kill, Start and Logs return for a server that the
// environment named: it is not for a test to end it.
var ErrNotOurs = errors.New("testenv: the server was named by the environment, not started here")

// Env is what a test runs against. Close ends it.
type Env struct {
	// Spark is nil under WithoutSpark.
	Spark *Spark
	// Kafka is nil under WithoutKafka.
	Kafka *Kafka
	// DataDir is a folder of this Env alone that Spark reads and writes under the
	// same path, as is everything below it. Close removes it.
	DataDir string

	containers *containers
}

// Spark is a Spark Connect server.
type Spark struct {
	// Remote is its address in Spark's own form, "sc://127.0.0.1:port".
	Remote string
	Server
}

// Kafka is a Kafka broker, which has one address for each side that dials it.
type Kafka struct {
	// Host is the bootstrap list for clients in the test process.
	Host string
	// FromSpark is the bootstrap list for Spark, that is, for the options of a
	// source or sink that Spark runs.
	FromSpark string
	Server
}

// Seeds is Host as a list, the form that Go clients take.
func (k *Kafka) Seeds() []string { return strings.Split(k.Host, ",") }

// Option changes what Start provides.
type Option func(*config)

type config struct {
	spark, kafka bool
	sparkConf    []string
}

// WithoutSpark leaves Spark out, for a test of Kafka alone.
func WithoutSpark() Option { return func(c *config) { c.spark = false } }

// WithoutKafka leaves Kafka out, for a test of Spark alone.
func WithoutKafka() Option { return func(c *config) { c.kafka = false } }

// SparkConf sets a static configuration of the Spark server, one that a session
// can no longer change. Start refuses it for a server that runs already.
func SparkConf(key, value string) Option {
	return func(c *config) { c.sparkConf = append(c.sparkConf, "--conf", key+"="+value) }
}

// Start gives what the options ask for, Spark and Kafka by default, ready to be
// used. The context bounds the start alone. An error says what is missing on
// this machine and how to get it; nothing is left running then.
func Start(ctx context.Context, opts ...Option) (_ *Env, err error) {
	cfg := config{spark: true, kafka: true}
	for _, opt := range opts {
		opt(&cfg)
	}
	env, err := fromEnvironment(cfg)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, env.Close())
		}
	}()
	if env.DataDir, err = runDir(os.Getenv(envData)); err != nil {
		return nil, err
	}

	needSpark, needKafka := cfg.spark && env.Spark == nil, cfg.kafka && env.Kafka == nil
	if !needSpark && !needKafka {
		return env, nil
	}
	if env.containers, err = newContainers(ctx, env.DataDir); err != nil {
		return nil, err
	}
	g, gctx := errgroup.WithContext(ctx)
	if needSpark {
		g.Go(func() (err error) {
			env.Spark, err = env.containers.startSpark(gctx, env.DataDir, cfg.sparkConf)
			return err
		})
	}
	if needKafka {
		sparkOnHost := cfg.spark && !needSpark
		g.Go(func() (err error) {
			env.Kafka, err = env.containers.startKafka(gctx)
			if err == nil && sparkOnHost {
				// A Spark outside the containers' network does not know its names.
				env.Kafka.FromSpark = env.Kafka.Host
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return env, nil
}

// Run is the body of a TestMain: it starts an Env, puts it where env points, runs
// the tests and ends the Env. The result is the exit code.
func Run(m *testing.M, env **Env, opts ...Option) int { return Main(m, env, opts...).Run() }

// Main is m with Run around its tests, for a helper that wants to call m.Run
// itself: goleak.VerifyTestMain(testenv.Main(m, &env)).
func Main(m *testing.M, env **Env, opts ...Option) interface{ Run() int } {
	return testMain{m, env, opts}
}

type testMain struct {
	m    *testing.M
	env  **Env
	opts []Option
}

func (t testMain) Run() int {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	env, err := Start(ctx, t.opts...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	*t.env = env
	code := t.m.Run()
	if err := env.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// Close removes what Start made: containers, their network and the data folder.
// Servers that the environment named go on.
func (e *Env) Close() error {
	err := e.containers.close()
	if e.DataDir != "" {
		err = errors.Join(err, os.RemoveAll(e.DataDir))
	}
	return err
}

// Dir makes a folder below DataDir for one test, which removes it when it ends.
// Spark sees it under the same path and may write into it.
func (e *Env) Dir(tb testing.TB) string {
	tb.Helper()
	dir, err := openDir(e.DataDir, "test-")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	return dir
}

// fromEnvironment holds the servers that the environment names, and nil for
// those that it does not.
func fromEnvironment(cfg config) (*Env, error) {
	env := new(Env)
	remote, brokers, inside := os.Getenv(envSpark), os.Getenv(envKafka), os.Getenv(envKafkaFromSpark)
	if cfg.spark && remote != "" {
		if err := checkRemote(remote); err != nil {
			return nil, err
		}
		if len(cfg.sparkConf) > 0 {
			return nil, fmt.Errorf("testenv: this test starts Spark with %s: unset %s", strings.Join(cfg.sparkConf, " "), envSpark)
		}
		env.Spark = &Spark{Remote: remote}
	}
	if cfg.kafka && brokers != "" {
		for _, broker := range strings.Split(brokers, ",") {
			if err := checkLoopback(envKafka, broker); err != nil {
				return nil, err
			}
		}
		if inside == "" {
			if cfg.spark && env.Spark == nil {
				return nil, fmt.Errorf("testenv: %s is set and %s is not: a Spark in a container cannot dial %s; set %s too, or unset %[1]s",
					envKafka, envSpark, brokers, envKafkaFromSpark)
			}
			inside = brokers
		}
		env.Kafka = &Kafka{Host: brokers, FromSpark: inside}
	}
	return env, nil
}

func checkRemote(remote string) error {
	u, err := url.Parse(remote)
	if err != nil || u.Scheme != "sc" || u.Host == "" {
		return fmt.Errorf("testenv: %s=%q is not of the form sc://host:port", envSpark, remote)
	}
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), "15002")
	}
	return checkLoopback(envSpark, host)
}

// checkLoopback holds the tests on this machine: they write files, make topics
// and stop servers, which nobody wants on a cluster that a variable happened to
// name.
func checkLoopback(variable, address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("testenv: %s: %w", variable, err)
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("testenv: %s: %s is not on this machine; the tests run against loopback addresses only", variable, address)
}

// runDir makes the data folder of one Env below base, or below a folder of the
// machine's temporary directory if base is empty.
func runDir(base string) (string, error) {
	if base == "" {
		base = filepath.Join(os.TempDir(), "spoonbill-data")
	}
	if !filepath.IsAbs(base) {
		return "", fmt.Errorf("testenv: %s=%q must be an absolute path: Spark has it under the same one", envData, base)
	}
	if _, err := os.Stat(base); errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll(base, 0o777); err != nil {
			return "", fmt.Errorf("testenv: %w", err)
		}
		if err := os.Chmod(base, 0o777); err != nil {
			return "", fmt.Errorf("testenv: %w", err)
		}
	}
	return openDir(base, "run-")
}

// openDir makes a folder in parent that everybody may write into: Spark and the
// test need not be the same user.
func openDir(parent, prefix string) (string, error) {
	dir, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return "", fmt.Errorf("testenv: %w", err)
	}
	// MkdirTemp's own mode is 0700, and Mkdir's would be cut by the umask.
	if err := os.Chmod(dir, 0o777); err != nil {
		return "", fmt.Errorf("testenv: %w", err)
	}
	return dir, nil
}
