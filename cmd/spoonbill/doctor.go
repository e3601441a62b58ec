package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// finding is what one check found. State is ok, note (nothing is broken, but something will not work), or bad.
type finding struct {
	State string `json:"state"`
	Check string `json:"check"`
	Found string `json:"found"`
	// Do is the way out; empty where there is nothing to do.
	Do string `json:"do,omitempty"`
}

const (
	fine = "ok"
	note = "note"
	bad  = "bad"
)

// patience bounds each check that waits for somebody else.
const patience = 20 * time.Second

// doctor looks at what a program with Spoonbill may need and says what to do about what is missing. What was asked for and is broken is an error; what only some programs need
// is a note.
func doctor(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet("doctor", flag.ContinueOnError)
	spark := flags.String("spark", os.Getenv("SPARK_REMOTE"), "the Spark Connect server, sc://host:port; the default is SPARK_REMOTE")
	kafka := flags.String("kafka", os.Getenv("KAFKA_BROKERS"), "the Kafka brokers, host:port,host:port; the default is KAFKA_BROKERS")
	checkpoint := flags.String("checkpoint", "", "a folder of this machine where checkpoints are to be")
	asJSON := flags.Bool("json", false, "print JSON")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("doctor takes flags alone, not %q", flags.Arg(0))
	}
	found := []finding{checkEngine(ctx), checkJava(ctx), checkDocker(ctx)}
	found = append(found, checkSpark(ctx, *spark)...)
	found = append(found, checkKafka(ctx, *kafka)...)
	if *checkpoint != "" {
		found = append(found, checkFolder(*checkpoint))
	}
	if *asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		if err := e.Encode(found); err != nil {
			return err
		}
	} else if err := printFindings(out, found); err != nil {
		return err
	}
	broken := 0
	for _, f := range found {
		if f.State == bad {
			broken++
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d of %d checks found something broken", broken, len(found))
	}
	return ctx.Err()
}

func printFindings(out io.Writer, found []finding) error {
	for _, f := range found {
		if _, err := fmt.Fprintf(out, "%-5s %-12s %s\n", f.State, f.Check, f.Found); err != nil {
			return err
		}
		if f.Do != "" {
			if _, err := fmt.Fprintf(out, "%19s%s\n", "", f.Do); err != nil {
				return err
			}
		}
	}
	return nil
}

func threeRows() expr.Table { return expr.Memtable("rows", []struct{ N int64 }{{1}, {2}, {3}}) }

// checkEngine asks the local engine something.
func checkEngine(ctx context.Context) finding {
	f := finding{State: fine, Check: "engine", Found: fmt.Sprintf("the local engine works; %s, %s/%s, %d processors, Spoonbill %s", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), version())}
	err := func() (err error) {
		s, err := local.Open()
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		n, err := backend.Count(ctx, s, threeRows())
		if err == nil && n != 3 {
			err = fmt.Errorf("three rows were counted as %d", n)
		}
		return err
	}()
	if err != nil {
		return finding{bad, "engine", err.Error(), ""}
	}
	return f
}

// version is that of the module as it was built.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// said gives the first line that a program prints, of either stream.
func said(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	text, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return line, err
}

var javaVersion = regexp.MustCompile(`version "(?:1\.)?(\d+)`)

// checkJava looks for what a Spark on this machine would need; a program needs none.
func checkJava(ctx context.Context) finding {
	line, err := said(ctx, "java", "-version")
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return finding{note, "Java", "there is none", "Neither the local engine nor a Spark elsewhere needs it; to run Spark 4 on this machine without a container, install Java 17 or 21."}
	case err != nil:
		return finding{note, "Java", fmt.Sprintf("java -version failed: %v: %s", err, line), "Only a Spark on this machine needs it."}
	}
	if m := javaVersion.FindStringSubmatch(line); m == nil || len(m[1]) < 2 || m[1] < "17" {
		return finding{note, "Java", line, "Spark 4 needs Java 17 or 21. Only a Spark on this machine needs it."}
	}
	return finding{State: fine, Check: "Java", Found: line}
}

// checkDocker looks for what the containers of make demo BACKEND=spark and of the conformance suite need.
func checkDocker(ctx context.Context) finding {
	line, err := said(ctx, "docker", "version", "--format", "{{.Server.Version}}")
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return finding{note, "Docker", "there is none", "Only the Spark and Kafka containers of the demo and the tests need it."}
	case err != nil:
		return finding{note, "Docker", "the daemon does not answer: " + line, "Start it, or look whether this user may use it (group docker). Only the Spark and Kafka containers of the demo and the tests need it."}
	}
	return finding{State: fine, Check: "Docker", Found: "the daemon's version is " + line}
}

// provider is a source of a server's whose columns are not known.
type provider string

// Source implements [expr.Source].
func (p provider) Source() (*tree.Source, error) {
	return &tree.Source{Format: string(p), Batch: true, Undeclared: true}, nil
}

// jars are the providers that come with a jar of their own, and where that is from. %[1]s is Spark's version and %[2]s its first two numbers.
var jars = []struct{ format, check, has, do string }{
	{"kafka", "Kafka jar", "the server reads and writes Kafka", "For Kafka on Spark start the server with --packages org.apache.spark:spark-sql-kafka-0-10_2.13:%[1]s"},
	{"avro", "Avro jar", "the server reads and writes Avro", "For Avro on Spark start the server with --packages org.apache.spark:spark-avro_2.13:%[1]s"},
	{"delta", "Delta jar", "the server has Delta tables", "For Delta tables start the server with --packages io.delta:delta-spark_%[2]s_2.13:… of the version for Spark %[2]s, and its catalogue and extension settings"},
	{"aws-kinesis", "Kinesis jar", "the server reads Kinesis", "For Kinesis on Spark start the server with the spark-sql-kinesis-connector jar of Spark %[2]s"},
}

