//go:build unix

package local_test

import (
	"syscall"
	"time"
)

// worked is the time that the process has spent on processors, which nothing else on a busy machine makes longer.
func worked() (time.Duration, bool) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
