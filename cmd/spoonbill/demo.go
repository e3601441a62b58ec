package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/examples/payments"
	"github.com/spoonbill-go/spoonbill/observe"
	"github.com/spoonbill-go/spoonbill/observe/dashboard"
)

// demo fills a topic with payments, runs the job of examples/payments over it, shows what happens, and checks the output topic by a reader that has nothing
// of Spoonbill.
func demo(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	on := flags.String("backend", "local", "local, or spark: needs SPARK_REMOTE, KAFKA_BROKERS and KAFKA_BROKERS_FROM_SPARK (make demo BACKEND=spark sets them)")
	seed := flags.Uint64("seed", 0, "repeats an earlier run; 0 takes a new one")
	count := flags.Int("count", 2000, "how many payments")
	page := flags.String("dashboard", "", "an address of this machine such as 127.0.0.1:4280: the dashboard is there until the demo is interrupted")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *count < 1 {
		return fmt.Errorf("-count is %d, and at least one payment is needed", *count)
	}
	if *seed == 0 {
		*seed = rand.Uint64N(1_000_000) + 1
	}
	fmt.Fprintf(out, "Payments from seed %d (SEED=%d repeats it), on %s.\n\n", *seed, *seed, *on)

	b, err := openBench(ctx, *on)
	if err != nil {
		return err
	}
	defer b.close()

	suffix := uuid.NewString()[:8]
	in, sink := "payments-"+suffix, "totals-"+suffix
	messages := payments.Generate(*seed, *count)
	if err := fill(ctx, b.kafka, in, sink, messages); err != nil {
		return err
	}
	defer func() {
		// Topics on a broker that outlives the demo are taken away again; the in-process broker takes them with it.
		bg, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		_, _ = kadm.NewClient(b.kafka).DeleteTopics(bg, in, sink)
	}()

	totals := payments.Totals(b.servers, in)
	sql, err := compiler.SQL(totals)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "The query:\n\n%s\n\n", indent(sql))
	write := payments.Write(totals, b.servers, sink, filepath.Join(b.dir, "checkpoint-"+suffix))
	program, err := compiler.CompileWrite(write, compiler.Stream)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "The program, as PySpark:\n\n%s\n", indent(program.String()))

	seen, err := showPage(ctx, out, b.session, *page)
	if err != nil {
		return err
	}
	defer seen.close()

	began := time.Now()
	query, err := b.session.Start(ctx, write)
	if err != nil {
		return err
	}
	if err := follow(ctx, out, query); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nDone after %.1f s.\n\n", time.Since(began).Seconds())
	if err := check(ctx, out, b.kafka, in, sink, len(messages)); err != nil {
		return err
	}
	return seen.wait(ctx, out)
}

// shown is the dashboard of a demo; nil where none was asked for.
type shown struct {
	monitor *observe.Monitor
	page    *dashboard.Server
}

// showPage serves the dashboard of a session's queries, if an address is given.
func showPage(ctx context.Context, out io.Writer, s backend.Session, addr string) (*shown, error) {
	if addr == "" {
		return nil, nil
	}
	m := observe.NewMonitor(observe.Options{})
	err := m.Watch(ctx, "demo", s)
	if err != nil {
		m.Close()
		return nil, err
	}
	page, err := dashboard.Serve(ctx, addr, m, dashboard.Options{})
	if err != nil {
		m.Close()
		return nil, err
	}
	fmt.Fprintf(out, "The dashboard: %s\n\n", page.URL())
	return &shown{m, page}, nil
}

// wait keeps the dashboard until the program is interrupted.
func (s *shown) wait(ctx context.Context, out io.Writer) error {
	if s == nil {
		return nil
	}
	fmt.Fprintf(out, "\nThe dashboard stays at %s; Ctrl+C ends it.\n", s.page.URL())
	<-ctx.Done()
	return nil
}

func (s *shown) close() {
	if s != nil {
		_ = s.page.Close()
		s.monitor.Close()
	}
}

func indent(s string) string { return "    " + strings.ReplaceAll(s, "\n", "\n    ") }

// bench is what the demo runs on.
type bench struct {
	session backend.Session
	kafka   *kgo.Client
	servers string // as the session dials them
	dir     string // for checkpoints, as the session sees it
	close   func()
}

