package plan_test

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/exec"
	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/plan"
	"github.com/spoonbill-go/spoonbill/conformance"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/golden"
	"github.com/spoonbill-go/spoonbill/window"
)

func relation(t *testing.T, table expr.Table) tree.Relation {
	t.Helper()
	r, err := table.Relation()
	require.NoError(t, err)
	return r
}

// Each rule on its own: the plan before and after, as a golden text.
func TestRules(t *testing.T) {
	o, c := conformance.Orders(), conformance.Customers()
	j := o.Join(c, o.Num("customer").Eq(c.Num("customer")), o.Num("amount").Gt(2), c.Date("since").NotNull())
	l := o.LeftJoin(c, "customer")
	aj, sj := o.AnyLeftJoin(c, "customer", c.Date("since").NotNull()), o.SemiJoin(c, o.Num("customer").Eq(c.Num("customer")), o.Num("amount").Gt(2))
	as := o.AsofJoin(o.View(), "at", "customer", expr.AsofNearest(), expr.AsofTolerance(time.Hour))
	g := o.GroupBy("customer").Agg(o.Num("amount").Sum().As("total"), expr.Count().As("n"))
	w := o.Watermark("at", time.Second)
	u := o.Select("id").Union(c.Select("customer"))
	numbers := expr.Read("numbers", known{"item BIGINT, shop INT, amount DOUBLE, day DATE"})
	sl := expr.Read("l", stream{}).Watermark("at", time.Second)
	sr := expr.Read("r", stream{}).Select(expr.Num("k").As("other"), expr.Timestamp("at").As("moment")).Watermark("moment", time.Second)
	cases := map[string]map[string]expr.Table{
		"fold-constants": {
			"arithmetic":     o.Select(o.Num("id").Add(expr.Lit(1).AsNumeric().Add(2)).As("x")),
			"true filter":    o.Filter(expr.Lit(1).AsNumeric().Lt(2)),
			"false filter":   o.Filter(expr.Lit(2).AsNumeric().Lt(1)),
			"an error stays": o.Select(expr.Lit(1).AsNumeric().Mod(0).As("x")),
		},
		"infer-filters": {
			"over a join": j.Filter(expr.Str("name").Eq("Ada").And(expr.Num("id").Gt(1)).Or(expr.Str("name").Eq("Eve").And(expr.Num("id").Lt(3)))),
			"of a join": o.Join(c, o.Num("customer").Eq(c.Num("customer")),
				o.Num("id").Eq(1).And(c.Str("name").Eq("Ada")).Or(o.Num("id").Eq(2).And(c.Str("name").Eq("Eve")))),
			"nothing follows":      j.Filter(expr.Str("name").Eq("Ada").Or(expr.Num("id").Gt(1))),
			"not over a left join": l.Filter(expr.Str("name").Eq("Ada").And(expr.Num("id").Gt(1)).Or(expr.Str("name").Eq("Eve").And(expr.Num("id").Lt(3)))),
		},
		"require-values": {
			"inner":              sl.Join(sr, sl.Num("k").Eq(sr.Num("other")), sr.Timestamp("moment").Ge(sl.Timestamp("at").Add(time.Second))),
			"left":               sl.LeftJoin(sr, sl.Num("k").Eq(sr.Num("other")), sl.Num("k").Gt(1)),
			"right":              sl.RightJoin(sr, sl.Num("k").Add(1).Eq(sr.Num("other"))),
			"anti":               sl.AntiJoin(sr, sl.Num("k").Eq(sr.Num("other"))),
			"full takes all":     sl.OuterJoin(sr, sl.Num("k").Eq(sr.Num("other"))),
			"nulls are equal":    sl.SemiJoin(sr, sl.Num("k").EqNullSafe(sr.Num("other")), sl.Timestamp("at").Eq(sr.Timestamp("moment"))),
			"with a table":       sl.Join(c, sl.Num("k").Eq(c.Num("customer"))),
			"left with a table":  sl.LeftJoin(c, sl.Num("k").Eq(c.Num("customer"))),
			"tables are left be": j,
		},
		"skip-rows": {
			"over a scan": numbers.Filter(numbers.Num("item").Between(3, 9), numbers.Num("shop").Lt(100), expr.Lit(7).AsNumeric().Le(numbers.Num("shop")),
				numbers.Num("amount").Gt(1.5), numbers.Date("day").In(expr.DateOf(2024, 1, 2), expr.DateOf(2023, 1, 2))),
			"not of expressions": numbers.Filter(numbers.Num("item").Add(1).Lt(3), numbers.Num("item").Lt(numbers.Num("shop")), numbers.Num("shop").NotEq(4), numbers.Num("item").In(3, nil)),
		},
		"order-joins": {"small tables keep their order": j},
		"add-sieves":  {"join": j, "left join": l, "of a group": g.Join(c, g.Num("customer").Eq(c.Num("customer")))},
		"push-filters": {
			"through a projection":      o.Select(o.Num("id").Mul(2).As("twice"), "note").Filter(expr.Num("twice").Gt(4)),
			"filters together":          o.Filter(o.Num("id").Gt(1)).Filter(expr.Num("id").Lt(5)),
			"into both sides of a join": j,
			"over a join":               j.Filter(expr.Str("name").Eq("Ada"), expr.Num("id").Gt(1)),
			"over a left join":          l.Filter(expr.Str("name").Eq("Ada"), expr.Num("id").Gt(1)),
			"keys of a group":           g.Filter(g.Num("customer").Gt(10), g.Num("n").Gt(1)),
			"below a watermark":         w.Filter(w.Num("id").Gt(1), w.Timestamp("at").NotNull()),
			"into a union":              u.Filter(u.Num("id").Gt(3)),
			"over a whole":              o.Agg(expr.Count().As("n")).Filter(expr.Num("n").Gt(5)),
			"over an any join":          aj.Filter(expr.Str("name").Eq("Ada"), expr.Num("id").Gt(1)),
			"over an as-of join":        as.Filter(expr.Num("id_right").Gt(1), expr.Num("id").Gt(1)),
			"over a semi join":          sj.Filter(sj.Num("id").Gt(1)),
			"not below a limit":         o.Limit(3).Filter(expr.Num("id").Gt(1)),
			"not below a window":        o.Mutate(o.Num("amount").Sum().As("all")).Filter(expr.Num("id").Gt(1)),
		},
		"decorrelate":    subqueryCases(),
		"subquery-joins": subqueryCases(),
		"group-panes": {
			"sliding":                w.GroupBy(window.Sliding(w.Timestamp("at"), time.Minute, 20*time.Second), "customer").Agg(expr.Count().As("n")),
			"cumulative":             w.GroupBy(window.Cumulate(w.Timestamp("at"), time.Minute, 20*time.Second)).Agg(w.Num("amount").Max().As("most")),
			"not where one is all":   w.GroupBy(window.Tumbling(w.Timestamp("at"), time.Minute)).Agg(expr.Count().As("n")),
			"not of odd steps":       w.GroupBy(window.Sliding(w.Timestamp("at"), time.Minute, 25*time.Second)).Agg(expr.Count().As("n")),
			"not where order counts": w.GroupBy(window.Sliding(w.Timestamp("at"), time.Minute, 20*time.Second)).Agg(w.Num("amount").First().As("first")),
			"not of distinct values": w.GroupBy(window.Sliding(w.Timestamp("at"), time.Minute, 20*time.Second)).Agg(expr.CountDistinct(w.Num("amount")).As("n")),
		},
		"top-k":       {"sort and limit": o.OrderBy("id").Select("id").Limit(3, 2), "limit below": o.Limit(4).OrderBy("id")},
		"push-limits": {"into a union": u.Limit(2)},
		"prune-columns": {
			"projection":         o.Select("id", "note").Select("id"),
			"unused aggregates":  g.Select("customer"),
			"join":               j.Select("name"),
			"any join":           aj.Select("id"),
			"as-of join":         as.Select("amount"),
			"rows only":          o.Agg(expr.Count().As("n")),
			"window and its key": w.GroupBy(window.Tumbling(w.Timestamp("at"), time.Minute)).Agg(expr.Count().As("n")).Select("n"),
		},
	}
	for _, rule := range plan.Rules {
		require.NotEmpty(t, cases[rule.Name], "the rule %s has no case", rule.Name)
	}
	for name, tables := range cases {
		var b strings.Builder
		var titles []string
		for title := range tables {
			titles = append(titles, title)
		}
		sort.Strings(titles)
		for _, title := range titles {
			p, err := plan.Unoptimised(relation(t, tables[title]), plan.Kind{Stream: name == "require-values"})
			require.NoError(t, err)
			before := plan.TreeText(p.Root)
			found := false
			for _, rule := range plan.Rules {
				// Marks are made by one rule and come next to their filters by another.
				prepared := name == "subquery-joins" && (rule.Name == "decorrelate" || rule.Name == "push-filters")
				if rule.Name == name || prepared {
					p.Root, found = rule.Apply(p.Root), true
				}
				if prepared {
					before = plan.TreeText(p.Root)
				}
			}
			require.True(t, found, name)
			fmt.Fprintf(&b, "== %s\n%s--\n%s\n", title, before, plan.TreeText(p.Root))
		}
		golden.Check(t, "testdata/rules/"+name+".txt", b.String())
	}
}

