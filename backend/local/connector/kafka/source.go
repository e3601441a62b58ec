// Package kafka reads and writes topics, by Spark's options and with Spark's meaning. A source's offsets are those of Spark's Kafka source,
// {"topic":{"0":12}}: the next offset to read of each partition.
//
// Calls go on through outages of the brokers, for a bounded time: 30 seconds until a broker has answered for the first time, 2 minutes
// later on. What a read gives does not depend on outages: it is made of the exact ranges of offsets that it was asked for.
package kafka

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
	"github.com/spoonbill-go/spoonbill/internal/sparktime"
)

func init() {
	connector.RegisterSource("kafka", func(_ context.Context, env connector.Env, s *tree.Source) (connector.Source, error) {
		return openSource(env, s)
	})
	connector.RegisterSink("kafka", func(_ context.Context, env connector.Env, s *tree.Sink) (connector.Sink, error) {
		return openSink(env, s)
	})
}

// defaultMaxTriggerDelay is Spark's default of maxTriggerDelay.
const defaultMaxTriggerDelay = 15 * time.Minute

// limitKind is the kind of a limit.
type limitKind uint8

const (
	toEarliest limitKind = iota
	toLatest
	toOffsets
	toTimes
	toTime
)

// limit is where a read begins or ends, as the options say it.
type limit struct {
	kind limitKind
	// at are offsets (toOffsets) or milliseconds since 1970 (toTimes).
	at positions
	// time is in milliseconds since 1970 (toTime).
	time int64
	// option is the option that says so.
	option string
}

// source is an open Kafka source. Calls but Metrics and Close come one after the other.
type source struct {
	env    connector.Env
	client *client
	cols   *columns
	mem    memory.Allocator

	// Exactly one of the three says what is read.
	topics  []string
	pattern *regexp.Regexp
	assign  []tp
	desc    string

	start, end   limit
	latestIfNone bool // startingOffsetsByTimestampStrategy is latest
	tolerant     bool // failOnDataLoss is false
	most, least  int64
	maxDelay     time.Duration

	frozen      positions
	lastTrigger time.Time

	mu sync.Mutex
	// latest is what there was when the last epoch was made, and until where that epoch ends.
	latest, until positions
	// spares are records that were fetched with those of the last epoch, and spareBytes their size.
	spares     map[tp]spare
	spareBytes int
}

var _ connector.AvailableNow = (*source)(nil)

func openSource(env connector.Env, src *tree.Source) (*source, error) {
	cfg, err := parseConfig(src.Options, false)
	if err != nil {
		return nil, err
	}
	s := &source{env: env, mem: memory.DefaultAllocator, maxDelay: defaultMaxTriggerDelay}
	if err := s.options(src.Options); err != nil {
		return nil, err
	}
	if s.cols, err = newColumns(src.Fields); err != nil {
		return nil, err
	}
	// The retries of this package decide how long a call may take; those of the client below it would hide the cause.
	if s.client, err = newClient(env, cfg, kgo.RequestRetries(0)); err != nil {
		return nil, err
	}
	if err := s.waits(src.Options); err != nil {
		s.client.close()
		return nil, err
	}
	return s, nil
}

