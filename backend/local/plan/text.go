package plan

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Text prints an expression of a plan: columns by name and ordinal, operators between their arguments.
func Text(s tree.Scalar) string {
	return textWith(s, func(c *tree.Column) string {
		return fmt.Sprintf("%s#%d", datatype.QuoteName(c.Field().Name), c.Ordinal)
	}, true)
}

// textWith is Text with another print of columns. With infix, operators stand between their arguments.
func textWith(s tree.Scalar, column func(*tree.Column) string, infix bool) string {
	text := func(s tree.Scalar) string { return textWith(s, column, infix) }
	switch x := s.(type) {
	case *tree.Column:
		return column(x)
	case *tree.Literal:
		return literalText(x)
	case *tree.Call:
		args := make([]string, len(x.Args))
		for i, a := range x.Args {
			args[i] = text(a)
		}
		out := x.Func.Name + "(" + pick(x.Distinct, "DISTINCT ", "") + strings.Join(args, ", ") + ")"
		if infix && x.Func.SQL != "" && !x.Distinct {
			out = "(" + catalog.Expand(x.Func.SQL, args) + ")"
		}
		if x.Where != nil {
			out += " FILTER (" + text(x.Where) + ")"
		}
		if x.IgnoreNulls {
			out += " IGNORE NULLS"
		}
		return out
	case *tree.Cast:
		if x.Try {
			return "try_cast(" + text(x.Arg) + " AS " + x.To.String() + ")"
		}
		return "cast(" + text(x.Arg) + " AS " + x.To.String() + ")"
	case *tree.Case:
		var b strings.Builder
		b.WriteString("CASE")
		for _, w := range x.Whens {
			b.WriteString(" WHEN " + text(w.Cond) + " THEN " + text(w.Then))
		}
		if x.Else != nil {
			b.WriteString(" ELSE " + text(x.Else))
		}
		return b.String() + " END"
	case *tree.GetField:
		return text(x.Arg) + "." + datatype.QuoteName(x.Name())
	case *tree.Alias:
		return text(x.Arg)
	case *tree.Subquery:
		out := [...]string{"scalar", "in", "exists"}[x.Kind] + " subquery("
		for i, c := range tree.Children(x) {
			out += pick(i == 0, "", ", ") + text(c)
		}
		return out + ")"
	case *tree.Outer:
		return "outer " + datatype.QuoteName(x.Field().Name)
	case *tree.Param:
		return ":" + x.Name
	case *tree.RawSQL:
		return "sql " + strconv.Quote(x.Text)
	case *tree.Variable:
		return datatype.QuoteName(x.Name)
	case *tree.Lambda:
		return tree.LambdaHead(x, datatype.QuoteName) + text(x.Body)
	case *tree.Over:
		out := text(x.Func) + " OVER ("
		for i, p := range x.PartitionBy {
			out += pick(i == 0, "PARTITION BY ", ", ") + text(p)
		}
		for i, k := range x.OrderBy {
			out += pick(i == 0, " ORDER BY ", ", ") + text(k.Arg) + keyOrder(k)
		}
		if !x.IsDefault() {
			out += " " + tree.FrameText(x.Frame, text)
		}
		return out + ")"
	}
	return fmt.Sprintf("%T", s)
}

func pick[T any](c bool, a, b T) T {
	if c {
		return a
	}
	return b
}

func literalText(l *tree.Literal) string {
	switch v := l.Value.(type) {
	case nil:
		return "NULL"
	case string:
		return strconv.Quote(v)
	case []byte:
		return fmt.Sprintf("X'%X'", v)
	case *big.Int:
		return v.String() + "e-" + strconv.Itoa(l.Typ.(datatype.Decimal).Scale)
	}
	return fmt.Sprintf("%v:%s", l.Value, l.Typ)
}

func keyText(k tree.SortKey) string { return Text(k.Arg) + keyOrder(k) }

func keyOrder(k tree.SortKey) string {
	return pick(k.Descending, " DESC", " ASC") + pick(k.NullsFirst, " NULLS FIRST", " NULLS LAST")
}

func list(in []tree.Named) string {
	out := make([]string, len(in))
	for i, n := range in {
		out[i] = Text(n.Expr) + " AS " + datatype.QuoteName(n.Name)
	}
	return strings.Join(out, ", ")
}

func span(us int64) string { return (time.Duration(us) * time.Microsecond).String() }

