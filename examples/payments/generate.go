package payments

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"
)

// First is the event time of the first payment.
var First = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

// message is a payment as it stands in the topic.
type message struct {
	CreateTime  string `json:"createTime"`
	OrderID     int64  `json:"orderId"`
	PayAmount   any    `json:"payAmount"`
	PayPlatform int    `json:"payPlatform"`
	ProvinceID  any    `json:"provinceId"`
}

// Generate makes n messages from a seed: payments of some seven provinces that come a few seconds out of order, some of them minutes late, some without
// a province or an amount, and some that are no JSON.
func Generate(seed uint64, n int) [][]byte {
	r := rand.New(rand.NewPCG(seed, 0x5b00b111))
	out := make([][]byte, max(n, 0))
	now := First
	for i := range out {
		now = now.Add(time.Duration(r.IntN(600)) * time.Millisecond)
		at := now.Add(-time.Duration(r.IntN(5000)) * time.Millisecond)
		switch r.IntN(100) {
		case 0, 1, 2: // late: most windows of this time are closed
			at = now.Add(-time.Duration(60+r.IntN(180)) * time.Second)
		case 3: // broken
			out[i] = []byte([]string{"", "not json", `{"createTime":`, `[1,2`, "\x00\xff"}[r.IntN(5)])
			continue
		}
		m := message{
			CreateTime: at.UTC().Format("2006-01-02T15:04:05.000Z"), OrderID: int64(i + 1), PayPlatform: r.IntN(3),
			PayAmount: json.Number(fmt.Sprintf("%d.%02d", r.IntN(1000), r.IntN(100))), ProvinceID: r.IntN(7),
		}
		switch r.IntN(100) {
		case 0:
			m.ProvinceID = nil
		case 1:
			m.PayAmount = nil
		}
		text, err := json.Marshal(m)
		if err != nil {
			text = nil // a broken message too; the struct above always encodes
		}
		out[i] = text
	}
	return out
}
