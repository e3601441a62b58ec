//go:build stress

package conformance

import (
	"os/exec"
	"testing"
)

// Every fault that is planted in the streaming engine is found: by Spark's recorded answers to scripts of epochs and about policies, by the batches of the same rows, or by streams that start again.
func TestPlantedStreamFaults(t *testing.T) {
	findFaults(t, streamFaults, func(overlay string) (string, error) {
		run := func(tests string, more ...string) (string, error) {
			args := []string{"test", "-tags", "stress", "-vet=off", "-count=1", "-run", tests, "-timeout", "10m"}
			if overlay != "" {
				args = append(args, "-overlay", overlay)
			}
			out, err := exec.Command("go", append(args, more...)...).CombinedOutput()
			return string(out), err
		}
		out, err := run("^(TestLocalEpochs|TestLocalPolicies|TestStreamsAsBatches)$", ".", "-tidy", "200")
		if err != nil {
			return out, err
		}
		return run("^(TestResumeEachEpoch|TestCrashAnywhere|TestFailureOfASink)$", "../backend/local", "-short")
	}, "_test.go")
}
