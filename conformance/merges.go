package conformance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// MergeCase are the columns of Parquet files, in the order of the files' names, with those that Spark makes of them by mergeSchema.
type MergeCase struct {
	Files []string
	// Merged are the columns in DDL, or the name of the error's condition.
	Merged string
}

// MergeCases are recorded from Spark 4.2.0.
func MergeCases() []MergeCase {
	return []MergeCase{
		{[]string{"a INT", "a INT"}, "a INT"},
		{[]string{"a INT, b STRING", "b STRING, a INT"}, "a INT, b STRING"},
		{[]string{"b STRING, c INT", "a INT, c INT", "d INT"}, "b STRING, c INT, a INT, d INT"},
		{[]string{"A INT, b INT", "a INT, c INT", "C INT"}, "A INT, b INT, c INT"},
		{[]string{"k INT, a INT", "a INT"}, "k INT, a INT"},
		{[]string{"a DECIMAL(5,2)", "a DECIMAL(10,2)"}, "a DECIMAL(10,2)"},
		{[]string{"a DECIMAL(38,2)", "a DECIMAL(18,2)"}, "a DECIMAL(38,2)"},
		{[]string{"s STRUCT<x: INT>", "s STRUCT<y: INT>"}, "s STRUCT<x: INT, y: INT>"},
		{[]string{"l ARRAY<STRUCT<x: INT>>", "l ARRAY<STRUCT<y: INT>>"}, "l ARRAY<STRUCT<x: INT, y: INT>>"},
		{[]string{"m MAP<STRING, STRUCT<x: INT>>", "m MAP<STRING, STRUCT<y: INT>>"}, "m MAP<STRING, STRUCT<x: INT, y: INT>>"},
		{[]string{"y INTERVAL YEAR", "y INTERVAL YEAR TO MONTH"}, "y INTERVAL YEAR TO MONTH"},
		{[]string{"d INTERVAL DAY", "d INTERVAL SECOND"}, "d INTERVAL DAY TO SECOND"},
		{[]string{"a VARIANT", "a VARIANT"}, "a VARIANT"},
		{[]string{"a INT", "a BIGINT"}, condition.CannotMergeSchemas},
		{[]string{"a BIGINT", "a INT"}, condition.CannotMergeSchemas},
		{[]string{"a INT", "a STRING"}, condition.CannotMergeSchemas},
		{[]string{"a FLOAT", "a DOUBLE"}, condition.CannotMergeSchemas},
		{[]string{"a DECIMAL(5,2)", "a DECIMAL(5,3)"}, condition.CannotMergeSchemas},
		{[]string{"a DECIMAL(5,2)", "a INT"}, condition.CannotMergeSchemas},
		{[]string{"s STRUCT<x: INT>", "s STRUCT<x: BIGINT>"}, condition.CannotMergeSchemas},
		{[]string{"m MAP<STRING, INT>", "m MAP<INT, INT>"}, condition.CannotMergeSchemas},
		{[]string{"l ARRAY<INT>", "l ARRAY<STRING>"}, condition.CannotMergeSchemas},
		{[]string{"l ARRAY<INT>", "l INT"}, condition.CannotMergeSchemas},
		{[]string{"t TIMESTAMP", "t DATE"}, condition.CannotMergeSchemas},
		{[]string{"t TIMESTAMP", "t TIMESTAMP_NTZ"}, condition.CannotMergeSchemas},
		{[]string{"b BINARY", "b STRING"}, condition.CannotMergeSchemas},
		{[]string{"a INT", "a INT", "a BIGINT"}, condition.CannotMergeSchemas},
		{[]string{"s STRUCT<x: INT, y: STRING>", "s STRUCT<Y: STRING, z: INT>"}, condition.ColumnAlreadyExists},
	}
}

// Make writes a file of one row of nulls for each list of columns.
func (c MergeCase) Make(ctx context.Context, s backend.Session, dir string) error {
	for i, ddl := range c.Files {
		fields, err := datatype.ParseFields(ddl)
		if err != nil {
			return err
		}
		out := filepath.Join(dir, fmt.Sprintf("out%d", i))
		if err := s.Write(ctx, expr.MemtableRows("m", fields, [][]any{make([]any, len(fields))}).WriteTo(connectors.ToParquet(out))); err != nil {
			return err
		}
		parts, err := filepath.Glob(filepath.Join(out, "*.parquet"))
		if err != nil || len(parts) != 1 {
			return fmt.Errorf("%d files in %s: %w", len(parts), out, err)
		}
		in := filepath.Join(dir, "in")
		if err := os.MkdirAll(in, 0o777); err != nil {
			return err
		}
		if err := os.Rename(parts[0], filepath.Join(in, fmt.Sprintf("%d.parquet", i))); err != nil {
			return err
		}
	}
	return nil
}

// Source describes the files that [MergeCase.Make] has made.
func (c MergeCase) Source(dir string) connectors.Files {
	return connectors.FromParquet(filepath.Join(dir, "in"), connectors.Inferred(), connectors.MergeSchema())
}