func openBench(ctx context.Context, on string) (*bench, error) {
	switch on {
	case "local":
		cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
		if err != nil {
			return nil, fmt.Errorf("in-process broker: %w", err)
		}
		servers := strings.Join(cluster.ListenAddrs(), ",")
		dir, err := os.MkdirTemp("", "spoonbill-demo-")
		if err != nil {
			cluster.Close()
			return nil, err
		}
		session, err := local.Open()
		if err != nil {
			cluster.Close()
			return nil, err
		}
		client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
		if err != nil {
			cluster.Close()
			return nil, err
		}
		return &bench{session, client, servers, dir, func() {
			client.Close()
			session.Close()
			cluster.Close()
			os.RemoveAll(dir)
		}}, nil
	case "spark":
		remote, brokers, fromSpark := os.Getenv("SPARK_REMOTE"), os.Getenv("KAFKA_BROKERS"), os.Getenv("KAFKA_BROKERS_FROM_SPARK")
		if remote == "" || brokers == "" {
			return nil, fmt.Errorf("the demo on Spark needs SPARK_REMOTE (sc://host:port) and KAFKA_BROKERS (host:port); make demo BACKEND=spark starts both in containers")
		}
		if fromSpark == "" {
			fromSpark = brokers
		}
		dir := os.Getenv("SPOONBILL_DATA")
		if dir == "" {
			dir = "/tmp"
		}
		session, err := sparkconnect.Connect(ctx, remote)
		if err != nil {
			return nil, err
		}
		client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(brokers, ",")...))
		if err != nil {
			session.Close()
			return nil, err
		}
		return &bench{session, client, fromSpark, dir, func() { client.Close(); session.Close() }}, nil
	}
	return nil, fmt.Errorf("there is no backend %q: local or spark", on)
}

// fill makes the two topics, of one partition each, and writes the messages into the first.
func fill(ctx context.Context, client *kgo.Client, in, sink string, messages [][]byte) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	made, err := kadm.NewClient(client).CreateTopics(ctx, 1, 1, nil, in, sink)
	if err == nil {
		err = made.Error()
	}
	if err != nil {
		return fmt.Errorf("make topics: %w", err)
	}
	records := make([]*kgo.Record, len(messages))
	for i, m := range messages {
		records[i] = &kgo.Record{Topic: in, Value: m}
	}
	if err := client.ProduceSync(ctx, records...).FirstErr(); err != nil {
		return fmt.Errorf("fill topic %s: %w", in, err)
	}
	return nil
}

// follow prints each epoch's progress until the query has ended.
func follow(ctx context.Context, out io.Writer, query backend.Query) error {
	fmt.Fprintln(out, "Epochs:")
	ended := make(chan error, 1)
	go func() { ended <- query.AwaitTermination(ctx) }()
	seen := int64(-1)
	show := func() error {
		recent, err := query.RecentProgress(ctx)
		if err != nil {
			return err
		}
		for _, p := range recent {
			if p.BatchID <= seen {
				continue
			}
			seen = p.BatchID
			var late, rows int64
			malformed := "" // Spark does not count them
			for _, s := range p.Sources {
				if n, ok := s.Metrics["malformedRecords"]; ok {
					malformed += ", " + n + " malformed"
				}
			}
			for _, s := range p.StateOperators {
				late, rows = late+s.NumRowsDroppedByWatermark, rows+s.NumRowsTotal
			}
			watermark := p.EventTime["watermark"]
			if watermark == "" {
				watermark = "none yet"
			}
			fmt.Fprintf(out, "  epoch %2d: %4d rows in%s, watermark %s, %3d late, %4d rows of state, %d ms\n", p.BatchID, p.NumInputRows, malformed, watermark, late, rows, p.DurationMs["triggerExecution"])
		}
		return nil
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil {
				return err
			}
			return show()
		case <-tick.C:
			if err := show(); err != nil {
				return err
			}
		}
	}
}

// check compares the output topic with what the input topic says.
func check(ctx context.Context, out io.Writer, client *kgo.Client, in, sink string, count int) error {
	input, err := readTopic(ctx, client, in)
	if err != nil {
		return err
	}
	if len(input) != count {
		return fmt.Errorf("topic %s has %d messages, %d were written", in, len(input), count)
	}
	output, err := readTopic(ctx, client, sink)
	if err != nil {
		return err
	}
	got, err := payments.Read(output)
	if err != nil {
		return err
	}
	fmt.Fprint(out, payments.Table(got))
	want := payments.Expect(input, payments.PerEpoch)
	if d := payments.Differences(want.Sums, got); len(d) > 0 {
		return fmt.Errorf("the output is not what the input says:\n  %s", strings.Join(d, "\n  "))
	}
	fmt.Fprintf(out, "\nAn independent reader of the input topic (%d messages, %d broken, %d late) computes the same %d windows.\n", len(input), want.Broken, want.Late, len(got))
	return nil
}

// readTopic reads partition 0 of a topic from its start to its present end.
func readTopic(ctx context.Context, like *kgo.Client, topic string) ([][]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	ends, err := kadm.NewClient(like).ListEndOffsets(ctx, topic)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("read topic %s: %w", topic, err)
	}
	end, _ := ends.Lookup(topic, 0)
	client, err := kgo.NewClient(append(like.Opts(), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: {0: kgo.NewOffset().AtStart()}}))...)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	var out [][]byte
	for next := int64(0); next < end.Offset; {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return nil, fmt.Errorf("read topic %s: %w", topic, err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			out = append(out, r.Value)
			next = r.Offset + 1
		})
	}
	return out, nil
}
