//go:build conformance

package conformance

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// Spark's catalogue answers as recorded; with -record the recording is written anew.
func TestSparkCatalog(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	s := connect(t)
	have, err := load("catalog")
	require.NoError(t, err)
	fresh := map[string]Answer{}
	for _, c := range CatalogCases() {
		got, err := AskCatalog(ctx, s, c)
		require.NoError(t, err, c.Name)
		fresh[c.Name] = got
		if !*record {
			want, ok := have.Of(s.Version(), c.Name)
			require.True(t, ok, "%s is not recorded: go test -tags conformance -record", c.Name)
			assert.Equal(t, want.String(), got.String(), c.Name)
		}
	}
	if *record {
		require.NoError(t, have.record(s.Version(), fresh).save("catalog"))
	}
}

// scratch makes a database that goes with the test; ids gives the column id of a table in order.
func scratch(t *testing.T) (ctx context.Context, s *sparkconnect.Session, db string, ids func(expr.Table, error) []int32) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	s, db = connect(t), "conf_"+strings.ReplaceAll(uuid.NewString(), "-", "")
	require.NoError(t, s.Catalog().CreateDatabase(ctx, false, db))
	t.Cleanup(func() { require.NoError(t, s.Catalog().DropDatabase(context.WithoutCancel(ctx), true, true, db)) })
	return ctx, s, db, func(in expr.Table, err error) []int32 {
		t.Helper()
		require.NoError(t, err)
		out, err := backend.Collect[int32](ctx, s, in.Select("id").OrderBy("id"))
		require.NoError(t, err)
		return out
	}
}

// Versions of tables are Delta's, which the server of the images has.
func TestSparkVersions(t *testing.T) {
	ctx, s, db, ids := scratch(t)
	rows := keeps()
	versions := connectors.ToTable(db, "versions").Format("delta")
	require.NoError(t, s.Write(ctx, rows.Limit(0).WriteTo(versions)))
	require.NoError(t, s.Write(ctx, rows.WriteTo(versions).SaveMode(expr.SaveAppend)))
	time.Sleep(1100 * time.Millisecond) // Delta's clock for TIMESTAMP AS OF goes by milliseconds, the answer to it by seconds
	between := time.Now()
	require.NoError(t, s.Write(ctx, rows.WriteTo(versions).SaveMode(expr.SaveAppend)))
	table, err := s.Table(ctx, db, "versions")
	require.Len(t, ids(table, err), 6)
	require.Empty(t, ids(table.VersionAsOf(0), nil))
	require.Equal(t, []int32{1, 2, 3}, ids(table.VersionAsOf(1), nil))
	require.Equal(t, []int32{1, 2, 3}, ids(table.TimestampAsOf(between), nil))
	old := table.VersionAsOf(1)
	require.Len(t, ids(table.Join(old.Filter(old.Num("id").Gt(1)), "id"), nil), 4)
	_, err = s.Batches(ctx, table.VersionAsOf(99))
	require.Equal(t, "DELTA_VERSION_NOT_FOUND", condition.Of(err))
	_, err = s.Batches(ctx, table.TimestampAsOf(between.Add(-time.Hour)))
	require.ErrorContains(t, err, "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION")
}

// Spark's manager of streaming queries does what the test asks of the local engine's too.
func TestSparkStreamsManager(t *testing.T) { manageStreams(t, connect(t), env.Dir(t)) }

