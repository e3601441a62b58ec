package backend

import (
	"context"

	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// Query is a started streaming query. The context of a call bounds that call, never the query: [Query.Stop] ends it.
//
// Source: Spark's StreamingQuery.
type Query interface {
	// ID is the query's UUID, which its checkpoint keeps over restarts.
	ID() string
	// RunID is the UUID of this start.
	RunID() string
	// Name is the name that the user gave, or "".
	Name() string
	// IsActive tells whether the query still runs.
	IsActive(ctx context.Context) (bool, error)
	// Status tells what the query does at this moment.
	Status(ctx context.Context) (Status, error)
	// LastProgress gives the latest progress, or nil before the first.
	LastProgress(ctx context.Context) (*Progress, error)
	// RecentProgress gives the latest progress reports, oldest first; Spark keeps 100 (spark.sql.streaming.numRecentProgressUpdates).
	RecentProgress(ctx context.Context) ([]Progress, error)
	// Exception gives the failure that ended the query, or nil while it runs and after it ended well. err is a failure to ask.
	Exception(ctx context.Context) (failure *condition.Error, err error)
	// AwaitTermination waits until the query has ended: nil when it was stopped or was done, its failure (STREAM_FAILED with the
	// cause) when it failed, the context's error when that came first; the query then runs on.
	AwaitTermination(ctx context.Context) error
	// ProcessAllAvailable waits until everything that the sources had at the time of the call is processed and committed. It is for
	// tests: with a source that never rests it may never return.
	ProcessAllAvailable(ctx context.Context) error
	// Stop ends the query and waits for the end. To stop a query that has ended is no error. Within the query's own function of ForeachBatch it does not wait, which would be for itself: the function's
	// context ends, and the query ends when the function has returned. The batch may come again under its number.
	Stop(ctx context.Context) error
	// Explain says how the query is run. Spark has the modes simple and extended of it. With Analyze, which the local engine alone has, it waits for the
	// next epoch that begins and gives what that did; the context bounds the wait.
	Explain(ctx context.Context, o ExplainOptions) (Explanation, error)
}

// Streams are the streaming queries of a session.
//
// Source: Spark's StreamingQueryManager.
type Streams interface {
	// Active gives the queries that run.
	Active(ctx context.Context) ([]Query, error)
	// Query gives the running query with an id, or nil where the session has none.
	Query(ctx context.Context, id string) (Query, error)
	// AwaitAny waits until any query of the session has ended, those included that ended since the session began or since ResetTerminated: nil when one was
	// stopped or was done, its failure when one failed, the context's error when that came first.
	AwaitAny(ctx context.Context) error
	// ResetTerminated forgets the queries that have ended, so that AwaitAny waits for another one.
	ResetTerminated(ctx context.Context) error
	// Listen gives the events of the queries to see, one after the other, until the context ends or see gives an error; it returns that error. ready, which may be
	// nil, is called when events begin to be noted; what happens before is not told. The events of a query come in their order, Started first. Any number of
	// listeners may listen; one that is 10,000 events behind ends with SPOONBILL_CLOSED.
	Listen(ctx context.Context, ready func(), see func(Event) error) error
}

// Status is what a query does at the moment of asking.
//
// Source: Spark's StreamingQueryStatus.
type Status struct {
	// Message is a sentence for people, such as "Waiting for next trigger".
	Message string `json:"message"`
	// IsDataAvailable tells whether a source has data that is not processed.
	IsDataAvailable bool `json:"isDataAvailable"`
	// IsTriggerActive tells whether a batch is running; always false under a continuous trigger.
	IsTriggerActive bool `json:"isTriggerActive"`
}