// known is a source whose rows are known without a look at it.
type known struct{ ddl string }

func (k known) Source() (*tree.Source, error) {
	f, err := datatype.ParseFields(k.ddl)
	return &tree.Source{Format: "parquet", Fields: f, Path: k.ddl}, err
}

// What sources know of their rows decides the order of joins, which side becomes the hash table, and what is sieved.
func TestStatistics(t *testing.T) {
	sales := expr.Read("sales", known{"item BIGINT, shop BIGINT, amount DOUBLE"})
	items := expr.Read("items", known{"item_key BIGINT, kind STRING"})
	shops := expr.Read("shops", known{"shop_key BIGINT, town STRING"})
	numbers := map[string]connector.Statistics{
		"sales": {Rows: 1_000_000, Ranges: map[int]connector.Range{0: {Min: 1, Max: 10_000}, 1: {Min: 1, Max: 100}}},
		"items": {Rows: 10_000, Ranges: map[int]connector.Range{0: {Min: 1, Max: 10_000}}},
		"shops": {Rows: 100, Ranges: map[int]connector.Range{0: {Min: 1, Max: 100}}},
	}
	x := shops.Join(sales, shops.Num("shop_key").Eq(sales.Num("shop")))
	x = x.Join(items, x.Num("item").Eq(items.Num("item_key")))
	y := items.LeftJoin(sales, items.Num("item_key").Eq(sales.Num("item")))
	bySale := sales.GroupBy("item").Agg(sales.Num("amount").Sum().As("total"))
	few := items.Filter(items.Num("item_key").Lt(50))
	var b strings.Builder
	for _, c := range []struct {
		title string
		table expr.Table
		known bool
	}{
		{"nothing is known", x, false},
		{"the small sides become tables", x, true},
		{"a filter makes a side smaller", x.Filter(x.Num("item").Lt(10)), true},
		{"an outer join stays", y, true},
		{"into a group", bySale.Join(few, bySale.Num("item").Eq(few.Num("item_key"))), true},
	} {
		k := plan.Kind{}
		if c.known {
			k.Statistics = func(s *plan.Scan) (connector.Statistics, bool) {
				n, ok := numbers[s.Read.Name]
				return n, ok
			}
		}
		p, err := plan.Make(relation(t, c.table), k)
		require.NoError(t, err)
		fmt.Fprintf(&b, "== %s\n%s\n", c.title, plan.TreeText(p.Root))
	}
	golden.Check(t, "testdata/rules/statistics.txt", b.String())
}

