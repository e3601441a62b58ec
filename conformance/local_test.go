package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
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
				switch same := want.String() == got.String(); {
				case !same && gap == nil:
					t.Errorf("%s: the local engine says\n%sbut Spark %s\n%s", c.Name, got, have.Spark, want)
				case same && gap != nil:
					t.Errorf("%s: the gap %q has closed", c.Name, gap.Reason)
				}
			}
		})
	}
}
