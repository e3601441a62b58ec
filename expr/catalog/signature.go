package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Signature is a parsed signature. The notation is Go's: "(str string, pos int, len? int) string".
//
// An element type of a result with ! is never null: array<string!>.
//
//	name type     a parameter
//	name? type    an optional one; those that follow are optional too
//	name ...type  any number of arguments, the last parameter only
//
// A type is one of Spark's type names in lower case (int, bigint, double, string, timestamp …), a class (numeric, integral,
// fractional, text, datetime, interval, daytime, orderable, any, struct), array<…>, map<…,…>, or a variable: one capital letter. All
// arguments of one variable are cast to their common type. The letters say the bound: N numeric, I integral, O orderable, D a
// date or time stamp; T, U, K and V are free. A function of elements is func(x T, i? int): its parameters in the order in which a Go function
// may take them, those with ? only if it wants them; a rule types it by [Arg.Lambda]. The result is a type, a variable, or @rule: a Go function of the arguments (see rules).
type Signature struct {
	// Text is the notation as declared.
	Text string
	// Params are the parameters in order.
	Params []Param

	result pattern
	rule   string
}

// Param is one parameter of a [Signature].
type Param struct {
	// Name is the parameter's name in docs and generated code.
	Name string
	// Optional parameters may be left out from the end.
	Optional bool
	// Variadic stands for any number of arguments, none included.
	Variadic bool

	pattern pattern
}

// Family gives the family of values that the parameter takes, AnyFamily where several do.
func (p Param) Family() Family { return p.pattern.family() }

// ResultFamily gives the family of the result, AnyFamily where it follows the arguments.
func (s Signature) ResultFamily() Family {
	if s.rule != "" {
		return AnyFamily
	}
	return s.result.family()
}

// pattern matches types. Exactly one of its fields is set, besides args.
type pattern struct {
	class string // lower-case word
	typ   datatype.Type
	v     byte // type variable
	args  []pattern
	// notNull marks the elements of a result's array as never null: array<T!>.
	notNull bool
	// lambda are the parameters of a func.
	lambda []Param
}

func (p pattern) family() Family {
	switch {
	case p.typ != nil:
		return FamilyOf(p.typ)
	case p.v == 'N' || p.v == 'I':
		return NumericFamily
	case p.v != 0:
		return AnyFamily
	}
	switch p.class {
	case "numeric", "integral", "fractional":
		return NumericFamily
	case "interval", "daytime":
		return IntervalFamily
	case "text":
		return StringFamily
	case "array":
		return ArrayFamily
	case "map":
		return MapFamily
	case "struct":
		return StructFamily
	}
	return AnyFamily
}

func parseSignature(s string) (Signature, error) {
	sig := Signature{Text: s}
	rest, ok := strings.CutPrefix(s, "(")
	end := strings.LastIndexByte(rest, ')')
	if !ok || end < 0 {
		return sig, fmt.Errorf("signature %q: parentheses are missing", s)
	}
	params, result := rest[:end], strings.TrimSpace(rest[end+1:])
	for _, part := range splitTop(params) {
		name, typ, ok := strings.Cut(strings.TrimSpace(part), " ")
		if !ok {
			return sig, fmt.Errorf("signature %q: %q is no «name type»", s, part)
		}
		p := Param{Name: name}
		if n, ok := strings.CutSuffix(name, "?"); ok {
			p.Name, p.Optional = n, true
		}
		if t, ok := strings.CutPrefix(typ, "..."); ok {
			typ, p.Variadic = t, true
		}
		var err error
		if p.pattern, err = parsePattern(typ); err != nil {
			return sig, fmt.Errorf("signature %q: %w", s, err)
		}
		sig.Params = append(sig.Params, p)
	}
	if r, ok := strings.CutPrefix(result, "@"); ok {
		if rules[r] == nil {
			return sig, fmt.Errorf("signature %q: there is no rule @%s", s, r)
		}
		sig.rule = r
		return sig, nil
	}
	var err error
	sig.result, err = parsePattern(result)
	return sig, err
}

// parseParams reads the parameters of a func: names with patterns.
func parseParams(s string) ([]Param, error) {
	var out []Param
	for _, part := range splitTop(s) {
		name, typ, ok := strings.Cut(strings.TrimSpace(part), " ")
		if !ok {
			return nil, fmt.Errorf("%q is no «name type»", part)
		}
		t, err := parsePattern(typ)
		if err != nil {
			return nil, err
		}
		p := Param{Name: name, pattern: t}
		p.Name, p.Optional = strings.CutSuffix(name, "?")
		out = append(out, p)
	}
	return out, nil
}

