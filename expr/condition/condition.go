// Package condition is the one error type of Spoonbill: a named condition with the place in the user's file, the rule that
// was broken and the way out. Expressions, the compiler and both backends give it.
//
// Names are Spark's own error conditions (such as UNRESOLVED_COLUMN.WITH_SUGGESTION) with their SQLSTATE; where Spark has
// none the name is ours and stands in [Ours].
package condition

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// Error is a condition that a user can act on. Find it with [errors.As]; a list of them is what [errors.Join] gives.
type Error struct {
	// Condition is Spark's name of the error condition, with its subclass: DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE.
	Condition string
	// SQLState is the five-character class of the SQL standard; empty where Spark gives none.
	SQLState string
	// Message says what is wrong, in one or two sentences.
	Message string
	// Operator is the operator or function that refuses, as the user wrote it; empty where none is at fault.
	Operator string
	// Rule says which rule was broken, for errors of the streaming analysis.
	Rule string
	// Hint is the way out.
	Hint string
	// Pos is where in the user's program the value was made.
	Pos Pos
	// Parameters are the message parameters that a Spark server sent.
	Parameters map[string]string
	// Cause is the error underneath, or nil.
	Cause error
}

// Error implements error: "file.go:12: CONDITION: message (operator …; rule …). Hint".
func (e *Error) Error() string {
	var b strings.Builder
	if p := e.Pos.String(); p != "" {
		b.WriteString(p)
		b.WriteString(": ")
	}
	b.WriteString("[")
	b.WriteString(e.Condition)
	b.WriteString("] ")
	b.WriteString(e.Message)
	if e.Operator != "" {
		b.WriteString(" Operator: " + e.Operator + ".")
	}
	if e.Rule != "" {
		b.WriteString(" Rule: " + e.Rule + ".")
	}
	if e.Hint != "" {
		b.WriteString(" " + e.Hint)
	}
	if e.SQLState != "" {
		b.WriteString(" SQLSTATE: " + e.SQLState)
	}
	// A message that tells the cause already, as Spark's STREAM_FAILED does, is not followed by it once more.
	if e.Cause != nil {
		if cause := e.Cause.Error(); !strings.Contains(e.Message, cause) {
			b.WriteString(": " + cause)
		}
	}
	return b.String()
}

// Unwrap gives the cause to [errors.Is] and [errors.As].
func (e *Error) Unwrap() error { return e.Cause }

// Is makes two errors the same for [errors.Is] when the target names a condition and it is equal or a prefix class:
// errors.Is(err, &condition.Error{Condition: "DATATYPE_MISMATCH"}) finds every subclass.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Message == "" && (t.Condition == e.Condition || strings.HasPrefix(e.Condition, t.Condition+"."))
}

// At gives an [Error] that has no place yet the place pos. Any other error stays as it is.
func At(err error, pos Pos) error {
	// Not errors.As: what an error is about is known to its outermost layer alone.
	e, ok := err.(*Error)
	if !ok || !e.Pos.IsZero() {
		return err
	}
	c := *e
	c.Pos = pos
	return &c
}

// Of gives the condition name of the first [Error] in err's chain, or "".
func Of(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Condition
	}
	return ""
}

// Newf makes an error of a condition with a formatted message. The SQLSTATE is filled in from the table of known conditions.
func Newf(name, format string, args ...any) *Error {
	return &Error{Condition: name, SQLState: StateOf(name), Message: fmt.Sprintf(format, args...)}
}

// Pos is a place in a Go program, kept as program counters and resolved only when printed.
type Pos struct{ pcs [8]uintptr }

// Here gives the place of the caller, skip frames above the one that calls Here. It costs well under a microsecond.
func Here(skip int) Pos {
	var p Pos
	runtime.Callers(skip+2, p.pcs[:])
	return p
}

// IsZero tells whether the place is unknown.
func (p Pos) IsZero() bool { return p.pcs[0] == 0 }

// libraryPrefix is the import path whose frames are not the user's.
const libraryPrefix = "github.com/spoonbill-go/spoonbill/"

// userVisible are packages below libraryPrefix whose code is a user's in every respect.
var userVisible = []string{"examples/", "cmd/", "conformance", "bench"}

// Frame gives file and line of the innermost frame that is not Spoonbill's own, so that an error names the user's line and
// not a helper's. Tests of Spoonbill's packages count as users.
func (p Pos) Frame() (file string, line int) {
	if p.IsZero() {
		return "", 0
	}
	n := 0
	for n < len(p.pcs) && p.pcs[n] != 0 {
		n++
	}
	frames := runtime.CallersFrames(p.pcs[:n])
	for {
		f, more := frames.Next()
		if f.File != "" && !internalFrame(f) {
			return f.File, f.Line
		}
		if !more {
			return f.File, f.Line
		}
	}
}

func internalFrame(f runtime.Frame) bool {
	rest, ok := strings.CutPrefix(f.Function, libraryPrefix)
	if !ok || strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	for _, u := range userVisible {
		if strings.HasPrefix(rest, u) {
			return false
		}
	}
	return true
}

// String gives "file.go:12" with the last folder of the path, or "" where the place is unknown.
func (p Pos) String() string {
	file, line := p.Frame()
	if file == "" {
		return ""
	}
	if i := strings.LastIndexByte(file, '/'); i > 0 {
		if j := strings.LastIndexByte(file[:i], '/'); j >= 0 {
			file = file[j+1:]
		}
	}
	return fmt.Sprintf("%s:%d", file, line)
}
