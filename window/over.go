package window

import "github.com/spoonbill-go/spoonbill/expr"

// Over is a window of all rows, to be narrowed by GroupBy, OrderBy, Rows and Range and given to the Over method of a value:
//
//	price.Mean().Over(window.Over().GroupBy("shop").OrderBy("day").Rows(window.Preceding(6), window.CurrentRow()))
//
// It is ibis.window(). Without Rows or Range a window without an order is the whole partition and one with an order ends at the current row
// and its peers, as in Spark; Ibis takes the whole partition in both cases, which is Rows(Unbounded(), Unbounded()).
func Over() expr.WindowSpec { return expr.WindowSpec{} }

// Cumulative is a window of the rows of the partition up to the current one, in the order that OrderBy gives: ibis.cumulative_window.
func Cumulative() expr.WindowSpec { return Over().Rows(Unbounded(), CurrentRow()) }

// Trailing is a window of the current row and a number of rows before it, in the order that OrderBy gives: ibis.trailing_window.
func Trailing(rows int) expr.WindowSpec { return Over().Rows(Preceding(rows), CurrentRow()) }

// TrailingRange is a window of the rows whose sort key lies at most so far before the current row's, peers included: ibis.trailing_range_window.
// The distance is as for [Preceding]; OrderBy must give one key.
func TrailingRange(distance any) expr.WindowSpec {
	return Over().Range(Preceding(distance), CurrentRow())
}

// Unbounded is the first row of the partition as the start of a frame, and the last one as its end.
func Unbounded() expr.Bound { return expr.UnboundedBound() }

// CurrentRow is the current row; in a Range, its peers too: the rows that are equal to it in the order.
func CurrentRow() expr.Bound { return expr.CurrentBound() }

// Preceding is a distance before the current row: a number of rows in Rows; in Range a number, or for dates and time stamps a time.Duration,
// expr.Days or expr.Months, that is taken from the sort key (added to it in a descending order). It is a constant from zero up.
func Preceding(distance any) expr.Bound { return expr.OffsetBound(distance, true) }

// Following is a distance behind the current row: see [Preceding].
func Following(distance any) expr.Bound { return expr.OffsetBound(distance, false) }