// Lambda gives the parameters of a parameter that is a function of elements, nil for any other.
func (p Param) Lambda() []Param { return p.pattern.lambda }

func splitTop(s string) []string {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	var out []string
	depth, from := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '<', '(':
			depth++
		case '>', ')':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, s[from:i])
				from = i + 1
			}
		}
	}
	return append(out, s[from:])
}

var classes = map[string]bool{"numeric": true, "integral": true, "fractional": true, "text": true, "datetime": true, "interval": true, "daytime": true, "orderable": true, "any": true, "struct": true}

func parsePattern(s string) (pattern, error) {
	s = strings.TrimSpace(s)
	if inner, ok := strings.CutSuffix(s, "!"); ok {
		p, err := parsePattern(inner)
		p.notNull = true
		return p, err
	}
	if len(s) == 1 && s[0] >= 'A' && s[0] <= 'Z' {
		return pattern{v: s[0]}, nil
	}
	if classes[s] {
		return pattern{class: s}, nil
	}
	if inner, ok := strings.CutPrefix(s, "func("); ok {
		params, err := parseParams(strings.TrimSuffix(inner, ")"))
		return pattern{class: "func", lambda: params}, err
	}
	for _, c := range []string{"array", "map"} {
		inner, ok := strings.CutPrefix(s, c+"<")
		if !ok {
			continue
		}
		p := pattern{class: c}
		for _, a := range splitTop(strings.TrimSuffix(inner, ">")) {
			q, err := parsePattern(a)
			if err != nil {
				return p, err
			}
			p.args = append(p.args, q)
		}
		return p, nil
	}
	t, err := datatype.Parse(s)
	if err != nil {
		return pattern{}, err
	}
	return pattern{typ: t}, nil
}

// Arg is what is known of an argument when a call is typed.
type Arg struct {
	// Type is the argument's type; datatype.Invalid where it is not known.
	Type datatype.Type
	// Nullable tells whether the argument may be null.
	Nullable bool
	// Literal is the literal's value where IsLiteral: nil for NULL, else as package tree stores it.
	Literal any
	// IsLiteral tells a literal from every other expression.
	IsLiteral bool
	// Name is the name of a column or of a field, "" for every other expression.
	Name string
	// Elements tells of each element of an array that is listed, by array(…) or as a literal, whether it may be null; nil for any other.
	Elements []bool
	// Lambda is set for a function of elements, whose Type and Nullable are not.
	Lambda *Lambda
}

// Lambda is an argument that is a function. A rule says what it is called with and learns what it gives.
type Lambda struct {
	// Params is the number of its parameters.
	Params int
	// Body types the function for parameters of the given types, as many as Params or more. Result.Type is datatype.Invalid where
	// the body holds a name without a type. Calling it anew replaces what the call before has typed.
	Body func(params ...Arg) (Arg, *condition.Error)
	// Cast makes the function's result a value of another type.
	Cast func(t datatype.Type)
}

// Typing is the outcome of [Function.Resolve].
type Typing struct {
	// Args are the types that the arguments are cast to.
	Args []datatype.Type
	// Result is the type of the call.
	Result datatype.Type
	// Nullable tells whether the call may be null, under ANSI mode. A rule may set it where the null rule alone would not.
	Nullable bool
}

// Resolve finds the types of a call. Where an argument's type is unknown the result is too, without an error: one slip gives one
// message. ansi selects Spark's implicit casts of ANSI mode, which is the default.
func (f *Function) Resolve(args []Arg, ansi bool) (Typing, *condition.Error) {
	for _, a := range args {
		if a.Lambda == nil && a.Type.Kind() == datatype.KindInvalid {
			return Typing{Args: make([]datatype.Type, len(args)), Result: datatype.Invalid, Nullable: true}, nil
		}
	}
	var first, ruled *condition.Error
	for _, sig := range f.ordered(args) {
		t, err := sig.match(f, args, ansi)
		if err != nil && t.Args != nil && ruled == nil {
			ruled = err
		}
		if err == nil {
			err = f.compared(args)
		}
		if err == nil {
			t.Nullable = t.Nullable || f.nullable(casted(args, t.Args)) || f.shrinks(args)
			return t, nil
		}
		if first == nil {
			first = err
		}
	}
	if ruled != nil {
		return Typing{}, ruled // the arguments fit but for that, so it says more
	}
	if len(f.parsed) > 1 && first.Condition != condition.WrongNumArgs {
		types := make([]string, len(args))
		for i, a := range args {
			if a.Lambda != nil {
				types[i] = "a function"
				continue
			}
			types[i] = a.Type.String()
		}
		first.Message = fmt.Sprintf("%s does not take (%s).", f.Name, strings.Join(types, ", "))
		first.Hint = "It takes " + f.usage() + "."
	}
	return Typing{}, first
}

