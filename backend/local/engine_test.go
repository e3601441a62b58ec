package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/backend/local/plan"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
)

type sale struct {
	ID     int64    `json:"id"`
	Item   *int64   `json:"item"`
	Shop   int32    `json:"shop"`
	Amount *float64 `json:"amount"`
	Note   *string  `json:"note"`
}

type item struct {
	ItemKey *int64  `json:"item_key"`
	Kind    string  `json:"kind"`
	Colour  *string `json:"colour"`
}

type shop struct {
	ShopKey int32  `json:"shop_key"`
	Town    string `json:"town"`
}

func pointer[T any](x T) *T { return &x }

// shopping writes three tables as Parquet: sales with nulls, duplicates and keys without a partner, items with a null key and a key that comes twice.
func shopping(t *testing.T) (sales, items, shops expr.Table) {
	t.Helper()
	var s []sale
	for i := range 20_000 {
		x := sale{ID: int64(i), Shop: int32(i/3) % 40}
		if i%17 != 0 {
			x.Item = pointer(int64(i*7919) % 2200)
		}
		if i%13 != 0 {
			x.Amount = pointer(float64(i%1000) / 4)
		}
		if i%5 != 0 {
			x.Note = pointer(fmt.Sprint("note ", i%300))
		}
		s = append(s, x)
	}
	var g []item
	for i := range 2000 {
		x := item{ItemKey: pointer(int64(i)), Kind: fmt.Sprint("kind", i%20)}
		if i%3 != 0 {
			x.Colour = pointer([]string{"red", "green", "a colour of many letters", ""}[i%4])
		}
		g = append(g, x)
	}
	g = append(g, item{Kind: "none"}, item{ItemKey: pointer(int64(5)), Kind: "kind5 again"})
	var p []shop
	for i := range 45 {
		p = append(p, shop{int32(i), fmt.Sprint("town", i%7)})
	}
	session := open(t)
	dir := t.TempDir()
	write := func(name string, table expr.Table) string {
		path := filepath.Join(dir, name)
		require.NoError(t, session.Write(ctx, table.WriteTo(connectors.ToParquet(path))))
		return path
	}
	return expr.Read("sales", connectors.FromParquet(write("sales", expr.Memtable("s", s)), connectors.RowsOf[sale]())),
		expr.Read("items", connectors.FromParquet(write("items", expr.Memtable("g", g)), connectors.RowsOf[item]())),
		expr.Read("shops", connectors.FromParquet(write("shops", expr.Memtable("p", p)), connectors.RowsOf[shop]()))
}

func shoppingQueries(sales, items, shops expr.Table) map[string]expr.Table {
	all := shops.Join(sales, shops.Num("shop_key").Eq(sales.Num("shop")))
	all = all.Join(items, all.Num("item").Eq(items.Num("item_key")))
	perItem := sales.GroupBy("item").Agg(sales.Num("amount").Sum().As("total"), expr.Count().As("n"), sales.Str("note").Max().As("last"))
	red := items.Filter(items.Str("colour").Eq("red"))
	most := perItem.Agg(perItem.Num("n").Max().As("most"))
	nothing := items.Filter(items.Num("item_key").Lt(0))
	small := sales.Filter(sales.Num("id").Lt(500))
	return map[string]expr.Table{
		"three tables": all.GroupBy("town", "kind").Agg(all.Num("amount").Sum().As("total"), expr.Count().As("n")),
		"an or over two tables": all.Filter(all.Str("town").Eq("town1").And(all.Str("kind").Eq("kind2")).Or(all.Str("town").Eq("town3").And(all.Str("kind").Eq("kind4")))).
			Select("id", "town", "kind"),
		"a group and few keys":       perItem.Join(red, perItem.Num("item").Eq(red.Num("item_key"))).Select("item", "total", "n", "last", "colour"),
		"a group that is read twice": perItem.Join(most, perItem.Num("n").Eq(most.Num("most"))).Select("item", "n"),
		"nothing to meet":            all.Join(nothing.Select(nothing.Num("item_key").As("k")), all.Num("item").Eq(expr.Num("k"))).Select("id"),
		"left":                       items.LeftJoin(sales, items.Num("item_key").Eq(sales.Num("item"))).GroupBy("kind").Agg(expr.Num("id").Count().As("n")),
		"null-safe":                  small.Join(items, small.Num("item").EqNullSafe(items.Num("item_key"))).Select("id", "kind"),
		"two keys":                   small.Join(all.Select(all.Num("id").As("i"), all.Num("shop").As("s")), small.Num("id").Eq(expr.Num("i")), small.Num("shop").Eq(expr.Num("s"))).Select("id", "s"),
		"texts as keys":              sales.GroupBy("note", "shop").Agg(expr.Count().As("n"), sales.Num("amount").Max().As("most")),
		"short and long texts":       items.GroupBy("colour").Agg(expr.Count().As("n")),
		"distinct":                   sales.Select("item", "shop").Distinct(),
		"distinct values":            sales.GroupBy("shop").Agg(expr.CountDistinct(sales.Num("item")).As("n")),
		"top":                        sales.OrderBy(expr.Desc("amount"), "id").Limit(50, 3).Select("id", "amount"),
		"sorted":                     sales.OrderBy("note", expr.Desc("id")).Select("id", "note"),
		"united":                     sales.Select("item").Union(items.Select("item_key")).GroupBy("item").Agg(expr.Count().As("n")),
		"without keys":               sales.Filter(sales.Num("id").Lt(0)).Agg(sales.Num("amount").Sum().As("total"), expr.Count().As("n")),
	}
}

