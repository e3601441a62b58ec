package backend

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/absent"
)

// closeGrace is how long Close may take behind the end of the context of the rows.
const closeGrace = 5 * time.Second

// FitsRows tells whether rows of these columns are what the writers of Foreach take, as [NewDecoder] does. Sessions call it before a query begins.
func FitsRows(w expr.AnyRowWriter, fields []datatype.Field) error {
	_, err := writerSetter(w, fields)
	return err
}

// writerSetter gives the function that copies a row into what a writer takes.
func writerSetter(w expr.AnyRowWriter, fields []datatype.Field) (setRow, error) {
	if w.New == nil || w.Row == nil {
		e := condition.Newf(condition.InvalidValue, "The sink has no writer for its rows.")
		e.Hint = "Use connectors.Foreach."
		return nil, e
	}
	return rowSetter(fields, w.Row)
}

// CallRows hands the rows of a partition of an epoch to a writer, for at most so long where within is above 0. An error of a method, and a panic, is FOREACH_USER_FUNCTION_ERROR, which names the
// method, the row, the partition and the epoch and has the method's error as its cause; where ctx has ended it is that of ctx. An error of the rows is given to Close and stays as it is. It gives how many rows
// there were; rows are not read where Open says so. Sessions call it.
func CallRows(ctx context.Context, w expr.AnyRowWriter, rows Result, partition, epoch int64, within time.Duration) (int64, error) {
	if absent.Is(ctx) {
		return 0, condition.At(absent.Context(ctx), condition.Here(1))
	}
	set, err := writerSetter(w, rows.Fields)
	if err != nil {
		return 0, err
	}
	limited := ctx
	if within > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, within)
		defer cancel()
	}
	c := rowCall{ctx: ctx, limited: called(limited), partition: partition, epoch: epoch, within: within}
	var (
		writer expr.RowWriter[any]
		wanted bool
	)
	if err := call(func() (err error) {
		if writer = w.New(); writer == nil {
			return errors.New("the function of Foreach made no writer")
		}
		wanted, err = writer.Open(c.limited, partition, epoch)
		return err
	}); err != nil {
		return 0, c.failed("Open", err)
	}
	var n int64
	if wanted {
		n, err = c.process(writer, w.Row, set, rows)
	}
	closing := c.limited
	if closing.Err() != nil {
		var cancel context.CancelFunc
		closing, cancel = context.WithTimeout(context.WithoutCancel(closing), closeGrace)
		defer cancel()
	}
	c.closing = true
	if e := call(func() error { return writer.Close(closing, err) }); e != nil {
		switch e = c.failed("Close", e); {
		case err == nil:
			err = e
		case !errors.Is(e, err): // a Close that gives the failure back has not failed
			err = join(err, e)
		}
	}
	return n, err
}

// join puts a second failure under the first one.
func join(first, second error) error {
	var e *condition.Error
	if !errors.As(first, &e) || first != error(e) {
		return errors.Join(first, second)
	}
	c := *e
	c.Cause = errors.Join(e.Cause, second)
	return &c
}

// rowCall is a partition of an epoch that a writer gets.
type rowCall struct {
	// ctx is the query's, and limited ends at the time limit too.
	ctx, limited     context.Context
	partition, epoch int64
	within           time.Duration
	// row is the number of the row that Process gets, from 0.
	row     int64
	closing bool
}

// process hands the rows to Process and gives their number.
func (c *rowCall) process(writer expr.RowWriter[any], t reflect.Type, set setRow, rows Result) (int64, error) {
	for batch, err := range rows.batches() {
		if err == nil {
			err = checkLayout(rows.Fields, batch.Schema())
		}
		if err != nil {
			if c.ctx.Err() != nil {
				err = context.Cause(c.ctx)
			}
			return c.row, err
		}
		for i := range int(batch.NumRows()) {
			if err := c.limited.Err(); err != nil {
				return c.row, c.failed("Process", err)
			}
			v := reflect.New(t)
			if err := set(batch, i, v.Elem()); err != nil {
				return c.row, inRow(err, c.row)
			}
			if err := call(func() error { return writer.Process(c.limited, v.Interface()) }); err != nil {
				return c.row, c.failed("Process", err)
			}
			c.row++
		}
	}
	return c.row, nil
}

// failed is the error for one of a method.
func (c *rowCall) failed(method string, err error) error {
	if c.ctx.Err() != nil && !c.closing {
		return context.Cause(c.ctx)
	}
	at := fmt.Sprintf("partition %d of epoch %d", c.partition, c.epoch)
	if method == "Process" {
		at = fmt.Sprintf("row %d of %s", c.row, at)
	}
	e := condition.Newf(condition.ForeachFailed, "%s of Foreach failed with %s: %v.", method, at, err)
	e.Operator, e.Cause = "Foreach", err
	e.Hint = "The epoch comes again under the same number when the query is started again."
	var p *panicked
	switch {
	case errors.As(err, &p):
		e.Message = fmt.Sprintf("%s of Foreach panicked with %s: %v.", method, at, p.value)
		e.Parameters = map[string]string{"stackTrace": p.stack}
	case c.limited.Err() != nil && errors.Is(err, context.DeadlineExceeded):
		e.Message = fmt.Sprintf("%s of Foreach did not end with %s within the %v that the epoch has.", method, at, c.within)
		e.Hint = "Give it more time with Within, or less to do with smaller epochs. " + e.Hint
		e.Cause = errors.Join(context.DeadlineExceeded, err)
	}
	return e
}
