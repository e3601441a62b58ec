// Package kafka reads and writes Kafka topics as Spark's Kafka connector does: the same options, offsets of the same form, the same
// columns, the same rules for data that is lost.
package kafka

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/format/column"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

func init() {
	connector.RegisterSource("kafka", openSource)
	connector.RegisterSink("kafka", openSink)
}

// source reads Kafka for one query.
type source struct {
	env    connector.Env
	cfg    *config
	client *kgo.Client
	admin  *kadm.Client
	fields []datatype.Field
	schema *arrow.Schema

	// What is read: one of the three is set.
	subscribe []string
	pattern   *regexp.Regexp
	assign    map[string][]int32
	what      string // Spark's words for it

	starting, ending          bound
	failOnDataLoss            bool
	maxOffsets, minOffsets    int64
	maxDelay                  time.Duration
	pollTimeout               time.Duration
	retries                   int
	retryInterval             time.Duration
	onMissingTimestampToLates bool

	mu    sync.Mutex
	fixed offsets // the end of an available-now query, nil for any other
	// last is when the last epoch was planned, for maxTriggerDelay.
	last             time.Time
	behind           map[partition]int64
	latest           offsets
	reading          bool
	next             map[partition]int64 // where the client goes on, for the partitions that it has
	early            map[partition][]*kgo.Record
	lossSeen, closed bool
}

// bound is where a read starts or ends.
type bound struct {
	// latest and earliest are the words; else one of the others is set.
	latest, earliest bool
	specific         offsets
	timestamp        int64 // milliseconds for all partitions, -1 for none
	byTimestamp      offsets
}

func openSource(ctx context.Context, env connector.Env, src *tree.Source) (connector.Source, error) {
	cfg, err := clientConfig(src.Options, false)
	if err != nil {
		return nil, err
	}
	s := &source{env: env, cfg: cfg, fields: src.Fields, next: map[partition]int64{}, early: map[partition][]*kgo.Record{}, behind: map[partition]int64{}}
	if s.schema, err = arrowtype.Schema(src.Fields); err != nil {
		return nil, condition.Newf(condition.InvalidValue, "Kafka: %v.", err)
	}
	for _, f := range src.Fields {
		if _, ok := fillers[datatype.FoldName(f.Name)]; !ok {
			return nil, condition.Newf(condition.UnresolvedColumn, "Kafka has no field %s; it has key, value, topic, partition, offset, timestamp, timestampType and headers.", datatype.QuoteName(f.Name))
		}
	}
	if err := s.options(src.Options); err != nil {
		return nil, err
	}
	opts := append(cfg.opts, kgo.ConsumeResetOffset(kgo.NoResetOffset()), kgo.KeepControlRecords())
	if s.client, err = kgo.NewClient(opts...); err != nil {
		return nil, cfg.failed("the client cannot be made", err)
	}
	s.admin = kadm.NewClient(s.client)
	call, cancel := cfg.bounded(ctx)
	defer cancel()
	if err := s.client.Ping(call); err != nil {
		s.client.Close()
		return nil, cfg.failed("no server answered", err)
	}
	return s, nil
}