// ordered puts the signatures first whose first parameter is exactly the type of the first argument, so that no implicit cast is preferred to it.
func (f *Function) ordered(args []Arg) []Signature {
	if len(f.parsed) < 2 || len(args) == 0 {
		return f.parsed
	}
	var exact, others []Signature
	for _, s := range f.parsed {
		if len(s.Params) > 0 && s.Params[0].pattern.typ != nil && s.Params[0].pattern.typ.Kind() == args[0].Type.Kind() {
			exact = append(exact, s)
		} else {
			others = append(others, s)
		}
	}
	return append(exact, others...)
}

func (f *Function) usage() string {
	var out []string
	for _, s := range f.Sigs {
		out = append(out, f.Name+s[:strings.LastIndexByte(s, ')')+1])
	}
	return strings.Join(out, " or ")
}

// casted gives the arguments as the implicit casts to types leave them.
func casted(args []Arg, types []datatype.Type) []Arg {
	out := slices.Clone(args)
	for i := range out {
		if i < len(types) && types[i] != nil && datatype.CastMayBeNull(args[i].Type, types[i]) {
			out[i].Nullable = true
		}
	}
	return out
}

// compares tells that the function compares its first argument with each of the others, as an operator does: nothing within arrays and structs is
// cast but to the tightest type.
func (f *Function) compares() bool {
	switch f.Name {
	case "=", "<=>", "<>", "<", "<=", ">", ">=", "between", "nullif":
		return true
	}
	return false
}

// compared refuses a comparison of values whose elements have no tightest type, though they have a common one: a text and a number, or decimals of
// different digits.
//
// Source: Spark's AnsiTypeCoercion (findTightestCommonType), and live servers.
func (f *Function) compared(args []Arg) *condition.Error {
	if !f.compares() {
		return nil
	}
	for _, a := range args[1:] {
		if k := a.Type.Kind(); k >= datatype.KindArray && !tightest(args[0].Type, a.Type) {
			e := condition.Newf(condition.DifferingTypes, "The arguments of %s must have one type within, but %s and %s differ.", f.Name, args[0].Type, a.Type)
			e.Hint = "Cast one of them."
			return e
		}
	}
	return nil
}

// tightest tells whether two types that have a common one have a tightest one too.
func tightest(a, b datatype.Type) bool {
	switch x := a.(type) {
	case datatype.Array:
		if y, ok := b.(datatype.Array); ok {
			return tightest(x.Elem, y.Elem)
		}
	case datatype.Map:
		if y, ok := b.(datatype.Map); ok {
			return tightest(x.Key, y.Key) && tightest(x.Value, y.Value)
		}
	case datatype.Struct:
		if y, ok := b.(datatype.Struct); ok && len(x.Fields) == len(y.Fields) {
			for i := range x.Fields {
				if !tightest(x.Fields[i].Type, y.Fields[i].Type) {
					return false
				}
			}
		}
	}
	if a.Kind() == datatype.KindDecimal && datatype.IsNumeric(b) || b.Kind() == datatype.KindDecimal && datatype.IsNumeric(a) {
		return datatype.Equal(a, b)
	}
	return datatype.IsString(a) == datatype.IsString(b) || a.Kind() == datatype.KindNull || b.Kind() == datatype.KindNull
}

