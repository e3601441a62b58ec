package backend

import (
	"context"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Session runs expressions: on Spark (backend/sparkconnect) or inside the process (backend/local). It is safe for concurrent use. The context of
// a call ends that call, on a server too; that of Start bounds the start alone.
type Session interface {
	// Batches runs a table as a batch and gives its rows as they come.
	Batches(ctx context.Context, t expr.Table) (Result, error)
	// Write runs a write as a batch.
	Write(ctx context.Context, w expr.Write) error
	// Start runs a write as a stream.
	Start(ctx context.Context, w expr.Write) (Query, error)
	// Explain says how a table is run as a batch; with Analyze it runs it.
	Explain(ctx context.Context, t expr.Table, o ExplainOptions) (Explanation, error)
	// Table gives a table of the session's catalogue, whose schema it asks for. Name parts are given apart: ("db", "t").
	Table(ctx context.Context, name ...string) (expr.Table, error)
	// Catalog gives the session's catalogue: databases, tables and temporary views.
	Catalog() Catalog
	// Cache computes a table now and keeps its rows: in memory on the local engine, in memory and on disk on Spark.
	Cache(ctx context.Context, t expr.Table) (*Cached, error)
	// Streams gives the session's streaming queries.
	Streams() Streams
	// Schema gives the columns of a source. Where the description leaves them open (connectors.Inferred) the session looks at the files now, as Spark
	// infers them: every record of CSV and JSON, the footer of a Parquet file.
	Schema(ctx context.Context, source expr.Source) ([]datatype.Field, error)
	// Zone is the session's time zone, in which time stamps are shown.
	Zone() *time.Location
	// Close ends the session. On Spark the server forgets its views; queries of the session end. Within a function of ForeachBatch it does not wait for them, which would be for itself: they end when
	// the function has returned.
	Close() error
}
