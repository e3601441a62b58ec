package file

import (
	"context"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/backend/local/fault"
)

// unit is one piece of the input. What is emitted is taken over: it is run on some goroutine, or given up where the reader has gone, and either once.
type unit struct {
	run func() ([]arrow.RecordBatch, error)
	// drop, which may be nil, gives back what the unit holds when it is not run.
	drop func()
}

func (u unit) giveUp() {
	if u.drop != nil {
		u.drop()
	}
}

// job is a unit on its way through the workers.
type job struct {
	unit
	rows []arrow.RecordBatch
	err  error
	done chan struct{}
}

// scan runs the units that produce emits on as many goroutines as parallel says and gives their batches in the order of the units.
// emit is false when the reader has gone. However the loop over the batches ends, no goroutine stays and no batch leaks.
func scan(ctx context.Context, parallel int, produce func(ctx context.Context, emit func(unit) bool) error) connector.Batches {
	return func(yield func(arrow.RecordBatch, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if parallel <= 1 {
			scanHere(ctx, produce, yield)
			return
		}
		// queue keeps the order, work feeds the workers. Both are short: what is decoded ahead of the reader is memory.
		queue, work := make(chan *job, 2*parallel), make(chan *job, 2*parallel)
		var group sync.WaitGroup
		for range parallel {
			group.Add(1)
			go func() {
				defer group.Done()
				for j := range work {
					if ctx.Err() == nil {
						j.rows, j.err = fault.Get(j.run)
					} else {
						j.giveUp()
					}
					close(j.done)
				}
			}()
		}
		var failed error
		group.Add(1)
		go func() {
			defer group.Done()
			defer close(queue)
			defer close(work)
			failed = fault.Do(func() error {
				return produce(ctx, func(u unit) bool {
					j := &job{unit: u, done: make(chan struct{})}
					select {
					case work <- j:
					case <-ctx.Done():
						u.giveUp()
						return false
					}
					// The job is with a worker now, so it must reach the reader, who takes the queue to its end.
					queue <- j
					return ctx.Err() == nil
				})
			})
		}()
		// For a reader that panics: after any other end there is nothing left.
		defer func() {
			cancel()
			for j := range queue {
				<-j.done
				for _, b := range j.rows {
					b.Release()
				}
			}
			group.Wait()
		}()
		open := true
		for j := range queue {
			<-j.done
			for _, b := range j.rows {
				if open && ctx.Err() == nil {
					if !yield(b, nil) {
						open = false
						cancel()
					}
				} else {
					b.Release()
				}
			}
			if j.err != nil && open {
				open = false
				cancel()
				yield(nil, j.err)
			}
		}
		group.Wait()
		if open && failed != nil {
			yield(nil, failed)
		} else if open && ctx.Err() != nil {
			yield(nil, context.Cause(ctx))
		}
	}
}

func scanHere(ctx context.Context, produce func(ctx context.Context, emit func(unit) bool) error, yield func(arrow.RecordBatch, error) bool) {
	open := true
	err := produce(ctx, func(u unit) bool {
		if ctx.Err() != nil {
			u.giveUp()
			return false
		}
		rows, err := u.run()
		for _, b := range rows {
			if !open {
				b.Release()
			} else if !yield(b, nil) {
				open = false
			}
		}
		if err != nil && open {
			open = false
			yield(nil, err)
		}
		return open
	})
	if open && err == nil {
		err = ctx.Err()
	}
	if open && err != nil {
		yield(nil, err)
	}
}
