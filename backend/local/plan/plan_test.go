package plan_test

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/exec"
	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/plan"
	"github.com/spoonbill-go/spoonbill/conformance"
	"github.com/spoonbill-go/spoonbill/expr"
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
	g := o.GroupBy("customer").Agg(o.Num("amount").Sum().As("total"), expr.Count().As("n"))
	w := o.Watermark("at", time.Second)
	u := o.Select("id").Union(c.Select("customer"))
	cases := map[string]map[string]expr.Table{
		"fold-constants": {
			"arithmetic":     o.Select(o.Num("id").Add(expr.Lit(1).AsNumeric().Add(2)).As("x")),
			"true filter":    o.Filter(expr.Lit(1).AsNumeric().Lt(2)),
			"false filter":   o.Filter(expr.Lit(2).AsNumeric().Lt(1)),
			"an error stays": o.Select(expr.Lit(1).AsNumeric().Mod(0).As("x")),
		},
		"push-filters": {
			"through a projection":      o.Select(o.Num("id").Mul(2).As("twice"), "note").Filter(expr.Num("twice").Gt(4)),
			"filters together":          o.Filter(o.Num("id").Gt(1)).Filter(expr.Num("id").Lt(5)),
			"into both sides of a join": j,
			"over a join":               j.Filter(expr.Str("name").Eq("Ada"), expr.Num("id").Gt(1)),
			"over a left join":          l.Filter(expr.Str("name").Eq("Ada"), expr.Num("id").Gt(1)),
			"keys of a group":           g.Filter(g.Num("customer").Gt(10), g.Num("n").Gt(1)),
			"below a watermark":         w.Filter(w.Num("id").Gt(1), w.Timestamp("at").NotNull()),
			"into a union":              u.Filter(u.Num("id").Gt(3)),
			"not below a limit":         o.Limit(3).Filter(expr.Num("id").Gt(1)),
			"not below a window":        o.Mutate(o.Num("amount").Sum().As("all")).Filter(expr.Num("id").Gt(1)),
		},
		"top-k":       {"sort and limit": o.OrderBy("id").Select("id").Limit(3, 2), "limit below": o.Limit(4).OrderBy("id")},
		"push-limits": {"into a union": u.Limit(2)},
		"prune-columns": {
			"projection":         o.Select("id", "note").Select("id"),
			"unused aggregates":  g.Select("customer"),
			"join":               j.Select("name"),
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
			p, err := plan.Unoptimised(relation(t, tables[title]), plan.Kind{})
			require.NoError(t, err)
			before := plan.Explain(p.Root)
			found := false
			for _, rule := range plan.Rules {
				if rule.Name == name {
					p.Root, found = rule.Apply(p.Root), true
				}
			}
			require.True(t, found, name)
			fmt.Fprintf(&b, "== %s\n%s--\n%s\n", title, before, plan.Explain(p.Root))
		}
		golden.Check(t, "testdata/rules/"+name+".txt", b.String())
	}
}

// run gives the rows of a plan over literal rows, sorted.
func run(t *testing.T, p *plan.Plan, ansi bool, parallelism int) ([]string, error) {
	t.Helper()
	task := &exec.Task{Env: &kernel.Env{ANSI: ansi, Zone: time.UTC, Now: 1_700_000_000_000_000}, Parallelism: parallelism, BatchRows: 3}
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
