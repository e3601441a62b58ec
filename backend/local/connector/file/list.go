package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/glob"
)

// entry is one file that a listing found.
type entry struct {
	path     string
	modified int64 // milliseconds, as in Spark's log
	size     int64
	// base is the folder that its partitions lie in, where a listing has told it: the log has paths alone.
	base string
}

// partitionValue is a folder col=value, unescaped; null for the default partition.
type partitionValue struct {
	column string
	value  string
	null   bool
}

// defaultPartition names the folder of rows whose partition column is null or the empty text (Hive's and Spark's name).
const defaultPartition = "__HIVE_DEFAULT_PARTITION__"

// localPath gives the path without the scheme file:. Other schemes are refused: the local engine reads the machine's own files.
func localPath(p string) (string, error) {
	if rest, ok := strings.CutPrefix(p, "file://"); ok {
		if i := strings.IndexByte(rest, '/'); i > 0 {
			return "", remote(p)
		}
		return unescapeURI(rest), nil
	}
	if rest, ok := strings.CutPrefix(p, "file:"); ok {
		return unescapeURI(rest), nil
	}
	if i := strings.Index(p, "://"); i > 0 && !strings.ContainsAny(p[:i], "/*?[{") {
		return "", remote(p)
	}
	if p == "" {
		return "", condition.Newf(condition.InvalidOption, "The path of a file source or sink is empty.")
	}
	if !strings.HasPrefix(p, "/") {
		// The log of a source keeps paths for longer than a process keeps its folder.
		abs, err := filepath.Abs(p)
		if err != nil {
			return "", readFailed(p, err)
		}
		return abs, nil
	}
	// Hadoop's paths have neither // nor a slash at their end, and .. takes the folder before it.
	return path.Clean(p), nil
}

func unescapeURI(p string) string {
	if s, err := url.PathUnescape(p); err == nil {
		return s
	}
	return p
}

func remote(p string) error {
	e := condition.Newf(condition.Unsupported, "The local engine reads and writes files of this machine, not %q.", p)
	e.Hint = "Mount or copy the data, or run the query on Spark."
	return e
}

// uri is the form of a path in Spark's logs and descriptions.
func uri(p string) string { return (&url.URL{Scheme: "file", Path: p}).String() }

// hidden tells whether Spark passes over a file or folder of this name. Names with = stay, for a partition column may begin with _.
func hidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") && !strings.Contains(name, "=") || strings.HasSuffix(name, "._COPYING_")
}

// lister finds the files of a source.
type lister struct {
	fs   vfs.FS
	root string
	// glob is the option pathGlobFilter, nil for none; it looks at the name of a file alone.
	glob *regexp.Regexp
	// endsIn is what names of files must end in, "" for none: Avro's option ignoreExtension.
	endsIn string
	// bases are the folders below which folders name partitions: the option basePath, or the root.
	bases bases
	// based says that the option names it.
	based bool
	// streaming keeps files outside of partition folders, for a later look could find such folders and no file is to be lost.
	streaming bool
	// recursive is the option recursiveFileLookup: every folder below the root counts, and none names a partition.
	recursive bool
	// before and after bound the time of change in milliseconds (modifiedBefore, modifiedAfter); 0 for none.
	before, after int64
}

// list gives the files in the order of their time of change, then of their path. A root that does not exist is PATH_NOT_FOUND.
func (l *lister) list(ctx context.Context) ([]entry, error) {
	roots := []string{l.root}
	if glob.Is(l.root) {
		var err error
		if roots, err = l.expand(ctx); err != nil {
			return nil, err
		}
		if len(roots) == 0 && l.streaming {
			return nil, nil // something may match later
		}
		if len(roots) == 0 {
			return nil, pathNotFound(l.root)
		}
	}
	var out []entry
	named := map[string]bool{}
	for _, r := range roots {
		named[r] = true
		info, err := l.fs.Stat(r)
		if err != nil {
			if isNotExist(err) {
				return nil, pathNotFound(r)
			}
			return nil, readFailed(r, err)
		}
		if !info.IsDir() {
			// Spark passes over a hidden file that is named itself, too.
			if name := path.Base(r); !hidden(name) && l.admits(name, info) {
				out = append(out, entry{path: r, modified: info.ModTime().UnixMilli(), size: info.Size()})
			}
			continue
		}
		if out, err = l.walk(ctx, r, out); err != nil {
			return nil, err
		}
	}
	out, err := l.partitioned(unique(out), named)
	if err != nil {
		return nil, err
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].modified != out[j].modified {
			return out[i].modified < out[j].modified
		}
		return out[i].path < out[j].path
	})
	return out, nil
}

func (l *lister) admits(name string, info vfs.FileInfo) bool {
	if !strings.HasSuffix(name, l.endsIn) || l.glob != nil && !l.glob.MatchString(name) {
		return false
	}
	m := info.ModTime().UnixMilli()
	return (l.before == 0 || m < l.before) && (l.after == 0 || m > l.after)
}

