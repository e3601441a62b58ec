package flights

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/expr"
)

func TestMain(m *testing.M) {
	if folder := os.Getenv(childFolder); folder != "" {
		if err := child(folder, os.Getenv(childIn), os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// rowsOf gives the days of a table as texts, sorted.
func rowsOf(t *testing.T, s backend.Session, days expr.Table, keep func(Daily) bool) []string {
	t.Helper()
	var out []string
	for d, err := range backend.Rows[Daily](t.Context(), s, days) {
		require.NoError(t, err)
		if !keep(d) {
			continue
		}
		text := func(s *string) string {
			if s == nil {
				return "NULL"
			}
			return *s
		}
		mean, most := "NULL", "NULL"
		if d.MeanDelay != nil {
			mean = fmt.Sprintf("%.17g", *d.MeanDelay)
		}
		if d.MaxDelay != nil {
			most = fmt.Sprint(*d.MaxDelay)
		}
		out = append(out, fmt.Sprint(d.Month, "|", d.Day.Format(time.DateOnly), "|", text(d.Carrier), "|", text(d.Name), "|", d.Departures, "|", d.Cancelled, "|", mean, "|", most))
	}
	slices.Sort(out)
	return out
}

// streamIsBatch runs the job as a stream and as a batch over prepared input and compares the days that the stream has closed.
func streamIsBatch(t *testing.T, in string) {
	session, err := local.Open()
	require.NoError(t, err)
	defer func() { require.NoError(t, session.Close()) }()
	out := t.TempDir()
	days := ByDay(filepath.Join(in, "in"), filepath.Join(in, "airlines.csv"))
	query, err := session.Start(t.Context(), Write(days, filepath.Join(out, "days"), filepath.Join(out, "checkpoint")))
	require.NoError(t, err)
	require.NoError(t, query.AwaitTermination(t.Context()))
	recent, err := query.RecentProgress(t.Context())
	require.NoError(t, err)

	read, firstOut, lastMark := 0, int64(-1), ""
	for _, p := range recent {
		if p.NumInputRows > 0 {
			read++
		}
		if firstOut < 0 && p.Sink.NumOutputRows > 0 {
			firstOut = p.BatchID
		}
		lastMark = p.EventTime["watermark"]
		require.EqualValues(t, 0, p.StateOperators[0].NumRowsDroppedByWatermark, "the files are in order of event time")
		if int(p.BatchID) < len(recent)-1 {
			require.Positive(t, p.StateOperators[0].NumRowsTotal, "epoch %d", p.BatchID)
		}
	}
	require.GreaterOrEqual(t, read, 12)
	require.GreaterOrEqual(t, read, len(recent)-1, "an epoch but the last reads no rows")
	require.GreaterOrEqual(t, firstOut, int64(0))
	require.Less(t, firstOut, int64(3), "the first closed window comes late")

	mark, err := time.Parse(time.RFC3339, lastMark)
	require.NoError(t, err)
	closed := func(d Daily) bool { return !d.Day.AddDate(0, 0, 1).After(mark) }
	want := rowsOf(t, session, days, closed)
	require.NotEmpty(t, want)
	require.Equal(t, want, rowsOf(t, session, Stored(filepath.Join(out, "days")), func(Daily) bool { return true }))
	t.Logf("%d epochs, %d days of airlines, final watermark %s", len(recent), len(want), lastMark)
}

func TestStreamIsBatch(t *testing.T) {
	in := t.TempDir()
	_, _, err := Prepare("testdata/flights.csv.gz", "testdata/airlines.csv.gz", in)
	require.NoError(t, err)
	streamIsBatch(t, in)
}