// line describes a node without its inputs.
func line(n Node) string {
	switch x := n.(type) {
	case *Scan:
		kind := pick(x.Stream, "StreamScan ", "Scan ") + x.Read.Source.Format + " " + datatype.QuoteName(x.Read.Name)
		var cols []string
		for i, f := range x.Schema().Fields() {
			if x.needed(i) {
				cols = append(cols, datatype.QuoteName(f.Name))
			}
		}
		out := kind + " [" + strings.Join(cols, ", ") + "]"
		for i, f := range x.Filters {
			out += pick(i == 0, " where ", " and ") + Text(f)
		}
		return out
	case *Values:
		return fmt.Sprintf("Values %d rows", len(x.Rows))
	case *Project:
		var kept []tree.Named
		for i, e := range x.Exprs {
			if x.needed(i) {
				kept = append(kept, e)
			}
		}
		return "Project [" + list(kept) + "]"
	case *Filter:
		return "Filter " + Text(x.Cond)
	case *Sift:
		return fmt.Sprintf("Sift %s#%d by the join's keys", datatype.QuoteName(x.Schema().Field(x.Column).Name), x.Column)
	case *Windows:
		return "Windows " + windowsText(x, Text) + pick(x.Panes, " in panes", "")
	case *Aggregate:
		var aggs []tree.Named
		for i, a := range x.Aggs {
			if x.Op >= 0 || x.needed(len(x.Keys)+i) {
				aggs = append(aggs, a)
			}
		}
		return fmt.Sprintf("HashAggregate keys [%s] aggregates [%s]", list(x.Keys), list(aggs))
	case *Join:
		on := make([]string, len(x.On))
		for i, s := range x.On {
			on[i] = Text(s)
		}
		return pick(x.Op >= 0, "StreamJoin ", "HashJoin ") + pick(x.Any, "ANY ", "") + x.Kind.String() + " ON " + strings.Join(on, " AND ")
	case *AsofJoin:
		out := pick(x.Op >= 0, "Stream", "") + "AsofJoin " + x.Direction.String() + pick(x.Strict, " strict", "") + " " + Text(x.LeftTime) + ", " + Text(x.RightTime)
		if x.Tolerance != nil {
			out += " within " + literalText(x.Tolerance)
		}
		for i, k := range x.Keys {
			out += pick(i == 0, " ON ", " AND ") + Text(k.Left) + pick(k.NullSafe, " <=> ", " = ") + Text(k.Right)
		}
		return out
	case *Sort:
		keys := make([]string, len(x.Keys))
		for i, k := range x.Keys {
			keys[i] = keyText(k)
		}
		if x.Limit >= 0 {
			return fmt.Sprintf("TopK %d [%s]", x.Limit, strings.Join(keys, ", "))
		}
		return "Sort [" + strings.Join(keys, ", ") + "]"
	case *Limit:
		count, offset := strconv.FormatInt(x.Count, 10), strconv.FormatInt(x.Offset, 10)
		if x.CountOf != nil {
			count = Text(x.CountOf)
		}
		if x.OffsetOf != nil {
			offset = Text(x.OffsetOf)
		}
		return "Limit " + count + " offset " + offset
	case *Expand:
		return "Expand [" + list(x.Keys) + "] sets " + setsText(x)
	case *SetOperation:
		return "Hash" + x.Kind.String() + pick(x.All, " ALL", "")
	case *Sample:
		return fmt.Sprintf("Sample %v", x.Fraction)
	case *Deduplicate:
		names := make([]string, len(x.Keys))
		for i, k := range x.Keys {
			names[i] = datatype.QuoteName(x.Schema().Field(k).Name)
		}
		return pick(x.Within >= 0, "DeduplicateWithinWatermark ["+span(x.Within)+"] [", "Deduplicate [") + strings.Join(names, ", ") + "]"
	case *Match:
		return "MatchRecognize keys [" + list(x.Keys) + "] order " + datatype.QuoteName(x.In.Schema().Field(x.Rule.Time).Name) + " " + x.Rule.Text(Text)
	case *Keyed:
		return "TransformWithState " + datatype.QuoteName(x.Process.Name) + " keys [" + list(x.Keys) + "] states [" + x.Process.StatesText() + "]"
	case *Union:
		return "Union"
	case *Shared:
		return fmt.Sprintf("Shared %d", x.Number)
	case *Watermark:
		return fmt.Sprintf("Watermark %s delay %s", datatype.QuoteName(x.Schema().Field(x.Ordinal).Name), span(x.Delay))
	case *Unnest:
		return pick(x.KeepEmpty, "UnnestOuter ", "Unnest ") + datatype.QuoteName(x.Schema().Field(x.Ordinal).Name) + pick(x.Position, " with position", "")
	case *Over:
		items := make([]string, len(x.Items))
		for i, o := range x.Items {
			items[i] = Text(o)
		}
		return pick(x.Op >= 0, "StreamOver [", "Over [") + strings.Join(items, ", ") + "]"
	case *Apply:
		return pick(x.Unknown, "Apply unknown ", "Apply ") + Text(x.Sub)
	case *Single:
		return "Single"
	case *Mark:
		var on []string
		for _, c := range x.On {
			on = append(on, Text(c))
		}
		if x.Match != nil {
			on = append(on, Text(x.Match)+pick(x.Unknown, " or unknown", ""))
		}
		return "Mark " + strings.Join(on, " AND ")
	}
	return fmt.Sprintf("%T", n)
}