// unique leaves out what two roots gave, one of which lies in the other.
func unique(files []entry) []entry {
	seen := make(map[string]bool, len(files))
	return slices.DeleteFunc(files, func(f entry) bool {
		again := seen[f.path]
		seen[f.path] = true
		return again
	})
}

// partitioned leaves out the files that are not the table's. Where some lie in partitions' folders, those are the table, and the others must lie in the folder of all
// partitions itself, which has no files of its own; else the files of the roots alone count. Folders that contradict each other are refused, but not for a
// stream, which may see them epoch by epoch: it reads them as they are, and files beside them too.
//
// named are the folders and files that the path stands for.
//
// Source: Spark's PartitioningUtils.parsePartitions and PartitioningAwareFileIndex.
func (l *lister) partitioned(files []entry, named map[string]bool) ([]entry, error) {
	if l.recursive {
		return files, nil
	}
	base := l.bases.has
	if !l.based {
		above := map[string]bool{} // a file that is named itself is in no partition, nor is what lies beside it
		for _, f := range files {
			if named[f.path] {
				above[path.Dir(f.path)] = true
			}
		}
		base = func(dir string) bool { return above[dir] || l.bases.has(dir) }
	}
	var folders []folder
	number := map[string]int{}
	for _, f := range files {
		if dir := path.Dir(f.path); number[dir] == 0 {
			folders = append(folders, folderOf(dir, base))
			number[dir] = len(folders)
		}
	}
	some := slices.ContainsFunc(folders, func(x folder) bool { return len(x.values) > 0 })
	if err := filled(folders); err != nil {
		return nil, err
	}
	if some && !l.streaming {
		if err := agree(folders); err != nil {
			return nil, err
		}
	}
	var out []entry
	for _, f := range files {
		dir := path.Dir(f.path)
		x := folders[number[dir]-1]
		if len(x.values) > 0 || (named[dir] || named[f.path]) && (l.streaming || !some) {
			f.base = x.base
			out = append(out, f)
		}
	}
	return out, nil
}

// filled refuses folders that name no partition column, or no value of one.
//
// Source: Spark's PartitioningUtils.parsePartitionColumn.
func filled(folders []folder) error {
	for _, x := range folders {
		for _, v := range x.values {
			if v.column == "" || v.value == "" {
				return emptyPartition(x.path, v)
			}
		}
	}
	return nil
}

// agree refuses folders of partitions that lie in different folders, or name other columns than each other.
//
// Source: Spark's PartitioningUtils.parsePartitions and resolvePartitions.
func agree(folders []folder) error {
	first := folders[0]
	for _, x := range folders {
		if datatype.FoldName(x.base) != datatype.FoldName(first.base) {
			e := condition.Newf(condition.ConflictingDirectories, "Conflicting directory structures detected: the folders %s and %s both have partitions or files that lie in none.", uri(first.base), uri(x.base))
			e.Hint = "If they are partitions of one table, set basePath to the folder above them; if they are several tables, read them one by one and put them together with Union. With recursiveFileLookup no folder names a partition."
			return e
		}
	}
	named := slices.DeleteFunc(slices.Clone(folders), func(x folder) bool { return len(x.values) == 0 })
	for _, x := range named {
		if !slices.EqualFunc(x.values, named[0].values, func(a, b partitionValue) bool { return datatype.FoldName(a.column) == datatype.FoldName(b.column) }) {
			e := condition.Newf(condition.ConflictingPartitionNames, "Conflicting partition column names detected: the folders %s and %s name different ones.", uri(named[0].path), uri(x.path))
			e.Hint = "Read them one by one, with basePath where the columns of the folders above count, or set recursiveFileLookup, so that no folder names a partition."
			return e
		}
	}
	return nil
}

func emptyPartition(dir string, v partitionValue) error {
	if v.column == "" {
		e := condition.Newf(condition.EmptyPartitionName, "Found an empty partition column name in the path segment '=%s' of the folder %s.", v.value, uri(dir))
		e.Hint = "Give the folder a name that has a column before the equals sign, or none; or set recursiveFileLookup, so that no folder names a partition."
		return e
	}
	e := condition.Newf(condition.EmptyPartitionValue, "Found an empty partition column value in the path segment '%s=' of the folder %s.", v.column, uri(dir))
	e.Hint = "The folder of rows without a value is " + v.column + "=" + defaultPartition + "; or set recursiveFileLookup, so that no folder names a partition."
	return e
}

