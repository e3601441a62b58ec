// Package checkpoint is the folder by which a streaming query resumes, laid out as Spark's:
//
//	metadata        the query's id, and what Spoonbill adds: its version and the plan's fingerprint
//	offsets/<n>     before epoch n: the watermark and time that it runs under and the end of each source's range
//	commits/<n>     behind epoch n: the watermark of the next one
//	sources/<i>/    a source's own log, and its position before the first epoch
//	state/<op>/0/   the state of a stateful operator, and beside it _schema, which describes it to readers
//
// An epoch with offsets and without a commit is run again over the same range. Each file is written to a temporary name, synced,
// renamed, and the folder synced, so that a crash leaves a file whole or not at all.
package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/spoonbill-go/spoonbill/backend/local/durable"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// Version is the version of the layout and of the encodings in state files.
const Version = 2

// Checkpoint is an open checkpoint folder of one running query.
type Checkpoint struct {
	fs   vfs.FS
	dir  string
	lock io.Closer
	// order gives for each source of the query its number in the folder; nil where they are the same.
	order []int
	// ID is the query's UUID.
	ID string
}

// metadata is the content of the file of that name.
type metadata struct {
	ID          string `json:"id"`
	Version     int    `json:"spoonbillVersion"`
	Fingerprint string `json:"fingerprint"`
}

// Offsets is an entry of the offset log.
type Offsets struct {
	// WatermarkMs is the watermark that the epoch runs under, in milliseconds since 1970.
	WatermarkMs int64 `json:"batchWatermarkMs"`
	// TimestampMs is the epoch's present moment.
	TimestampMs int64 `json:"batchTimestampMs"`
	// Conf are the settings that change results.
	Conf map[string]string `json:"conf"`
	// Ends are the ends of the sources' ranges; null for a source that has none yet.
	Ends []json.RawMessage `json:"-"`
}

// Commit is an entry of the commit log.
type Commit struct {
	// NextWatermarkMs is the watermark of the next epoch.
	NextWatermarkMs int64 `json:"nextBatchWatermarkMs"`
}

const header = "v1"

// Open makes or opens a folder and locks it: one that another query holds is refused with CONCURRENT_STREAM_LOG_UPDATE. newID names a
// new query. fingerprint describes what the state depends on, a line each; a folder of another plan is refused with SPOONBILL_CHECKPOINT_MISMATCH and the
// lines that differ. Sources are found by what their lines say, which begin with the name, so they may come in another order than in the folder; all numbers
// of sources that methods take are the query's.
func Open(fs vfs.FS, dir, newID, fingerprint string) (*Checkpoint, error) {
	if err := durable.Mkdir(fs, dir); err != nil {
		return nil, err
	}
	lock, err := Lock(fs, dir)
	if err != nil {
		return nil, err
	}
	c, err := open(fs, dir, newID, fingerprint)
	if err != nil {
		_ = lock.Close() // the first error is the one to tell
		return nil, err
	}
	c.lock = lock
	return c, nil
}

// Close gives the folder free for another query.
func (c *Checkpoint) Close() error { return c.lock.Close() }

func open(fs vfs.FS, dir, newID, fingerprint string) (*Checkpoint, error) {
	c := &Checkpoint{fs: fs, dir: dir}
	for _, d := range []string{"offsets", "commits", "sources", "state"} {
		if err := durable.Mkdir(fs, fs.PathJoin(dir, d)); err != nil {
			return nil, err
		}
	}
	path := fs.PathJoin(dir, "metadata")
	data, err := durable.Read(fs, path)
	if errors.Is(err, os.ErrNotExist) {
		if _, found, err := c.LatestOffsets(); err != nil {
			return nil, err
		} else if found {
			return nil, corrupt(path, "it is missing although there are offsets")
		}
		c.ID = newID
		b, err := json.Marshal(metadata{newID, Version, fingerprint})
		if err != nil {
			return nil, err
		}
		return c, durable.Write(fs, path, b)
	}
	if err != nil {
		return nil, err
	}
	var m metadata
	if err := json.Unmarshal(data, &m); err != nil || m.ID == "" {
		return nil, corrupt(path, "it is no JSON with an id")
	}
	if m.Version != Version {
		e := condition.Newf(condition.CheckpointMismatch, "The checkpoint %s was written by another version (%d, this is %d), or by Spark.", dir, m.Version, Version)
		e.Hint = "Start the query with a new checkpoint folder."
		return nil, e
	}
	if fingerprint, c.order = arrange(m.Fingerprint, fingerprint); m.Fingerprint != fingerprint {
		e := condition.Newf(condition.CheckpointMismatch, "The checkpoint %s belongs to another query (- it has, + this one has):\n%s\n", dir, strings.TrimRight(Diff(m.Fingerprint, fingerprint), "\n"))
		e.Hint = "Filters, projections without state, the order of sources, delays, triggers and rate limits may change; the output mode, the kind of the sink, sources and their names, and stateful operators with their expressions and order may not. Start the changed query with a new checkpoint folder."
		return nil, e
	}
	c.ID = m.ID
	return c, nil
}

