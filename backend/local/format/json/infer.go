package json

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/spoonbill-go/spoonbill/backend/local/format"
	"github.com/spoonbill-go/spoonbill/backend/local/format/infer"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/timetext"
)

// Inferrer finds the columns of JSON lines: those of all records, in the order of their names, every one nullable. A record that is no object or no JSON
// adds the column of corrupt records in mode PERMISSIVE, and ends the inference in FAILFAST. It is for one goroutine.
//
// Source: Spark's JsonInferSchema.
type Inferrer struct {
	s       scanner
	opts    Options
	zone    *timetext.Zone
	strings inferStrings
	// root is the type of all records so far; nil before the first.
	root datatype.Type
	// broken is an error that no mode forgives.
	broken error
}

// inferStrings are the options of inference alone.
type inferStrings struct {
	// primitivesAsString makes numbers and truth values STRING; decimals takes DECIMAL where DOUBLE would be; timestamps looks for time stamps
	// in texts (inferTimestamp); dropNull leaves out a field that has no value anywhere (dropFieldIfAllNull).
	primitivesAsString, decimals, timestamps, dropNull bool
}

// NewInferrer makes an inferrer of a source's options.
func NewInferrer(o tree.Options, opts Options) (*Inferrer, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	x := &Inferrer{opts: opts, zone: timetext.NewZone(opts.Zone)}
	x.s.opt = &x.opts
	for key, into := range map[string]*bool{
		"primitivesAsString": &x.strings.primitivesAsString, "prefersDecimal": &x.strings.decimals,
		"inferTimestamp": &x.strings.timestamps, "dropFieldIfAllNull": &x.strings.dropNull,
	} {
		if v, ok := o.Get(key); ok {
			b, err := strconv.ParseBool(strings.ToLower(v))
			if err != nil {
				return nil, optionError(key, "%q is neither true nor false", v)
			}
			*into = b
		}
	}
	return x, nil
}

// Lines looks at whole lines, each of them a record.
func (x *Inferrer) Lines(data []byte) error {
	for len(data) > 0 {
		var line []byte
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			line, data = data[:i], data[i+1:]
		} else {
			line, data = data, nil
		}
		for {
			i := bytes.IndexByte(line, '\r')
			if i < 0 {
				break
			}
			if err := x.record(line[:i]); err != nil {
				return err
			}
			line = line[i+1:]
		}
		if err := x.record(line); err != nil {
			return err
		}
	}
	return nil
}

// Record looks at one record. chars says that Spark reads characters of it and not bytes.
func (x *Inferrer) Record(rec []byte, chars bool) error {
	x.s.chars = chars
	if len(rec) > len(utf8Mark) && !chars {
		rec = bytes.TrimPrefix(rec, utf8Mark)
	}
	return x.record(rec)
}

func (x *Inferrer) record(line []byte) error {
	x.s.buf = line
	var t datatype.Type = datatype.Null
	// What stands behind the record is not looked at.
	if p := x.s.space(0); p < len(line) {
		var ok bool
		t, _, ok = x.value(p, 1)
		if x.broken != nil {
			return x.broken
		}
		if !ok {
			switch x.opts.Mode {
			case format.FailFast:
				return format.Malformed(line, "it is no JSON")
			case format.DropMalformed:
				return nil
			}
			t = datatype.Struct{Fields: []datatype.Field{x.corrupt()}}
		}
	}
	if x.root == nil {
		x.root = t
		return nil
	}
	var err error
	x.root, err = x.merge(x.root, t)
	return err
}

func (x *Inferrer) corrupt() datatype.Field {
	return datatype.Field{Name: x.opts.CorruptColumn, Type: datatype.String, Nullable: true}
}

