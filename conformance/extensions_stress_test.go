//go:build stress

package conformance

import (
	"os/exec"
	"testing"
)

// Every fault that is planted in what streams have offline only is found by its tests: batches of the same rows, cut and restarted anywhere.
func TestPlantedExtensionFaults(t *testing.T) {
	findFaults(t, extensionFaults, func(overlay string) (string, error) {
		args := []string{"test", "-vet=off", "-count=1", "-run", "^(TestRandomOversOfAStream|TestOverOfAStream|TestAsofJoinOfStreams|TestAsofJoinOfStreamsStateAndLateRows|TestTemporalJoinOfAStreamWithATable)$", "-timeout", "10m"}
		if overlay != "" {
			args = append(args, "-overlay", overlay)
		}
		out, err := exec.Command("go", append(args, "../backend/local")...).CombinedOutput()
		return string(out), err
	}, "_test.go")
}