// shrinks tells of a comparison of a decimal with a whole literal: Spark casts the literal to a decimal of just its digits, and takes the narrower
// type for nullable. A TINYINT keeps all of its digits.
//
// Source: Spark's DecimalPrecision, and live servers.
func (f *Function) shrinks(args []Arg) bool {
	if !f.compares() || f.Name == "<=>" {
		return false
	}
	for i, a := range args {
		n, ok := a.Literal.(int64)
		if !ok || a.Type.Kind() == datatype.KindByte {
			continue
		}
		d, whole := datatype.DecimalOf(a.Type)
		other := args[0]
		if i == 0 {
			other = args[1]
		}
		if _, isDecimal := a.Type.(datatype.Decimal); whole && !isDecimal && other.Type.Kind() == datatype.KindDecimal && len(strings.TrimPrefix(strconv.FormatInt(n, 10), "-")) < d.Precision {
			return true
		}
	}
	return false
}

func (f *Function) nullable(args []Arg) bool {
	switch f.Nulls {
	case NeverNull, NullByRule:
		return false
	case MayBeNull, NullIfAnyOrOther:
		return true
	case NullWithoutAll:
		if len(f.parsed) > 0 && len(args) < len(f.parsed[0].Params) {
			return true
		}
	case NullIfAll:
		for _, a := range args {
			if !a.Nullable {
				return false
			}
		}
		return true
	}
	for _, a := range args {
		if a.Nullable {
			return true
		}
	}
	return false
}

// match finds the types of a call by one signature. Where only its rule refuses the arguments, it gives their types with the error.
func (s Signature) match(f *Function, args []Arg, ansi bool) (Typing, *condition.Error) {
	least, most := 0, len(s.Params)
	for _, p := range s.Params {
		if p.Variadic {
			most = len(args)
		} else if !p.Optional {
			least++
		}
	}
	if len(args) < least || len(args) > most {
		want := fmt.Sprint(least)
		if most != least {
			want = fmt.Sprintf("%d or more", least)
		}
		e := condition.Newf(condition.WrongNumArgs, "%s takes %s arguments, not %d.", f.Name, want, len(args))
		e.Hint = "Its signature is " + f.usage() + "."
		return Typing{}, e
	}
	m := matcher{ansi: ansi, vars: map[byte]datatype.Type{}}
	param := func(i int) Param { return s.Params[min(i, len(s.Params)-1)] }
	for i, a := range args {
		if isFunc := param(i).pattern.class == "func"; isFunc || a.Lambda != nil {
			if err := checkLambda(f, i, param(i), a); err != nil {
				return Typing{}, err
			}
			continue
		}
		if !m.bind(param(i).pattern, a) {
			e := condition.Newf(condition.DatatypeMismatch, "%s needs %s as %s (argument %d), not %s.", f.Name, param(i).pattern.describe(), param(i).Name, i+1, a.Type)
			e.Hint = "Cast it, or use a column of that type."
			if c := m.conflict; c != nil {
				e.Condition, e.SQLState = condition.DifferingTypes, condition.StateOf(condition.DifferingTypes)
				e.Message = fmt.Sprintf("The arguments of %s must have a common type, but %s and %s have none.", f.Name, c[0], c[1])
			}
			return Typing{}, e
		}
	}
	t := Typing{Args: make([]datatype.Type, len(args))}
	for i, a := range args {
		if a.Lambda == nil {
			t.Args[i] = m.target(param(i).pattern, a)
		}
	}
	if s.rule != "" {
		if err := rules[s.rule](args, &t); err != nil {
			if err.Pos.IsZero() { // else it is of the body of a lambda
				err.Message = f.Name + ": " + err.Message
			}
			return t, err
		}
		return t, nil
	}
	t.Result = m.build(s.result)
	return t, nil
}

// checkLambda checks that a function stands where one is wanted, and takes as many parameters as there are.
func checkLambda(f *Function, i int, p Param, a Arg) *condition.Error {
	want := p.pattern.lambda
	switch {
	case a.Lambda == nil:
		e := condition.Newf(condition.DatatypeMismatch, "%s needs a function as %s (argument %d), not %s.", f.Name, p.Name, i+1, a.Type)
		e.Hint = "Pass a Go function of values of package expr: func(x expr.NumericValue) expr.Value { … }."
		return e
	case want == nil:
		e := condition.Newf("INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION", "%s takes no function as %s (argument %d).", f.Name, p.Name, i+1)
		e.Hint = "Its signature is " + f.usage() + "."
		return e
	}
	least := 0
	for _, w := range want {
		if !w.Optional {
			least++
		}
	}
	if n := a.Lambda.Params; n < least || n > len(want) {
		e := condition.Newf("INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH", "The function that %s takes as %s has %d parameters, not %d.", f.Name, p.Name, least, n)
		if least != len(want) {
			e.Message = fmt.Sprintf("The function that %s takes as %s has %d or %d parameters, not %d.", f.Name, p.Name, least, len(want), n)
		}
		e.Hint = "Its signature is " + f.usage() + "."
		return e
	}
	return nil
}