// value gives the type of the value at p.
func (x *Inferrer) value(p, depth int) (t datatype.Type, next int, ok bool) {
	if depth > maxDepth {
		return nil, p, false
	}
	s := &x.s
	switch c := s.at(p); {
	case c == 'n':
		next, ok = s.word(p, "null")
		return datatype.Null, next, ok
	case c == 't' || c == 'f':
		next, ok = s.word(p, map[byte]string{'t': "true", 'f': "false"}[c])
		return x.primitive(datatype.Boolean), next, ok
	case s.quote(p):
		text, next, ok := s.text(p)
		if !ok {
			return nil, next, false
		}
		return x.text(text), next, true
	case c == '{':
		return x.object(p+1, depth)
	case c == '[':
		var elem datatype.Type = datatype.Null
		p = s.space(p + 1)
		if s.at(p) == ']' {
			return datatype.Array{Elem: elem, ContainsNull: true}, p + 1, true
		}
		for {
			t, next, ok := x.value(p, depth+1)
			if !ok {
				return nil, next, false
			}
			elem = common(elem, t)
			p = s.space(next)
			switch s.at(p) {
			case ',':
				p = s.space(p + 1)
				continue
			case ']':
				return datatype.Array{Elem: elem, ContainsNull: true}, p + 1, true
			}
			return nil, p, false
		}
	case p >= len(s.buf):
		return nil, p, false
	}
	next, kind := s.number(p)
	if kind == noNumber || nameByte(s.at(next)) {
		return nil, p, false
	}
	return x.number(string(s.buf[p:next]), kind), next, true
}

func (x *Inferrer) object(p, depth int) (datatype.Type, int, bool) {
	s := &x.s
	var fields []datatype.Field
	p = s.space(p)
	if s.at(p) == '}' {
		return datatype.Struct{}, p + 1, true
	}
	for {
		name, next, ok := s.name(p)
		if !ok {
			return nil, next, false
		}
		f := datatype.Field{Name: string(name), Nullable: true}
		if p = s.space(next); s.at(p) != ':' {
			return nil, p, false
		}
		if f.Type, next, ok = x.value(s.space(p+1), depth+1); !ok {
			return nil, next, false
		}
		fields = append(fields, f)
		p = s.space(next)
		switch s.at(p) {
		case ',':
			p = s.space(p + 1)
			continue
		case '}':
			slices.SortStableFunc(fields, func(a, b datatype.Field) int { return compareNames(a.Name, b.Name) })
			return datatype.Struct{Fields: fields}, p + 1, true
		}
		return nil, p, false
	}
}

