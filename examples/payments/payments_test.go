package payments

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestGenerateRepeats(t *testing.T) {
	a, b, c := Generate(1, 1000), Generate(1, 1000), Generate(2, 1000)
	require.Equal(t, a, b)
	require.NotEqual(t, a, c)
}

// The generated input has everything that goes wrong: late rows, broken messages, nulls.
func TestGenerateHasFaults(t *testing.T) {
	o := Expect(Generate(7, 3000), PerEpoch)
	require.Greater(t, o.Late, 20)
	require.Greater(t, o.Broken, 10)
	require.Greater(t, len(o.Sums), 100)
	nulls := 0
	for _, s := range o.Sums {
		if s.Province == "null" {
			nulls++
		}
	}
	require.Positive(t, nulls)
}

// The reference itself, on a case worked out by hand.
func TestExpect(t *testing.T) {
	at := func(s int, amount string, province int) []byte {
		return fmt.Appendf(nil, `{"createTime":%q,"payAmount":%s,"provinceId":%d}`, First.Add(time.Duration(s)*time.Second).Format(time.RFC3339), amount, province)
	}
	m := [][]byte{
		at(5, "1.10", 1), at(95, "2.00", 1), // epoch 0; the watermark becomes 85 s
		at(6, "4.00", 1), []byte("{"), // epoch 1: late by no bound yet, so 6 s is taken; windows that end by 85 s close
		at(7, "8.00", 1), at(130, "1", 2), // epoch 2: windows that end by 85 s are late
	}
	o := Expect(m, 2)
	require.Equal(t, 1, o.Broken)
	require.Equal(t, 2, o.Late)
	// The final watermark is 120 s: windows that end by then, 60 and 90 s after the start of their first halves.
	want := []Sum{{First.Add(-30 * time.Second), "1", "5.10"}, {First, "1", "5.10"}, {First.Add(60 * time.Second), "1", "2.00"}}
	require.Equal(t, want, o.Sums)
	texts := make([][]byte, len(want))
	for i, s := range want {
		var err error
		texts[i], err = json.Marshal(map[string]any{"window": map[string]any{"start": s.Start, "end": s.Start.Add(Size)}, "provinceId": 1, "totalPayAmount": json.Number(s.Total)})
		require.NoError(t, err)
	}
	got, err := Read(texts)
	require.NoError(t, err)
	require.Empty(t, Differences(want, got))
	got[0].Total = "5.11"
	require.Len(t, Differences(want, got[:2]), 2)
	_, err = Read([][]byte{[]byte("x")})
	require.Error(t, err)
}
