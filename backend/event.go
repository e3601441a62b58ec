package backend

import (
	"encoding/json"
	"fmt"

	"github.com/spoonbill-go/spoonbill/compiler"
)

// EventKind tells what happened to a query.
type EventKind uint8

// The events of a query's life. An unknown kind of a later Spark is NoEvent.
const (
	NoEvent    EventKind = iota
	Started              // the query began to run
	Progressed           // a batch was committed
	Idle                 // a trigger found nothing to do
	Terminated           // the query ended
)

// String gives Spark's name of the event.
func (k EventKind) String() string {
	switch k {
	case Started:
		return "QueryStarted"
	case Progressed:
		return "QueryProgress"
	case Idle:
		return "QueryIdle"
	case Terminated:
		return "QueryTerminated"
	}
	return "unknown event"
}

// Event is what a listener is told of a streaming query.
//
// Source: Spark's StreamingQueryListener.
type Event struct {
	// Kind tells what happened.
	Kind EventKind
	// ID and RunID are the query's.
	ID, RunID string
	// Name is the query's name, of a Started and a Progressed event; "" where it has none.
	Name string
	// Timestamp is when it happened, as ISO 8601 in UTC; "" for a Terminated event.
	Timestamp string
	// Progress is the report of a Progressed event, else nil.
	Progress *Progress
	// Lints are what the query's plan is warned of, of a Started event: what compiling found that runs and is seldom meant (compiler.Lint). Spark's own events have none of it; it is there
	// for queries that this session started.
	Lints []compiler.Finding
	// Exception is the text of the failure that ended a query, of a Terminated event; "" where it ended well.
	Exception string
	// ErrorClass is the condition of that failure, or "".
	ErrorClass string
}

// ParseEvent reads the JSON of one of Spark's listener events.
func ParseEvent(kind EventKind, text []byte) (Event, error) {
	var v struct {
		ID         string    `json:"id"`
		RunID      string    `json:"runId"`
		Name       *string   `json:"name"`
		Timestamp  string    `json:"timestamp"`
		Progress   *Progress `json:"progress"`
		Exception  *string   `json:"exception"`
		ErrorClass *string   `json:"errorClassOnException"`
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return Event{}, err
	}
	e := Event{Kind: kind, ID: v.ID, RunID: v.RunID, Timestamp: v.Timestamp, Progress: v.Progress}
	for from, to := range map[*string]*string{v.Name: &e.Name, v.Exception: &e.Exception, v.ErrorClass: &e.ErrorClass} {
		if from != nil {
			*to = *from
		}
	}
	if kind == Progressed {
		if v.Progress == nil {
			return Event{}, fmt.Errorf("a %v event without a progress", kind)
		}
		e.ID, e.RunID, e.Name, e.Timestamp = v.Progress.ID, v.Progress.RunID, v.Progress.Name, v.Progress.Timestamp
	}
	return e, nil
}
