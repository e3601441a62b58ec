package local_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
)

// Progress counts the records that a mode turned into nulls or left out, epoch by epoch, and no others.
func TestMalformedRecordsAreCounted(t *testing.T) {
	s := open(t)
	_, servers := broker(t, kfake.SeedTopics(1, "t"))
	const first, second = "{\"n\":1,\"word\":\"a\"}\n{\"n\":\"x\"}\nno JSON\n\n", "{\"n\":2}\n[{\"n\":3},{\"n\":[]}]\n"
	dir := t.TempDir()
	put := func(format, name, text string, nth int) {
		at := filepath.Join(dir, format, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
		require.NoError(t, os.WriteFile(at, []byte(text), 0o644))
		when := clock("12:00:00").AddDate(0, 0, nth)
		require.NoError(t, os.Chtimes(at, when, when))
	}
	put("json", "1.json", first, 1)
	put("json", "2.json", second, 2)
	put("csv", "1.csv", "1,a\nx,b\n2\n3,c,d\n", 1)
	put("csv", "2.csv", "4,d\n", 2)
	send(t, servers, "t", strings.Split(first, "\n")[:3]...)
	epochs := []connectors.Option{connectors.MaxFilesPerTrigger(1)}
	drop := append(epochs, connectors.Mode("DROPMALFORMED"))
	rows := connectors.RowsDDL(eventDDL)
	for name, c := range map[string]struct {
		source expr.Source
		want   string
		rows   int
	}{
		"json":        {connectors.FromJSON(filepath.Join(dir, "json"), rows, epochs...), "2 1", 6},
		"json, drop":  {connectors.FromJSON(filepath.Join(dir, "json"), rows, drop...), "2 1", 2},
		"csv":         {connectors.FromCSV(filepath.Join(dir, "csv"), rows, epochs...), "3 0", 5},
		"csv, drop":   {connectors.FromCSV(filepath.Join(dir, "csv"), rows, drop...), "3 0", 2},
		"kafka":       {connectors.FromKafka(servers, "t", connectors.JSONOf(eventDDL), connectors.StartingOffsets(connectors.Earliest)), "2", 3},
		"no decoding": {connectors.FromKafka(servers, "t", connectors.Codec{}, connectors.StartingOffsets(connectors.Earliest)), "", 3},
	} {
		t.Run(name, func(t *testing.T) {
			out := newCollector()
			q, err := s.Start(ctx, expr.Read("in", c.source).WriteTo(out).Checkpoint(t.TempDir()).Trigger(expr.AvailableNow()))
			requireEnd(t, q, err)
			progress, err := q.RecentProgress(ctx)
			require.NoError(t, err)
			var counts []string
			n := int64(0)
			for _, p := range progress {
				if m, ok := p.Sources[0].Metrics["malformedRecords"]; ok {
					counts = append(counts, m)
				}
				n += p.NumInputRows
			}
			require.Equal(t, c.want, strings.Join(counts, " "))
			require.EqualValues(t, c.rows, n)
		})
	}
}
