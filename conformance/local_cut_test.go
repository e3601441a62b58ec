package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// cutTable is a table of a case as a stream, whose rows come in epochs that end at cuts.
type cutTable struct {
	rows *connectors.MemoryStream
	cuts []int64
}

// Source implements [expr.Source].
func (c *cutTable) Source() (*tree.Source, error) {
	return &tree.Source{Format: "testcut", Fields: c.rows.Fields(), Batch: true, Stream: true, Local: c}, nil
}

// cutReader is a memory stream that gives no epoch beyond the next cut.
type cutReader struct {
	connector.Source
	cuts []int64
}

// Latest implements [connector.Source].
func (c cutReader) Latest(_ context.Context, start connector.Offset, _ bool) (connector.Offset, error) {
	var from int64
	if err := json.Unmarshal(start, &from); err != nil {
		return nil, err
	}
	for _, end := range c.cuts {
		if end > from {
			return json.Marshal(end)
		}
	}
	return start, nil
}

func init() {
	connector.RegisterSource("testcut", func(ctx context.Context, env connector.Env, src *tree.Source) (connector.Source, error) {
		c := src.Local.(*cutTable)
		inner, err := c.rows.Source()
		if err != nil {
			return nil, err
		}
		in, err := connector.OpenSource(ctx, env, inner)
		return cutReader{in, c.cuts}, err
	})
}

// cutCases builds the cases of a suite over streams instead of tables. The rows of each come in three epochs at most, cut anywhere; static names the
// tables that stay as they are.
func cutCases(t *testing.T, s Suite, rng *rand.Rand, static ...string) ([]Case, map[string][]int64) {
	t.Helper()
	cuts := map[string][]int64{}
	defer func(f func(string, []datatype.Field, [][]any) expr.Table) { tables = f }(tables)
	tables = func(name string, fields []datatype.Field, rows [][]any) expr.Table {
		if slices.Contains(static, name) {
			return expr.MemtableRows(name, fields, rows)
		}
		in := &cutTable{rows: connectors.NewMemoryStreamDDL(datatype.DDL(fields))}
		require.NoError(t, in.rows.AddRows(rows...))
		n := len(rows)
		in.cuts = []int64{int64(rng.IntN(n + 1)), int64(rng.IntN(n + 1)), int64(n)}
		slices.Sort(in.cuts)
		cuts[name] = in.cuts
		return expr.Read(name, in)
	}
	return s.build(), cuts
}

// runCut runs a case as a stream, epoch after epoch.
func runCut(ctx context.Context, s *local.Session, table expr.Table, mode expr.OutputMode) (Answer, error) {
	sink := connectors.NewMemorySink()
	q, err := s.Start(ctx, table.WriteTo(sink).OutputMode(mode))
	var e *condition.Error
	if errors.As(err, &e) && e.Rule == "" {
		return failure(err) // an answer that is known when the query is planned, such as of a limit below zero
	}
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = q.Stop(ctx) }()
	if err := q.ProcessAllAvailable(ctx); err != nil {
		// A query's error wraps that of the row.
		var e *condition.Error
		for errors.As(err, &e) && errors.Unwrap(e) != nil {
			err = errors.Unwrap(e)
		}
		return failure(err)
	}
	if sink.Fields() == nil {
		return Answer{Schema: schemaLines(table.Schema().Types())}, nil
	}
	return collect(ctx, s, sink.Table("result"))
}

// Every case that a stream can answer gives as a stream, in whatever epochs its rows come, what Spark gave as a batch. What the compiler refuses is
// no answer; each refusal names its rule.
func TestLocalCuts(t *testing.T) {
	open := func(opts ...local.Option) *local.Session {
		s, err := local.Open(opts...)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	}
	ansi, legacy := open(local.ANSI(true)), open(local.ANSI(false))
	const done = "done"
	ran, refused := 0, map[string]int{}
	for _, suite := range Suites() {
		t.Run(suite.Name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			have, err := load(suite.Name)
			require.NoError(t, err)
			rng := rand.New(rand.NewPCG(3, uint64(len(suite.Name))))
			rules := make([]string, len(suite.Cases))
			// Complete mode first, since append mode holds windows back that are not closed at the end. A join may need its right side as a table.
			for _, try := range []struct {
				mode   expr.OutputMode
				static []string
			}{{expr.Complete, nil}, {expr.Append, nil}, {expr.Complete, []string{"customers"}}, {expr.Append, []string{"customers"}}} {
				cases, cuts := cutCases(t, suite, rng, try.static...)
				for i, c := range cases {
					if rules[i] == done {
						continue
					}
					table, s := c.Table, ansi
					if c.Stream != nil {
						table = *c.Stream
					}
					if c.NoANSI {
						s = legacy
					}
					got, err := runCut(ctx, s, table, try.mode)
					var e *condition.Error
					if errors.As(err, &e) && e.Rule != "" {
						rules[i] = e.Rule
						continue
					}
					require.NoError(t, err, c.Name)
					rules[i] = done
					want := have.Answers[c.Name].withoutNullability()
					got = got.withoutNullability()
					slices.SortFunc(want.Rows, compareRows)
					slices.SortFunc(got.Rows, compareRows)
					if want.String() != got.String() && !(tolerant[suite.Name] && want.near(got)) && gapOf(cutGaps, suite.Name, c.Name) == nil && gapOf(localGaps, suite.Name, c.Name) == nil {
						t.Errorf("%s: as a stream (%v, cut at %v) the local engine says\n%sbut Spark %s\n%s", c.Name, try.mode, cuts, got, have.Spark, want)
					}
				}
			}
			for _, r := range rules {
				if r == done {
					ran++
				} else {
					refused[r]++
				}
			}
		})
	}
	t.Logf("%d cases ran as streams; refused: %v", ran, refused)
	require.Greater(t, ran, 5000)
}
