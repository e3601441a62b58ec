// Package streamsoffline shows what a stream can do offline and not on Spark: a join with the version of its time, the nearest row of another stream, and windows over rows.
package streamsoffline

import (
	"testing"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/streamtest"
	"github.com/spoonbill-go/spoonbill/window"
)

type order struct {
	At       time.Time `spoonbill:"at"`
	Currency string    `spoonbill:"currency"`
	Amount   int64     `spoonbill:"amount"`
}

type rate struct {
	Currency string    `spoonbill:"currency"`
	Since    time.Time `spoonbill:"since"`
	Rate     *int64    `spoonbill:"rate"` // null from when the currency is traded no more
}

// inDollars values each order at the rate of its time.
func inDollars(orders, rates expr.Table) expr.Table {
	o, r := orders.Watermark("at", 10*time.Second), rates.Watermark("since", 10*time.Second)
	versions := r.Versioned("since", "currency").DeletedWhere(r.Num("rate").IsNull())
	j := o.TemporalJoin(versions, "at")
	return j.Select("at", "currency", j.Num("amount").Mul(j.Num("rate")).As("dollars"))
}

// priced gives each trade the quote before it, and the one nearest to it.
func priced(trades, quotes expr.Table) (before, around expr.Table) {
	t, q := trades.Watermark("at", time.Second), quotes.Watermark("at", time.Second)
	before = t.AsofJoin(q, "at", "symbol", expr.AsofTolerance(time.Minute))
	around = t.AsofJoin(q, "at", "symbol", expr.AsofNearest(), expr.AsofTolerance(5*time.Second))
	return before, around
}

// lastMinute adds up each currency's orders of the minute before, and tells what was ordered last.
func lastMinute(orders expr.Table) expr.Table {
	o := orders.Watermark("at", 10*time.Second)
	before := window.Over().GroupBy("currency").OrderBy("at")
	return o.Select("at", "currency",
		o.Num("amount").Sum().Over(before.Range(window.Preceding(time.Minute), window.CurrentRow())).As("minute"),
		o.Num("amount").Lag().Over(before).As("last"))
}

func clock(minute, second int) time.Time {
	return time.Date(2024, 1, 1, 10, minute, second, 0, time.UTC)
}

func per(n int64) *int64 { return &n }

func TestInDollars(t *testing.T) {
	type row struct {
		At       time.Time `spoonbill:"at"`
		Currency string    `spoonbill:"currency"`
		Dollars  int64     `spoonbill:"dollars"`
	}
	streamtest.Run(t, func(s *streamtest.Script) {
		orders, rates := streamtest.NewInput[order](s, "orders"), streamtest.NewInput[rate](s, "rates")
		s.Query(inDollars(orders.Table(), rates.Table()), expr.Append)

		rates.Add(rate{"EUR", clock(0, 0), per(2)}, rate{"EUR", clock(0, 30), per(3)}, rate{"EUR", clock(0, 50), nil})
		orders.Add(order{clock(0, 20), "EUR", 10}, order{clock(0, 30), "EUR", 10}, order{clock(0, 55), "EUR", 10})
		s.Step().WantNoRows().WantWatermark(clock(0, 40))
		s.Step().WantRows(row{clock(0, 20), "EUR", 20}, row{clock(0, 30), "EUR", 30}).WantState(3) // an order, and the rates that it may have
		rates.Add(rate{"EUR", clock(2, 0), per(4)})
		orders.Add(order{clock(2, 0), "EUR", 10})
		s.Step().WantNoRows()
		s.Step().WantNoRows() // at 10:00:55 there was no rate
	}, streamtest.Local())
}

type trade struct {
	At     time.Time `spoonbill:"at"`
	Symbol string    `spoonbill:"symbol"`
}

type quote struct {
	At     time.Time `spoonbill:"at"`
	Symbol string    `spoonbill:"symbol"`
	Price  int64     `spoonbill:"price"`
}

func TestPriced(t *testing.T) {
	type row struct {
		At    time.Time `spoonbill:"at"`
		Price int64     `spoonbill:"price"`
	}
	for around, want := range map[bool]int64{false: 10, true: 11} {
		streamtest.Run(t, func(s *streamtest.Script) {
			trades, quotes := streamtest.NewInput[trade](s, "trades"), streamtest.NewInput[quote](s, "quotes")
			table, nearest := priced(trades.Table(), quotes.Table())
			if around {
				table = nearest
			}
			s.Query(table.Select("at", "price"), expr.Append)
			quotes.Add(quote{clock(0, 0), "S", 10}, quote{clock(0, 7), "S", 11}, quote{clock(1, 0), "S", 12})
			trades.Add(trade{clock(0, 5), "S"}, trade{clock(1, 0), "T"})
			s.Step().WantNoRows()
			s.Step().WantRows(row{clock(0, 5), want})
		}, streamtest.Local())
	}
}

func TestLastMinute(t *testing.T) {
	type row struct {
		At       time.Time `spoonbill:"at"`
		Currency string    `spoonbill:"currency"`
		Minute   int64     `spoonbill:"minute"`
		Last     *int64    `spoonbill:"last"`
	}
	streamtest.Run(t, func(s *streamtest.Script) {
		orders := streamtest.NewInput[order](s, "orders")
		s.Query(lastMinute(orders.Table()), expr.Append)

		orders.Add(order{clock(0, 30), "EUR", 2}, order{clock(0, 0), "EUR", 1}) // in another order than in time
		s.Step().WantNoRows().WantWatermark(clock(0, 20))
		orders.Add(order{clock(1, 20), "EUR", 4})
		s.Step().WantRows(row{clock(0, 0), "EUR", 1, nil})
		s.Step().WantRows(row{clock(0, 30), "EUR", 3, per(1)})
		orders.Add(order{clock(3, 0), "EUR", 8}, order{clock(0, 40), "EUR", 9}) // the second is too late
		s.Step().WantNoRows().WantLate(1)
		s.Step().WantRows(row{clock(1, 20), "EUR", 6, per(2)})
	}, streamtest.Local())
}
