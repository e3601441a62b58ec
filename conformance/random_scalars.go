package conformance

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/zoneid"
)

// sv is a value of a random tree, with its type and what is known of it.
type sv struct {
	v   expr.AnyValue
	typ datatype.Type
	mark
	// column tells that it is a column or constant as it is, and reads that there is a column in it.
	column, reads bool
	// vary is how often columns stand for literals among its arguments.
	vary  float64
	uses  []string
	risks int
}

// randomFn is a function with the argument lists of its cases.
type randomFn struct {
	f      *catalog.Function
	shapes []shape
	// risky functions may raise, whatever their arguments; constant ones take no column.
	risky, constant bool
}

// shape is an argument list of a function; a [col] stands for any value of that column's type.
type shape struct {
	args []any
	// constant: it looks at no column. reads: it has columns within its other arguments.
	constant, reads bool
	typ             datatype.Type
}

// mayRaise are the functions of which some calls raise, by their arguments' values. The arithmetic among them is also used where it cannot.
var mayRaise = map[string]bool{}

func init() {
	for _, n := range []string{"abs", "+", "-", "*", "/", "%", "div", "negative", "pmod", "aggregate", "array_insert", "array_repeat", "array_sort", "assert_true", "raise_error", "bit_get", "bround", "round", "conv", "date_format",
		"decode", "encode", "element_at", "exists", "filter", "forall", "interval_add", "interval_sub", "interval_mul", "interval_div", "interval_negate", "make_date", "make_dt_interval", "make_ym_interval",
		"make_timestamp", "make_timestamp_ltz", "make_timestamp_ntz", "map", "map_concat", "map_filter", "map_from_arrays", "map_from_entries", "map_zip_with", "next_day", "sequence", "slice", "str_to_map",
		"timestampadd", "timestamp_add", "timestamp_sub", "to_binary", "to_date", "to_timestamp", "to_timestamp_ltz", "to_timestamp_ntz", "to_unix_timestamp", "unix_timestamp", "transform", "transform_keys", "transform_values", "try_element_at", "zip_with",
		"convert_timezone", "from_utc_timestamp", "to_utc_timestamp", "from_unixtime", "try_to_date", "try_to_timestamp", "unhex", "unbase64", "factorial", "timestamp_seconds", "timestamp_millis", "timestamp_micros", "date_add", "date_sub", "add_months",
		"date_from_unix_date", "ceil", "floor", "time_bucket", "try_make_timestamp", "try_make_timestamp_ltz", "try_make_timestamp_ntz", "shiftleft", "width_bucket", "date", "make_interval", "hash", "regexp_replace", "rlike", "split", "trunc", "last_day", "datediff", "timestampdiff", "timestamp_diff"} {
		mayRaise[n] = true
	}
	for _, n := range []string{"hash", "regexp_replace", "rlike", "split", "trunc", "last_day", "datediff", "date", "ceil", "floor", "width_bucket", "shiftleft"} {
		delete(mayRaise, n)
	}
}

// unfixed are the functions that random trees leave out, each with the reason.
var unfixed = map[string]string{
	"current_timestamp": "differs from run to run", "current_date": "differs from run to run", "localtimestamp": "differs from run to run", "rand": "differs from run to run", "randn": "differs from run to run", "uuid": "differs from run to run",
	"shuffle": "differs from run to run", "monotonically_increasing_id": "depends on the partitions", "window": "is a grouping key only: an operation has it", "window_time": "takes such a key",
	"grouping": "stands in grouping sets only: an operation has it", "grouping_id": "stands in grouping sets only: an operation has it",
	"make_interval": "has a type that the local engine does not hold", "try_make_interval": "has a type that the local engine does not hold",
	"assert_true": "is of the type VOID, which no other operation takes", "raise_error": "is of the type VOID, which no other operation takes",
	"sequence": "raises a bare Java exception, which has no condition", "map_from_arrays": "raises a bare Java exception, which has no condition", "unbase64": "raises a bare Java exception, which has no condition",
	"typeof": "is folded away before the types of its operand are fixed",
}

