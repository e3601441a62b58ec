package expr

import "context"

// BatchFunc is what a query does with each of its batches: its rows as a table, and its number, which counts from 0 and goes on over restarts. The table can be written by a session's
// Write, read, joined and so on, as often as one likes, within the call; behind it its rows are gone. An error, or a panic, fails the query, and the batch comes again with the same
// number when the query is started again: so it does after a crash. Whoever keeps the number beside what a batch did, and looks for it first, does each batch once.
//
// The context ends when the query is stopped, and at the time limit of the sink. The function may stop its own query and close its session, which then do not wait for it. connectors.ForeachBatch makes a
// sink of it.
//
// Source: Spark's DataStreamWriter.foreachBatch.
type BatchFunc func(ctx context.Context, batch Table, id int64) error
