// Package connector is what the local engine asks of sources and sinks. Each connector is a package below this one that opens
// itself from a plain description (tree.Source, tree.Sink), whose options have Spark's names.
package connector

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Offset is a source's position in Spark's JSON shape, such as {"topic":{"0":23}}. It is compared as text and kept in the checkpoint.
type Offset = json.RawMessage

// Batches are record batches of one schema. The consumer releases each one; ending the loop early closes the source of them.
type Batches = iter.Seq2[arrow.RecordBatch, error]

// Projection tells a source what the query needs: it may give other columns as nulls, and may leave out rows for which a filter
// is not true, but need not.
type Projection struct {
	// Columns are the ordinals of the provider's fields that are read, in ascending order; nil for all.
	Columns []int
	// Payload are the ordinals of the codec's fields that are read; nil for all.
	Payload []int
	// Dictionaries says that columns of texts and binaries may come as Arrow dictionaries with indices of 32 bits.
	Dictionaries bool
	// Malformed, which may be nil, counts the records that the source could not read whole: those with a null for what is no value of its column, and those that it left out.
	Malformed *atomic.Int64
	// Filters are conditions on the provider's fields that every wanted row meets. The engine tests them again.
	Filters []Filter
}

// Wanted tells of each of a provider's n fields whether it is read.
func (p Projection) Wanted(n int) []bool {
	wanted := make([]bool, n)
	for i := range wanted {
		wanted[i] = p.Columns == nil
	}
	for _, i := range p.Columns {
		if i >= 0 && i < n {
			wanted[i] = true
		}
	}
	return wanted
}

// Filter is a condition that a source may use to leave out rows. Any use of it is a gain of time alone: a source that ignores it is right too.
type Filter struct {
	// Columns are the ordinals of the provider's fields that the condition looks at, in ascending order.
	Columns []int
	// True computes the condition over a batch of just these columns, in this order and with the types of the fields: false for a row for
	// which it is false or null. After an error nothing is known of the rows. It may be called by several goroutines at once.
	True func(rec arrow.RecordBatch) ([]bool, error)
	// Op and Values are the condition once more when it is a comparison of the one column with literals, so that it can be held against
	// statistics; Op is "" else. Values are bool, int64 (whole numbers, days, microseconds), float64, string, []byte or *big.Int (an unscaled
	// decimal of the column's scale), never nil; none for [IsNull] and [IsNotNull].
	Op     Comparison
	Values []any
}

// Comparison is the way in which a [Filter] compares its column.
type Comparison string

// The comparisons. Equal with several values means one of them.
const (
	Equal          Comparison = "="
	Less           Comparison = "<"
	LessOrEqual    Comparison = "<="
	Greater        Comparison = ">"
	GreaterOrEqual Comparison = ">="
	IsNull         Comparison = "is null"
	IsNotNull      Comparison = "is not null"
)

// Env is what the session gives to connectors.
type Env struct {
	// Zone is the session's time zone.
	Zone *time.Location
	// ANSI is the session's mode.
	ANSI bool
	// BatchRows is the number of rows of a record batch that the engine likes best.
	BatchRows int
	// Parallelism is how many goroutines a read may use.
	Parallelism int
	// FS is the file system of file sources, file sinks and their logs; nil is the machine's. Tests put one here that fails.
	FS vfs.FS
	// Streaming tells a started query from a batch one, whose defaults differ in places: Kafka's earliest offset, the file sink's log.
	Streaming bool
	// QueryID names a streaming query across its restarts: the id in the checkpoint's metadata. A file sink keeps it in its log, so that
	// a second query does not take the epochs of the first for its own.
	QueryID string
	// Save says what a batch write does when the target exists.
	Save tree.SaveMode
	// Out is where the console sink prints; nil is the standard output.
	Out io.Writer
	// Waiting, which may be nil, says that the query waits for something outside, such as brokers that do not answer, until over is called. what gives it as a
	// sentence for the query's status; it and Waiting are called by several goroutines.
	Waiting func(what func() string) (over func())
	// Now is the clock; nil is the machine's.
	Now func() time.Time
}

