// Package socket reads lines of text from a TCP connection: Spark's socket source.
//
// The offset is the number of the last line, from 0, as a JSON number, and -1 before the first. Lines are kept until their epoch is done; then, and when the query ends, they are gone. So it is for trying
// things out: an epoch of an earlier run cannot be read again.
package socket

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/javatext"
)

const (
	// mostWaiting is how many bytes of lines wait for an epoch before no more are read, so that a fast peer waits and the memory does not fill.
	mostWaiting = 64 << 20
	// longestLine is the most bytes that a line may have.
	longestLine = 256 << 20
	// mostBatch is about how many bytes of lines go into one record batch.
	mostBatch = 16 << 20
)

func init() {
	connector.RegisterSource(tree.Socket, func(_ context.Context, env connector.Env, s *tree.Source) (connector.Source, error) {
		return open(env, s)
	})
}

// line is a line that came, and when, in microseconds since 1970.
type line struct {
	text string
	at   int64
}

// source is an open socket source.
type source struct {
	env     connector.Env
	mem     memory.Allocator
	schema  *arrow.Schema
	address string
	host    string
	port    string
	longest int

	mu   sync.Mutex
	room *sync.Cond
	conn net.Conn
	// done is what the reader is waited for by.
	done   sync.WaitGroup
	closed bool
	// lines are those behind first, the number of the last one that is done with, and size are their bytes.
	lines []line
	first int64
	size  int
	// failure is why there are no more lines, and over takes back what the query's status says of it.
	failure error
	over    func()
}

func open(env connector.Env, d *tree.Source) (*source, error) {
	s := &source{env: env, mem: memory.DefaultAllocator, longest: longestLine, first: -1}
	s.room = sync.NewCond(&s.mu)
	s.host, _ = d.Options.Get("host")
	s.port, _ = d.Options.Get("port")
	if n, err := strconv.ParseUint(s.port, 10, 16); err != nil || n == 0 || strings.TrimSpace(s.host) == "" {
		return nil, condition.Newf(condition.InvalidOption, "The socket source needs a host and a port from 1 to 65535, not %q and %q.", s.host, s.port)
	}
	s.address = net.JoinHostPort(s.host, s.port)
	var err error
	if s.schema, err = arrowtype.Schema(d.Fields); err != nil {
		return nil, condition.Newf(condition.InvalidValue, "%v.", err)
	}
	return s, nil
}

func offset(n int64) connector.Offset { return strconv.AppendInt(nil, n, 10) }

func number(o connector.Offset) (int64, error) {
	var n *int64
	if err := json.Unmarshal(o, &n); err != nil || n == nil || *n < -1 {
		return 0, condition.Newf(condition.CheckpointCorrupt, "The offset %s is none of a socket source: it must be the number of a line.", o)
	}
	return *n, nil
}

// Initial implements [connector.Source].
func (s *source) Initial(context.Context) (connector.Offset, error) { return offset(-1), nil }

// connect makes the connection, once: lines that come now go on behind start.
func (s *source) connect(ctx context.Context, start int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil || s.closed {
		return nil
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.address)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		e := condition.Newf(condition.ConnectorFailed, "The socket source cannot connect to %s.", s.address)
		e.Cause, e.Hint = err, "Start what sends the lines first, such as nc -lk "+s.port+"."
		return e
	}
	s.conn, s.first = conn, start
	s.done.Go(func() { s.read(conn) })
	return nil
}

// read keeps the lines that come until there are no more.
func (s *source) read(conn net.Conn) {
	in := bufio.NewReaderSize(conn, 64<<10)
	var buf []byte
	keep := func() bool {
		l := line{text: string(javatext.ReplaceInvalid(nil, buf)), at: s.env.Now().UnixMilli() * 1000}
		buf = buf[:0]
		if cap(buf) > 1<<20 {
			buf = nil
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for s.size > mostWaiting && !s.closed {
			s.room.Wait()
		}
		s.lines, s.size = append(s.lines, l), s.size+len(l.text)
		return !s.closed
	}
	// skip says that the last line ended with a carriage return, so that a line feed belongs to that end.
	skip := false
	for {
		if _, err := in.Peek(1); err != nil {
			if len(buf) > 0 {
				keep() // a last line without an end
			}
			s.end(err)
			return
		}
		chunk, _ := in.Peek(in.Buffered())
		if skip && chunk[0] == '\n' {
			_, _ = in.Discard(1) // it is buffered
			skip = false
			continue
		}
		skip = false
		at := bytes.IndexAny(chunk, "\r\n")
		n := at
		if at < 0 {
			n = len(chunk)
		}
		if len(buf)+n > s.longest {
			e := condition.Newf(condition.ConnectorFailed, "Line %d of %s is longer than %d bytes.", s.next(), s.address, s.longest)
			e.Hint = "Send lines that end, by \\n, \\r or both."
			s.end(e)
			return
		}
		buf = append(buf, chunk[:n]...)
		if at >= 0 {
			skip = chunk[at] == '\r'
			n++
		}
		_, _ = in.Discard(n) // it is buffered
		if at >= 0 && !keep() {
			return
		}
	}
}

// next is the number of the next line.
func (s *source) next() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first + int64(len(s.lines)) + 1
}

