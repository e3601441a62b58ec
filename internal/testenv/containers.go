//go:build conformance

package testenv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/moby/moby/api/types/container"
	dockernet "github.com/moby/moby/api/types/network"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
	"github.com/testcontainers/testcontainers-go/network"
	"github.com/testcontainers/testcontainers-go/wait"
	"github.com/twmb/franz-go/pkg/kgo"
)

// readyWithin bounds one server's start. The images take three to five seconds
// on an idle machine; the rest is for a busy one.
const readyWithin = 2 * time.Minute

// The tags that images/setup.sh leaves on what it built last, and the variables
// that name others.
const (
	sparkImage, envSparkImage = "spoonbill-spark:4.2.0", "SPARK_IMAGE"
	kafkaImage, envKafkaImage = "spoonbill-kafka:4.4.0", "KAFKA_IMAGE"
)

// containers is the network of one Env and the janitor that removes it with all
// that is on it.
type containers struct {
	label   string
	network *testcontainers.DockerNetwork
	janitor *janitor
}

// newContainers makes the network. The janitor watches before there is anything
// to remove, so that no moment is left in which a killed test leaks.
func newContainers(ctx context.Context, dataDir string) (*containers, error) {
	// testcontainers' own reaper is an image from a public registry, and without
	// the override it may dial a gateway address. It reads both only once.
	for key, value := range map[string]string{
		"TESTCONTAINERS_RYUK_DISABLED": "true",
		"TESTCONTAINERS_HOST_OVERRIDE": "127.0.0.1",
	} {
		if _, set := os.LookupEnv(key); !set {
			if err := os.Setenv(key, value); err != nil {
				return nil, fmt.Errorf("testenv: %w", err)
			}
		}
	}
	log.SetDefault(discard{})

	if out, err := exec.CommandContext(ctx, "docker", "version", "--format", "{{.Server.Version}}").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("testenv: no Docker (%s): run images/setup.sh as root, which installs and starts it, or name running servers in %s and %s",
			firstLine(out, err), envSpark, envKafka)
	}
	c := &containers{label: "spoonbill.testenv=" + uuid.NewString()}
	var err error
	if c.janitor, err = newJanitor(c.label, dataDir); err != nil {
		return nil, err
	}
	c.network, err = network.New(ctx, network.WithDriver("bridge"), network.WithLabels(c.labels()))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("testenv: network: %w", err), c.close())
	}
	return c, nil
}

func (c *containers) labels() map[string]string {
	key, value, _ := strings.Cut(c.label, "=")
	return map[string]string{key: value}
}

func (c *containers) close() error {
	if c == nil {
		return nil
	}
	return c.janitor.finish()
}

func (c *containers) startSpark(ctx context.Context, dataDir string, conf []string) (*Spark, error) {
	ctr, address, err := c.run(ctx, "spark", image(envSparkImage, sparkImage), "15002/tcp", "Spark Connect server started",
		func(string) []testcontainers.ContainerCustomizer {
			return []testcontainers.ContainerCustomizer{
				testcontainers.WithCmd(conf...),
				testcontainers.WithHostConfigModifier(func(hc *container.HostConfig) {
					hc.Binds = append(hc.Binds, dataDir+":"+dataDir)
				}),
			}
		})
	if err != nil {
		return nil, err
	}
	spark := &Spark{Remote: "sc://" + address}
	spark.Server = Server{name: "Spark", container: ctr, ready: func(ctx context.Context) error { return dial(ctx, address) }}
	return spark, spark.await(ctx)
}

func (c *containers) startKafka(ctx context.Context) (*Kafka, error) {
	ctr, address, err := c.run(ctx, "kafka", image(envKafkaImage, kafkaImage), "9094/tcp", "Kafka Server started",
		func(address string) []testcontainers.ContainerCustomizer {
			return []testcontainers.ContainerCustomizer{
				testcontainers.WithEnv(map[string]string{"KAFKA_INSIDE": "kafka:9092", "KAFKA_HOST": address}),
			}
		})
	if err != nil {
		return nil, err
	}
	kafka := &Kafka{Host: address, FromSpark: "kafka:9092"}
	kafka.Server = Server{name: "Kafka", container: ctr, ready: func(ctx context.Context) error { return ping(ctx, address) }}
	return kafka, kafka.await(ctx)
}

// run starts one container on the network under the name alias, with port
// published on loopback, and waits for the line in its log. The port on the host
// is chosen here and not by Docker: a broker has to know it before it starts,
// and a container that is stopped and started again must keep it.
func (c *containers) run(ctx context.Context, alias, image, port, line string,
	opts func(address string) []testcontainers.ContainerCustomizer,
) (*testcontainers.DockerContainer, string, error) {
	if out, err := exec.CommandContext(ctx, "docker", "image", "inspect", "--format", "{{.ID}}", image).CombinedOutput(); err != nil {
		// Asking now matters: a missing image would be looked for in a public registry.
		return nil, "", fmt.Errorf("testenv: no image %s on this machine (%s): run images/setup.sh as root", image, firstLine(out, err))
	}
	const tries = 5
	for try := 1; ; try++ {
		address, err := freeAddress()
		if err != nil {
			return nil, "", err
		}
		all := append([]testcontainers.ContainerCustomizer{
			network.WithNetwork([]string{alias}, c.network),
			testcontainers.WithLabels(c.labels()),
			publish(port, address),
			testcontainers.WithWaitStrategyAndDeadline(readyWithin, wait.ForLog(line).WithPollInterval(50*time.Millisecond)),
		}, opts(address)...)
		ctr, err := testcontainers.Run(ctx, image, all...)
		if err == nil {
			return ctr, address, nil
		}
		if ctr != nil {
			err = errors.Join(err, errors.New(tail(ctr)), testcontainers.TerminateContainer(ctr))
		}
		// Somebody took the port between the choice and the start.
		if try < tries && strings.Contains(err.Error(), "already") {
			continue
		}
		return nil, "", fmt.Errorf("testenv: %s: %w", alias, err)
	}
}