// options reads what is Spark's own.
func (s *source) options(o tree.Options) error {
	n := 0
	if v, ok := o.Get("subscribe"); ok {
		n++
		for _, t := range strings.Split(v, ",") {
			if t = strings.TrimSpace(t); t != "" && !slices.Contains(s.topics, t) {
				s.topics = append(s.topics, t)
			}
		}
		if len(s.topics) == 0 {
			return invalid("Option subscribe names no topic.")
		}
		s.desc = "Subscribe[" + strings.Join(s.topics, ", ") + "]"
	}
	if v, ok := o.Get("subscribePattern"); ok {
		n++
		// Kafka wants the whole name to match.
		re, err := regexp.Compile("^(?:" + v + ")$")
		if err != nil {
			return invalid("Option subscribePattern is no regular expression: %v.", err)
		}
		s.pattern, s.desc = re, "SubscribePattern["+v+"]"
	}
	if v, ok := o.Get("assign"); ok {
		n++
		var byTopic map[string][]int32
		if err := json.Unmarshal([]byte(v), &byTopic); err != nil {
			return invalid("Option assign must be JSON such as {\"topic\":[0,1]}: %v.", err)
		}
		for t, parts := range byTopic {
			for _, p := range parts {
				if p < 0 {
					return invalid("Option assign has the partition %d of topic %s.", p, t)
				}
				if !slices.Contains(s.assign, tp{t, p}) {
					s.assign = append(s.assign, tp{t, p})
				}
			}
		}
		if len(s.assign) == 0 {
			return invalid("Option assign names no partition.")
		}
		slices.SortFunc(s.assign, compareTP)
		s.desc = "Assign[" + join(s.assign) + "]"
	}
	if n != 1 {
		return invalid("A Kafka source reads by exactly one of subscribe, subscribePattern and assign; %d are given.", n)
	}
	byDefault := toEarliest
	if s.env.Streaming {
		byDefault = toLatest
	}
	var err error
	if s.start, err = parseLimit(o, "starting", byDefault); err != nil {
		return err
	}
	if s.end, err = parseLimit(o, "ending", toLatest); err != nil {
		return err
	}
	if !s.env.Streaming {
		if err := batchLimits(s.start, s.end); err != nil {
			return err
		}
	}
	if s.latestIfNone, err = oneOfTwo(o, "startingOffsetsByTimestampStrategy", "error", "latest"); err != nil {
		return err
	}
	if s.tolerant, err = oneOfTwo(o, "failOnDataLoss", "true", "false"); err != nil {
		return err
	}
	for _, x := range []struct {
		key string
		to  *int64
	}{{"maxOffsetsPerTrigger", &s.most}, {"minOffsetsPerTrigger", &s.least}} {
		if v, ok := o.Get(x.key); ok {
			if *x.to, err = strconv.ParseInt(v, 10, 64); err != nil || *x.to < 1 {
				return invalid("Option %s must be a whole number of at least 1, not %q.", x.key, v)
			}
		}
	}
	if s.most > 0 && s.least > s.most {
		return invalid("minOffsetsPerTrigger (%d) is above maxOffsetsPerTrigger (%d).", s.least, s.most)
	}
	if v, ok := o.Get("maxTriggerDelay"); ok {
		if s.maxDelay, err = sparktime.Parse(v, time.Millisecond); err != nil {
			return invalid("Option maxTriggerDelay: %v.", err)
		}
	}
	return nil
}

// oneOfTwo tells whether an option is the second of two words; the first one is its default.
func oneOfTwo(o tree.Options, key, first, second string) (bool, error) {
	v, ok := o.Get(key)
	switch v = strings.TrimSpace(v); {
	case !ok || strings.EqualFold(v, first):
		return false, nil
	case strings.EqualFold(v, second):
		return true, nil
	}
	return false, invalid("Option %s must be %s or %s, not %q.", key, first, second, v)
}

// waits reads how long calls go on.
func (s *source) waits(o tree.Options) error {
	for _, key := range []string{"kafkaConsumer.pollTimeoutMs", "fetchOffset.numRetries", "fetchOffset.retryIntervalMs"} {
		v, ok := o.Get(key)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 32)
		if err != nil || n < 0 {
			return invalid("Option %s must be a whole number, not %q.", key, v)
		}
		switch key {
		case "kafkaConsumer.pollTimeoutMs":
			s.client.poll = time.Duration(n) * time.Millisecond
		case "fetchOffset.numRetries":
			s.client.attempts = max(1, int(n))
		default:
			s.client.interval = time.Duration(n) * time.Millisecond
		}
	}
	return nil
}

