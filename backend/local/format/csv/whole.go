package csv

import (
	"bytes"
	"unicode/utf8"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/internal/javatext"
)

// tokenizer cuts a text whose records may go over several lines, step by step as the parser behind Spark does: its answer for a damaged record depends
// on what it remembers of the characters before. Every method that reads gives false where the text has ended.
//
// Source: Spark's answers, which are recorded in conformance/testdata/multiline.json.
type tokenizer struct {
	opts *Options
	// end1 and end2 end a line, the second 0 where one does; newline is what stands for them.
	end1, end2, newline byte

	data []byte
	// i is the place behind ch; start is where the record begins.
	i, start int
	ch, prev byte
	// more says that data goes on elsewhere; short is set where that was needed.
	more, short bool
	// raw keeps the ends of lines as they are.
	raw bool
	// unescaped is set in a value with a quote that is not escaped.
	unescaped bool

	// value is the one that is read; trim cuts blanks off its end.
	value  []byte
	trim   bool
	tokens []token
	used   int
	store  [][]byte
	broken error
}

// lineEnds finds what ends a line of a text: what the option says, or what the text has first.
func (t *tokenizer) lineEnds(data []byte) {
	if sep := t.opts.ReadSep; sep != "" {
		// One character stands for itself, two become a line feed, but not in quotes.
		switch {
		case sep[0] >= utf8.RuneSelf || len(sep) > 1 && sep[1] >= utf8.RuneSelf:
			// A line that was cut by it has none in it, and no text has this byte.
			t.end1, t.end2, t.newline = noByte, 0, noByte
		case len(sep) == 1:
			t.end1, t.end2, t.newline = sep[0], 0, sep[0]
		default:
			t.end1, t.end2, t.newline = sep[0], sep[1], '\n'
		}
		return
	}
	t.end1, t.end2, t.newline = '\n', 0, '\n'
	if i := bytes.IndexAny(data, "\r\n"); i >= 0 && data[i] == '\r' {
		t.end1 = '\r'
		if i+1 < len(data) && data[i+1] == '\n' {
			t.end2 = '\n'
		}
	}
}

// noByte is none of UTF-8.
const noByte = 0xff

func (t *tokenizer) next() bool {
	if t.i >= len(t.data) {
		t.short = t.short || t.more
		return false
	}
	t.ch = t.data[t.i]
	t.i++
	if t.ch != t.end1 || t.raw {
		return true
	}
	if t.end2 != 0 {
		if t.i >= len(t.data) {
			t.short = t.short || t.more
			return true
		}
		if t.data[t.i] != t.end2 {
			return true
		}
		t.i++
	}
	t.ch = t.newline
	return true
}

func (t *tokenizer) blank() bool { return t.ch <= ' ' }

func (t *tokenizer) escapes() bool { return t.opts.Escape != 0 && t.ch == t.opts.Escape }

func (t *tokenizer) quotes() bool { return t.opts.Quote != 0 && t.ch == t.opts.Quote }

func (t *tokenizer) quoted() bool { return t.opts.Quote != 0 && t.prev == t.opts.Quote }

// delimits tells whether a separator begins with the present character.
func (t *tokenizer) delimits() bool {
	sep := t.opts.Sep
	if t.ch != sep[0] || len(sep) == 1 {
		return t.ch == sep[0]
	}
	if len(t.data)-t.i < len(sep)-1 {
		t.short = t.short || t.more
		return false
	}
	return string(t.data[t.i:t.i+len(sep)-1]) == sep[1:]
}

func (t *tokenizer) ends() bool { return t.ch == t.newline || t.delimits() }

// record reads one record into tokens and gives false behind the last one.
func (t *tokenizer) record() bool {
	t.tokens, t.used, t.broken, t.raw = t.tokens[:0], 0, nil, false
	for {
		t.start = t.i
		t.value = t.value[:0]
		if !t.next() {
			return t.atEnd()
		}
		if t.opts.Comment != 0 && t.ch == t.opts.Comment {
			for t.next() && (t.ch != t.newline || t.newline == 0 && t.data[t.i-1] == 0) {
			}
			continue
		}
		ok := t.fields()
		if t.broken != nil {
			return true
		}
		if !ok {
			return t.atEnd()
		}
		if len(t.tokens) > 0 {
			return true
		}
	}
}

