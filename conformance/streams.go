package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/window"
)

// event is a row of the streaming cases' input.
type event struct {
	ID   int64    `json:"id"`
	At   string   `json:"at,omitempty"`
	K    string   `json:"k,omitempty"`
	V    any      `json:"v,omitempty"`
	Tags []string `json:"tags,omitempty"`
}

const eventSchema = "id BIGINT, at TIMESTAMP, k STRING, v DECIMAL(10,2), tags ARRAY<STRING>"

// epochs are the input, an epoch a list: out of order, with late rows, nulls, and an epoch that only moves the watermark.
var epochs = [][]event{
	{{1, "2024-01-01T10:00:05Z", "a", 1.5, []string{"x", "y"}}, {2, "2024-01-01T10:00:35Z", "b", 2, nil}, {3, "2024-01-01T10:00:59Z", "a", 0.25, []string{}}, {4, "", "a", 9, nil}},
	{{5, "2024-01-01T10:01:10Z", "a", 3, nil}, {6, "2024-01-01T10:00:40Z", "b", 4, []string{"z"}}, {7, "2024-01-01T10:02:30Z", "", 5, nil}},
	{{8, "2024-01-01T10:00:20Z", "a", 100, nil}, {9, "2024-01-01T10:01:20Z", "a", 6, []string{"x"}}, {10, "2024-01-01T10:03:00Z", "b", nil, nil}, {11, "2024-01-01T10:03:00Z", "b", 7, nil}},
	{{12, "2024-01-01T10:09:00Z", "c", 8, nil}},
	{{13, "2024-01-01T10:01:00Z", "c", 100, nil}, {14, "2024-01-01T10:09:30Z", "c", 1, []string{"w", "w"}}, {15, "2024-01-01T10:12:00Z", "a", 2, nil}},
}

// StreamFiles writes the input below folder: events/, an epoch a file, its right side other/, and labels.json, a table to look up.
func StreamFiles(folder string) error {
	written := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	file := func(path string, rows []event) error {
		var b strings.Builder
		for _, r := range rows {
			text, err := json.Marshal(r)
			if err != nil {
				return err
			}
			b.Write(append(text, '\n'))
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			return err
		}
		written = written.Add(time.Minute)
		return os.Chtimes(path, written, written)
	}
	for i, rows := range epochs {
		if err := file(filepath.Join(folder, "events", fmt.Sprintf("%02d.json", i)), rows); err != nil {
			return err
		}
		// The other side has every second row, some seconds later.
		var other []event
		for _, r := range rows {
			if r.ID%2 == 0 && r.At != "" {
				t, err := time.Parse(time.RFC3339, r.At)
				if err != nil {
					return err
				}
				r.At = t.Add(10 * time.Second).Format(time.RFC3339)
				other = append(other, r)
			}
		}
		if err := file(filepath.Join(folder, "other", fmt.Sprintf("%02d.json", i)), other); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(folder, "labels.json"), []byte(`{"k":"a","label":"Alpha"}`+"\n"+`{"k":"b","label":"Beta"}`+"\n"+`{"k":"b","label":"Bravo"}`+"\n"), 0o644)
}

// StreamCase is a streaming query: what it writes, in which mode.
type StreamCase struct {
	Name  string
	Mode  expr.OutputMode
	Table func(in StreamInput) expr.Table
}

// StreamInput are the tables of a streaming case.
type StreamInput struct{ Events, Other, Labels expr.Table }

// Input gives the tables over the files below folder.
func Input(folder string) StreamInput {
	read := func(name string) expr.Table {
		return expr.Read(name, connectors.FromJSON(filepath.Join(folder, name), connectors.RowsDDL(eventSchema), connectors.MaxFilesPerTrigger(1)))
	}
	return StreamInput{read("events"), read("other"), expr.Static("labels", connectors.FromJSON(filepath.Join(folder, "labels.json"), connectors.RowsDDL("k STRING, label STRING")))}
}

// asBatch is the name under which the answer of a streaming case as a batch is recorded.
func asBatch(name string) string { return name + ", as a batch" }