func (s *source) options(o tree.Options) error {
	var errs []error
	bad := func(key, format string, args ...any) {
		errs = append(errs, condition.Newf(condition.InvalidOption, "The option %s: %s.", key, fmt.Sprintf(format, args...)))
	}
	kinds := 0
	if v, ok := o.Get("subscribe"); ok {
		kinds++
		for _, t := range strings.Split(v, ",") {
			if t = strings.TrimSpace(t); t != "" {
				s.subscribe = append(s.subscribe, t)
			}
		}
		if len(s.subscribe) == 0 {
			bad("subscribe", "it names no topic")
		}
		s.what = "Subscribe[" + strings.Join(s.subscribe, ", ") + "]"
	}
	if v, ok := o.Get("subscribePattern"); ok {
		kinds++
		re, err := regexp.Compile("^(?:" + v + ")$")
		if err != nil {
			bad("subscribePattern", "%q is no pattern: %v", v, err)
		}
		s.pattern = re
		s.what = "SubscribePattern[" + v + "]"
	}
	if v, ok := o.Get("assign"); ok {
		kinds++
		a, err := parseAssign(v)
		if err != nil {
			bad("assign", "%q is not of the form {\"topic\":[0,1]}: %v", v, err)
		}
		s.assign = a
		s.what = "Assign[" + v + "]"
	}
	if kinds != 1 {
		bad("subscribe", "exactly one of subscribe, subscribePattern and assign must be given, not %d", kinds)
	}
	number := func(key string, otherwise int64) int64 {
		v, ok := o.Get(key)
		if !ok {
			return otherwise
		}
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < 0 {
			bad(key, "%q is no count", v)
		}
		return n
	}
	s.failOnDataLoss = true
	if v, ok := o.Get("failOnDataLoss"); ok {
		b, err := strconv.ParseBool(strings.ToLower(v))
		if err != nil {
			bad("failOnDataLoss", "%q is neither true nor false", v)
		}
		s.failOnDataLoss = b
	}
	s.maxOffsets, s.minOffsets = number("maxOffsetsPerTrigger", 0), number("minOffsetsPerTrigger", 0)
	if s.maxOffsets > 0 && s.minOffsets > s.maxOffsets {
		bad("minOffsetsPerTrigger", "%d is more than maxOffsetsPerTrigger, %d", s.minOffsets, s.maxOffsets)
	}
	s.maxDelay = 15 * time.Minute
	if v, ok := o.Get("maxTriggerDelay"); ok {
		d, good := parseDelay(v)
		if !good {
			bad("maxTriggerDelay", "%q is no duration such as 15m", v)
		}
		s.maxDelay = d
	}
	s.pollTimeout = time.Duration(number("kafkaConsumer.pollTimeoutMs", 120_000)) * time.Millisecond
	s.retries = int(min(number("fetchOffset.numRetries", 3), 1000))
	s.retryInterval = time.Duration(number("fetchOffset.retryIntervalMs", 1000)) * time.Millisecond
	// A stream starts with what is new, a batch reads everything: Spark's defaults.
	s.starting, s.ending = bound{earliest: !s.env.Streaming, latest: s.env.Streaming, timestamp: -1}, bound{latest: true, timestamp: -1}
	for _, b := range []struct {
		into *bound
		name string
	}{{&s.starting, "starting"}, {&s.ending, "ending"}} {
		if v, ok := o.Get(b.name + "Timestamp"); ok {
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil || n < 0 {
				bad(b.name+"Timestamp", "%q is no count of milliseconds", v)
			}
			*b.into = bound{timestamp: n}
			continue
		}
		if v, ok := o.Get(b.name + "OffsetsByTimestamp"); ok {
			p, err := parseOffsets([]byte(v))
			if err != nil || len(p) == 0 {
				bad(b.name+"OffsetsByTimestamp", "%q is not of the form {\"topic\":{\"0\":1700000000000}}", v)
			}
			*b.into = bound{timestamp: -1, byTimestamp: p}
			continue
		}
		v, ok := o.Get(b.name + "Offsets")
		if !ok {
			continue
		}
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "latest":
			*b.into = bound{latest: true, timestamp: -1}
			if b.name == "starting" && !s.env.Streaming {
				bad("startingOffsets", "latest would leave a batch query nothing to read")
			}
		case "earliest":
			*b.into = bound{earliest: true, timestamp: -1}
			if b.name == "ending" {
				bad("endingOffsets", "earliest would leave nothing to read")
			}
		default:
			p, err := parseOffsets([]byte(v))
			if err != nil || len(p) == 0 {
				bad(b.name+"Offsets", "%q is neither a word nor of the form {\"topic\":{\"0\":12}}", v)
			}
			for k, n := range p {
				if b.name == "ending" && n == earliestOffset {
					bad("endingOffsets", "-2 (earliest) for %s would leave nothing to read", k)
				}
			}
			*b.into = bound{timestamp: -1, specific: p}
		}
	}
	if v, ok := o.Get("startingOffsetsByTimestampStrategy"); ok {
		switch strings.ToLower(v) {
		case "error":
		case "latest":
			s.onMissingTimestampToLates = true
		default:
			bad("startingOffsetsByTimestampStrategy", "%q is neither error nor latest", v)
		}
	}
	return errors.Join(errs...)
}

