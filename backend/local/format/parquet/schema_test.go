package parquet

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// The schema of files that Spark wrote is the one that Spark finds in them.
func TestSchemaOfSpark(t *testing.T) {
	const want = "t TINYINT, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, de DECIMAL(5,2), de2 DECIMAL(15,3), de3 DECIMAL(38,10), b BOOLEAN, str STRING, bin BINARY, dt DATE, " +
		"ts TIMESTAMP, ntz TIMESTAMP_NTZ, dts INTERVAL DAY TO SECOND, a ARRAY<INT>, m MAP<STRING, ARRAY<DECIMAL(3,2)>>, st STRUCT<x: INT, y: STRUCT<z: TIMESTAMP, w: ARRAY<STRUCT<q: STRING>>>>"
	for _, name := range []string{"int96", "legacy", "micros", "millis"} {
		content, err := os.ReadFile("testdata/spark-4.2.0-" + name + ".parquet")
		require.NoError(t, err)
		fields, err := Schema(bytes.NewReader(content), int64(len(content)))
		require.NoError(t, err)
		require.Equal(t, want, datatype.DDL(fields), name)
		for _, f := range fields {
			require.True(t, f.Nullable)
		}
		for _, n := range []int{0, 3, len(content) / 2, len(content) - 5} {
			_, err := Schema(bytes.NewReader(content[:n]), int64(n))
			require.Error(t, err)
		}
	}
}
