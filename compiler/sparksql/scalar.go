package sparksql

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// scope tells how the columns of the relations in scope are written, and how tightly that binds.
type scope func(c *tree.Column) (text string, prec int)

// scalar prints s so that it binds at least as tightly as prec.
func scalar(s tree.Scalar, in scope, prec int) string {
	text, have := scalarPrec(s, in)
	if have < prec {
		return "(" + text + ")"
	}
	return text
}

func scalarPrec(s tree.Scalar, in scope) (string, int) {
	switch x := s.(type) {
	case *tree.Column:
		return in(x)
	case *tree.Unbound:
		return Quote(x.Name), catalog.PrecAtom
	case *tree.Literal:
		text := Literal(x)
		if strings.HasPrefix(text, "-") {
			return text, catalog.PrecUnary
		}
		return text, catalog.PrecAtom
	case *tree.Alias:
		return scalarPrec(x.Arg, in)
	case *tree.Cast:
		if x.Implicit {
			return scalarPrec(x.Arg, in) // a NULL with its type too: a bare one would not widen what it meets
		}
		name := "CAST("
		if x.Try {
			name = "TRY_CAST("
		}
		return name + scalar(x.Arg, in, 0) + " AS " + x.To.String() + ")", catalog.PrecAtom
	case *tree.Case:
		if len(x.Whens) == 1 && x.Else != nil {
			return "if(" + scalar(x.Whens[0].Cond, in, 0) + ", " + scalar(x.Whens[0].Then, in, 0) + ", " + scalar(x.Else, in, 0) + ")", catalog.PrecAtom
		}
		var lines []string
		for _, w := range x.Whens {
			lines = append(lines, "WHEN "+scalar(w.Cond, in, 0)+" THEN "+scalar(w.Then, in, 0))
		}
		if x.Else != nil {
			lines = append(lines, "ELSE "+scalar(x.Else, in, 0))
		}
		return broken("CASE", " ", lines, "", " END"), catalog.PrecAtom
	case *tree.GetField:
		return scalar(x.Arg, in, catalog.PrecAtom) + "." + Quote(x.Name()), catalog.PrecAtom
	case *tree.Over:
		return scalar(x.Func, in, catalog.PrecAtom) + " OVER (" + windowSpec(x, in) + ")", catalog.PrecAtom
	case *overNamed:
		return scalar(x.Func, in, catalog.PrecAtom) + " OVER " + x.name, catalog.PrecAtom
	case *tree.Call:
		return call(x, in)
	case *tree.Param:
		if x.Null || !exactArgument(x.Typ) {
			return "CAST(:" + x.Name + " AS " + x.Typ.String() + ")", catalog.PrecAtom
		}
		return ":" + x.Name, catalog.PrecAtom
	case *tree.RawSQL:
		return rawValue(x.Text), catalog.PrecAtom
	case *tree.Variable:
		return Quote(x.Name), catalog.PrecAtom
	case *tree.Lambda:
		x = renamed(x, in)
		return tree.LambdaHead(x, Quote) + scalar(x.Body, in, 0), 0
	}
	return "NULL /* in error */", catalog.PrecAtom
}

// renamed gives the parameters of a lambda names that hide nothing its body speaks of: no part of a column's printed name, no
// parameter of a lambda around it. Spark binds names in a body to parameters first, in any letter case.
func renamed(l *tree.Lambda, in scope) *tree.Lambda {
	own, taken := map[*tree.Variable]bool{}, map[string]bool{}
	for _, p := range l.Params {
		own[p] = true
	}
	words := func(text string) {
		for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			taken[datatype.FoldName(w)] = true
		}
	}
	tree.Walk(l.Body, func(s tree.Scalar) bool {
		switch x := s.(type) {
		case *tree.Column:
			text, _ := in(x)
			words(text) // more than a name where a projection was folded in
		case *tree.RawSQL:
			words(x.Text)
		case *tree.Variable:
			if !own[x] {
				taken[datatype.FoldName(x.Name)] = true
			}
		}
		return true
	})
	params := make([]*tree.Variable, len(l.Params))
	for i, p := range l.Params {
		v := *p
		for n := 2; taken[datatype.FoldName(v.Name)]; n++ {
			v.Name = fmt.Sprintf("%s%d", p.Name, n)
		}
		taken[datatype.FoldName(v.Name)] = true
		params[i] = &v
	}
	return l.Substitute(params)
}

