package dashboard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/observe"
)

// analyzeWait is how long a plan waits for the epoch that it tells of; answerWait is how long anything else that asks a session takes.
const (
	analyzeWait = 3 * time.Second
	answerWait  = 20 * time.Second
)

type server struct {
	m *observe.Monitor
	o Options
}

// The JSON of the page. Times are milliseconds since 1970, 0 for none; numbers that are not known are null.
type (
	queriesJSON struct {
		Now      int64          `json:"now"`
		ReadOnly bool           `json:"readOnly"`
		Health   observe.Health `json:"health"`
		Queries  []queryJSON    `json:"queries"`
	}
	queryJSON struct {
		Session    string     `json:"session"`
		ID         string     `json:"id"`
		RunID      string     `json:"runId"`
		Name       string     `json:"name"`
		Label      string     `json:"label"`
		Active     bool       `json:"active"`
		Started    int64      `json:"started"`
		Idle       int64      `json:"idle"`
		Ended      int64      `json:"ended"`
		Exception  string     `json:"exception"`
		ErrorClass string     `json:"errorClass"`
		Lints      []lintJSON `json:"lints"`
		InputRows  int64      `json:"inputRows"`
		LateRows   int64      `json:"lateRows"`
		Last       *pointJSON `json:"last"`
	}
	lintJSON struct {
		Code  string `json:"code"`
		Title string `json:"title"`
		What  string `json:"what"`
		Fix   string `json:"fix"`
		At    string `json:"at"`
	}
	pointJSON struct {
		Time          int64            `json:"time"`
		BatchID       int64            `json:"batchId"`
		InputRows     int64            `json:"inputRows"`
		OutputRows    *int64           `json:"outputRows"`
		InputRate     *float64         `json:"inputRate"`
		ProcessedRate *float64         `json:"processedRate"`
		Duration      int64            `json:"duration"`
		Phases        map[string]int64 `json:"phases"`
		Watermark     int64            `json:"watermark"`
		StateRows     int64            `json:"stateRows"`
		StateBytes    int64            `json:"stateBytes"`
		LateRows      int64            `json:"lateRows"`
		Behind        *int64           `json:"behind"`
	}
	detailJSON struct {
		Now    int64             `json:"now"`
		Query  queryJSON         `json:"query"`
		Status *backend.Status   `json:"status"`
		Latest *backend.Progress `json:"latest"`
		// Behind is how far each source of Latest is behind.
		Behind  []*int64    `json:"behind"`
		History []pointJSON `json:"history"`
	}
	planJSON struct {
		Sections []sectionJSON `json:"sections"`
	}
	sectionJSON struct {
		Title string        `json:"title"`
		Note  string        `json:"note"`
		Text  string        `json:"text"`
		Root  *operatorJSON `json:"root"`
	}
	operatorJSON struct {
		Text    string          `json:"text"`
		Lines   []string        `json:"lines"`
		Metrics []string        `json:"metrics"`
		Inputs  []*operatorJSON `json:"inputs"`
	}
	errorJSON struct {
		Error string `json:"error"`
	}
)

func (s *server) queries(w http.ResponseWriter, _ *http.Request) {
	out := queriesJSON{Now: time.Now().UnixMilli(), ReadOnly: s.o.ReadOnly, Health: s.m.Health(), Queries: []queryJSON{}}
	for _, q := range s.m.Queries() {
		out.Queries = append(out.Queries, queryOf(q))
	}
	answer(w, http.StatusOK, out)
}

func (s *server) query(w http.ResponseWriter, r *http.Request) {
	q, history, ok := s.m.Query(r.PathValue("run"))
	if !ok {
		answer(w, http.StatusNotFound, errorJSON{"The monitor knows no query with this run id."})
		return
	}
	out := detailJSON{Now: time.Now().UnixMilli(), Query: queryOf(q), Latest: q.Latest, History: make([]pointJSON, len(history))}
	for i, p := range history {
		out.History[i] = pointOf(p)
	}
	if q.Latest != nil {
		for _, s := range q.Latest.Sources {
			n, ok := observe.Behind(s)
			if !ok {
				n = -1
			}
			out.Behind = append(out.Behind, known(n))
		}
	}
	if q.Active() {
		ctx, cancel := context.WithTimeout(r.Context(), answerWait)
		defer cancel()
		// A query may end meanwhile; the page then has no status and hears of the end the next time.
		if status, err := s.m.Status(ctx, q.RunID); err == nil {
			out.Status = &status
		}
	}
	answer(w, http.StatusOK, out)
}