// atEnd gives the record that the end of the text cuts off.
func (t *tokenizer) atEnd() bool {
	consume := false
	if t.quotes() && t.quoted() {
		consume = true
	} else {
		if t.quotes() && !t.unescaped && t.i > t.start {
			t.value = append(t.value, t.opts.Quote)
		}
		consume = t.prev != 0 && !t.ends() && (t.opts.Comment == 0 || t.ch != t.opts.Comment)
	}
	t.ch, t.prev = 0, 0
	switch {
	case t.i == t.start && len(t.tokens) == 0:
		return false
	case len(t.value) > 0 || consume:
		t.add(t.value)
	default:
		t.addNull()
	}
	return true
}

func (t *tokenizer) addNull() {
	if t.room() {
		t.tokens = append(t.tokens, token{null: true})
	}
}

func (t *tokenizer) room() bool {
	if t.broken == nil && len(t.tokens) >= t.opts.MaxColumns {
		t.broken = condition.Newf(condition.MalformedRecord, "A record has more than %d fields; the option maxColumns sets the bound.", t.opts.MaxColumns)
	}
	return t.broken == nil
}

// add ends the present value.
func (t *tokenizer) add(value []byte) {
	if t.trim {
		for len(value) > 0 && value[len(value)-1] <= ' ' {
			value = value[:len(value)-1]
		}
	}
	if !t.room() {
		return
	}
	if max := t.opts.MaxChars; max >= 0 && utf8.RuneCount(value) > max {
		t.broken = condition.Newf(condition.MalformedRecord, "A field is longer than %d characters; the option maxCharsPerColumn sets the bound.", max)
		return
	}
	if len(value) == 0 {
		t.tokens = append(t.tokens, token{text: []byte(t.opts.Empty)})
	} else {
		if t.used == len(t.store) {
			t.store = append(t.store, nil)
		}
		t.store[t.used] = append(t.store[t.used][:0], value...)
		t.tokens = append(t.tokens, token{text: t.store[t.used]})
		t.used++
	}
	t.value, t.trim = t.value[:0], false
}

func (t *tokenizer) skipBlanks() bool {
	at := t.ch
	for t.blank() && !t.ends() && !t.quotes() {
		if !t.next() {
			t.ch = at
			return false
		}
	}
	return true
}

// fields reads the fields of a record whose first character is the present one.
func (t *tokenizer) fields() bool {
	for {
		if t.opts.TrimLeft && t.blank() && !t.skipBlanks() {
			return false
		}
		if t.ch == t.newline {
			if len(t.tokens) > 0 {
				t.addNull() // behind the last separator
			}
			return true
		}
		if t.delimits() {
			t.addNull()
		} else {
			t.unescaped, t.prev = false, 0
			if t.quotes() {
				t.trim = false
				t.raw = len(t.opts.ReadSep) > 1
				skipped, ok := t.quotedValue()
				t.raw = false
				if !ok || t.broken != nil {
					return ok
				}
				if skipped {
					t.value = t.value[:0]
					t.addNull()
				} else {
					t.add(t.value)
				}
			} else {
				t.trim = t.opts.TrimRight
				found := t.bare()
				if !found && !t.until(t.ends) {
					return false
				}
				if found && t.trim && len(bytes.TrimRight(t.value, blanks)) == 0 {
					t.value, t.trim = t.value[:0], false
					t.addNull()
				} else {
					t.add(t.value)
				}
			}
		}
		if t.broken != nil || t.ch == t.newline {
			return true
		}
		t.i += len(t.opts.Sep) - 1
		if !t.next() {
			return false
		}
	}
}

// until takes characters into the value up to one at which stop holds.
func (t *tokenizer) until(stop func() bool) bool {
	at := t.ch
	for !stop() {
		t.value = append(t.value, t.ch)
		if !t.next() {
			t.ch = at // the parser has not come to note those behind it
			return false
		}
	}
	return true
}

// bare reads a value without quotes where its end is in sight. An end of a line that is not the file's does not end it, unlike in a value that the file cuts off.
func (t *tokenizer) bare() bool {
	if len(t.opts.Sep) > 1 {
		return false
	}
	for q := t.i - 1; q < len(t.data); q++ {
		c := t.data[q]
		if c == t.opts.Sep[0] || c == t.end1 && q+1 < len(t.data) && (t.end2 == 0 || t.data[q+1] == t.end2) {
			t.value = append(t.value, t.data[t.i-1:q]...)
			t.i = q
			return t.next()
		}
	}
	t.short = t.short || t.more
	return false
}