// windowSpec writes what stands between the parentheses of an OVER. The function's default frame is left out.
func windowSpec(x *tree.Over, in scope) string {
	var parts []string
	if len(x.PartitionBy) > 0 {
		parts = append(parts, "PARTITION BY "+list(x.PartitionBy, in))
	}
	if len(x.OrderBy) > 0 {
		parts = append(parts, "ORDER BY "+sortKeys(x.OrderBy, in))
	}
	if !x.IsDefault() {
		parts = append(parts, tree.FrameText(x.Frame, func(s tree.Scalar) string { return scalar(s, in, catalog.PrecAtom) }))
	}
	return strings.Join(parts, " ")
}

// overNamed is an OVER whose window the WINDOW clause of its SELECT defines. It stands in printed expressions only.
type overNamed struct {
	*tree.Over
	name string
}

// windowDef is a definition of a WINDOW clause.
type windowDef struct{ name, spec string }

// nameWindows puts names in the place of windows that the expressions of one SELECT use more than once, and gives their definitions.
func nameWindows(exprs []tree.Scalar, in scope) ([]tree.Scalar, []windowDef) {
	count := map[string]int{}
	var order []string
	for _, e := range exprs {
		for _, o := range overs(e) {
			s := windowSpec(o, in)
			if count[s]++; count[s] == 2 && s != "" {
				order = append(order, s)
			}
		}
	}
	if len(order) == 0 {
		return exprs, nil
	}
	names := map[string]string{}
	var defs []windowDef
	for i, s := range order {
		name := "w"
		if i > 0 {
			name = "w" + strconv.Itoa(i+1)
		}
		names[s] = name
		defs = append(defs, windowDef{name, s})
	}
	out := make([]tree.Scalar, len(exprs))
	for i, e := range exprs {
		out[i] = tree.Rewrite(e, func(s tree.Scalar) tree.Scalar {
			if o, ok := s.(*tree.Over); ok {
				if name := names[windowSpec(o, in)]; name != "" {
					return &overNamed{o, name}
				}
			}
			return s
		})
	}
	return out, defs
}

func list(s []tree.Scalar, in scope) string {
	out := make([]string, len(s))
	for i, x := range s {
		out[i] = scalar(x, in, 0)
	}
	return strings.Join(out, ", ")
}

func sortKeys(keys []tree.SortKey, in scope) string {
	out := make([]string, 0, len(keys))
	seen := map[string]bool{}
	for _, k := range keys {
		key := notOrdinal(k.Arg, scalar(k.Arg, in, 0))
		if seen[key] {
			continue // rows that it could order are equal in it
		}
		seen[key] = true
		if k.Descending {
			key += " DESC"
		}
		if k.NullsFirst == k.Descending { // not the default
			key += map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[k.NullsFirst]
		}
		out = append(out, key)
	}
	return strings.Join(out, ", ")
}