// A relation that is reached by very many ways is planned once; one that is reached twice has its own filters on each way, but for aggregations.
func TestShared(t *testing.T) {
	o := conformance.Orders()
	x := o.Select("id")
	for range 24 {
		x = x.Union(x)
	}
	p, err := plan.Make(relation(t, x.Agg(expr.Count().As("n"))), plan.Kind{})
	require.NoError(t, err)
	require.Len(t, p.Parts, 24)
	got, err := run(t, p, true, 2)
	require.NoError(t, err)
	rows, err := run(t, makePlan(t, o), true, 1)
	require.NoError(t, err)
	require.Equal(t, []string{fmt.Sprint(len(rows) << 24)}, got)

	g := o.GroupBy("customer").Agg(expr.Count().As("n"))
	most := g.Agg(g.Num("n").Max().As("most"))
	p = makePlan(t, g.Join(most, g.Num("n").Eq(most.Num("most"))))
	require.Len(t, p.Parts, 1)
	p = makePlan(t, g.Filter(g.Num("n").Gt(1)).Union(g))
	require.Empty(t, p.Parts)
	p = makePlan(t, o.Filter(o.Num("id").Gt(1)).Union(o))
	require.Empty(t, p.Parts)
}

func makePlan(t *testing.T, table expr.Table) *plan.Plan {
	t.Helper()
	p, err := plan.Make(relation(t, table), plan.Kind{})
	require.NoError(t, err)
	return p
}

