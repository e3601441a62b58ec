// Package streamtest shows a test of a streaming query that runs offline, and on Spark where there is one.
package streamtest

import (
	"testing"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/streamtest"
	"github.com/spoonbill-go/spoonbill/window"
)

type order struct {
	At    time.Time `spoonbill:"at"`
	Item  string    `spoonbill:"item"`
	Count int64     `spoonbill:"count"`
}

type total struct {
	Minute time.Time `spoonbill:"minute"`
	Item   string    `spoonbill:"item"`
	Total  int64     `spoonbill:"total"`
}

// perMinute is the query under test: what was ordered in each minute, final 10 seconds behind its end.
func perMinute(orders expr.Table) expr.Table {
	o := orders.Watermark("at", 10*time.Second)
	minutes := o.GroupBy(window.Tumbling(o.Timestamp("at"), time.Minute), "item").Agg(o.Num("count").Sum().As("total"))
	return minutes.Select(minutes.Window("window").Start().As("minute"), "item", "total")
}

func clock(minute, second int) time.Time {
	return time.Date(2024, 1, 1, 10, minute, second, 0, time.UTC)
}

func TestPerMinute(t *testing.T) {
	streamtest.Run(t, func(s *streamtest.Script) {
		orders := streamtest.NewInput[order](s, "orders")
		s.Query(perMinute(orders.Table()), expr.Append)

		orders.Add(order{clock(0, 5), "tea", 2}, order{clock(0, 50), "tea", 3})
		s.Step().WantNoRows().WantWatermark(clock(0, 40))
		orders.Add(order{clock(0, 45), "tea", 4}, order{clock(1, 20), "milk", 1}) // the first within the delay
		s.Step().WantNoRows().WantState(2)
		s.Step().WantRows(total{clock(0, 0), "tea", 9})
		orders.Add(order{clock(0, 59), "tea", 9}) // too late
		s.Step().WantNoRows().WantLate(1)
	})
}
