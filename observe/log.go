package observe

import (
	"context"
	"log/slog"

	"github.com/spoonbill-go/spoonbill/backend"
)

// log tells the logger of an event.
func (m *Monitor) log(session string, e backend.Event) {
	l := m.o.Logger
	if l == nil {
		return
	}
	level, message := slog.LevelDebug, "streaming query is idle"
	attrs := []slog.Attr{slog.String("session", session), slog.String("id", e.ID), slog.String("run_id", e.RunID)}
	if e.Name != "" {
		attrs = append(attrs, slog.String("query", e.Name))
	}
	switch e.Kind {
	case backend.Started:
		level, message = slog.LevelInfo, "streaming query started"
		for _, f := range e.Lints {
			attrs = append(attrs, slog.String("lint_"+f.Code, f.What))
		}
	case backend.Progressed:
		message = "streaming query made progress"
		if p := e.Progress; p != nil {
			n := PointOf(*p)
			attrs = append(attrs, slog.Int64("batch", n.BatchID), slog.Int64("input_rows", n.InputRows), slog.Int64("output_rows", n.OutputRows),
				slog.Int64("duration_ms", n.Duration), slog.Int64("state_rows", n.StateRows), slog.Int64("late_rows", n.LateRows))
			if !n.Watermark.IsZero() {
				attrs = append(attrs, slog.Time("watermark", n.Watermark))
			}
			if n.Behind >= 0 {
				attrs = append(attrs, slog.Int64("behind", n.Behind))
			}
		}
	case backend.Terminated:
		level, message = slog.LevelInfo, "streaming query ended"
		if e.Exception != "" {
			level, message = slog.LevelError, "streaming query failed"
			attrs = append(attrs, slog.String("error", e.Exception), slog.String("condition", e.ErrorClass))
		}
	case backend.Idle:
	default:
		return
	}
	l.LogAttrs(context.Background(), level, message, attrs...)
}
