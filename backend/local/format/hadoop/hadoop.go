// Package hadoop reads and writes the framing of Hadoop's block compressors, in which Spark packs text as snappy and lz4: a block is its
// unpacked length, then pieces of a length and that many packed bytes until the block is full; lengths are 32 bits, big-endian.
//
// Source: Hadoop's BlockCompressorStream and BlockDecompressorStream.
package hadoop

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/pierrec/lz4/v4"
)

// Codec packs and unpacks single pieces.
type Codec struct {
	name   string
	pack   func(src []byte) ([]byte, error)
	unpack func(src []byte, size int) ([]byte, error)
}

// Snappy is Hadoop's SnappyCodec.
var Snappy = &Codec{
	name: "snappy",
	pack: func(src []byte) ([]byte, error) { return snappy.Encode(nil, src), nil },
	unpack: func(src []byte, size int) ([]byte, error) {
		n, err := snappy.DecodedLen(src)
		if err != nil {
			return nil, err
		}
		if n > size {
			return nil, fmt.Errorf("a piece unpacks to %d bytes in a block of %d", n, size)
		}
		return snappy.Decode(nil, src)
	},
}

// LZ4 is Hadoop's Lz4Codec.
var LZ4 = &Codec{
	name: "lz4",
	pack: func(src []byte) ([]byte, error) {
		dst := make([]byte, lz4.CompressBlockBound(len(src)))
		n, err := lz4.CompressBlock(src, dst, nil)
		if err == nil && n == 0 && len(src) > 0 {
			err = errors.New("the lz4 buffer was too small")
		}
		return dst[:n], err
	},
	unpack: func(src []byte, size int) ([]byte, error) {
		dst := make([]byte, size)
		n, err := lz4.UncompressBlock(src, dst)
		return dst[:max(n, 0)], err
	},
}

// The bounds of a block. Hadoop's buffers are 256 KiB; a hostile file could name any length.
const (
	blockSize = 64 << 10
	maxBlock  = 64 << 20
)

// Reader unpacks a stream.
type Reader struct {
	in    io.Reader
	codec *Codec
	left  int // bytes of the present block that are still packed
	buf   []byte
}

// NewReader reads a stream that was packed by a codec.
func NewReader(r io.Reader, c *Codec) *Reader { return &Reader{in: r, codec: c} }

func (r *Reader) length() (int, error) {
	var b [4]byte
	if n, err := io.ReadFull(r.in, b[:]); err != nil {
		if n > 0 {
			err = io.ErrUnexpectedEOF
		}
		return 0, err
	}
	n := binary.BigEndian.Uint32(b[:])
	if n > maxBlock {
		return 0, fmt.Errorf("a block of the %s stream has %d bytes", r.codec.name, n)
	}
	return int(n), nil
}

// Read implements io.Reader. A stream that ends inside a block is io.ErrUnexpectedEOF.
func (r *Reader) Read(p []byte) (int, error) {
	for len(r.buf) == 0 {
		if r.left == 0 {
			n, err := r.length()
			if err != nil {
				return 0, err // io.EOF between blocks is the end
			}
			r.left = n
			continue
		}
		size, err := r.length()
		if err == nil {
			packed := make([]byte, size)
			if _, err = io.ReadFull(r.in, packed); err == nil {
				r.buf, err = r.codec.unpack(packed, r.left)
			}
		}
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err == nil && len(r.buf) == 0 {
			err = fmt.Errorf("a piece of the %s stream is empty", r.codec.name)
		}
		if err != nil {
			return 0, err
		}
		r.left -= len(r.buf)
	}
	n := copy(p, r.buf)
	r.buf = r.buf[n:]
	return n, nil
}

// Writer packs a stream.
type Writer struct {
	out   io.Writer
	codec *Codec
	buf   []byte
}

// NewWriter packs what is written to it by a codec.
func NewWriter(w io.Writer, c *Codec) *Writer { return &Writer{out: w, codec: c} }

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	w.buf = append(w.buf, p...)
	for len(w.buf) >= blockSize {
		if err := w.block(w.buf[:blockSize]); err != nil {
			return 0, err
		}
		w.buf = append(w.buf[:0], w.buf[blockSize:]...)
	}
	return len(p), nil
}

func (w *Writer) block(src []byte) error {
	packed, err := w.codec.pack(src)
	if err != nil {
		return err
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(len(src))), uint32(len(packed)))
	if _, err := w.out.Write(head); err != nil {
		return err
	}
	_, err = w.out.Write(packed)
	return err
}

// Close writes what is left. The io.Writer stays open.
func (w *Writer) Close() error {
	if len(w.buf) == 0 {
		return nil
	}
	err := w.block(w.buf)
	w.buf = nil
	return err
}