// setsText prints grouping sets by the names of their keys.
func setsText(x *Expand) string {
	out := make([]string, len(x.Sets))
	for i, set := range x.Sets {
		var names []string
		for k, in := range set {
			if in {
				names = append(names, datatype.QuoteName(x.Keys[k].Name))
			}
		}
		out[i] = "(" + strings.Join(names, ", ") + ")"
	}
	return strings.Join(out, " ")
}

// TreeText prints a plan as an indented tree, the sink's side first.
func TreeText(n Node) string {
	var b strings.Builder
	told := map[*Shared]bool{}
	var walk func(n Node, depth int)
	walk = func(n Node, depth int) {
		b.WriteString(strings.Repeat("  ", depth) + line(n) + "\n")
		// What is shared is printed where it is met first.
		if x, ok := n.(*Shared); ok && !told[x] {
			told[x] = true
			walk(x.In, depth+1)
		}
		for _, in := range n.Inputs() {
			walk(in, depth+1)
		}
	}
	walk(n, 0)
	return b.String()
}

// Fingerprint describes what a checkpoint depends on, a line each: the output mode, the sources with what they read, the watermarks, and
// the stateful operators with their expressions and the types of their state. What holds no state (filters, projections, triggers, rate
// limits) may change between runs and is not in it. It is of the plan as it was written, before the rules, which move conditions.
func (p *Plan) Fingerprint() string { return p.fingerprint }

// identity are the options, by lower-case name, that tell which rows a source has; all others say how they are read.
var identity = []string{"subscribe", "subscribepattern", "assign"}

func sourceText(r *tree.Read) string {
	out := r.Source.Format + " " + datatype.QuoteName(r.Name)
	if r.Source.Path != "" {
		out += " path " + strconv.Quote(r.Source.Path)
	}
	for _, k := range identity {
		if v, ok := r.Source.Options.Get(k); ok {
			out += " " + k + " " + strconv.Quote(v)
		}
	}
	return out
}

