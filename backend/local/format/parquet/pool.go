package parquet

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// pool lends the memory of decoded columns and of pages. A row group takes megabytes for a moment; without the pool the collector would run once for each, and clear the
// memory each time. What is lent is not cleared. Memory that nobody gives back is the collector's.
type pool struct {
	classes [poolClasses]sync.Pool
	// lent counts the bytes that are out, and poison makes what came back unreadable; both are for tests.
	lent   atomic.Int64
	poison atomic.Bool
}

const (
	// poolLeast is the smallest size that is worth keeping, as a power of two; the largest is poolLeast + poolClasses - 1.
	poolLeast   = 12
	poolClasses = 18
)

var buffers pool

var _ memory.Allocator = (*pool)(nil)

// class gives the class whose memory holds size bytes, or -1 for sizes that are not kept.
func class(size int) int {
	if size <= 0 {
		return -1
	}
	c := max(bits.Len(uint(size-1))-poolLeast, 0)
	if c >= poolClasses || size < 1<<(poolLeast-2) {
		return -1
	}
	return c
}

// Allocate implements memory.Allocator.
func (p *pool) Allocate(size int) []byte {
	c := class(size)
	if c < 0 {
		return make([]byte, size)
	}
	room := 1 << (c + poolLeast)
	p.lent.Add(int64(room))
	if b, ok := p.classes[c].Get().(*byte); ok {
		return unsafe.Slice(b, room)[:size]
	}
	return make([]byte, room)[:size]
}

// Reallocate implements memory.Allocator.
func (p *pool) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) {
		return b[:size]
	}
	bigger := p.Allocate(size)
	copy(bigger, b)
	p.Free(b)
	return bigger
}

// Free implements memory.Allocator.
func (p *pool) Free(b []byte) {
	room := cap(b)
	c := class(room)
	// Memory of other makers has another capacity, or is the collector's in any case.
	if c < 0 || room != 1<<(c+poolLeast) {
		return
	}
	p.lent.Add(-int64(room))
	b = b[:room]
	if p.poison.Load() {
		for i := range b {
			b[i] = 0xAA
		}
	}
	p.classes[c].Put(unsafe.SliceData(b))
}

// lend gives an empty slice with room for n values.
func lend[T any](n int) []T {
	var t T
	w := int(unsafe.Sizeof(t))
	b := buffers.Allocate(max(n, 1) * w)
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), cap(b)/w)[:0]
}

// lentBytes gives a slice of lend as bytes with its whole capacity.
func lentBytes[T any](s []T) []byte {
	var t T
	w := int(unsafe.Sizeof(t))
	if cap(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), cap(s)*w)[:len(s)*w]
}

// more gives s with room for n more values, its old memory given back.
func more[T any](s []T, n int) []T {
	if len(s)+n <= cap(s) {
		return s
	}
	bigger := append(lend[T](max(len(s)+n, 2*cap(s))), s...)
	buffers.Free(lentBytes(s))
	return bigger
}

// giveBack returns the memory of a slice of lend.
func giveBack[T any](s []T) { buffers.Free(lentBytes(s)) }
