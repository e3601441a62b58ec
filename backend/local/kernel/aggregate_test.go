package kernel_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/kernel"
	"github.com/spoonbill-go/spoonbill/backend/local/vec"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

var aggregateTypes = []string{"BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(12,2)", "STRING", "BINARY", "DATE", "TIMESTAMP", "INTERVAL DAY TO SECOND", "INTERVAL YEAR TO MONTH",
	"ARRAY<INT>", "STRUCT<x: INT, y: STRING>"}

// small makes a value whose sums are exact in every type, null one time in four.
func small(r *rand.Rand, t datatype.Type) any {
	n := int64(r.IntN(9) - 4)
	switch {
	case r.IntN(4) == 0:
		return nil
	case t.Kind() == datatype.KindBoolean:
		return n > 0
	case datatype.IsFloat(t):
		return float64(n) / 2
	case t.Kind() == datatype.KindDecimal:
		return big.NewInt(n)
	case t.Kind() == datatype.KindString:
		return fmt.Sprint("s", n)
	case t.Kind() == datatype.KindBinary:
		return []byte{byte(n)}
	case t.Kind() == datatype.KindArray:
		return []any{n, nil}
	case t.Kind() == datatype.KindStruct:
		return []any{n, "x"}
	}
	return n
}

// call resolves an aggregate over a column of a type, or tells that the catalogue has none.
func call(f *catalog.Function, t datatype.Type) (*tree.Call, bool) {
	typing, err := f.Resolve([]catalog.Arg{{Type: t, Nullable: true}}, true)
	if err != nil || !datatype.EqualIgnoringNulls(typing.Args[0], t) {
		return nil, false
	}
	in := &tree.Values{Node: tree.Node{Out: tree.NewSchema([]tree.Field{{Name: "x", Type: t, Nullable: true}})}}
	return &tree.Call{Func: f, Args: []tree.Scalar{&tree.Column{Rel: in}}, Typ: typing.Result, Null: typing.Nullable}, true
}

// However the rows of a group are cut, kept as bytes and put together, an aggregate gives what it gives over all of them at once.
func TestAggregatesInParts(t *testing.T) {
	pairs := 0
	for _, f := range catalog.All() {
		if f.Kind != catalog.Aggregate {
			continue
		}
		for _, ddl := range aggregateTypes {
			typ, err := datatype.Parse(ddl)
			require.NoError(t, err)
			c, ok := call(f, typ)
			if !ok {
				continue
			}
			pairs++
			agg, err := kernel.CompileAggregate(c, &kernel.Env{ANSI: true})
			require.NoError(t, err, "%s of %s", f.Name, ddl)
			for seed := range uint64(8) {
				r := rand.New(rand.NewPCG(seed, 17))
				const rows, groups = 60, 5
				b := vec.NewBuilder(typ, rows)
				of := make([]int32, rows)
				skip := make([]bool, rows)
				for i := range rows {
					require.NoError(t, b.AppendAny(small(r, typ)))
					of[i], skip[i] = int32(r.IntN(groups)), r.IntN(6) == 0
				}
				v := b.Vec()
				update := func(a kernel.Accumulator, lo, hi int) {
					require.NoError(t, a.Update([]*vec.Vec{v.Slice(lo, hi)}, of[lo:hi], skip[lo:hi], hi-lo))
				}
				fresh := func() kernel.Accumulator {
					a := agg.New()
					a.Grow(groups)
					return a
				}
				result := func(a kernel.Accumulator) string {
					out, err := a.Result(groups)
					require.NoError(t, err)
					s := ""
					for g := range groups {
						x := out.Any(g)
						if d, ok := x.(float64); ok && f.OrderSensitive && f.Name != "sum" && f.Name != "avg" {
							x = math.Round(d*1e9)/1e9 + 0 // means and products round, so the last digits move with the cut
						}
						s += fmt.Sprintf("%v;", x)
					}
					return s
				}
				whole := fresh()
				update(whole, 0, rows)
				want := result(whole)

				cut := r.IntN(rows)
				a, b2 := fresh(), fresh()
				update(a, 0, cut)
				update(b2, cut, rows)
				require.NoError(t, a.Merge(b2, []int32{0, 1, 2, 3, 4}))
				require.Equal(t, want, result(a), "%s of %s merged", f.Name, ddl)

				// The state of the earlier rows comes to the later ones as bytes, as at an epoch's end.
				older, newer := fresh(), fresh()
				update(older, 0, cut)
				update(newer, cut, rows)
				for g := range groups {
					rest, err := newer.Decode(g, append(older.Encode(g, nil), 0xAB))
					require.NoError(t, err)
					require.Equal(t, []byte{0xAB}, rest)
					enc := older.Encode(g, nil)
					for n := range enc {
						_, err := fresh().Decode(g, enc[:n])
						require.Error(t, err, "%s of %s cut to %d bytes", f.Name, ddl, n)
					}
				}
				require.Equal(t, want, result(newer), "%s of %s by way of the state", f.Name, ddl)

				// One group without group numbers, and a constant argument.
				one, all := agg.New(), agg.New()
				one.Grow(1)
				all.Grow(1)
				require.NoError(t, one.Update([]*vec.Vec{v}, nil, skip, rows))
				require.NoError(t, all.Update([]*vec.Vec{v}, make([]int32, rows), skip, rows))
				p, err := one.Result(1)
				require.NoError(t, err)
				q, err := all.Result(1)
				require.NoError(t, err)
				require.Equal(t, fmt.Sprint(p.Any(0)), fmt.Sprint(q.Any(0)))
				k := vec.Take(v, []int32{0}).Repeat(rows)
				c1, c2 := fresh(), fresh()
				require.NoError(t, c1.Update([]*vec.Vec{k}, of, skip, rows))
				require.NoError(t, c2.Update([]*vec.Vec{k.Flat()}, of, skip, rows))
				require.Equal(t, result(c2), result(c1), "%s of %s over a constant", f.Name, ddl)
			}
		}
	}
	require.Greater(t, pairs, 60)
}