// walk lists a folder and those in it: which of them are partitions shows when all are known.
func (l *lister) walk(ctx context.Context, dir string, out []entry) ([]entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	names, err := l.fs.List(dir)
	if err != nil {
		return nil, readFailed(dir, err)
	}
	sort.Strings(names)
	for _, name := range names {
		if hidden(name) {
			continue
		}
		full := l.fs.PathJoin(dir, name)
		info, err := l.fs.Stat(full)
		if err != nil {
			if isNotExist(err) {
				continue // it went between the listing and the look
			}
			return nil, readFailed(full, err)
		}
		if !info.IsDir() {
			if l.admits(name, info) {
				out = append(out, entry{path: full, modified: info.ModTime().UnixMilli(), size: info.Size()})
			}
			continue
		}
		if out, err = l.walk(ctx, full, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// expand gives the paths that the wildcards of the root meet, in order.
func (l *lister) expand(ctx context.Context) ([]string, error) {
	seen := map[string]bool{}
	var out []string
	patterns, err := expanded(l.root)
	if err != nil {
		return nil, err
	}
	for _, pattern := range patterns {
		bases := []string{""}
		if strings.HasPrefix(pattern, "/") {
			bases = []string{"/"}
		}
		parts := strings.Split(strings.Trim(pattern, "/"), "/")
		for _, part := range parts {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var next []string
			if !strings.ContainsAny(part, "*?[\\") {
				for _, b := range bases {
					next = append(next, l.fs.PathJoin(b, part))
				}
				bases = next
				continue
			}
			match, err := glob.Compile(part)
			if err != nil {
				return nil, condition.Newf(condition.InvalidOption, "The path %q is no pattern: %v.", brief(l.root), err)
			}
			for _, b := range bases {
				dir := b
				if dir == "" {
					dir = "."
				}
				names, err := l.fs.List(dir)
				if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
					continue // a file or nothing at all, which no wildcard goes through
				}
				if err != nil {
					return nil, readFailed(dir, err)
				}
				sort.Strings(names)
				for _, n := range names {
					// Hidden folders are met, as in Spark, but for the log of a sink.
					if match.MatchString(n) && n != metaDir {
						next = append(next, l.fs.PathJoin(b, n))
					}
				}
			}
			bases = next
		}
		for _, b := range bases {
			if _, err := l.fs.Stat(b); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
				continue
			} else if err != nil {
				return nil, readFailed(b, err)
			}
			if !seen[b] {
				seen[b] = true
				out = append(out, b)
			}
		}
	}
	return out, nil
}

// escaped are the characters that Spark writes as %XX in a partition folder (ExternalCatalogUtils.charToEscape).
const escaped = "\"#%'*/:=?\\\x7f{[]^"

// escapePath writes a column name or value as a part of a folder's name.
func escapePath(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < 0x20 || strings.IndexByte(escaped, c) >= 0 {
			const hex = "0123456789ABCDEF"
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// unescapePath is the inverse; a % that begins no escape stays.
func unescapePath(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			hi, ok1 := unhex(s[i+1])
			lo, ok2 := unhex(s[i+2])
			if ok1 && ok2 {
				out = append(out, hi<<4|lo)
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}

// brief cuts a path that is too long to print.
func brief(p string) string {
	if len(p) > 200 {
		return p[:200] + "…"
	}
	return p
}

func unhex(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

func pathNotFound(p string) error {
	e := condition.Newf(condition.PathNotFound, "The path %s does not exist.", uri(p))
	e.Hint = "Create it, or correct the path of the source."
	if glob.Is(p) {
		e.Message = fmt.Sprintf("The path %s does not exist: it was read as a pattern, and nothing has a name that it matches.", p)
		e.Hint = `Correct the pattern; a backslash before *, ?, [, { or \ makes the character a part of the name.`
	}
	return e
}

// newLister reads the options that concern the listing.
func newLister(env connector.Env, root string, o options) (*lister, error) {
	l := &lister{fs: env.FS, root: root, streaming: env.Streaming, recursive: o.flag("recursiveFileLookup", false)}
	if v := o.text("basePath", ""); v != "" {
		base, err := localPath(v)
		if err != nil {
			return nil, err
		}
		if !inside(root, base) {
			o.fail("basePath", "%s does not lie above the path that is read", v)
		}
		l.bases, l.based = bases{names: map[string]bool{base: true}}, true
	} else {
		var err error
		if l.bases, err = basesOf(root); err != nil {
			return nil, err
		}
	}
	if !o.flag("ignoreExtension", true) {
		l.endsIn = ".avro"
	}
	zone := env.Zone
	if v := o.text("timeZone", ""); v != "" {
		z, err := zoneOf(v)
		if err != nil {
			return nil, err
		}
		zone = z
	}
	l.before, l.after = o.instant("modifiedBefore", zone), o.instant("modifiedAfter", zone)
	if v := o.text("pathGlobFilter", ""); v != "" {
		var err error
		if l.glob, err = glob.Compile(v); err != nil {
			o.fail("pathGlobFilter", "%q is no pattern: %v", v, err)
		}
	}
	return l, o.err()
}

// fieldOf finds the field of a partition folder, -1 for none.
func fieldOf(fields []datatype.Field, column string) int {
	for i, f := range fields {
		if datatype.FoldName(f.Name) == datatype.FoldName(column) {
			return i
		}
	}
	return -1
}

// ageLimit is maxFileAge's default, a week (Spark's FileStreamOptions.maxFileAgeMs).
const ageLimit = 7 * 24 * time.Hour