func (p pattern) describe() string {
	switch {
	case p.typ != nil:
		return p.typ.String()
	case p.v == 'N':
		return "a number"
	case p.v == 'I' || p.class == "integral":
		return "an integer"
	case p.v == 'D' || p.class == "datetime":
		return "a date or time stamp"
	case p.v == 'O' || p.class == "orderable":
		return "an orderable type"
	case p.v != 0 || p.class == "any":
		return "any type"
	case p.class == "numeric":
		return "a number"
	case p.class == "daytime":
		return "a day–time interval"
	}
	return "a " + p.class
}

// matcher binds type variables. Containers of one variable (array<T>, T) share it.
type matcher struct {
	ansi     bool
	vars     map[byte]datatype.Type
	conflict *[2]datatype.Type
}

func (m *matcher) bind(p pattern, a Arg) bool {
	k := a.Type.Kind()
	switch {
	case p.v != 0:
		if k != datatype.KindNull && !bound(p.v, a.Type) {
			return false
		}
		have, ok := m.vars[p.v]
		if !ok {
			m.vars[p.v] = a.Type
			return true
		}
		t, ok := datatype.Common(have, a.Type, m.ansi)
		if !ok {
			m.conflict = &[2]datatype.Type{have, a.Type}
			return false
		}
		m.vars[p.v] = t
		return true
	case k == datatype.KindNull:
		return true
	case p.typ != nil:
		return widens(a, p.typ)
	}
	switch p.class {
	case "array":
		t, ok := a.Type.(datatype.Array)
		return ok && m.bind(p.args[0], Arg{Type: t.Elem})
	case "map":
		t, ok := a.Type.(datatype.Map)
		return ok && m.bind(p.args[0], Arg{Type: t.Key}) && m.bind(p.args[1], Arg{Type: t.Value})
	}
	return inClass(p.class, a.Type)
}

func bound(v byte, t datatype.Type) bool {
	switch v {
	case 'N':
		return datatype.IsNumeric(t)
	case 'I':
		return datatype.IsIntegral(t)
	case 'O':
		return datatype.IsOrderable(t)
	case 'D':
		return datatype.IsDatetime(t)
	}
	return true
}

func inClass(c string, t datatype.Type) bool {
	switch c {
	case "any":
		return true
	case "numeric":
		return datatype.IsNumeric(t)
	case "integral":
		return datatype.IsIntegral(t)
	case "fractional":
		return datatype.IsFractional(t)
	case "text":
		return datatype.IsString(t)
	case "datetime":
		return datatype.IsDatetime(t)
	case "interval":
		return datatype.IsInterval(t)
	case "daytime":
		return t.Kind() == datatype.KindDayTime
	case "orderable":
		return datatype.IsOrderable(t)
	case "struct":
		return t.Kind() == datatype.KindStruct
	}
	return false
}

// widens tells whether Spark casts an argument to the wanted type by itself: to a wider number, to STRING from any atomic type,
// between dates and time stamps, and an integer literal to a narrower integer that holds it.
func widens(a Arg, want datatype.Type) bool {
	have := a.Type
	if datatype.EqualIgnoringNulls(have, want) {
		return true
	}
	switch {
	case want.Kind() == datatype.KindString:
		return have.Kind() >= datatype.KindBoolean && have.Kind() < datatype.KindArray
	case datatype.IsNumeric(have) && datatype.IsNumeric(want):
		if datatype.IsIntegral(have) && datatype.IsIntegral(want) && have.Kind() > want.Kind() {
			n, ok := a.Literal.(int64)
			return a.IsLiteral && ok && fits(n, want.Kind())
		}
		if want.Kind() == datatype.KindDecimal {
			return true // Spark casts any number to a parameter of a fixed decimal type
		}
		c, ok := datatype.Common(have, want, true)
		return ok && (datatype.Equal(c, want) || want.Kind() == datatype.KindDouble)
	case datatype.IsDatetime(have) && datatype.IsDatetime(want):
		return want.Kind() != datatype.KindDate || have.Kind() != datatype.KindDate
	case have.Kind() == datatype.KindDayTime && want.Kind() == datatype.KindDayTime, have.Kind() == datatype.KindYearMonth && want.Kind() == datatype.KindYearMonth:
		return true
	}
	return false
}

