package kernel

import (
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Decoder reads payloads of JSON into columns.
type Decoder struct{}

// NewDecoder makes a decoder.
func NewDecoder(fields []datatype.Field, opts tree.Options, need []int, env *Env) (*Decoder, error) {
	return nil, condition.Newf(condition.Unsupported, "JSON")
}

// MayDrop tells whether rows may be left out.
func (d *Decoder) MayDrop() bool { return false }

// Decode reads.
func (d *Decoder) Decode(v *vec.Vec, n int) ([]*vec.Vec, []int32, error) { return nil, nil, nil }

// Encoder writes.
type Encoder struct{}

// NewEncoder makes an encoder.
func NewEncoder(fields []datatype.Field, opts tree.Options, env *Env) (*Encoder, error) {
	return nil, condition.Newf(condition.Unsupported, "JSON")
}

// Encode writes.
func (e *Encoder) Encode(b *vec.Batch) (*vec.Vec, error) { return nil, nil }
