package dashboard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/observe"
	"github.com/spoonbill-go/spoonbill/observe/dashboard"
	"github.com/spoonbill-go/spoonbill/observe/metrics"
)

// everything collects what is said of a query, in whatever way.
type everything struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (e *everything) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.Write(p)
}

// add prints a value in every way in which Go prints, with what an error wraps.
func (e *everything) add(v any) {
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		fmt.Fprintf(e, verb+"\n", v)
	}
	if j, err := json.Marshal(v); err == nil {
		_, _ = e.Write(j)
	}
	if err, ok := v.(error); ok {
		for err = errors.Unwrap(err); err != nil; err = errors.Unwrap(err) {
			fmt.Fprintf(e, "%v %#v\n", err, err)
		}
	}
}

// A secret in any option is in no description, plan, script, error, event, report, log, metric or page, be the query refused, broken or running.
func TestSecretsAreNowhere(t *testing.T) {
	t.Parallel()
	const secret = "hunter2\"\\'; --\u00e9"
	// What of it would survive one of the ways to quote a text.
	parts := []string{secret, "hunter2", "hunter2\\\""}
	// Calls of brokers that are not there give up soon.
	brief := []connectors.Option{connectors.Set("kafka.default.api.timeout.ms", "300"), connectors.Set("kafka.request.timeout.ms", "200")}
	reading := append([]connectors.Option{connectors.Set("fetchOffset.numRetries", "1"), connectors.Set("fetchOffset.retryIntervalMs", "10")}, brief...)
	options := map[string][]connectors.Option{
		"raw secret": {connectors.RawSecret("harmless", secret)},
		"plain":      connectors.SASL(connectors.Plain, "ada", secret, false),
		"scram":      connectors.SASL(connectors.ScramSHA512, "ada", secret, true),
	}
	for _, key := range []string{
		"kafka.sasl.jaas.config", "kafka.ssl.keystore.password", "kafka.ssl.key.password", "kafka.ssl.truststore.password", "kafka.ssl.keystore.key", "kafka.sasl.oauthbearer.token.endpoint.url",
		"kafka.sasl.login.callback.handler.client.secret", "kafka.sasl.oauthbearer.client.credentials.client.secret",
	} {
		options[key] = []connectors.Option{connectors.Set(key, secret)}
	}
	for _, key := range []string{"my.token", "password", "fs.s3a.secret.key", "AWS_SECRET_ACCESS_KEY", "fs.s3a.access.key", "credentials", "javax.jdo.option.ConnectionPassword"} {
		options["raw "+key] = []connectors.Option{connectors.Raw(key, secret)}
	}
	type planted struct {
		opts   []connectors.Option
		source expr.Source
		sink   expr.Sink
		runs   bool
	}
	cases := map[string]planted{}
	for name, opts := range options {
		cases[name] = planted{opts, connectors.FromKafka("127.0.0.1:1", "in", connectors.JSON[event](), slices.Concat(reading, opts)...), connectors.ToKafka("127.0.0.1:1", "out", connectors.JSON[event](), slices.Concat(brief, opts)...), false}
	}
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.json"), []byte(`{"K":"a"}`), 0o600))
	hidden := []connectors.Option{connectors.RawSecret("fs.s3a.access.key", secret), connectors.Raw("fs.s3a.secret.key", secret)}
	cases["files"] = planted{hidden, connectors.FromJSON(folder, connectors.RowsDDL("K STRING"), hidden...), connectors.ToJSON(t.TempDir(), hidden...), true}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var said everything
			for _, o := range c.opts {
				said.add(o)
			}
			source, sink := c.source, c.sink
			table := expr.Read("in", source)
			w := table.WriteTo(sink).Name("copy").Checkpoint(t.TempDir())
			for _, v := range []any{source, sink, table, w} {
				said.add(v)
			}
			if r, err := table.Relation(); err == nil {
				said.add(r)
			} else {
				said.add(err)
			}
			for _, mode := range []compiler.Mode{compiler.Stream, compiler.Batch} {
				p, err := compiler.CompileWrite(w, mode)
				said.add(p)
				said.add(err)
				found, err := compiler.Lint(w, mode)
				said.add(found)
				said.add(err)
			}
			sql, err := compiler.SQL(table)
			said.add(sql)
			said.add(err)

			s, err := local.Open()
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Close()) }()
			said.add(s)
			m := observe.NewMonitor(observe.Options{Logger: slog.New(slog.NewJSONHandler(&said, &slog.HandlerOptions{Level: slog.LevelDebug}))})
			defer m.Close()
			require.NoError(t, m.Watch(t.Context(), "main", s))
			r := prometheus.NewRegistry()
			require.NoError(t, r.Register(metrics.Collector(m)))
			page := serve(t, m, dashboard.Options{Metrics: promhttp.HandlerFor(r, promhttp.HandlerOpts{})})
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()

			plan, err := s.Explain(ctx, table, backend.ExplainOptions{Mode: backend.ExplainExtended})
			said.add(plan)
			said.add(err)
			_, err = backend.Collect[map[string]any](ctx, s, table)
			require.Equal(t, c.runs, err == nil, "%v", err)
			said.add(err)
			said.add(s.Write(ctx, w))
			q, err := s.Start(ctx, w)
			if err != nil {
				said.add(err)
			} else {
				said.add(q)
				if c.runs {
					require.NoError(t, q.ProcessAllAvailable(ctx))
					plan, err := q.Explain(ctx, backend.ExplainOptions{Mode: backend.ExplainExtended})
					require.NoError(t, err)
					said.add(plan)
					p, err := q.LastProgress(ctx)
					require.NoError(t, err)
					require.EqualValues(t, 1, p.NumInputRows)
					said.add(p)
					require.NoError(t, q.Stop(ctx))
				}
				err = q.AwaitTermination(ctx)
				require.Equal(t, c.runs, err == nil, "%v", err)
				said.add(err)
				e, err := q.Exception(ctx)
				require.Equal(t, c.runs, e == nil)
				if e != nil {
					said.add(e)
				}
				said.add(err)
				all, err := q.RecentProgress(ctx)
				said.add(all)
				said.add(err)
				status, err := q.Status(ctx)
				said.add(status)
				said.add(err)
				require.Eventually(t, func() bool { got, _, ok := m.Query(q.RunID()); return ok && !got.Active() }, 10*time.Second, 5*time.Millisecond)
				for _, path := range []string{"", "/plan"} {
					_, body, _ := get(t, page.URL()+"api/queries/"+q.RunID()+path)
					said.add(body)
				}
			}
			said.add(m.Queries())
			for _, path := range []string{"", "api/queries", "health", "metrics"} {
				code, body, _ := get(t, page.URL()+path)
				require.Contains(t, []int{http.StatusOK, http.StatusServiceUnavailable}, code, path)
				said.add(body)
			}

			text := said.text.String()
			require.Contains(t, text, "***", "an option was told")
			for _, p := range parts {
				if i := strings.Index(text, p); i >= 0 {
					t.Fatalf("%q is in %q", p, text[max(0, i-300):min(len(text), i+100)])
				}
			}
		})
	}
}