// supported are the versions that have rules of streaming queries here; tried are those that the conformance suite runs on.
var (
	supported = []string{"3.5", "4.0", "4.1", "4.2", "4.3"}
	tried     = "4.2.0 and 4.3.0"
)

// checkSpark connects, asks a query, and looks which providers the server has.
func checkSpark(ctx context.Context, remote string) []finding {
	if remote == "" {
		return []finding{{note, "Spark", "no server was named", "Give -spark sc://host:port or set SPARK_REMOTE to have one looked at."}}
	}
	ctx, cancel := context.WithTimeout(ctx, 3*patience)
	defer cancel()
	began := time.Now()
	s, err := connectWithin(ctx, remote)
	if err != nil {
		return []finding{{bad, "Spark", err.Error(), "Look whether the server runs and listens there: sbin/start-connect-server.sh serves sc://HOST:15002. Through TLS the address ends in /;use_ssl=true, with a token in ;token=…"}}
	}
	defer func() { _ = s.Close() }() // nothing was begun that could be lost
	n, err := backend.Count(ctx, s, threeRows())
	if err == nil && n != 3 {
		err = fmt.Errorf("three rows were counted as %d", n)
	}
	if err != nil {
		return []finding{{bad, "Spark", "the server answers but runs no query: " + err.Error(), "Look at the server's log: executors may be missing."}}
	}
	minor := s.Version()
	if p := strings.SplitN(minor, ".", 3); len(p) > 1 {
		minor = p[0] + "." + p[1]
	}
	found := finding{State: fine, Check: "Spark", Found: fmt.Sprintf("version %s in the zone %s; connected and asked in %v", s.Version(), s.Zone(), time.Since(began).Round(time.Millisecond))}
	if !slices.Contains(supported, minor) {
		found.State, found.Do = note, fmt.Sprintf("Spoonbill knows Spark %s, and is tried on %s: what another version refuses is not known before it runs.", strings.Join(supported, ", "), tried)
	}
	out := []finding{found}
	for _, j := range jars {
		_, err := s.Schema(ctx, provider(j.format))
		switch of := condition.Of(err); {
		case of == condition.DataSourceNotFound:
			out = append(out, finding{note, j.check, "the server has none", fmt.Sprintf(j.do, s.Version(), minor)})
		case ctx.Err() != nil || of == condition.ServerUnavailable:
			return append(out, finding{bad, j.check, err.Error(), "The server has ended, or is too slow to tell; look at its log and try again."})
		default:
			// It is there: another error is that it wants a path or a topic.
			out = append(out, finding{State: fine, Check: j.check, Found: j.has})
		}
	}
	return out
}

// connectWithin connects without the patience that a program would have for a server that starts.
func connectWithin(ctx context.Context, remote string) (*sparkconnect.Session, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return sparkconnect.Connect(ctx, remote)
}

// checkKafka asks the brokers who they are.
func checkKafka(ctx context.Context, servers string) []finding {
	if servers == "" {
		return []finding{{note, "Kafka", "no brokers were named", "Give -kafka host:port or set KAFKA_BROKERS to have them looked at."}}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	broken := func(err error) []finding {
		return []finding{{bad, "Kafka", servers + ": " + err.Error(), "Look whether the brokers run, whether their advertised.listeners can be reached from here, and whether they want TLS or SASL, which programs give by connectors.TLS and connectors.SASL."}}
	}
	var seeds []string
	for _, s := range strings.Split(servers, ",") {
		if s = strings.TrimSpace(s); s != "" {
			seeds = append(seeds, s)
		}
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(seeds...), kgo.RetryTimeout(patience/2))
	if err != nil {
		return broken(err)
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	meta, err := admin.BrokerMetadata(ctx)
	if err != nil {
		return broken(err)
	}
	// Each broker is asked at the address that it advertises, which is the one that programs use.
	versions, err := admin.ApiVersions(ctx)
	if err != nil {
		return broken(err)
	}
	guess := ""
	for _, v := range versions.Sorted() {
		if v.Err != nil {
			return broken(fmt.Errorf("broker %d: %w", v.NodeID, v.Err))
		}
		guess = v.VersionGuess()
	}
	return []finding{{State: fine, Check: "Kafka", Found: fmt.Sprintf("%d brokers of version %s, cluster %s", len(meta.Brokers), guess, meta.Cluster)}}
}

// checkFolder tries what a checkpoint needs of its folder.
func checkFolder(dir string) finding {
	err := func() error {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		f, err := os.CreateTemp(dir, ".spoonbill-doctor-*")
		if err != nil {
			return err
		}
		_, err = f.WriteString("x")
		err = errors.Join(err, f.Sync(), f.Close())
		to := filepath.Join(dir, filepath.Base(f.Name())+".moved")
		if err != nil {
			return errors.Join(err, os.Remove(f.Name()))
		}
		if err := os.Rename(f.Name(), to); err != nil {
			return errors.Join(err, os.Remove(f.Name()))
		}
		return os.Remove(to)
	}()
	if err != nil {
		return finding{bad, "checkpoint", err.Error(), "A checkpoint needs a folder where files can be made, synced, renamed and removed, with room for the state."}
	}
	return finding{State: fine, Check: "checkpoint", Found: dir + ": files can be made, synced, renamed and removed"}
}
