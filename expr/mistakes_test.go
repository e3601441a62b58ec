package expr_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/window"
)

// Each mistake names its operator and a way out, and what it is about.
func TestMistakesHaveAWayOut(t *testing.T) {
	fields := func(ddl string) expr.Table {
		return expr.Read("t", connectors.FromJSON("/in", connectors.RowsDDL(ddl)))
	}
	p := fields("at TIMESTAMP, n INT")
	at := p.Timestamp("at")
	for name, c := range map[string]struct {
		err                   error
		operator, texts, hint string
	}{
		"union":             {p.Select("n").Union(fields("m ARRAY<INT>")).Err(), "Union", "m, is ARRAY<INT>", "Cast one"},
		"size of nothing":   {p.Mutate(window.Tumbling(at, 0).As("w")).Err(), "window", "above zero", "time.Minute"},
		"a nanosecond":      {p.Mutate(window.Tumbling(at, time.Nanosecond).As("w")).Err(), "window", "microseconds", "time.Microsecond"},
		"slide too long":    {p.Mutate(window.Sliding(at, time.Second, time.Minute).As("w")).Err(), "window", "longer", "window.Tumbling"},
		"offset too long":   {p.Mutate(window.Tumbling(at, time.Second, time.Minute).As("w")).Err(), "window", "offset", "remainder"},
		"step of nothing":   {p.Mutate(window.Cumulate(at, time.Hour, 0).As("w")).Err(), "cumulative_window", "above zero", "time.Minute"},
		"gap of nothing":    {p.Mutate(window.Session(at, 0).As("w")).Err(), "session_window", "above zero", "time.Minute"},
		"zero join option":  {p.Join(p.View(), "n", expr.JoinOption{}).Err(), "Join", "zero JoinOption", "expr.LName"},
		"trigger":           {writeErr(p.WriteTo(connectors.Noop()).Trigger(expr.ProcessingTime(time.Microsecond))), "ProcessingTime", "milliseconds", "500*time.Millisecond"},
		"zero trigger":      {writeErr(p.WriteTo(connectors.Noop()).Trigger(expr.Continuous(0))), "Continuous", "above zero", "500*time.Millisecond"},
		"zero files":        {expr.Read("x", connectors.Files{}).Err(), "", "never made", "FromParquet"},
		"zero sink":         {writeErr(p.WriteTo(connectors.Files{})), "", "source", ""},
		"zero stream":       {expr.Read("x", &connectors.MemoryStream{}).Err(), "", "never made", "NewMemoryStream"},
		"zero across":       {p.Mutate(expr.AcrossValue{}).Err(), "Across", "never made", "expr.Across"},
		"nil of a selector": {p.Select((*nilSelector)(nil)).Err(), "", "selector is nil", "package selectors"},
	} {
		var e *condition.Error
		require.ErrorAs(t, c.err, &e, name)
		require.Equal(t, c.operator, e.Operator, "%s: %v", name, e)
		require.Contains(t, e.Error(), c.texts, name)
		require.Contains(t, e.Hint, c.hint, name)
		require.Contains(t, e.Error(), "mistakes_test.go:", name)
	}
}

func writeErr(w expr.Write) error {
	_, err := w.Tree()
	return err
}

type nilSelector struct{}

// Pick implements [expr.Selector].
func (*nilSelector) Pick(*expr.Schema) ([]int, error) { panic("a nil selector is asked") }

// String implements [expr.Selector].
func (*nilSelector) String() string { return "nil" }
