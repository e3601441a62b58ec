package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
)

// The local engine gives to every case the answer that Spark gave: values, types, nullability, or the condition of the error.
func TestLocal(t *testing.T) {
	open := func(opts ...local.Option) *local.Session {
		s, err := local.Open(opts...)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	}
	ansi, legacy := open(local.ANSI(true)), open(local.ANSI(false))
	for _, suite := range Suites() {
		t.Run(suite.Name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			have, err := load(suite.Name)
			require.NoError(t, err)
			for _, c := range suite.Cases {
				want, ok := have.Answers[c.Name]
				require.True(t, ok, "%s is not recorded", c.Name)
				s := ansi
				if c.NoANSI {
					s = legacy
				}
				got, err := Ask(ctx, s, c.Table, c.Ordered)
				require.NoError(t, err, c.Name)
				if c.NoANSI {
					want, got = want.withoutNullability(), got.withoutNullability()
				}
				gap := gapOf(localGaps, suite.Name, c.Name)
				switch same := want.String() == got.String() || tolerant[suite.Name] && want.near(got); {
				case !same && gap == nil:
					t.Errorf("%s: the local engine says\n%sbut Spark %s\n%s", c.Name, got, have.Spark, want)
				case same && gap != nil:
					t.Errorf("%s: the gap %q has closed", c.Name, gap.Reason)
				}
			}
		})
	}
}

// The local engine as a stream, an input file an epoch, writes what Spark wrote.
func TestLocalStreams(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	folder := t.TempDir()
	require.NoError(t, StreamFiles(folder))
	have, err := load("streams")
	require.NoError(t, err)
	s, err := local.Open()
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	for _, c := range Streams() {
		t.Run(c.Name, func(t *testing.T) {
			want, ok := have.Answers[c.Name]
			require.True(t, ok, "not recorded")
			require.NoError(t, c.Table(Input(folder)).Err())
			sink := connectors.NewMemorySink()
			w := c.Table(Input(folder)).WriteTo(sink).OutputMode(c.Mode)
			got, err := AskStream(ctx, s, w, func() (expr.Table, error) {
				if sink.Fields() == nil {
					return expr.Table{}, errNoRows
				}
				return sink.Table("result"), nil
			}, false)
			require.NoError(t, err)
			compareStream(t, have, c.Name, want, got)

			want, ok = have.Answers[asBatch(c.Name)]
			require.True(t, ok, "not recorded as a batch")
			got, err = Ask(ctx, s, c.Table(Input(folder)), false)
			require.NoError(t, err)
			compareStream(t, have, asBatch(c.Name), want, got)
		})
	}
}

func compareStream(t *testing.T, have Recording, name string, want, got Answer) {
	t.Helper()
	gap := gapOf(localGaps, "streams", name)
	switch same := want.String() == got.String(); {
	case !same && gap == nil:
		t.Errorf("%s: the local engine says\n%sbut Spark %s\n%s", name, got, have.Spark, want)
	case same && gap != nil:
		t.Errorf("%s: the gap %q has closed", name, gap.Reason)
	}
}
