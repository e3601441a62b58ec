package expr

import (
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// TransformWithState runs a process of Go functions over the rows of each group: what package keyed builds on, which has the types. initial, which may be nil, is
// the table with the state to begin with, grouped by keys of the same types. The result has the columns that the process gives.
//
// The local engine alone runs it, in batches and streams.
func (g Grouped) TransformWithState(p *tree.Process, initial *Grouped) Table {
	const op = "TransformWithState"
	at := condition.Here(1)
	t := g.table.ready(at)
	var errs []*condition.Error
	report := func(e *condition.Error, hint string) {
		e.Pos, e.Operator = at, op
		if e.Hint == "" {
			e.Hint = hint
		}
		errs = append(errs, e)
	}
	refuse := func(hint, format string, args ...any) {
		report(condition.Newf(condition.InvalidValue, format, args...), hint)
	}
	keysOf := func(g Grouped, what string) {
		switch {
		case g.sets != nil:
			refuse("Group by plain keys.", "%s grouped by sets.", what)
		case len(g.keys) == 0 && len(g.table.errs) == 0:
			refuse("Give GroupBy a key; for one state of all rows a constant column.", "%s no key.", what)
		case len(g.having) > 0:
			refuse("Filter the result instead.", "%s conditions of Having, which are over aggregates.", what)
		}
		for _, k := range g.keys {
			if tree.TimeWindow(k.Expr) != nil {
				refuse("Make a column of the window with Mutate and group by that.", "%s a window among its keys.", what)
			}
		}
	}
	keysOf(g, "The input has")
	if p == nil || p.Bind == nil {
		refuse("Use package keyed.", "The process is none.")
		return t.then(errs, nil)
	}
	k := &tree.Keyed{Node: tree.Node{At: at}, Input: t.rel, Keys: g.keys, Process: p}
	if initial != nil {
		i := initial.table.ready(at)
		t.errs = merge(t.errs, i.errs)
		keysOf(*initial, "The initial state has")
		k.Initial, k.InitialKeys = i.rel, initial.keys
		if len(g.keys) != len(initial.keys) {
			refuse("Group both by the same keys.", "The input has %d keys and the initial state %d.", len(g.keys), len(initial.keys))
		} else {
			for j, a := range g.keys {
				if b := initial.keys[j]; !datatype.Equal(a.Expr.Type(), b.Expr.Type()) && a.Expr.Type().Kind() != datatype.KindInvalid && b.Expr.Type().Kind() != datatype.KindInvalid {
					report(condition.Newf(condition.DatatypeMismatch, "The key %s is %s, and %s of the initial state %s.", datatype.QuoteName(a.Name), a.Expr.Type(), datatype.QuoteName(b.Name), b.Expr.Type()), "Cast one of them.")
				}
			}
		}
	}
	if len(errs) > 0 || len(t.errs) > 0 {
		return t.then(errs, func() tree.Relation { return t.rel })
	}
	plain := func(keys []tree.Named) (out []datatype.Field) {
		for _, k := range keys {
			out = append(out, datatype.Field{Name: k.Name, Type: k.Expr.Type(), Nullable: k.Expr.Nullable()})
		}
		return out
	}
	var first []datatype.Field
	if k.Initial != nil {
		first = k.Initial.Schema().Types()
	}
	f, err := p.Bind(plain(g.keys), t.rel.Schema().Types(), first)
	if err != nil {
		for _, e := range listed(err) {
			report(asCondition(e, at), "")
		}
		return t.then(errs, nil)
	}
	k.Functions = f
	fields := make([]tree.Field, len(p.Out))
	for i, o := range p.Out {
		fields[i] = tree.Field{Name: o.Name, Type: o.Type, Nullable: o.Nullable}
		if p.EventTime == "" || datatype.FoldName(o.Name) != datatype.FoldName(p.EventTime) {
			continue
		}
		fields[i].Watermark = carried(t.rel)
		switch {
		case catalog.FamilyOf(o.Type) != catalog.TimestampFamily:
			report(condition.Newf(condition.EventTimeNotTimestamp, "The output's column %s is %s.", datatype.QuoteName(o.Name), o.Type), "Name a column of time stamps as EventTimeColumn.")
		case fields[i].Watermark == nil:
			refuse("Set a Watermark before GroupBy, or leave EventTimeColumn out.", "The output's column %s cannot carry event time on, since the input has none.", datatype.QuoteName(o.Name))
		}
	}
	if p.EventTime != "" && len(tree.NewSchema(fields).Lookup(p.EventTime)) == 0 {
		refuse("Name one of its columns.", "The output has no column %s for the event time.", datatype.QuoteName(p.EventTime))
	}
	if p.Time == tree.EventTimeMode && carried(t.rel) == nil {
		// In a batch a watermark is inert but says which column is the event time, so it is asked for wherever timers go by it.
		refuse("Set a Watermark on the time column before GroupBy, or use keyed.ProcessingTime.", "Timers go by event time, and the input has no watermark.")
	}
	return t.then(errs, func() tree.Relation {
		k.Out = tree.NewSchema(fields)
		return k
	})
}

// carried gives the mark of event time of a relation's first column that has one, or nil.
func carried(r tree.Relation) *tree.EventTime {
	for _, f := range r.Schema().Fields() {
		if f.Watermark != nil {
			return f.Watermark
		}
	}
	return nil
}

// listed takes joined errors apart.
func listed(err error) []error {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		return j.Unwrap()
	}
	return []error{err}
}