// run gives the rows of a plan over literal rows, sorted.
func run(t *testing.T, p *plan.Plan, ansi bool, parallelism int) ([]string, error) {
	t.Helper()
	task := &exec.Task{Env: &kernel.Env{ANSI: ansi, Zone: time.UTC, Now: 1_700_000_000_000_000}, Parallelism: parallelism, BatchRows: rows}
	op, err := p.Build(task, plan.Inputs{})
	if err != nil {
		return nil, err
	}
	defer func() { require.NoError(t, op.Close()) }()
	ctx := context.Background()
	if err := op.Open(ctx); err != nil {
		return nil, err
	}
	var out []string
	for {
		b, err := op.Next(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			sort.Strings(out)
			return out, nil
		}
		for i := range b.N {
			cells := make([]string, len(b.Cols))
			for k, c := range b.Cols {
				cells[k] = fmt.Sprint(c.Any(i))
			}
			out = append(out, strings.Join(cells, "|"))
		}
		b.Release()
	}
}

// Every case of the conformance suite gives the same rows with each prefix of the rules and with any parallelism.
func TestRulesKeepTheRows(t *testing.T) {
	for _, s := range conformance.Suites() {
		if s.Name != "relations" && s.Name != "casts" {
			continue
		}
		for _, c := range s.Cases {
			r := relation(t, c.Table)
			var want []string
			var wantErr error
			for n := 0; n <= len(plan.Rules); n++ {
				p, err := plan.Unoptimised(r, plan.Kind{})
				require.NoError(t, err)
				for _, rule := range plan.Rules[:n] {
					p.Root = rule.Apply(p.Root)
				}
				got, err := run(t, p, !c.NoANSI, 1+n%3)
				if n == 0 {
					want, wantErr = got, err
					continue
				}
				require.Equal(t, wantErr == nil, err == nil, "%s: %v and %v", c.Name, wantErr, err)
				require.Equal(t, want, got, "%s after %d rules", c.Name, n)
			}
		}
	}
}

