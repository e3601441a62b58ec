// Package absent tells what users leave out: nil, and the nil pointers and functions that an interface hides.
package absent

import (
	"context"
	"reflect"

	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// Is tells whether x is nil, or an interface over nil.
func Is(x any) bool {
	switch v := reflect.ValueOf(x); v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Chan, reflect.Interface:
		return v.IsNil()
	default:
		return false
	}
}

// Context gives the error of a context that is nil or has ended.
func Context(ctx context.Context) error {
	if err := NoContext(ctx); err != nil {
		return err
	}
	return ctx.Err()
}

// NoContext gives the error of a context that is nil, for calls that find later that theirs has ended.
func NoContext(ctx context.Context) error {
	if !Is(ctx) {
		return nil
	}
	e := condition.Newf(condition.InvalidValue, "The context is nil.")
	e.Hint = "Pass context.Background(), or the context that bounds the call."
	return e
}

// Opened gives the error of a session that was not opened by the function open.
func Opened(open string) error {
	e := condition.Newf(condition.InvalidValue, "The session was never opened: it is nil, or the zero value of its type.")
	e.Hint = "Make it with " + open + "."
	return e
}