// parseLimit reads one end of what is read; side is starting or ending. A time for all partitions goes before times by partition, and those
// before offsets, as in Spark.
func parseLimit(o tree.Options, side string, byDefault limitKind) (limit, error) {
	option := side + "Timestamp"
	if v, ok := o.Get(option); ok {
		n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
		if err != nil || n < 0 {
			return limit{}, invalid("Option %s must be milliseconds since 1970, not %q.", option, v)
		}
		return limit{kind: toTime, time: n, option: option}, nil
	}
	option = side + "OffsetsByTimestamp"
	if v, ok := o.Get(option); ok {
		at, err := parsePositions([]byte(v), 0)
		if err != nil {
			return limit{}, invalid("Option %s: %v.", option, err)
		}
		return limit{kind: toTimes, at: at, option: option}, nil
	}
	option = side + "Offsets"
	v, ok := o.Get(option)
	switch v = strings.TrimSpace(v); {
	case !ok:
		return limit{kind: byDefault, option: option}, nil
	case strings.EqualFold(v, "earliest"):
		return limit{kind: toEarliest, option: option}, nil
	case strings.EqualFold(v, "latest"):
		return limit{kind: toLatest, option: option}, nil
	}
	at, err := parsePositions([]byte(v), offsetEarliest)
	if err != nil {
		return limit{}, invalid("Option %s: %v.", option, err)
	}
	return limit{kind: toOffsets, at: at, option: option}, nil
}

// batchLimits refuses what Spark refuses of a batch.
func batchLimits(start, end limit) error {
	has := func(l limit, n int64) bool {
		for _, o := range l.at {
			if l.kind == toOffsets && o == n {
				return true
			}
		}
		return false
	}
	if start.kind == toLatest || has(start, offsetLatest) {
		e := invalid("startingOffsets of a batch cannot be the latest: there would be nothing to read.")
		e.Hint = "Give the earliest, an offset or a time, or start the query as a stream."
		return e
	}
	if end.kind == toEarliest || has(end, offsetEarliest) {
		e := invalid("endingOffsets of a batch cannot be the earliest: there would be nothing to read.")
		e.Hint = "Give the latest, an offset or a time."
		return e
	}
	return nil
}

// subject says what is read, for errors.
func (s *source) subject() string {
	switch {
	case s.pattern != nil:
		return "topics like " + s.pattern.String()
	case s.topics != nil:
		return named(s.topics)
	}
	return "partitions " + join(s.assign)
}

// partitions are those that are read, as the brokers have them now.
func (s *source) partitions(ctx context.Context) ([]tp, error) {
	var out []tp
	err := s.client.retry(ctx, "look up "+s.subject(), s.client.budget, oneRequest, func(ctx context.Context) error {
		out = out[:0]
		var names []string
		switch {
		case s.topics != nil:
			names = s.topics
		case s.assign != nil:
			for _, p := range s.assign {
				if !slices.Contains(names, p.topic) {
					names = append(names, p.topic)
				}
			}
		}
		topics, err := s.client.metadata(ctx, names, false)
		if err != nil {
			return err
		}
		for name, t := range topics {
			if s.pattern != nil && (t.internal || !s.pattern.MatchString(name)) {
				continue
			}
			for p := range t.leaders {
				out = append(out, tp{name, p})
			}
		}
		if s.assign != nil {
			for _, p := range s.assign {
				if !slices.Contains(out, p) {
					return s.client.cfg.unknown("partition %s", p)
				}
			}
			out = append(out[:0], s.assign...)
		}
		return nil
	})
	slices.SortFunc(out, compareTP)
	return out, err
}

// ends gives the first or the last offsets of partitions.
func (s *source) ends(ctx context.Context, parts []tp, which int64) (positions, error) {
	at := make(map[tp]int64, len(parts))
	for _, p := range parts {
		at[p] = which
	}
	return s.client.list(ctx, at)
}

