package expr

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Params are values of parameters by name: Go values, converted as the rows of [MemtableRows] are.
type Params map[string]any

var paramName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Param is a value that is given later, by [Table.Bind]. It prints as :name, so that one text serves every value, and Spark gets the value beside
// the text. The name is letters, digits and underscores, and distinguishes case. The value is never null; see [NullableParam].
func Param(name string, t datatype.Type) AnyValue { return param(name, t, false, condition.Here(1)) }

// NullableParam is [Param] whose value may be nil, a NULL of its type.
func NullableParam(name string, t datatype.Type) AnyValue {
	return param(name, t, true, condition.Here(1))
}

func param(name string, t datatype.Type, null bool, at condition.Pos) AnyValue {
	var e *condition.Error
	switch {
	case !paramName.MatchString(name):
		e = condition.Newf(condition.InvalidValue, "%q cannot be the name of a parameter.", name)
		e.Hint = "Use letters, digits and underscores, and no digit first."
	case t == nil || t.Kind() == datatype.KindInvalid:
		e = condition.Newf(condition.InvalidValue, "Parameter :%s has no type.", name)
	case t.Kind() >= datatype.KindArray || t.Kind() == datatype.KindNull:
		e = condition.Newf(condition.Unsupported, "Parameter :%s cannot be %s: parameters are single values.", name, t)
		e.Hint = "Use expr.Lit, or one parameter for each element."
	}
	if e != nil {
		e.Operator = "Param"
		return failed[AnyValue](at, nil, e)
	}
	return AnyValue{value{node: &tree.Param{Name: name, Typ: t, Null: null, At: at}}}
}

// Bind gives values to parameters of the table. A name that the table has no parameter of, and a value that is not of the parameter's type, are
// errors. Values hold for the whole query that the table becomes part of; a parameter that has none when a query is compiled to be run is an
// error, and so is one that two tables of a query bind to different values.
func (t Table) Bind(values Params) Table {
	at := condition.Here(1)
	t = t.ready(at)
	if t.blank() {
		return t
	}
	declared := map[string]*tree.Param{}
	var names []string
	for _, p := range tree.Params(t.rel) {
		if declared[p.Name] == nil {
			names = append(names, p.Name)
		}
		declared[p.Name] = p
	}
	var errs []*condition.Error
	var out []tree.ParamValue
	for _, name := range sortedKeys(values) {
		p := declared[name]
		if p == nil {
			e := condition.Newf(condition.InvalidValue, "The table has no parameter :%s.", name)
			e.Pos, e.Operator, e.Hint = at, "Bind", "It has no parameters: make one with expr.Param."
			if len(names) > 0 {
				e.Hint = "It has :" + strings.Join(names, ", :") + "."
			}
			errs = append(errs, e)
			continue
		}
		l, err := literalOf(values[name], datatype.Field{Type: p.Typ, Nullable: p.Null})
		if err != nil {
			err.Message = fmt.Sprintf("Parameter :%s: %s", name, err.Message)
			err.Pos, err.Operator = at, "Bind"
			if values[name] == nil && !p.Null {
				err.Message, err.Hint = fmt.Sprintf("Parameter :%s is NOT NULL, so nil is none of its values.", name), "Make it with expr.NullableParam, or give it a value."
			}
			errs = append(errs, err)
			continue
		}
		out = append(out, tree.ParamValue{Name: name, Value: l.(*tree.Literal)})
	}
	if len(errs) > 0 || len(out) == 0 {
		return t.then(errs, func() tree.Relation { return t.rel })
	}
	return t.then(nil, func() tree.Relation {
		return &tree.Bind{Node: tree.Node{Out: t.rel.Schema(), At: at}, Input: t.rel, Values: out}
	})
}

