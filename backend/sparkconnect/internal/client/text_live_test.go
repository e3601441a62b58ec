//go:build conformance

package client

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/expr/datatype"

	pb "github.com/spoonbill-go/spoonbill/backend/sparkconnect/internal/connectpb"
)

// texts are one-column queries. Spark's CAST AS STRING and show of each are compared with ours and recorded for the tests that run without Spark.
var texts = []string{
	"SELECT * FROM VALUES (true), (false), (NULL) AS t(v)",
	"SELECT * FROM VALUES (1Y), (-128Y) AS t(v)",
	"SELECT * FROM VALUES (9223372036854775807), (-9223372036854775808), (NULL) AS t(v)",
	"SELECT * FROM VALUES (0.0D), (-0.0D), (1.0D), (0.001D), (0.00099D), (9999999.0D), (1.0E7D), (1.0E10D), (123456789.125D), (4.9E-324D), (1.7976931348623157E308D), (double('NaN')), (double('-Infinity')), (0.1D), (100.0D), (3.141592653589793D) AS t(v)",
	"SELECT * FROM VALUES (1.5F), (float('0.1')), (float('1.0E10')), (float('3.4028235E38')), (float('1.4E-45')), (float('NaN')), (float('Infinity')) AS t(v)",
	"SELECT * FROM VALUES (CAST(0 AS DECIMAL(38,18))), (CAST(-1.5 AS DECIMAL(38,18))), (CAST('12345678901234567890.123456789012345678' AS DECIMAL(38,18))) AS t(v)",
	"SELECT * FROM VALUES (0.00), (-0.01), (12.30) AS t(v)",
	"SELECT * FROM VALUES ('a'), (''), ('ÄÖ'), ('a\\nb\\tc'), ('12345678901234567890'), ('123456789012345678901'), ('日本語テキスト'), ('日本語日本語日本語日本語日本語日本語日本語'), ('😀😀'), (NULL) AS t(v)",
	"SELECT * FROM VALUES (X'48656C6C6F'), (X''), (NULL) AS t(v)",
	"SELECT * FROM VALUES (DATE'1970-01-01'), (DATE'0001-01-01'), (DATE'9999-12-31'), (DATE'+12345-06-07'), (DATE'-0044-03-15'), (DATE'1582-10-04') AS t(v)",
	"SELECT * FROM VALUES (TIMESTAMP'2024-01-02 03:04:05'), (TIMESTAMP'2024-07-02 03:04:05.120'), (TIMESTAMP'1969-12-31 23:59:59.999999'), (TIMESTAMP'1883-11-18 12:00:00'), (TIMESTAMP'0001-01-01 00:00:00'), (TIMESTAMP'9999-12-31 23:59:59.000001') AS t(v)",
	"SELECT * FROM VALUES (TIMESTAMP_NTZ'2024-01-02 03:04:05'), (TIMESTAMP_NTZ'2024-07-02 03:04:05.1'), (TIMESTAMP_NTZ'0001-01-01 00:00:00') AS t(v)",
	"SELECT * FROM VALUES (INTERVAL '1 02:03:04.5' DAY TO SECOND), (INTERVAL '-1 02:03:04.000005' DAY TO SECOND), (INTERVAL '0' DAY), (make_dt_interval(106751991, 4, 0, 54.775807)) AS t(v)",
	"SELECT INTERVAL '3' DAY AS v", "SELECT INTERVAL '3 04' DAY TO HOUR AS v", "SELECT INTERVAL '-3 04:05' DAY TO MINUTE AS v", "SELECT INTERVAL '26' HOUR AS v", "SELECT INTERVAL '4:05' HOUR TO MINUTE AS v",
	"SELECT INTERVAL '26:03:04.25' HOUR TO SECOND AS v", "SELECT INTERVAL '5' MINUTE AS v", "SELECT INTERVAL '63:04' MINUTE TO SECOND AS v", "SELECT INTERVAL '4.5' SECOND AS v", "SELECT INTERVAL '-64.000001' SECOND AS v",
	"SELECT * FROM VALUES (INTERVAL '1-2' YEAR TO MONTH), (INTERVAL '-1-2' YEAR TO MONTH), (INTERVAL '0-0' YEAR TO MONTH), (INTERVAL '178956970-7' YEAR TO MONTH) AS t(v)",
	"SELECT INTERVAL '-5' YEAR AS v", "SELECT INTERVAL '14' MONTH AS v",
	"SELECT * FROM VALUES (make_interval(1, 2, 0, 3, 4, 5, 6.5)), (make_interval(-1, 2, 0, -3, 0, 0, -0.5)), (make_interval()), (make_interval(0, 13, 1, 0, 100, 0, 0.000001)) AS t(v)",
	"SELECT * FROM VALUES (array(1, NULL, 3)), (array()), (NULL) AS t(v)",
	"SELECT * FROM VALUES (array('a', NULL, '')), (array('x, y')) AS t(v)",
	"SELECT * FROM VALUES (map('k', 1, 'l', NULL)), (map()) AS t(v)",
	"SELECT * FROM VALUES (named_struct('a', 1, 'b', CAST(NULL AS STRING))), (named_struct('a', NULL, 'b', 'x')) AS t(v)",
	"SELECT array(named_struct('m', map(1, array(1.5D, 2.0D)), 't', TIMESTAMP'2024-01-02 03:04:05', 'b', X'0102', 'd', DATE'2024-01-02', 'n', 1.10)) AS v",
	"SELECT map(named_struct('x', 1), array(X'41', NULL)) AS v",
	`SELECT * FROM VALUES (parse_json(r'{"b": [1, 2.50, "x\"y", null, true], "a": {"c": 1e100, "t": "é\u0001"}}')), (parse_json('"text"')), (parse_json('17')), (parse_json('null')), (NULL) AS t(v)`,
	"SELECT to_variant_object(named_struct('ts', TIMESTAMP'2024-01-02 03:04:05.1', 'ntz', TIMESTAMP_NTZ'2024-01-02 03:04:05', 'd', DATE'2024-01-02', 'f', 1.5F, 'g', 1.0E10D, 'dec', 12345678901234567890.5, 'bin', X'00FF')) AS v",
	"SELECT CAST(TIMESTAMP'2024-01-02 03:04:05' AS VARIANT) AS v", "SELECT CAST(DATE'2024-01-02' AS VARIANT) AS v", "SELECT CAST(X'4142' AS VARIANT) AS v", "SELECT CAST(1.5D AS VARIANT) AS v", "SELECT CAST(1.50 AS VARIANT) AS v",
	"SELECT NULL AS v",
	"SELECT array(parse_json('null'), parse_json('1.50'), NULL) AS v",
	"SELECT CAST(id AS INT) AS `a\nb 日本` FROM range(3)",
	"SELECT CAST('ab' AS CHAR(5)) AS v", "SELECT CAST('ab' AS VARCHAR(5)) AS v",
}

