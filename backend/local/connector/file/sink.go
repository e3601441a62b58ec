package file

import (
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/uuid"
	"github.com/klauspost/compress/zstd"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/durable"
	"github.com/spoonbill-go/spoonbill/backend/local/format/avro"
	"github.com/spoonbill-go/spoonbill/backend/local/format/charset"
	"github.com/spoonbill-go/spoonbill/backend/local/format/csv"
	"github.com/spoonbill-go/spoonbill/backend/local/format/hadoop"
	fmtjson "github.com/spoonbill-go/spoonbill/backend/local/format/json"
	"github.com/spoonbill-go/spoonbill/backend/local/format/parquet"
	"github.com/spoonbill-go/spoonbill/backend/local/format/scalar"
	"github.com/spoonbill-go/spoonbill/backend/local/format/textline"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// sink writes a folder. How an epoch becomes visible exactly once:
//
//  1. The rows go into files with temporary names in a hidden folder, each synced.
//  2. A manifest with the temporary and the final names is written durably to _spoonbill_metadata/<epoch>. This is the commit.
//  3. Each file is renamed into place.
//
// A crash before 2 leaves hidden files alone, which the next start removes. A crash after 2 leaves files that the next start renames. An
// epoch that is in a manifest is not written again. So a plain reader never sees a file of an epoch that was not committed, and no row
// twice. Final names have the epoch and the file's number in it, and no chance, so that they can be checked by hand.
//
// A batch write goes the same way without the manifest, under names that no other write has.
type sink struct {
	env       connector.Env
	format    string
	root      string
	partition []string
	opts      tree.Options
	codec     string
	extension string
	json      fmtjson.Options
	csv       csv.Options
	avro      avro.Naming
	shape     shape
	maxRows   int64

	// release gives back the folder that a streaming sink holds until it is closed; nil in a batch.
	release func()

	mu   sync.Mutex
	last *manifest // the newest commit, nil for none
	// hanging is set while files of the newest commit wait to be renamed, after an error.
	hanging bool
}

// metaDir is the folder of the sink's log, which Spark and other readers pass over.
const metaDir = "_spoonbill_metadata"

// manifest is the record of one committed epoch.
type manifest struct {
	Version int         `json:"version"`
	QueryID string      `json:"queryId,omitempty"`
	Epoch   int64       `json:"epoch"`
	Rows    int64       `json:"rows"`
	Files   []movedFile `json:"files"`
}

// movedFile is a file on its way, both names relative to the root.
type movedFile struct {
	Temp string `json:"temp"`
	Path string `json:"path"`
	Rows int64  `json:"rows"`
}

const manifestVersion = 1

func openSink(_ context.Context, env connector.Env, s *tree.Sink) (connector.Sink, error) {
	root, err := localPath(s.Path)
	if err != nil {
		return nil, err
	}
	o := readOptions(s.Options)
	out := &sink{env: env, format: strings.ToLower(s.Format), root: strings.TrimSuffix(root, "/"), partition: s.PartitionBy, opts: s.Options}
	if out.root == "" {
		out.root = "/"
	}
	out.maxRows = o.whole("maxRecordsPerFile", 0)
	switch out.format {
	case "parquet":
		out.codec = o.text("compression", "snappy")
		if out.extension, err = parquet.Extension(out.codec); err != nil {
			return nil, err
		}
	case formatAvro:
		if _, ok := o.Get("avroSchema"); ok {
			return nil, condition.Newf(condition.InvalidOption, "The option avroSchema: the local engine writes the schema that Spark makes of the columns. Leave it out, or run the query on Spark.")
		}
		out.codec = strings.ToLower(o.text("compression", "snappy"))
		out.avro = avro.Naming{Record: o.text("recordName", ""), Namespace: o.text("recordNamespace", "")}
		if out.extension, err = avro.Extension(out.codec); err != nil {
			return nil, err
		}
	default:
		out.codec = strings.ToLower(o.text("compression", o.text("codec", "none")))
		ending, ok := map[string]string{"none": "", "uncompressed": "", "gzip": ".gz", "deflate": ".deflate", "zstd": ".zst", "snappy": ".snappy", "lz4": ".lz4"}[out.codec]
		if !ok {
			return nil, condition.Newf(condition.InvalidOption, "The option compression: the local engine writes %s with none, gzip, deflate, snappy, lz4 or zstd, not %q.", out.format, out.codec)
		}
		out.extension = "." + out.format + ending
		switch out.format {
		case "json":
			out.json, err = fmtjson.ParseOptions(s.Options, env.Zone)
		case "csv":
			out.extension = "." + o.text("extension", out.format) + ending
			out.csv, err = csv.ParseOptions(s.Options, env.Zone)
		case formatText:
			out.extension = ".txt" + ending
		}
		if err != nil {
			return nil, err
		}
		if out.shape, err = newShape(out.format, o, true); err != nil {
			return nil, err
		}
		// Text is written as the bytes that it is; only the ends of its lines are in the character set.
		switch {
		case out.shape.sep == nil:
			out.shape.sep, out.shape.sepText = []byte("\n"), "\n"
		case out.format == formatText:
			out.shape.sepText = string(out.shape.sep)
		}
	}
	if err := o.err(); err != nil {
		return nil, err
	}
	if env.Streaming {
		if err := out.claim(); err != nil {
			return nil, err
		}
		if err := out.recover(); err != nil {
			_ = out.Close() // it gives the folder back, and cannot fail
			return nil, err
		}
	}
	return out, nil
}

// claim takes the sink's folder until Close, in this process and, by a lock, before others. Two queries would take each other's epochs for their own, and the log tells
// them apart only once one of them has committed.
func (s *sink) claim() error {
	free, ok := connector.Claim(s.env.FS, s.root, "output")
	if !ok {
		return s.taken()
	}
	unlock, err := s.lock(s.who())
	if err != nil {
		free()
		if errors.Is(err, durable.ErrHeld) {
			return s.taken()
		}
		return writeFailed(s.root, err)
	}
	s.release = func() {
		unlock()
		free()
	}
	return nil
}

// taken refuses a second writer and names the first.
func (s *sink) taken() error {
	e := condition.Newf(condition.ConcurrentStreamLog, "Another query writes into the folder %s: %s.", uri(s.root), s.holder())
	e.Hint = "Stop it first, or write into another folder."
	return e
}

func (s *sink) path(rel string) string { return s.env.FS.PathJoin(s.root, rel) }

// recover reads the newest manifest, finishes its renames and clears what was not committed.
func (s *sink) recover() error {
	fs := s.env.FS
	dir := s.path(metaDir)
	if err := durable.Mkdir(fs, s.path(metaDir+"/tmp")); err != nil {
		return writeFailed(s.root, err)
	}
	names, err := fs.List(dir)
	if err != nil {
		return writeFailed(dir, err)
	}
	newest := int64(-1)
	for _, n := range names {
		if id, err := strconv.ParseInt(n, 10, 64); err == nil && id > newest {
			newest = id
		}
	}
	s.last = nil
	if newest >= 0 {
		if s.last, err = s.readManifest(newest); err != nil {
			return err
		}
		if s.env.QueryID != "" && s.last.QueryID != "" && s.last.QueryID != s.env.QueryID {
			e := condition.Newf(condition.CheckpointMismatch, "The folder %s was written by another query (%s), whose epochs would be taken for those of this one (%s).", uri(s.root), s.last.QueryID, s.env.QueryID)
			e.Hint = "Write into another folder, go on with the other query's checkpoint, or remove " + metaDir + " if its files are to stay beside the new ones."
			return e
		}
		// The temporary folder goes when every file is in place. Without it there is nothing to do, and the files may have been moved on.
		switch _, err := fs.Stat(s.path(s.tmpDir(newest))); {
		case err == nil:
			if err := s.publish(s.last.Files); err != nil {
				return err
			}
		case !isNotExist(err):
			// Nothing is known of the folder, which may hold the only copy of the rows.
			return writeFailed(s.path(s.tmpDir(newest)), err)
		}
	}
	tmp := s.path(metaDir + "/tmp")
	left, err := fs.List(tmp)
	if err != nil {
		return writeFailed(tmp, err)
	}
	for _, n := range left {
		if err := fs.RemoveAll(fs.PathJoin(tmp, n)); err != nil {
			return writeFailed(tmp, err)
		}
	}
	return nil
}

// tmpDir is where an epoch's files wait, relative to the root.
func (s *sink) tmpDir(epoch int64) string { return fmt.Sprintf("%s/tmp/%05d", metaDir, epoch) }

func (s *sink) readManifest(epoch int64) (*manifest, error) {
	name := s.path(metaDir + "/" + strconv.FormatInt(epoch, 10))
	f, err := s.env.FS.Open(name)
	if err != nil {
		return nil, writeFailed(name, err)
	}
	text, err := io.ReadAll(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, writeFailed(name, err)
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil || m.Version != manifestVersion || m.Epoch != epoch {
		e := condition.Newf(condition.CheckpointCorrupt, "The log of the file sink, %s, is damaged or of another version.", name)
		e.Cause = err
		return nil, e
	}
	return &m, nil
}

// publish renames the files of a commit into place; those that are there already were renamed before a crash.
func (s *sink) publish(files []movedFile) error {
	fs := s.env.FS
	dirs := map[string]bool{s.root: true}
	for _, f := range files {
		from, to := s.path(f.Temp), s.path(f.Path)
		dir := fs.PathDir(to)
		for n := 1; ; n++ {
			if err := s.makeDirs(dir, dirs); err != nil {
				return writeFailed(dir, err)
			}
			err := fs.Rename(from, to)
			if err == nil {
				break
			}
			if isNotExist(err) {
				_, there := fs.Stat(to)
				if there == nil {
					break
				}
				if !isNotExist(there) {
					return writeFailed(to, there)
				}
				if _, err := fs.Stat(from); err == nil && n < attempts {
					delete(dirs, dir) // an overwrite has just removed the folder, which was empty
					continue
				}
			}
			return writeFailed(to, err)
		}
	}
	ordered := make([]string, 0, len(dirs))
	for d := range dirs {
		ordered = append(ordered, d)
	}
	sort.Strings(ordered)
	for _, d := range ordered {
		err := durable.SyncDir(fs, d)
		if isNotExist(err) && !s.env.Streaming {
			continue // an overwrite has replaced the rows already
		}
		if err != nil {
			return writeFailed(d, err)
		}
	}
	return nil
}

// makeDirs makes a folder below the root and notes it and its parents, whose entries must be synced.
func (s *sink) makeDirs(dir string, dirs map[string]bool) error {
	if dirs[dir] {
		return nil
	}
	if err := durable.MkdirAll(s.env.FS, dir); err != nil {
		return err
	}
	for d := dir; len(d) > len(s.root); d = s.env.FS.PathDir(d) {
		dirs[d] = true
	}
	return nil
}

// Write implements [connector.Sink].
func (s *sink) Write(ctx context.Context, epoch int64, _ tree.OutputMode, schema []datatype.Field, rows connector.Batches) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.check(schema); err != nil {
		return 0, err
	}
	if !s.env.Streaming {
		return s.writeBatch(ctx, schema, rows)
	}
	if s.hanging {
		if err := s.publish(s.last.Files); err != nil {
			return 0, err
		}
		s.hanging = false
		_ = s.env.FS.RemoveAll(s.path(s.tmpDir(s.last.Epoch)))
	}
	switch {
	case s.last != nil && epoch < s.last.Epoch:
		// Only the last epoch runs again after a crash. An older one comes of a checkpoint that was put back, and what it would write now
		// may differ from what the folder has.
		e := condition.Newf(condition.CheckpointMismatch, "The folder %s has the epochs up to %d, and the query runs epoch %d.", uri(s.root), s.last.Epoch, epoch)
		e.Hint = "The checkpoint is older than the folder: restore the folder of the same moment too, or start the query with a new checkpoint and a new folder."
		return 0, e
	case s.last != nil && epoch == s.last.Epoch:
		// Committed before a restart. The rows are drawn all the same, for the operators above must reach the end of the epoch.
		return s.last.Rows, drain(rows)
	}
	id := ""
	if q := strings.ReplaceAll(s.env.QueryID, "-", ""); q != "" {
		id = "-" + q[:min(8, len(q))]
	}
	w := &epochWriter{sink: s, ctx: ctx, schema: schema, tmp: s.tmpDir(epoch), name: func(n int) string { return fmt.Sprintf("part-%05d-%05d%s%s", epoch, n, id, s.extension) }}
	files, total, err := w.write(rows, false)
	if err != nil {
		_ = s.env.FS.RemoveAll(s.path(w.tmp)) // hidden files, which the next start clears else
		return 0, writeFailed(s.root, err)
	}
	m := &manifest{Version: manifestVersion, QueryID: s.env.QueryID, Epoch: epoch, Rows: total, Files: files}
	if err := s.commit(m, w.tmp); err != nil {
		return 0, writeFailed(s.root, err)
	}
	return total, nil
}

func drain(rows connector.Batches) error {
	for b, err := range rows {
		if err != nil {
			return err
		}
		b.Release()
	}
	return nil
}

// commit makes an epoch visible whose files wait in tmp. After an error it is either not committed, or a retry or the next start finishes it.
func (s *sink) commit(m *manifest, tmp string) error {
	fs := s.env.FS
	// The entries of the temporary files must be durable before the manifest speaks of them.
	for _, d := range []string{tmp, metaDir + "/tmp"} {
		if err := durable.SyncDir(fs, s.path(d)); err != nil && !isNotExist(err) {
			return err
		}
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := durable.Write(fs, s.path(metaDir+"/"+strconv.FormatInt(m.Epoch, 10)), text); err != nil {
		// The manifest may be in place all the same, for the sync of its folder comes last. So the files that it names stay: the next start
		// publishes them, or clears them when there is no manifest.
		return err
	}
	old := s.last
	s.last = m
	if err := s.publish(m.Files); err != nil {
		s.hanging = true
		return err
	}
	// What was needed for the commit goes; failures leave hidden files that the next start clears.
	_ = fs.RemoveAll(s.path(tmp))
	if old != nil {
		_ = fs.Remove(s.path(metaDir + "/" + strconv.FormatInt(old.Epoch, 10)))
	}
	return nil
}

// writeBatch writes the rows of a batch query under the save mode. Its temporary files are in a folder of its own, and it removes nothing but what it has made and, when it
// overwrites, the files that were visible when its own were ready: so appends may run beside each other and beside anything else. Whoever replaces rows, or must
// be the first, has the folder's lock.
func (s *sink) writeBatch(ctx context.Context, schema []datatype.Field, rows connector.Batches) (total int64, err error) {
	fs := s.env.FS
	existed := true
	if _, err := fs.Stat(s.root); isNotExist(err) {
		existed = false
	} else if err != nil {
		return 0, writeFailed(s.root, err)
	}
	switch {
	case existed && s.env.Save == tree.ErrorIfExists:
		return 0, s.alreadyThere()
	case existed && s.env.Save == tree.SaveIgnore:
		return 0, nil
	}
	if err := durable.Mkdir(fs, s.root); err != nil {
		return 0, writeFailed(s.root, err)
	}
	// Folders that are empty at the end go, and no others: what a neighbour has begun is in them.
	defer func() {
		_ = fs.Remove(s.path(metaDir))
		if err != nil && !existed {
			_ = fs.Remove(s.root)
		}
	}()
	if s.env.Save != tree.SaveAppend {
		release, err := s.alone()
		if err != nil {
			return 0, err
		}
		defer release()
		if s.env.Save != tree.SaveOverwrite {
			// Another may have been the first between the look at the folder and the lock.
			names, err := fs.List(s.root)
			switch {
			case err != nil:
				return 0, writeFailed(s.root, err)
			case !slices.ContainsFunc(names, func(n string) bool { return n != metaDir }):
			case s.env.Save == tree.SaveIgnore:
				return 0, nil
			default:
				return 0, s.alreadyThere()
			}
		}
	}
	id := uuid.NewString()
	tmp := metaDir + "/tmp-" + id
	defer func() { _ = fs.RemoveAll(s.path(tmp)) }() // hidden files
	w := &epochWriter{sink: s, ctx: ctx, schema: schema, tmp: tmp, name: func(n int) string { return fmt.Sprintf("part-%05d-%s%s", n, id, s.extension) }}
	files, total, err := w.write(rows, true)
	if err != nil {
		return 0, writeFailed(s.root, err)
	}
	var old []string
	if s.env.Save == tree.SaveOverwrite {
		if old, err = s.visible(); err != nil {
			return 0, writeFailed(s.root, err)
		}
	}
	if err = s.publish(files); err == nil && !existed {
		err = durable.SyncDir(fs, fs.PathDir(s.root))
	}
	if err != nil {
		for _, f := range files {
			_ = fs.Remove(s.path(f.Path))
			for d := fs.PathDir(s.path(f.Path)); len(d) > len(s.root) && fs.Remove(d) == nil; {
				d = fs.PathDir(d)
			}
		}
		return 0, writeFailed(s.root, err)
	}
	// The new files are durable and visible, so the old ones can go.
	for _, o := range old {
		if err := fs.RemoveAll(o); err != nil && !isNotExist(err) {
			return 0, writeFailed(o, err)
		}
	}
	if len(old) > 0 {
		s.removeEmptyDirs()
	}
	if f, err := fs.Create(s.path("_SUCCESS"), vfs.WriteCategoryUnspecified); err != nil {
		return 0, writeFailed(s.path("_SUCCESS"), err)
	} else if err := errors.Join(f.Sync(), f.Close(), durable.SyncDir(fs, s.root)); err != nil {
		return 0, writeFailed(s.path("_SUCCESS"), err)
	}
	return total, nil
}

func (s *sink) alreadyThere() error {
	e := condition.Newf(condition.PathAlreadyExists, "The path %s exists already.", uri(s.root))
	e.Hint = "Write with the save mode overwrite or append, or into another folder."
	return e
}

// alone takes the folder for a batch write that must not have another writer but appends beside it.
func (s *sink) alone() (release func(), err error) {
	free, where, use, ok := connector.ClaimTree(s.env.FS, s.root, "output")
	if !ok {
		e := condition.Newf(condition.ConcurrentStreamLog, "The folder %s cannot be overwritten: a running query has its %s in %s.", uri(s.root), use, uri(where))
		e.Hint = "Stop the query first or wait for its end, or write into another folder."
		return nil, e
	}
	unlock, err := s.lock(s.who())
	if err != nil {
		free()
		if errors.Is(err, durable.ErrHeld) {
			e := condition.Newf(condition.ConcurrentStreamLog, "The folder %s cannot be overwritten: %s writes into it.", uri(s.root), s.holder())
			e.Hint = "Stop the query first or wait for its end, or write into another folder."
			return nil, e
		}
		return nil, writeFailed(s.root, err)
	}
	return func() {
		unlock()
		free()
	}, nil
}

// visible lists the files below the root that an overwrite replaces: all but the sink's own log. That stays, so that a stream which goes on
// in the folder does not write an epoch again.
func (s *sink) visible() ([]string, error) {
	fs := s.env.FS
	var out []string
	var walk func(dir string) error
	walk = func(dir string) error {
		names, err := fs.List(dir)
		if err != nil {
			return err
		}
		for _, n := range names {
			full := fs.PathJoin(dir, n)
			if dir == s.root && n == metaDir {
				continue
			}
			info, err := fs.Stat(full)
			if isNotExist(err) {
				continue // a neighbour removed what it had made
			}
			if err != nil {
				return err
			}
			if info.IsDir() {
				if err := walk(full); err != nil && !isNotExist(err) {
					return err
				}
				continue
			}
			out = append(out, full)
		}
		return nil
	}
	info, err := fs.Stat(s.root)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{s.root}, nil
	}
	return out, walk(s.root)
}

// removeEmptyDirs removes the partition folders that an overwrite left empty.
func (s *sink) removeEmptyDirs() {
	fs := s.env.FS
	var walk func(dir string) bool
	walk = func(dir string) bool {
		names, err := fs.List(dir)
		if err != nil {
			return false
		}
		empty := true
		for _, n := range names {
			full := fs.PathJoin(dir, n)
			info, err := fs.Stat(full)
			if err != nil || !info.IsDir() || dir == s.root && n == metaDir {
				empty = false
				continue
			}
			if walk(full) {
				_ = fs.Remove(full)
			} else {
				empty = false
			}
		}
		return empty
	}
	walk(s.root)
}

// check holds the schema against what the format and the partitioning can take.
func (s *sink) check(schema []datatype.Field) error {
	seen := map[string]bool{}
	for _, f := range schema {
		k := datatype.FoldName(f.Name)
		if seen[k] {
			return condition.Newf(condition.ColumnAlreadyExists, "The column %s comes twice, which a file does not hold.", datatype.QuoteName(f.Name))
		}
		seen[k] = true
	}
	for _, p := range s.partition {
		i := fieldOf(schema, p)
		if i < 0 {
			return condition.Newf(condition.UnresolvedColumn, "The partition column %s is not among the columns %s.", datatype.QuoteName(p), datatype.DDL(schema))
		}
		if schema[i].Type.Kind() >= datatype.KindCalendarInterval {
			return condition.Newf(condition.InvalidPartitionColumnType, "The column %s of type %s cannot name folders.", datatype.QuoteName(p), schema[i].Type)
		}
	}
	if len(s.partition) > 0 && len(s.partition) == len(schema) {
		return condition.Newf(condition.AllPartitionColumns, "Every column is a partition column, so the files would hold nothing.")
	}
	// What the format refuses is refused for no rows too.
	var data []datatype.Field
	for i, f := range schema {
		if !slices.ContainsFunc(s.partition, func(p string) bool { return fieldOf(schema, p) == i }) {
			data = append(data, f)
		}
	}
	switch s.format {
	case formatText:
		return textline.Check(data)
	case formatAvro:
		w, err := avro.NewWriter(io.Discard, data, s.codec, s.avro)
		if err != nil {
			return err
		}
		return w.Close()
	}
	return nil
}

// epochWriter writes the files of one epoch or batch.
type epochWriter struct {
	sink   *sink
	ctx    context.Context
	schema []datatype.Field
	tmp    string // relative to the root
	name   func(n int) string

	data    []int // ordinals of the columns in the files
	folders []int // ordinals of the partition columns
	open    map[string]*openFile
	order   []string // folders of open files, longest unused first
	done    []movedFile
	files   int
	total   int64
	made    bool
}

// maxOpen is how many partitions are written at once; with more of them the one that rested longest is closed, and goes on in a second file.
const maxOpen = 100

// openFile is a file that is being written.
type openFile struct {
	file   vfs.File
	moved  movedFile
	encode encoder
}

// encoder writes batches of the data columns.
type encoder interface {
	Write(rec arrow.RecordBatch) error
	Close() error
}

// write gives the files, closed and synced, in the order in which they were begun. With always set there is one even for no rows, as a
// batch write of Spark's leaves.
func (w *epochWriter) write(rows connector.Batches, always bool) (files []movedFile, total int64, err error) {
	defer func() {
		for _, f := range w.open {
			_ = f.file.Close() // only after an error: the temporary files go anyway
		}
	}()
	w.open = map[string]*openFile{}
	isPartition := map[int]bool{}
	for _, p := range w.sink.partition {
		i := fieldOf(w.schema, p)
		w.folders = append(w.folders, i)
		isPartition[i] = true
	}
	for i := range w.schema {
		if !isPartition[i] {
			w.data = append(w.data, i)
		}
	}
	for b, err := range rows {
		if err != nil {
			return nil, 0, err
		}
		if err := w.ctx.Err(); err != nil {
			b.Release()
			return nil, 0, err
		}
		err := w.batch(b)
		b.Release()
		if err != nil {
			return nil, 0, err
		}
	}
	if always && w.files == 0 && len(w.folders) == 0 {
		if _, err := w.file(""); err != nil {
			return nil, 0, err
		}
	}
	for len(w.order) > 0 {
		if err := w.finish(w.order[0]); err != nil {
			return nil, 0, err
		}
	}
	sort.Slice(w.done, func(i, j int) bool { return w.done[i].Temp < w.done[j].Temp })
	return w.done, w.total, nil
}

func (w *epochWriter) batch(b arrow.RecordBatch) error {
	if int(b.NumCols()) != len(w.schema) {
		return fmt.Errorf("a batch of %d columns does not fit a schema of %d", b.NumCols(), len(w.schema))
	}
	n := int(b.NumRows())
	if n == 0 {
		return nil
	}
	cols := make([]arrow.Array, len(w.data))
	fields := make([]arrow.Field, len(w.data))
	for k, i := range w.data {
		cols[k], fields[k] = b.Column(i), b.Schema().Field(i)
	}
	data := array.NewRecordBatch(arrow.NewSchema(fields, nil), cols, int64(n))
	defer data.Release()
	if len(w.folders) == 0 {
		return w.append("", data)
	}
	groups, order, err := w.split(b)
	if err != nil {
		return err
	}
	for _, dir := range order {
		part, err := gather(data, groups[dir])
		if err != nil {
			return err
		}
		err = w.append(dir, part)
		part.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// split groups the rows of a batch by folder, in the order in which the folders come first.
func (w *epochWriter) split(b arrow.RecordBatch) (map[string][]int, []string, error) {
	texts := make([]func([]byte, int) []byte, len(w.folders))
	for k, i := range w.folders {
		t, ok := scalar.Text(w.schema[i].Type, b.Column(i), w.sink.env.Zone)
		if !ok {
			return nil, nil, condition.Newf(condition.InvalidPartitionColumnType, "Values of type %s cannot name folders.", w.schema[i].Type)
		}
		texts[k] = t
	}
	groups := map[string][]int{}
	var order []string
	var buf, key []byte
	for row := range int(b.NumRows()) {
		key = key[:0]
		for k, i := range w.folders {
			if k > 0 {
				key = append(key, '/')
			}
			key = append(key, escapePath(w.schema[i].Name)...)
			key = append(key, '=')
			buf = buf[:0]
			if !b.Column(i).IsNull(row) {
				buf = texts[k](buf, row)
			}
			// The empty text shares the folder of null, so it comes back as null: as in Spark.
			if len(buf) == 0 {
				key = append(key, defaultPartition...)
			} else {
				key = append(key, escapePath(string(buf))...)
			}
		}
		if _, ok := groups[string(key)]; !ok {
			order = append(order, string(key))
		}
		groups[string(key)] = append(groups[string(key)], row)
	}
	return groups, order, nil
}

// gather takes rows, given in ascending order, as runs of neighbours.
func gather(rec arrow.RecordBatch, rows []int) (arrow.RecordBatch, error) {
	if len(rows) == int(rec.NumRows()) {
		rec.Retain()
		return rec, nil
	}
	cols := make([]arrow.Array, rec.NumCols())
	defer func() {
		for _, c := range cols {
			if c != nil {
				c.Release()
			}
		}
	}()
	for k, c := range rec.Columns() {
		var parts []arrow.Array
		for i := 0; i < len(rows); {
			j := i + 1
			for j < len(rows) && rows[j] == rows[j-1]+1 {
				j++
			}
			parts = append(parts, array.NewSlice(c, int64(rows[i]), int64(rows[j-1]+1)))
			i = j
		}
		out, err := array.Concatenate(parts, memory.DefaultAllocator)
		for _, p := range parts {
			p.Release()
		}
		if err != nil {
			return nil, err
		}
		cols[k] = out
	}
	return array.NewRecordBatch(rec.Schema(), cols, int64(len(rows))), nil
}

func (w *epochWriter) append(dir string, rec arrow.RecordBatch) error {
	limit := w.sink.maxRows
	for from := int64(0); from < rec.NumRows(); {
		f, err := w.file(dir)
		if err != nil {
			return err
		}
		n := rec.NumRows() - from
		if limit > 0 {
			n = min(n, limit-f.moved.Rows)
		}
		part := rec.NewSlice(from, from+n)
		err = f.encode.Write(part)
		part.Release()
		if err != nil {
			return err
		}
		f.moved.Rows += n
		w.total += n
		from += n
		if limit > 0 && f.moved.Rows >= limit {
			if err := w.finish(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// file gives the open file of a folder, which it begins if need be.
func (w *epochWriter) file(dir string) (*openFile, error) {
	if f, ok := w.open[dir]; ok {
		if len(w.order) > 1 {
			w.touch(dir)
		}
		return f, nil
	}
	if len(w.open) >= maxOpen {
		if err := w.finish(w.order[0]); err != nil {
			return nil, err
		}
	}
	fs := w.sink.env.FS
	if !w.made {
		if err := durable.MkdirAll(fs, w.sink.path(w.tmp)); err != nil {
			return nil, err
		}
		w.made = true
	}
	name := w.name(w.files)
	temp := fmt.Sprintf("%s/%08d.tmp", w.tmp, w.files)
	w.files++
	file, err := fs.Create(w.sink.path(temp), vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	f := &openFile{file: file, moved: movedFile{Temp: temp, Path: name}}
	if dir != "" {
		f.moved.Path = dir + "/" + name
	}
	fields := make([]datatype.Field, len(w.data))
	for k, i := range w.data {
		fields[k] = w.schema[i]
	}
	if f.encode, err = w.sink.encoder(&copyingWriter{file: file}, fields); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	w.open[dir] = f
	w.order = append(w.order, dir)
	return f, nil
}

func (w *epochWriter) touch(dir string) {
	for i, d := range w.order {
		if d == dir {
			w.order = append(append(w.order[:i:i], w.order[i+1:]...), dir)
			return
		}
	}
}

// finish closes the file of a folder durably.
func (w *epochWriter) finish(dir string) error {
	f := w.open[dir]
	delete(w.open, dir)
	for i, d := range w.order {
		if d == dir {
			w.order = append(w.order[:i:i], w.order[i+1:]...)
			break
		}
	}
	err := f.encode.Close()
	if err == nil {
		err = f.file.Sync()
	}
	if err := errors.Join(err, f.file.Close()); err != nil {
		return err
	}
	w.done = append(w.done, f.moved)
	return nil
}

// copyingWriter hands copies to a file, for vfs.File.Write may change what it is given, and compressors and the Parquet writer use their
// buffers again. It hides the file's Close from them too.
type copyingWriter struct {
	file vfs.File
	buf  []byte
}

// Write implements io.Writer.
func (w *copyingWriter) Write(p []byte) (int, error) {
	w.buf = append(w.buf[:0], p...)
	return w.file.Write(w.buf)
}

// encoder begins a file of the sink's format.
func (s *sink) encoder(f io.Writer, fields []datatype.Field) (encoder, error) {
	switch s.format {
	case "parquet":
		return parquet.NewWriter(f, fields, s.codec)
	case formatAvro:
		return avro.NewWriter(f, fields, s.codec, s.avro)
	}
	t := &textEncoder{fields: fields, out: f, close: func() error { return nil }, first: true}
	if s.format != formatText {
		t.set = s.shape.set
	}
	switch s.codec {
	case "gzip":
		z := gzip.NewWriter(f)
		t.out, t.close = z, z.Close
	case "deflate":
		z := zlib.NewWriter(f)
		t.out, t.close = z, z.Close
	case "zstd":
		z, err := zstd.NewWriter(f, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		t.out, t.close = z, z.Close
	case "snappy", "lz4":
		z := hadoop.NewWriter(f, map[string]*hadoop.Codec{"snappy": hadoop.Snappy, "lz4": hadoop.LZ4}[s.codec])
		t.out, t.close = z, z.Close
	}
	if s.format == formatText {
		t.rows = func(cols []arrow.Array) (func([]byte, int) []byte, error) {
			return textline.Rows(cols, string(s.shape.sep))
		}
		return t, nil
	}
	if s.format == "csv" {
		e, err := csv.NewEncoder(fields, s.csv)
		if err != nil {
			return nil, err
		}
		t.buf = e.Header(t.buf)
		t.rows = e.Rows
		return t, nil
	}
	e := fmtjson.NewEncoder(s.json)
	t.rows = func(cols []arrow.Array) (func([]byte, int) []byte, error) {
		w, err := e.Rows(fields, cols)
		if err != nil {
			return nil, err
		}
		return func(dst []byte, i int) []byte { return append(w(dst, i), s.shape.sepText...) }, nil
	}
	return t, nil
}

// textEncoder gathers lines and writes them in large pieces.
type textEncoder struct {
	fields []datatype.Field
	rows   func(cols []arrow.Array) (func([]byte, int) []byte, error)
	out    io.Writer
	close  func() error
	buf    []byte
	// set is the character set; first says that nothing was written yet.
	set   charset.Set
	first bool
	wide  []byte
}

// textBuffer is how much text is gathered before it is written.
const textBuffer = 256 << 10

func (t *textEncoder) Write(rec arrow.RecordBatch) error {
	w, err := t.rows(rec.Columns())
	if err != nil {
		return err
	}
	for i := range int(rec.NumRows()) {
		t.buf = w(t.buf, i)
		if len(t.buf) >= textBuffer {
			if err := t.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *textEncoder) flush() error {
	if len(t.buf) == 0 {
		return nil
	}
	out := t.buf
	if !t.set.UTF8() {
		t.wide = t.set.Encode(t.wide[:0], t.buf, t.first)
		out, t.first = t.wide, false
	}
	_, err := t.out.Write(out)
	t.buf = t.buf[:0]
	return err
}

func (t *textEncoder) Close() error { return errors.Join(t.flush(), t.close()) }

// Description implements [connector.Sink].
func (s *sink) Description() string { return "FileSink[" + s.root + "]" }

// Close implements [connector.Sink].
func (s *sink) Close() error {
	if s.release != nil {
		s.release()
	}
	return nil
}
