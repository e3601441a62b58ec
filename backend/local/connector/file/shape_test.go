package file

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/format/charset"
	"github.com/spoonbill-go/spoonbill/backend/local/format/csv"
	"github.com/spoonbill-go/spoonbill/connectors"
)

// A file that is read in many pieces gives the rows that it has, whatever ends its records.
func TestRecordsInPieces(t *testing.T) {
	const rows = 60_000
	for _, c := range []struct {
		name, end, in string
		opts          []connectors.Option
	}{
		{"multiLine", "\r\n", "\r\n", []connectors.Option{connectors.MultiLine()}},
		{"lineSep", "||", "\n", []connectors.Option{connectors.Set("lineSep", "||")}},
		{"UTF-16LE", "\n", "x", []connectors.Option{connectors.Encoding("UTF-16LE"), connectors.LineSeparator("\n")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			for i := range rows {
				fmt.Fprintf(&b, "%d,\"a%s|%s\"%s", i, strings.Repeat("é", i%40), c.in, c.end)
			}
			text := []byte(b.String())
			if c.name == "UTF-16LE" {
				s, _ := charset.Find("UTF-16LE")
				text = s.Encode(nil, text, true)
			}
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "a.csv"), text, 0o600))
			src, err := connectors.FromCSV(dir, connectors.RowsDDL("a INT, s STRING"), c.opts...).Source()
			require.NoError(t, err)
			got, err := readAll(t, connector.Env{BatchRows: 1000, Parallelism: 2}, src, connector.Projection{})
			require.NoError(t, err)
			require.Len(t, got, rows)
			require.Contains(t, got[rows-1], fmt.Sprintf(`"a":%d`, rows-1))
		})
	}
}

// A read of records over lines ends when it is cancelled.
func TestRecordsCancelled(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.csv"), []byte("1,x\n"), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := shape{}
	f, err := os.Open(filepath.Join(dir, "a.csv"))
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	err = s.records(ctx, f, csv.Options{Sep: ","}, func() int { return 1 }, nil)
	require.ErrorIs(t, err, context.Canceled)
}