// recorded is one query with Spark's answers.
type recorded struct {
	SQL   string   `json:"sql"`
	Zone  string   `json:"zone"`
	Spark string   `json:"spark"`
	DDL   string   `json:"ddl"`
	Arrow []byte   `json:"arrow"`
	Cast  []string `json:"cast"`
	Show  string   `json:"show"`
	Full  string   `json:"full"`
	Tall  string   `json:"tall"`
}

func showString(rel *pb.Relation, rows, cut int32, vertical bool) *pb.Relation {
	return &pb.Relation{RelType: &pb.Relation_ShowString{ShowString: &pb.ShowString{Input: rel, NumRows: rows, Truncate: cut, Vertical: vertical}}}
}

func TestLiveTexts(t *testing.T) {
	const zoneName = "America/Los_Angeles"
	ctx, c := connect(t, Setting{"spark.sql.session.timeZone", zoneName}, Setting{"spark.sql.ansi.enabled", "true"})
	zone, err := time.LoadLocation(zoneName)
	require.NoError(t, err)
	var record []recorded
	for _, q := range texts {
		t.Run(q[:min(len(q), 60)], func(t *testing.T) {
			r := query(t, ctx, c, q)
			var batches []arrow.RecordBatch
			defer func() {
				for _, b := range batches {
					b.Release()
				}
			}()
			for b, err := range r.Batches() {
				require.NoError(t, err)
				b.Retain()
				batches = append(batches, b)
			}
			result := backend.Result{Fields: r.Fields(), Batches: func(yield func(arrow.RecordBatch, error) bool) {
				for _, b := range batches {
					if !yield(b, nil) {
						return
					}
				}
			}}
			line := recorded{SQL: q, Zone: zoneName, Spark: c.Version(), DDL: datatype.DDL(r.Fields())}
			var buf bytes.Buffer
			w := ipc.NewWriter(&buf, ipc.WithSchema(batches[0].Schema()))
			var ours []string
			for _, b := range batches {
				require.NoError(t, w.Write(b))
				for i := range int(b.NumRows()) {
					ours = append(ours, backend.Format(b.Column(0), i, r.Fields()[0].Type, zone))
				}
			}
			require.NoError(t, w.Close())
			line.Arrow = buf.Bytes()
			for b, err := range query(t, ctx, c, "SELECT CAST(v AS STRING) FROM ("+q+") AS t(v)").Batches() {
				require.NoError(t, err)
				for i := range int(b.NumRows()) {
					if b.Column(0).IsNull(i) {
						line.Cast = append(line.Cast, backend.NullText)
					} else {
						line.Cast = append(line.Cast, strings.Clone(b.Column(0).(*array.String).Value(i)))
					}
				}
			}
			check(t, line.Cast, ours)
			for _, s := range []struct {
				rows, cut int32
				vertical  bool
				into      *string
			}{{20, 20, false, &line.Show}, {2, 0, false, &line.Full}, {1, 5, true, &line.Tall}, {0, 3, false, nil}, {20, 3, true, nil}} {
				theirs, err := c.Query(ctx, showString(sql(q), s.rows, s.cut, s.vertical))
				require.NoError(t, err)
				var text string
				for b, err := range theirs.Batches() {
					require.NoError(t, err)
					text = strings.Clone(b.Column(0).(*array.String).Value(0))
				}
				var out strings.Builder
				require.NoError(t, backend.Show(&out, result, backend.ShowOptions{Rows: int(s.rows), Truncate: int(s.cut), Vertical: s.vertical, Zone: zone}))
				check(t, text+"\n", out.String())
				if s.into != nil {
					*s.into = text + "\n"
				}
			}
			tree, err := c.TreeString(ctx, sql(q))
			require.NoError(t, err)
			var out strings.Builder
			require.NoError(t, backend.PrintSchema(&out, r.Fields()))
			check(t, tree, out.String())
			record = append(record, line)
		})
	}
	if path := os.Getenv("SPOONBILL_RECORD_TEXTS"); path != "" && !t.Failed() {
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		for _, line := range record {
			require.NoError(t, enc.Encode(line))
		}
		require.NoError(t, os.WriteFile(path, out.Bytes(), 0o666))
	}
}

// check goes on after a difference, so that one run shows all.
func check(t *testing.T, spark, ours any) {
	t.Helper()
	require.IsType(t, spark, ours)
	if s, ok := spark.(string); ok {
		if s != ours {
			t.Errorf("Spark:\n%s\nours:\n%s", spark, ours)
		}
		return
	}
	a, b := spark.([]string), ours.([]string)
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			t.Errorf("row %d: Spark %q, ours %q", i, a[min(i, len(a)-1)], b[min(i, len(b)-1)])
		}
	}
}
