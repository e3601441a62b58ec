package parquet

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// FuzzFile reads changed files, with the columns that they say they have and with others: an error or rows, never a crash, a goroutine or endless work.
func FuzzFile(f *testing.F) {
	names, err := filepath.Glob("testdata/*.parquet")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(content) < 8<<10 {
			f.Add(content)
		}
	}
	others := fieldsOf(f, "a BIGINT, s STRING, n DECIMAL(10,2), t TIMESTAMP, l ARRAY<STRUCT<x: INT, y: STRING>>, m MAP<STRING, INT>")
	var b bytes.Buffer
	w, err := NewWriter(&b, others, "snappy")
	if err != nil {
		f.Fatal(err)
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		own, err := Schema(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			own = nil
		}
		for _, fields := range [][]datatype.Field{own, others} {
			file, err := Open(bytes.NewReader(data), int64(len(data)), fields, nil)
			if err != nil {
				continue
			}
			for g := range min(file.RowGroups(), 4) {
				_ = file.Excludes(g, []connector.Filter{{Columns: []int{0}, Op: "=", Values: []any{int64(7)}}})
				recs, err := file.Read(g, 100)
				if err != nil {
					break
				}
				for _, r := range recs {
					r.Release()
				}
			}
		}
	})
}
