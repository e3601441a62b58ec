package rows_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

type Address struct {
	City string
	Zip  *string // a pointer is nullable
}

type Order struct {
	ID      int64            `spoonbill:"order id"`             // the column's name
	Amount  string           `spoonbill:"amount,decimal(10,2)"` // and its type, where Go has no type of its own for it
	Placed  time.Time        `json:"placed"`                    // a json tag names a column too
	Day     time.Time        `spoonbill:"day,date"`
	Note    sql.Null[string] `spoonbill:"note"` // nullable as well
	Ship    Address          `spoonbill:"ship"` // a STRUCT
	Tags    []string         `spoonbill:"tags"` // an ARRAY; nil is null
	private int
	Cache   any `spoonbill:"-"` // no column
}

func orders() expr.Table {
	day := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	return expr.Memtable("orders", []Order{
		{ID: 1, Amount: "10.50", Placed: day.Add(9 * time.Hour), Day: day, Ship: Address{City: "Bern"}, Tags: []string{"new"}},
		{ID: 2, Amount: "7.25", Placed: day.Add(10 * time.Hour), Day: day, Note: sql.Null[string]{V: "gift", Valid: true}, Ship: Address{City: "Basel"}},
	})
}

// Columns are named by the fields of a struct.
func ExampleTableOf() {
	o := expr.TableOf[Order](orders())
	perCity := o.GroupBy(o.Str(&o.Row.Ship.City)).Agg(o.Num(&o.Row.Amount).Sum().As("total"))

	fmt.Print(perCity.Schema())
	// Output:
	// City STRING NOT NULL
	// total DECIMAL(20,2)
}

// Rows come as structs.
func ExampleRows() {
	ctx := context.Background()
	session, err := local.Open()
	if err != nil {
		panic(err)
	}
	defer session.Close()

	for order, err := range backend.Rows[Order](ctx, session, orders()) {
		if err != nil {
			panic(err)
		}
		fmt.Println(order.ID, order.Amount, order.Note.V, order.Ship.City)
	}
	ids, err := backend.Collect[int64](ctx, session, orders().Select("order id"))
	fmt.Println(ids, err)
	// Output:
	// 1 10.50  Bern
	// 2 7.25 gift Basel
	// [1 2] <nil>
}

// What does not fit is an error with a way out.
func ExampleCollect_misfit() {
	ctx := context.Background()
	session, err := local.Open()
	if err != nil {
		panic(err)
	}
	defer session.Close()

	type narrow struct {
		ID int32 `spoonbill:"order id"`
	}
	_, err = backend.Collect[narrow](ctx, session, orders())
	var e *condition.Error
	fmt.Println(errors.As(err, &e), e.Message, e.Hint)

	_, err = backend.Collect[string](ctx, session, orders().Select("note"))
	fmt.Println(errors.As(err, &e), e.Message)
	// Output:
	// true the column `order id` of type BIGINT does not fit Go's int32. Use int64, or cast the column in the query.
	// true row 0: the column note is null, and Go's string has no value for that.
}

// A session finds the columns of files.
func ExampleReadInferred() {
	ctx := context.Background()
	session, err := local.Open()
	if err != nil {
		panic(err)
	}
	defer session.Close()
	dir, err := os.MkdirTemp("", "rows")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "orders.csv")
	if err := os.WriteFile(path, []byte("order id,amount,placed\n1,10.5,2024-05-01 09:00:00\n2,,2024-05-01 10:00:00\n"), 0o666); err != nil {
		panic(err)
	}

	files := connectors.FromCSV(path, connectors.Inferred(), connectors.Header(), connectors.InferSchema())
	table, err := backend.ReadInferred(ctx, session, "orders", files)
	if err != nil {
		panic(err)
	}

	fmt.Print(table.Schema())
	// Output:
	// `order id` INT
	// amount DOUBLE
	// placed TIMESTAMP
}

// Results are shown, or written.
func ExampleShowTable() {
	ctx := context.Background()
	session, err := local.Open()
	if err != nil {
		panic(err)
	}
	defer session.Close()
	dir, err := os.MkdirTemp("", "rows")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	table := orders().Select("order id", "amount")
	err = backend.ShowTable(ctx, os.Stdout, session, table, backend.ShowOptions{Rows: 1, Truncate: 20})
	if err != nil {
		panic(err)
	}
	err = backend.ToParquet(ctx, session, table, filepath.Join(dir, "out"), expr.SaveOverwrite)
	fmt.Println(err)
	// Output:
	// +--------+------+
	// |order id|amount|
	// +--------+------+
	// |       1| 10.50|
	// +--------+------+
	// only showing top 1 row
	// <nil>
}

// Long work tells how far it has come.
func ExampleWithWork() {
	ctx := context.Background()
	session, err := local.Open()
	if err != nil {
		panic(err)
	}
	defer session.Close()
	dir, err := os.MkdirTemp("", "rows")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte("{\"n\":1}\n{\"n\":2}\n"), 0o666); err != nil {
		panic(err)
	}
	table := expr.Read("numbers", connectors.FromJSON(dir, connectors.RowsDDL("n INT")))
	write := table.WriteTo(connectors.Noop()).Trigger(expr.AvailableNow())

	line := backend.NewStatusLine(os.Stderr) // shows nothing where that is no terminal
	defer line.End()
	n, err := backend.Count(backend.WithWork(ctx, line.Work), session, table)
	fmt.Println(n, err)

	ctx = backend.WithWork(ctx, func(w backend.Work) {
		if w.Ended {
			fmt.Println(w.Rows, "rows read")
		}
	})
	n, err = backend.Count(ctx, session, table)

	query, err := session.Start(ctx, write)
	if err != nil {
		panic(err)
	}
	err = backend.Watch(ctx, query, func(p backend.Progress) {
		fmt.Println("epoch", p.BatchID, "read", p.NumInputRows, "rows")
	})
	fmt.Println(n, err)
	// Output:
	// 2 <nil>
	// 2 rows read
	// epoch 0 read 2 rows
	// 2 <nil>
}
