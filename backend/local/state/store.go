// Package state keeps what stateful operators know between epochs: a map of bytes per operator, durable by version.
//
// Version n is the state after n epochs. A commit writes the changes of an epoch as <version>.delta and, from time to time, the
// whole as <version>.snapshot; loading reads the newest snapshot that is not newer and the deltas behind it. Both kinds of file end
// in a checksum, and a file that does not add up is an error, never an empty state.
//
// Two stores hold the present version: one in memory, and one in files, for state that is larger than memory. Both write the same
// deltas. A snapshot of the first is the whole map; one of the second names a folder beside it, whose files are links to those of the
// store. Either store opens what the other wrote.
package state

import (
	"iter"
	"math"
)

// Never is the expiry of an entry that the watermark does not remove.
const Never = math.MaxInt64

// Entry is an entry of a store.
type Entry struct {
	Key, Value []byte
	// Expiry is the event time, in microseconds, at which a watermark makes the entry due, or [Never].
	Expiry int64
}

// Store is the state of one operator. It is used by one goroutine at a time. What it gives is not changed any more, also when the entry
// is; slices that it is given are copied. After an error the epoch must not be committed.
type Store interface {
	// Get gives the value of a key.
	Get(key []byte) ([]byte, bool, error)
	// Put sets a key's value and its expiry: the event time, in microseconds, at which a watermark makes it due.
	Put(key, value []byte, expiry int64) error
	// Delete removes a key; one that is not there is no error.
	Delete(key []byte) error
	// Group gives the entries whose keys are prefix and [Suffix] bytes more, in the order of their keys; nothing may be changed on the way.
	Group(prefix []byte) iter.Seq2[Entry, error]
	// Expired gives the entries whose expiry is at or before a watermark, in order of expiry, for the caller to delete on the way. One that is left may
	// come again or not; one that is put on the way comes now or the next time.
	Expired(watermark int64) iter.Seq2[Entry, error]
	// All gives every entry in no particular order; nothing may be changed on the way.
	All() iter.Seq2[Entry, error]
	// Len is the number of entries.
	Len() int
	// Bytes is about how much memory the entries take.
	Bytes() int64
}

// Suffix is the length of what tells the keys of a group apart: a number of eight bytes.
const Suffix = 8
