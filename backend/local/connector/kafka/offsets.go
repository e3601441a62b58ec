package kafka

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// The offsets that stand for an end of a partition. Source: Spark's KafkaOffsetRangeLimit, which has Kafka's numbers of the two changed over.
const (
	offsetLatest   = -1
	offsetEarliest = -2
)

// tp is a partition of a topic.
type tp struct {
	topic     string
	partition int32
}

// String writes a partition as Kafka's TopicPartition.
func (p tp) String() string { return p.topic + "-" + strconv.Itoa(int(p.partition)) }

func compareTP(a, b tp) int {
	if c := strings.Compare(a.topic, b.topic); c != 0 {
		return c
	}
	return int(a.partition) - int(b.partition)
}

func join(parts []tp) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.String()
	}
	return strings.Join(texts, ", ")
}

// positions are the next offsets to read, by partition.
type positions map[tp]int64

func (p positions) sorted() []tp {
	out := make([]tp, 0, len(p))
	for k := range p {
		out = append(out, k)
	}
	slices.SortFunc(out, compareTP)
	return out
}

func (p positions) equal(q positions) bool {
	if len(p) != len(q) {
		return false
	}
	for k, v := range p {
		if w, ok := q[k]; !ok || v != w {
			return false
		}
	}
	return true
}

// offset writes positions as Spark does, {"topic":{"0":12}}, with topics and partitions in order so that equal ones are equal texts.
func (p positions) offset() connector.Offset {
	b := []byte{'{'}
	topic, first := "", true
	for _, k := range p.sorted() {
		if first || k.topic != topic {
			if !first {
				b = append(b, "},"...)
			}
			name, err := json.Marshal(k.topic)
			if err != nil { // a text always has a JSON form
				name = []byte(`""`)
			}
			b = append(append(b, name...), ":{"...)
			topic, first = k.topic, false
		} else {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = strconv.AppendInt(b, int64(k.partition), 10)
		b = append(b, `":`...)
		b = strconv.AppendInt(b, p[k], 10)
	}
	if !first {
		b = append(b, '}')
	}
	return append(b, '}')
}

// parsePositions reads what [positions.offset] and Spark write. least is the least number that a position may have.
func parsePositions(text []byte, least int64) (positions, error) {
	var byTopic map[string]map[string]json.Number
	if err := json.Unmarshal(text, &byTopic); err != nil {
		return nil, fmt.Errorf("it must be JSON such as {\"topic\":{\"0\":12}}: %v", err)
	}
	if byTopic == nil {
		return nil, errors.New(`it must be JSON such as {"topic":{"0":12}}`)
	}
	out := positions{}
	for topic, parts := range byTopic {
		for text, number := range parts {
			partition, err := strconv.ParseInt(text, 10, 32)
			if err != nil || partition < 0 || strconv.FormatInt(partition, 10) != text {
				return nil, fmt.Errorf("%q is no number of a partition", text)
			}
			n, err := strconv.ParseInt(number.String(), 10, 64)
			if err != nil || n < least {
				return nil, fmt.Errorf("%s is no offset of partition %s-%s", number, topic, text)
			}
			out[tp{topic, int32(partition)}] = n
		}
	}
	return out, nil
}

// parseOffset reads an offset of the checkpoint.
func parseOffset(o connector.Offset) (positions, error) {
	p, err := parsePositions(o, 0)
	if err != nil {
		e := condition.Newf(condition.CheckpointCorrupt, "The offset %s is none of a Kafka source: %v.", o, err)
		e.Hint = "Start the query with a new checkpoint, or put the file of the offset back."
		return nil, e
	}
	return p, nil
}

// rateLimit moves the partitions on from their starts by limit records in all, each in proportion to what it has. A partition with less
// than one record's share gives one, so that a small one does not starve behind large ones; the sum may pass the limit by that.
//
// Source: Spark's KafkaMicroBatchStream.rateLimit.
func rateLimit(limit int64, from, until positions) positions {
	total := 0.0
	for k, end := range until {
		if begin, ok := from[k]; ok && end > begin {
			total += float64(end - begin)
		}
	}
	if total < 1 {
		return until
	}
	out := make(positions, len(until))
	for k, end := range until {
		out[k] = end
		begin, ok := from[k]
		if !ok || end <= begin {
			continue
		}
		share := float64(limit) * (float64(end-begin) / total)
		n := int64(1)
		if share >= 1 {
			// A share beyond an int64 converts to no defined number, and is more than there is anyway.
			n = end - begin
			if share < float64(n) {
				n = int64(share)
			}
		}
		out[k] = min(end, begin+n)
	}
	return out
}
