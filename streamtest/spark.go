package streamtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/functions"
)

// Spark runs scripts on a session, as one of sparkconnect.Connect. folder is one that this process writes to and the server reads under the same path; what a script puts there is removed again. A
// session with spark.sql.shuffle.partitions set to 1 counts late rows as the local engine does, and is quicker for small inputs.
func Spark(session backend.Session, folder string) Target { return sparkTarget{session, folder} }

type sparkTarget struct {
	session backend.Session
	folder  string
}

// String implements [Target].
func (sparkTarget) String() string { return "Spark" }

func (t sparkTarget) start(context.Context) (runner, func() error, error) {
	if t.session == nil {
		return nil, nil, hinted("Give a session of sparkconnect.Connect.", "The session is nil.")
	}
	folder, err := filepath.Abs(t.folder)
	if err != nil {
		return nil, nil, err
	}
	if folder, err = os.MkdirTemp(folder, "streamtest-"); err != nil {
		return nil, nil, err
	}
	remove := func() error { return os.RemoveAll(folder) }
	files, err := local.Open()
	if err == nil {
		err = os.Chmod(folder, 0o755) // the server may be another user
	}
	if err != nil {
		_ = remove() // the first error is the one to tell
		return nil, nil, err
	}
	r := &sparkRunner{session: t.session, folder: folder, files: files}
	return r, func() error {
		err := files.Close()
		if e := remove(); err == nil {
			err = e
		}
		return err
	}, nil
}

// sparkRunner runs a script with an input file for each step and input, under a limit of one file an epoch, as one query that works off what is there.
type sparkRunner struct {
	session backend.Session
	folder  string
	// files writes the inputs.
	files   *local.Session
	written time.Time
}

func (r *sparkRunner) advance() error {
	return unsupported("Use event time, or give the script to streamtest.Local alone.", "A script that moves the clock runs on the local engine only: Spark's clock is the server's.")
}

func unsupported(hint, format string, args ...any) error {
	e := condition.Newf(condition.Unsupported, format, args...)
	e.Hint = hint
	return e
}

func (r *sparkRunner) path(in *input) string { return filepath.Join(r.folder, in.name) }

func (r *sparkRunner) table(in *input) (expr.Table, error) {
	if err := os.Mkdir(r.path(in), 0o755); err != nil {
		return expr.Table{}, err
	}
	return expr.Read(in.name, connectors.FromParquet(r.path(in), connectors.RowsFields(in.fields), connectors.MaxFilesPerTrigger(1))), nil
}

// write puts a step's rows of an input into a file, which appears whole. Files are read in the order of their times.
func (r *sparkRunner) write(ctx context.Context, in *input, step int) error {
	temporary := filepath.Join(r.folder, "temporary")
	if err := r.files.Write(ctx, expr.LiteralTable(in.name, in.fields, in.steps[step]).WriteTo(connectors.ToParquet(temporary)).SaveMode(expr.SaveOverwrite)); err != nil {
		return err
	}
	parts, err := filepath.Glob(filepath.Join(temporary, "*.parquet"))
	if err != nil {
		return err
	}
	if len(parts) != 1 {
		return condition.Newf(condition.ConnectorFailed, "The rows of step %d make %d files.", step+1, len(parts))
	}
	r.written = r.written.Add(time.Minute)
	if err := os.Chtimes(parts[0], r.written, r.written); err != nil {
		return err
	}
	if err := os.Chmod(parts[0], 0o644); err != nil {
		return err
	}
	return os.Rename(parts[0], filepath.Join(r.path(in), fmt.Sprintf("%03d.parquet", step)))
}

func (r *sparkRunner) play(ctx context.Context, s *Script) ([]Epoch, error) {
	r.written = began
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, err
	}
	name := "streamtest_" + hex.EncodeToString(random[:])
	n := s.epochs()
	if s.mode != expr.Complete {
		for step := range n {
			for _, in := range s.inputs {
				if err := r.write(ctx, in, step); err != nil {
					return nil, err
				}
			}
		}
		return r.appended(ctx, s, name, n)
	}
	// The memory table keeps the last result only, so there is a query for each number of steps.
	var epochs []Epoch
	for step := range n {
		for _, in := range s.inputs {
			if err := r.write(ctx, in, step); err != nil {
				return nil, err
			}
		}
		all, err := r.whole(ctx, s, fmt.Sprintf("%s_%d", name, step), step+1)
		if err != nil {
			return nil, err
		}
		for i := range epochs {
			all[i] = epochs[i]
		}
		// What the query did behind this step is the next step's to tell, but for the last one.
		if step+1 < n {
			all = all[:step+1]
		}
		epochs = all
	}
	return epochs, nil
}