// arrange puts the numbered lines of a query's sources and watermarks into the order that they have in a folder's fingerprint, as far as the same are there, and
// gives the text and for each source of the query its number in it.
func arrange(old, query string) (text string, order []int) {
	lines := strings.Split(query, "\n")
	for _, kind := range []string{"source ", "watermark "} {
		theirs, _ := numbered(strings.Split(old, "\n"), kind)
		ours, at := numbered(lines, kind)
		place := make([]int, len(ours))
		taken := make([]bool, max(len(theirs), len(ours)))
		for i, l := range ours {
			place[i] = -1
			for k, x := range theirs {
				if k < len(ours) && x == l && !taken[k] {
					place[i], taken[k] = k, true
					break
				}
			}
		}
		for i := range ours {
			for k := range ours {
				if place[i] < 0 && !taken[k] {
					place[i], taken[k] = k, true
				}
			}
		}
		for i, l := range ours {
			lines[at[place[i]]] = fmt.Sprintf("%s%d: %s", kind, place[i], l)
		}
		if kind == "source " {
			order = place
		}
	}
	return strings.Join(lines, "\n"), order
}

// numbered gives the texts of the lines of a kind, without their numbers, and where the lines are.
func numbered(lines []string, kind string) (texts []string, at []int) {
	for i, l := range lines {
		if rest, ok := strings.CutPrefix(l, kind); ok {
			_, text, _ := strings.Cut(rest, ": ")
			texts, at = append(texts, text), append(at, i)
		}
	}
	return texts, at
}

// slot is the number in the folder of a source of the query.
func (c *Checkpoint) slot(i int) int {
	if i < len(c.order) {
		return c.order[i]
	}
	return i
}

// corrupt is the error of a file that cannot be used.
func corrupt(path, why string) error {
	e := condition.Newf(condition.CheckpointCorrupt, "The checkpoint file %s cannot be used: %s.", path, why)
	e.Hint = "Restore the folder from a backup, or start the query with a new checkpoint folder, which reads its sources from their start."
	return e
}

// StateDir is the folder of a stateful operator's only partition.
func (c *Checkpoint) StateDir(op int) string {
	return c.fs.PathJoin(c.dir, "state", strconv.Itoa(op), "0")
}

// SourceDir is the folder of a source's own log.
func (c *Checkpoint) SourceDir(i int) string {
	return c.fs.PathJoin(c.dir, "sources", strconv.Itoa(c.slot(i)))
}

// FS is the file system of the folder.
func (c *Checkpoint) FS() vfs.FS { return c.fs }