func image(variable, tag string) string {
	if v := os.Getenv(variable); v != "" {
		return v
	}
	return tag
}

func publish(port string, address string) testcontainers.CustomizeRequestOption {
	return func(req *testcontainers.GenericContainerRequest) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		p, err := dockernet.ParsePort(port)
		if err != nil {
			return err
		}
		req.ExposedPorts = append(req.ExposedPorts, port)
		return testcontainers.WithHostConfigModifier(func(hc *container.HostConfig) {
			if hc.PortBindings == nil {
				hc.PortBindings = dockernet.PortMap{}
			}
			hc.PortBindings[p] = []dockernet.PortBinding{{HostIP: at.Addr(), HostPort: strconv.Itoa(int(at.Port()))}}
		})(req)
	}
}

// freeAddress is a loopback address that nothing listened on a moment ago.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("testenv: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// Server is the process behind a Spark or a Kafka: what a test does to it that
// the world would do.
type Server struct {
	name      string
	container *testcontainers.DockerContainer
	ready     func(context.Context) error
}

// Stop ends the server in good order, as a planned restart would. Its data and
// its address stay for Start.
func (s *Server) Stop(ctx context.Context) error { return s.stop(ctx, 30*time.Second) }

// Kill ends the server at once, as a crash would. Its address stays for Start,
// and of its data what it had written.
func (s *Server) Kill(ctx context.Context) error { return s.stop(ctx, 0) }

func (s *Server) stop(ctx context.Context, grace time.Duration) error {
	if s.container == nil {
		return ErrNotOurs
	}
	if err := s.container.Stop(ctx, &grace); err != nil {
		return fmt.Errorf("testenv: stop %s: %w", s.name, err)
	}
	return nil
}

// Start brings a stopped or killed server back under its old address and returns
// when it answers.
func (s *Server) Start(ctx context.Context) error {
	if s.container == nil {
		return ErrNotOurs
	}
	if err := s.container.Start(ctx); err != nil {
		return fmt.Errorf("testenv: start %s: %w", s.name, err)
	}
	return s.await(ctx)
}

// Logs is what the server has printed since it was first started.
func (s *Server) Logs(ctx context.Context) (string, error) {
	if s.container == nil {
		return "", ErrNotOurs
	}
	r, err := s.container.Logs(ctx)
	if err != nil {
		return "", fmt.Errorf("testenv: logs of %s: %w", s.name, err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		return "", fmt.Errorf("testenv: logs of %s: %w", s.name, err)
	}
	return string(b), nil
}

// await asks the server until it answers: after a restart the log holds the line
// of the first start, and proves nothing.
func (s *Server) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	for {
		err := s.ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("testenv: %s does not answer: %w\n%s", s.name, err, tail(s.container))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func dial(ctx context.Context, address string) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return conn.Close()
}

func ping(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	client, err := kgo.NewClient(kgo.SeedBrokers(address))
	if err != nil {
		return err
	}
	defer client.Close()
	return client.Ping(ctx)
}

// tail is the end of a container's log, for an error about it.
func tail(ctr *testcontainers.DockerContainer) string {
	// The caller's context has often ended by now.
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	r, err := ctr.Logs(ctx)
	if err != nil {
		return err.Error()
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return "log: " + strings.Join(lines[max(0, len(lines)-30):], "\n     ")
}

func firstLine(out []byte, err error) string {
	if line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n"); line != "" {
		return line
	}
	return err.Error()
}

// janitor is a shell that removes all containers and networks of a label, and a
// folder, as soon as the test process ends, even by a signal that it cannot
// catch: then the system closes the pipe on which the shell waits.
type janitor struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser
	once sync.Once
	err  error
}

const janitorScript = `
sweep() {
	ids=$(docker ps -aq --filter "label=$1") || return
	[ -z "$ids" ] || docker rm -fv $ids || return
	nets=$(docker network ls -q --filter "label=$1") || return
	[ -z "$nets" ] || docker network rm $nets
}
read -r word
sweep "$1"
code=$?
if [ "$word" != done ]; then
	# The process died with a request to the daemon perhaps under way.
	sleep 5
	sweep "$1"
	code=$?
fi
rm -rf "$2"
exit $code
`

func newJanitor(label, dir string) (*janitor, error) {
	// Its output goes nowhere: "go test" waits for everybody who holds its own.
	cmd := exec.Command("/bin/sh", "-c", janitorScript, "janitor", label, dir)
	// A signal to the test's process group, as from a terminal, must not reach it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("testenv: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("testenv: %w", err)
	}
	return &janitor{cmd: cmd, pipe: pipe}, nil
}

func (j *janitor) finish() error {
	j.once.Do(func() {
		_, err := io.WriteString(j.pipe, "done\n")
		err = errors.Join(err, j.pipe.Close(), j.cmd.Wait())
		if err != nil {
			j.err = fmt.Errorf("testenv: containers may be left (docker ps -a --filter label=spoonbill.testenv): %w", err)
		}
	})
	return j.err
}

// discard keeps testcontainers' account of each step out of the test's output.
type discard struct{}

func (discard) Printf(string, ...any) {}