var randomFunctions = sync.OnceValue(func() (out struct {
	scalars, aggregates []*randomFn
	byFamily            map[catalog.Family][]*randomFn
	byName              map[string]*randomFn
}) {
	out.byName = map[string]*randomFn{}
	out.byFamily = map[catalog.Family][]*randomFn{}
	v := Values()
	id := v.Select("id")
	for _, f := range catalog.All() {
		if unfixed[f.Name] != "" || f.Kind != catalog.Scalar && f.Kind != catalog.Aggregate {
			continue
		}
		fn := &randomFn{f: f, risky: mayRaise[f.Name]}
		lists, _ := argumentLists(f)
		families := map[catalog.Family]bool{}
		for _, args := range lists {
			s := shape{args: args}
			in := make([]any, len(args))
			columns := false
			for j, a := range args {
				in[j] = a
				if c, ok := a.(col); ok {
					in[j], columns = v.Col(string(c)), true
				}
			}
			if badZone(f.Name, args) {
				continue
			}
			x := expr.Call[expr.AnyValue](f.Name, in...).As("x")
			t := v.Select(x)
			if t.Err() != nil || isUntyped(t.Schema().Field(0).Type) {
				continue
			}
			s.reads = !columns && id.Select(x).Err() != nil
			s.constant = !columns && !s.reads
			s.typ = t.Schema().Field(0).Type
			fn.shapes = append(fn.shapes, s)
			families[catalog.FamilyOf(s.typ)] = true
		}
		if len(fn.shapes) == 0 {
			continue
		}
		out.byName[f.Name] = fn
		if f.Kind == catalog.Aggregate {
			out.aggregates = append(out.aggregates, fn)
			continue
		}
		fn.constant = !slices.ContainsFunc(fn.shapes, func(s shape) bool { return !s.constant })
		// What needs columns of a rare type is tried more often.
		weight := map[string]int{"array": 6, "map": 9, "struct": 3, "json": 3, "date and time": 3, "interval": 3, "hash and binary": 2, "string": 2}[f.Group]
		for range max(weight, 1) {
			out.scalars = append(out.scalars, fn)
		}
		for k := range families {
			out.byFamily[k] = append(out.byFamily[k], fn)
		}
	}
	return out
})

// badZone tells of a constant that is no time zone: Spark finds that out when it makes code, which it may do without need, or not do over no rows.
func badZone(function string, args []any) bool {
	switch function {
	case "from_utc_timestamp", "to_utc_timestamp", "convert_timezone":
		return slices.ContainsFunc(args, func(a any) bool {
			s, ok := a.(string)
			_, good := zoneid.Parse(s)
			return ok && !good
		})
	}
	return false
}

// rarely are the functions that chance alone would not often choose with columns that they take.
var rarely = []string{"unhex", "unhex", "make_dt_interval", "forall", "factorial", "element_at", "encode", "to_binary", "exists", "conv", "aggregate", "map_zip_with", "date_format", "make_ym_interval", "try_make_timestamp_ltz", "split", "reverse",
	"next_day", "transform_values", "try_make_timestamp", "transform_keys", "map_filter", "div", "make_timestamp", "map_from_entries", "bit_get", "map_concat", "timestampdiff", "map_values", "interval_sub", "filter", "unix_timestamp", "zip_with",
	"arrays_zip", "interval_negate", "to_date", "make_date", "array_sort", "try_element_at", "map_keys", "make_timestamp_ltz", "map_entries", "interval_mul", "time_bucket", "array_insert", "timestamp_diff", "from_utc_timestamp", "to_unix_timestamp",
	"array_size", "unix_seconds", "interval_div", "interval_add", "transform", "to_timestamp_ntz", "hour", "unix_millis", "array_intersect", "to_utc_timestamp", "flatten", "array_distinct", "array_join", "convert_timezone", "date_from_unix_date",
	"array_union", "pmod", "bin", "try_to_binary", "slice", "make_timestamp_ntz", "unix_date", "months_between", "^", "array_append", "date_add", "array_except", "shiftleft", "timestamp_sub", "array_max", "try_to_date", "unix_micros",
	"array_min", "array_prepend", "array_remove", "array_position", "array_compact", "array_contains", "from_json", "try_make_timestamp_ntz", "trunc", "date_trunc", "to_timestamp", "to_timestamp_ltz", "from_unixtime", "last_day", "datediff", "str_to_map",
	"map_contains_key", "to_json", "timestamp_add", "timestampadd", "unix_date", "hex", "try_interval_div", "get", "size", "minute", "second", "date_sub", "add_months",
	"%", "nullif", "%", "nullif", "nullif", "substring", "substring", // with signs, with nulls on the right, from the end of texts beyond ASCII
	"map_from_entries", "map_filter", "next_day", "array_insert", "asin",
	"forall", "transform_keys", "map_filter", "make_dt_interval", "to_binary", "aggregate", "map_concat", "element_at", "exists", "transform_values", "factorial", "encode", "conv", "unhex", "map_zip_with", "unhex", "map_zip_with"}

