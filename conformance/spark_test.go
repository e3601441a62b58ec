//go:build conformance

package conformance

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/internal/testenv"
)

// env is the live Spark and Kafka.
var env *testenv.Env

func TestMain(m *testing.M) { os.Exit(testenv.Run(m, &env)) }

// connect opens a session on the live Spark for one test.
func connect(t *testing.T, opts ...sparkconnect.Option) *sparkconnect.Session {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := sparkconnect.Connect(ctx, env.Spark.Remote, opts...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// eachOf asks f of every case, a few at a time, since a small question to Spark mostly waits; the answers are in the order of the cases.
func eachOf[C, A any](cases []C, f func(i int, c C) (A, error)) ([]A, error) {
	answers := make([]A, len(cases))
	var g errgroup.Group
	g.SetLimit(4)
	for i, c := range cases {
		g.Go(func() (err error) {
			answers[i], err = f(i, c)
			return err
		})
	}
	return answers, g.Wait()
}

// Every case gives on the live Spark what is recorded. With -record the recording is written anew.
func TestSpark(t *testing.T) {
	ansi, legacy := connect(t, sparkconnect.ANSI(true)), connect(t, sparkconnect.ANSI(false))
	for _, suite := range Suites() {
		t.Run(suite.Name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
			defer cancel()
			have, err := load(suite.Name)
			require.NoError(t, err)
			fresh := map[string]Answer{}
			for _, c := range suite.Cases {
				s := ansi
				if c.NoANSI {
					s = legacy
				}
				a, err := Ask(ctx, s, c.Table, c.Ordered)
				require.NoError(t, err, c.Name)
				fresh[c.Name] = a
				if !*record {
					want, ok := have.Of(ansi.Version(), c.Name)
					require.True(t, ok, "%s is not recorded: go test -tags conformance -record", c.Name)
					if want.String() != a.String() && !(tolerant[suite.Name] && want.near(a)) {
						t.Errorf("%s: Spark %s says\n%sbut Spark %s is recorded with\n%s", c.Name, ansi.Version(), a, have.Spark, want)
					}
				}
			}
			if *record {
				require.NoError(t, have.record(ansi.Version(), fresh).save(suite.Name))
			}
		})
	}
}
