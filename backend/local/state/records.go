package state

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/spoonbill-go/spoonbill/backend/local/durable"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// A file is the magic, records, a zero byte, the number of records and the CRC-32C of everything before it. A record is 1 (put)
// with key, value and expiry, or 2 (delete) with the key; lengths and numbers are varints. A key may have several records: the last counts.
//
// Values of the first version of the format are read as they are: the second one adds a shorter form of the registers of approx_count_distinct, which an engine that knows
// the first alone must not take for something else.
const (
	magic      = "SBSTATE2"
	magicFirst = "SBSTATE1"
)

// magicPebble begins a snapshot whose entries stand in a folder beside it. It has one record, under no key: what the tree in the folder says of itself
// under [sizePrefix], so that a tree which opens with less than it had is found out.
const magicPebble = "SBPEBBLE"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// recordPiece is how much of a file is kept before it is written.
const recordPiece = 1 << 20

// recordWriter writes a file of records, large ones piece by piece. Nothing of it is seen before commit.
type recordWriter struct {
	fs      vfs.FS
	path    string
	f       *durable.File // nil before the first piece
	buf     []byte
	crc     uint32
	records uint64
	size    int64
}

func newRecordWriter(fs vfs.FS, path, magic string) *recordWriter {
	return &recordWriter{fs: fs, path: path, buf: []byte(magic)}
}

func (w *recordWriter) put(k, value []byte, expiry int64) error {
	w.records++
	w.buf = append(w.buf, 1)
	w.buf = binary.AppendUvarint(w.buf, uint64(len(k)))
	w.buf = append(w.buf, k...)
	w.buf = binary.AppendUvarint(w.buf, uint64(len(value)))
	w.buf = append(w.buf, value...)
	w.buf = binary.AppendVarint(w.buf, expiry)
	return w.piece()
}

func (w *recordWriter) delete(k []byte) error {
	w.records++
	w.buf = append(w.buf, 2)
	w.buf = binary.AppendUvarint(w.buf, uint64(len(k)))
	w.buf = append(w.buf, k...)
	return w.piece()
}

// piece writes what there is once it is enough.
func (w *recordWriter) piece() error {
	if len(w.buf) < recordPiece {
		return nil
	}
	w.crc = crc32.Update(w.crc, castagnoli, w.buf)
	return w.write()
}

func (w *recordWriter) write() (err error) {
	if w.f == nil {
		if w.f, err = durable.Create(w.fs, w.path); err != nil {
			return err
		}
	}
	err = w.f.Write(w.buf)
	w.size += int64(len(w.buf))
	w.buf = w.buf[:0]
	return err
}

// commit ends the file and gives it its name, durably.
func (w *recordWriter) commit() error {
	w.buf = append(w.buf, 0)
	w.buf = binary.AppendUvarint(w.buf, w.records)
	w.crc = crc32.Update(w.crc, castagnoli, w.buf)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, w.crc)
	if err := w.write(); err != nil {
		w.abort()
		return err
	}
	return w.f.Commit()
}

// abort gives the file up.
func (w *recordWriter) abort() {
	if w.f != nil {
		w.f.Abort()
	}
}

// errDamaged are the faults of a file's content.
type errDamaged string

func (e errDamaged) Error() string { return string(e) }

const errShort = errDamaged("it ends too early")

// recordReader reads a file piece by piece and computes its checksum on the way.
type recordReader struct {
	*bufio.Reader
	left int64 // up to the checksum
}

// summed is a reader whose bytes go into a checksum.
type summed struct {
	r   io.Reader
	sum hash.Hash32
}

func (s summed) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.sum.Write(p[:n])
	return n, err
}

func (r *recordReader) ReadByte() (byte, error) {
	if r.left <= 0 {
		return 0, errShort
	}
	r.left--
	return r.Reader.ReadByte()
}

// bytes reads a length and as many bytes, into room where they fit.
func (r *recordReader) bytes(room []byte) ([]byte, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, err
	}
	if n > uint64(r.left) {
		return nil, errShort
	}
	x := slices.Grow(room[:0], int(n))[:n]
	r.left -= int64(n)
	_, err = io.ReadFull(r.Reader, x)
	return x, err
}

// setter is what takes the entries of a file. It copies what it keeps.
type setter interface {
	set(key, value []byte, expiry int64) error
	remove(key []byte) error
}

// mark is the record of a snapshot of files.
type mark []byte

func (m *mark) set(_, value []byte, _ int64) error { *m = slices.Clone(value); return nil }
func (m *mark) remove([]byte) error                { return errDamaged("it has no record of its folder") }

// readRecords applies a file to a store and gives its size, or for a snapshot of files what it says of them. An error of the file system stays what it is, and a file that cannot be used is
// SPOONBILL_CHECKPOINT_CORRUPT; the store is of no use then.
func readRecords(fs vfs.FS, path string, s setter) (size int64, of mark, err error) {
	f, err := fs.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil, corrupt(path, "it is missing")
	}
	if err != nil {
		return 0, nil, durable.Failed("read", path, err)
	}
	defer f.Close() // it was read only
	info, err := f.Stat()
	if err != nil {
		return 0, nil, durable.Failed("read", path, err)
	}
	of, err = applyRecords(f, info.Size(), s)
	var damaged errDamaged
	switch {
	case errors.As(err, &damaged):
		return 0, nil, corrupt(path, damaged.Error())
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return 0, nil, corrupt(path, errShort.Error())
	}
	return info.Size(), of, durable.Failed("read", path, err)
}

func applyRecords(f io.Reader, size int64, s setter) (of mark, err error) {
	if size < int64(len(magic))+6 {
		return nil, errDamaged("it does not begin as a state file")
	}
	in := summed{io.LimitReader(f, size-4), crc32.New(castagnoli)}
	r := &recordReader{bufio.NewReaderSize(in, int(min(size, 1<<18))), size - 4}
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(r.Reader, head); err != nil {
		return nil, err
	}
	r.left -= int64(len(head))
	switch string(head) {
	case magic, magicFirst:
	case magicPebble:
		of = mark{}
		s = &of
	default:
		return nil, errDamaged("it does not begin as a state file")
	}
	var key, value []byte
	for records := uint64(0); ; records++ {
		op, err := r.ReadByte()
		if err != nil {
			return nil, err
		}
		if op == 0 {
			n, err := binary.ReadUvarint(r)
			if err != nil || r.left != 0 || n != records {
				return nil, errDamaged(fmt.Sprintf("it has %d records, not the number at its end", records))
			}
			break
		}
		if key, err = r.bytes(key); err != nil {
			return nil, err
		}
		if op == 2 {
			if err := s.remove(key); err != nil {
				return nil, err
			}
			continue
		}
		if value, err = r.bytes(value); err != nil {
			return nil, err
		}
		expiry, err := binary.ReadVarint(r)
		if err != nil {
			return nil, err
		}
		if op != 1 {
			return nil, errDamaged("it has a record of an unknown kind")
		}
		if err := s.set(key, value, expiry); err != nil {
			return nil, err
		}
	}
	var sum [4]byte
	if _, err := io.ReadFull(f, sum[:]); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(sum[:]) != in.sum.Sum32() {
		return nil, errDamaged("its checksum is wrong")
	}
	return of, nil
}

// corrupt is the error of a file that cannot be used; there is no way on without it, so it names the ways out.
func corrupt(path, why string) error {
	e := condition.Newf(condition.CheckpointCorrupt, "The state file %s cannot be used: %s.", path, why)
	e.Hint = "Restore the file from a backup, or start the query with a new checkpoint folder, which reads its sources from their start."
	return e
}