// wantedBy gives the function that the tree of a seed has in it if it can; nil for every other tree.
func wantedBy(seed uint64) *randomFn {
	if seed%2 == 0 {
		return nil
	}
	return randomFunctions().byName[rarely[int(seed/2%uint64(len(rarely)))]]
}

// isUntyped tells of a type that holds NULL alone.
func isUntyped(t datatype.Type) bool {
	switch x := t.(type) {
	case datatype.Array:
		return isUntyped(x.Elem)
	case datatype.Map:
		return isUntyped(x.Key) || isUntyped(x.Value)
	case datatype.Struct:
		return slices.ContainsFunc(x.Fields, func(f datatype.Field) bool { return isUntyped(f.Type) })
	}
	return t.Kind() == datatype.KindNull || t.Kind() == datatype.KindInvalid
}

// typed gives the value with its type, if the table takes it.
func (r *rel) typed(v expr.AnyValue) (datatype.Type, bool) {
	t := r.t.Select(v.As("x"))
	if t.Err() != nil {
		return nil, false
	}
	x := t.Schema().Field(0).Type
	return x, !isUntyped(x)
}

func (r *rel) column(c rcol) sv {
	return sv{v: r.t.Col(c.name), typ: c.typ, mark: c.mark, column: true, reads: true}
}

// literal gives a constant of a type, or NULL.
func (g *gen) literal(t datatype.Type) sv {
	x := sv{typ: t, mark: mark{mag: 100}, column: true}
	// Whether Spark asks an operand beside a NULL that is written down depends on the rules that see it first.
	if g.chance(0.08) && !g.risky {
		x.v = expr.Null(t)
		return x
	}
	lit := func(v any) expr.AnyValue { return expr.Lit(v) }
	switch t.Kind() {
	case datatype.KindBoolean:
		x.v = lit(g.chance(0.5))
	case datatype.KindByte:
		x.v = lit(int8(g.IntN(12) - 3))
	case datatype.KindShort:
		x.v = lit(int16(g.IntN(12) - 3))
	case datatype.KindInt:
		x.v = lit(g.IntN(14) - 3)
	case datatype.KindLong:
		x.v = lit(int64(g.IntN(14) - 3))
	case datatype.KindFloat:
		x.v = lit(pickOf(g, []float32{1.5, 0, -2.25, 100}))
	case datatype.KindDouble:
		x.v = lit(pickOf(g, []float64{1.5, 0, -2.25, 2.5, 1000, math.NaN()}))
	case datatype.KindDecimal:
		x.v = expr.Decimal(pickOf(g, []string{"1.25", "0", "-3.50", "2", "10.5"})).Cast(t)
	case datatype.KindString:
		x.v = lit(pickOf(g, []string{"a", "b", "", "SQL", "100", "2024-02-29"}))
	case datatype.KindBinary:
		x.v = lit(pickOf(g, [][]byte{{1}, {}, []byte("abc")}))
	case datatype.KindDate:
		x.v = expr.Cast(pickOf(g, []expr.DateValue{expr.DateOf(2024, 2, 29), expr.DateOf(1970, 1, 1), expr.DateOf(2023, 12, 31)}), datatype.Date)
	case datatype.KindTimestamp:
		x.v = lit(pickOf(g, []time.Time{at("2024-01-31 10:00:00"), at("2000-06-15 00:00:00")}))
	case datatype.KindTimestampNTZ:
		x.v = expr.Cast(expr.TimestampNTZ(at("2024-01-31 10:00:00")), datatype.TimestampNTZ)
	case datatype.KindDayTime:
		x.v = lit(pickOf(g, []time.Duration{0, time.Hour, -25 * time.Hour}))
	case datatype.KindYearMonth:
		x.v = expr.Cast(expr.Months(pickOf(g, []int{0, 1, -14})), datatype.YearToMonth)
	case datatype.KindArray:
		x.v = lit(pickOf(g, [][]int{{1, 2, 3}, {}, {7}}))
	case datatype.KindMap:
		x.v = fnOf("map", "a", g.IntN(5))
	case datatype.KindStruct:
		x.v = fnOf("named_struct", "x", g.IntN(5), "y", "a")
	default:
		x.v = expr.Null(t)
	}
	return x
}

