package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"

	pb "github.com/spoonbill-go/spoonbill/backend/sparkconnect/internal/connectpb"
)

// Retries of a broken stream: 0.1 s, doubled up to 5 s, about half a minute in all.
const (
	maxRetries  = 10
	firstPause  = 100 * time.Millisecond
	longestWait = 5 * time.Second
)

// execution is one operation on the server and the stream of its responses.
//
// A reattachable execution outlives its stream: the server closes a stream after some minutes or a gigabyte, and a network may break
// it; the next stream goes on behind the last response that arrived. An operation is started a second time only when the server says
// that it never saw it and nothing of it has arrived: requests name the server's session, so a server that was
// restarted in between refuses the second start instead of running it without the session's views and settings.
//
// An execution that is not reattachable is a short question of what is, and is asked again where its answer did not arrive.
type execution struct {
	c            *Client
	ctx          context.Context
	cancel       context.CancelFunc
	request      *pb.ExecutePlanRequest
	reattachable bool

	stream   grpc.ClientStream
	last     string // id of the last response
	sent     bool
	resent   bool
	finished bool
	// started is set once the operation has begun what outlives it: a streaming query carries the tag of the operation that started it, and
	// to interrupt that operation would end the query.
	started bool
	// meter reports the server's progress; nil where nobody asked for it.
	meter *backend.WorkMeter
}

// execute prepares an operation; it starts with the first next. A caller must close it.
func (c *Client) execute(ctx context.Context, plan *pb.Plan, reattachable bool) (*execution, error) {
	if err := c.open(ctx); err != nil {
		return nil, err
	}
	x := &execution{c: c, reattachable: reattachable, request: &pb.ExecutePlanRequest{
		SessionId: c.session, UserContext: c.userContext(), ClientType: c.clientType(), ClientObservedServerSideSessionId: c.observed(),
		OperationId: proto.String(uuid.NewString()), Plan: plan,
	}}
	if reattachable {
		x.request.RequestOptions = append(x.request.RequestOptions, &pb.ExecutePlanRequest_RequestOption{
			RequestOption: &pb.ExecutePlanRequest_RequestOption_ReattachOptions{ReattachOptions: &pb.ReattachOptions{Reattachable: true}},
		})
	}
	if plan.GetRoot() != nil {
		// A row larger than a gRPC message arrives in pieces (Spark 4.1 and later).
		x.request.RequestOptions = append(x.request.RequestOptions, &pb.ExecutePlanRequest_RequestOption{
			RequestOption: &pb.ExecutePlanRequest_RequestOption_ResultChunkingOptions{ResultChunkingOptions: &pb.ResultChunkingOptions{AllowArrowBatchChunking: true}},
		})
	}
	x.ctx, x.cancel = context.WithCancel(ctx)
	x.meter = backend.NewWorkMeter(ctx)
	return x, nil
}

// report hands the server's progress on.
func (x *execution) report(p *pb.ExecutePlanResponse_ExecutionProgress) {
	w := backend.Work{Running: p.GetNumInflightTasks()}
	for _, s := range p.GetStages() {
		w.Tasks, w.Done, w.Bytes = w.Tasks+s.GetNumTasks(), w.Done+s.GetNumCompletedTasks(), w.Bytes+s.GetInputBytesRead()
	}
	x.meter.Set(w)
}

func (x *execution) connect() error {
	method, msg := pb.MethodExecutePlan, proto.Message(x.request)
	if x.sent {
		req := &pb.ReattachExecuteRequest{
			SessionId: x.request.SessionId, UserContext: x.request.UserContext, ClientType: x.request.ClientType,
			ClientObservedServerSideSessionId: x.request.ClientObservedServerSideSessionId, OperationId: x.request.GetOperationId(),
		}
		if x.last != "" {
			req.LastResponseId = proto.String(x.last)
		}
		method, msg = pb.MethodReattachExecute, req
	}
	x.sent = true
	stream, err := x.c.conn.NewStream(x.ctx, &grpc.StreamDesc{ServerStreams: true}, method)
	if err != nil {
		return err
	}
	// io.EOF here means that the stream has broken; RecvMsg tells why.
	if err := stream.SendMsg(msg); err != nil && err != io.EOF {
		return err
	}
	if err := stream.CloseSend(); err != nil && err != io.EOF {
		return err
	}
	x.stream = stream
	return nil
}