// A filter over every kind of relation keeps each of its conjuncts, whichever rules have run and however often.
func TestFiltersAreKept(t *testing.T) {
	o, c := conformance.Orders(), conformance.Customers()
	w := o.Watermark("at", time.Second)
	shapes := map[string]expr.Table{
		"values":            o,
		"projection":        o.Select(o.Num("id").Add(1).As("id"), "customer", "note"),
		"filter":            o.Filter(o.Num("customer").Gt(0)),
		"whole":             o.Agg(expr.Count().As("id"), o.Num("customer").Min().As("customer")),
		"group":             o.GroupBy("customer").Agg(expr.Count().As("id")),
		"group of a whole":  o.Agg(expr.Count().As("id"), o.Num("customer").Min().As("customer")).GroupBy("customer").Agg(expr.Num("id").Max().As("id")),
		"distinct":          o.Select("id", "customer").Distinct(),
		"sort":              o.OrderBy("id"),
		"sort and limit":    o.OrderBy("id").Limit(3),
		"limit":             o.Limit(3),
		"limit and sort":    o.OrderBy("id").Limit(3, 1).OrderBy("customer"),
		"top-k and columns": o.OrderBy("id").Select("id", "customer").Limit(3),
		"union":             o.Select("id", "customer").Union(o.Select(o.Num("id").Add(1).As("id"), "customer")),
		"watermark":         w,
		"window":            o.Mutate(o.Num("amount").Sum().As("all")),
		"time window":       w.GroupBy(window.Tumbling(w.Timestamp("at"), time.Minute)).Agg(expr.Count().As("id"), w.Num("customer").Min().As("customer")),
		"inner join":        o.Join(c, "customer"),
		"left join":         o.LeftJoin(c, "customer"),
		"right join":        o.RightJoin(c, "customer"),
		"outer join":        o.OuterJoin(c, "customer"),
		"semi join":         o.SemiJoin(c, "customer"),
		"anti join":         o.AntiJoin(c, "customer"),
		"any join":          o.AnyJoin(c.Select("customer", c.Num("customer").Add(1).As("more")), "customer"),
		"any left join":     o.AnyLeftJoin(c, "customer"),
		"any by partner":    o.Select("note", o.Num("customer").As("c")).AnyLeftJoin(o.Select("id", "customer", "at"), [2]string{"c", "customer"}),
		"as-of join":        o.AsofJoin(c.Select("customer", c.Date("since").Cast(datatype.Timestamp).As("at")), "at", "customer"),
		"as-of by partner":  c.Select(c.Date("since").As("since"), "name").AsofJoin(o.Select("id", "customer", "at"), [2]string{"since", "at"}, expr.AsofForward()),
		"cross join":        o.Select("id").Join(c.Select("customer"), expr.Lit(1).AsNumeric().Lt(2)),
	}
	for name, table := range shapes {
		for _, least := range []int{0, 1, 2, 5, 100} {
			filtered := table.Filter(expr.Num("id").Gt(least), expr.Num("customer").Gt(least*5), expr.Lit(least).AsNumeric().Lt(50))
			want := []string{}
			for n := range 2*len(plan.Rules) + 1 {
				p, err := plan.Unoptimised(relation(t, filtered), plan.Kind{})
				require.NoError(t, err)
				for i := range n {
					p.Root = plan.Rules[i%len(plan.Rules)].Apply(p.Root)
				}
				got, err := run(t, p, true, 1)
				require.NoError(t, err)
				if n == 0 {
					want = got
				}
				require.Equal(t, want, got, "%s over %d after %d rules", name, least, n)
			}
		}
	}
}

// A function gives the same for a row whether its arguments are columns or constants, and however the rows are cut into batches:
// constants take other paths through the kernels, and are folded before the query runs.
func TestConstantsAndColumnsAgree(t *testing.T) {
	compared, errors := 0, 0
	for _, s := range conformance.Suites() {
		for _, c := range s.Cases {
			r := relation(t, c.Table)
			if s, ok := r.(*tree.Sort); ok {
				r = s.Input
			}
			top, ok := r.(*tree.Project)
			if !ok {
				continue
			}
			rows, ok := top.Input.(*tree.Values)
			if !ok {
				continue
			}
			deterministic := true
			for _, col := range top.Columns {
				tree.Walk(col.Expr, func(x tree.Scalar) bool {
					_, over := x.(*tree.Over)
					deterministic = deterministic && !over
					return true
				})
			}
			if !deterministic {
				continue
			}
			for _, row := range rows.Rows {
				one := &tree.Values{Node: rows.Node, Rows: [][]tree.Scalar{row}}
				asColumns, asConstants := &tree.Project{Node: top.Node, Input: one}, &tree.Project{Node: top.Node, Input: one}
				for _, col := range top.Columns {
					asColumns.Columns = append(asColumns.Columns, tree.Named{Name: col.Name, Expr: tree.Rewrite(col.Expr, func(x tree.Scalar) tree.Scalar {
						if k, ok := x.(*tree.Column); ok {
							return &tree.Column{Rel: one, Ordinal: k.Ordinal}
						}
						return x
					})})
					asConstants.Columns = append(asConstants.Columns, tree.Named{Name: col.Name, Expr: tree.Rewrite(col.Expr, func(x tree.Scalar) tree.Scalar {
						if k, ok := x.(*tree.Column); ok {
							return row[k.Ordinal]
						}
						return x
					})})
				}
				var got [2][]string
				var errs [2]error
				for i, r := range []tree.Relation{asColumns, asConstants} {
					p, err := plan.Make(r, plan.Kind{})
					require.NoError(t, err)
					got[i], errs[i] = run(t, p, !c.NoANSI, 1)
				}
				require.Equal(t, condition.Of(errs[0]), condition.Of(errs[1]), "%s %s: %v and %v", s.Name, c.Name, errs[0], errs[1])
				require.Equal(t, got[0], got[1], "%s %s", s.Name, c.Name)
				compared++
				if errs[0] != nil {
					errors++
				}
			}
		}
	}
	require.Greater(t, compared, 5000)
	require.Greater(t, errors, 50)
}