// Rows are the same on one core and on several, in batches of any size, and without any of the planner's rules.
func TestSameRowsHowever(t *testing.T) {
	t.Parallel()
	sales, items, shops := shopping(t)
	variants := map[string][]local.Option{}
	for _, cores := range []int{1, 4} {
		for _, rows := range []int{1, 7, 8192} {
			variants[fmt.Sprintf("%d cores, batches of %d", cores, rows)] = []local.Option{local.Parallelism(cores), local.BatchRows(rows)}
		}
	}
	var names []string
	for _, rule := range plan.Rules {
		names = append(names, rule.Name)
		variants["without "+rule.Name] = []local.Option{local.WithoutRules(rule.Name)}
	}
	plain := open(t, local.Parallelism(1), local.WithoutRules(names...))
	for title, q := range shoppingQueries(sales, items, shops) {
		want := collect(t, plain, q)
		if title != "nothing to meet" {
			require.NotEmpty(t, want, title)
		}
		for variant, options := range variants {
			got := collect(t, open(t, options...), q)
			if title == "sorted" || title == "top" {
				require.Equal(t, want, got, "%s %s", title, variant)
			} else {
				require.Equal(t, sorted(want), sorted(got), "%s %s", title, variant)
			}
		}
	}
}

// A query that sorts, joins or groups many rows ends soon after its context does.
func TestCancelledInTime(t *testing.T) {
	n := expr.Memtable("n", []struct {
		N int64 `json:"n"`
	}{{1}, {2}, {3}})
	for range 20 {
		n = n.Union(n)
	}
	key := n.Num("n").Mul(7919).Mod(1000)
	for title, q := range map[string]expr.Table{
		"sort":      n.Mutate(key.As("k")).OrderBy("k", expr.Desc("n")),
		"join":      n.Mutate(key.As("k")).Join(n.Filter(n.Num("n").Lt(2)).Limit(1000), "n"),
		"aggregate": n.Mutate(key.As("k")).GroupBy("k").Agg(expr.Num("n").Sum().As("total")),
	} {
		requirePrompt(t, open(t), title, q)
	}
}

// A row group whose statistics say that no row of it passes the filter is not read: a damaged one that is out of the range does no harm.
func TestRowGroupsAreSkipped(t *testing.T) {
	session := open(t)
	dir := filepath.Join(t.TempDir(), "rows")
	type row struct {
		ID *int64 `json:"id"`
	}
	for part := range 3 {
		rows := []row{{nil}}
		for i := range 100 {
			rows = append(rows, row{pointer(int64(part*100 + i))})
		}
		require.NoError(t, session.Write(ctx, expr.Memtable("rows", rows).WriteTo(connectors.ToParquet(dir)).SaveMode(expr.SaveAppend)))
	}
	table := expr.Read("rows", connectors.FromParquet(dir, connectors.RowsOf[row]()))
	id := table.Num("id")
	filters := map[string]struct {
		of   expr.BooleanValue
		n    int
		hits bool // the second file
	}{
		"below":   {id.Lt(50), 50, false},
		"up to":   {id.Le(99), 100, false},
		"equal":   {id.Eq(250), 1, false},
		"between": {id.Between(10, 20), 11, false},
		"in":      {id.In(1, 5, 77), 3, false},
		"reach":   {id.Gt(99).And(id.Lt(201)), 101, true},
		"or":      {id.Lt(5).Or(id.Gt(295)), 9, true},
		"null":    {id.IsNull(), 3, true},
		"none":    {id.Gt(1000), 0, false},
	}
	for title, f := range filters {
		require.Len(t, collect(t, session, table.Filter(f.of)), f.n, title)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.parquet"))
	require.NoError(t, err)
	require.Len(t, files, 3)
	// The file of 100 to 199 loses its first page.
	for _, name := range files {
		got := collect(t, session, expr.Read("one", connectors.FromParquet(name, connectors.RowsOf[row]())).Filter(expr.Num("id").Eq(150)))
		if len(got) == 0 {
			continue
		}
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		for i := 4; i < 24; i++ {
			content[i] = 0xff
		}
		require.NoError(t, os.WriteFile(name, content, 0o644))
	}
	for title, f := range filters {
		res, err := session.Batches(ctx, table.Filter(f.of))
		require.NoError(t, err)
		var failure error
		for _, err := range res.Batches {
			failure = err
		}
		require.Equal(t, f.hits, failure != nil, "%s: %v", title, failure)
	}
}
