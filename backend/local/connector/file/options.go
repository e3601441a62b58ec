package file

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spoonbill-go/spoonbill/backend/local/durable"
	"github.com/spoonbill-go/spoonbill/backend/local/format/json"
	"github.com/spoonbill-go/spoonbill/backend/local/format/parquet"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/timetext"
)

// options reads Spark's options and collects what is wrong with them.
type options struct {
	tree.Options
	errs *[]*condition.Error
}

func readOptions(o tree.Options) options { return options{o, new([]*condition.Error)} }

func (o options) fail(key, format string, args ...any) {
	*o.errs = append(*o.errs, condition.Newf(condition.InvalidOption, "The option %s: %s.", key, fmt.Sprintf(format, args...)))
}

// err is one error for all, so that it has a place in the user's program.
func (o options) err() error {
	switch len(*o.errs) {
	case 0:
		return nil
	case 1:
		return (*o.errs)[0]
	}
	var texts []string
	for _, e := range *o.errs {
		texts = append(texts, e.Message)
	}
	return condition.Newf(condition.InvalidOption, "%s", strings.Join(texts, " "))
}

func (o options) text(key, otherwise string) string {
	if v, ok := o.Get(key); ok {
		return v
	}
	return otherwise
}

func (o options) flag(key string, otherwise bool) bool {
	v, ok := o.Get(key)
	if !ok {
		return otherwise
	}
	b, err := strconv.ParseBool(strings.ToLower(v))
	if err != nil {
		o.fail(key, "%q is neither true nor false", v)
	}
	return b
}

// whole reads a count of at least low; 0 when it is not there.
func (o options) whole(key string, low int64) int64 {
	v, ok := o.Get(key)
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < low {
		o.fail(key, "%q is no whole number of at least %d", v, low)
	}
	return n
}

// instant reads a point in time as yyyy-MM-ddTHH:mm:ss in milliseconds; 0 when it is not there.
func (o options) instant(key string, zone *time.Location) int64 {
	v, ok := o.Get(key)
	if !ok {
		return 0
	}
	micros, good := timetext.ParseTimestamp([]byte(v), timetext.NewZone(zone), func(*time.Location) int32 { return 0 })
	if !good {
		o.fail(key, "%q is no time such as 2024-06-01T13:00:00", v)
	}
	return micros / 1000
}

// age reads a duration such as 7d, 12h, 90m, 30s, 500ms (Spark's form; a bare number is milliseconds).
func (o options) age(key string, otherwise time.Duration) time.Duration {
	v, ok := o.Get(key)
	if !ok {
		return otherwise
	}
	d, good := parseAge(v)
	if !good {
		o.fail(key, "%q is no duration such as 7d or 12h", v)
	}
	return d
}

func parseAge(v string) (time.Duration, bool) {
	v = strings.ToLower(strings.TrimSpace(v))
	i := 0
	for i < len(v) && v[i] >= '0' && v[i] <= '9' {
		i++
	}
	n, err := strconv.ParseInt(v[:i], 10, 64)
	units := map[string]time.Duration{"": time.Millisecond, "us": time.Microsecond, "ms": time.Millisecond, "s": time.Second, "m": time.Minute, "min": time.Minute, "h": time.Hour, "d": 24 * time.Hour}
	unit, ok := units[v[i:]]
	if err != nil || !ok || n > int64((1<<63-1)/unit) {
		return 0, false
	}
	return time.Duration(n) * unit, true
}

func zoneOf(id string) (*time.Location, error) { return json.Location(id) }

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// readFailed is Spark's error for a file that cannot be read.
func readFailed(p string, err error) error {
	e := condition.Newf(condition.FailedReadFile, "Encountered error while reading file %s.", uri(p))
	e.Cause = err
	e.Hint = "If it is damaged or cut off, put it back whole; the option ignoreCorruptFiles goes on without such files."
	switch {
	case condition.Of(err) == condition.MalformedRecord:
		e.Hint = "" // the cause tells the ways out; the file is no damaged one
	case errors.Is(err, parquet.ErrForeign):
		e.Hint = "Read it in the format that it has, as with FromCSV or FromJSON; or keep it out of the path, by a pattern or pathGlobFilter."
	case errors.Is(err, fs.ErrPermission):
		e.Hint = "The process may not read it: change its permissions."
	case errors.Is(err, syscall.ELOOP):
		e.Hint = "A symbolic link there leads back to a folder above it: remove the link, or read without recursiveFileLookup."
	}
	return e
}

func vanished(p string) error {
	e := condition.Newf(condition.FailedReadMissingFile, "The file %s was there when it was listed and is gone.", uri(p))
	e.Hint = "Files of a running source must stay; the option ignoreMissingFiles reads on without them."
	return e
}

// writeFailed is Spark's error for a task that cannot write.
func writeFailed(p string, err error) error {
	err = durable.Cause(err)
	if condition.Of(err) != "" {
		return err
	}
	e := condition.Newf(condition.TaskWriteFailed, "Writing %s failed.", uri(p))
	e.Cause = err
	switch {
	case errors.Is(err, syscall.ENOSPC):
		e.Hint = "The disk is full. Nothing of the failed write is visible; make room and start again."
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist):
		e.Hint = "A file stands where a folder must be: remove it, or write elsewhere."
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		e.Hint = "The process may not write there: change the folder's permissions, or write elsewhere."
	default:
		e.Hint = "Look at the path and the health of the disk, then start again: nothing of a failed write is visible."
	}
	return e
}
