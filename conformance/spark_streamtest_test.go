//go:build conformance

package conformance

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/streamtest"
	"github.com/spoonbill-go/spoonbill/window"
)

// One script of the test kit, typed by structs, wants the same of Spark and of the local engine, in each output mode; what runs offline only is refused.
func TestStreamTestOnSpark(t *testing.T) {
	s := connect(t, sparkconnect.Config("spark.sql.shuffle.partitions", "1"))
	targets := []streamtest.Target{streamtest.Local(), streamtest.Spark(s, env.Dir(t))}
	type order struct {
		At   *time.Time `spoonbill:"at"`
		Item *string    `spoonbill:"item"`
		Cost string     `spoonbill:"cost,decimal(10,2)"`
		Tags []string   `spoonbill:"tags"`
	}
	type total struct {
		Item *string
		N    int64
		Cost string `spoonbill:",decimal(20,2)"`
	}
	clock := func(second int) *time.Time {
		at := time.Date(2024, 1, 1, 10, 0, second, 0, time.UTC)
		return &at
	}
	tea := "tea"
	for _, mode := range []expr.OutputMode{expr.Append, expr.Update, expr.Complete} {
		t.Run(mode.String(), func(t *testing.T) {
			streamtest.Run(t, func(s *streamtest.Script) {
				orders := streamtest.NewInput[order](s, "orders")
				o := orders.Table().Watermark("at", 10*time.Second)
				w := o.GroupBy(window.Tumbling(o.Timestamp("at"), time.Minute), "item").Agg(expr.Count().As("n"), o.Num("cost").Sum().As("cost"))
				s.Query(w.Drop("window"), mode)
				orders.Add(order{clock(5), &tea, "1.25", []string{"x"}}, order{clock(20), &tea, "0.50", nil}, order{nil, &tea, "9", nil}, order{clock(1), nil, "2", nil})
				first := s.Step().WantWatermark(*clock(10)).WantState(2).WantLate(0)
				s.Step().WantState(2)
				orders.Add(order{clock(200), nil, "3", nil})
				s.Step().WantWatermark(*clock(190))
				next := s.Step()
				orders.Add(order{clock(30), &tea, "7", nil})
				last := s.Step()
				all := []any{total{&tea, 2, "1.75"}, total{nil, 1, "2.00"}}
				switch mode {
				case expr.Append:
					first.WantNoRows()
					next.WantRows(all...).WantState(1)
					last.WantNoRows().WantLate(1)
				case expr.Update:
					first.WantRows(all...)
					next.WantNoRows().WantState(1)
					last.WantNoRows().WantLate(1)
				default:
					first.WantRows(all...)
					last.WantRows(total{&tea, 3, "8.75"}, total{nil, 1, "2.00"}, total{nil, 1, "3.00"}).WantLate(0).WantState(3)
				}
			}, targets...)
		})
	}
	_, err := streamtest.Play(t.Context(), targets[1], func(s *streamtest.Script) {
		in := streamtest.NewInput[order](s, "orders")
		s.Query(in.Table(), expr.Append)
		s.Advance(time.Minute)
		s.Step()
	})
	require.ErrorContains(t, err, "Spark's clock is the server's")
	// A query that fails on Spark is the script's error.
	_, err = streamtest.Play(t.Context(), targets[1], func(s *streamtest.Script) {
		in := streamtest.NewInputDDL(s, "a", "n INT")
		s.Query(in.Table().Select(expr.Lit(1).AsNumeric().Div(in.Table().Num("n")).As("x")), expr.Append)
		in.Add([]any{0})
		s.Step()
	})
	require.ErrorContains(t, err, "DIVIDE_BY_ZERO")
}
