// Package file reads and writes folders of JSON lines, CSV, Parquet, Avro and lines of text, and reads files as bytes, as Spark's file source and
// file sink do.
//
// A stream takes new files in the order of their time of change and remembers them in the checkpoint (sources/<i>). A sink writes each
// epoch exactly once: see [sink].
package file

import (
	"context"
	"encoding/json"
	"errors"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/format/parquet"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/glob"
)

func init() {
	for _, format := range []string{"json", "csv", "parquet", formatAvro, formatText} {
		connector.RegisterSource(format, openSource)
		connector.RegisterSink(format, openSink)
		connector.RegisterSchema(format, findSchema)
	}
	connector.RegisterSource(formatBinary, openSource)
	connector.RegisterSink(formatBinary, func(context.Context, connector.Env, *tree.Sink) (connector.Sink, error) {
		return nil, condition.Newf(condition.WriteBinarySource, "The feature is not supported: Write for the binary file data source.")
	})
	connector.RegisterSource(formatORC, func(context.Context, connector.Env, *tree.Source) (connector.Source, error) { return nil, noORC() })
	connector.RegisterSink(formatORC, func(context.Context, connector.Env, *tree.Sink) (connector.Sink, error) { return nil, noORC() })
}

// formatORC is a format that is known and not read: no library in Go that is looked after reads and writes it.
const formatORC = "orc"

func noORC() error {
	e := condition.Newf(condition.Unsupported, "The local engine neither reads nor writes ORC files.")
	e.Hint = "Run the query on Spark, or let Spark write the data as Parquet, which the local engine reads."
	return e
}

// source is a file source of one query, batch or stream.
type source struct {
	env    connector.Env
	fields []datatype.Field
	list   *lister
	reader reader
	log    *seenLog

	mu sync.Mutex
	// seen are the files of the log by the text that tells them apart, with their time of change.
	seen map[string]int64
	// newest is the latest time of change that was seen, for maxFileAge.
	newest int64
	// fixed is the listing that an available-now query works off; nil for any other.
	fixed []entry
	// waiting counts what the last listing left for later epochs.
	waitingFiles, waitingBytes int64
	cleaned                    int64
	// committed is the last batch whose epoch is known to be committed, -1 before the first.
	committed int64

	maxFiles, maxBytes int64
	latestFirst        bool
	nameOnly           bool
	maxAge             time.Duration
	ignoreMissing      bool
	ignoreCorrupt      bool
	clean, archive     string
}

// offset is the position in Spark's form.
type offset struct {
	LogOffset int64 `json:"logOffset"`
}

func openSource(_ context.Context, env connector.Env, src *tree.Source) (connector.Source, error) {
	root, err := localPath(src.Path)
	if err != nil {
		return nil, err
	}
	o := readOptions(src.Options)
	s := &source{env: env, seen: map[string]int64{}, log: newSeenLog(env.FS), cleaned: -1, committed: -1}
	// Spark forces the schema of a file source nullable, whatever the user wrote.
	for _, f := range src.Fields {
		s.fields = append(s.fields, datatype.Field{Name: f.Name, Type: datatype.AsNullable(f.Type), Nullable: true})
	}
	s.maxFiles, s.maxBytes = o.whole("maxFilesPerTrigger", 1), o.whole("maxBytesPerTrigger", 1)
	if s.maxFiles > 0 && s.maxBytes > 0 {
		o.fail("maxBytesPerTrigger", "only one of maxFilesPerTrigger and maxBytesPerTrigger can be set")
	}
	s.latestFirst, s.nameOnly = o.flag("latestFirst", false), o.flag("fileNameOnly", false)
	s.maxAge = o.age("maxFileAge", ageLimit)
	if s.latestFirst && (s.maxFiles > 0 || s.maxBytes > 0) {
		// Old files would never get their turn: Spark drops the limit too.
		s.maxAge = 1<<63 - 1
	}
	s.ignoreMissing, s.ignoreCorrupt = o.flag("ignoreMissingFiles", false), o.flag("ignoreCorruptFiles", false)
	s.clean = strings.ToLower(o.text("cleanSource", "off"))
	switch s.clean {
	case "off", "delete":
	case "archive":
		if s.archive = o.text("sourceArchiveDir", ""); s.archive == "" {
			o.fail("sourceArchiveDir", "cleanSource archive needs the folder that takes the files")
		} else if s.archive, err = localPath(s.archive); err != nil {
			return nil, err
		} else if inside(s.archive, root) {
			o.fail("sourceArchiveDir", "%s lies in the folder that is read, so its files would be read again", s.archive)
		}
	default:
		o.fail("cleanSource", "%q is none of off, delete, archive", s.clean)
	}
	if s.list, err = newLister(env, root, o); err != nil {
		return nil, err
	}
	if s.reader, err = newReader(env, src.Format, s.fields, o); err != nil {
		return nil, err
	}
	if err := o.err(); err != nil {
		return nil, err
	}
	if !glob.Is(root) {
		if _, err := env.FS.Stat(root); isNotExist(err) {
			return nil, pathNotFound(root)
		}
	}
	return s, nil
}

