package file

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/spoonbill-go/spoonbill/backend/local/durable"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// seenLog is the log of the files that a stream has taken, in Spark's layout: a file for each batch of the source, named by its
// number, with a line "v1" and a JSON object for each input file. Every tenth holds all that came before too (<n>.compact).
type seenLog struct {
	fs  vfs.FS
	dir string // "" keeps the log in memory
	// batches are the entries by batch.
	batches map[int64][]entry
	last    int64 // -1 before the first
	// forgotten is the time of change below which files are not in the log any more although they may have been taken; 0 for none.
	forgotten int64
}

// seenLine is one line of the log. Source: Spark's FileStreamSource.FileEntry.
type seenLine struct {
	Path      string `json:"path"`
	Timestamp int64  `json:"timestamp"`
	BatchID   int64  `json:"batchId"`
	// ForgottenBefore is in a line of its own, without a file: see seenLog.forgotten.
	ForgottenBefore int64 `json:"forgottenBefore,omitempty"`
}

// compactEvery is how often the log is written anew in one piece (spark.sql.streaming.fileSource.log.compactInterval).
const compactEvery = 10

func newSeenLog(fs vfs.FS) *seenLog { return &seenLog{fs: fs, batches: map[int64][]entry{}, last: -1} }

// open reads the log of a folder, which it creates.
func (l *seenLog) open(dir string) error {
	l.dir = dir
	if err := durable.Mkdir(l.fs, dir); err != nil {
		return l.failed(dir, err)
	}
	names, err := l.fs.List(dir)
	if err != nil {
		return l.failed(dir, err)
	}
	numbers := map[int64]string{}
	compact := int64(-1)
	for _, n := range names {
		base, isCompact := strings.CutSuffix(n, ".compact")
		id, err := strconv.ParseInt(base, 10, 64)
		if err != nil || id < 0 {
			if strings.HasSuffix(n, ".tmp") {
				// A write that a crash cut off; the batch was never used.
				if err := l.fs.Remove(l.fs.PathJoin(dir, n)); err != nil && !isNotExist(err) {
					return l.failed(dir, err)
				}
			}
			continue
		}
		numbers[id] = n
		if isCompact && id > compact {
			compact = id
		}
		l.last = max(l.last, id)
	}
	ids := make([]int64, 0, len(numbers))
	for id := range numbers {
		if id >= compact {
			ids = append(ids, id)
		}
	}
	sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
	for i, id := range ids {
		if i > 0 && id != ids[i-1]+1 {
			return l.corrupt(dir, fmt.Errorf("batch %d is missing", ids[i-1]+1))
		}
		if err := l.read(l.fs.PathJoin(dir, numbers[id])); err != nil {
			return err
		}
	}
	return nil
}

func (l *seenLog) read(name string) error {
	f, err := l.fs.Open(name)
	if err != nil {
		return l.failed(name, err)
	}
	text, err := io.ReadAll(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return l.failed(name, err)
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<24)
	if !lines.Scan() || lines.Text() != "v1" {
		return l.corrupt(name, fmt.Errorf("the first line is not v1"))
	}
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var s seenLine
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return l.corrupt(name, err)
		}
		if s.ForgottenBefore > 0 && s.Path == "" {
			l.forgotten = max(l.forgotten, s.ForgottenBefore)
			continue
		}
		u, err := url.Parse(s.Path)
		if err != nil || u.Scheme != "file" {
			return l.corrupt(name, fmt.Errorf("%q is no file", s.Path))
		}
		l.batches[s.BatchID] = append(l.batches[s.BatchID], entry{path: u.Path, modified: s.Timestamp})
	}
	if err := lines.Err(); err != nil {
		return l.corrupt(name, err)
	}
	return nil
}

// add appends a batch. When it returns without error the batch is durable. Whenever the log is written in one piece, it forgets the files of
// the batches up to committed that were changed before oldest: the limit of age keeps them out from now on.
func (l *seenLog) add(files []entry, committed, oldest int64) (int64, error) {
	id := l.last + 1
	forgotten := l.forgotten
	kept := map[int64][]entry{}
	if l.dir != "" {
		name := strconv.FormatInt(id, 10)
		lines := linesOf(id, files)
		compact := (id+1)%compactEvery == 0
		if compact {
			name += ".compact"
			var all []byte
			for b := int64(0); b < id; b++ {
				for _, e := range l.batches[b] {
					if b <= committed && e.modified < oldest {
						forgotten = max(forgotten, oldest)
						continue
					}
					kept[b] = append(kept[b], e)
				}
				all = append(all, linesOf(b, kept[b])...)
			}
			if forgotten > 0 {
				line, err := json.Marshal(seenLine{ForgottenBefore: forgotten})
				if err != nil {
					return 0, l.failed(l.dir, err)
				}
				all = append(append(line, '\n'), all...)
			}
			lines = append(all, lines...)
		}
		if err := durable.Write(l.fs, l.fs.PathJoin(l.dir, name), append([]byte("v1\n"), lines...)); err != nil {
			return 0, l.failed(l.fs.PathJoin(l.dir, name), err)
		}
		if compact {
			l.batches, l.forgotten = kept, forgotten
			// What the piece replaces goes; a failure leaves files that the next start passes over.
			for b := id - compactEvery; b < id; b++ {
				_ = l.fs.Remove(l.fs.PathJoin(l.dir, strconv.FormatInt(b, 10)))
				_ = l.fs.Remove(l.fs.PathJoin(l.dir, strconv.FormatInt(b, 10)+".compact"))
			}
		}
	}
	l.batches[id] = files
	l.last = id
	return id, nil
}

func linesOf(id int64, files []entry) []byte {
	var out []byte
	for _, e := range files {
		line, err := json.Marshal(seenLine{Path: uri(e.path), Timestamp: e.modified, BatchID: id})
		if err != nil {
			continue // text and numbers always marshal
		}
		out = append(append(out, line...), '\n')
	}
	return out
}

func (l *seenLog) failed(name string, err error) error {
	e := condition.Newf(condition.ConnectorFailed, "The log of the files that the source has seen, %s, cannot be read or written.", name)
	e.Cause = durable.Cause(err)
	e.Hint = "Look at the rights and the health of the disk, then start the query again: it goes on where it was."
	if errors.Is(err, syscall.ENOSPC) {
		e.Hint = "The disk is full: make room and start the query again, it goes on where it was."
	}
	return e
}

func (l *seenLog) corrupt(name string, err error) error {
	e := condition.Newf(condition.CheckpointCorrupt, "The log of the files that the source has seen, %s, is damaged.", name)
	e.Cause = err
	e.Hint = "Restore the checkpoint from a copy, or start the query with a new one."
	return e
}
