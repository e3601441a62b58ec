//go:build !unix

package local_test

import "time"

// worked is the time that the process has spent on processors, where the system tells.
func worked() (time.Duration, bool) { return 0, false }