// Initial gives the position of a source before the first epoch: the one that was written earlier, or else what ask gives, which is
// written, because an epoch 0 that is run again must begin where it began.
func (c *Checkpoint) Initial(i int, ask func() (json.RawMessage, error)) (json.RawMessage, error) {
	dir := c.SourceDir(i)
	if err := durable.Mkdir(c.fs, dir); err != nil {
		return nil, err
	}
	path := c.fs.PathJoin(dir, "initial")
	data, err := durable.Read(c.fs, path)
	if err == nil {
		body, ok := strings.CutPrefix(string(data), header+"\n")
		if !ok || !json.Valid([]byte(body)) {
			return nil, corrupt(path, "it is no position of a source")
		}
		return json.RawMessage(body), nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	off, err := ask()
	if err != nil {
		return nil, err
	}
	off = OneLine(off)
	return off, durable.Write(c.fs, path, append([]byte(header+"\n"), off...))
}

// OneLine puts JSON on one line, as the folder has it; nothing is null.
func OneLine(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

func (c *Checkpoint) path(log string, n int64) string {
	return c.fs.PathJoin(c.dir, log, strconv.FormatInt(n, 10))
}

// WriteOffsets writes the entry of epoch n.
func (c *Checkpoint) WriteOffsets(n int64, o Offsets) error {
	if o.Conf == nil {
		o.Conf = map[string]string{}
	}
	meta, err := json.Marshal(o)
	if err != nil {
		return err
	}
	lines := append([]string{header, string(meta)}, make([]string, len(o.Ends))...)
	for i, e := range o.Ends {
		e = OneLine(e)
		if string(e) == "null" {
			e = json.RawMessage("-") // as Spark marks a source without an offset
		}
		lines[2+c.slot(i)] = string(e)
	}
	return durable.Write(c.fs, c.path("offsets", n), []byte(strings.Join(lines, "\n")))
}

// WriteCommit writes the entry of epoch n.
func (c *Checkpoint) WriteCommit(n int64, m Commit) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return durable.Write(c.fs, c.path("commits", n), append([]byte(header+"\n"), b...))
}

// LatestOffsets gives the number of the latest entry of the offset log.
func (c *Checkpoint) LatestOffsets() (int64, bool, error) { return c.latest("offsets") }

// LatestCommit gives the number of the latest entry of the commit log.
func (c *Checkpoint) LatestCommit() (int64, bool, error) { return c.latest("commits") }

// Committed gives the number of the last committed epoch of a folder, which may be in use and need not be a checkpoint.
func Committed(fs vfs.FS, dir string) (int64, bool, error) {
	if _, err := fs.Stat(fs.PathJoin(dir, "commits")); errors.Is(err, os.ErrNotExist) {
		return 0, false, nil
	}
	return (&Checkpoint{fs: fs, dir: dir}).LatestCommit()
}

// latest is the greatest number among a log's files; temporary files have other names.
func (c *Checkpoint) latest(log string) (int64, bool, error) {
	names, err := durable.List(c.fs, c.fs.PathJoin(c.dir, log))
	if err != nil {
		return 0, false, err
	}
	best, found := int64(0), false
	for _, n := range names {
		if v, err := strconv.ParseInt(n, 10, 64); err == nil && v >= 0 && (!found || v > best) {
			best, found = v, true
		}
	}
	return best, found, nil
}

// ReadOffsets reads the entry of epoch n, of a query with so many sources.
func (c *Checkpoint) ReadOffsets(n int64, sources int) (Offsets, error) {
	path := c.path("offsets", n)
	var o Offsets
	data, err := durable.Read(c.fs, path)
	if errors.Is(err, os.ErrNotExist) {
		return o, corrupt(path, "it is missing")
	}
	if err != nil {
		return o, err
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	switch {
	case lines[0] != header:
		return o, corrupt(path, fmt.Sprintf("it does not begin with %s", header))
	case len(lines) < 2 || json.Unmarshal([]byte(lines[1]), &o) != nil:
		return o, corrupt(path, "its second line is no JSON")
	case len(lines)-2 != sources:
		return o, corrupt(path, fmt.Sprintf("it has offsets of %d sources, and the query has %d", len(lines)-2, sources))
	}
	for i := range sources {
		l := lines[2+c.slot(i)]
		if l == "-" {
			o.Ends = append(o.Ends, nil)
			continue
		}
		if !json.Valid([]byte(l)) {
			return o, corrupt(path, "an offset is no JSON")
		}
		o.Ends = append(o.Ends, json.RawMessage(l))
	}
	return o, nil
}

// ReadCommit reads the entry of epoch n.
func (c *Checkpoint) ReadCommit(n int64) (Commit, error) {
	path := c.path("commits", n)
	var m Commit
	data, err := durable.Read(c.fs, path)
	if errors.Is(err, os.ErrNotExist) {
		return m, corrupt(path, "it is missing")
	}
	if err != nil {
		return m, err
	}
	body, ok := strings.CutPrefix(string(data), header+"\n")
	if !ok || json.Unmarshal([]byte(body), &m) != nil {
		return m, corrupt(path, "it is no entry of a commit log")
	}
	return m, nil
}

// Purge removes the entries of both logs that are older than the last so many before epoch n.
func (c *Checkpoint) Purge(n, retain int64) error {
	for _, log := range []string{"offsets", "commits"} {
		names, err := durable.List(c.fs, c.fs.PathJoin(c.dir, log))
		if err != nil {
			return err
		}
		for _, name := range names {
			if v, err := strconv.ParseInt(name, 10, 64); err == nil && v <= n-retain {
				if err := durable.Remove(c.fs, c.path(log, v)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Diff gives the lines of two texts, those of the old only with a minus, those of the new only with a plus.
func Diff(old, new string) string {
	a, b := strings.Split(strings.TrimSpace(old), "\n"), strings.Split(strings.TrimSpace(new), "\n")
	// The longest common subsequence by the textbook: plans have tens of lines.
	lcs := make([][]int, len(a)+1)
	for i := range lcs {
		lcs[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				lcs[i][j] = lcs[i+1][j+1] + 1
			} else {
				lcs[i][j] = max(lcs[i+1][j], lcs[i][j+1])
			}
		}
	}
	var out []string
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, "  "+a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && lcs[i+1][j] >= lcs[i][j+1]:
			out = append(out, "- "+a[i])
			i++
		default:
			out = append(out, "+ "+b[j])
			j++
		}
	}
	return strings.Join(out, "\n")
}
