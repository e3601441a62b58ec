//go:build conformance

package conformance

import (
	"context"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/compiler"
	nyc "github.com/spoonbill-go/spoonbill/examples/questions"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/internal/golden"
)

// Spark's answers to every work over the slice of the flights are the recorded ones; with -record the recording is written anew. The SQL of what only Spark does
// is the golden one.
func TestSparkWorks(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	s := connect(t, sparkconnect.Config("spark.sql.shuffle.partitions", "2"))
	tables := flightsSlice(t, env.Dir(t))
	have, err := load("works")
	require.NoError(t, err)
	fresh := map[string]Answer{}
	for _, w := range nyc.Works {
		var texts []string
		got, err := askWork(ctx, s, w, tables, func(q expr.Table, named func(string) string) {
			sql, err := compiler.SQL(q)
			require.NoError(t, err, w.Name)
			texts = append(texts, named(sql))
		})
		require.NoError(t, err, w.Name)
		maps.Copy(fresh, numberedAnswers(w, got))
		if w.Plain != nil && w.Name != "before_the_mistake" { // the SQL of which has the time
			golden.Check(t, "../examples/questions/testdata/"+w.Name+".sql", "-- "+w.Text+"\n"+strings.Join(texts, ";\n"))
		}
		for name, a := range numberedAnswers(w, got) {
			if want, ok := have.Of(s.Version(), name); !*record && (!ok || want.String() != a.String()) {
				t.Errorf("%s: Spark %s says\n%sbut Spark %s is recorded with\n%s", name, s.Version(), a, have.Spark, want)
			}
		}
	}
	if *record {
		require.NoError(t, have.record(s.Version(), fresh).save("works"))
	}
}

// The local engine and Spark do every work over all flights of the year alike.
func TestWholeWorks(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	here, spark, tables := wholeFlights(ctx, t)
	for _, w := range nyc.Works {
		got, err := worksHere(ctx, here, w, tables)
		require.NoError(t, err, w.Name)
		want, err := askWork(ctx, spark, w, tables, nil)
		require.NoError(t, err, w.Name)
		require.Len(t, got, len(want), w.Name)
		for i := range want {
			if w.Plain != nil {
				want[i], got[i] = want[i].withoutNullability(), got[i].withoutNullability()
			}
			require.Equal(t, want[i].String(), got[i].String(), "%s, answer %d", w.Name, i+1)
		}
	}
}