// parseDelay reads Spark's durations, such as 15m; a bare number is milliseconds.
func parseDelay(v string) (time.Duration, bool) {
	v = strings.ToLower(strings.TrimSpace(v))
	if n, err := strconv.ParseInt(v, 10, 32); err == nil && n >= 0 {
		return time.Duration(n) * time.Millisecond, true
	}
	if n, ok := strings.CutSuffix(v, "min"); ok {
		v = n + "m"
	}
	if n, ok := strings.CutSuffix(v, "d"); ok {
		days, err := strconv.ParseInt(n, 10, 16)
		return time.Duration(days) * 24 * time.Hour, err == nil && days >= 0
	}
	d, err := time.ParseDuration(v)
	return d, err == nil && d >= 0
}

// retry calls the brokers, and again after a failure as often as fetchOffset.numRetries says. The client itself retries within a call.
func (s *source) retry(ctx context.Context, what string, call func(context.Context) error) error {
	for try := 0; ; try++ {
		bounded, cancel := s.cfg.bounded(ctx)
		err := call(bounded)
		cancel()
		if err == nil || condition.Of(err) != "" {
			return err
		}
		// A call that used up its whole time is not repeated: the limit is the user's.
		if try >= s.retries || ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) || !kerr.IsRetriable(err) && isKafka(err) {
			return s.cfg.failed(what, err)
		}
		select {
		case <-ctx.Done():
			return s.cfg.failed(what, ctx.Err())
		case <-time.After(s.retryInterval):
		}
	}
}

func isKafka(err error) bool { _, ok := errors.AsType[*kerr.Error](err); return ok }

// partitions finds what the query reads now.
func (s *source) partitions(ctx context.Context) ([]partition, error) {
	var out []partition
	err := s.retry(ctx, "the partitions cannot be listed", func(ctx context.Context) error {
		out = out[:0]
		names := s.subscribe
		for t := range s.assign {
			names = append(names, t)
		}
		details, err := s.admin.ListTopics(ctx, names...)
		if err != nil {
			return err
		}
		for _, t := range names {
			d, ok := details[t]
			if !ok || errors.Is(d.Err, kerr.UnknownTopicOrPartition) {
				e := condition.Newf(condition.UnknownTopic, "Kafka at %s has no topic %q.", strings.Join(s.cfg.servers, ","), t)
				e.Hint = "Create it before the query starts, or correct the name; subscribePattern takes topics as they appear."
				return e
			}
			if d.Err != nil {
				return d.Err
			}
		}
		for t, d := range details {
			if s.pattern != nil && !s.pattern.MatchString(t) {
				continue
			}
			if d.Err != nil {
				return fmt.Errorf("topic %s: %w", t, d.Err)
			}
			if s.assign != nil {
				for _, id := range s.assign[t] {
					if _, ok := d.Partitions[id]; !ok {
						e := condition.Newf(condition.UnknownTopic, "The topic %q has no partition %d.", t, id)
						e.Hint = "Correct the option assign."
						return e
					}
					out = append(out, partition{t, id})
				}
				continue
			}
			for id := range d.Partitions {
				out = append(out, partition{t, id})
			}
		}
		return nil
	})
	return out, err
}

func topicsOf(parts []partition) []string {
	seen := map[string]bool{}
	var out []string
	for _, p := range parts {
		if !seen[p.topic] {
			seen[p.topic] = true
			out = append(out, p.topic)
		}
	}
	sort.Strings(out)
	return out
}

