package kafka

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// partition is one partition of a topic.
type partition struct {
	topic string
	id    int32
}

// String is Kafka's own form.
func (p partition) String() string { return p.topic + "-" + strconv.Itoa(int(p.id)) }

// offsets are positions by partition.
type offsets map[partition]int64

// Spark's numbers for the ends of a partition in startingOffsets and endingOffsets.
const (
	latestOffset   = -1
	earliestOffset = -2
)

// sorted gives the partitions by topic and number.
func (o offsets) sorted() []partition {
	out := make([]partition, 0, len(o))
	for p := range o {
		out = append(out, p)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].topic != out[j].topic {
			return out[i].topic < out[j].topic
		}
		return out[i].id < out[j].id
	})
	return out
}

// json is Spark's form, {"topic":{"0":12}}, with topics and partitions in order so that equal positions are equal text.
func (o offsets) json() connector.Offset {
	var b strings.Builder
	b.WriteByte('{')
	topic := ""
	for i, p := range o.sorted() {
		if i == 0 || p.topic != topic {
			if i > 0 {
				b.WriteString("},")
			}
			name, err := json.Marshal(p.topic)
			if err != nil {
				name = strconv.AppendQuote(nil, p.topic) // a string always marshals
			}
			b.Write(name)
			b.WriteString(":{")
			topic = p.topic
		} else {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"%d":%d`, p.id, o[p])
	}
	if len(o) > 0 {
		b.WriteByte('}')
	}
	b.WriteByte('}')
	return connector.Offset(b.String())
}

// parseOffsets reads Spark's form. An empty text is no position at all.
func parseOffsets(text []byte) (offsets, error) {
	out := offsets{}
	if len(text) == 0 {
		return out, nil
	}
	var raw map[string]map[string]json.Number
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, err
	}
	for topic, parts := range raw {
		if topic == "" {
			return nil, fmt.Errorf("a topic without a name")
		}
		for id, n := range parts {
			p, err := strconv.ParseInt(id, 10, 32)
			if err != nil || p < 0 {
				return nil, fmt.Errorf("%q is no number of a partition of %s", id, topic)
			}
			v, err := strconv.ParseInt(n.String(), 10, 64)
			if err != nil || v < earliestOffset {
				return nil, fmt.Errorf("%s is no offset of %s-%d", n, topic, p)
			}
			out[partition{topic, int32(p)}] = v
		}
	}
	return out, nil
}

// position reads an offset of the checkpoint.
func position(o connector.Offset) (offsets, error) {
	p, err := parseOffsets(o)
	if err != nil {
		e := condition.Newf(condition.CheckpointCorrupt, "The offset %s is none of Kafka's, which have the form {\"topic\":{\"0\":12}}.", o)
		e.Cause = err
		return nil, e
	}
	for k, v := range p {
		if v < 0 {
			return nil, condition.Newf(condition.CheckpointCorrupt, "The offset %d of %s in the checkpoint is no position.", v, k)
		}
	}
	return p, nil
}

// parseAssign reads the option assign, {"topicA":[0,1]}.
func parseAssign(text string) (map[string][]int32, error) {
	var raw map[string][]int32
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return nil, err
	}
	for t, ps := range raw {
		for _, p := range ps {
			if p < 0 {
				return nil, fmt.Errorf("%d is no partition of %s", p, t)
			}
		}
	}
	if len(raw) == 0 {
		return nil, fmt.Errorf("it names no partition")
	}
	return raw, nil
}

// limit cuts the range from start to end to about most offsets, shared over the partitions by how much each has: Spark's
// KafkaMicroBatchStream.rateLimit. A partition that has anything gets one at least.
func limit(start, end offsets, most int64) offsets {
	var total float64
	for p, e := range end {
		if n := e - start[p]; n > 0 {
			total += float64(n)
		}
	}
	if total < 1 {
		return end
	}
	out := make(offsets, len(end))
	for p, e := range end {
		from := start[p]
		n := e - from
		if n <= 0 {
			out[p] = e
			continue
		}
		share := float64(most) * (float64(n) / total)
		take := int64(share)
		if share < 1 {
			take = 1
		}
		if take > n {
			take = n
		}
		out[p] = from + take
	}
	return out
}
