package statetable

import (
	"encoding/binary"
	"fmt"

	"github.com/spoonbill-go/spoonbill/backend/local/exec"
	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/state"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// process reads the entries of a process: a row for each value, element, map entry and timer. What only leads to others is left out, so the
// reader has fewer keys and values afterwards.
func (r *reader) process() ([]datatype.Field, []*vec.Vec, error) {
	fields, types, err := parse(r.schema.Keys)
	if err != nil {
		return nil, nil, err
	}
	expiry := r.expiry.Vec()
	r.expiry = vec.NewBuilder(datatype.Timestamp, len(r.keys))
	names, kinds, entries, values := vec.NewBuilder(datatype.String, 0), vec.NewBuilder(datatype.String, 0), vec.NewBuilder(datatype.String, 0), vec.NewBuilder(datatype.String, 0)
	var keys [][]byte
	for i, k := range r.keys {
		e, ok := exec.ReadKeyed(k)
		if !ok {
			return nil, nil, damaged(r.dir, "an entry of a process is too short")
		}
		switch e.Kind {
		case exec.KeyedIndex:
			continue
		case exec.KeyedTimer:
			names.AppendNull()
			kinds.AppendString("timer")
			entries.AppendNull()
			values.AppendNull()
		default:
			if e.State >= len(r.schema.States) {
				return nil, nil, damaged(r.dir, "its description does not know all of its states")
			}
			v := r.schema.States[e.State]
			names.AppendString(v.Name)
			kinds.AppendString(v.Kind)
			if err := r.variable(v, k, r.values[i], entries, values); err != nil {
				return nil, nil, err
			}
		}
		keys = append(keys, e.Key)
		r.expiry.AppendFrom(expiry, i)
	}
	r.keys = keys
	cols, err := vec.Decode(types, keys)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range []string{"state", "kind", "entry", "value"} {
		fields = append(fields, datatype.Field{Name: f, Type: datatype.String, Nullable: true})
	}
	return fields, append(cols, names.Vec(), kinds.Vec(), entries.Vec(), values.Vec()), nil
}

// pattern reads the rows that wait for a pattern.
func (r *reader) pattern() ([]datatype.Field, []*vec.Vec, error) {
	fields, types, err := parse(r.schema.Keys)
	if err != nil {
		return nil, nil, err
	}
	of, ofTypes, err := parse(r.schema.Left)
	if err != nil {
		return nil, nil, err
	}
	number := vec.NewBuilder(datatype.Long, len(r.keys))
	expiry := r.expiry.Vec()
	r.expiry = vec.NewBuilder(datatype.Timestamp, len(r.keys))
	var keys, rows [][]byte
	for i, k := range r.keys {
		if len(k) < 1 || k[0] == exec.MatchRow && len(k) < 1+state.Suffix {
			return nil, nil, damaged(r.dir, "an entry of a pattern is too short")
		}
		if k[0] != exec.MatchRow {
			continue
		}
		at := len(k) - state.Suffix
		keys, rows = append(keys, k[1:at]), append(rows, r.values[i])
		number.AppendInt(int64(binary.BigEndian.Uint64(k[at:])))
		r.expiry.AppendFrom(expiry, i)
	}
	r.keys = keys
	cols, err := vec.Decode(types, keys)
	if err != nil {
		return nil, nil, err
	}
	values, err := vec.Decode(ofTypes, rows)
	if err != nil {
		return nil, nil, err
	}
	e, err := kernel.NewEncoder(of, nil, r.env)
	if err != nil {
		return nil, nil, err
	}
	text, err := e.Encode(vec.NewBatch(values, len(rows), nil))
	if err != nil {
		return nil, nil, err
	}
	fields = append(fields, datatype.Field{Name: "number", Type: datatype.Long}, datatype.Field{Name: "row", Type: datatype.String})
	return fields, append(cols, number.Vec(), text), nil
}

// variable adds an entry of a state variable: its place or key, and its value.
func (r *reader) variable(v Variable, key, stored []byte, entries, values *vec.Builder) error {
	typ, err := datatype.Parse(v.Type)
	if err != nil {
		return damaged(r.dir, err.Error())
	}
	if len(stored) < 8 {
		return damaged(r.dir, "a value of a process is too short")
	}
	types := []datatype.Type{typ}
	if v.Key != "" {
		of, err := datatype.Parse(v.Key)
		if err != nil {
			return damaged(r.dir, err.Error())
		}
		types = []datatype.Type{of, typ}
	}
	cols, err := vec.Decode(types, [][]byte{stored[8:]})
	if err != nil {
		return damaged(r.dir, err.Error())
	}
	switch v.Kind {
	case "list":
		entries.AppendString(fmt.Sprint(binary.BigEndian.Uint64(key[len(key)-state.Suffix:])))
	case "map":
		if err := r.json(cols[0], entries); err != nil {
			return err
		}
	default:
		entries.AppendNull()
	}
	return r.json(cols[len(cols)-1], values)
}

// json adds the JSON of a value, which stands alone as the field "value".
func (r *reader) json(v *vec.Vec, to *vec.Builder) error {
	e, err := kernel.NewEncoder([]datatype.Field{{Name: "value", Type: v.Type, Nullable: true}}, nil, r.env)
	if err != nil {
		return err
	}
	text, err := e.Encode(vec.NewBatch([]*vec.Vec{v}, 1, nil))
	if err != nil {
		return err
	}
	to.AppendFrom(text, 0)
	return nil
}