// listed asks for offsets of partitions; missing ones get -1.
func (s *source) listed(ctx context.Context, parts []partition, list func(context.Context, ...string) (kadm.ListedOffsets, error)) (offsets, error) {
	out := offsets{}
	if len(parts) == 0 {
		return out, nil
	}
	err := s.retry(ctx, "the offsets cannot be listed", func(ctx context.Context) error {
		l, err := list(ctx, topicsOf(parts)...)
		if err != nil {
			return err
		}
		for _, p := range parts {
			o, ok := l.Lookup(p.topic, p.id)
			if !ok {
				return fmt.Errorf("the offset of %s is not in the answer", p)
			}
			if o.Err != nil {
				return fmt.Errorf("%s: %w", p, o.Err)
			}
			out[p] = o.Offset
		}
		return nil
	})
	return out, err
}

func (s *source) starts(ctx context.Context, parts []partition) (offsets, error) {
	return s.listed(ctx, parts, s.admin.ListStartOffsets)
}

func (s *source) ends(ctx context.Context, parts []partition) (offsets, error) {
	if s.cfg.committed {
		return s.listed(ctx, parts, s.admin.ListCommittedOffsets)
	}
	return s.listed(ctx, parts, s.admin.ListEndOffsets)
}

// resolve turns a bound into offsets of the partitions.
func (s *source) resolve(ctx context.Context, b bound, parts []partition, name string) (offsets, error) {
	switch {
	case b.earliest:
		return s.starts(ctx, parts)
	case b.latest:
		return s.ends(ctx, parts)
	case b.specific != nil:
		if err := covers(b.specific, parts, name+"Offsets"); err != nil {
			return nil, err
		}
		out := offsets{}
		var low, high []partition
		for _, p := range parts {
			switch v := b.specific[p]; v {
			case earliestOffset:
				low = append(low, p)
			case latestOffset:
				high = append(high, p)
			default:
				out[p] = v
			}
		}
		for _, x := range []struct {
			parts []partition
			find  func(context.Context, []partition) (offsets, error)
		}{{low, s.starts}, {high, s.ends}} {
			found, err := x.find(ctx, x.parts)
			if err != nil {
				return nil, err
			}
			for p, v := range found {
				out[p] = v
			}
		}
		return out, nil
	}
	// By time: the first record at or behind it.
	at := b.byTimestamp
	if b.timestamp >= 0 {
		at = offsets{}
		for _, p := range parts {
			at[p] = b.timestamp
		}
	} else if err := covers(at, parts, name+"OffsetsByTimestamp"); err != nil {
		return nil, err
	}
	groups := map[int64][]partition{}
	for _, p := range parts {
		groups[at[p]] = append(groups[at[p]], p)
	}
	out := offsets{}
	end, err := s.ends(ctx, parts)
	if err != nil {
		return nil, err
	}
	for millis, group := range groups {
		found, err := s.listed(ctx, group, func(ctx context.Context, topics ...string) (kadm.ListedOffsets, error) {
			return s.admin.ListOffsetsAfterMilli(ctx, millis, topics...)
		})
		if err != nil {
			return nil, err
		}
		for p, v := range found {
			// Without a record that late the client answers with the end.
			if v < 0 || v >= end[p] {
				if name == "starting" && !s.onMissingTimestampToLates {
					e := condition.Newf(condition.InvalidOption, "No record of %s has a time stamp of %d ms or later.", p, millis)
					e.Hint = "Give an earlier time, or set startingOffsetsByTimestampStrategy to latest."
					return nil, e
				}
				v = end[p]
			}
			out[p] = v
		}
	}
	return out, nil
}

// covers checks that an option names the partitions that there are, no more and no fewer, as Spark does.
func covers(given offsets, parts []partition, option string) error {
	have := map[partition]bool{}
	var missing, unknown []string
	for _, p := range parts {
		have[p] = true
		if _, ok := given[p]; !ok {
			missing = append(missing, p.String())
		}
	}
	for _, p := range given.sorted() {
		if !have[p] {
			unknown = append(unknown, p.String())
		}
	}
	if len(missing)+len(unknown) == 0 {
		return nil
	}
	sort.Strings(missing)
	e := condition.Newf(condition.InvalidOption, "The option %s must name every partition that is read, and no other: missing [%s], unknown [%s].", option, strings.Join(missing, ", "), strings.Join(unknown, ", "))
	e.Hint = "Use -1 for the latest offset and -2 for the earliest."
	return e
}

