//go:build conformance

package conformance

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/expr"
)

// The script of a query in Spark's own words holds its columns against those that were declared, as a session does: names, types and nulls.
func TestPrintedCheck(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	const sql = "SELECT id AS `a b`, 1Y AS i8, 2S AS i16, 1.5BD AS dec, 1F AS f, 2D AS d, true AS t, 's' AS s, X'01' AS bin, DATE'2024-01-01' AS day, TIMESTAMP'2024-01-01 00:00:00' AS ts, " +
		"TIMESTAMP_NTZ'2024-01-01 00:00:00' AS ntz, INTERVAL '1' DAY AS dd, INTERVAL '1 2' DAY TO HOUR AS dh, INTERVAL '1' MONTH AS m, make_interval(1) AS ci, NULL AS n, " +
		"array(map('k', named_struct('X y', 1L, 'z', array(1)))) AS nested, parse_json('1') AS v, CAST(NULL AS INT) AS maybe FROM range(1)"
	const ddl = "`a b` BIGINT NOT NULL, i8 TINYINT NOT NULL, i16 SMALLINT, dec DECIMAL(2,1), f FLOAT, d DOUBLE, t BOOLEAN, s STRING, bin BINARY, day DATE, ts TIMESTAMP, ntz TIMESTAMP_NTZ, " +
		"dd INTERVAL DAY, dh INTERVAL DAY TO HOUR, m INTERVAL MONTH, ci INTERVAL, n VOID, nested ARRAY<MAP<STRING, STRUCT<`X y`: BIGINT, z: ARRAY<INT>>>>, v VARIANT, maybe INT"
	run := func(ddl string) (string, error) {
		program, err := compiler.Compile(expr.SQL(sql, mustFields(ddl), nil), compiler.Batch)
		require.NoError(t, err)
		cmd := python(ctx, env.Spark.Remote)
		cmd.Stdin = strings.NewReader(program.String())
		text, err := cmd.CombinedOutput()
		return string(text), err
	}
	s := connect(t)
	_, err := s.Batches(ctx, expr.SQL(sql, mustFields(ddl), nil))
	require.NoError(t, err)
	text, err := run(ddl)
	require.NoError(t, err, text)
	for old, wrong := range map[string]string{"dec DECIMAL(2,1)": "dec DECIMAL(2,0)", "z: ARRAY<INT>": "z: ARRAY<BIGINT>", "maybe INT": "maybe INT NOT NULL", "i8 TINYINT": "i9 TINYINT"} {
		other := strings.Replace(ddl, old, wrong, 1)
		_, err := s.Batches(ctx, expr.SQL(sql, mustFields(other), nil))
		require.Error(t, err, wrong)
		text, err := run(other)
		require.Error(t, err, wrong)
		require.Contains(t, text, "AssertionError", wrong)
	}
}