// special tells of the characters that are looked at in a quoted value.
func (t *tokenizer) special() bool {
	return t.quotes() || t.escapes() || t.opts.EscapeEscape != 0 && t.ch == t.opts.EscapeEscape
}

// quotedValue reads a value behind its quote, or what follows a quote that is not escaped. It ends at a separator or the end of a line.
func (t *tokenizer) quotedValue() (skipped, ok bool) {
	o := t.opts
	if t.prev != 0 {
		if o.Unescaped == SkipValue {
			return true, t.until(t.ends)
		}
		t.value = append([]byte{o.Quote}, t.value...)
		if !t.next() {
			return false, false
		}
		t.trim = o.TrimRight
		return false, t.until(t.ends)
	}
	if !t.next() {
		return false, false
	}
	for !(t.quoted() && (t.blank() || t.ends())) {
		if !t.quotes() && !t.escapes() {
			if t.quoted() {
				return t.stray()
			}
			if o.Escape != 0 && t.prev == o.Escape && o.Quote != o.Escape {
				t.value = append(t.value, o.Escape)
			}
			if !t.until(t.special) {
				return false, false
			}
			t.prev = t.ch
			if !t.next() {
				return false, false
			}
			continue
		}
		if t.quoteOrEscape() {
			if o.Unescaped == RaiseError {
				t.raise()
				return false, true
			}
			if !t.behindStray() {
				return false, false
			}
		}
		t.prev = t.ch
		if !t.next() {
			return false, false
		}
		if t.unescaped && t.ends() {
			return false, true
		}
	}
	if t.ends() || !t.blank() {
		return false, true
	}
	var behind []byte
	for t.blank() && !t.delimits() {
		behind = append(behind, t.ch)
		if !t.next() {
			return false, false
		}
		if t.ch == t.newline {
			return false, true
		}
	}
	if t.delimits() {
		return false, true
	}
	if o.Unescaped == RaiseError {
		t.raise()
		return false, true
	}
	t.value = append(append(append(t.value, o.Quote), behind...), t.ch)
	t.prev = t.ch
	return t.quotedValue()
}

// stray goes on behind a quote that is not escaped.
func (t *tokenizer) stray() (skipped, ok bool) {
	t.unescaped = true
	if t.opts.Unescaped == RaiseError {
		t.raise()
		return false, true
	}
	t.value = append(t.value, t.opts.Quote, t.ch)
	t.prev = t.ch
	return t.quotedValue()
}

func (t *tokenizer) raise() {
	t.broken = condition.Newf(condition.MalformedRecord, "A quote inside a quoted field is not escaped: %q.", t.data[t.start:t.i])
}

// quoteOrEscape looks at a quote or an escape within a quoted value. It tells of an escape that stands behind a quote which is not escaped, and leaves that to its caller.
func (t *tokenizer) quoteOrEscape() (stray bool) {
	o := t.opts
	switch {
	case t.escapes() && o.EscapeEscape != 0 && t.prev == o.EscapeEscape:
		t.value = append(t.value, o.Escape)
		t.ch = 0
	case o.Escape != 0 && t.prev == o.Escape:
		if t.quotes() {
			t.value = append(t.value, o.Quote)
			t.ch = 0
		} else {
			t.value = append(t.value, t.prev)
		}
	case t.quotes() && t.quoted():
		t.value = append(t.value, o.Quote)
	default:
		return t.quoted()
	}
	return false
}

// behindStray goes on at an escape that stands behind a quote which is not escaped, up to a separator or the end of a line. A quote is of the value only where more of it follows.
// Spark's parser calls itself at each further one of these, and each call but the first passes over the separator that ends the call within it.
func (t *tokenizer) behindStray() bool {
	t.value = append(t.value, t.opts.Quote)
	t.prev = t.ch
	for depth := 0; ; {
		switch {
		case t.ends():
			if depth == 0 {
				return true
			}
			depth--
		case t.quotes() || t.escapes():
			if t.quoteOrEscape() {
				t.value = append(t.value, t.opts.Quote)
				t.prev = t.ch
				depth++
				continue
			}
		default:
			if t.quoted() {
				t.value = append(t.value, t.opts.Quote)
			}
			t.value = append(t.value, t.ch)
		}
		t.prev = t.ch
		if !t.next() {
			return false
		}
	}
}