// Initial implements [connector.Source].
func (s *source) Initial(ctx context.Context) (connector.Offset, error) {
	parts, err := s.partitions(ctx)
	if err != nil {
		return nil, err
	}
	o, err := s.resolve(ctx, s.starting, parts, "starting")
	if err != nil {
		return nil, err
	}
	if s.starting.specific != nil {
		low, err := s.starts(ctx, parts)
		if err != nil {
			return nil, err
		}
		for _, p := range o.sorted() {
			if o[p] < low[p] {
				if err := s.loss("START_OFFSET_RESET", "The option startingOffsets asks for %s from offset %d on, and the topic begins at %d.", p, o[p], low[p]); err != nil {
					return nil, err
				}
				o[p] = low[p]
			}
		}
	}
	return o.json(), nil
}

// loss is what becomes of rows that are gone: an error, or nil where the user lets them go.
func (s *source) loss(class, format string, args ...any) error {
	s.lossSeen = true
	if !s.failOnDataLoss {
		return nil
	}
	e := condition.Newf(condition.KafkaDataLoss+"."+class, format, args...)
	e.Hint = "The rows were removed by the topic's retention, or the topic was made anew. Set failOnDataLoss to false to go on without them."
	return e
}

// PrepareAvailableNow implements [connector.AvailableNow].
func (s *source) PrepareAvailableNow(ctx context.Context) error {
	parts, err := s.partitions(ctx)
	if err != nil {
		return err
	}
	end, err := s.ends(ctx, parts)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.fixed = end
	s.mu.Unlock()
	return nil
}

// Latest implements [connector.Source].
func (s *source) Latest(ctx context.Context, start connector.Offset, all bool) (connector.Offset, error) {
	from, err := position(start)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	end := s.fixed
	s.mu.Unlock()
	if end == nil {
		parts, err := s.partitions(ctx)
		if err != nil {
			return nil, err
		}
		if s.env.Streaming {
			end, err = s.ends(ctx, parts)
		} else {
			end, err = s.resolve(ctx, s.ending, parts, "ending")
		}
		if err != nil {
			return nil, err
		}
	}
	// Partitions that came since the last epoch are read from their beginning.
	var added []partition
	for _, p := range end.sorted() {
		if _, ok := from[p]; !ok {
			added = append(added, p)
		}
	}
	low, err := s.starts(ctx, added)
	if err != nil {
		return nil, err
	}
	begin := make(offsets, len(from)+len(low))
	for p, v := range from {
		begin[p] = v
	}
	for p, v := range low {
		begin[p] = v
	}
	for _, p := range from.sorted() {
		e, ok := end[p]
		switch {
		case !ok:
			if err := s.loss("PARTITIONS_DELETED", "The partition %s is gone; it was read up to offset %d.", p, from[p]); err != nil {
				return nil, err
			}
		case e < from[p]:
			if err := s.loss("PARTITION_OFFSET_CHANGED", "The end of %s went back from offset %d to %d.", p, from[p], e); err != nil {
				return nil, err
			}
		}
	}
	now := s.env.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last.IsZero() {
		s.last = now
	}
	var fresh int64
	for p, e := range end {
		fresh += max(0, e-begin[p])
	}
	chosen := end
	if !all && s.env.Streaming {
		if s.minOffsets > 0 && fresh < s.minOffsets && now.Sub(s.last) < s.maxDelay {
			return start, nil
		}
		if s.maxOffsets > 0 {
			chosen = limit(begin, end, s.maxOffsets)
		}
	}
	s.last = now
	s.latest = end
	clear(s.behind)
	for p, e := range end {
		s.behind[p] = e - chosen[p]
	}
	return chosen.json(), nil
}

// Commit implements [connector.Source]. Positions are in the checkpoint, so the brokers need not know them.
func (s *source) Commit(context.Context, connector.Offset) error { return nil }