func call(c *tree.Call, in scope) (string, int) {
	f := c.Func
	var text string
	prec := catalog.PrecAtom
	switch {
	case f.Kind == catalog.TimeWindow:
		text = timeWindow(c, in)
	case f.Name == "window_time" && ofCumulative(c.Args[0]):
		// Spark takes window_time of windows of its own only.
		text, prec = scalar(c.Args[0], in, catalog.PrecAtom)+".`end` - INTERVAL '0.000001' SECOND", catalog.PrecAdd
	case f.SQL != "":
		if f.Name == "not" {
			if g, ok := negated(c.Args[0]); ok {
				return call(g, in)
			}
		}
		prec = f.Precedence()
		args := make([]string, len(c.Args))
		for i, a := range c.Args {
			// The left side of a left-associative operator may bind as loosely as the operator; comparisons do not chain.
			need := prec + 1
			if i == 0 && prec != catalog.PrecCompare && prec != catalog.PrecUnary || f.Name == "and" || f.Name == "or" {
				need = prec
			}
			args[i] = scalar(a, in, need)
		}
		text = catalog.Expand(f.SQL, args)
	case f.Name == "array":
		elements := make([]string, len(c.Args))
		for i, a := range c.Args {
			elements[i] = scalar(a, in, 0)
		}
		text = broken("array(", "", elements, ",", ")")
	case f.Name == "count" && len(c.Args) == 0:
		text = "count(*)"
	case f.Name == "named_struct":
		text = structCall(c, in)
	case f.Name == "arrays_zip":
		text = zipCall(c, in)
	default:
		distinct := ""
		if c.Distinct {
			distinct = "DISTINCT "
		}
		text = f.Name + "(" + distinct + list(c.Args, in) + ")"
	}
	if c.Where != nil {
		text += " FILTER (WHERE " + scalar(c.Where, in, 0) + ")"
	}
	if c.IgnoreNulls {
		text += " IGNORE NULLS"
	}
	return text, prec
}

// broken writes parts between two words: on one line where that is short, else each on a line of its own.
func broken(open, space string, parts []string, comma, end string) string {
	line := open + space + strings.Join(parts, comma+" ") + end
	if len(line) <= 100 && !strings.Contains(line, "\n") || len(parts) < 2 {
		return line
	}
	return open + "\n" + indent(strings.Join(parts, comma+"\n")) + "\n" + strings.TrimPrefix(end, " ")
}

// negated gives the call that NOT of a comparison by words is: x NOT LIKE y.
func negated(s tree.Scalar) (*tree.Call, bool) {
	s, _ = tree.StripAlias(s)
	c, ok := s.(*tree.Call)
	if !ok {
		return nil, false
	}
	f := *c.Func
	switch f.Name {
	case "in", "between", "like":
		f.SQL = strings.Replace(f.SQL, "{0} ", "{0} NOT ", 1)
	case "isnull":
		f.SQL = "{0} IS NOT NULL"
	default:
		return nil, false
	}
	g := *c
	g.Func, f.Name = &f, "not "+f.Name
	return &g, true
}

// zipCall writes arrays_zip, whose fields Spark names by the columns that it sees. Where what is printed is another expression than the
// tree has (a column that was folded in, a renamed parameter), each struct is made anew under the names of the tree: a cast would say the same, but a
// cast's text has no place for elements that are never null.
func zipCall(c *tree.Call, in scope) string {
	a, _ := c.Typ.(datatype.Array)
	s, _ := a.Elem.(datatype.Struct)
	args, seen := make([]string, len(s.Fields)), make([]string, len(s.Fields)) // seen are the names that Spark gives
	same := true
	for i, f := range s.Fields {
		args[i] = scalar(c.Args[i], in, 0)
		seen[i] = lastName(args[i])
		inner, _ := tree.StripAlias(c.Args[i])
		switch x := inner.(type) {
		case *tree.GetField:
			seen[i] = Quote(x.Name())
			same = same && seen[i] == Quote(f.Name)
		case *tree.Column:
			same = same && seen[i] == Quote(f.Name)
		case *tree.Variable: // may be printed under another name
			args[i], seen[i], same = "coalesce("+args[i]+")", "", false
		}
	}
	if same {
		return "arrays_zip(" + list(c.Args, in) + ")"
	}
	fields := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		// Names are found in any letter case; what is no column is named by its place.
		same := func(other string) bool { return datatype.FoldName(other) == datatype.FoldName(seen[i]) }
		if _, err := strconv.Atoi(unquoted(seen[i])); err == nil || seen[i] != "" && slices.ContainsFunc(seen[:i], same) {
			args[i], seen[i] = "coalesce("+args[i]+")", ""
		}
		if seen[i] == "" {
			seen[i] = Quote(strconv.Itoa(i))
		}
		fields[i] = String(f.Name) + ", z." + seen[i]
	}
	return "transform(arrays_zip(" + strings.Join(args, ", ") + "), z -> named_struct(" + strings.Join(fields, ", ") + "))"
}

