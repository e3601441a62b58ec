// Package measure has what the benchmarks measure with.
package measure

import (
	"errors"
	"math"
	"os"
	"runtime/pprof"
	"syscall"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
)

// CPU is what this process has used so far, in seconds; NaN where the system does not tell.
func CPU() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return math.NaN()
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// Profile writes a CPU profile into a file until stop is called; without a name it does nothing.
func Profile(name string) (stop func() error, err error) {
	if name == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, nil
}

// Allocations writes a profile of what the process has allocated so far into a file; without a name it does nothing.
func Allocations(name string) error {
	if name == "" {
		return nil
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(pprof.Lookup("allocs").WriteTo(f, 0), f.Close())
}

// Reported is the time in seconds from the first epoch's begin to the last one's commit, by a query's own reports: it leaves out how long the start of the query takes and
// how long its end takes to be seen from here.
func Reported(recent []backend.Progress) (float64, error) {
	if len(recent) == 0 {
		return 0, errors.New("the stream reported no epoch")
	}
	first, last := recent[0], recent[len(recent)-1]
	from, err := time.Parse(time.RFC3339, first.Timestamp)
	if err != nil {
		return 0, err
	}
	to, err := time.Parse(time.RFC3339, last.Timestamp)
	if err != nil {
		return 0, err
	}
	return to.Sub(from).Seconds() + float64(last.BatchDuration)/1000, nil
}
