package state_test

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/durable"
	"github.com/spoonbill-go/spoonbill/backend/local/state"
	"github.com/spoonbill-go/spoonbill/expr/condition"
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

// A file of the first version of the format is read, and one of a version that is not known is refused.
func TestVersionsOfTheFormat(t *testing.T) {
	fs := vfs.NewMem()
	d := open(t, fs, "s", 0, state.Options{})
	put(t, d, "k", "v", 5)
	require.NoError(t, d.Commit())
	require.NoError(t, d.Close())
	data, err := durable.Read(fs, "s/1.delta")
	require.NoError(t, err)
	require.Equal(t, "SBSTATE2", string(data[:8]))
	as := func(version byte) (state.Store, error) {
		data := append([]byte(nil), data[:len(data)-4]...)
		data[7] = version
		data = binary.LittleEndian.AppendUint32(data, crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
		require.NoError(t, durable.Write(fs, "s/1.delta", data))
		return state.Read(fs, "s", 1)
	}
	for _, version := range []byte{'1', '2'} {
		s, err := as(version)
		require.NoError(t, err)
		require.Equal(t, map[string]string{"k": "v"}, content(t, s))
	}
	_, err = as('3')
	require.Equal(t, condition.CheckpointCorrupt, condition.Of(err))
}
