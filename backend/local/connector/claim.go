package connector

import (
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/spoonbill-go/spoonbill/backend/local/durable"
)

// folder is a folder of a file system, behind links.
type folder struct {
	fs   vfs.FS
	path string
}

// claimed are the folders that running queries of this process keep files in, with what each is.
var claimed = struct {
	sync.Mutex
	use map[folder]string
}{use: map[folder]string{}}

// Claim notes that a running query keeps files in a folder until release is called: its sink's, or its checkpoint. ok is false where another has the
// very folder.
func Claim(fs vfs.FS, path, use string) (release func(), ok bool) {
	f := folder{fs, durable.Real(fs, path)}
	claimed.Lock()
	defer claimed.Unlock()
	if _, taken := claimed.use[f]; taken {
		return nil, false
	}
	return f.note(use), true
}

// ClaimTree is Claim for a query that takes away what is in a folder: it fails too where another has a folder in it or around it, and then tells which, and what that is.
func ClaimTree(fs vfs.FS, path, use string) (release func(), where, other string, ok bool) {
	f := folder{fs, durable.Real(fs, path)}
	below := func(a, b string) bool { return a == b || strings.HasPrefix(a, strings.TrimSuffix(b, "/")+"/") }
	claimed.Lock()
	defer claimed.Unlock()
	for c, other := range claimed.use {
		if c.fs == fs && (below(c.path, f.path) || below(f.path, c.path)) {
			return nil, c.path, other, false
		}
	}
	return f.note(use), "", "", true
}

// note is the claim itself; the lock is held.
func (f folder) note(use string) (release func()) {
	claimed.use[f] = use
	return sync.OnceFunc(func() {
		claimed.Lock()
		defer claimed.Unlock()
		delete(claimed.use, f)
	})
}