// content is the text of the present record without the end of its line, which a column of corrupt records shows.
func (t *tokenizer) content() []byte {
	text := t.data[t.start:t.i]
	switch {
	case bytes.HasSuffix(text, []byte("\r\n")):
		return text[:len(text)-2]
	case len(text) > 0 && (text[len(text)-1] == '\n' || text[len(text)-1] == '\r' || text[len(text)-1] == '\f'):
		return text[:len(text)-1]
	}
	return text
}

// Splitter finds where records end whose fields have ends of lines in them, so that a file can be read in pieces.
type Splitter struct {
	t     tokenizer
	begun bool
}

// NewSplitter makes the splitter of one file.
func NewSplitter(opts Options) *Splitter { return &Splitter{t: tokenizer{opts: &opts}} }

// Begin looks for what ends a line of the file in its beginning, and gives the options for a decoder of its pieces.
func (s *Splitter) Begin(data []byte) Options {
	s.t.lineEnds(data)
	s.begun = true
	o := *s.t.opts
	o.ends = [3]byte{s.t.end1, s.t.end2, s.t.newline}
	return o
}

// Whole is how many bytes at the beginning of data are whole records; data is the rest of the file where last is set.
func (s *Splitter) Whole(data []byte, last bool) int {
	if last {
		return len(data)
	}
	t := &s.t
	t.data, t.i, t.more = data, 0, true
	whole := 0
	for {
		t.short, t.ch, t.prev = false, 0, 0
		if !t.record() || t.short {
			return whole
		}
		whole = t.i
		if t.broken != nil {
			return whole
		}
	}
}

// tokenizerFor begins a piece.
func (d *Decoder) tokenizerFor(data []byte) *tokenizer {
	if !utf8.Valid(data) {
		data = javatext.ReplaceInvalid(nil, data)
	}
	t := &tokenizer{opts: &d.opts, data: data, end1: d.opts.ends[0], end2: d.opts.ends[1], newline: d.opts.ends[2]}
	if t.end1 == 0 {
		t.lineEnds(data)
	}
	return t
}

// Records reads the records of a piece of whole ones, whose fields may go over lines; the first is left out where it has the names.
func (d *Decoder) Records(data []byte, first bool) error {
	t := d.tokenizerFor(data)
	if first && d.opts.Header {
		if !t.record() {
			return nil
		}
		if t.broken != nil {
			return t.broken
		}
		if !d.opts.EnforceSchema {
			if err := d.checkNames(t.tokens); err != nil {
				return err
			}
		}
	}
	for t.record() {
		if t.broken != nil {
			return t.broken
		}
		d.tokens = t.tokens
		if err := d.row(t.content()); err != nil {
			return err
		}
	}
	return nil
}

// Line reads one line of a file whose lines end as an option says, or that is in another character set. What stands behind another end of a line in it is passed over.
func (d *Decoder) Line(line []byte) error {
	if d.passesOver(line) {
		return nil
	}
	t := &tokenizer{opts: &d.opts, data: line}
	t.lineEnds(nil)
	if !t.record() {
		return nil
	}
	if t.broken != nil {
		return t.broken
	}
	d.tokens = t.tokens
	return d.row(t.content())
}

// Records looks at a piece of whole records of a file read under opts; first says that it is the beginning of the file, whose names are no values.
func (x *Inferrer) Records(data []byte, opts Options, first bool) error {
	x.d.opts.ends = opts.ends
	t := x.d.tokenizerFor(data)
	for n := 0; t.record(); n++ {
		if t.broken != nil {
			return t.broken
		}
		x.d.tokens = t.tokens
		named := x.first != nil
		if !named {
			x.first = []byte{}
			x.header()
		}
		if !x.types {
			return nil
		}
		if n > 0 || !first || !x.d.opts.Header {
			x.see()
		}
	}
	return nil
}

// Options are those of the source.
func (x *Inferrer) Options() Options { return x.d.opts }