func inside(dir, root string) bool {
	return dir == root || strings.HasPrefix(dir, strings.TrimSuffix(root, "/")+"/")
}

// UseLog implements [connector.Logged].
func (s *source) UseLog(fs vfs.FS, dir string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.fs = fs
	if err := s.log.open(dir); err != nil {
		return err
	}
	for _, files := range s.log.batches {
		for _, e := range files {
			s.remember(e)
		}
	}
	if s.oldest() < s.log.forgotten {
		e := condition.Newf(condition.CheckpointMismatch, "The log of the files that the source has seen, %s, has none that were changed before %s any more, and now maxFileAge asks for them.", dir, time.UnixMilli(s.log.forgotten).UTC().Format(time.RFC3339))
		e.Hint = "Set maxFileAge and latestFirst as they were, or start the query with a new checkpoint."
		return e
	}
	s.forget()
	return nil
}

func (s *source) remember(e entry) {
	s.seen[s.key(e)] = e.modified
	s.newest = max(s.newest, e.modified)
}

func (s *source) key(e entry) string {
	if s.nameOnly {
		return e.path[strings.LastIndexByte(e.path, '/')+1:]
	}
	return e.path
}

// oldest is the time of change below which files are not looked at any more.
func (s *source) oldest() int64 {
	if age := s.maxAge.Milliseconds(); age < s.newest {
		return s.newest - age
	}
	return 0
}

// forget drops the files below the age limit, which the limit keeps out from now on.
func (s *source) forget() {
	limit := s.oldest()
	for k, t := range s.seen {
		if t < limit {
			delete(s.seen, k)
		}
	}
}

// Initial implements [connector.Source].
func (s *source) Initial(context.Context) (connector.Offset, error) { return offset{-1}.json() }

func (o offset) json() (connector.Offset, error) {
	return connector.Offset(`{"logOffset":` + strconv.FormatInt(o.LogOffset, 10) + `}`), nil
}

func parseOffset(o connector.Offset) (offset, error) {
	out := offset{-1}
	if len(o) == 0 {
		return out, nil
	}
	if err := json.Unmarshal(o, &out); err != nil {
		e := condition.Newf(condition.CheckpointCorrupt, "The offset %s is none of a file source, which has the form {\"logOffset\":3}.", o)
		e.Cause = err
		return out, e
	}
	return out, nil
}

