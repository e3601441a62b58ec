package conformance

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/selectors"
	"github.com/spoonbill-go/spoonbill/window"
)

// zeroRow is a row for types and functions that take one.
type zeroRow struct {
	A int64
	S string
}

// zeroCalls calls functions with zero arguments and looks at what they give.
type zeroCalls struct {
	t     *testing.T
	table expr.Table
	// zeros are zero values of the exported types, for parameters that are interfaces.
	zeros []reflect.Value
	// operands are the interfaces that a parameter of any type is looked at for.
	operands []reflect.Type
	seen     map[string]bool
	calls    int
}

var (
	contextType = reflect.TypeFor[context.Context]()
	errorType   = reflect.TypeFor[error]()
)

// all calls f with zero arguments: without and with a variadic one, with a nil context and another, and with each zero value for a parameter that is an interface.
func (z *zeroCalls) all(name string, f reflect.Value) {
	t := f.Type()
	base := make([]reflect.Value, t.NumIn())
	for i := range base {
		base[i] = reflect.Zero(t.In(i))
		if t.In(i) == contextType {
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			defer cancel()
			base[i] = reflect.ValueOf(ctx)
		}
	}
	fixed := len(base)
	if t.IsVariadic() {
		fixed--
	}
	z.call(name, f, base[:fixed])
	if t.IsVariadic() {
		one := reflect.Zero(t.In(fixed).Elem())
		z.call(name+" of one more", f, append(slices.Clone(base[:fixed]), one))
	}
	for i := range base {
		in, at := t.In(i), slices.Clone(base[:fixed])
		if i == fixed {
			in, at = in.Elem(), append(at, reflect.Value{})
		}
		if in == contextType {
			at[i] = reflect.Zero(in)
			z.call(name+" without a context", f, at)
			continue
		}
		if in.Kind() != reflect.Interface {
			continue
		}
		for _, v := range z.zeros {
			if in.NumMethod() == 0 && !slices.ContainsFunc(z.operands, v.Type().AssignableTo) {
				continue // what takes anything tells apart what stands for values and columns alone
			}
			if v.Type().Implements(in) {
				at[i] = v
				z.call(fmt.Sprintf("%s of %s", name, v.Type()), f, at)
			}
		}
	}
}

func (z *zeroCalls) call(name string, f reflect.Value, args []reflect.Value) {
	defer func() {
		if p := recover(); p != nil {
			where := "?"
			for l := range strings.Lines(string(debug.Stack())) {
				if l = strings.TrimSpace(l); strings.Contains(l, ".go:") && !strings.Contains(l, "/runtime/") && !strings.Contains(l, "/reflect/") && !strings.Contains(l, "zero_test.go") && !strings.Contains(l, "runtime/debug") {
					where = l
					break
				}
			}
			if z.seen[where] {
				return
			}
			z.seen[where] = true
			z.t.Errorf("%s: %v\n\t%s", name, p, where)
		}
	}()
	z.calls++
	for _, out := range f.Call(args) {
		z.look(name, out)
	}
}

// look uses a result as its reader would.
func (z *zeroCalls) look(name string, v reflect.Value) {
	if v.Type() == errorType {
		if err, ok := v.Interface().(error); ok {
			if text := err.Error(); text == "" || strings.Contains(text, "fault of the program") {
				z.t.Errorf("%s: the error is %q", name, text)
			}
		}
		return
	}
	switch x := v.Interface().(type) {
	case expr.Table:
		_, _ = x.Relation()
	case expr.Write:
		_, _ = x.Tree()
	case expr.Value:
		_ = z.table.Select(x).Err()
	case fmt.Stringer:
		if v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface {
			_ = x.String()
		}
	}
	switch t := v.Type(); {
	case t.CanSeq2() && t.Kind() == reflect.Func && !v.IsNil():
		for range v.Seq2() {
			break
		}
	case t.CanSeq() && t.Kind() == reflect.Func && !v.IsNil():
		for range v.Seq() {
			break
		}
	case t.Kind() == reflect.Interface && !v.IsNil() && t.PkgPath() == "github.com/spoonbill-go/spoonbill/backend":
		z.methods(name+" → "+t.Name(), v)
	}
}

// methods calls every method. Those of a value through a nil pointer are Go's own panic, and left out.
func (z *zeroCalls) methods(name string, v reflect.Value) {
	var order []int
	for i := range v.NumMethod() {
		order = append(order, i)
	}
	// What ends it comes last, so that the others are called on what is alive.
	ends := func(i int) bool {
		return slices.Contains([]string{"Close", "Stop", "Release"}, v.Type().Method(i).Name)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(map[bool]int{true: 1}[ends(a)], map[bool]int{true: 1}[ends(b)]) })
	for _, i := range order {
		m := v.Type().Method(i)
		if v.Kind() == reflect.Pointer && v.IsNil() {
			if _, ok := v.Type().Elem().MethodByName(m.Name); ok {
				continue
			}
		}
		z.all(name+"."+m.Name, v.Method(i))
	}
}

// Whatever is nil or was never made gives an error or a zero value, and no panic: every exported function with zero arguments, and every exported method on the zero
// value, on the nil pointer and on tables and values that are there.
func TestNothingPanicsOnZeroValues(t *testing.T) {
	z := &zeroCalls{t: t, seen: map[string]bool{}, operands: []reflect.Type{reflect.TypeFor[expr.Value](), reflect.TypeFor[expr.Selector](), reflect.TypeFor[expr.Ordering]()}, table: expr.Memtable("t", []zeroRow{{1, "a"}})}
	names := zeroNames()
	for _, x := range names {
		if v := reflect.ValueOf(x); v.Kind() == reflect.Pointer {
			z.zeros = append(z.zeros, v.Elem(), v, reflect.Zero(v.Type()))
		}
	}
	for _, x := range names {
		v := reflect.ValueOf(x)
		if v.Kind() == reflect.Func {
			z.all(strings.TrimPrefix(runtime.FuncForPC(v.Pointer()).Name(), "github.com/spoonbill-go/spoonbill/"), v)
			continue
		}
		name := v.Type().Elem().String()
		z.methods(name, reflect.New(v.Type().Elem()))
		z.methods("nil *"+name, reflect.Zero(v.Type()))
	}
	tbl := z.table
	for _, x := range []any{
		tbl, tbl.GroupBy("A"), tbl.Num("A"), tbl.Str("S"), tbl.Col("A"), tbl.Num("A").Gt(1), tbl.Num("A").Sum(), expr.Case(), window.Over(), tbl.WriteTo(connectors.Noop()),
		expr.Rollup("A"), expr.TableOf[zeroRow](tbl), selectors.All(), connectors.NewMemorySink(), connectors.NewMemoryStreamDDL("a INT"),
	} {
		z.methods(fmt.Sprintf("a %T", x), reflect.ValueOf(x))
	}
	s, err := local.Open()
	require.NoError(t, err)
	defer s.Close()
	in := connectors.NewMemoryStreamDDL("a INT, at TIMESTAMP")
	q, err := s.Start(context.Background(), expr.Read("in", in).Watermark("at", time.Second).GroupBy(window.Tumbling(expr.Timestamp("at"), time.Minute)).Agg(expr.Count().As("n")).
		WriteTo(connectors.NewMemorySink()))
	require.NoError(t, err)
	z.zeros = append(z.zeros, reflect.ValueOf(q))
	z.all("local.ExplainWindow of a query", reflect.ValueOf(local.ExplainWindow))
	z.methods("a query", reflect.ValueOf(q))
	z.methods("a session", reflect.ValueOf(s))
	t.Logf("%d calls", z.calls)
}