// compareNames orders as Java's String.compareTo does, by UTF-16 units.
func compareNames(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

func (x *Inferrer) primitive(t datatype.Type) datatype.Type {
	if x.strings.primitivesAsString {
		return datatype.String
	}
	return t
}

// text is the type of a text: one without a letter says nothing.
func (x *Inferrer) text(text []byte) datatype.Type {
	if len(text) == 0 {
		return datatype.Null
	}
	if x.strings.decimals {
		p, s, ok := infer.Decimal(strings.ReplaceAll(string(text), ",", ""))
		if ok && p <= datatype.MaxPrecision && s >= 0 && s <= p {
			return datatype.Decimal{Precision: p, Scale: s}
		}
	}
	if x.strings.timestamps {
		var ok bool
		if p := x.opts.Timestamp; p != nil {
			_, ok = p.ParseTimestamp(string(text), x.zone)
		} else {
			_, ok = timetext.ParseTimestamp(text, x.zone, func(loc *time.Location) int32 {
				y, m, day := x.opts.Now().In(loc).Date()
				days, _ := timetext.DaysOf(y, int(m), day)
				return days
			})
		}
		if ok {
			return datatype.Timestamp
		}
	}
	return datatype.String
}

func (x *Inferrer) number(text string, kind numberKind) datatype.Type {
	switch {
	case x.strings.primitivesAsString:
		return datatype.String
	case kind == word || kind == fraction && !x.strings.decimals:
		return datatype.Double
	case kind == whole:
		if _, err := strconv.ParseInt(text, 10, 64); err == nil {
			return datatype.Long
		}
	}
	p, s, ok := infer.Decimal(text)
	if p = max(p, s); !ok || p > datatype.MaxPrecision {
		return datatype.Double
	}
	if s < 0 {
		e := condition.Newf(condition.NegativeScale, "The number %s is a decimal of the scale %d, and negative scales are disallowed.", text, s)
		e.Hint = "Leave the option prefersDecimal out, or declare the columns."
		x.broken = e
		return datatype.Double
	}
	return datatype.Decimal{Precision: p, Scale: s}
}

// merge is the type of two records.
func (x *Inferrer) merge(a, b datatype.Type) (datatype.Type, error) {
	if t, ok := a.(datatype.Array); ok {
		return x.merge(t.Elem, b)
	}
	if t, ok := b.(datatype.Array); ok {
		return x.merge(a, t.Elem)
	}
	s, sOK := a.(datatype.Struct)
	t, tOK := b.(datatype.Struct)
	switch {
	case sOK && tOK || !sOK && !tOK:
		return common(a, b), nil
	case tOK:
		s, b = t, a
	}
	if b.Kind() == datatype.KindNull {
		return s, nil // an empty line or a null
	}
	switch x.opts.Mode {
	case format.FailFast:
		e := condition.Newf(condition.InvalidJSONRecordType, "A record of the type %s was found in mode FAILFAST, where a JSON object is needed.", b)
		e.Hint = "Mode PERMISSIVE reads it as nulls, DROPMALFORMED leaves it out."
		return nil, e
	case format.DropMalformed:
		return s, nil
	}
	c := x.corrupt()
	if slices.ContainsFunc(s.Fields, func(f datatype.Field) bool { return f.Name == c.Name }) {
		return s, nil
	}
	fields := append(slices.Clone(s.Fields), c)
	slices.SortStableFunc(fields, func(a, b datatype.Field) int { return compareNames(a.Name, b.Name) })
	return datatype.Struct{Fields: fields}, nil
}

// common is the type of a field that has values of both.
func common(a, b datatype.Type) datatype.Type {
	if t, ok := infer.Tightest(a, b); ok {
		return t
	}
	if t, ok := infer.Numbers(a, b); ok {
		return t
	}
	switch x := a.(type) {
	case datatype.Array:
		if y, ok := b.(datatype.Array); ok {
			return datatype.Array{Elem: common(x.Elem, y.Elem), ContainsNull: true}
		}
	case datatype.Struct:
		if y, ok := b.(datatype.Struct); ok {
			return mergeStructs(x.Fields, y.Fields)
		}
	}
	return datatype.String
}

// mergeStructs merges fields, which are in the order of their names on both sides.
func mergeStructs(a, b []datatype.Field) datatype.Type {
	out := make([]datatype.Field, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := compareNames(a[0].Name, b[0].Name); {
		case c == 0:
			out = append(out, datatype.Field{Name: a[0].Name, Type: common(a[0].Type, b[0].Type), Nullable: true})
			a, b = a[1:], b[1:]
		case c < 0:
			out, a = append(out, a[0]), a[1:]
		default:
			out, b = append(out, b[0]), b[1:]
		}
	}
	return datatype.Struct{Fields: append(append(out, a...), b...)}
}

// Fields gives the columns that were found; none for a text without an object that has one.
func (x *Inferrer) Fields() ([]datatype.Field, error) {
	if x.root == nil {
		return nil, nil
	}
	// As in Spark, what was found is merged into a root without fields: an array gives its elements, and what is no object counts as corrupt.
	root, err := x.merge(datatype.Struct{}, x.root)
	if err != nil {
		return nil, err
	}
	t, ok := x.canonical(root)
	s, isStruct := t.(datatype.Struct)
	if !ok || !isStruct {
		return nil, nil
	}
	seen := map[string]bool{}
	for _, f := range s.Fields {
		k := datatype.FoldName(f.Name)
		if seen[k] {
			e := condition.Newf(condition.ColumnAlreadyExists, "The records have two columns named %s but for letter case.", datatype.QuoteName(f.Name))
			e.Hint = "Declare the column that is wanted with connectors.RowsDDL."
			return nil, e
		}
		seen[k] = true
	}
	return s.Fields, nil
}

// canonical drops what has no columns, and makes STRING of what had no value.
func (x *Inferrer) canonical(t datatype.Type) (datatype.Type, bool) {
	switch s := t.(type) {
	case datatype.Array:
		elem, ok := x.canonical(s.Elem)
		return datatype.Array{Elem: elem, ContainsNull: s.ContainsNull}, ok
	case datatype.Struct:
		var out []datatype.Field
		for _, f := range s.Fields {
			if typ, ok := x.canonical(f.Type); ok && f.Name != "" {
				out = append(out, datatype.Field{Name: f.Name, Type: typ, Nullable: true})
			}
		}
		return datatype.Struct{Fields: out}, len(out) > 0
	}
	if t.Kind() == datatype.KindNull {
		return datatype.String, !x.strings.dropNull
	}
	return t, true
}
