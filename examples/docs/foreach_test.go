package docs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
)

type sale struct {
	ID     int64
	Amount int64
}

// archive writes each epoch into a file, which has its name when it is whole.
type archive struct {
	name string
	file *os.File
}

func (a *archive) Open(_ context.Context, partition, epoch int64) (bool, error) {
	a.name = fmt.Sprintf("sales-%d-%d.json", partition, epoch)
	if _, err := os.Stat(a.name); err == nil {
		return false, nil // an earlier run has written it
	}
	var err error
	a.file, err = os.Create(a.name + ".tmp")
	return true, err
}

func (a *archive) Process(_ context.Context, s sale) error {
	return json.NewEncoder(a.file).Encode(s)
}

func (a *archive) Close(_ context.Context, failure error) error {
	if a.file == nil {
		return nil
	}
	if err := errors.Join(a.file.Sync(), a.file.Close()); err != nil || failure != nil {
		return err
	}
	return os.Rename(a.name+".tmp", a.name)
}

func TestForeach(t *testing.T) {
	inFolder(t)
	ctx := t.Context()
	session, err := local.Open()
	require.NoError(t, err)
	rows := connectors.NewMemoryStream[sale]()
	require.NoError(t, rows.Add(sale{1, 5}, sale{2, 7}))
	sales := expr.Read("sales", rows)

	sink := connectors.Foreach(func() expr.RowWriter[sale] { return &archive{} })
	query, err := session.Start(ctx, sales.WriteTo(sink).Checkpoint("ckpt"))

	require.NoError(t, err)
	require.NoError(t, query.ProcessAllAvailable(ctx))
	require.NoError(t, query.Stop(ctx))
	text, err := os.ReadFile("sales-0-0.json")
	require.NoError(t, err)
	require.Equal(t, `{"ID":1,"Amount":5}`+"\n"+`{"ID":2,"Amount":7}`+"\n", string(text))
	require.NoError(t, session.Close())
}

func TestForeachRow(t *testing.T) {
	ctx := t.Context()
	session, err := local.Open()
	require.NoError(t, err)
	sales := connectors.NewMemoryStream[sale]()
	require.NoError(t, sales.Add(sale{1, 5}))

	sink := connectors.ForeachRow(func(ctx context.Context, s sale) error {
		_, err := fmt.Println(s.ID, s.Amount)
		return err
	})

	query, err := session.Start(ctx, expr.Read("sales", sales).WriteTo(sink).Trigger(expr.AvailableNow()))
	require.NoError(t, err)
	require.NoError(t, query.AwaitTermination(ctx))
	require.NoError(t, session.Close())
}