// DefaultBatchRows is BatchRows where the session says nothing.
const DefaultBatchRows = 16_384

// withDefaults fills what the session left open, so that connectors need not ask.
func (e Env) withDefaults() Env {
	if e.Zone == nil {
		e.Zone = time.UTC
	}
	if e.BatchRows <= 0 {
		e.BatchRows = DefaultBatchRows
	}
	if e.Parallelism <= 0 {
		e.Parallelism = runtime.GOMAXPROCS(0)
	}
	if e.FS == nil {
		e.FS = vfs.Default
	}
	if e.Out == nil {
		e.Out = os.Stdout
	}
	if e.Now == nil {
		e.Now = time.Now
	}
	return e
}

// Source is an open source of one query. A batch query reads everything up to Latest, from the start that the options name.
type Source interface {
	// Initial gives the position before the first epoch. It is called for a query without a checkpoint only.
	Initial(ctx context.Context) (Offset, error)
	// Latest gives the end of the next epoch that starts behind start, under the source's rate limit, or start itself when there is
	// nothing new. With all set it ignores the rate limit (Trigger.Once and batch).
	Latest(ctx context.Context, start Offset, all bool) (Offset, error)
	// Read gives the rows behind start up to end: the same rows each time that it is asked, as long as the source keeps them. Rows
	// that were lost are an error.
	Read(ctx context.Context, start, end Offset, p Projection) (Batches, error)
	// Commit says that the rows up to end were written and will not be asked for again.
	Commit(ctx context.Context, end Offset) error
	// Metrics gives what Spark shows in progress: latest offset, and lag for Kafka.
	Metrics() map[string]string
	// Description is Spark's description in progress, such as FileStreamSource[file:/in].
	Description() string
	// Close ends the source; no goroutine stays.
	Close() error
}

// Statistics are what a source knows of the rows between two positions without reading them. They decide about speed alone.
type Statistics struct {
	// Rows is the number of rows, or a good guess.
	Rows int64
	// Ranges are the least and the greatest value of columns of integers (as they are) and dates (days since 1970), by the ordinal of the field. A
	// column that is not there is not known.
	Ranges map[int]Range
}

// Range is a least and a greatest value.
type Range struct{ Min, Max int64 }

// Measured is a source that knows of its rows.
type Measured interface {
	Source
	// Statistics tells what is known of the rows behind start up to end; ok is false for nothing. An error is no reason to fail: Read will tell it.
	Statistics(ctx context.Context, start, end Offset) (s Statistics, ok bool, err error)
}

// Planned is a sink that tells an epoch from another one under its number, which a checkpoint that was set back would bring.
type Planned interface {
	Sink
	// Planned is called before the epoch is written, with a text that is one for the watermark and the sources' positions between which the epoch reads: the same when the epoch runs again.
	Planned(plan string)
}

// Logged is a source with a log of its own in the checkpoint (sources/<i>), such as the list of files seen.
type Logged interface {
	Source
	// UseLog gives the folder of the log before the first other call. It is on the checkpoint's file system, which need not be that of the
	// source: a query without a checkpoint keeps its logs in memory.
	UseLog(fs vfs.FS, dir string) error
}

// Sink is an open sink of one query.
type Sink interface {
	// Write writes one epoch. When it returns without error the epoch is durable; when an epoch is written again after a restart, a
	// file sink leaves one copy. schema is that of the batches. A batch write is epoch 0.
	Write(ctx context.Context, epoch int64, mode tree.OutputMode, schema []datatype.Field, rows Batches) (rowsWritten int64, err error)
	// Description is Spark's description in progress.
	Description() string
	// Close ends the sink.
	Close() error
}