// Streams are the streaming cases. Each runs as a stream and as a batch, on both backends.
func Streams() []StreamCase {
	const delay = 30 * time.Second
	minute := func(t expr.Table) expr.WindowValue { return window.Tumbling(t.Timestamp("at"), time.Minute) }
	return append([]StreamCase{
		{"select and filter", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events
			return e.Filter(e.Num("v").Gt(2)).Select("id", e.Str("k").Upper().As("k"))
		}},
		{"unnest", expr.Append, func(in StreamInput) expr.Table { return in.Events.Unnest("tags").Select("id", "tags") }},
		{"tumbling window", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			return e.GroupBy(minute(e), "k").Agg(expr.Count().As("n"), e.Num("v").Sum().As("total"))
		}},
		{"sliding window", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			return e.GroupBy(window.Sliding(e.Timestamp("at"), time.Minute, 20*time.Second, 5*time.Second)).Agg(expr.Count().As("n"), e.Num("v").Mean().As("mean"))
		}},
		{"tumbling window in update mode", expr.Update, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			return e.GroupBy(minute(e)).Agg(expr.Count().As("n"), e.Num("v").Max().As("most"))
		}},
		{"group in update mode", expr.Update, func(in StreamInput) expr.Table {
			return in.Events.GroupBy("k").Agg(expr.Count().As("n"), in.Events.Num("v").Min().As("least"))
		}},
		{"aggregate of all in update mode", expr.Update, func(in StreamInput) expr.Table {
			return in.Events.Agg(expr.Count().As("n"), in.Events.Num("v").Sum().As("s"))
		}},
		{"group in complete mode", expr.Complete, func(in StreamInput) expr.Table {
			return in.Events.GroupBy("k").Agg(expr.Count().As("n"), in.Events.Num("v").Sum().As("total")).OrderBy("k")
		}},
		{"window in complete mode", expr.Complete, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			return e.GroupBy(minute(e)).Agg(expr.Count().As("n"))
		}},
		{"key with event time", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			return e.GroupBy("at", "k").Agg(expr.Count().As("n"))
		}},
		{"distinct", expr.Append, func(in StreamInput) expr.Table { return in.Events.Watermark("at", delay).Select("at", "k").Distinct() }},
		{"stream with static", expr.Append, func(in StreamInput) expr.Table { return in.Events.Join(in.Labels, "k").Select("id", "k", "label") }},
		{"left with static", expr.Append, func(in StreamInput) expr.Table { return in.Events.LeftJoin(in.Labels, "k").Select("id", "label") }},
		{"static join then window", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay).Join(in.Labels, "k")
			return e.GroupBy(minute(e), "label").Agg(expr.Count().As("n"))
		}},
		{"static side aggregated", expr.Append, func(in StreamInput) expr.Table {
			l := in.Labels.GroupBy("k").Agg(expr.Count().As("labels"))
			return in.Events.Join(l, "k").Select("id", "k", "labels")
		}},
		{"static side distinct and limited", expr.Append, func(in StreamInput) expr.Table {
			l := in.Labels.Select("k").Distinct()
			return in.Events.Join(l.OrderBy("k").Limit(1), "k").Select("id", "k")
		}},
		{"static side aggregated in update mode", expr.Update, func(in StreamInput) expr.Table {
			l := in.Labels.Agg(expr.Count().As("labels")).Mutate(expr.Lit("a").As("k"))
			j := in.Events.Join(l, "k")
			return j.GroupBy("labels").Agg(expr.Count().As("n"))
		}},
		{"union of event time", expr.Append, func(in StreamInput) expr.Table {
			u := in.Events.Watermark("at", delay).Select("at", "v").Union(in.Other.Watermark("at", delay).Select("at", "v"))
			return u.GroupBy(minute(u)).Agg(expr.Count().As("n"), u.Num("v").Sum().As("s"))
		}},
		{"union", expr.Append, func(in StreamInput) expr.Table { return in.Events.Select("id", "k").Union(in.Other.Select("id", "k")) }},
		{"limit", expr.Append, func(in StreamInput) expr.Table { return in.Events.Select("k").Filter(expr.Str("k").Eq("a")).Limit(3) }},
		{"windows chained", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			w := e.GroupBy(minute(e), "k").Agg(e.Num("v").Sum().As("total"))
			return w.GroupBy(window.Tumbling(w.Window("window").Time(), 5*time.Minute)).Agg(w.Num("total").Max().As("most"), expr.Count().As("n"))
		}},
		{"projection over a window", expr.Append, func(in StreamInput) expr.Table {
			e := in.Events.Watermark("at", delay)
			w := e.GroupBy(minute(e)).Agg(expr.Count().As("n"))
			return w.Filter(w.Num("n").Gt(1)).Select(w.Window("window").Start().As("from"), functions.Concat("n=", w.Num("n")).As("text"))
		}},
		{"inner join of streams", expr.Append, func(in StreamInput) expr.Table {
			l, r := in.Events.Watermark("at", delay), in.Other.Watermark("at", delay)
			return l.Join(r, l.Str("k").Eq(r.Str("k")), r.Timestamp("at").Ge(l.Timestamp("at")), r.Timestamp("at").Le(l.Timestamp("at").Add(20*time.Second))).Select(l.Num("id"), r.Num("id").As("other"))
		}},
		{"left join of streams", expr.Append, func(in StreamInput) expr.Table {
			l, r := in.Events.Watermark("at", delay), in.Other.Watermark("at", delay)
			return l.LeftJoin(r, l.Str("k").Eq(r.Str("k")), r.Timestamp("at").Ge(l.Timestamp("at")), r.Timestamp("at").Le(l.Timestamp("at").Add(20*time.Second))).Select(l.Num("id"), r.Num("id").As("other"))
		}},
	}, append(joinStreams(), append(shapeStreams(), windowStreams()...)...)...)
}

// AskStream runs a write until everything was handled, and gives the rows that result reads back. The error of the query is an answer.
func AskStream(ctx context.Context, s backend.Session, w expr.Write, result func() (expr.Table, error), ordered bool) (Answer, error) {
	q, err := s.Start(ctx, w.Trigger(expr.AvailableNow()))
	if err != nil {
		return failure(err)
	}
	if err := q.AwaitTermination(ctx); err != nil {
		return failure(err)
	}
	t, err := result()
	if err != nil {
		return Answer{}, err
	}
	a, err := collect(ctx, s, t)
	if err != nil {
		return Answer{}, err
	}
	if !ordered {
		slices.SortFunc(a.Rows, compareRows)
	}
	// What a sink keeps says nothing of nullability.
	return a.withoutNullability(), nil
}

// errNoRows is returned by result functions whose sink never got an epoch.
var errNoRows = errors.New("the sink holds no epoch")
