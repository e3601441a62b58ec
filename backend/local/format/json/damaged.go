package json

import (
	"bytes"
	"math"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/javanum"
)

// A record that [decoder.value] cannot read without a fault is read a second time here, step by step as Spark reads it: what is left of
// such a record depends on where Jackson goes on behind an error, and on which of Spark's loops meets it. The values are put into the columns
// when all are known, for a name that comes twice replaces the first value, and a list may end early.

// shape is how a value of a damaged record was found.
type shape uint8

const (
	absent shape = iota // null
	ofText
	ofNumber
	ofBool
	ofBytes // text or bytes that are the value as they are
	ofMembers
)

// found is a value of a damaged record: one that is sure to fit its column.
type found struct {
	shape shape
	text  []byte
	kind  numberKind
	truth bool
	// members are a struct's fields, an array's elements or a map's values, whose keys names are.
	members []found
	names   [][]byte
}

// mender reads one damaged record.
type mender struct {
	*jackson
	d *decoder
}

// mend begins to read a record again.
func (d *decoder) mend(rec []byte) *mender {
	return &mender{jackson: newJackson(rec, &d.opts, d.chars), d: d}
}

// rows reads a record of a file: an object, or an array with a row for each object. Nothing counts where the status is bad.
func (m *mender) rows(n *node) ([]found, status) {
	t, ok := m.advance()
	switch {
	case !ok:
		return nil, bad
	case t == noToken:
		return nil, good
	case t == startObject:
		row, st := m.object(n)
		return []found{row}, st
	case t == startArray:
		list, st := m.array(n, true)
		return list.members, st
	}
	return nil, bad
}

// column reads a text of from_json. An object stands for an array of itself. Null is no record.
func (m *mender) column(n *node) (found, status) {
	t, ok := m.advance()
	if !ok {
		return found{}, bad
	}
	switch {
	case t == startObject && n.kind == datatype.KindStruct:
		return m.object(n)
	case t == startObject && n.kind == datatype.KindMap:
		return m.mapping(n)
	case t == startObject && n.kind == datatype.KindArray && n.elems[0].kind == datatype.KindStruct:
		row, st := m.object(n.elems[0])
		return found{shape: ofMembers, members: []found{row}}, st
	case t == startArray && n.kind == datatype.KindArray:
		return m.array(n.elems[0], false)
	}
	return found{}, bad
}

// object reads a struct up to the event that ends it for Spark: the next end of an object, or none. Source: JacksonParser.convertObject.
func (m *mender) object(n *node) (found, status) {
	row := found{shape: ofMembers, members: make([]found, len(n.elems))}
	st := good
	for {
		t, ok := m.advance()
		if !ok {
			return found{}, bad
		}
		if t == endObject || t == noToken {
			return row, st
		}
		name, named := m.currentName()
		i, wanted := n.index[string(name)]
		if named && wanted {
			v, what := m.value(n.elems[i])
			if what != good {
				st = partial
			}
			if what < bad {
				row.members[i] = v
				continue
			}
		}
		if !m.skipChildren() {
			return found{}, bad
		}
	}
}

// mapping reads a map. One value that is none makes it bad, but only at its end. Source: JacksonParser.convertMap.
func (m *mender) mapping(n *node) (found, status) {
	v := found{shape: ofMembers}
	st := good
	for {
		t, ok := m.advance()
		switch {
		case !ok:
			return found{}, bad
		case t == endObject, t == noToken:
			if st == bad {
				v = found{}
			}
			return v, st
		}
		name, named := m.currentName()
		value, what := m.value(n.elems[1])
		if !named {
			// Spark makes a key of null, which no map may have.
			what = max(what, bad)
		}
		if st = max(st, what); what < bad {
			v.names, v.members = append(v.names, name), append(v.members, value)
		} else if !m.skipChildren() {
			return found{}, bad
		}
	}
}

// array reads an array, of which elem is the element. It ends with the first element that is bad as a whole, and so do those around it;
// their elements that follow are read as what they are not. Source: JacksonParser.convertArray.
func (m *mender) array(elem *node, ofRows bool) (found, status) {
	list := found{shape: ofMembers}
	st := good
	for {
		t, ok := m.advance()
		if !ok {
			return found{}, bad
		}
		if t == endArray || t == noToken {
			return list, st
		}
		v, what := m.value(elem)
		if what >= bad || ofRows && v.shape == absent {
			return found{}, bad
		}
		st = max(st, what)
		list.members = append(list.members, v)
	}
}

