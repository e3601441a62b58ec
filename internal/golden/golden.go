// Package golden compares what a test made with a file of testdata. go test -rewrite writes the files anew; read the difference before
// you commit it.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Rewrite is the flag -rewrite of every test that uses golden files.
var Rewrite = register()

func register() *bool {
	if flag.Lookup("rewrite") == nil { // another package of golden files may have made it
		return flag.Bool("rewrite", false, "write golden files instead of comparing with them")
	}
	b := false
	return &b
}

// Check fails the test where got differs from the file at path, a path below the test's folder.
func Check(t testing.TB, path, got string) {
	t.Helper()
	if *Rewrite {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -rewrite writes it)", err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s is not what it was (-file +now), go test -rewrite takes the new text:\n%s", path, d)
	}
}
