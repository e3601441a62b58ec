package absent

import (
	"context"
	"errors"
	"testing"
)

func TestIs(t *testing.T) {
	var p *int
	var f func()
	var m map[string]int
	var err error
	for _, x := range []any{nil, p, f, m, err, (*error)(nil), (chan int)(nil)} {
		if !Is(x) {
			t.Errorf("%T is there", x)
		}
	}
	for _, x := range []any{0, "", struct{}{}, new(int), func() {}, map[string]int{}, errors.New("e"), []int(nil)} {
		if Is(x) {
			t.Errorf("%T is absent", x)
		}
	}
}

func TestContext(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Context(ended); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := Context(context.Background()); err != nil {
		t.Error(err)
	}
	if err := Context(nil); err == nil { //nolint:staticcheck // this is what it is for
		t.Error("no error")
	}
}