func (p *Plan) describe(k Kind) string {
	var b strings.Builder
	fmt.Fprintf(&b, "output mode: %s\n", k.Mode)
	if k.Sink != "" {
		fmt.Fprintf(&b, "sink: %s\n", k.Sink)
	}
	for _, s := range p.Streams {
		fmt.Fprintf(&b, "source %d: %s\n", s.Index, sourceText(s.Read))
	}
	for _, w := range p.Watermarks {
		fmt.Fprintf(&b, "watermark %d: %s\n", w.Index, datatype.QuoteName(w.Schema().Field(w.Ordinal).Name))
	}
	// Columns go by name: their numbers change with what a projection below adds.
	text := func(s tree.Scalar) string {
		return textWith(s, func(c *tree.Column) string { return datatype.QuoteName(c.Field().Name) }, false)
	}
	for op, n := range p.Stateful {
		fmt.Fprintf(&b, "state %d: ", op)
		switch x := n.(type) {
		case *Aggregate:
			keys := make([]string, len(x.Keys))
			for i, k := range x.Keys {
				keys[i] = text(k.Expr) + " " + k.Expr.Type().String()
			}
			aggs := make([]string, len(x.Aggs))
			for i, a := range x.Aggs {
				c := a.Expr.(*tree.Call)
				aggs[i] = text(c)
				for j, arg := range c.Args {
					aggs[i] += pick(j == 0, " of ", ", ") + arg.Type().String()
				}
			}
			fmt.Fprintf(&b, "aggregate by %s: %s", strings.Join(keys, ", "), strings.Join(aggs, "; "))
			in := x.In
			if e, ok := in.(*Expand); ok {
				in = e.In
				sets := make([]string, len(e.Keys))
				for i, k := range e.Keys {
					sets[i] = text(k.Expr)
				}
				fmt.Fprintf(&b, " in sets of %s: %s", strings.Join(sets, ", "), setsText(e))
			}
			if w, ok := in.(*Windows); ok {
				b.WriteString(" in windows of " + windowsText(w, text))
			}
		case *Deduplicate:
			keys := make([]string, len(x.Keys))
			for i, k := range x.Keys {
				f := x.Schema().Field(k)
				keys[i] = datatype.QuoteName(f.Name) + " " + f.Type.String()
			}
			fmt.Fprintf(&b, "%s by %s", pick(x.Within >= 0, "deduplicate within watermark", "deduplicate"), strings.Join(keys, ", "))
		case *Match:
			keys := make([]string, len(x.Keys))
			for i, k := range x.Keys {
				keys[i] = text(k.Expr) + " " + k.Expr.Type().String()
			}
			rule := *x.Rule
			rule.Measures = nil // the state has the columns that they read, not them
			fmt.Fprintf(&b, "match by %s in the order of %s: %s over %s", strings.Join(keys, ", "), datatype.QuoteName(x.In.Schema().Field(rule.Time).Name), rule.Text(text), datatype.DDL(x.RowFields()))
		case *Keyed:
			keys := make([]string, len(x.Keys))
			for i, k := range x.Keys {
				keys[i] = text(k.Expr) + " " + k.Expr.Type().String()
			}
			fmt.Fprintf(&b, "process %s by %s: %s time, states %s", datatype.QuoteName(x.Process.Name), strings.Join(keys, ", "), x.Process.Time, x.Process.StatesText())
		case *Limit:
			b.WriteString("limit")
		case *AsofJoin:
			fmt.Fprintf(&b, "%s as-of join of (%s) with (%s) by %s, %s", pick(x.Strict, "strict ", "")+x.Direction.String(), datatype.DDL(x.Left.Schema().Types()),
				datatype.DDL(x.Right.Schema().Types()), text(x.LeftTime), text(x.RightTime))
			if x.Tolerance != nil {
				b.WriteString(" within " + literalText(x.Tolerance))
			}
			for i, k := range x.Keys {
				b.WriteString(pick(i == 0, " on ", " and ") + "left." + text(k.Left) + pick(k.NullSafe, " <=> ", " = ") + "right." + text(k.Right))
			}
		case *Over:
			fmt.Fprintf(&b, "windows over rows (%s)", datatype.DDL(x.In.Schema().Types()))
			for i, o := range x.Items {
				b.WriteString(pick(i == 0, ": ", "; ") + text(o))
				for j, arg := range o.Func.Args {
					b.WriteString(pick(j == 0, " of ", ", ") + arg.Type().String())
				}
			}
		case *Join:
			fmt.Fprintf(&b, "%s join of (%s) with (%s)", strings.ToLower(x.Kind.String()), datatype.DDL(x.Left.Schema().Types()), datatype.DDL(x.Right.Schema().Types()))
			for i, c := range x.On {
				b.WriteString(pick(i == 0, " on ", " and ") + textWith(c, func(c *tree.Column) string {
					return pick(c.Ordinal < x.Left.Schema().Len(), "left.", "right.") + datatype.QuoteName(c.Field().Name)
				}, false))
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// windowsText says which windows rows are put into.
func windowsText(w *Windows, text func(tree.Scalar) string) string {
	switch {
	case w.Gap != nil:
		return fmt.Sprintf("%s: sessions, %s apart", text(w.Time), text(w.Gap))
	case w.Cumulative:
		return fmt.Sprintf("%s: up to %s by %s from %s", text(w.Time), span(w.Size), span(w.Slide), span(w.Start))
	}
	return fmt.Sprintf("%s: %s every %s from %s", text(w.Time), span(w.Size), span(w.Slide), span(w.Start))
}
