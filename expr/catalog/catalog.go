// Package catalog declares every function, operator and aggregate of Spoonbill, once. The fluent methods, the package
// expr/functions, the reference, the support matrix and the conformance cases are generated from it; the SQL text comes from
// its templates; and the local engine registers a kernel under the same name.
//
// Adding a function is one literal in the file of its group here and one kernel in backend/local/kernel (see
// docs/recipes/add-a-function.md).
package catalog

import (
	"fmt"
	"sort"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Family is a set of types that share their methods; it names the Go type of a value.
type Family uint8

// The families, each with the Go value type of package expr that it names.
const (
	AnyFamily Family = iota
	NumericFamily
	StringFamily
	BooleanFamily
	DateFamily
	TimestampFamily
	TimeFamily
	IntervalFamily
	BinaryFamily
	ArrayFamily
	MapFamily
	StructFamily
	VariantFamily
	WindowFamily
)

var familyNames = [...]string{"Any", "Numeric", "String", "Boolean", "Date", "Timestamp", "Time", "Interval", "Binary", "Array", "Map", "Struct", "Variant", "Window"}

// String gives the name of the family, as in the Go type: "Numeric" for NumericValue.
func (f Family) String() string {
	if int(f) < len(familyNames) {
		return familyNames[f]
	}
	return fmt.Sprintf("Family(%d)", uint8(f))
}

// FamilyOf gives the family of a type. A window column is a STRUCT by type; only its event-time mark tells it apart, so it
// is of the Struct family here.
func FamilyOf(t datatype.Type) Family {
	switch k := t.Kind(); {
	case datatype.IsNumeric(t):
		return NumericFamily
	case datatype.IsString(t):
		return StringFamily
	case datatype.IsInterval(t):
		return IntervalFamily
	case k == datatype.KindBoolean:
		return BooleanFamily
	case k == datatype.KindDate:
		return DateFamily
	case k == datatype.KindTimestamp || k == datatype.KindTimestampNTZ:
		return TimestampFamily
	case k == datatype.KindTime:
		return TimeFamily
	case k == datatype.KindBinary:
		return BinaryFamily
	case k == datatype.KindArray:
		return ArrayFamily
	case k == datatype.KindMap:
		return MapFamily
	case k == datatype.KindStruct:
		return StructFamily
	case k == datatype.KindVariant:
		return VariantFamily
	}
	return AnyFamily
}

// Kind tells where a function may stand.
type Kind uint8

// The kinds of functions.
const (
	// Scalar gives a value per row.
	Scalar Kind = iota
	// Aggregate gives a value per group; outside Agg it means OVER ().
	Aggregate
	// Window needs an OVER clause.
	Window
	// Generator gives rows per row.
	Generator
	// TimeWindow assigns a row to one or more windows of event time; it is a grouping key, or a whole column of a projection.
	TimeWindow
	// Grouping tells of a row of grouping sets which keys its set leaves out; it stands in Agg and Having of such a grouping only.
	Grouping
)

// SessionWindow is the name of the function of the kind [TimeWindow] whose windows depend on the rows.
const SessionWindow = "session_window"

// CumulativeWindow assigns a row to the windows that begin where its tumbling window of the size does and end a number of steps later, behind the
// row. It is none of Spark's functions, so no name finds it: the printer makes a sliding window and a filter of it.
var CumulativeWindow = parsed(&Function{Name: "cumulative_window", Kind: TimeWindow, Sigs: []string{"(t any, size daytime, step daytime, start daytime) @cumulative"}, Nulls: NeverNull, Returns: WindowFamily})

var kindNames = [...]string{"scalar", "aggregate", "window", "generator", "time window", "grouping"}

// String gives the kind's word in the reference.
func (k Kind) String() string { return kindNames[k] }

// Nulls is a function's null rule.
type Nulls uint8

// The null rules.
const (
	// NullIfAny: the result is null exactly when an argument is; the kernel is not asked about such rows.
	NullIfAny Nulls = iota
	// NullIfAnyOrOther: null when an argument is, and for other inputs too (out of range, not parsable, empty group).
	NullIfAnyOrOther
	// NullIfAll: null when every argument is, as COALESCE.
	NullIfAll
	// NeverNull: the result is never null, whatever the arguments.
	NeverNull
	// MayBeNull: the kernel decides; the result is always nullable.
	MayBeNull
	// MayBeNullOfNulls: the kernel decides, and without a null among the arguments gives none (AND, IN).
	MayBeNullOfNulls
	// NullWithoutAll: null when an argument is, and for other inputs too unless every optional argument is given (LAG with a default).
	NullWithoutAll
	// NullByRule: the kernel decides, and the rule of the signature tells whether the result may be null.
	NullByRule
)

// Precedence of an operator's SQL text: a child binds less tightly than its parent is put in parentheses.
const (
	PrecOr = iota + 1
	PrecAnd
	PrecNot
	PrecCompare
	PrecBitOr
	PrecBitXor
	PrecBitAnd
	PrecAdd
	PrecMul
	PrecUnary
	PrecAtom
)

// Function is one declaration. Its fields are read by many and changed by none.
type Function struct {
	// Name is Spark's name in lower case, or its operator sign; it identifies the function.
	Name string
	// Aliases are Spark's other names of the same function, in lower case; expr/functions has each.
	Aliases []string
	// SparkOnly is the reason why the local engine refuses the function; "" for one that it computes.
	SparkOnly string
	// Go is the name in expr/functions and the fluent method's name where Method is empty; default: Name in camel case.
	Go string
	// Method is the fluent method's name, which is Ibis's name of the operation in camel case; "" for none.
	Method string
	// On is the family that has the method: the family of the first argument.
	On Family
	// Ibis is the name of Ibis's method or operation where it differs from Method.
	Ibis string
	// Cumulative is the fluent method that applies an aggregate to the rows up to the current one, Ibis's cumsum and its like; "" for none.
	Cumulative string
	// Ranks: the method is on the value that the window is ordered by, which is no argument of the function.
	Ranks bool
	// Group is the heading in the reference: "numeric", "string", "date and time" …
	Group string
	// Kind tells where the function may stand.
	Kind Kind
	// Sigs are the signatures in the notation of [Signature], tried in order.
	Sigs []string
	// Nulls is the null rule.
	Nulls Nulls
	// Returns is the family of the result where the signature does not tell it (a rule or a type variable).
	Returns Family
	// NonDeterministic: two calls on the same input may differ.
	NonDeterministic bool
	// WholeWindow: its window has neither an order nor a frame, as the value that it orders by is among its arguments.
	WholeWindow bool
	// OrderSensitive: the result depends on the order of the rows, so on Spark on the number of partitions.
	OrderSensitive bool
	// Streaming tells what Spark refuses on streams: "" for nothing, else the reason.
	Streaming string
	// SQL is the template of the text: {0}, {1} … are arguments, {*} all of them joined by commas. Default: NAME({*}).
	SQL string
	// Prec is the precedence of SQL; zero means PrecAtom.
	Prec int
	// Since is the first Spark version that has it ("" for before 3.0).
	Since string
	// Doc is one sentence that follows the method's name: "gives the text in upper case".
	Doc string
	// Example is an SQL call with literals, whose answer by Spark is in the vectors.
	Example string

	parsed []Signature
}

// Precedence gives Prec with its default.
func (f *Function) Precedence() int {
	if f.Prec == 0 {
		return PrecAtom
	}
	return f.Prec
}

// Signatures gives the parsed signatures.
func (f *Function) Signatures() []Signature { return f.parsed }

var (
	byName = map[string]*Function{}
	all    []*Function
)

// declare adds functions to the table. It runs while the package initialises, so a fault in a literal is a fault of this
// package and shows in every test.
func declare(group string, fs ...*Function) {
	for _, f := range fs {
		f.Group = group
		if byName[f.Name] != nil {
			panic("catalog: declared twice: " + f.Name) // invariant: a fault of the table itself, seen by every test
		}
		parsed(f)
		if f.Go == "" {
			f.Go = camel(f.Name)
		}
		byName[f.Name] = f
		for _, a := range f.Aliases {
			if byName[a] != nil {
				panic("catalog: declared twice: " + a) // invariant: as above
			}
			byName[a] = f
		}
		all = append(all, f)
	}
}

// parsed reads the signatures of a function.
func parsed(f *Function) *Function {
	initRules() // whoever comes first fills the rules
	for _, s := range f.Sigs {
		sig, err := parseSignature(s)
		if err != nil {
			panic(fmt.Sprintf("catalog: %s: %v", f.Name, err)) // invariant: a fault of the table itself, seen by every test
		}
		f.parsed = append(f.parsed, sig)
	}
	return f
}

// AliasGo gives the name in expr/functions of an alias.
func AliasGo(alias string) string { return camel(alias) }

// Lookup finds a function by one of Spark's names, in any letter case.
func Lookup(name string) (*Function, bool) {
	f, ok := byName[strings.ToLower(name)]
	return f, ok
}

// must is Lookup for names that this package declares itself.
func must(name string) *Function {
	f := byName[name]
	if f == nil {
		panic("catalog: not declared: " + name) // invariant: a fault of the table itself, seen by every test
	}
	return f
}

// All gives every function, sorted by group and name.
func All() []*Function {
	out := append([]*Function(nil), all...)
	sort.Slice(out, func(i, j int) bool {
		if out[i].Group != out[j].Group {
			return out[i].Group < out[j].Group
		}
		return out[i].Name < out[j].Name
	})
	return out
}

func camel(name string) string {
	var b strings.Builder
	for _, p := range strings.Split(name, "_") {
		if p != "" {
			b.WriteString(strings.ToUpper(p[:1]) + p[1:])
		}
	}
	return b.String()
}
