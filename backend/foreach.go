package backend

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/internal/absent"
)

// CallBatch calls a function of ForeachBatch with a batch, for at most so long where within is above 0. An error of the function, and a panic, is FOREACH_BATCH_USER_FUNCTION_ERROR, which
// names the batch and has the function's error as its cause; where ctx has ended it is that of ctx. Sessions call it.
func CallBatch(ctx context.Context, f expr.BatchFunc, batch expr.Table, id int64, within time.Duration) error {
	if absent.Is(ctx) {
		return condition.At(absent.Context(ctx), condition.Here(1))
	}
	if f == nil {
		e := condition.Newf(condition.InvalidValue, "The function of ForeachBatch is nil.")
		e.Pos, e.Hint = condition.Here(1), "Use connectors.ForeachBatch."
		return e
	}
	limited := ctx
	if within > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, within)
		defer cancel()
	}
	err := call(func() error { return f(called(limited), batch, id) })
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	e := condition.Newf(condition.ForeachBatchFailed, "The function of ForeachBatch failed with batch %d: %v.", id, err)
	e.Operator, e.Cause = "ForeachBatch", err
	e.Hint = "The batch comes again under the same number when the query is started again."
	var p *panicked
	switch {
	case errors.As(err, &p):
		e.Message = fmt.Sprintf("The function of ForeachBatch panicked with batch %d: %v.", id, p.value)
		e.Parameters = map[string]string{"stackTrace": p.stack}
	case limited.Err() != nil:
		e.Message = fmt.Sprintf("The function of ForeachBatch did not end with batch %d within %v.", id, within)
		e.Hint = "Give it more time with Within, or less to do with smaller batches. " + e.Hint
		e.Cause = errors.Join(context.DeadlineExceeded, err)
	}
	return e
}

// panicked is a panic of a user's function.
type panicked struct {
	value any
	stack string
}

// Error implements error.
func (p *panicked) Error() string { return fmt.Sprint("panic: ", p.value) }

// Unwrap gives the error that was panicked with.
func (p *panicked) Unwrap() error {
	err, _ := p.value.(error)
	return err
}

// call calls what is the user's: a panic becomes an error.
func call(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicked{p, string(debug.Stack())}
		}
	}()
	return f()
}

// called marks a context as one of a user's function.
func called(ctx context.Context) context.Context { return context.WithValue(ctx, inBatch{}, true) }

// inBatch marks the contexts of functions of ForeachBatch and of writers of Foreach.
type inBatch struct{}

// callName is the name of the function that all functions of ForeachBatch and writers of Foreach are called by.
var callName = runtime.FuncForPC(reflect.ValueOf(call).Pointer()).Name()

// InBatch tells whether it is called within a function of ForeachBatch or a writer of Foreach: on its goroutine, or under its context, which other goroutines may have. Whoever waits there for the function's end
// waits for itself. Sessions call it, where a query is stopped and where a session is closed; the latter has no context, so the calls of the goroutine are looked through.
func InBatch(ctx context.Context) bool {
	if !absent.Is(ctx) && ctx.Value(inBatch{}) != nil {
		return true
	}
	pcs := make([]uintptr, 64)
	for skip := 1; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs)
		if n == 0 {
			return false
		}
		frames := runtime.CallersFrames(pcs[:n])
		for more := true; more; {
			var f runtime.Frame
			f, more = frames.Next()
			if f.Function == callName {
				return true
			}
		}
	}
}
