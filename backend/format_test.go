package backend

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Each line of the file is a query's Arrow data with what a live Spark made of it: CAST AS STRING, show(20), show(2, false), show(1, 5, vertical).
func TestTextsAreSparks(t *testing.T) {
	file, err := os.Open("testdata/texts.jsonl")
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		n++
		var c struct {
			SQL, Zone, DDL, Show, Full, Tall string
			Arrow                            []byte
			Cast                             []string
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		fields, err := datatype.ParseFields(c.DDL)
		require.NoError(t, err)
		zone, err := time.LoadLocation(c.Zone)
		require.NoError(t, err)
		alloc := memory.NewCheckedAllocator(memory.DefaultAllocator)
		batches := func(yield func(arrow.RecordBatch, error) bool) {
			rd, err := ipc.NewReader(bytes.NewReader(c.Arrow), ipc.WithAllocator(alloc))
			require.NoError(t, err)
			defer rd.Release()
			for rd.Next() {
				if !yield(rd.RecordBatch(), nil) {
					return
				}
			}
		}
		var cast []string
		for b := range batches {
			for i := range int(b.NumRows()) {
				cast = append(cast, Format(b.Column(0), i, fields[0].Type, zone))
			}
		}
		require.Equal(t, c.Cast, cast, c.SQL)
		for want, o := range map[string]ShowOptions{c.Show: {Rows: 20, Truncate: 20}, c.Full: {Rows: 2}, c.Tall: {Rows: 1, Truncate: 5, Vertical: true}} {
			o.Zone = zone
			var out strings.Builder
			require.NoError(t, Show(&out, Result{fields, batches}, o))
			require.Equal(t, want, out.String(), c.SQL)
		}
		alloc.AssertSize(t, 0)
	}
	require.NoError(t, lines.Err())
	require.Greater(t, n, 40)
}

func TestPrintSchema(t *testing.T) {
	fields, err := datatype.ParseFields("id BIGINT NOT NULL, `a b` ARRAY<STRUCT<x: DECIMAL(10,2), y: MAP<STRING, ARRAY<TINYINT>>>>, i INTERVAL DAY TO SECOND, v VARIANT, c CHAR(3)")
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, PrintSchema(&out, fields))
	require.Equal(t, `root
 |-- id: long (nullable = false)
 |-- a b: array (nullable = true)
 |    |-- element: struct (containsNull = true)
 |    |    |-- x: decimal(10,2) (nullable = true)
 |    |    |-- y: map (nullable = true)
 |    |    |    |-- key: string
 |    |    |    |-- value: array (valueContainsNull = true)
 |    |    |    |    |-- element: byte (containsNull = true)
 |-- i: interval day to second (nullable = true)
 |-- v: variant (nullable = true)
 |-- c: char(3) (nullable = true)
`, out.String())
}
