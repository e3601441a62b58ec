package state_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/state"
)

// Many entries in groups come and go, so that tables grow, entries move together and values that were replaced are given back; what was given before stays what
// it was.
func TestEntriesComeAndGo(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	fs := vfs.NewMem()
	d := open(t, fs, "s", 0, state.Options{})
	s := d.Store()
	model := map[string]item{}
	key := func(n int) []byte {
		b := binary.BigEndian.AppendUint32(nil, uint32(n/10))
		return binary.BigEndian.AppendUint64(b, uint64(n))
	}
	type lent struct {
		given []byte
		was   string
	}
	var kept []lent
	for epoch := range 12 {
		// The first epochs fill the store, the later ones empty it.
		for range 20_000 {
			k := key(r.IntN(30_000))
			if epoch >= 6 || r.IntN(8) == 0 {
				require.NoError(t, s.Delete(k))
				delete(model, string(k))
				continue
			}
			v := make([]byte, r.IntN(40))
			for i := range v {
				v[i] = byte(r.Uint32())
			}
			e := r.Int64N(1<<40) - 1<<39
			require.NoError(t, s.Put(k, v, e))
			model[string(k)] = item{string(v), e}
		}
		bound := int64(epoch-9) << 36
		last := int64(-1 << 62)
		for e, err := range s.Expired(bound) {
			require.NoError(t, err)
			require.Equal(t, model[string(e.Key)], item{string(e.Value), e.Expiry})
			require.True(t, last <= e.Expiry && e.Expiry <= bound)
			last = e.Expiry
			require.NoError(t, s.Delete(e.Key))
			delete(model, string(e.Key))
		}
		require.Equal(t, len(model), s.Len())
		// Groups are made when the first is asked for, and kept from then on.
		for group := range 3000 {
			if epoch < 2 && group > 0 {
				break
			}
			for e, err := range s.Group(binary.BigEndian.AppendUint32(nil, uint32(group))) {
				require.NoError(t, err)
				require.Equal(t, model[string(e.Key)], item{string(e.Value), e.Expiry})
				if group%100 == 0 {
					kept = append(kept, lent{e.Value, string(e.Value)})
				}
			}
		}
		require.NoError(t, d.Commit())
		if epoch%4 == 3 {
			version := d.Version()
			require.NoError(t, d.Close())
			d = open(t, fs, "s", version, state.Options{})
			s = d.Store()
		}
		require.Equal(t, values(model), content(t, s))
	}
	for _, x := range kept {
		require.Equal(t, x.was, string(x.given))
	}
	require.NoError(t, d.Close())
}
