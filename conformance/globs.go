package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// FolderCase is a tree of files, of which a path or pattern names some, with Spark's answer.
type FolderCase struct {
	// Files are paths of files of JSON lines, divided by spaces; each has one record, whose field n is its number, from 0.
	Files string
	// Path is what is read, below the folder that the files are in.
	Path string
	// Rows are n and the partition column k of each row, in order: "0:1 1:null".
	Rows string
	// Condition is the error, "" for none.
	Condition string
}

// FolderCases show which files Spark finds behind a path, and which of the folders it takes for partitions. Each is recorded from Spark 4.2.0.
func FolderCases() []FolderCase {
	const (
		directories = condition.ConflictingDirectories
		names       = condition.ConflictingPartitionNames
		noName      = condition.EmptyPartitionName
		noValue     = condition.EmptyPartitionValue
		none        = condition.PathNotFound
	)
	return []FolderCase{
		// Slashes between braces: each choice has a depth of its own.
		{"x/k=1/a x/k=2/a", "{x,y/deep}", "0:1 1:2", ""},
		{"y/deep/k=1/a y/deep/k=2/a", "{x,y/deep}", "0:1 1:2", ""},
		{"y/deep/k=1/a", "{x/*,y/*}", "0:1", ""},
		{"x/k=1/a y/deep/k=2/a", "{x,y/deep}", "", directories},
		{"x/k=1/a y/deep/k=2/a", "{y/deep,x}", "", directories},
		{"x/k=1/a y/deep/a", "{x,y/deep}", "", directories},
		{"x/a y/deep/a", "{x,y/deep}", "0:null 1:null", ""},
		{"a/b", "{,a}/b", "0:null", ""},
		{"a/b", "{a/b}", "0:null", ""},
		{"a", "{}a", "0:null", ""},
		// Where partitions begin: below the folders that the path stands for, and the last of these.
		{"x/k=1/a y/k=2/a", "*", "", directories},
		{"x/k=1/a y/k=2/a", "{x,y}", "", directories},
		{"x/k=1/a y/a", "*", "", directories},
		{"x/k=1/a y/k=2/a", "*/*", "0:null 1:null", ""},
		{"x/k=1/a x/k=2/a", "x/k=*", "0:null 1:null", ""},
		{"x/k=1/a x/k=2/a", "{x,x/k=1}", "", directories},
		{"x/k=1/a x/k=1/b", "{x,x/k=1/a}", "0:null", ""},
		{"x/k=1/a x/k=1/b", "x/k=1/a", "0:null", ""},
		{"x/a x/k=1/b", "x/*", "0:null 1:null", ""},
		{"x/a x/k=1/b", "{x,x/k=1}", "0:null 1:null", ""},
		{"x/sub/a x/sub/b", "{x,x/sub/a}", "0:null", ""},
		{"x/k=1/a x/k=2/b", "x//", "0:1 1:2", ""},
		{"x/k=1/a x/k=2/b", "y/../x", "0:1 1:2", ""},
		// Folders that name no partition: none is read for itself, but partitions within one are found.
		{"x/sub/k=1/a", "x", "0:1", ""},
		{"x/sub/a x/a", "x", "1:null", ""},
		{"x/sub/a", "x", "", ""},
		{"x/k=1/s/a x/k=2/a", "x", "0:1 1:2", ""},
		{"x/a x/k=2/a", "x", "1:2", ""},
		{"x/sub/k=1/a x/k=2/a", "x", "", directories},
		{"x/sub/a x/k=2/a", "x", "", directories},
		{"x/sub/k=1/a x/sub2/k=2/a", "x", "", directories},
		{"x/k=1/s/j=2/a x/k=1/a", "x", "", directories},
		{"x/_h=1/a x/b/a", "x", "", directories},
		{"x/S/k=1/a x/s/k=2/a", "x", "0:1 1:2", ""},
		{"x/k=1/a x/j=1/a", "x", "", names},
		{"x/K=1/a x/k=2/a", "x", "0:1 1:2", ""},
		{"x/=1/a", "x", "", noName},
		{"x/=1/a x/k=2/a", "x", "", noName},
		{"x/=1/k=2/a", "x", "", noName},
		{"x/=/a", "x", "", noName},
		{"x/k=/a", "x", "", noValue},
		// Hidden files are nobody's, even when they are named; hidden folders are met by wildcards.
		{"x/_h x/b", "x/_h", "", ""},
		{"x/.h x/b", "x/{.h,b}", "1:null", ""},
		{"x/_h/a x/b/a", "x/*", "0:null 1:null", ""},
		{"x/_h/a x/b/a", "x/_h", "0:null", ""},
		{"x/.h/a", "*/*", "0:null", ""},
		{"x/_h x/b", "x/*", "1:null", ""},
		{"x/_h", "x/*", "", ""},
		{"x/k=1/_temporary/a x/k=1/b", "x", "1:1", ""},
		// Characters of patterns.
		{"[ok.csv", `\[ok.csv`, "0:null", ""},
		{"a}", "a}", "0:null", ""},
		{"a]", "a]", "0:null", ""},
		{"a", "[]a]", "0:null", ""},
		{"a", "[!b]", "0:null", ""},
		{"a", "[^b]", "0:null", ""},
		{"a/b", "a}/b", "", none},
		{"x/a", "*/*/*", "", none},
	}
}

// BadPatterns are paths that are no patterns. Spark says so when it reads them, by an exception without a condition.
func BadPatterns() []string {
	return []string{"[ok.csv", "{a,b", "{a/b", "{a,c/b", "nope/[a", "[]", "[b-a]", "[[a]", `a\`}
}

// Make writes the files of the case into a folder.
func (c FolderCase) Make(dir string) error {
	for i, f := range strings.Fields(c.Files) {
		path := filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, fmt.Appendf(nil, "{\"n\":%d}\n", i), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// FolderRow is a row of a [FolderCase].
type FolderRow struct {
	N int32  `spoonbill:"n"`
	K *int32 `spoonbill:"k"`
}

// FolderAnswer writes rows as the field Rows has them.
func FolderAnswer(rows []FolderRow) string {
	out := make([]string, len(rows))
	for i, r := range rows {
		k, _ := json.Marshal(r.K)
		out[i] = fmt.Sprintf("%d:%s", r.N, k)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}
