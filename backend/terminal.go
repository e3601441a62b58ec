package backend

import (
	"context"
	"io"

	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// ShowTable runs a table and prints its first rows as Spark's show does, in the session's time zone unless o has another. No more rows are computed than
// it takes to tell whether there are more.
func ShowTable(ctx context.Context, w io.Writer, s Session, t expr.Table, o ShowOptions) error {
	if s == nil || w == nil {
		return condition.Newf(condition.InvalidValue, "The session or the writer is nil.")
	}
	if o.Zone == nil {
		o.Zone = s.Zone()
	}
	r, err := s.Batches(ctx, t.Limit(int64(max(o.Rows, 0))+1))
	if err != nil {
		return err
	}
	return Show(w, r, o)
}

// Head gives the first n rows as values of T, as [Rows] does.
func Head[T any](ctx context.Context, s Session, t expr.Table, n int64) ([]T, error) {
	return Collect[T](ctx, s, t.Limit(n))
}

// Count gives the number of rows.
func Count(ctx context.Context, s Session, t expr.Table) (int64, error) {
	rows, err := Collect[int64](ctx, s, t.Agg(expr.Count().As("count")))
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[0], nil
}

// ToCSV runs a table and writes it as CSV files into a folder, which Spark's writers make; mode says what happens when it is there. On Spark the path is the
// server's. It is Session.Write with connectors.ToCSV.
func ToCSV(ctx context.Context, s Session, t expr.Table, path string, mode expr.SaveMode, opts ...connectors.Option) error {
	return writeFiles(ctx, s, t, connectors.ToCSV(path, opts...), mode)
}

// ToJSON is [ToCSV] for files of JSON lines.
func ToJSON(ctx context.Context, s Session, t expr.Table, path string, mode expr.SaveMode, opts ...connectors.Option) error {
	return writeFiles(ctx, s, t, connectors.ToJSON(path, opts...), mode)
}

// ToParquet is [ToCSV] for Parquet files.
func ToParquet(ctx context.Context, s Session, t expr.Table, path string, mode expr.SaveMode, opts ...connectors.Option) error {
	return writeFiles(ctx, s, t, connectors.ToParquet(path, opts...), mode)
}

func writeFiles(ctx context.Context, s Session, t expr.Table, files connectors.Files, mode expr.SaveMode) error {
	if s == nil {
		return condition.Newf(condition.InvalidValue, "The session is nil.")
	}
	return s.Write(ctx, t.WriteTo(files).SaveMode(mode))
}

// ReadInferred makes a table of files whose columns the session finds now; see [Session.Schema]. It is [expr.Read] with these columns, so the table itself never
// changes: files that come later are read by the columns that were found. Files without any column, such as empty ones, are UNABLE_TO_INFER_SCHEMA; Spark makes a table without
// columns of them, which no query can use.
func ReadInferred(ctx context.Context, s Session, name string, files connectors.Files) (expr.Table, error) {
	if s == nil {
		return expr.Table{}, condition.Newf(condition.InvalidValue, "The session is nil.")
	}
	at := condition.Here(1)
	fields, err := s.Schema(ctx, files)
	if err != nil {
		return expr.Table{}, condition.At(err, at)
	}
	if len(fields) == 0 {
		e := condition.Newf(condition.UnableToInferSchema, "Unable to infer schema for the table %s: there is no column in its files, which are empty.", datatype.QuoteName(name))
		e.Pos, e.Hint = at, "Put rows there, or declare the columns (connectors.RowsDDL)."
		return expr.Table{}, e
	}
	t := expr.Read(name, files.WithRows(connectors.RowsFields(fields)))
	return t, t.Err()
}

// ReadState makes a table of the state in a checkpoint of Spark's, whose columns the session finds now. The local engine refuses it: its own checkpoints are read by its Session.State.
func ReadState(ctx context.Context, s Session, name string, state connectors.StateSource) (expr.Table, error) {
	if s == nil {
		return expr.Table{}, condition.Newf(condition.InvalidValue, "The session is nil.")
	}
	at := condition.Here(1)
	fields, err := s.Schema(ctx, state)
	if err != nil {
		return expr.Table{}, condition.At(err, at)
	}
	t := expr.Read(name, state.WithRows(connectors.RowsFields(fields)))
	return t, t.Err()
}