// value reads the value of the present event. Source: JacksonParser.makeConverter.
func (m *mender) value(n *node) (found, status) {
	for m.now == fieldName {
		if _, ok := m.advance(); !ok {
			return found{}, bad
		}
	}
	switch m.now {
	case noToken, nullToken:
		return found{}, good
	}
	switch n.kind {
	case datatype.KindStruct:
		if m.now == startObject {
			return m.object(n)
		}
	case datatype.KindArray:
		if m.now == startArray {
			return m.array(n.elems[0], false)
		}
	case datatype.KindMap:
		if m.now == startObject {
			return m.mapping(n)
		}
	case datatype.KindString, datatype.KindChar, datatype.KindVarchar:
		return m.asText()
	case datatype.KindBinary:
		if m.now == textToken {
			out, ok := m.base64()
			if !ok {
				return found{}, bad
			}
			return found{shape: ofBytes, text: out}, good
		}
	case datatype.KindBoolean:
		if m.now == trueToken || m.now == falseToken {
			return found{shape: ofBool, truth: m.now == trueToken}, good
		}
	default:
		if m.now == wholeToken || m.now == fractionToken {
			v := found{shape: ofNumber, text: appendUnits(nil, m.text), kind: m.numberKind()}
			return v, m.fits(n, v)
		}
	}
	if m.now != textToken || !m.read() || len(m.text) == 0 {
		return found{}, bad
	}
	v := found{shape: ofText, text: appendUnits(nil, m.text)}
	return v, m.fits(n, v)
}

// read reads the text that is the present event.
func (m *mender) read() bool {
	if !m.unread {
		return true
	}
	m.unread = false
	return m.finish('"', true)
}

func (m *mender) numberKind() numberKind {
	switch {
	case m.word:
		return word
	case m.now == wholeToken:
		return whole
	}
	return fraction
}

// fits tells whether a scalar has a value in its column.
func (m *mender) fits(n *node, v found) status {
	at := n.col.Len()
	if !m.d.put(n, v) {
		return bad
	}
	n.col.Truncate(at)
	return good
}

// asText reads any value as text. Of what is no text Spark takes the bytes between the place where it began and the one that was reached, or
// writes it anew where it reads characters.
func (m *mender) asText() (found, status) {
	if m.now == textToken {
		if !m.read() {
			return found{}, bad
		}
		return found{shape: ofBytes, text: appendUnits(nil, m.text)}, good
	}
	if m.opt.Wide {
		return found{}, bad
	}
	if m.chars {
		out, ok := m.rewrite()
		if !ok {
			return found{}, bad
		}
		return found{shape: ofBytes, text: out}, good
	}
	begin := m.begin
	if !m.skipChildren() {
		return found{}, bad
	}
	return found{shape: ofBytes, text: m.bytes[begin:max(m.p, begin)]}, good
}

// rewrite writes the present value as Jackson's generator does.
func (m *mender) rewrite() ([]byte, bool) {
	var out []byte
	comma := false
	for depth := 0; ; {
		if m.now != endObject && m.now != endArray {
			if comma {
				out = append(out, ',')
			}
			comma = true
		}
		switch m.now {
		case startObject:
			out, comma = append(out, '{'), false
			depth++
		case startArray:
			out, comma = append(out, '['), false
			depth++
		case endObject, endArray:
			if depth--; depth < 0 {
				return nil, false
			}
			if m.now == endObject {
				out = append(out, '}')
			} else {
				out = append(out, ']')
			}
			comma = true
		case fieldName:
			out, comma = append(appendUnitsQuoted(out, m.label), ':'), false
		case textToken:
			if !m.read() {
				return nil, false
			}
			out = appendUnitsQuoted(out, m.text)
		case wholeToken, fractionToken:
			out = appendNumber(out, appendUnits(nil, m.text), m.numberKind())
		case trueToken:
			out = append(out, "true"...)
		case falseToken:
			out = append(out, "false"...)
		default:
			out = append(out, "null"...)
		}
		if depth == 0 {
			return out, true
		}
		if t, ok := m.advance(); !ok || t == noToken {
			return nil, false
		}
	}
}

// appendNumber writes a number as Jackson's generator does: a fraction as a double.
func appendNumber(dst, text []byte, kind numberKind) []byte {
	if kind == whole {
		digits := bytes.TrimLeft(text, "-0")
		switch {
		case len(digits) == 0:
			return append(dst, '0')
		case text[0] == '-':
			dst = append(dst, '-')
		}
		return append(dst, digits...)
	}
	v, _ := floatOf(text, kind, 64)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		dst = append(dst, '"')
		return append(javanum.AppendFloat(dst, v, 64), '"')
	}
	return javanum.AppendFloat(dst, v, 64)
}

// put appends a value to its column; it gives false, and appends nothing, for a scalar that does not fit.
func (d *decoder) put(n *node, v found) bool {
	switch v.shape {
	case absent:
		n.col.AppendNull()
	case ofText:
		return d.fromText(n, v.text)
	case ofNumber:
		return d.fromNumber(n, v.text, v.kind)
	case ofBool:
		n.col.AppendBool(v.truth)
	case ofBytes:
		n.col.AppendBytes(v.text)
	case ofMembers:
		switch n.kind {
		case datatype.KindStruct:
			for i, e := range n.elems {
				d.put(e, v.members[i])
			}
			n.col.AppendStruct()
		default:
			value := n.elems[len(n.elems)-1]
			for i := range v.members {
				if n.kind == datatype.KindMap {
					n.elems[0].col.AppendBytes(v.names[i])
				}
				d.put(value, v.members[i])
			}
			n.col.AppendList()
		}
	}
	return true
}