func (s *server) plan(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), answerWait)
	defer cancel()
	var within time.Duration
	if r.URL.Query().Get("analyze") == "true" {
		within = analyzeWait
	}
	e, err := s.m.Explain(ctx, r.PathValue("run"), within)
	if err != nil {
		fail(w, err)
		return
	}
	answer(w, http.StatusOK, planOf(e))
}

func (s *server) stop(w http.ResponseWriter, r *http.Request) {
	if s.o.ReadOnly {
		answer(w, http.StatusForbidden, errorJSON{"The dashboard is read-only."})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), answerWait)
	defer cancel()
	if err := s.m.Stop(ctx, r.PathValue("run")); err != nil {
		fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *server) health(w http.ResponseWriter, full bool) {
	h := s.m.Health()
	code := http.StatusOK
	if !h.OK {
		code = http.StatusServiceUnavailable
	}
	if !full {
		answer(w, code, struct {
			OK bool `json:"ok"`
		}{h.OK})
		return
	}
	answer(w, code, h)
}

// fail answers with an error of a session.
func fail(w http.ResponseWriter, err error) {
	code := http.StatusBadGateway
	var e *condition.Error
	if errors.As(err, &e) && (e.Condition == condition.Closed || e.Condition == condition.InvalidValue) {
		code = http.StatusConflict
	} else if errors.Is(err, context.DeadlineExceeded) {
		code = http.StatusGatewayTimeout
	}
	answer(w, code, errorJSON{err.Error()})
}

func answer(w http.ResponseWriter, code int, v any) {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(b.Bytes())
}

func queryOf(q observe.Query) queryJSON {
	out := queryJSON{
		Session: q.Session, ID: q.ID, RunID: q.RunID, Name: q.Name, Label: q.Label(), Active: q.Active(), Started: millis(q.Started), Idle: millis(q.Idle), Ended: millis(q.Ended),
		Exception: q.Exception, ErrorClass: q.ErrorClass, Lints: []lintJSON{}, InputRows: q.InputRows, LateRows: q.LateRows,
	}
	for _, f := range q.Lints {
		l := lintJSON{Code: f.Code, Title: f.Title, What: f.What, Fix: f.Fix}
		if !f.Pos.IsZero() {
			l.At = f.Pos.String()
		}
		out.Lints = append(out.Lints, l)
	}
	if q.Latest != nil {
		p := pointOf(observe.PointOf(*q.Latest))
		out.Last = &p
	}
	return out
}

func pointOf(p observe.Point) pointJSON {
	return pointJSON{
		Time: millis(p.Time), BatchID: p.BatchID, InputRows: p.InputRows, OutputRows: known(p.OutputRows), InputRate: finite(p.InputRate), ProcessedRate: finite(p.ProcessedRate),
		Duration: p.Duration, Phases: p.Phases, Watermark: millis(p.Watermark), StateRows: p.StateRows, StateBytes: p.StateBytes, LateRows: p.LateRows, Behind: known(p.Behind),
	}
}

func planOf(e backend.Explanation) planJSON {
	out := planJSON{Sections: []sectionJSON{}}
	// An operator that several read is written out once: a plan that shares at each level would double with each.
	seen := map[*backend.PlanOperator]bool{}
	var visit func(o *backend.PlanOperator) *operatorJSON
	visit = func(o *backend.PlanOperator) *operatorJSON {
		if o == nil {
			return nil
		}
		j := &operatorJSON{Text: o.Text, Lines: o.Lines}
		for _, m := range o.Metrics {
			j.Metrics = append(j.Metrics, m.String())
		}
		if seen[o] {
			j.Lines = append(j.Lines[:len(j.Lines):len(j.Lines)], "(the same as above)")
			return j
		}
		seen[o] = true
		for _, in := range o.Inputs {
			j.Inputs = append(j.Inputs, visit(in))
		}
		return j
	}
	for _, s := range e.Sections {
		clear(seen)
		out.Sections = append(out.Sections, sectionJSON{Title: s.Title, Note: s.Note, Text: s.Text, Root: visit(s.Root)})
	}
	return out
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func known(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}

func finite(f float64) *float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}
