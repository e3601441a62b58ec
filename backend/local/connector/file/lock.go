package file

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/spoonbill-go/spoonbill/backend/local/durable"
)

// noteFile stands beside the lock of a sink's folder and says in words who has it, for the error of whoever comes second. It may be missing or old.
const noteFile = "_spoonbill.writer"

// attempts is how often a step is taken again when a neighbour that cleaned up behind itself has just removed an empty folder.
const attempts = 100

// lock takes the folder's lock, across processes, for one that must not have another beside it: a streaming query, or a batch write that replaces what is there or
// must be the first. Appends need none. Within the process the caller has claimed the folder already. who names the caller for others; a lock that another has is
// [durable.ErrHeld].
func (s *sink) lock(who string) (release func(), err error) {
	fs, dir := s.env.FS, s.path(metaDir)
	for range attempts {
		if err = durable.Mkdir(fs, dir); err == nil {
			release, err = s.tryLock(dir)
		}
		if err == nil && release != nil {
			s.note(who)
			return release, nil
		}
		if err != nil && !isNotExist(durable.Cause(err)) {
			return nil, err
		}
	}
	if err == nil {
		err = durable.ErrHeld
	}
	return nil, err
}

// tryLock is one attempt; a nil release says that the file was removed by whoever had the lock before, so that it carries none.
func (s *sink) tryLock(dir string) (release func(), err error) {
	fs := s.env.FS
	path := fs.PathJoin(dir, durable.LockFile)
	// The file goes with the lock, so one that was opened before may not be the folder's any more. Holding it open keeps the system from using its number again, until
	// the lock is given back: closing a file any sooner would end the lock. Where a lock keeps a file from being removed there is nothing to find out.
	var pin *os.File
	if fs == vfs.Default && runtime.GOOS != "windows" {
		if pin, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644); err != nil {
			return nil, err
		}
	}
	held, err := durable.Lock(fs, dir)
	if err != nil {
		if pin != nil {
			_ = pin.Close()
		}
		return nil, err
	}
	give := func() {
		_ = held.Close() // the lock ends with the file in any case
		if pin != nil {
			_ = pin.Close()
		}
	}
	if pin != nil {
		mine, err := pin.Stat()
		now, e := os.Stat(path)
		if err := errors.Join(err, e); err != nil || !os.SameFile(mine, now) {
			give()
			return nil, err
		}
	}
	return func() {
		if !s.env.Streaming {
			// A batch leaves nothing but its rows. What cannot be removed means nothing without the lock; a stream's stays beside its log.
			_ = fs.Remove(fs.PathJoin(dir, noteFile))
			_ = fs.Remove(path)
		}
		give()
	}, nil
}

// note says who has the lock. Failing is no fault: the words are for an error alone.
func (s *sink) note(who string) {
	f, err := s.env.FS.Create(s.path(metaDir+"/"+noteFile), vfs.WriteCategoryUnspecified)
	if err != nil {
		return
	}
	_, _ = fmt.Fprintf(f, "%s of process %d", who, os.Getpid())
	_ = f.Close()
}

// holder names who has the lock.
func (s *sink) holder() string {
	text, err := durable.Read(s.env.FS, s.path(metaDir+"/"+noteFile))
	if who := strings.TrimSpace(string(text)); err == nil && who != "" && len(who) < 300 {
		return who
	}
	return "another query or batch write"
}

// who is how others read of this sink's query.
func (s *sink) who() string {
	if !s.env.Streaming {
		return "a batch write"
	}
	if s.env.QueryID == "" {
		return "a streaming query"
	}
	return "the streaming query " + s.env.QueryID
}