// end notes that no more lines come. As in Spark it is the end of the lines and not of the query, which says so in its status; only what is wrong with a line fails it.
func (s *source) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	var own *condition.Error
	if errors.As(err, &own) {
		s.failure = own
		return
	}
	text := s.address + " has closed the connection, so no more lines come"
	if !errors.Is(err, io.EOF) {
		text = fmt.Sprintf("The connection to %s has ended (%v), so no more lines come", s.address, err)
	}
	if s.env.Waiting != nil {
		s.over = s.env.Waiting(func() string { return text })
	}
}

// Latest implements [connector.Source].
func (s *source) Latest(ctx context.Context, start connector.Offset, _ bool) (connector.Offset, error) {
	from, err := number(start)
	if err != nil {
		return nil, err
	}
	if err := s.connect(ctx, from); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	latest := max(from, s.first+int64(len(s.lines)))
	if latest == from && s.failure != nil {
		return nil, s.failure
	}
	return offset(latest), nil
}

// Read implements [connector.Source]. Where Spark's rows are spread over numPartitions, here they are in one.
func (s *source) Read(ctx context.Context, start, end connector.Offset, p connector.Projection) (connector.Batches, error) {
	from, err := number(start)
	if err != nil {
		return nil, err
	}
	until, err := number(end)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	if from > until || from < s.first || until > s.first+int64(len(s.lines)) {
		s.mu.Unlock()
		e := condition.Newf(condition.ConnectorFailed, "The lines %d to %d of %s came to an earlier run of the query, which ended before it was done with them, and are lost.", from+1, until, s.address)
		e.Hint = "Start the query with a new checkpoint folder, or without one. A source that can be read again, such as files or Kafka, loses nothing."
		return nil, e
	}
	lines := s.lines[from-s.first : until-s.first : until-s.first]
	s.mu.Unlock()
	wanted := p.Wanted(s.schema.NumFields())
	return func(yield func(arrow.RecordBatch, error) bool) {
		for len(lines) > 0 {
			if err := context.Cause(ctx); err != nil {
				yield(nil, err)
				return
			}
			n, size := 0, 0
			for n < len(lines) && n < max(s.env.BatchRows, 1) && (n == 0 || size+len(lines[n].text) <= mostBatch) {
				size += len(lines[n].text)
				n++
			}
			if !yield(s.batch(lines[:n], wanted), nil) {
				return
			}
			lines = lines[n:]
		}
	}, nil
}

func (s *source) batch(lines []line, wanted []bool) arrow.RecordBatch {
	cols := make([]arrow.Array, len(wanted))
	for i := range cols {
		if !wanted[i] {
			cols[i] = array.MakeArrayOfNull(s.mem, s.schema.Field(i).Type, len(lines))
			continue
		}
		b := array.NewBuilder(s.mem, s.schema.Field(i).Type)
		b.Reserve(len(lines))
		for _, l := range lines {
			switch b := b.(type) {
			case *array.StringBuilder:
				b.Append(l.text)
			case *array.TimestampBuilder:
				b.Append(arrow.Timestamp(l.at))
			}
		}
		cols[i] = b.NewArray()
		b.Release()
	}
	rec := array.NewRecordBatch(s.schema, cols, int64(len(lines)))
	for _, c := range cols {
		c.Release()
	}
	return rec
}

// Commit implements [connector.Source]: the lines are not kept any longer.
func (s *source) Commit(_ context.Context, end connector.Offset) error {
	until, err := number(end)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(until-s.first, int64(len(s.lines)))
	if n <= 0 {
		return nil
	}
	for _, l := range s.lines[:n] {
		s.size -= len(l.text)
	}
	s.lines = append([]line(nil), s.lines[n:]...)
	s.first += n
	s.room.Broadcast()
	return nil
}

// Metrics implements [connector.Source].
func (s *source) Metrics() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]string{"latestOffset": strconv.FormatInt(s.first+int64(len(s.lines)), 10)}
}

// Description implements [connector.Source].
func (s *source) Description() string {
	return fmt.Sprintf("TextSocketV2[host: %s, port: %s]", s.host, s.port)
}

// Close implements [connector.Source].
func (s *source) Close() error {
	s.mu.Lock()
	s.closed = true
	conn, over := s.conn, s.over
	s.over = nil
	s.room.Broadcast()
	s.mu.Unlock()
	if over != nil {
		over()
	}
	if conn == nil {
		return nil
	}
	err := conn.Close()
	s.done.Wait()
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	return err
}
