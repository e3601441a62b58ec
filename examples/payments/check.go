package payments

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"
)

// Sum is a window's total of one province, as plain text for comparison.
type Sum struct {
	Start    time.Time
	Province string
	Total    string
}

func compareSums(a, b Sum) int {
	if c := a.Start.Compare(b.Start); c != 0 {
		return c
	}
	return strings.Compare(a.Province, b.Province)
}

// Outcome is what an independent reader of the input expects of the job.
type Outcome struct {
	// Sums are the windows that end at or before the final watermark, in order.
	Sums []Sum
	// Late is the number of pairs of row and window that came too late, Broken that of messages which are no JSON.
	Late, Broken int
}

// Expect computes the outcome of the job from the messages of the one input partition in order, by Spark's rules and nothing of Spoonbill: epochs of
// perEpoch messages; after each, the watermark is the latest event time so far less the delay; a row is late for a window that ended at or
// before the watermark of the epoch before.
func Expect(messages [][]byte, perEpoch int) Outcome {
	type key struct {
		start    time.Time
		province string
	}
	sums := map[key]*big.Rat{}
	var out Outcome
	var latest, lateBound, bound time.Time // bounds of the present epoch: rows are late by the first, windows close by the second
	for i, m := range messages {
		if i > 0 && i%perEpoch == 0 {
			lateBound = bound
			if w := latest.Add(-Delay); w.After(bound) {
				bound = w
			}
		}
		var p struct {
			CreateTime *time.Time   `json:"createTime"`
			PayAmount  *json.Number `json:"payAmount"`
			ProvinceID *int         `json:"provinceId"`
		}
		if json.Unmarshal(m, &p) != nil {
			out.Broken++
			continue
		}
		if p.CreateTime == nil {
			continue
		}
		if p.CreateTime.After(latest) {
			latest = *p.CreateTime
		}
		province := "null"
		if p.ProvinceID != nil {
			province = fmt.Sprint(*p.ProvinceID)
		}
		for start := p.CreateTime.Truncate(Slide); start.Add(Size).After(*p.CreateTime); start = start.Add(-Slide) {
			if !lateBound.IsZero() && !start.Add(Size).After(lateBound) {
				out.Late++
				continue
			}
			k := key{start, province}
			if _, ok := sums[k]; !ok {
				sums[k] = nil // a sum over nulls alone is null
			}
			if p.PayAmount != nil {
				amount, _ := new(big.Rat).SetString(p.PayAmount.String())
				if sums[k] == nil {
					sums[k] = new(big.Rat)
				}
				sums[k].Add(sums[k], amount)
			}
		}
	}
	final := latest.Add(-Delay)
	if bound.After(final) {
		final = bound
	}
	for k, v := range sums {
		if k.start.Add(Size).After(final) {
			continue
		}
		s := Sum{k.start.UTC(), k.province, "null"}
		if v != nil {
			s.Total = v.FloatString(2)
		}
		out.Sums = append(out.Sums, s)
	}
	slices.SortFunc(out.Sums, compareSums)
	return out
}

// Read takes the sums out of messages of the output topic, in order.
func Read(messages [][]byte) ([]Sum, error) {
	out := make([]Sum, len(messages))
	for i, m := range messages {
		var t struct {
			Window         struct{ Start, End time.Time }
			ProvinceID     *int         `json:"provinceId"`
			TotalPayAmount *json.Number `json:"totalPayAmount"`
		}
		if err := json.Unmarshal(m, &t); err != nil {
			return nil, fmt.Errorf("output message %d %q: %w", i, m, err)
		}
		if t.Window.End.Sub(t.Window.Start) != Size {
			return nil, fmt.Errorf("output message %d %q: the window is not %v long", i, m, Size)
		}
		s := Sum{t.Window.Start.UTC(), "null", "null"}
		if t.ProvinceID != nil {
			s.Province = fmt.Sprint(*t.ProvinceID)
		}
		if t.TotalPayAmount != nil {
			r, ok := new(big.Rat).SetString(t.TotalPayAmount.String())
			if !ok {
				return nil, fmt.Errorf("output message %d %q: the total is no number", i, m)
			}
			s.Total = r.FloatString(2)
		}
		out[i] = s
	}
	slices.SortFunc(out, compareSums)
	return out, nil
}

// Differences tells how two lists of sums differ, a line each; none when they are equal.
func Differences(want, got []Sum) []string {
	var out []string
	i, j := 0, 0
	for i < len(want) || j < len(got) {
		c := 0
		switch {
		case i == len(want):
			c = 1
		case j == len(got):
			c = -1
		default:
			c = compareSums(want[i], got[j])
		}
		switch {
		case c < 0:
			out = append(out, fmt.Sprintf("missing: %s", want[i]))
			i++
		case c > 0:
			out = append(out, fmt.Sprintf("too much: %s", got[j]))
			j++
		default:
			if want[i] != got[j] {
				out = append(out, fmt.Sprintf("%s, but the input says %s", got[j], want[i].Total))
			}
			i, j = i+1, j+1
		}
	}
	return out
}

// String prints window, province and total.
func (s Sum) String() string {
	return fmt.Sprintf("%s–%s province %s: %s", s.Start.Format("15:04:05"), s.Start.Add(Size).Format("15:04:05"), s.Province, s.Total)
}

// Table prints sums as a table.
func Table(sums []Sum) string {
	var b strings.Builder
	b.WriteString("+----------+----------+----------+----------------+\n| from     | to       | province | totalPayAmount |\n+----------+----------+----------+----------------+\n")
	for _, s := range sums {
		fmt.Fprintf(&b, "| %s | %s | %8s | %14s |\n", s.Start.Format("15:04:05"), s.Start.Add(Size).Format("15:04:05"), s.Province, s.Total)
	}
	b.WriteString("+----------+----------+----------+----------------+\n")
	return b.String()
}
