package plan

import (
	"github.com/spoonbill-go/spoonbill/backend/local/exec"
	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// decoder turns the provider's columns into the payload's fields and the envelope. It marks the provider's columns that it reads and
// gives the payload's fields that are asked for.
func (b *builder) decoder(x *Scan, need []bool) (exec.Transform, []int, error) {
	src := x.Read.Source
	codec := src.Codec
	value := -1
	var envelope []int
	for i, f := range src.Fields {
		if f.Name == codec.Column {
			value = i
		} else {
			envelope = append(envelope, i)
		}
	}
	if value < 0 {
		return nil, nil, unsupported(x.Read.Pos(), "the source %s has no column %s for its codec.", datatype.QuoteName(x.Read.Name), datatype.QuoteName(codec.Column))
	}
	payload := []int{}
	for i := range codec.Fields {
		if x.needed(i) {
			payload = append(payload, i)
		}
	}
	if codec.Format != "json" {
		return nil, nil, unsupported(x.Read.Pos(), "the local engine has no codec %q; it has json.", codec.Format)
	}
	decode, err := kernel.NewDecoder(codec.Fields, codec.Options, payload, b.task.Env, b.malformed(x))
	if err != nil {
		return nil, nil, err
	}
	if len(payload) > 0 || decode.MayFail() {
		need[value] = true
	}
	env := codec.Envelope != "" && x.needed(len(codec.Fields))
	if env {
		for _, i := range envelope {
			need[i] = true
		}
	}
	out := types(x)
	return func(in *vec.Batch) (*vec.Batch, error) {
		cols := make([]*vec.Vec, len(out))
		if in.Cols[value] != nil {
			fields, err := decode.Decode(in.Cols[value])
			if err != nil {
				in.Release()
				return nil, err
			}
			for _, i := range payload {
				cols[i] = fields[i].WithType(out[i])
			}
		}
		if env {
			e := &vec.Vec{Type: out[len(codec.Fields)], Len: in.N}
			for _, i := range envelope {
				e.Kids = append(e.Kids, in.Cols[i].Flat())
			}
			cols[len(codec.Fields)] = e
		}
		return in.Derive(cols, in.N), nil
	}, payload, nil
}

// Encoder gives the step that turns rows into what a sink takes, and the fields of that; nil where the sink takes the rows as they
// are. With a codec the row becomes the text column value, and the key column a column key besides.
func Encoder(sink *tree.Sink, fields []datatype.Field, env *kernel.Env) (exec.Transform, []datatype.Field, error) {
	if sink.Codec == nil {
		return nil, fields, nil
	}
	if sink.Codec.Format != "json" {
		return nil, nil, condition.Newf(condition.Unsupported, "the local engine has no codec %q; it has json.", sink.Codec.Format)
	}
	encode, err := kernel.NewEncoder(fields, sink.Codec.Options, env)
	if err != nil {
		return nil, nil, err
	}
	name := sink.Codec.Column
	if name == "" {
		name = "value"
	}
	out := []datatype.Field{{Name: name, Type: datatype.String}}
	key := -1
	var keyText *kernel.Expr
	if sink.Key != "" {
		for i, f := range fields {
			if datatype.FoldName(f.Name) == datatype.FoldName(sink.Key) {
				key = i
			}
		}
		if key < 0 {
			return nil, nil, condition.Newf(condition.UnresolvedColumn, "The key column %s is not among the columns that are written.", datatype.QuoteName(sink.Key))
		}
		out = append([]datatype.Field{{Name: "key", Type: datatype.String, Nullable: fields[key].Nullable}}, out...)
		col := &tree.Column{Rel: standIn(tree.SchemaOf(fields)), Ordinal: key}
		if keyText, err = kernel.Compile(&tree.Cast{Arg: col, To: datatype.String}, env); err != nil {
			return nil, nil, err
		}
	}
	return func(b *vec.Batch) (*vec.Batch, error) {
		v, err := encode.Encode(b)
		if err != nil {
			b.Release()
			return nil, err
		}
		cols := []*vec.Vec{v}
		if keyText != nil {
			k, err := keyText.Eval(b)
			if err != nil {
				b.Release()
				return nil, err
			}
			cols = []*vec.Vec{k, v}
		}
		return b.Derive(cols, b.N), nil
	}, out, nil
}
