package kernel

import (
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/backend/local/format"
	"github.com/spoonbill-go/spoonbill/backend/local/format/json"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

func init() {
	register("from_json", fromJSON)
	register("to_json", toJSON)
}

// jsonOptions reads a literal map of options, the argument after the value (and the schema).
func (c *call) jsonOptions(i int) (json.Options, error) {
	var opts tree.Options
	if len(c.args) > i {
		lit, ok := c.literal(i)
		entries, isMap := lit.([][2]any)
		if !ok || !isMap && lit != nil {
			return json.Options{}, c.refuse("the options must be a literal map of texts.")
		}
		for _, e := range entries {
			k, _ := e[0].(string)
			v, _ := e[1].(string)
			opts = opts.With(tree.Option{Key: k, Value: v})
		}
	}
	return json.ParseOptions(opts, c.env.Zone)
}

func fromJSON(c *call) (evalFunc, error) {
	opts, err := c.jsonOptions(2)
	if err != nil {
		return nil, err
	}
	c.fails = opts.Mode == format.FailFast
	t := c.Typ
	// The first decoder finds what is refused now; each evaluation takes its own, for they keep state.
	if _, err := json.NewColumnDecoder(t, opts, nil); err != nil {
		return nil, err
	}
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		d, err := json.NewColumnDecoder(t, opts, nil)
		if err != nil {
			return nil, err
		}
		return decodeTexts(d, v[0].Flat(), t)
	}, nil
}

// decodeTexts runs a decoder over a vector of texts.
func decodeTexts(d *json.ColumnDecoder, v *vec.Vec, t datatype.Type) (*vec.Vec, error) {
	at, err := arrowtype.Of(v.Type)
	if err != nil {
		return nil, err
	}
	in := vec.ToArrow(v, at)
	defer in.Release()
	out, err := d.Decode(in)
	if err != nil {
		return nil, err
	}
	// The decoder's arrays are of collected memory, so what the vector points into stays.
	defer out.Release()
	r, err := vec.FromArrow(datatype.AsNullable(t), out)
	if err != nil {
		return nil, err
	}
	return r.Detach(), nil
}

func toJSON(c *call) (evalFunc, error) {
	opts, err := c.jsonOptions(1)
	if err != nil {
		return nil, err
	}
	t := c.typ(0)
	switch t.Kind() {
	case datatype.KindStruct, datatype.KindArray, datatype.KindMap:
	default:
		return nil, c.refuse("to_json takes a struct, an array or a map, not %s.", t)
	}
	at, err := arrowtype.Of(t)
	if err != nil {
		return nil, err
	}
	return func(v []*vec.Vec, n int, null []bool) (*vec.Vec, error) {
		in := vec.ToArrow(v[0].Flat(), at)
		defer in.Release()
		write, err := json.NewEncoder(opts).Values(t, in)
		if err != nil {
			return nil, err
		}
		w := newWriter(datatype.String, n)
		for i := range n {
			if !isNull(null, i) {
				w.buf = write(w.buf, i)
			}
			w.end()
		}
		return w.vec(), nil
	}, nil
}

// Decoder reads the payloads of a source with a JSON codec.
type Decoder struct {
	opts json.Options
	need []int
	t    datatype.Struct
}

// NewDecoder makes a decoder of payloads into fields, of which the ordinals need are read; malformed, which may be nil, counts those that could not be read whole. It may be used by
// several goroutines.
func NewDecoder(fields []datatype.Field, options tree.Options, need []int, env *Env, malformed *atomic.Int64) (*Decoder, error) {
	opts, err := json.ParseOptions(options, env.Zone)
	if err != nil {
		return nil, err
	}
	opts.Malformed = malformed
	d := &Decoder{opts: opts, need: need, t: datatype.Struct{Fields: fields}}
	_, err = json.NewColumnDecoder(d.t, opts, need)
	return d, err
}

// MayFail tells whether the payload must be read although nothing of it is needed, because a malformed one is an error.
func (d *Decoder) MayFail() bool { return d.opts.Mode == format.FailFast }

// Decode gives the fields of each payload: all null where the payload is null or malformed.
func (d *Decoder) Decode(v *vec.Vec) ([]*vec.Vec, error) {
	dec, err := json.NewColumnDecoder(d.t, d.opts, d.need)
	if err != nil {
		return nil, err
	}
	s, err := decodeTexts(dec, v, d.t)
	if err != nil {
		return nil, err
	}
	out := make([]*vec.Vec, len(s.Kids))
	for i := range out {
		out[i] = Field(s, i)
	}
	return out, nil
}

// Encoder writes rows as JSON objects, for a sink with a JSON codec.
type Encoder struct {
	opts   json.Options
	fields []datatype.Field
	types  []arrow.DataType
}

// NewEncoder makes an encoder of rows of fields. It may be used by several goroutines.
func NewEncoder(fields []datatype.Field, options tree.Options, env *Env) (*Encoder, error) {
	opts, err := json.ParseOptions(options, env.Zone)
	if err != nil {
		return nil, err
	}
	e := &Encoder{opts: opts, fields: fields}
	for _, f := range fields {
		at, err := arrowtype.Of(f.Type)
		if err != nil {
			return nil, condition.Newf(condition.Unsupported, "JSON: %v.", err)
		}
		e.types = append(e.types, at)
		// A type that has no JSON is refused before the first row.
		b := array.NewBuilder(memory.DefaultAllocator, at)
		none := b.NewArray()
		_, err = json.NewEncoder(opts).Values(f.Type, none)
		none.Release()
		b.Release()
		if err != nil {
			return nil, err
		}
	}
	return e, nil
}

// Encode gives the text of each row.
func (e *Encoder) Encode(b *vec.Batch) (*vec.Vec, error) {
	cols := make([]arrow.Array, len(e.fields))
	for i, at := range e.types {
		cols[i] = vec.ToArrow(b.Cols[i], at)
		defer cols[i].Release()
	}
	write, err := json.NewEncoder(e.opts).Rows(e.fields, cols)
	if err != nil {
		return nil, err
	}
	w := newWriter(datatype.String, b.N)
	for i := range b.N {
		w.buf = write(w.buf, i)
		w.end()
	}
	return w.vec(), nil
}