// resolve finds the offsets of a limit.
func (s *source) resolve(ctx context.Context, l limit, starting bool) (positions, error) {
	parts, err := s.partitions(ctx)
	if err != nil {
		return nil, err
	}
	switch l.kind {
	case toEarliest:
		return s.ends(ctx, parts, offsetEarliest)
	case toLatest:
		return s.ends(ctx, parts, offsetLatest)
	}
	at := map[tp]int64{}
	if l.kind == toTime {
		for _, p := range parts {
			at[p] = l.time
		}
	} else {
		if err := sameParts(l, parts); err != nil {
			return nil, err
		}
		at = l.at
	}
	out := positions{}
	ask := map[tp]int64{}
	if l.kind == toOffsets {
		for p, n := range at {
			if n < 0 {
				ask[p] = n
			} else {
				out[p] = n
			}
		}
	} else {
		found, err := s.client.list(ctx, at)
		if err != nil {
			return nil, err
		}
		for p, n := range found {
			switch {
			case n >= 0:
				out[p] = n
			case starting && !s.latestIfNone:
				e := invalid("No record of partition %s is as late as %d, the time of option %s.", p, at[p], l.option)
				e.Hint = "Set startingOffsetsByTimestampStrategy to latest to begin behind the last record then."
				return nil, e
			default:
				ask[p] = offsetLatest
			}
		}
	}
	found, err := s.client.list(ctx, ask)
	if err != nil {
		return nil, err
	}
	for p, n := range found {
		out[p] = n
	}
	return out, nil
}

// sameParts checks that a limit names every partition that is read and no other.
func sameParts(l limit, parts []tp) error {
	var missing, extra []tp
	for _, p := range parts {
		if _, ok := l.at[p]; !ok {
			missing = append(missing, p)
		}
	}
	for _, p := range l.at.sorted() {
		if !slices.Contains(parts, p) {
			extra = append(extra, p)
		}
	}
	if len(missing)+len(extra) == 0 {
		return nil
	}
	name, hint := condition.KafkaStartMismatch, "Name every partition once; -2 is the earliest and -1 the latest offset."
	if l.kind == toTimes {
		name, hint = condition.KafkaTimeMismatch, "Name every partition once."
	}
	e := condition.Newf(name, "Option %s does not name the partitions that are read: it lacks [%s] and has [%s] too many.", l.option, join(missing), join(extra))
	e.Hint = hint
	return e
}

// Initial implements [connector.Source].
func (s *source) Initial(ctx context.Context) (connector.Offset, error) {
	p, err := s.resolve(ctx, s.start, true)
	if err != nil {
		return nil, err
	}
	return p.offset(), nil
}

// PrepareAvailableNow implements [connector.AvailableNow].
func (s *source) PrepareAvailableNow(ctx context.Context) error {
	p, err := s.now(ctx, nil)
	if err != nil {
		return err
	}
	s.frozen = p
	return nil
}

// now gives the ends of all partitions. A broker that has just come back may answer with less than there was: it is asked again.
//
// Source: Spark's KafkaOffsetReaderAdmin.fetchLatestOffsets.
func (s *source) now(ctx context.Context, known positions) (positions, error) {
	for attempt := 1; ; attempt++ {
		parts, err := s.partitions(ctx)
		if err != nil {
			return nil, err
		}
		p, err := s.ends(ctx, parts, offsetLatest)
		if err != nil {
			return nil, err
		}
		behind := false
		for k, n := range p {
			behind = behind || n < known[k]
		}
		if !behind || attempt >= s.client.attempts {
			return p, nil
		}
		t := time.NewTimer(s.client.interval)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return nil, context.Cause(ctx)
		}
	}
}

