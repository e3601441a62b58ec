// Package keyed_test is the code of docs/keyed-state.md, and shows that it runs: as a batch, and as a stream epoch by epoch.
package keyed_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"testing"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/keyed"
	"github.com/spoonbill-go/spoonbill/streamtest"
)

type reading struct {
	Device string    `spoonbill:"device"`
	At     time.Time `spoonbill:"at"`
	Value  float64   `spoonbill:"value"`
}

type silence struct {
	Device string    `spoonbill:"device"`
	Since  time.Time `spoonbill:"since"`
	Rows   int64     `spoonbill:"rows"`
	Peak   float64   `spoonbill:"peak"`
}

// seen is what is kept of a device.
type seen struct {
	Last time.Time
	Rows int64
	Peak float64
}

// silences tells of each device that has sent nothing for a minute, with what it had sent before.
func silences(readings expr.Table) expr.Table {
	state := keyed.NewValue[seen]("seen")
	return keyed.Transform(readings.Watermark("at", 10*time.Second).GroupBy("device"), keyed.Processor[string, reading, silence]{
		Name: "silences", Time: keyed.EventTime, States: keyed.States{state},
		HandleInputRows: func(c *keyed.Context, device string, rows iter.Seq[reading], emit func(silence)) error {
			s, _ := state.Get(c)
			for r := range rows {
				s.Rows++
				s.Peak = max(s.Peak, r.Value)
				if r.At.After(s.Last) {
					s.Last = r.At
				}
				c.SetTimer(r.At.Add(time.Minute))
			}
			state.Set(c, s)
			return nil
		},
		HandleExpiredTimer: func(c *keyed.Context, device string, at time.Time, emit func(silence)) error {
			// Of the timers only that of the latest reading tells of a silence.
			if s, ok := state.Get(c); ok && at.Equal(s.Last.Add(time.Minute)) {
				emit(silence{device, s.Last, s.Rows, s.Peak})
				state.Clear(c)
			}
			return nil
		},
	})
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
	readings := expr.Memtable("readings", []reading{
		{"stove", clock(0, 0), 20.5}, {"stove", clock(0, 30), 31}, {"door", clock(0, 10), 1}, {"stove", clock(0, 20), 18},
	})
	for s, err := range backend.Rows[silence](ctx, session, silences(readings)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(s.Device, s.Since.Format(time.TimeOnly), s.Rows, s.Peak)
	}
	// Output:
	// door 10:00:10 1 1
	// stove 10:00:30 3 31
}

func TestSilences(t *testing.T) {
	streamtest.Run(t, func(s *streamtest.Script) {
		readings := streamtest.NewInput[reading](s, "readings")
		s.Query(silences(readings.Table()), expr.Append)

		readings.Add(reading{"stove", clock(0, 0), 20.5}, reading{"door", clock(0, 10), 1})
		s.Step().WantNoRows().WantState(4) // a value and a timer of each
		readings.Add(reading{"stove", clock(1, 25), 31})
		s.Step().WantNoRows()
		s.Step().WantRows(silence{"door", clock(0, 10), 1, 1}).WantState(2)
		readings.Add(reading{"stove", clock(0, 5), 18}) // too late
		s.Step().WantNoRows().WantLate(1)
	}, streamtest.Local())
}
