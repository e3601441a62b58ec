// Package catalog_test is the code of docs/catalog.md, and shows that it runs.
package catalog_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
)

type order struct {
	ID     int32
	City   string
	Amount float64
}

type total struct {
	City  *string
	Total *float64
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// A table is written, read, viewed, cached, changed and dropped.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "warehouse")
	must(err)
	defer func() { must(os.RemoveAll(dir)) }()
	session, err := local.Open(local.Warehouse(dir)) // or sparkconnect.Connect(ctx, "sc://…")
	must(err)
	defer func() { must(session.Close()) }()
	catalog := session.Catalog()
	must(catalog.CreateDatabase(ctx, true, "shop")) // true: one that is there is no error

	orders := expr.Memtable("orders", []order{{1, "Bern", 10.5}, {2, "Basel", 7.25}, {3, "Bern", 2}})
	must(session.Write(ctx, orders.WriteTo(connectors.ToTable("shop", "orders").PartitionBy("City"))))

	table, err := session.Table(ctx, "shop", "orders") // its columns are found now, its rows when it is read
	must(err)
	perCity := table.GroupBy("City").Agg(table.Num("Amount").Sum().As("Total"))
	show := func(t expr.Table) {
		rows, err := backend.Collect[total](ctx, session, t.OrderBy("City"))
		must(err)
		for _, r := range rows {
			fmt.Println(*r.City, *r.Total)
		}
	}
	show(perCity)

	must(catalog.CreateTempView(ctx, "large orders", table.Filter(table.Num("Amount").Gt(10)), false))
	view, err := session.Table(ctx, "large orders")
	must(err)
	n, err := backend.Count(ctx, session, view)
	must(err)
	fmt.Println(n, "large")

	kept, err := session.Cache(ctx, perCity) // computed now
	must(err)
	fmt.Println(kept.Bytes > 0) // in memory; Spark does not tell
	more := expr.Memtable("more", []order{{4, "Basel", 100}})
	must(session.Write(ctx, more.WriteTo(connectors.ToTable("shop", "orders").ByName()).SaveMode(expr.SaveAppend)))
	show(kept.Table) // as it was
	must(kept.Release(ctx))
	show(perCity)

	list, err := catalog.ListTables(ctx, "ord*|large*", "shop")
	must(err)
	for _, t := range list {
		fmt.Println(t.Name, t.Type)
	}
	must(catalog.DropDatabase(ctx, false, true, "shop"))
	_, err = session.Table(ctx, "shop", "orders")
	fmt.Println(err != nil)

	// Output:
	// Basel 7.25
	// Bern 12.5
	// 1 large
	// true
	// Basel 7.25
	// Bern 12.5
	// Basel 107.25
	// Bern 12.5
	// large orders TEMPORARY
	// orders MANAGED
	// true
}
