//go:build conformance

package testenv

import (
	"os/exec"
	"testing"
)

// Browser gives the path of a Chromium, and fails the test where there is none.
func Browser(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("There is no Chromium: images/browser.sh installs one.")
	return ""
}