// Latest implements [connector.Source].
func (s *source) Latest(ctx context.Context, start connector.Offset, all bool) (connector.Offset, error) {
	from, err := parseOffset(start)
	if err != nil {
		return nil, err
	}
	latest, until := positions(nil), positions(nil)
	switch {
	case !s.env.Streaming:
		if latest, err = s.resolve(ctx, s.end, false); err == nil {
			err = inOrder(from, latest)
		}
	case s.frozen != nil:
		latest = s.frozen
	default:
		latest, err = s.now(ctx, from)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case all || !s.env.Streaming:
		until = latest
	case s.least > 0 && s.frozen == nil && s.wait(from, latest):
		until = from
	case s.most > 0:
		begin := positions{}
		var added []tp
		for p := range latest {
			if n, ok := from[p]; ok {
				begin[p] = n
			} else {
				added = append(added, p)
			}
		}
		first, err := s.ends(ctx, added, offsetEarliest)
		if err != nil {
			return nil, err
		}
		for p, n := range first {
			begin[p] = n
		}
		until = rateLimit(s.most, begin, latest)
	default:
		until = latest
	}
	if len(until) == 0 {
		until = from
	}
	s.mu.Lock()
	s.latest, s.until = latest, until
	s.mu.Unlock()
	if until.equal(from) {
		return start, nil
	}
	return until.offset(), nil
}

// inOrder checks that no partition of a batch ends before it begins.
func inOrder(from, until positions) error {
	for _, p := range until.sorted() {
		if begin, ok := from[p]; ok && begin > until[p] {
			e := condition.Newf(condition.KafkaStartBeyondEnd, "Partition %s would be read from offset %d to %d.", p, begin, until[p])
			e.Hint = "Set startingOffsets and endingOffsets so that no partition ends before it begins."
			return e
		}
	}
	return nil
}

// wait tells whether an epoch waits for more records.
//
// Source: Spark's KafkaMicroBatchStream.delayBatch. A query that works off what is there does not wait: nothing more is counted.
func (s *source) wait(from, latest positions) bool {
	now := s.env.Now()
	if now.Sub(s.lastTrigger) < s.maxDelay {
		n := int64(0)
		for p, end := range latest {
			n += end - from[p]
		}
		if n < s.least {
			return true
		}
	}
	s.lastTrigger = now
	return false
}

// Commit implements [connector.Source]. The checkpoint keeps the offsets, so the brokers need not.
func (s *source) Commit(context.Context, connector.Offset) error { return nil }

// Metrics implements [connector.Source]: the latest offset, and how far behind it the partitions are.
//
// Source: Spark's KafkaMicroBatchStream.metrics.
func (s *source) Metrics() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.latest) == 0 {
		return nil
	}
	out := map[string]string{"latestOffset": string(s.latest.offset())}
	if !s.env.Streaming {
		return out
	}
	first, least, most, sum := true, int64(0), int64(0), 0.0
	for p, end := range s.latest {
		n := end - s.until[p]
		if first {
			least, most, first = n, n, false
		}
		least, most, sum = min(least, n), max(most, n), sum+float64(n)
	}
	out["minOffsetsBehindLatest"] = strconv.FormatInt(least, 10)
	out["maxOffsetsBehindLatest"] = strconv.FormatInt(most, 10)
	out["avgOffsetsBehindLatest"] = javaDouble(sum / float64(len(s.latest)))
	return out
}

// javaDouble writes a number as Java's Double.toString.
func javaDouble(f float64) string {
	if f != 0 && (f >= 1e7 || f <= -1e7 || f > -1e-3 && f < 1e-3) {
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'E', -1, 64), "E")
		if !strings.Contains(mantissa, ".") {
			mantissa += ".0"
		}
		n, err := strconv.Atoi(exponent)
		if err != nil {
			return mantissa
		}
		return fmt.Sprintf("%sE%d", mantissa, n)
	}
	t := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(t, ".") {
		t += ".0"
	}
	return t
}

// Description implements [connector.Source].
func (s *source) Description() string { return "KafkaV2[" + s.desc + "]" }

// Close implements [connector.Source].
func (s *source) Close() error {
	s.client.close()
	return nil
}
