package conformance

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// cutTable is a table of a case as a stream, with the rows of each epoch.
type cutTable struct {
	stream *connectors.MemoryStream
	epochs [][][]any
}

// cutCase builds a case over streams instead of tables. The rows of each come in three epochs, cut anywhere, also before the first row and behind
// the last; static names the tables that stay as they are.
func cutCase(t *testing.T, s Suite, i int, rng *rand.Rand, static ...string) (Case, []cutTable) {
	t.Helper()
	var cuts []cutTable
	defer func(f func(string, []datatype.Field, [][]any) expr.Table) { tables = f }(tables)
	tables = func(name string, fields []datatype.Field, rows [][]any) expr.Table {
		if slices.Contains(static, name) {
			return expr.MemtableRows(name, fields, rows)
		}
		in := connectors.NewMemoryStreamDDL(datatype.DDL(fields))
		a, b := rng.IntN(len(rows)+1), rng.IntN(len(rows)+1)
		a, b = min(a, b), max(a, b)
		cuts = append(cuts, cutTable{in, [][][]any{rows[:a], rows[a:b], rows[b:]}})
		return expr.Read(name, in)
	}
	return s.build()[i], cuts
}

// runCut runs a case as a stream, epoch after epoch.
func runCut(ctx context.Context, s *local.Session, table expr.Table, mode expr.OutputMode, cuts []cutTable) (Answer, error) {
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
	for epoch := range cuts[0].epochs {
		for _, c := range cuts {
			if err := c.stream.AddRows(c.epochs[epoch]...); err != nil {
				return Answer{}, err
			}
		}
		if err := q.ProcessAllAvailable(ctx); err != nil {
			// A query's error wraps that of the row.
			var e *condition.Error
			for errors.As(err, &e) && errors.Unwrap(e) != nil {
				err = errors.Unwrap(e)
			}
			return failure(err)
		}
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
	ran, refused := 0, map[string]int{}
	for _, suite := range Suites() {
		t.Run(suite.Name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			have, err := load(suite.Name)
			require.NoError(t, err)
			rng := rand.New(rand.NewPCG(3, uint64(len(suite.Name))))
			for i := range suite.Cases {
				rule := ""
				// Complete mode first, since append mode holds windows back that are not closed at the end. A join may need its right side as a table.
				for _, try := range []struct {
					mode   expr.OutputMode
					static []string
				}{{expr.Complete, nil}, {expr.Append, nil}, {expr.Complete, []string{"customers"}}, {expr.Append, []string{"customers"}}} {
					c, cuts := cutCase(t, suite, i, rng, try.static...)
					if len(cuts) == 0 {
						rule = "no stream"
						continue
					}
					table := c.Table
					if c.Stream != nil {
						table = *c.Stream
					}
					s := ansi
					if c.NoANSI {
						s = legacy
					}
					got, err := runCut(ctx, s, table, try.mode, cuts)
					var e *condition.Error
					if errors.As(err, &e) && e.Rule != "" {
						rule = e.Rule
						continue
					}
					require.NoError(t, err, c.Name)
					rule = ""
					want := have.Answers[c.Name].withoutNullability()
					got = got.withoutNullability()
					slices.SortFunc(want.Rows, compareRows)
					slices.SortFunc(got.Rows, compareRows)
					if want.String() != got.String() && gapOf(cutGaps, suite.Name, c.Name) == nil {
						t.Errorf("%s: as a stream (%v, cut into %v) the local engine says\n%sbut Spark %s\n%s", c.Name, try.mode, cutText(cuts), got, have.Spark, want)
					}
					break
				}
				if rule == "" {
					ran++
				} else {
					refused[rule]++
				}
			}
		})
	}
	t.Logf("%d cases ran as streams; refused: %v", ran, refused)
	require.Greater(t, ran, 1000)
}

func cutText(cuts []cutTable) [][]int {
	out := make([][]int, len(cuts))
	for i, c := range cuts {
		for _, e := range c.epochs {
			out[i] = append(out[i], len(e))
		}
	}
	return out
}