// next gives the next response, or io.EOF behind the last one. Any error ends the execution.
func (x *execution) next() (*pb.ExecutePlanResponse, error) {
	if x.finished {
		return nil, io.EOF
	}
	pause, failures := firstPause, 0
	for {
		var resp *pb.ExecutePlanResponse
		var err error
		if x.stream == nil {
			err = x.connect()
		}
		if err == nil {
			resp = &pb.ExecutePlanResponse{}
			err = x.stream.RecvMsg(resp)
		}
		awaitDeadline(x.ctx, err)
		switch {
		case err == nil:
			x.c.observe(resp.ServerSideSessionId)
			x.last = resp.ResponseId
			if p := resp.GetExecutionProgress(); p != nil && x.meter != nil {
				x.report(p)
			}
			if resp.GetResultComplete() != nil {
				x.finish(false)
				return nil, io.EOF
			}
			return resp, nil
		case errors.Is(err, io.EOF):
			x.stream = nil
			if !x.reattachable {
				x.finish(false)
				return nil, io.EOF
			}
			continue
		case x.ctx.Err() != nil:
			err = x.c.failure(x.ctx, err)
			x.finish(true)
			return nil, err
		case x.reattachable && x.last == "" && !x.resent && lost(err):
			x.stream, x.sent, x.resent = nil, false, true
			continue
		case retryable(err) && failures < maxRetries:
			failures++
			x.stream = nil
			if !x.reattachable {
				// A question, which may be asked twice, as another operation: the server may still be at the first.
				x.sent, x.last, x.request.OperationId = false, "", proto.String(uuid.NewString())
			}
			if !sleep(x.ctx, pause) {
				continue // the next connect reports the context's end
			}
			pause = min(2*pause, longestWait)
			continue
		}
		err = x.c.failure(x.ctx, err)
		x.finish(false)
		return nil, err
	}
}

// sleep waits and tells whether the context lived on.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// close ends an execution that was not read to its end: the server is told to stop working on it.
func (x *execution) close() { x.finish(true) }

// finish lets go of the stream and of what the server keeps for a reattach. Ending a stream does not end the operation on the
// server; only an interrupt does.
func (x *execution) finish(interrupt bool) {
	if x.finished {
		return
	}
	x.finished = true
	x.cancel()
	x.meter.End()
	if !x.sent || x.c.closed.Load() || interrupt && x.started {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(x.ctx), detailsTimeout)
	defer cancel()
	if interrupt {
		// Best effort: the user's error is the one that ended the execution.
		_, _ = x.c.interrupt(ctx, x.request.GetOperationId())
	}
	if x.reattachable {
		_ = x.c.conn.Invoke(ctx, pb.MethodReleaseExecute, &pb.ReleaseExecuteRequest{
			SessionId: x.c.session, UserContext: x.request.UserContext, ClientType: x.request.ClientType, OperationId: x.request.GetOperationId(),
			Release: &pb.ReleaseExecuteRequest_ReleaseAll_{ReleaseAll: &pb.ReleaseExecuteRequest_ReleaseAll{}},
		}, &pb.ReleaseExecuteResponse{})
	}
}

// command runs a command and gives each of its responses to see, which may be nil.
func (c *Client) command(ctx context.Context, cmd *pb.Command, reattachable bool, see func(*pb.ExecutePlanResponse) error) error {
	x, err := c.execute(ctx, &pb.Plan{OpType: &pb.Plan_Command{Command: cmd}}, reattachable)
	if err != nil {
		return err
	}
	defer x.close()
	for {
		resp, err := x.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		x.started = x.started || resp.GetWriteStreamOperationStartResult() != nil
		if see != nil {
			if err := see(resp); err != nil {
				return err
			}
		}
	}
}