// lastName gives the last of the names between dots that a text is made of; "" for another text.
func lastName(text string) string {
	parts, err := datatype.SplitName(text)
	if err != nil || TableName(parts...) != text {
		return ""
	}
	return Quote(parts[len(parts)-1])
}

// structCall writes struct(a, b) where every field has the name of its column, which reads better than named_struct.
func structCall(c *tree.Call, in scope) string {
	short := len(c.Args) > 0
	var names []string
	for i := 0; i+1 < len(c.Args); i += 2 {
		name, _ := c.Args[i].(*tree.Literal)
		col, ok := c.Args[i+1].(*tree.Column)
		text := scalar(c.Args[i+1], in, 0)
		short = short && ok && name != nil && col.Field().Name == name.Value && (item{text, col.Field().Name}).own()
		names = append(names, text)
	}
	if short {
		return "struct(" + strings.Join(names, ", ") + ")"
	}
	return "named_struct(" + list(c.Args, in) + ")"
}

// ofCumulative tells whether a value is a cumulative window that an aggregation below has grouped by.
func ofCumulative(s tree.Scalar) bool {
	s, _ = tree.StripAlias(s)
	c, ok := s.(*tree.Column)
	if !ok {
		return false
	}
	rel, i := c.Rel, c.Ordinal
	for {
		switch x := rel.(type) {
		case *tree.Aggregate:
			if i < len(x.Keys) && cumulative(x.Keys[i]) {
				return true
			}
		case *tree.View:
			rel = x.Input
			continue
		case *tree.Union:
			rel = x.Sides[0]
			continue
		}
		below, k, ok := tree.Origin(rel, i)
		if !ok {
			return false
		}
		rel, i = below, k
	}
}

// timeWindow writes window(time, size[, slide[, start]]) or session_window(time, gap) with the durations as Spark's texts. A cumulative window
// is none of Spark's: see [printer.cumulate].
func timeWindow(c *tree.Call, in scope) string {
	if c.Func.Name == catalog.SessionWindow {
		return "session_window(" + scalar(c.Args[0], in, 0) + ", " + gap(c.Args[1], in) + ")"
	}
	us := make([]int64, 3)
	for i := range us {
		if i+1 < len(c.Args) {
			l, _ := c.Args[i+1].(*tree.Literal)
			us[i], _ = l.Value.(int64)
		}
	}
	text := "window(" + scalar(c.Args[0], in, 0) + ", " + duration(us[0])
	if us[1] != us[0] || us[2] != 0 {
		text += ", " + duration(us[1])
	}
	if us[2] != 0 {
		text += ", " + duration(us[2])
	}
	return text + ")"
}

func duration(us int64) string { return String(expr.DelayText(time.Duration(us) * time.Microsecond)) }

// gap writes the gap of a session as an interval without days, which Spark would count by the session's zone.
func gap(s tree.Scalar, in scope) string {
	inner, _ := tree.StripAlias(s)
	l, ok := inner.(*tree.Literal)
	us, whole := int64(0), false
	if ok {
		us, whole = l.Value.(int64)
	}
	if !whole {
		// Spark takes a text or an interval of its older type here.
		return "make_interval(0, 0, 0, 0, 0, 0, CAST(CAST(" + scalar(s, in, 0) + " AS INTERVAL SECOND) AS DECIMAL(18, 6)))"
	}
	hours := us / time.Hour.Microseconds()
	if hours < 24 {
		return duration(us)
	}
	text := strconv.FormatInt(hours, 10) + " hours"
	if rest := us % time.Hour.Microseconds(); rest != 0 {
		text += " " + expr.DelayText(time.Duration(rest)*time.Microsecond)
	}
	return String(text)
}
