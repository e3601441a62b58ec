// Package patterns_test is the code of docs/patterns.md, and shows that it runs: as a batch, and as a stream epoch by epoch.
package patterns_test

import (
	"context"
	"fmt"
	"log"
	"testing"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/pattern"
	"github.com/spoonbill-go/spoonbill/streamtest"
)

type tick struct {
	Symbol string    `spoonbill:"symbol"`
	At     time.Time `spoonbill:"at"`
	Price  float64   `spoonbill:"price"`
}

type dip struct {
	Symbol *string    `spoonbill:"symbol"`
	Since  *time.Time `spoonbill:"since"`
	Until  *time.Time `spoonbill:"until"`
	Bottom *float64   `spoonbill:"bottom"`
	Falls  int64      `spoonbill:"falls"`
}

// dips finds prices that fall, once or more, and then rise above where they began, all within an hour.
func dips(ticks expr.Table) expr.Table {
	start, down, up, back := pattern.Var("start"), pattern.Var("down"), pattern.Var("up"), pattern.Var("back")
	price, at := ticks.Num("price"), ticks.Timestamp("at")
	return pattern.In(ticks.Watermark("at", 10*time.Second)).
		PartitionBy("symbol").
		OrderBy("at").
		Pattern(start, down.OneOrMore(), up.ZeroOrMore().Reluctant(), back).
		Define(down, price.Lt(pattern.Prev(price))).
		Define(up, price.Ge(pattern.Prev(price))).
		Define(back, price.Gt(pattern.First(start, price))).
		Within(time.Hour).
		Measures(
			pattern.First(start, at).As("since"),
			at.As("until"),
			pattern.Last(down, price).As("bottom"),
			pattern.Count(down).As("falls"),
		)
}

func clock(minute, second int) time.Time {
	return time.Date(2024, 1, 1, 10, minute, second, 0, time.UTC)
}

func Example() {
	ctx := context.Background()
	session, err := local.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	var ticks []tick
	for i, p := range []float64{20, 18, 15, 17, 19, 21, 20, 22} {
		ticks = append(ticks, tick{"IBIS", clock(i, 0), p})
	}
	for d, err := range backend.Rows[dip](ctx, session, dips(expr.Memtable("ticks", ticks))) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(*d.Symbol, d.Since.Format(time.TimeOnly), d.Until.Format(time.TimeOnly), *d.Bottom, d.Falls)
	}
	// Output:
	// IBIS 10:00:00 10:05:00 15 2
}

func TestDips(t *testing.T) {
	streamtest.Run(t, func(s *streamtest.Script) {
		ticks := streamtest.NewInput[tick](s, "ticks")
		s.Query(dips(ticks.Table()), expr.Append)

		// Rows may come in any order within the delay.
		ticks.Add(tick{"IBIS", clock(0, 4), 15}, tick{"IBIS", clock(0, 0), 20}, tick{"IBIS", clock(0, 2), 18})
		s.Step().WantNoRows()
		ticks.Add(tick{"IBIS", clock(0, 9), 21}, tick{"IBIS", clock(0, 30), 21})
		s.Step().WantNoRows()
		symbol, since, until, bottom := "IBIS", clock(0, 0), clock(0, 9), 15.0
		s.Step().WantRows(dip{&symbol, &since, &until, &bottom, 2}).WantState(2) // a row that waits, and its key
		ticks.Add(tick{"IBIS", clock(0, 10), 1})                                 // too late
		s.Step().WantNoRows().WantLate(1)
	}, streamtest.Local())
}