// run runs the query until everything is read, and gives the memory table and the reports.
func (r *sparkRunner) run(ctx context.Context, s *Script, t expr.Table, name string, last func(string)) (res backend.Result, rows []string, progress []backend.Progress, err error) {
	sink := connectors.ToMemoryTable()
	if s.mode == expr.Update {
		// Spark's guide leaves update out for the memory sink, and the sink takes it.
		sink = sink.AllModes()
	}
	q, err := r.session.Start(ctx, t.WriteTo(sink).OutputMode(s.mode).Name(name).Trigger(expr.AvailableNow()))
	if err != nil {
		return res, nil, nil, err
	}
	defer func() {
		end := context.WithoutCancel(ctx)
		if e := q.Stop(end); err == nil {
			err = e
		}
		if _, e := r.session.Catalog().DropTempView(end, name); err == nil {
			err = e
		}
	}()
	if err = q.AwaitTermination(ctx); err != nil {
		return res, nil, nil, err
	}
	if progress, err = q.RecentProgress(ctx); err != nil {
		return res, nil, nil, err
	}
	out, err := r.session.Table(ctx, name)
	if err != nil {
		return res, nil, nil, err
	}
	if res, err = r.session.Batches(ctx, out); err != nil {
		return res, nil, nil, err
	}
	rows, err = texts(res, last)
	return res, rows, progress, err
}

// epochTime is the column that tells the epoch of a row in Spark's memory table: current_timestamp is the time of the epoch for all of its rows.
const epochTime = "streamtest_epoch_time"

// appended runs a query whose memory table keeps the rows of all epochs.
func (r *sparkRunner) appended(ctx context.Context, s *Script, name string, n int) ([]Epoch, error) {
	var times []string
	res, rows, progress, err := r.run(ctx, s, s.table.Mutate(functions.CurrentTimestamp().As(epochTime)), name, func(t string) { times = append(times, t) })
	if err != nil {
		return nil, err
	}
	epochs, err := ran(progress, n, res.Fields[:len(res.Fields)-1])
	if err != nil {
		return nil, err
	}
	moments := slices.Compact(slices.Sorted(slices.Values(times)))
	byMoment := map[string][]string{}
	for i, t := range times {
		byMoment[t] = append(byMoment[t], rows[i])
	}
	// The report tells how many rows each epoch gave, so the times fall to the epochs in order.
	for _, p := range progress {
		if p.Sink.NumOutputRows <= 0 {
			continue
		}
		if len(moments) == 0 || int64(len(byMoment[moments[0]])) != p.Sink.NumOutputRows {
			return nil, condition.Newf(condition.ConnectorFailed, "Epoch %d gave %d rows by its report, which the memory table does not have.", p.BatchID, p.Sink.NumOutputRows)
		}
		epochs[p.BatchID].Rows = byMoment[moments[0]]
		slices.Sort(epochs[p.BatchID].Rows)
		moments = moments[1:]
	}
	if len(moments) > 0 {
		return nil, condition.Newf(condition.ConnectorFailed, "The memory table has rows of an epoch without a report.")
	}
	return epochs, nil
}

// whole runs a query in complete mode over the first n steps; the rows are those of the last one.
func (r *sparkRunner) whole(ctx context.Context, s *Script, name string, n int) ([]Epoch, error) {
	res, rows, progress, err := r.run(ctx, s, s.table, name, nil)
	if err != nil {
		return nil, err
	}
	epochs, err := ran(progress, n, res.Fields)
	if err != nil {
		return nil, err
	}
	slices.Sort(rows)
	for i := n - 1; i < len(epochs); i++ {
		epochs[i].Rows = rows
	}
	return epochs, nil
}

// ran makes the epochs of a query's reports, which are those of n steps at least.
func ran(progress []backend.Progress, n int, fields []datatype.Field) ([]Epoch, error) {
	for _, p := range progress {
		n = max(n, int(p.BatchID)+1)
	}
	epochs := make([]Epoch, n)
	for i := range epochs {
		epochs[i].fields = fields
		for _, f := range fields {
			epochs[i].Columns = append(epochs[i].Columns, f.Name)
		}
	}
	return epochs, report(epochs, progress)
}