// leafOf gives a column, or now and then a constant, of the kind of a type.
func (g *gen) leafOf(r *rel, t datatype.Type, constants bool) (sv, bool) {
	cols := r.where(alike(t))
	if same := r.where(func(c rcol) bool { return c.typ.Kind() == t.Kind() && !c.opaque }); len(same) > 0 && len(same) < len(cols) && g.chance(0.7) {
		cols = same
	}
	if len(cols) > 0 && (!constants || g.chance(0.85)) {
		return r.column(pickOf(g, cols)), true
	}
	if !constants {
		return sv{}, false
	}
	return g.literal(t), true
}

// valueOf gives a value of the family of a type. Where risky is false no row of it raises.
func (g *gen) valueOf(r *rel, t datatype.Type, depth int, risky bool) (sv, bool) {
	if depth > 0 && g.chance(0.45) {
		if fns := randomFunctions().byFamily[catalog.FamilyOf(t)]; len(fns) > 0 {
			for range 3 {
				if x, ok := g.call(r, pickOf(g, fns), depth, risky); ok && catalog.FamilyOf(x.typ) == catalog.FamilyOf(t) {
					return x, true
				}
			}
		}
	}
	if depth > 0 && g.chance(0.12) {
		if x, ok := g.choice(r, t, depth-1, risky); ok {
			return x, true
		}
	}
	return g.leafOf(r, t, !risky || g.chance(0.3))
}

// choice gives a CASE, a cast or another form that is no call.
func (g *gen) choice(r *rel, t datatype.Type, depth int, risky bool) (sv, bool) {
	var x sv
	take := func(t datatype.Type) (sv, bool) {
		y, ok := g.valueOf(r, t, depth, risky)
		if ok {
			x.uses = append(x.uses, y.uses...)
			x.risks += y.risks
			x.mag, x.reads = max(x.mag, y.mag), x.reads || y.reads
		}
		return y, ok
	}
	switch g.IntN(4) {
	case 0:
		cond, ok1 := take(datatype.Boolean)
		then, ok2 := take(t)
		els, ok3 := take(t)
		if !ok1 || !ok2 || !ok3 {
			return x, false
		}
		if x.risks > 0 && r.same(then, els) {
			return x, false
		}
		x.v = expr.If(cond.v.AsBoolean(), then.v, els.v)
		x.uses = append(x.uses, "If")
	case 1:
		c := expr.Case()
		var thens []sv
		for range 1 + g.IntN(2) {
			cond, ok1 := take(datatype.Boolean)
			then, ok2 := take(t)
			if !ok1 || !ok2 {
				return x, false
			}
			c, thens = c.When(cond.v.AsBoolean(), then.v), append(thens, then)
		}
		if x.v = c.End(); g.chance(0.6) {
			els, ok := take(t)
			if !ok {
				return x, false
			}
			if x.risks > 0 && slices.ContainsFunc(thens, func(then sv) bool { return r.same(then, els) }) {
				return x, false
			}
			x.v = c.Else(els.v)
		}
		x.uses = append(x.uses, "Case")
	case 2:
		from, ok := take(pickOf(g, valuesFields()).Type)
		if !ok || t.Kind() >= datatype.KindArray {
			return x, false
		}
		x.v = from.v.TryCast(t)
		x.mark = unknown(t)
		x.uses = append(x.uses, "TryCast of a value")
	default:
		from, ok := take(pickOf(g, valuesFields()).Type)
		if !ok || t.Kind() >= datatype.KindArray {
			return x, false
		}
		if !widens(from, t) {
			if !risky || !from.reads {
				return x, false
			}
			x.risks++
		}
		x.v = from.v.Cast(t)
		x.uses = append(x.uses, "Cast of a value")
		if !datatype.IsIntegral(from.typ) || !datatype.IsIntegral(t) {
			x.mark = unknown(t)
		}
	}
	var ok bool
	x.typ, ok = r.typed(x.v)
	if ok && hasFloat(x.typ) {
		x.inexact, x.signed = true, true
	}
	return x, ok
}

