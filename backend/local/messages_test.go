package local_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Rows that do not go into a Go struct are refused with the line that asked for them.
func TestPlaceOfDecoding(t *testing.T) {
	s := open(t)
	in := expr.MemtableRows("t", fields(t, "a STRING, n INT"), [][]any{{"x", nil}})
	type misfit struct{ A int }
	type null struct{ N int32 }
	_, schema := backend.Collect[misfit](ctx, s, in)
	_, row := backend.Collect[null](ctx, s, in)
	_, head := backend.Head[null](ctx, s, in, 1)
	_, one := backend.Collect[int](ctx, s, in)
	_, run := backend.Collect[int64](ctx, s, in.Select(in.Str("a").Cast(datatype.Long).As("b")))
	_, closed := backend.Collect[int](ctx, nil, in)
	for name, err := range map[string]error{"schema": schema, "row": row, "head": head, "columns": one, "run": run, "no session": closed} {
		require.Regexp(t, `^local/messages_test\.go:\d+: \[`, err.Error(), name)
	}
	r, err := s.Batches(ctx, in)
	require.NoError(t, err)
	for _, err := range backend.Decode[misfit](r) {
		require.ErrorContains(t, err, "local/messages_test.go:")
	}
}

// The end of a query tells its cause once, and the status tells it too.
func TestStreamFailedOnce(t *testing.T) {
	f, p := payments(t)
	f.add([]any{clock("12:00:00"), 0, 1.0})
	q, err := open(t).Start(ctx, p.Select(p.Num("payAmount").Div(p.Num("provinceId")).As("q")).WriteTo(newCollector()).Checkpoint(t.TempDir()).Trigger(expr.AvailableNow()))
	err = endOfQuery(t, q, err)
	require.Equal(t, 1, strings.Count(err.Error(), "DIVIDE_BY_ZERO"), err.Error())
	require.ErrorIs(t, err, &condition.Error{Condition: condition.DivideByZero})
	status, e := q.Status(ctx)
	require.NoError(t, e)
	require.Equal(t, 1, strings.Count(status.Message, "DIVIDE_BY_ZERO"), status.Message)
	require.Equal(t, 1, strings.Count(status.Message, "erminated with exception"), status.Message)
}

// What differs between two queries and what to do about it are on lines of their own.
func TestCheckpointMismatchIsReadable(t *testing.T) {
	f, p := payments(t)
	f.add([]any{clock("12:00:00"), 1, 1.0})
	s, ckpt := open(t), t.TempDir()
	q, err := s.Start(ctx, perProvince(p).WriteTo(newCollector()).Checkpoint(ckpt).Trigger(expr.AvailableNow()))
	requireEnd(t, q, err)
	_, err = s.Start(ctx, p.WriteTo(newCollector()).Checkpoint(ckpt))
	require.Error(t, err)
	lines := strings.Split(err.Error(), "\n")
	require.Regexp(t, `belongs to another query \(- it has, \+ this one has\):$`, lines[0])
	for _, l := range lines[1 : len(lines)-1] {
		require.Regexp(t, `^[-+ ] `, l)
	}
	require.Regexp(t, `^Filters, projections`, lines[len(lines)-1])
}

// A codec that is made by hand has no field twice, as Spark resolves names.
func TestCodecWithAFieldTwice(t *testing.T) {
	for name, err := range map[string]error{
		"source": expr.Read("t", connectors.FromKafka("h:1", "t", connectors.JSONOf("a INT, A STRING"))).Err(),
		"sink":   expr.MemtableRows("t", fields(t, "a INT"), [][]any{{1}}).WriteTo(connectors.ToKafka("h:1", "t", connectors.JSONOf("a INT, a INT"))).Err(),
	} {
		require.Error(t, err, name)
		require.Equal(t, condition.ColumnAlreadyExists, condition.Of(err), name)
		require.ErrorContains(t, err, "messages_test.go:", name)
	}
}

func fields(t *testing.T, ddl string) []datatype.Field {
	t.Helper()
	f, err := datatype.ParseFields(ddl)
	require.NoError(t, err)
	return f
}

// A checkpoint that cannot be made says what stands in the way, and a record that is malformed shows the value and no more.
func TestMessagesOfTheWorld(t *testing.T) {
	f, p := payments(t)
	f.add([]any{clock("12:00:00"), 1, 1.0})
	s, dir := open(t), t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	for _, ckpt := range []string{file, filepath.Join(file, "below")} {
		_, err := s.Start(ctx, p.WriteTo(newCollector()).Checkpoint(ckpt))
		requireCondition(t, err, condition.CheckpointFailed, "A file stands where a folder must be")
	}
	for text, why := range map[string]string{
		`{"n":"x"}`: `: "x" is no INT: `, `{"n": 1.5 , "word":"a"}`: `: 1.5 is no INT: `, `{"n":[1,2]}`: `: [1,2]} is no INT: `, `{"n":"a\"b"}`: `: "a\"b" is no INT: `,
		`{"n":"` + strings.Repeat("long ", 30) + `"}`: `long long… is no INT: `,
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		_, err := tryCollect(s, expr.Read("t", connectors.FromJSON(file, connectors.RowsDDL(eventDDL), connectors.Mode("FAILFAST"))))
		requireCondition(t, err, condition.MalformedRecord, why)
		require.NotContains(t, err.Error(), "ignoreCorruptFiles", "an option that does not help here")
	}
	loop := filepath.Join(dir, "loop")
	require.NoError(t, os.Mkdir(loop, 0o755))
	require.NoError(t, os.Symlink(loop, filepath.Join(loop, "again")))
	_, err := tryCollect(s, expr.Read("t", connectors.FromJSON(loop, connectors.RowsDDL(eventDDL), connectors.RecursiveFileLookup())))
	requireCondition(t, err, condition.FailedReadFile, "leads back to a folder above it", loop)
}

// Whoever waits for a query in vain is told what the query is at.
func TestWaitInVain(t *testing.T) {
	_, p := payments(t)
	s := open(t)
	q, err := s.Start(ctx, p.WriteTo(newCollector()).Checkpoint(t.TempDir()).Name("idle"))
	require.NoError(t, err)
	require.NoError(t, q.ProcessAllAvailable(ctx))
	requireStatus(t, q, "Waiting for data to arrive")
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	err = q.AwaitTermination(short)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "query idle runs on")
	require.NoError(t, q.Stop(ctx))
}

// A listener that hears of a query's start finds the query.
func TestStartedQueryIsFound(t *testing.T) {
	_, p := payments(t)
	s := open(t)
	for range 20 {
		listen, leave := context.WithCancel(ctx)
		ready, found := make(chan struct{}), make(chan error, 1)
		go func() {
			_ = s.Streams().Listen(listen, func() { close(ready) }, func(e backend.Event) error { // it ends with its context
				if e.Kind == backend.Started {
					_, err := s.Streams().Query(listen, e.ID)
					found <- err
				}
				return nil
			})
		}()
		<-ready
		q, err := s.Start(ctx, p.WriteTo(newCollector()).Checkpoint(t.TempDir()))
		require.NoError(t, err)
		require.NoError(t, <-found)
		require.NoError(t, q.Stop(ctx))
		leave()
	}
}
