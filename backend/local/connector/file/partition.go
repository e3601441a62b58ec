package file

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/internal/glob"
)

// folder is a folder of files with the partition that its name, and those of the folders above it, stand for.
type folder struct {
	path   string
	values []partitionValue
	// base is the folder that the partitions lie in; of a folder without a partition it is the folder itself.
	base string
}

// bases are the folders below which folders name partitions. They are told by their names, not by what is there now, for the log of a source has files that
// were found before.
type bases struct {
	names    map[string]bool
	patterns []basePattern
}

// basePattern is a path with wildcards, which stand for one folder each.
type basePattern []baseName

// baseName is one folder of a pattern: its name, or where match is set any that this meets.
type baseName struct {
	name  string
	match *regexp.Regexp
}

// basesOf gives the folders that a path stands for.
func basesOf(root string) (bases, error) {
	if !glob.Is(root) {
		return bases{names: map[string]bool{root: true}}, nil
	}
	out := bases{names: map[string]bool{}}
	patterns, err := expanded(root)
	if err != nil {
		return bases{}, err
	}
	for _, p := range patterns {
		p = path.Clean(p)
		if !hasWildcard(p) {
			out.names[p] = true
			continue
		}
		var pattern basePattern
		for name := range strings.SplitSeq(strings.TrimPrefix(p, "/"), "/") {
			if !hasWildcard(name) {
				pattern = append(pattern, baseName{name: name})
				continue
			}
			match, err := glob.Compile(name)
			if err != nil {
				return bases{}, noPattern(root, err)
			}
			pattern = append(pattern, baseName{match: match})
		}
		out.patterns = append(out.patterns, pattern)
	}
	return out, nil
}

// hasWildcard tells whether what braces have been taken out of is more than a name.
func hasWildcard(p string) bool { return strings.ContainsAny(p, "*?[{\\") }

// expanded takes the braces out of a path.
func expanded(root string) ([]string, error) {
	patterns, ok := glob.Expand(root)
	if !ok {
		e := condition.Newf(condition.InvalidOption, "The braces of the path %s stand for more than %d paths.", brief(root), glob.MaxPaths)
		e.Hint = "Use fewer braces, or a wildcard in their place."
		return nil, e
	}
	return patterns, nil
}

func noPattern(root string, err error) error {
	e := condition.Newf(condition.InvalidOption, "The path %s is no pattern: %v.", brief(root), err)
	e.Hint = glob.Hint
	return e
}

func (b bases) has(dir string) bool {
	if b.names[dir] {
		return true
	}
	if len(b.patterns) == 0 {
		return false
	}
	parts := strings.Split(strings.TrimPrefix(dir, "/"), "/")
	return slices.ContainsFunc(b.patterns, func(p basePattern) bool {
		return slices.EqualFunc(p, parts, func(n baseName, part string) bool {
			if n.match != nil {
				return n.match.MatchString(part)
			}
			return n.name == part
		})
	})
}

// folderOf reads the names of a folder and of those above it, upwards to a base or to the first that names no partition above one that does.
//
// Source: Spark's PartitioningUtils.parsePartition.
func folderOf(dir string, base func(dir string) bool) folder {
	out := folder{path: dir, base: dir}
	at := dir
	for path.Dir(at) != at && !base(at) {
		column, value, ok := strings.Cut(path.Base(at), "=")
		if !ok && len(out.values) > 0 {
			break
		}
		if ok {
			out.values = append(out.values, partitionValue{column: unescapePath(column), value: unescapePath(value), null: value == defaultPartition})
		}
		at = path.Dir(at)
	}
	if len(out.values) > 0 {
		out.base = at
		slices.Reverse(out.values)
	}
	return out
}

// partitions gives the values that the folders of a file stand for.
func (l *lister) partitions(f entry) []partitionValue {
	switch {
	case l.recursive:
		return nil
	case f.base != "":
		return folderOf(path.Dir(f.path), func(dir string) bool { return dir == f.base }).values
	case l.bases.has(f.path):
		return nil // a file that is named itself is in no partition
	}
	return folderOf(path.Dir(f.path), l.bases.has).values
}
