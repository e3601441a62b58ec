package tree

import (
	"fmt"
	"strconv"
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
		for _, q := range Subqueries(Scalars(r)...) {
			b.WriteString(strings.Repeat("  ", depth+1) + "Subquery " + String(q) + "\n")
			visit(q.Rel, depth+2)
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
		text := "Table " + strings.Join(x.Name, ".")
		if x.Version != nil {
			text += " version " + strconv.FormatInt(*x.Version, 10)
		}
		if x.Timestamp != nil {
			text += " timestamp " + LiteralText(x.Timestamp)
		}
		return text
	case *Values:
		return fmt.Sprintf("Values %s (%d rows)", x.Name, len(x.Rows))
	case *Project:
		return "Project " + namedText(x.Columns)
	case *Filter:
		return "Filter " + String(x.Cond)
	case *Aggregate:
		text := "Aggregate [" + namedText(x.Keys) + "] "
		for i, set := range x.Sets {
			names := make([]string, len(set))
			for k, key := range set {
				names[k] = x.Keys[key].Name
			}
			text += []string{"sets ", ", "}[min(i, 1)] + "(" + strings.Join(names, ", ") + ")"
			if i == len(x.Sets)-1 {
				text += " "
			}
		}
		return text + namedText(x.Aggs)
	case *Join:
		if x.On == nil {
			return "Join " + x.Kind.String()
		}
		return "Join " + x.Kind.String() + " " + String(x.On)
	case *AsofJoin:
		s := "AsofJoin " + x.Direction.String() + " "
		if x.Temporal {
			s = "TemporalJoin "
		}
		s += String(x.LeftTime) + ", " + String(x.RightTime)
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
		text := "Limit " + x.CountText()
		if x.Offset > 0 || x.OffsetOf != nil {
			text += " offset " + x.OffsetText()
		}
		return text
	case *Sample:
		if x.Seed != nil {
			return fmt.Sprintf("Sample %v seed %d", x.Fraction, *x.Seed)
		}
		return fmt.Sprintf("Sample %v", x.Fraction)
	case *SetOperation:
		if x.All {
			return x.Kind.String() + " ALL"
		}
		return x.Kind.String()
	case *Distinct:
		return "Distinct"
	case *Deduplicate:
		names := make([]string, len(x.Keys))
		for i, k := range x.Keys {
			names[i] = x.Out.Field(k).Name
		}
		return "Deduplicate " + strings.Join(names, ", ")
	case *Keyed:
		text := "TransformWithState " + x.Process.Name + " by [" + namedText(x.Keys) + "]"
		if s := x.Process.StatesText(); s != "" {
			text += " with " + s
		}
		return text
	case *Match:
		return "MatchRecognize by [" + namedText(x.Keys) + "] order " + x.Input.Schema().Field(x.Time).Name + " " + x.Text(String)
	case *Union:
		return "Union"
	case *Watermark:
		return "Watermark " + x.Out.Field(x.Ordinal).Name + " " + x.DelayText
	case *Unnest:
		text := "Unnest " + x.Out.Field(x.Ordinal).Name
		if x.Position != "" {
			text += " position " + x.Position
		}
		return text
	case *Hint:
		return "Hint " + x.Text(func(name string) string { return name })
	case *View:
		return "View"
	case *SQL:
		names := make([]string, len(x.Tables))
		for i, t := range x.Tables {
			names[i] = t.Name
		}
		return strings.TrimSpace("SQL " + strings.Join(names, ", "))
	case *Bind:
		values := make([]string, len(x.Values))
		for i, v := range x.Values {
			values[i] = ":" + v.Name + " = " + LiteralText(v.Value)
		}
		return "Bind " + strings.Join(values, ", ")
	}
	return fmt.Sprintf("%T", r)
}

// CountText prints the number of rows of a limit, "ALL" where there is none.
func (r *Limit) CountText() string {
	switch {
	case r.CountOf != nil:
		return String(r.CountOf)
	case r.Count < 0:
		return "ALL"
	}
	return strconv.FormatInt(r.Count, 10)
}

// OffsetText prints the number of rows that a limit leaves out.
func (r *Limit) OffsetText() string {
	if r.OffsetOf != nil {
		return String(r.OffsetOf)
	}
	return strconv.FormatInt(r.Offset, 10)
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