// same tells that two values are written alike. Spark throws a condition away where it decides nothing, whatever it may raise, unless it computes the rows of a
// table that is written down before it comes to that (SimplifyConditionals, ConvertToLocalRelation): whether IF(x, a, a) raises depends on the plan.
func (r *rel) same(a, b sv) bool {
	return r.t.Select(a.v.As("x")).String() == r.t.Select(b.v.As("x")).String()
}

// widens tells that a cast fails for no value.
func widens(from sv, to datatype.Type) bool {
	a, b := from.typ, to
	switch {
	case datatype.IsIntegral(a) && datatype.IsIntegral(b):
		return from.mag < unknown(b).mag
	case datatype.IsNumeric(a) && (b.Kind() == datatype.KindDouble || b.Kind() == datatype.KindFloat || b.Kind() == datatype.KindBoolean):
		return true
	case b.Kind() == datatype.KindString:
		return a.Kind() != datatype.KindBinary || from.column
	case a.Kind() == datatype.KindDate:
		return b.Kind() == datatype.KindTimestampNTZ || b.Kind() == datatype.KindTimestamp
	case a.Kind() == datatype.KindTimestamp || a.Kind() == datatype.KindTimestampNTZ:
		return b.Kind() == datatype.KindDate || b.Kind() == datatype.KindTimestampNTZ
	case a.Kind() == datatype.KindBoolean:
		return datatype.IsIntegral(b)
	}
	return false
}

// shape chooses an argument list, mostly one for which the table has columns: a constant says little.
func (g *gen) shape(r *rel, fn *randomFn) (shape, bool) {
	constants := fn.constant || g.chance(0.06)
	for range 6 {
		s := pickOf(g, fn.shapes)
		if constants || !s.constant && !slices.ContainsFunc(s.args, func(a any) bool {
			c, ok := a.(col)
			return ok && len(r.where(alike(typeOfColumn(c)))) == 0
		}) {
			return s, true
		}
	}
	return pickOf(g, fn.shapes), g.chance(0.1)
}

// alike tells of a column that can stand for a value of a type.
func alike(t datatype.Type) func(c rcol) bool {
	return func(c rcol) bool {
		return !c.opaque && (c.typ.Kind() == t.Kind() && (t.Kind() < datatype.KindArray || datatype.EqualIgnoringNulls(c.typ, t)) || datatype.IsNumeric(t) && datatype.IsNumeric(c.typ))
	}
}

// typeOfColumn is the type of a column of [Values].
func typeOfColumn(c col) datatype.Type {
	for _, f := range valuesFields() {
		if f.Name == string(c) {
			return f.Type
		}
	}
	panic("conformance: no column " + string(c)) // invariant: the argument lists are constants of the tests
}

var valuesFields = sync.OnceValue(func() []datatype.Field { return mustFields(valuesSchema) })