// Metrics implements [connector.Source]: Spark's, and the lag in whole.
func (s *source) Metrics() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]string{}
	if s.latest == nil {
		return out
	}
	out["latestOffset"] = string(s.latest.json())
	if len(s.behind) == 0 {
		return out
	}
	var sum int64
	low, high := int64(1<<62), int64(0)
	for _, n := range s.behind {
		sum += n
		low, high = min(low, n), max(high, n)
	}
	out["minOffsetsBehindLatest"], out["maxOffsetsBehindLatest"] = strconv.FormatInt(low, 10), strconv.FormatInt(high, 10)
	out["avgOffsetsBehindLatest"] = strconv.FormatFloat(float64(sum)/float64(len(s.behind)), 'f', -1, 64)
	out["offsetsBehindLatest"] = strconv.FormatInt(sum, 10)
	return out
}

// Description implements [connector.Source].
func (s *source) Description() string { return "KafkaV2[" + s.what + "]" }

// Close implements [connector.Source].
func (s *source) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.client.Close()
	}
	return nil
}

// fillers append one field of a record to its column.
var fillers = map[string]func(c *column.Column, r *kgo.Record){
	"key":       func(c *column.Column, r *kgo.Record) { appendBytes(c, r.Key) },
	"value":     func(c *column.Column, r *kgo.Record) { appendBytes(c, r.Value) },
	"topic":     func(c *column.Column, r *kgo.Record) { c.AppendString(r.Topic) },
	"partition": func(c *column.Column, r *kgo.Record) { c.AppendInt(int64(r.Partition)) },
	"offset":    func(c *column.Column, r *kgo.Record) { c.AppendInt(r.Offset) },
	"timestamp": func(c *column.Column, r *kgo.Record) { c.AppendInt(r.Timestamp.UnixMilli() * 1000) },
	"timestamptype": func(c *column.Column, r *kgo.Record) {
		c.AppendInt(int64(r.Attrs.TimestampType()))
	},
	"headers": func(c *column.Column, r *kgo.Record) {
		// Spark gives null, not an empty array, to a record without headers.
		if len(r.Headers) == 0 {
			c.AppendNull()
			return
		}
		entry := c.Children[0]
		for _, h := range r.Headers {
			entry.Children[0].AppendString(h.Key)
			appendBytes(entry.Children[1], h.Value)
			entry.AppendStruct()
		}
		c.AppendList()
	},
}

// appendBytes keeps nil apart from empty: a record without a value is a tombstone, and its value is null.
func appendBytes(c *column.Column, v []byte) {
	if v == nil {
		c.AppendNull()
	} else {
		c.AppendBytes(v)
	}
}

// chunk collects the rows of one partition.
type chunk struct {
	cols []*column.Column // nil for a field that is not read
	rows int
	size int
}

// maxChunkBytes cuts a batch of large messages before it has all its rows.
const maxChunkBytes = 64 << 20

func (s *source) chunk(wanted []bool) (*chunk, error) {
	c := &chunk{cols: make([]*column.Column, len(s.fields))}
	for i, f := range s.fields {
		if !wanted[i] {
			continue
		}
		col, err := column.New(f.Type)
		if err != nil {
			return nil, err
		}
		c.cols[i] = col
	}
	return c, nil
}

func (s *source) add(c *chunk, r *kgo.Record) {
	for i, col := range c.cols {
		if col != nil {
			fillers[datatype.FoldName(s.fields[i].Name)](col, r)
		}
	}
	c.rows++
	c.size += len(r.Key) + len(r.Value)
}

func (s *source) batch(c *chunk) (arrow.RecordBatch, error) {
	cols := make([]arrow.Array, len(c.cols))
	defer func() {
		for _, a := range cols {
			if a != nil {
				a.Release()
			}
		}
	}()
	for i, col := range c.cols {
		if col == nil {
			cols[i] = array.MakeArrayOfNull(memory.DefaultAllocator, s.schema.Field(i).Type, c.rows)
			continue
		}
		a, err := col.Finish()
		if err != nil {
			return nil, condition.Newf(condition.Unsupported, "Kafka: %v.", err)
		}
		cols[i] = a
	}
	n := c.rows
	c.rows, c.size = 0, 0
	return array.NewRecordBatch(s.schema, cols, int64(n)), nil
}
