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
	// Stop ends the query and waits for the end. To stop a query that has ended is no error.
	Stop(ctx context.Context) error
	// Explain says how the query is run. Spark has the modes simple and extended of it. With Analyze, which the local engine alone has, it waits for the
	// next epoch that begins and gives what that did; the context bounds the wait.
	Explain(ctx context.Context, o ExplainOptions) (Explanation, error)
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
