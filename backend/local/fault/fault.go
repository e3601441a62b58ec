// Package fault turns a panic inside the engine or a connector into an error of the query that it happened in, so that the user's process
// and its other queries go on. Every goroutine of the engine has a guard: one that has none takes the process down.
package fault

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// Catch, deferred, puts INTERNAL_ERROR into err when the function panics.
func Catch(err *error) {
	if p := recover(); p != nil {
		*err = internal(p)
	}
}

// Do calls f and gives its error, or its panic as one.
func Do(f func() error) (err error) {
	defer Catch(&err)
	return f()
}

// Get is [Do] for a function with a result.
func Get[T any](f func() (T, error)) (out T, err error) {
	defer Catch(&err)
	return f()
}

// internal is the condition of a panic. It is called by a deferred function, so the stack still holds the place.
func internal(p any) error {
	e := condition.Newf(condition.InternalError, "The engine or a connector broke at %s: %v.", place(), p)
	e.Hint = "This is a fault of the program, not of the query: please report it, with the stack, which is the error's parameter stackTrace."
	e.Parameters = map[string]string{"stackTrace": string(debug.Stack())}
	if cause, ok := p.(error); ok {
		e.Cause = cause
	}
	return e
}

// place is the innermost frame of the panic outside the runtime.
func place() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	panicked := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicked = true
		case panicked && !strings.HasPrefix(f.Function, "runtime."):
			return fmt.Sprintf("%s:%d", f.File[strings.LastIndexByte(f.File, '/')+1:], f.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}