// call gives a call of a function.
func (g *gen) call(r *rel, fn *randomFn, depth int, risky bool) (sv, bool) {
	s, ok := g.shape(r, fn)
	if !ok {
		return sv{}, false
	}
	x := sv{uses: []string{fn.f.Name}}
	if fn.risky && risky {
		x.risks++
	}
	if fn.f.Group == "operator" || fn.f.Group == "null" {
		x.vary = 0.3
	}
	if fn.f.Name == "nullif" {
		x.vary = 0.7 // what it does with a null on the right shows only there
	}
	args, vals, ok := g.arguments(r, s, depth-1, risky, &x)
	if !ok {
		return x, false
	}
	if risky && x.risks > 0 && !slices.ContainsFunc(vals, func(v sv) bool { return v.reads }) && !s.reads {
		return x, false // Spark computes a constant while it plans, or does not where a table is empty
	}
	if x.risks > 0 && slices.Contains(s.args, nil) && fn.f.Name != "to_binary" { // which looks at a NULL before its text
		return x, false // whether a literal NULL decides before an operand raises depends on the plan (docs/differences.md)
	}
	if fn.f.Name == "nvl2" && x.risks > 0 && vals[1].typ != nil && vals[2].typ != nil && r.same(vals[1], vals[2]) {
		return x, false
	}
	x.reads = s.reads || slices.ContainsFunc(vals, func(v sv) bool { return v.reads })
	if x.mark = unknown(s.typ); fn.risky && !risky {
		if !g.harmless(fn.f.Name, vals, &x) {
			return x, false
		}
	}
	x.v = expr.Call[expr.AnyValue](fn.f.Name, args...)
	if x.typ, ok = r.typed(x.v); !ok {
		return x, false
	}
	if m := unknown(x.typ); x.mag > m.mag {
		x.mag = m.mag
		if fn.risky && !risky && datatype.IsIntegral(x.typ) {
			return x, false // it may overflow
		}
	} else {
		x.inexact, x.signed = m.inexact, m.signed
	}
	if bound, ok := smallResults[fn.f.Name]; ok {
		x.mag = bound
	}
	if d, ok := x.typ.(datatype.Decimal); ok && fn.risky && !risky && d.Precision >= datatype.MaxPrecision {
		return x, false
	}
	return x, true
}

// smallResults bound the results of some functions of whole numbers.
var smallResults = map[string]float64{"length": 1e4, "size": 1e4, "array_size": 1e4, "instr": 1e4, "year": 1e4, "month": 12, "day": 31, "hour": 24, "minute": 60, "second": 60, "quarter": 4, "dayofweek": 7, "weekofyear": 53, "bit_count": 64, "octet_length": 1e4, "array_position": 1e4}

func (g *gen) arguments(r *rel, s shape, depth int, risky bool, x *sv) (args []any, vals []sv, ok bool) {
	for i, a := range s.args {
		c, isCol := a.(col)
		if t := literalType(a); i > 0 && t != nil && x.vary > 0 && g.chance(x.vary) {
			if v, ok := g.leafOf(r, t, false); ok {
				args, vals = append(args, v.v), append(vals, v)
				continue
			}
		}
		if !isCol {
			args, vals = append(args, a), append(vals, sv{mark: mark{mag: literalSize(a)}, column: true})
			continue
		}
		v, ok := g.valueOf(r, typeOfColumn(c), depth, risky)
		if !ok {
			return nil, nil, false
		}
		x.uses, x.risks = append(x.uses, v.uses...), x.risks+v.risks
		args, vals = append(args, v.v), append(vals, v)
	}
	return args, vals, true
}

// literalType is the type of a literal that a column can stand for.
func literalType(a any) datatype.Type {
	switch a.(type) {
	case int:
		return datatype.Int
	case float64:
		return datatype.Double
	case string:
		return datatype.String
	}
	return nil
}

func literalSize(a any) float64 {
	switch n := a.(type) {
	case int:
		return math.Abs(float64(n))
	case int64:
		return math.Abs(float64(n))
	}
	return math.MaxFloat64
}

// harmless tells whether a call of a function that may raise does not, and bounds its result.
func (g *gen) harmless(name string, args []sv, x *sv) bool {
	mag := func(i int) float64 { return args[i].mag }
	switch name {
	case "+", "-":
		x.mag = mag(0) + mag(1)
	case "*":
		x.mag = mag(0) * mag(1)
	case "negative", "abs":
		x.mag = mag(0) + 1
	case "date_add", "date_sub", "add_months":
		return mag(1) <= 1000 && args[0].column
	case "%", "pmod", "/", "div":
		return args[1].typ == nil && mag(1) > 0 // a literal that is not zero
	default:
		return false
	}
	return true
}