// PrepareAvailableNow implements [connector.AvailableNow].
func (s *source) PrepareAvailableNow(ctx context.Context) error {
	all, err := s.list.list(ctx)
	if err != nil {
		return err
	}
	if all == nil {
		all = []entry{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fixed = all
	return nil
}

// Latest implements [connector.Source]. It takes the next files into the log.
func (s *source) Latest(ctx context.Context, start connector.Offset, all bool) (connector.Offset, error) {
	from, err := parseOffset(start)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	listing := s.fixed
	s.mu.Unlock()
	if listing == nil {
		listing, err = s.list.list(ctx)
		if s.env.Streaming && (isNotExist(err) || condition.Of(err) == condition.PathNotFound) {
			// The folder was there when the query began. As on Spark, a stream goes on without it and takes what is in it when it comes back.
			listing, err = nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.log.last > from.LogOffset {
		// A batch of the log that no epoch has taken yet: a start after a crash. It is the next one, as it was before.
		return offset{s.log.last}.json()
	}
	limit := s.oldest()
	var fresh []entry
	for _, e := range listing {
		if _, ok := s.seen[s.key(e)]; !ok && e.modified >= limit {
			fresh = append(fresh, e)
		}
	}
	if s.latestFirst {
		sort.SliceStable(fresh, func(i, j int) bool { return fresh[i].modified > fresh[j].modified })
	}
	take := len(fresh)
	if !all && s.maxFiles > 0 {
		take = min(take, int(s.maxFiles))
	}
	if !all && s.maxBytes > 0 {
		// At least one file is taken, however large it is.
		var sum int64
		for i, e := range fresh {
			if sum += e.size; sum > s.maxBytes && i > 0 {
				take = i
				break
			}
		}
	}
	s.waitingFiles, s.waitingBytes = int64(len(fresh)-take), 0
	for _, e := range fresh[take:] {
		s.waitingBytes += e.size
	}
	if take == 0 {
		return offset{max(s.log.last, from.LogOffset)}.json()
	}
	id, err := s.log.add(fresh[:take:take], s.committed, s.oldest())
	if err != nil {
		return nil, err
	}
	for _, e := range fresh[:take] {
		s.remember(e)
	}
	s.forget()
	return offset{id}.json()
}

// Read implements [connector.Source].
func (s *source) Read(ctx context.Context, start, end connector.Offset, p connector.Projection) (connector.Batches, error) {
	from, err := parseOffset(start)
	if err != nil {
		return nil, err
	}
	to, err := parseOffset(end)
	if err != nil {
		return nil, err
	}
	files, err := s.between(from, to)
	if err != nil {
		return nil, err
	}
	return s.read(ctx, files, p), nil
}

// between gives the files behind one position up to another.
func (s *source) between(from, to offset) ([]entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var files []entry
	for id := from.LogOffset + 1; id <= to.LogOffset; id++ {
		batch, ok := s.log.batches[id]
		if !ok {
			e := condition.Newf(condition.CheckpointCorrupt, "Batch %d of the file source is not in its log.", id)
			e.Hint = "The folder sources in the checkpoint belongs to another state of the query: restore the checkpoint as a whole."
			return nil, e
		}
		files = append(files, batch...)
	}
	return files, nil
}

// measuredFiles is how many footers are read for statistics; from more files the number of rows is guessed by their sizes.
const measuredFiles = 16

// Statistics implements [connector.Measured] for Parquet files, whose footers have the numbers. Files of other formats are guessed by their size.
func (s *source) Statistics(ctx context.Context, start, end connector.Offset) (st connector.Statistics, ok bool, err error) {
	from, err := parseOffset(start)
	if err != nil {
		return st, false, err
	}
	to, err := parseOffset(end)
	if err != nil {
		return st, false, err
	}
	files, err := s.between(from, to)
	if err != nil {
		return st, false, err
	}
	total, measured := int64(0), int64(0)
	for _, f := range files {
		total += f.size
	}
	if s.reader.format != "parquet" {
		// A row of text of some hundred bytes: enough to tell a small table from a large one.
		return connector.Statistics{Rows: total/guessedRow + 1}, true, nil
	}
	for i, f := range files {
		if i == measuredFiles || ctx.Err() != nil {
			break
		}
		h, err := s.env.FS.Open(f.path)
		if err != nil {
			return st, false, err
		}
		info, err := h.Stat()
		var part parquet.Statistics
		if err == nil {
			part, err = parquet.ReadStatistics(h, info.Size(), s.fields)
		}
		_ = h.Close() // it was opened for reading: nothing can be lost
		if err != nil {
			return st, false, err
		}
		st.Rows += part.Rows
		measured += f.size
		if i == 0 {
			st.Ranges = map[int]connector.Range{}
			for k, r := range part.Ranges {
				st.Ranges[k] = connector.Range{Min: r[0], Max: r[1]}
			}
			continue
		}
		for k, r := range st.Ranges {
			p, ok := part.Ranges[k]
			if !ok {
				delete(st.Ranges, k)
				continue
			}
			st.Ranges[k] = connector.Range{Min: min(r.Min, p[0]), Max: max(r.Max, p[1])}
		}
	}
	if measured > 0 && measured < total {
		st.Rows = int64(float64(st.Rows) * float64(total) / float64(measured))
	}
	return st, true, nil
}

// guessedRow is the number of bytes that a row of text is taken to have.
const guessedRow = 100

// read gives the rows of files in order.
func (s *source) read(ctx context.Context, files []entry, p connector.Projection) connector.Batches {
	return func(yield func(arrow.RecordBatch, error) bool) {
		scan(ctx, s.env.Parallelism, func(ctx context.Context, emit func(unit) bool) error {
			r := s.reader.open(p)
			for _, f := range files {
				if err := s.readFile(ctx, r, f, emit); err != nil {
					return err
				}
				if ctx.Err() != nil {
					return nil
				}
			}
			return nil
		})(yield)
	}
}

func (s *source) readFile(ctx context.Context, r *reading, f entry, emit func(unit) bool) error {
	values := s.list.partitions(f)
	if r.skips(values) {
		return nil
	}
	file, err := s.env.FS.Open(f.path)
	if err != nil {
		if isNotExist(err) {
			if s.ignoreMissing {
				return nil
			}
			return vanished(f.path)
		}
		return readFailed(f.path, err)
	}
	err = r.units(ctx, newHandle(file), f, values, func(u unit) bool {
		return emit(unit{drop: u.drop, run: func() ([]arrow.RecordBatch, error) {
			rows, err := u.run()
			if err == nil {
				return rows, nil
			}
			if s.ignoreCorrupt && condition.Of(err) != condition.MalformedRecord {
				return rows, nil
			}
			return rows, wrapRead(f.path, err)
		}})
	})
	if err != nil && !s.ignoreCorrupt {
		return wrapRead(f.path, err)
	}
	return nil
}

// wrapRead names the file, once.
func wrapRead(p string, err error) error {
	// Spark casts the values of folders when it lists them, before any file is read.
	c := condition.Of(err)
	var e *condition.Error
	if c == condition.ParquetTypeMismatch && errors.As(err, &e) && !strings.Contains(e.Message, uri(p)) {
		named := *e
		named.Message = "Encountered error while reading file " + uri(p) + ". " + e.Message
		return &named
	}
	if c == condition.FailedReadFile || c == condition.InvalidPartitionValue || strings.HasPrefix(c, "FAILED_READ_FILE.") {
		return err
	}
	return readFailed(p, err)
}

// Commit implements [connector.Source]: it removes or archives the files of the epochs that are done, when cleanSource says so. A file that
// cannot be cleaned stays, as in Spark; it will not be read again.
func (s *source) Commit(_ context.Context, end connector.Offset) error {
	to, err := parseOffset(end)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.committed = max(s.committed, to.LogOffset)
	if s.clean == "off" {
		s.mu.Unlock()
		return nil
	}
	var files []entry
	for id := s.cleaned + 1; id <= to.LogOffset; id++ {
		files = append(files, s.log.batches[id]...)
	}
	s.cleaned = max(s.cleaned, to.LogOffset)
	s.mu.Unlock()
	for _, f := range files {
		if s.clean == "delete" {
			_ = s.env.FS.Remove(f.path)
			continue
		}
		target := s.env.FS.PathJoin(s.archive, f.path)
		if err := s.env.FS.MkdirAll(s.env.FS.PathDir(target), 0o755); err == nil {
			_ = s.env.FS.Rename(f.path, target)
		}
	}
	return nil
}

// Metrics implements [connector.Source].
func (s *source) Metrics() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]string{
		"numFilesOutstanding": strconv.FormatInt(s.waitingFiles, 10),
		"numBytesOutstanding": strconv.FormatInt(s.waitingBytes, 10),
	}
}

// Description implements [connector.Source].
func (s *source) Description() string { return "FileStreamSource[file:" + s.list.root + "]" }

// Close implements [connector.Source].
func (s *source) Close() error { return nil }
