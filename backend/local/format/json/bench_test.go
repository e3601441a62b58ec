package json

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// bids are lines of the shape of Nexmark's bids, which shared measurements of other engines use.
func bids(n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"auction":%d,"bidder":%d,"price":%d,"channel":"Google","url":"https://www.nexmark.com/googl/item.htm?query=%d","dateTime":"2024-02-29T12:%02d:%02d.%03dZ","extra":"%s"}`+"\n",
			1000+i%100, 1000+i%977, i*37%100000, i, i/60000%60, i/1000%60, i%1000, strings.Repeat("x", 20+i%30))
	}
	return []byte(b.String())
}

func BenchmarkLines(b *testing.B) {
	fields, err := datatype.ParseFields("auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, dateTime TIMESTAMP, extra STRING")
	if err != nil {
		b.Fatal(err)
	}
	const rows = 16_384
	data := bids(rows)
	for name, need := range map[string][]int{"all": nil, "three": {0, 2, 5}} {
		b.Run(name, func(b *testing.B) {
			d, err := NewDecoder(fields, Options{}, need)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := d.Lines(data); err != nil {
					b.Fatal(err)
				}
				rec, err := d.Batch()
				if err != nil {
					b.Fatal(err)
				}
				if rec.NumRows() != rows || rec.Column(0).NullN() > 0 {
					b.Fatal("rows were lost")
				}
			}
			b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}
