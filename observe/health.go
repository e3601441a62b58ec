package observe

import (
	"fmt"
	"slices"
	"strings"
)

// Health is whether all is well, and what is not.
type Health struct {
	// OK: no session is lost, and every query whose last start failed runs again.
	OK bool `json:"ok"`
	// Active is how many queries run.
	Active int `json:"active"`
	// Problems are sentences, one for each thing that is wrong.
	Problems []string `json:"problems,omitempty"`
}

// Health tells whether all sessions are listened to and no query has failed without having been started again since. Queries that were stopped or were done are well.
func (m *Monitor) Health() Health {
	if m == nil {
		return Health{Problems: []string{"The monitor is nil."}}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var h Health
	for name, w := range m.sessions {
		if w.failure != nil {
			h.Problems = append(h.Problems, fmt.Sprintf("Session %s is not followed any more: %v", name, w.failure))
		}
	}
	// The latest start of each query counts: its id stays over restarts.
	type key struct{ session, id string }
	last := map[key]Query{}
	for _, r := range m.runs {
		if r.q.Active() {
			h.Active++
		}
		k := key{r.q.Session, r.q.ID}
		before, ok := last[k]
		if !ok || before.Ended.Before(r.q.Ended) && !before.Active() || r.q.Active() {
			last[k] = r.q
		}
	}
	for _, q := range last {
		if !q.Active() && q.Exception != "" {
			reason, _, _ := strings.Cut(q.Exception, "\n")
			h.Problems = append(h.Problems, fmt.Sprintf("Query %s failed: %s", q.Label(), reason))
		}
	}
	if m.closed {
		h.Problems = append(h.Problems, "The monitor is closed.")
	}
	slices.Sort(h.Problems)
	h.OK = len(h.Problems) == 0
	return h
}