func fits(n int64, k datatype.Kind) bool {
	switch k {
	case datatype.KindByte:
		return n >= -1<<7 && n < 1<<7
	case datatype.KindShort:
		return n >= -1<<15 && n < 1<<15
	case datatype.KindInt:
		return n >= -1<<31 && n < 1<<31
	}
	return true
}

// target is the type that an argument is cast to; its own where the pattern is a class.
func (m *matcher) target(p pattern, a Arg) datatype.Type {
	switch {
	case p.v != 0:
		return m.vars[p.v]
	case p.typ != nil:
		return p.typ
	case p.class == "array" && a.Type.Kind() == datatype.KindArray:
		t := a.Type.(datatype.Array)
		return datatype.Array{Elem: m.target(p.args[0], Arg{Type: t.Elem}), ContainsNull: t.ContainsNull}
	case p.class == "map" && a.Type.Kind() == datatype.KindMap:
		t := a.Type.(datatype.Map)
		return datatype.Map{Key: m.target(p.args[0], Arg{Type: t.Key}), Value: m.target(p.args[1], Arg{Type: t.Value}), ValueContainsNull: t.ValueContainsNull}
	}
	return a.Type
}

func (m *matcher) build(p pattern) datatype.Type {
	switch {
	case p.v != 0:
		if t, ok := m.vars[p.v]; ok {
			return t
		}
		return datatype.Null
	case p.typ != nil:
		return p.typ
	case p.class == "array":
		return datatype.Array{Elem: m.build(p.args[0]), ContainsNull: !p.args[0].notNull}
	case p.class == "map":
		return datatype.Map{Key: m.build(p.args[0]), Value: m.build(p.args[1]), ValueContainsNull: true}
	}
	return datatype.Invalid
}

// ResultIsFirst tells whether the result has the type of the first argument, so that a method keeps its receiver's family.
func (s Signature) ResultIsFirst() bool {
	return firstRules[s.rule] || s.rule == "" && s.result.v != 0 && len(s.Params) > 0 && s.Params[0].pattern.v == s.result.v
}

// HasRule tells whether the result type is computed by a rule.
func (s Signature) HasRule() bool { return s.rule != "" }

// Receivers gives the families whose values can be the first argument: those that have the method. Every family, for a type variable
// or any; families without an order are left out of an orderable.
func (f *Function) Receivers() []Family {
	var out []Family
	add := func(x Family) {
		for _, y := range out {
			if y == x {
				return
			}
		}
		out = append(out, x)
	}
	if f.On != AnyFamily {
		add(f.On)
	}
	for _, s := range f.parsed {
		var p pattern
		switch {
		case f.Ranks:
			p = pattern{class: "orderable"}
		case len(s.Params) > 0:
			p = s.Params[0].pattern
		default:
			continue
		}
		switch {
		case p.class == "datetime" || p.v == 'D':
			add(DateFamily)
			add(TimestampFamily)
		case p.family() != AnyFamily:
			add(p.family())
		case f.On == AnyFamily:
			for x := AnyFamily; x <= WindowFamily; x++ {
				if (p.v == 'O' || p.class == "orderable") && (x == MapFamily || x == VariantFamily) {
					continue
				}
				add(x)
			}
		}
	}
	return out
}

// ResultFamily gives the family of the result of the method on a receiver, AnyFamily where it is known only when the call is typed.
func (f *Function) ResultFamily(receiver Family) Family {
	if f.Returns != AnyFamily && (receiver == f.On || f.On == AnyFamily) {
		return f.Returns
	}
	// A function of several families may give each a result of its own.
	first := AnyFamily
	for i, s := range f.parsed {
		r := s.ResultFamily()
		if receiver != AnyFamily && len(s.Params) > 0 && s.Params[0].Family() == receiver && r != AnyFamily {
			return r
		}
		if i > 0 && receiver == AnyFamily && r != first {
			return AnyFamily
		}
		first = r
	}
	for _, s := range f.parsed {
		if s.ResultIsFirst() {
			return receiver
		}
		if s.rule != "" {
			return AnyFamily
		}
	}
	if len(f.parsed) == 0 {
		return AnyFamily
	}
	return f.parsed[0].ResultFamily()
}