// condition gives a boolean value of a table.
func (g *gen) condition(r *rel) (expr.BooleanValue, bool) {
	for range 4 {
		if x, ok := g.valueOf(r, datatype.Boolean, 2, false); ok && x.typ.Kind() == datatype.KindBoolean && (!x.column || g.chance(0.2)) {
			g.use(x.uses...)
			return x.v.AsBoolean(), true
		}
		// A comparison of a column is likely to keep some of the rows.
		if cols := r.where(plain); len(cols) > 0 && g.chance(0.5) {
			c := r.column(pickOf(g, cols))
			d, ok := g.leafOf(r, c.typ, true)
			if !ok {
				continue
			}
			v := expr.Call[expr.AnyValue](pickOf(g, []string{"=", "<", "<=", ">", ">=", "<>", "<=>"}), c.v, d.v)
			if t, ok := r.typed(v); ok && t.Kind() == datatype.KindBoolean {
				return v.AsBoolean(), true
			}
		}
	}
	return expr.BooleanValue{}, false
}

// anything gives a value by a function chosen among all.
func (g *gen) anything(r *rel, risky bool) (sv, bool) {
	fns := randomFunctions().scalars
	if w := g.b.wanted; w != nil && (!w.risky || risky) && g.chance(0.8) {
		for range 4 {
			if x, ok := g.call(r, w, 2, risky); ok {
				return x, true
			}
		}
	}
	for range 12 {
		fn := pickOf(g, fns)
		if risky && !fn.risky && g.chance(0.8) {
			continue
		}
		if g.chance(0.08) {
			if x, ok := g.choice(r, pickOf(g, valuesFields()).Type, 2, risky); ok {
				return x, true
			}
		}
		if x, ok := g.call(r, fn, 2, risky); ok {
			return x, true
		}
	}
	return sv{}, false
}

// Aggregates by what their answer depends on.
var (
	// ofOrder depend on the order of the rows; in a total order their answer is fixed.
	ofOrder = map[string]bool{"first": true, "last": true, "first_value": true, "last_value": true, "collect_list": true, "min_by": true, "max_by": true}
	// ofDigits have last digits that depend on how rows are spread and put together.
	ofDigits = map[string]bool{"stddev": true, "stddev_pop": true, "variance": true, "var_pop": true, "skewness": true, "kurtosis": true, "corr": true, "covar_pop": true, "covar_samp": true, "regr_avgx": true, "regr_avgy": true,
		"regr_intercept": true, "regr_r2": true, "regr_slope": true, "regr_sxx": true, "regr_sxy": true, "regr_syy": true}
	// ofValues put numbers together, so that these must be small and exact.
	ofValues = map[string]bool{"sum": true, "avg": true, "median": true, "percentile": true, "percentile_cont": true, "percentile_disc": true}
)

// aggregateOf gives an aggregate of a table: of groups, or of frames in a total order where ordered is true.
func (g *gen) aggregateOf(r *rel, ordered, near bool) (sv, bool) {
	for range 12 {
		fn := pickOf(g, randomFunctions().aggregates)
		name := fn.f.Name
		if near != ofDigits[name] || ofOrder[name] && !ordered {
			continue
		}
		s, ok := g.shape(r, fn)
		if !ok {
			continue
		}
		if name == "percentile" && len(s.args) > 2 {
			continue // a negative frequency raises
		}
		x := sv{uses: []string{name}}
		depth := g.IntN(2)
		if near {
			depth = 0
		}
		args, vals, ok := g.arguments(r, s, depth, false, &x)
		if !ok {
			continue
		}
		if slices.ContainsFunc(vals, func(v sv) bool {
			return v.opaque || ofValues[name] && (v.inexact || v.typ != nil && datatype.IsInterval(v.typ) && !v.column || v.mag > 1<<40 && v.typ != nil && datatype.IsIntegral(v.typ)) || (name == "min" || name == "max") && v.signed
		}) {
			continue
		}
		v := expr.Call[expr.AnyValue](name, args...)
		t := r.t.Agg(v.As("x"))
		if t.Err() != nil || isUntyped(t.Schema().Field(0).Type) {
			continue
		}
		x.v, x.typ = v, t.Schema().Field(0).Type
		if d, ok := x.typ.(datatype.Decimal); ok && d.Precision >= datatype.MaxPrecision && ofValues[name] {
			continue // it may overflow
		}
		x.mark = unknown(x.typ)
		if name == "count" || name == "count_if" || name == "regr_count" || name == "approx_count_distinct" {
			x.mag = 1e6
		}
		if name == "sum" && datatype.IsIntegral(x.typ) {
			x.mag = vals[0].mag * 1e4
		}
		return x, true
	}
	return sv{}, false
}
