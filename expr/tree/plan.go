package tree

import (
	"fmt"
	"strings"
)

// PlanText prints a relation for people: an operator a line, inputs indented below. A relation that was printed before is named
// by its number.
func PlanText(r Relation) string {
	var b strings.Builder
	seen := map[Relation]int{}
	var visit func(r Relation, depth int)
	visit = func(r Relation, depth int) {
		b.WriteString(strings.Repeat("  ", depth))
		if n, ok := seen[r]; ok {
			fmt.Fprintf(&b, "see %d\n", n)
			return
		}
		seen[r] = len(seen) + 1
		b.WriteString(NodeText(r) + "\n")
		for _, in := range r.Inputs() {
			visit(in, depth+1)
		}
	}
	visit(r, 0)
	return b.String()
}

// NodeText prints one relation without its inputs.
func NodeText(r Relation) string {
	switch x := r.(type) {
	case *Read:
		kind := "Read"
		if x.Static {
			kind = "Static"
		}
		return fmt.Sprintf("%s %s (%s: %s)", kind, x.Name, x.Source.Format, strings.TrimSuffix(strings.TrimSpace(x.Source.Path+" "+x.Source.Options.String()), " "))
	case *Table:
		return "Table " + strings.Join(x.Name, ".")
	case *Values:
		return fmt.Sprintf("Values %s (%d rows)", x.Name, len(x.Rows))
	case *Project:
		return "Project " + namedText(x.Columns)
	case *Filter:
		return "Filter " + String(x.Cond)
	case *Aggregate:
		return "Aggregate [" + namedText(x.Keys) + "] " + namedText(x.Aggs)
	case *Join:
		if x.On == nil {
			return "Join " + x.Kind.String()
		}
		return "Join " + x.Kind.String() + " " + String(x.On)
	case *AsofJoin:
		s := "AsofJoin " + x.Direction.String() + " " + String(x.LeftTime) + ", " + String(x.RightTime)
		if x.Strict {
			s += " strict"
		}
		if x.Tolerance != nil {
			s += " within " + LiteralText(x.Tolerance)
		}
		if x.On != nil {
			s += " on " + String(x.On)
		}
		return s
	case *Sort:
		keys := make([]string, len(x.Keys))
		for i, k := range x.Keys {
			keys[i] = SortText(k)
		}
		return "Sort " + strings.Join(keys, ", ")
	case *Limit:
		if x.Offset > 0 {
			return fmt.Sprintf("Limit %d offset %d", x.Count, x.Offset)
		}
		return fmt.Sprintf("Limit %d", x.Count)
	case *Distinct:
		return "Distinct"
	case *Deduplicate:
		names := make([]string, len(x.Keys))
		for i, k := range x.Keys {
			names[i] = x.Out.Field(k).Name
		}
		return "Deduplicate " + strings.Join(names, ", ")
	case *Union:
		return "Union"
	case *Watermark:
		return "Watermark " + x.Out.Field(x.Ordinal).Name + " " + x.DelayText
	case *Unnest:
		return "Unnest " + x.Out.Field(x.Ordinal).Name
	case *View:
		return "View"
	}
	return fmt.Sprintf("%T", r)
}

func namedText(cols []Named) string {
	out := make([]string, len(cols))
	for i, c := range cols {
		s := String(c.Expr)
		if s != c.Name {
			s += " AS " + c.Name
		}
		out[i] = s
	}
	return strings.Join(out, ", ")
}
