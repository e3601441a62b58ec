package avro

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// File is an open container file under a schema. Its blocks can be decoded by several goroutines at once.
type File struct {
	in     *bufio.Reader
	left   int64 // bytes of the file that were not read yet
	schema *Schema
	codec  string
	sync   [16]byte
	fields []datatype.Field
	steps  *steps
	arrow  *arrow.Schema
}

var magic = []byte{'O', 'b', 'j', 1}

// Open reads the head of a file of a size in bytes. need are the ordinals of the fields that the query reads, nil for all; the others are null.
func Open(r io.Reader, size int64, fields []datatype.Field, need []int) (*File, error) {
	f, err := openHead(r, size)
	if err != nil {
		return nil, err
	}
	if f.schema.kind != record {
		return nil, fmt.Errorf("the file holds values of type %s and no records", f.schema)
	}
	f.fields = fields
	if f.arrow, err = arrowSchema(fields); err != nil {
		return nil, err
	}
	f.steps, err = stepsOf(f.schema, fields, need)
	return f, err
}

// ReadSchema reads the schema in the head of a file.
func ReadSchema(r io.Reader, size int64) (*Schema, error) {
	f, err := openHead(r, size)
	if err != nil {
		return nil, err
	}
	return f.schema, nil
}

func openHead(r io.Reader, size int64) (*File, error) {
	f := &File{in: bufio.NewReaderSize(r, 64<<10), left: size, codec: "null"}
	head, err := f.read(4)
	if err != nil || !bytes.Equal(head, magic) {
		return nil, errors.New("the file is no Avro container file: it does not begin with Obj1")
	}
	for {
		n, err := f.long()
		if err != nil {
			return nil, fmt.Errorf("the head is damaged: %w", err)
		}
		if n == 0 {
			break
		}
		if n < 0 {
			if n = -n; n < 0 {
				return nil, errors.New("the head is damaged: a count is out of range")
			}
			if _, err := f.long(); err != nil {
				return nil, fmt.Errorf("the head is damaged: %w", err)
			}
		}
		for ; n > 0; n-- {
			key, err := f.bytes()
			if err != nil {
				return nil, fmt.Errorf("the head is damaged: %w", err)
			}
			value, err := f.bytes()
			if err != nil {
				return nil, fmt.Errorf("the head is damaged: %w", err)
			}
			switch string(key) {
			case "avro.schema":
				if f.schema, err = ParseSchema(value); err != nil {
					return nil, err
				}
			case "avro.codec":
				f.codec = string(value)
			}
		}
	}
	if f.schema == nil {
		return nil, errors.New("the head has no schema")
	}
	switch f.codec {
	case "null", "deflate", "snappy", "zstandard", "bzip2":
	default:
		return nil, fmt.Errorf("the local engine does not read blocks packed as %q; it reads null, deflate, snappy, zstandard and bzip2", f.codec)
	}
	mark, err := f.read(16)
	if err != nil {
		return nil, fmt.Errorf("the head is damaged: %w", err)
	}
	copy(f.sync[:], mark)
	return f, nil
}

// read takes n bytes, which are the caller's.
func (f *File) read(n int64) ([]byte, error) {
	if n < 0 || n > f.left {
		return nil, io.ErrUnexpectedEOF
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(f.in, b); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	f.left -= n
	return b, nil
}

func (f *File) long() (int64, error) {
	var v uint64
	for shift := 0; ; shift += 7 {
		if f.left <= 0 {
			return 0, io.ErrUnexpectedEOF
		}
		b, err := f.in.ReadByte()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
		f.left--
		if shift > 63 || shift == 63 && b > 1 {
			return 0, errors.New("a number has more than 64 bits")
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return int64(v>>1) ^ -int64(v&1), nil
		}
	}
}

func (f *File) bytes() ([]byte, error) {
	n, err := f.long()
	if err != nil {
		return nil, err
	}
	return f.read(n)
}

// Block is a run of rows as it lies in the file.
type Block struct {
	// Rows is how many rows the block says that it has.
	Rows int64
	data []byte
}

// Size is the number of bytes of the block in the file.
func (b Block) Size() int { return len(b.data) }

// Next reads a block. It is io.EOF at the end of the file; a file that ends elsewhere, or whose blocks do not end in its mark, is damaged.
func (f *File) Next() (Block, error) {
	if f.left == 0 {
		return Block{}, io.EOF
	}
	rows, err := f.long()
	if err != nil {
		return Block{}, f.damaged(err)
	}
	size, err := f.long()
	if err != nil {
		return Block{}, f.damaged(err)
	}
	if rows < 0 {
		return Block{}, f.damaged(fmt.Errorf("a block has %d rows", rows))
	}
	data, err := f.read(size)
	if err != nil {
		return Block{}, f.damaged(err)
	}
	mark, err := f.read(16)
	if err == nil && !bytes.Equal(mark, f.sync[:]) {
		err = errors.New("a block does not end in the file's mark")
	}
	if err != nil {
		return Block{}, f.damaged(err)
	}
	return Block{Rows: rows, data: data}, nil
}

func (f *File) damaged(err error) error {
	return fmt.Errorf("the file is damaged or cut off %d bytes before its end: %w", f.left, err)
}

// maxBlock bounds what a block unpacks to: a small file could name any size.
const maxBlock = 1 << 30

// unpack gives the bytes of a block. It may be called by several goroutines.
func (f *File) unpack(b Block) ([]byte, error) {
	switch f.codec {
	case "snappy":
		if len(b.data) < 4 {
			return nil, errors.New("a snappy block is too short")
		}
		packed, sum := b.data[:len(b.data)-4], binary.BigEndian.Uint32(b.data[len(b.data)-4:])
		if n, err := snappy.DecodedLen(packed); err != nil {
			return nil, err
		} else if n > maxBlock {
			return nil, fmt.Errorf("a block unpacks to %d bytes", n)
		}
		out, err := snappy.Decode(nil, packed)
		if err != nil {
			return nil, err
		}
		if crc32.ChecksumIEEE(out) != sum {
			return nil, errors.New("the checksum of a block is wrong")
		}
		return out, nil
	case "deflate":
		return readAll(flate.NewReader(bytes.NewReader(b.data)))
	case "bzip2":
		return readAll(bzip2.NewReader(bytes.NewReader(b.data)))
	case "zstandard":
		z, err := zstd.NewReader(bytes.NewReader(b.data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlock))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		return readAll(z)
	}
	return b.data, nil
}

func readAll(r io.Reader) ([]byte, error) {
	var out bytes.Buffer
	n, err := io.Copy(&out, io.LimitReader(r, maxBlock+1))
	if err == nil && n > maxBlock {
		err = fmt.Errorf("a block unpacks to more than %d bytes", maxBlock)
	}
	return out.Bytes(), err
}