// What Spark alone has of a catalogue: versions of a Delta table, views that stay, tables as streams.
func TestSparkTables(t *testing.T) {
	ctx, s, db, ids := scratch(t)
	c := s.Catalog()
	rows := keeps()
	require.NoError(t, s.Write(ctx, rows.WriteTo(connectors.ToTable(db, "plain"))))
	plain, err := s.Table(ctx, db, "plain")
	require.NoError(t, err)
	_, err = s.Batches(ctx, plain.VersionAsOf(0))
	require.Equal(t, condition.TimeTravel, condition.Of(err))

	view := plain.Filter(plain.Num("id").Gt(expr.Param("least", plain.Schema().Field(0).Type).AsNumeric())).Bind(expr.Params{"least": 1})
	require.NoError(t, c.CreateView(ctx, view, expr.ErrorIfExists, db, "view"))
	require.Equal(t, condition.TableAlreadyExists, condition.Of(c.CreateView(ctx, view, expr.ErrorIfExists, db, "view")))
	require.NoError(t, c.CreateView(ctx, plain, expr.SaveIgnore, db, "view"))
	require.Equal(t, []int32{2, 3}, ids(s.Table(ctx, db, "view")))
	require.NoError(t, c.CreateView(ctx, plain, expr.SaveOverwrite, db, "view"))
	require.Equal(t, []int32{1, 2, 3}, ids(s.Table(ctx, db, "view")))
	info, err := c.GetTable(ctx, db, "view")
	require.NoError(t, err)
	require.Equal(t, backend.TableInfo{Name: "view", Catalog: "spark_catalog", Database: db, Type: "VIEW"}, info)
	in := expr.Read("in", connectors.FromJSON(env.Dir(t), connectors.RowsDDL("id INT")))
	err = c.CreateView(ctx, in, expr.ErrorIfExists, db, "over_files")
	require.Equal(t, condition.InvalidTempReference, condition.Of(err))
	require.ErrorContains(t, err, "CreateTempView")
	require.Equal(t, condition.InvalidValue, condition.Of(c.CreateView(ctx, plain, expr.SaveAppend, db, "view")))
	require.NoError(t, c.CreateTempView(ctx, "mine", plain, false))
	mine, err := s.Table(ctx, "mine")
	require.NoError(t, err)
	require.Equal(t, condition.InvalidTempReference, condition.Of(c.CreateView(ctx, mine, expr.ErrorIfExists, db, "over_mine")))
	require.NoError(t, c.DropView(ctx, false, db, "view"))

	// A program that was compiled before a view was made does not take its name.
	require.NoError(t, c.CreateTempView(ctx, "in", plain, false))
	n, err := backend.Count(ctx, s, in)
	require.NoError(t, err)
	require.Zero(t, n)
	require.Equal(t, []int32{1, 2, 3}, ids(s.Table(ctx, "in")))
	list, err := c.ListTables(ctx, "in*")
	require.NoError(t, err)
	require.Equal(t, []backend.TableInfo{{Name: "in", Type: "TEMPORARY", Temporary: true}}, list)

	// A table is a stream under Start, into another table.
	q, err := s.Start(ctx, plain.Filter(plain.Num("id").Lt(3)).WriteTo(connectors.ToTable(db, "streamed")).Checkpoint(filepath.Join(env.Dir(t), "checkpoint")).Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	require.NoError(t, q.AwaitTermination(ctx))
	require.Equal(t, []int32{1, 2}, ids(s.Table(ctx, db, "streamed")))

	// A cached table is read from the cache, also after the table has changed behind Spark's back.
	kept, err := s.Cache(ctx, plain)
	require.NoError(t, err)
	plan, err := s.Explain(ctx, kept.Table, backend.ExplainOptions{})
	require.NoError(t, err)
	require.Contains(t, plan.String(), "InMemoryRelation")
	require.NoError(t, kept.Release(ctx))
	_, err = s.Batches(ctx, kept.Table)
	require.Equal(t, condition.Closed, condition.Of(err), "%v", err)
	plan, err = s.Explain(ctx, plain.Join(plain.View().Hint("shuffle_hash"), "id"), backend.ExplainOptions{})
	require.NoError(t, err)
	require.Contains(t, plan.String(), "ShuffledHashJoin")
	plan, err = s.Explain(ctx, plain.Repartition(7, "id"), backend.ExplainOptions{})
	require.NoError(t, err)
	require.Contains(t, plan.String(), "hashpartitioning(id")
}
