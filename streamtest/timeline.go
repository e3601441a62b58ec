package streamtest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Timeline is what happened when a script ran.
type Timeline struct {
	// Target names where it ran.
	Target string
	// Epochs are the epochs in order: one for each step, then those behind the last step.
	Epochs []Epoch

	steps int
}

// Epoch is one epoch of a run. Rows are texts, a cell being what a cast to STRING gives, in UTC; texts are quoted, cells are separated by bars.
type Epoch struct {
	// Step is the step that the epoch belongs to, from 0; behind the last step it is the number of steps.
	Step int
	// In are the rows that came in, by input.
	In []InputRows
	// Before is the watermark under which the epoch ran, After that of the next epoch. Without a watermark, and before a row had a time, they are 1970-01-01 00:00:00 UTC. After the
	// last epoch there is none to tell: After is Before.
	Before, After time.Time
	// Columns are the names of the columns that came out, Rows the rows, in the order of their texts. In complete mode they are the whole result.
	Columns []string
	Rows    []string
	// State is the number of rows in the state behind the epoch, Late how many rows the watermark dropped in it, over all operators.
	State, Late int64

	fields []datatype.Field
}

// InputRows are the rows that an input brought into an epoch.
type InputRows struct {
	// Name is the input's.
	Name string
	// Rows are the rows in their order.
	Rows []string
}

// String prints the timeline, an epoch a paragraph.
func (tl *Timeline) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "timeline on %s\n", tl.Target)
	for _, e := range tl.Epochs {
		head := fmt.Sprintf("step %d", e.Step+1)
		if e.Step >= tl.steps {
			head = "end"
		}
		fmt.Fprintf(&b, "%s\n", head)
		for _, in := range e.In {
			for i, r := range in.Rows {
				name := "in   " + in.Name + ":"
				if i > 0 {
					name = strings.Repeat(" ", len(name))
				}
				fmt.Fprintf(&b, "  %s %s\n", name, r)
			}
		}
		move := "stays at " + instant(e.Before)
		if !e.After.Equal(e.Before) {
			move = instant(e.Before) + " -> " + instant(e.After)
		}
		fmt.Fprintf(&b, "  watermark %s, state %d, late %d\n", move, e.State, e.Late)
		if len(e.Rows) == 0 {
			fmt.Fprintf(&b, "  out  nothing\n")
			continue
		}
		fmt.Fprintf(&b, "  out  %s\n", strings.Join(e.Columns, " | "))
		for _, r := range e.Rows {
			fmt.Fprintf(&b, "       %s\n", r)
		}
	}
	return b.String()
}

// instant shows a time as Spark casts it to a text.
func instant(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.999") }

// report puts what a query's report says into the epoch of its number.
func report(epochs []Epoch, progress []backend.Progress) error {
	seen := make([]bool, len(epochs))
	for _, p := range progress {
		if p.BatchID < 0 || p.BatchID >= int64(len(epochs)) || seen[p.BatchID] {
			continue
		}
		seen[p.BatchID] = true
		e := &epochs[p.BatchID]
		e.Before = time.Unix(0, 0).UTC()
		if text, ok := p.EventTime["watermark"]; ok {
			t, err := time.Parse(time.RFC3339Nano, text)
			if err != nil {
				return condition.Newf(condition.ConnectorFailed, "The watermark of epoch %d is %q, which is no time.", p.BatchID, text)
			}
			e.Before = t.UTC()
		}
		e.State, e.Late = 0, 0
		for _, op := range p.StateOperators {
			e.State += op.NumRowsTotal
			e.Late += op.NumRowsDroppedByWatermark
		}
	}
	if i := slices.Index(seen, false); i >= 0 {
		return condition.Newf(condition.ConnectorFailed, "The query has no report of epoch %d.", i)
	}
	return nil
}
