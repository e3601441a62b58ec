package conformance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	nyc "github.com/spoonbill-go/spoonbill/examples/questions"
	"github.com/spoonbill-go/spoonbill/expr"
)

// askWork gives a session's answers to a work in a database of its own, which is dropped after it. see, unless nil, is shown each query, in which that database's
// name is "nyc".
func askWork(ctx context.Context, s backend.Session, w nyc.Work, tables nyc.Tables, see func(expr.Table, func(sql string) string)) (out []Answer, err error) {
	c := s.Catalog()
	db := "conf_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	if err := c.CreateDatabase(ctx, false, db); err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, c.SetCurrentDatabase(ctx, "default"), c.DropDatabase(ctx, true, true, db))
	}()
	if err := c.SetCurrentDatabase(ctx, db); err != nil {
		return nil, err
	}
	err = w.Do(ctx, s, tables, func(q expr.Table) error {
		a, err := Ask(ctx, s, q, true)
		if err == nil && a.Error != "" {
			err = fmt.Errorf("answer %d: %s", len(out)+1, a.Error)
		}
		if see != nil {
			see(q, func(sql string) string { return strings.ReplaceAll(sql, db, "nyc") })
		}
		out = append(out, a)
		return err
	})
	return out, err
}

// numberedAnswers gives the names under which the answers to a work are recorded.
func numberedAnswers(w nyc.Work, answers []Answer) map[string]Answer {
	out := map[string]Answer{}
	for i, a := range answers {
		out[fmt.Sprintf("%s %d", w.Name, i+1)] = a
	}
	return out
}

// plainAnswers asks a session the queries that need none of the work.
func plainAnswers(ctx context.Context, s backend.Session, w nyc.Work, tables nyc.Tables) ([]Answer, error) {
	var out []Answer
	for _, q := range w.Plain {
		a, err := Ask(ctx, s, q(tables), true)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// worksHere gives the local engine's answers to a work, or to the queries that stand for it.
func worksHere(ctx context.Context, s backend.Session, w nyc.Work, tables nyc.Tables) ([]Answer, error) {
	if w.Plain != nil {
		return plainAnswers(ctx, s, w, tables)
	}
	return askWork(ctx, s, w, tables, nil)
}

// The local engine does every work over a slice of the flights with Spark's answers.
func TestWorks(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tables := flightsSlice(t, t.TempDir())
	have, err := load("works")
	require.NoError(t, err)
	s, err := local.Open()
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	n := 0
	for _, w := range nyc.Works {
		answers, err := worksHere(ctx, s, w, tables)
		require.NoError(t, err, w.Name)
		require.NotEmpty(t, answers, w.Name)
		for name, got := range numberedAnswers(w, answers) {
			n++
			want, ok := have.Answers[name]
			require.True(t, ok, "%s is not recorded", name)
			if w.Plain != nil { // columns of tables may all be null
				want, got = want.withoutNullability(), got.withoutNullability()
			}
			require.Equal(t, want.String(), got.String(), name)
			require.NotEmpty(t, got.Rows, name)
		}
	}
	require.Len(t, have.Answers, n)
}