// Command runs a command whose result carries nothing: a view, a batch write.
func (c *Client) Command(ctx context.Context, cmd *pb.Command) error {
	return c.command(ctx, cmd, true, nil)
}

// Result is a running query: its schema is known, its rows are read once, in order, by [Result.Batches].
type Result struct {
	fields []datatype.Field
	x      *execution
	rows   int64
	// metrics are those of the plan, which come behind the rows.
	metrics *pb.ExecutePlanResponse_Metrics
}

// Query starts a relation and returns when the server has told its schema, which is before the first row is computed. Read the batches or
// call Close, else the server works on. The context bounds the reading too.
func (c *Client) Query(ctx context.Context, rel *pb.Relation) (*Result, error) {
	x, err := c.execute(ctx, planOf(rel), true)
	if err != nil {
		return nil, err
	}
	for {
		resp, err := x.next()
		if err == nil && resp.Schema != nil {
			fields, err := FieldsOf(resp.Schema)
			if err != nil {
				x.close()
				return nil, err
			}
			return &Result{fields: fields, x: x}, nil
		}
		if err == nil && resp.GetArrowBatch() == nil {
			continue
		}
		if err == nil || err == io.EOF {
			err = condition.Newf(condition.ServerError, "the server at %s sent no schema before the result.", c.remote.Address())
		}
		x.close()
		return nil, err
	}
}

// Fields are the columns of the result with nullability.
func (r *Result) Fields() []datatype.Field { return r.fields }

// Close stops a result that was not read to its end, on the server too. It may be called at any time and again.
func (r *Result) Close() { r.x.close() }

// Batches gives the rows. A batch is the iterator's own: it is released when the loop goes on, and a caller that keeps it retains it.
// The first error is the last element. Leaving the loop early stops the query on the server.
func (r *Result) Batches() iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		defer r.x.close()
		var pieces []byte
		for {
			resp, err := r.x.next()
			if err == io.EOF {
				if pieces != nil {
					yield(nil, r.damaged("it ended within a batch"))
				}
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if m := resp.GetMetrics(); m != nil {
				r.metrics = m
			}
			b := resp.GetArrowBatch()
			if b == nil {
				continue
			}
			data := b.Data
			if n := b.GetNumChunksInBatch(); n > 1 {
				if b.GetChunkIndex() == 0 {
					pieces = nil
				}
				pieces = append(pieces, b.Data...)
				if b.GetChunkIndex() < n-1 {
					continue
				}
				data, pieces = pieces, nil
			}
			if b.StartOffset != nil && b.GetStartOffset() != r.rows {
				yield(nil, r.damaged(fmt.Sprintf("row %d was expected and row %d came", r.rows, b.GetStartOffset())))
				return
			}
			goOn, err := r.decode(data, b.RowCount, yield)
			if err != nil {
				yield(nil, err)
				return
			}
			if !goOn {
				return
			}
		}
	}
}

func (r *Result) damaged(what string) error {
	return condition.Newf(condition.ServerError, "the result from the server at %s is damaged: %s.", r.x.c.remote.Address(), what)
}

// decode yields every record batch within one message: a message may hold several.
func (r *Result) decode(data []byte, count int64, yield func(arrow.RecordBatch, error) bool) (goOn bool, err error) {
	rd, err := ipc.NewReader(bytes.NewReader(data), ipc.WithAllocator(r.x.c.alloc))
	if err != nil {
		return false, r.damaged("Arrow: " + err.Error())
	}
	defer rd.Release()
	var rows int64
	for rd.Next() {
		batch := rd.RecordBatch()
		rows += batch.NumRows()
		if !yield(batch, nil) {
			return false, nil
		}
	}
	if err := rd.Err(); err != nil && err != io.EOF {
		return false, r.damaged("Arrow: " + err.Error())
	}
	if rows != count {
		return false, r.damaged(fmt.Sprintf("a batch of %d rows was announced and %d came", count, rows))
	}
	r.rows += rows
	return true, nil
}
