package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A program that only prints SQL stays small: nothing of the backends is linked.
func TestLinksNoBackend(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "spoonbill/compiler")
	for _, heavy := range []string{"google.golang.org/grpc", "google.golang.org/protobuf", "twmb/franz-go", "apache/arrow-go", "spoonbill/backend"} {
		for _, dep := range strings.Fields(string(out)) {
			require.NotContains(t, dep, heavy)
		}
	}
}
