// Package payments is the main example: payments in a Kafka topic, summed per province over sliding windows into another topic. The job is [Totals]; the
// rest makes input with all that goes wrong in life, and checks the output without Spoonbill.
package payments

import (
	"time"

	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/window"
)

// Payment is a message of the input topic.
type Payment struct {
	CreateTime  time.Time `spoonbill:"createTime"`
	OrderID     int64     `spoonbill:"orderId"`
	PayAmount   string    `spoonbill:"payAmount,decimal(12,2)"`
	PayPlatform int32     `spoonbill:"payPlatform"`
	ProvinceID  int32     `spoonbill:"provinceId"`
}

// Total is a message of the output topic.
type Total struct {
	Window         Window `spoonbill:"window"`
	ProvinceID     *int32 `spoonbill:"provinceId"`
	TotalPayAmount string `spoonbill:"totalPayAmount,decimal(22,2)"`
}

// Window is a window of event time.
type Window struct {
	Start time.Time `spoonbill:"start"`
	End   time.Time `spoonbill:"end"`
}

// The job's figures.
const (
	Size  = time.Minute
	Slide = 30 * time.Second
	Delay = 10 * time.Second
	// PerEpoch is how many messages an epoch reads.
	PerEpoch = 200
)

// Totals is the job: the sum of payments per province over one minute, every 30 seconds, ten seconds late at most.
func Totals(servers, topic string) expr.Table {
	payments := expr.Read("payments", connectors.FromKafka(servers, topic, connectors.JSON[Payment](),
		connectors.StartingOffsets(connectors.Earliest), connectors.MaxOffsetsPerTrigger(PerEpoch)))
	return payments.
		Watermark("createTime", Delay).
		GroupBy(window.Sliding(payments.Timestamp("createTime"), Size, Slide), payments.Col("provinceId")).
		Agg(payments.Num("payAmount").Sum().As("totalPayAmount"))
}

// Write sends the totals to a topic until everything that is there was handled.
func Write(totals expr.Table, servers, topic, checkpoint string) expr.Write {
	return totals.
		WriteTo(connectors.ToKafka(servers, topic, connectors.JSON[Total]())).
		OutputMode(expr.Append).Checkpoint(checkpoint).Trigger(expr.AvailableNow()).Name("totals")
}
