package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spoonbill-go/spoonbill/backend/local/format/charset"
	"github.com/spoonbill-go/spoonbill/backend/local/format/csv"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// shape is how the text of files is cut into records: its character set, what ends a line, and whether a record goes over several.
type shape struct {
	set charset.Set
	// named is set where the option encoding is there, even for UTF-8.
	named bool
	// sep ends a line in bytes, nil for any of \n, \r\n and \r; sepText is it as text.
	sep     []byte
	sepText string
	multi   bool
}

// newShape reads the options encoding (charset), lineSep and multiLine of a format of text; writing says that they are a sink's.
//
// Source: Spark's CSVOptions, JSONOptions, JSONOptionsInRead and TextOptions.
func newShape(format string, o options, writing bool) (shape, error) {
	s := shape{}
	name, encoded := o.Get("encoding")
	if !encoded && format != formatText {
		name, encoded = o.Get("charset")
	}
	if format != formatText {
		s.multi = o.flag("multiLine", false) && !writing
	}
	if encoded {
		if s.set, s.named = charset.Find(name); !s.named && format != formatText {
			e := condition.Newf(condition.InvalidParameterCharset, "The option encoding expects one of the charsets 'iso-8859-1', 'us-ascii', 'utf-16', 'utf-16be', 'utf-16le', 'utf-32' and 'utf-8', but got %q.", name)
			e.Hint = "Turn the files into one of these, UTF-8 best, before they are read."
			return s, e
		}
	}
	var ok bool
	if s.sepText, ok = o.Get("lineSep"); ok {
		switch n := len(utf16.Encode([]rune(s.sepText))); {
		case n == 0:
			o.fail("lineSep", "it must not be empty")
		case n > 2 && format == "csv":
			o.fail("lineSep", "it can contain only up to 2 characters, not %q", s.sepText)
		case s.multi && format == "csv" && len(s.sepText) != n:
			o.fail("lineSep", "the local engine reads multiLine with ASCII alone as the end of a line, not %q: leave multiLine or lineSep out, or run the query on Spark", s.sepText)
		}
		if s.sep = s.set.Encode(nil, []byte(s.sepText), true); format == formatText && encoded {
			// The bytes of text are taken as they are; only what ends a line is of the set, which may be any of Java's.
			if s.sep, ok = charset.Bytes(name, s.sepText); !ok {
				o.fail("encoding", "%q is no character set that is known", name)
			}
		}
	}
	if format == formatText {
		s.set = charset.Set{}
	}
	if format == "json" && s.named && !s.multi && !writing {
		switch {
		case s.set.Marked():
			e := condition.Newf(condition.InvalidOption, "The option encoding: %s must not be the encoding of lines of JSON.", name)
			e.Hint = "Name the order of bytes (UTF-16LE, UTF-16BE), or set multiLine where each file is one record."
			return s, e
		case !s.set.UTF8() && len(s.sep) == 0:
			e := condition.Newf(condition.InvalidOption, "The option lineSep must be specified for the %s encoding.", name)
			e.Hint = "Give connectors.LineSeparator, such as \"\\n\"."
			return s, e
		}
	}
	return s, nil
}

// plain tells whether lines of UTF-8 end as they use to.
func (s *shape) plain() bool { return s.set.UTF8() && s.sep == nil && !s.multi }

// lines cuts a text into lines.
func (s *shape) lines(data []byte, see func(line []byte) error) error {
	for len(data) > 0 {
		var line []byte
		if len(s.sep) > 0 {
			line, data, _ = bytes.Cut(data, s.sep)
		} else if i := bytes.IndexAny(data, "\r\n"); i < 0 {
			line, data = data, nil
		} else {
			next := i + 1
			if data[i] == '\r' && next < len(data) && data[next] == '\n' {
				next++
			}
			line, data = data[:i], data[next:]
		}
		if err := see(line); err != nil {
			return err
		}
	}
	return nil
}

// text is a line in UTF-8.
func (s *shape) text(line []byte) []byte {
	if s.set.UTF8() {
		return line
	}
	text, _ := s.set.Decode(nil, line)
	return text
}

// csvLine is a line of CSV in UTF-8, without a mark: Spark's parser takes one off every text.
func (s *shape) csvLine(line []byte) []byte {
	if s.set.UTF8() && utf8.Valid(line) {
		return line
	}
	text, _ := s.set.Decode(nil, line)
	return bytes.TrimPrefix(text, []byte("\ufeff"))
}

// jsonLine is a line of JSON in UTF-8, or nothing that is JSON where it has bytes that are of no character: the reader of lines does not replace them. It does not come to what is cut off at the end.
func (s *shape) jsonLine(line []byte) []byte {
	if s.set.UTF8() {
		return line
	}
	whole := s.set.Trim(line)
	if text, fine := s.set.Decode(nil, whole); fine && (len(whole) > 0 || len(line) == 0) {
		return text
	}
	return []byte("\xff")
}

// records reads a file of CSV in pieces of whole records whose fields may have ends of lines in them, each with the options to decode it. A piece may be kept.
func (s *shape) records(ctx context.Context, in io.Reader, o csv.Options, size func() int, emit func(piece []byte, o csv.Options, first bool) (bool, error)) error {
	in = charset.NewReader(in, s.set)
	o.ReadSep = s.sepText
	split := csv.NewSplitter(o)
	var rest []byte
	for begun, first := false, true; ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		want := size()
		if !begun {
			want = max(want, lineEndSearch)
		}
		buf := append(make([]byte, 0, want+len(rest)), rest...)
		whole, end := 0, false
		for whole == 0 && !end {
			if len(buf) == cap(buf) {
				if len(buf) >= maxLine {
					return fmt.Errorf("a record is longer than %d bytes; perhaps a quote is not closed", maxLine)
				}
				buf = append(make([]byte, 0, 2*cap(buf)), buf...)
			}
			n, err := io.ReadFull(in, buf[len(buf):cap(buf)])
			buf = buf[:len(buf)+n]
			if end = errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF); err != nil && !end {
				return err
			}
			if !begun {
				o, begun = split.Begin(buf), true
			}
			whole = split.Whole(buf, end)
		}
		if whole > 0 {
			if goOn, err := emit(buf[:whole:whole], o, first); !goOn || err != nil {
				return err
			}
			first = false
		}
		if end {
			return nil
		}
		rest = append([]byte(nil), buf[whole:]...)
	}
}

// lineEndSearch is how much of a file is looked at for the end of its first line: the size of the buffer of Spark's parser.
const lineEndSearch = 1 << 20

// jsonText is a file of JSON that is one record, as UTF-8, and whether Spark reads characters of it and not bytes.
func (s *shape) jsonText(content []byte) (text []byte, chars bool) {
	if s.named {
		if s.set.UTF8() {
			// Jackson passes over no mark where it is given characters.
			text, _ := s.set.Decode(nil, content)
			return text, true
		}
		return s.text(content), true
	}
	set, mark := charset.DetectJSON(content)
	if set.UTF8() {
		return content, false
	}
	text, _ = set.Decode(nil, content[mark:])
	return text, true
}
