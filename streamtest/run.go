package streamtest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Run runs a script on each target, in a subtest of its own where there are several, and fails the test when a step does not give what it wants. The failure names the step's line, what is different, and
// the timeline of the run. Without a target it is [Local].
func Run(t *testing.T, script func(s *Script), targets ...Target) {
	t.Helper()
	if len(targets) == 0 {
		targets = []Target{Local()}
	}
	for _, target := range targets {
		if len(targets) == 1 {
			check(t, target, script)
			continue
		}
		name := "nil"
		if target != nil {
			name = target.String()
		}
		t.Run(name, func(t *testing.T) { check(t, target, script) })
	}
}

func check(t *testing.T, target Target, script func(s *Script)) {
	t.Helper()
	if msg := verdict(t.Context(), target, script); msg != "" {
		t.Fatal(msg)
	}
}

// verdict is what is wrong with a run, or "".
func verdict(ctx context.Context, target Target, script func(s *Script)) (msg string) {
	s, stop, err := begin(ctx, target)
	if err != nil {
		return err.Error()
	}
	defer func() {
		if err := stop(); err != nil && msg == "" {
			msg = err.Error()
		}
	}()
	script(s)
	tl, err := s.play(ctx, target)
	if err != nil {
		return err.Error()
	}
	var wrong []string
	for i, st := range s.steps {
		wrong = append(wrong, st.differ(ctx, fmt.Sprintf("step %d", i+1), tl.Epochs[i:i+1])...)
	}
	if s.end != nil {
		wrong = append(wrong, s.end.differ(ctx, "end", tl.Epochs[len(s.steps):])...)
	}
	if len(wrong) == 0 {
		return ""
	}
	return strings.Join(wrong, "\n") + "\n" + tl.String()
}

// differ tells what is not as the step wants it. Where several epochs ran, the rows and late rows of all of them count, and what is behind the last one.
func (st *Step) differ(ctx context.Context, name string, epochs []Epoch) (out []string) {
	say := func(format string, args ...any) {
		out = append(out, fmt.Sprintf("%v: %s: ", st.at, name)+fmt.Sprintf(format, args...))
	}
	if len(epochs) == 0 {
		if len(st.rows) > 0 || st.watermark != nil || st.late != nil || st.state != nil {
			say("no epoch ran")
		}
		return out
	}
	last := epochs[len(epochs)-1]
	if st.wantRows {
		var got []string
		for _, e := range epochs {
			got = append(got, e.Rows...)
		}
		want, err := wanted(ctx, last.fields, st.rows)
		if err != nil {
			say("the wanted rows: %v", err)
		} else if d := cmp.Diff(append([]string{}, want...), append([]string{}, got...)); d != "" {
			say("rows (-want +got), columns %s:\n%s", strings.Join(last.Columns, " | "), d)
		}
	}
	if st.watermark != nil && !st.watermark.Equal(last.After) {
		say("the watermark is %s, want %s", instant(last.After), instant(*st.watermark))
	}
	late := int64(0)
	for _, e := range epochs {
		late += e.Late
	}
	if st.late != nil && *st.late != late {
		say("%d late rows, want %d", late, *st.late)
	}
	if st.state != nil && *st.state != last.State {
		say("%d rows in the state, want %d", last.State, *st.state)
	}
	return out
}
