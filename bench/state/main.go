// Command state measures a store of state with many keys: how long it takes to put, change, expire and open them, and how much memory the process
// has at most.
//
//	go run ./bench/state -keys 20000000 -store disk -memory 256
package main

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/spoonbill-go/spoonbill/backend/local/state"
	"github.com/spoonbill-go/spoonbill/bench/internal/measure"
)

func main() {
	keys := flag.Int("keys", 1_000_000, "how many keys the state has")
	store := flag.String("store", "disk", "memory or disk")
	memory := flag.Int64("memory", 256, "how many MiB the store on disk may take")
	epochs := flag.Int("epochs", 100, "in how many epochs they come")
	dir := flag.String("dir", "", "the folder; default a temporary one")
	profile := flag.String("cpuprofile", "", "write a profile into this file")
	flag.Parse()
	if err := run(*keys, *store, *memory<<20, *epochs, *dir, *profile); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// key is a key of the state: sixteen bytes in no order.
func key(b []byte, i int) []byte {
	x := uint64(i) * 0x9E3779B97F4A7C15
	b = binary.BigEndian.AppendUint64(b[:0], x^x>>29)
	return binary.BigEndian.AppendUint64(b, uint64(i))
}

func run(keys int, store string, memory int64, epochs int, dir, profile string) (err error) {
	stop, err := measure.Profile(profile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	o := state.Options{}
	switch store {
	case "disk":
		o.Disk = memory
	case "memory":
	default:
		return fmt.Errorf("there is no store %q: memory or disk", store)
	}
	if dir == "" {
		tmp, err := os.MkdirTemp("", "state")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		dir = tmp
	}
	d, err := state.Open(vfs.Default, dir, 0, o)
	if err != nil {
		return err
	}
	step := func(name string, n int, f func() error) error {
		from := time.Now()
		err := f()
		took := time.Since(from)
		fmt.Printf("%-28s %8.2f s  %10.0f keys/s  %8.1f MiB at most\n", name, took.Seconds(), float64(n)/took.Seconds(), float64(peak())/(1<<20))
		return err
	}
	value := make([]byte, 24)
	buf := make([]byte, 0, 16)
	per := (keys + epochs - 1) / epochs
	err = step("put", keys, func() error {
		for lo := 0; lo < keys; lo += per {
			for i := lo; i < min(lo+per, keys); i++ {
				k := key(buf, i)
				if _, _, err := d.Store().Get(k); err != nil {
					return err
				}
				if err := d.Store().Put(k, value, int64(i)); err != nil {
					return err
				}
			}
			if err := d.Commit(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	some := min(keys, 200_000)
	err = step("change some, one epoch", some, func() error {
		for i := range some {
			k := key(buf, int(uint64(i)*7919%uint64(keys)))
			v, _, err := d.Store().Get(k)
			if err != nil {
				return err
			}
			if err := d.Store().Put(k, append(value[:0], v...), int64(uint64(i)*7919%uint64(keys))); err != nil {
				return err
			}
		}
		return d.Commit()
	})
	if err != nil {
		return err
	}
	const idle = 1000
	if err := step("epochs without data", idle, func() error {
		for range idle {
			for _, err := range d.Store().Expired(-1) {
				return fmt.Errorf("something is due: %v", err)
			}
			if err := d.Commit(); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	if err := step("expire a tenth", keys/10, func() error {
		for e, err := range d.Store().Expired(int64(keys/10) - 1) {
			if err != nil {
				return err
			}
			if err := d.Store().Delete(e.Key); err != nil {
				return err
			}
		}
		return d.Commit()
	}); err != nil {
		return err
	}
	version := d.Version()
	if err := d.Close(); err != nil {
		return err
	}
	if err := step("open", keys-keys/10, func() (err error) {
		d, err = state.Open(vfs.Default, dir, version, o)
		return err
	}); err != nil {
		return err
	}
	if n := d.Store().Len(); n != keys-keys/10 {
		return fmt.Errorf("there are %d keys, not %d", n, keys-keys/10)
	}
	return d.Close()
}

// peak is the most memory that the process had, where the system tells.
func peak() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(text), "\n") {
		var kib int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}