// Batches of one row, of a few and of all give the same.
func TestBatchSizes(t *testing.T) {
	for _, s := range conformance.Suites() {
		for _, c := range s.Cases {
			r := relation(t, c.Table)
			var want []string
			var wantErr error
			for i, size := range []int{1000, 1} {
				p, err := plan.Make(r, plan.Kind{})
				require.NoError(t, err)
				rows = size
				// Which rows a goroutine gets is chance, and the last digits of what is made of means depend on it.
				workers := 2
				if s.Inexact() {
					workers = 1
				}
				got, err := run(t, p, !c.NoANSI, workers)
				if i == 0 {
					want, wantErr = got, err
					continue
				}
				// Where several rows raise, it is chance which comes first.
				require.Equal(t, wantErr == nil, err == nil, "%s %s: %v and %v", s.Name, c.Name, wantErr, err)
				require.Equal(t, want, got, "%s %s in batches of %d", s.Name, c.Name, size)
			}
			rows = 3
		}
	}
}

// stream is a streaming source of the tree.
type stream struct{}

func (stream) Source() (*tree.Source, error) {
	f, err := datatype.ParseFields("k INT, at TIMESTAMP")
	return &tree.Source{Format: "rate", Fields: f, Batch: true, Stream: true}, err
}

// A grouping in append mode that nothing would ever finish is refused by the engine itself, whatever let it through.
func TestAppendWithoutEventTime(t *testing.T) {
	in := expr.Read("in", stream{})
	w := in.Watermark("at", time.Second)
	for name, c := range map[string]struct {
		table expr.Table
		mode  tree.OutputMode
		ok    bool
	}{
		"append":            {in.GroupBy("k").Agg(expr.Count().As("n")), tree.Append, false},
		"append, distinct":  {in.Select("k").Distinct(), tree.Append, false},
		"append, watermark": {w.GroupBy("k").Agg(expr.Count().As("n")), tree.Append, false},
		"append, time":      {w.GroupBy("at").Agg(expr.Count().As("n")), tree.Append, true},
		"update":            {in.GroupBy("k").Agg(expr.Count().As("n")), tree.Update, true},
		"complete":          {in.GroupBy("k").Agg(expr.Count().As("n")), tree.Complete, true},
	} {
		p, err := plan.Make(relation(t, c.table), plan.Kind{Stream: true, Mode: c.mode})
		require.NoError(t, err)
		_, err = p.Build(&exec.Task{Env: &kernel.Env{Zone: time.UTC}, Parallelism: 1, BatchRows: 10, Stream: true, Mode: c.mode}, plan.Inputs{})
		if c.ok {
			require.NoError(t, err, name)
		} else {
			require.Equal(t, condition.StreamingUnsupported, condition.Of(err), name)
		}
	}
}

// rows is the size of the batches of run.
var rows = 3