// SQL is the table that a query in Spark's own words gives. Its columns are declared: their names and types are compared with what Spark
// finds before the query runs, and a column that differs, or that may be null against its NOT NULL, is an error that names it. The text may name
// tables, under the names that they are given here, and parameters, which are given as [Param] values. It reaches Spark unchanged.
//
// The local engine does not read SQL and refuses it.
func SQL(text string, fields []datatype.Field, tables map[string]Table, params ...Value) Table {
	at := condition.Here(1)
	fields = append([]datatype.Field(nil), fields...)
	n := &tree.SQL{Node: tree.Node{Out: tree.SchemaOf(fields), At: at}, Text: text}
	t := Table{rel: n}
	fail := func(e *condition.Error) {
		e.Pos, e.Operator = at, "SQL"
		t = t.fail(e)
	}
	if e := checkText(text); e != nil {
		fail(e)
	}
	if len(fields) == 0 {
		e := condition.Newf(condition.InvalidValue, "The columns of the query are not declared.")
		e.Hint = "Give its fields, for example by datatype.ParseFields(\"id INT, name STRING\")."
		fail(e)
	}
	seen := map[string]bool{}
	for _, f := range fields {
		k := datatype.FoldName(f.Name)
		switch {
		case f.Type == nil:
			fail(condition.Newf(condition.InvalidValue, "Column %s has no type.", datatype.QuoteName(f.Name)))
			n.Out = tree.NewSchema(nil)
			return t
		case seen[k]:
			fail(condition.Newf(condition.ColumnAlreadyExists, "The query is declared with two columns named %s.", datatype.QuoteName(f.Name)))
		}
		seen[k] = true
	}
	names := map[string]bool{}
	for _, name := range sortedKeys(tables) {
		in := tables[name].ready(at)
		t.errs = merge(t.errs, in.errs)
		k := datatype.FoldName(name)
		if name == "" || names[k] {
			fail(condition.Newf(condition.InvalidValue, "A table of the query has no name of its own: %q.", name))
			continue
		}
		names[k] = true
		if free := tree.FreeOuters(in.rel); len(free) > 0 {
			e := *free[0].Unbound
			t.errs = merge(t.errs, []*condition.Error{&e})
			continue
		}
		n.Tables = append(n.Tables, tree.NamedTable{Name: name, Rel: in.rel})
	}
	var errs []*condition.Error
	n.Params, errs = paramNodes(params, at)
	t.errs = merge(t.errs, errs)
	return t
}

// SQLValue is an expression in Spark's own words, of a declared type, which may be null. It is computed for each row of the table that receives it
// and may name that table's columns, and parameters, which are given as [Param] values. The text reaches Spark unchanged. An aggregate or a window
// function in it is the caller's to put where one may stand.
//
// The local engine does not read SQL and refuses it.
func SQLValue[V Family[V]](text string, t datatype.Type, params ...Value) V {
	var out V
	at := condition.Here(1)
	nodes, errs := paramNodes(params, at)
	e := checkText(text)
	if t == nil {
		e = condition.Newf(condition.InvalidValue, "An expression in SQL needs a type.")
	}
	if e != nil {
		e.Operator = "SQLValue"
		return failed[V](at, errs, e)
	}
	n := &tree.RawSQL{Text: text, Typ: t, Params: nodes, At: at}
	if err := checkFamily(out.family(), n); err != nil {
		return failed[V](at, errs, err)
	}
	return out.make(value{n, errs})
}

// checkText refuses a text that Spark could not read: empty, not UTF-8, or with control characters beside white space.
func checkText(text string) *condition.Error {
	if strings.TrimSpace(text) == "" {
		return condition.Newf(condition.InvalidValue, "The text in SQL is empty.")
	}
	for _, r := range text {
		if r == utf8.RuneError || r < ' ' && r != '\n' && r != '\r' && r != '\t' {
			e := condition.Newf(condition.InvalidValue, "The text in SQL is no plain text: it has the character %U.", r)
			e.Hint = "Write such characters of a literal as escapes, \\u0001."
			return e
		}
	}
	return nil
}

func paramNodes(params []Value, at condition.Pos) ([]*tree.Param, []*condition.Error) {
	var out []*tree.Param
	var errs []*condition.Error
	for _, v := range params {
		n, e := operand(v, at)
		errs = merge(errs, e)
		switch p := n.(type) {
		case *tree.Param:
			out = append(out, p)
		case *tree.Bad:
		default:
			err := condition.Newf(condition.InvalidValue, "A parameter of a text is given by expr.Param, not as %s.", tree.String(n))
			err.Pos, err.Operator = at, "SQL"
			errs = append(errs, err)
		}
	}
	return out, errs
}
