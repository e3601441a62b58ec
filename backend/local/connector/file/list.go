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
)

// entry is one file that a listing found.
type entry struct {
	path     string
	modified int64 // milliseconds, as in Spark's log
	size     int64
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
	return p, nil
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

// isGlob tells whether a path has wildcards of Hadoop's kind.
func isGlob(p string) bool { return strings.ContainsAny(p, "*?[{\\") }

// lister finds the files of a source.
type lister struct {
	fs   vfs.FS
	root string
	// glob is the option pathGlobFilter, nil for none; it looks at the name of a file alone.
	glob *regexp.Regexp
	// endsIn is what names of files must end in, "" for none: Avro's option ignoreExtension.
	endsIn string
	// base is the folder below which folders name partitions: the option basePath, or the root.
	base string
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
	if isGlob(l.root) {
		var err error
		if roots, err = l.expand(ctx); err != nil {
			return nil, err
		}
		if len(roots) == 0 {
			return nil, pathNotFound(l.root)
		}
	}
	var out []entry
	for _, r := range roots {
		info, err := l.fs.Stat(r)
		if err != nil {
			if isNotExist(err) {
				return nil, pathNotFound(r)
			}
			return nil, readFailed(r, err)
		}
		if !info.IsDir() {
			// A file that is named itself is read whatever its name, and the filter still holds.
			if l.admits(path.Base(r), info) {
				out = append(out, entry{path: r, modified: info.ModTime().UnixMilli(), size: info.Size()})
			}
			continue
		}
		if out, err = l.walk(ctx, r, len(partitionsOf(l.base, r+"/x")) > 0, out); err != nil {
			return nil, err
		}
	}
	out = l.partitioned(out)
	if err := l.agree(out); err != nil {
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

// partitioned leaves out the files that lie in no partition's folder when others do: a folder of partitions has no files of its own. Source: Spark's
// PartitioningAwareFileIndex.
func (l *lister) partitioned(files []entry) []entry {
	if l.recursive || l.streaming {
		return files
	}
	inside := func(e entry) bool { return len(partitionsOf(l.base, e.path)) > 0 }
	if !slices.ContainsFunc(files, inside) {
		return files
	}
	return slices.DeleteFunc(files, func(e entry) bool { return !inside(e) })
}

// agree refuses files whose folders name other partition columns, or no value of one. A stream may see them epoch by epoch, and reads them as they are.
//
// Source: Spark's PartitioningUtils.parsePartitionColumn and resolvePartitions.
func (l *lister) agree(files []entry) error {
	if l.recursive || l.streaming {
		return nil
	}
	var first, seen string
	var columns []partitionValue
	for _, f := range files {
		dir := path.Dir(f.path)
		if dir == seen {
			continue
		}
		seen = dir
		values := partitionsOf(l.base, f.path)
		for _, v := range values {
			if v.value == "" {
				e := condition.Newf(condition.EmptyPartitionValue, "The folder %s names no value of the partition column %s.", dir, datatype.QuoteName(v.column))
				e.Hint = "The folder of rows without a value is " + v.column + "=" + defaultPartition + "; or set recursiveFileLookup, so that no folder names a partition."
				return e
			}
		}
		same := slices.EqualFunc(values, columns, func(a, b partitionValue) bool { return datatype.FoldName(a.column) == datatype.FoldName(b.column) })
		switch {
		case first == "":
			first, columns = dir, values
		case !same:
			e := condition.Newf(condition.ConflictingPartitionNames, "The folders %s and %s name different partition columns.", first, dir)
			e.Hint = "Read them one by one, with basePath where the columns of the folders above count, or set recursiveFileLookup, so that no folder names a partition."
			return e
		}
	}
	return nil
}

// walk lists a folder; below says that it lies below a partition's folder, or is one.
func (l *lister) walk(ctx context.Context, dir string, below bool, out []entry) ([]entry, error) {
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
		// Of the folders below the root only those of partitions count, and all below these, unless all do.
		if column, _, ok := strings.Cut(name, "="); l.recursive || below || ok && column != "" {
			out, err = l.walk(ctx, full, true, out)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// expand gives the paths that the wildcards of the root meet, in order.
func (l *lister) expand(ctx context.Context) ([]string, error) {
	seen := map[string]bool{}
	var out []string
	patterns, ok := braces(l.root)
	if !ok {
		e := condition.Newf(condition.InvalidOption, "The braces of the path %s stand for more than %d paths.", brief(l.root), maxBraces)
		e.Hint = "Use fewer braces, or a wildcard in their place."
		return nil, e
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
			match, err := globRegexp(part)
			if err != nil {
				return nil, condition.Newf(condition.InvalidOption, "The path %q is no pattern: %v.", l.root, err)
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
					if match.MatchString(n) && !hidden(n) {
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

// The bounds of what braces expand to, so that a short path can fill neither memory nor time: patterns, and bytes that are built on the way.
const (
	maxBraces     = 10_000
	maxBraceBytes = 32 << 20
)

// braces expands {a,b} as Hadoop's patterns have it, from left to right. ok is false where that would pass the bounds.
func braces(pattern string) (out []string, ok bool) {
	todo := []string{pattern} // the next to expand is the last
	built := 0
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		open, cuts := group(p)
		if cuts == nil {
			out = append(out, p)
			continue
		}
		end := cuts[len(cuts)-1]
		built += len(cuts)*(len(p)-(end-open)) + end - open
		if len(out)+len(todo)+len(cuts) > maxBraces || built > maxBraceBytes {
			return nil, false
		}
		for i := len(cuts) - 1; i >= 0; i-- {
			from := open + 1
			if i > 0 {
				from = cuts[i-1] + 1
			}
			todo = append(todo, p[:open]+p[from:cuts[i]]+p[end+1:])
		}
	}
	return out, true
}

// group finds the first braces of a pattern: where they open, and where each of their choices ends; no ends where there are none.
func group(p string) (open int, cuts []int) {
	depth := 0
	open = -1
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '{':
			if depth++; open < 0 {
				open = i
			}
		case '}':
			if open >= 0 {
				if depth--; depth == 0 {
					return open, append(cuts, i)
				}
			}
		case ',':
			if depth == 1 {
				cuts = append(cuts, i)
			}
		}
	}
	return open, nil
}

// globRegexp gives the expression of a pattern for one name: * is any text, ? any character, [abc], [a-c] and [^a] or [!a] one of a set, {a,b} one
// of several, and \\ takes the next character as it is. Source: Hadoop's GlobPattern.
func globRegexp(glob string) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString("(?s)^(?:")
	curly, set := 0, false
	runes := []rune(glob)
	for i := 0; i < len(runes); i++ {
		c := runes[i]
		quoted := regexp.QuoteMeta(string(c))
		switch {
		case c == '\\':
			if i++; i == len(runes) {
				return nil, fmt.Errorf("nothing follows the last \\")
			}
			b.WriteString(regexp.QuoteMeta(string(runes[i])))
		case set && c == ']':
			set = false
			b.WriteByte(']')
		case set && (c == '^' || c == '!') && runes[i-1] == '[':
			b.WriteByte('^')
		case set && c == '-':
			b.WriteByte('-')
		case set && c == '[':
			return nil, fmt.Errorf("a set holds another")
		case set:
			b.WriteString(quoted)
		case c == '*':
			b.WriteString(".*")
		case c == '?':
			b.WriteByte('.')
		case c == '[':
			set = true
			b.WriteByte('[')
		case c == '{':
			curly++
			b.WriteString("(?:")
		case c == ',' && curly > 0:
			b.WriteByte('|')
		case c == '}' && curly > 0:
			curly--
			b.WriteByte(')')
		default:
			b.WriteString(quoted)
		}
	}
	if curly > 0 || set {
		return nil, fmt.Errorf("a set or group is not closed")
	}
	b.WriteString(")$")
	return regexp.Compile(b.String())
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
	if isGlob(p) {
		e.Message = fmt.Sprintf("The path %s does not exist: it was read as a pattern, and nothing has a name that it matches.", p)
		e.Hint = `Correct the pattern; a backslash before *, ?, [, { or \ makes the character a part of the name.`
	}
	return e
}

// newLister reads the options that concern the listing.
func newLister(env connector.Env, root string, o options) (*lister, error) {
	l := &lister{fs: env.FS, root: root, base: root, streaming: env.Streaming, recursive: o.flag("recursiveFileLookup", false)}
	if v := o.text("basePath", ""); v != "" {
		base, err := localPath(v)
		if err != nil {
			return nil, err
		}
		if !inside(root, base) {
			o.fail("basePath", "%s does not lie above the path that is read", v)
		}
		l.base = base
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
		if l.glob, err = globRegexp(v); err != nil {
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
