package client

import (
	"context"
	"encoding/json"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/expr/condition"

	pb "github.com/spoonbill-go/spoonbill/backend/sparkconnect/internal/connectpb"
)

// awaitSlice is how long one call of AwaitTermination waits on the server. The server holds a thread meanwhile.
const awaitSlice = 5 * time.Second

// StreamingQuery is the handle of a query on the server.
type StreamingQuery struct {
	c     *Client
	id    *pb.StreamingQueryInstanceId
	name  string
	event string
}

var _ backend.Query = (*StreamingQuery)(nil)

// Start starts a streaming query. The context bounds the start alone: when it ends before the server has answered, the start
// is interrupted.
func (c *Client) Start(ctx context.Context, start *pb.WriteStreamOperationStart) (*StreamingQuery, error) {
	var q *StreamingQuery
	// The result may follow reports of progress, so every response is looked at.
	err := c.command(ctx, &pb.Command{CommandType: &pb.Command_WriteStreamOperationStart{WriteStreamOperationStart: start}}, true, func(r *pb.ExecutePlanResponse) error {
		if s := r.GetWriteStreamOperationStartResult(); s != nil {
			q = &StreamingQuery{c: c, id: s.QueryId, name: s.Name, event: s.GetQueryStartedEventJson()}
		}
		return nil
	})
	if q != nil {
		// The query runs, whatever became of the rest of the response: its handle is not lost.
		return q, nil
	}
	if err == nil {
		err = c.missing("the start of a streaming query")
	}
	return nil, err
}

func (c *Client) missing(what string) error {
	return condition.Newf(condition.ServerError, "the server at %s gave no answer to %s.", c.remote.Address(), what)
}

// ID implements [backend.Query].
func (q *StreamingQuery) ID() string { return q.id.GetId() }

// RunID implements [backend.Query].
func (q *StreamingQuery) RunID() string { return q.id.GetRunId() }

// Name implements [backend.Query].
func (q *StreamingQuery) Name() string { return q.name }

// StartedEvent is the JSON of Spark's QueryStartedEvent, which a listener is not sent: the server gives it with the start's answer. It is ""
// where the session has no listener, and for a query that was found rather than started.
func (q *StreamingQuery) StartedEvent() string { return q.event }

func (q *StreamingQuery) ask(ctx context.Context, cmd *pb.StreamingQueryCommand, long bool) (*pb.StreamingQueryCommandResult, error) {
	cmd.QueryId = q.id
	var result *pb.StreamingQueryCommandResult
	err := q.c.command(ctx, &pb.Command{CommandType: &pb.Command_StreamingQueryCommand{StreamingQueryCommand: cmd}}, long, func(r *pb.ExecutePlanResponse) error {
		if s := r.GetStreamingQueryCommandResult(); s != nil {
			result = s
		}
		return nil
	})
	return result, err
}

func (q *StreamingQuery) status(ctx context.Context) (*pb.StreamingQueryCommandResult_StatusResult, error) {
	r, err := q.ask(ctx, &pb.StreamingQueryCommand{Command: &pb.StreamingQueryCommand_Status{Status: true}}, false)
	if err != nil {
		return nil, err
	}
	if r.GetStatus() == nil {
		return nil, q.c.missing("the status of a query")
	}
	return r.GetStatus(), nil
}

// IsActive implements [backend.Query].
func (q *StreamingQuery) IsActive(ctx context.Context) (bool, error) {
	s, err := q.status(ctx)
	return s.GetIsActive(), err
}

// Status implements [backend.Query].
func (q *StreamingQuery) Status(ctx context.Context) (backend.Status, error) {
	s, err := q.status(ctx)
	if err != nil {
		return backend.Status{}, err
	}
	return backend.Status{Message: s.StatusMessage, IsDataAvailable: s.IsDataAvailable, IsTriggerActive: s.IsTriggerActive}, nil
}

func (q *StreamingQuery) progress(ctx context.Context, cmd *pb.StreamingQueryCommand) ([]backend.Progress, error) {
	r, err := q.ask(ctx, cmd, false)
	if err != nil {
		return nil, err
	}
	texts := r.GetRecentProgress().GetRecentProgressJson()
	out := make([]backend.Progress, len(texts))
	for i, text := range texts {
		if err := json.Unmarshal([]byte(text), &out[i]); err != nil {
			return nil, condition.Newf(condition.ServerError, "a progress report of the server cannot be read: %v", err)
		}
	}
	return out, nil
}

// LastProgress implements [backend.Query].
func (q *StreamingQuery) LastProgress(ctx context.Context) (*backend.Progress, error) {
	all, err := q.progress(ctx, &pb.StreamingQueryCommand{Command: &pb.StreamingQueryCommand_LastProgress{LastProgress: true}})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[len(all)-1], nil
}

// RecentProgress implements [backend.Query].
func (q *StreamingQuery) RecentProgress(ctx context.Context) ([]backend.Progress, error) {
	return q.progress(ctx, &pb.StreamingQueryCommand{Command: &pb.StreamingQueryCommand_RecentProgress{RecentProgress: true}})
}

// Exception implements [backend.Query].
func (q *StreamingQuery) Exception(ctx context.Context) (*condition.Error, error) {
	r, err := q.ask(ctx, &pb.StreamingQueryCommand{Command: &pb.StreamingQueryCommand_Exception{Exception: true}}, false)
	if err != nil {
		return nil, err
	}
	x := r.GetException()
	if x == nil || x.ExceptionMessage == nil {
		return nil, nil
	}
	return q.c.conditionOf(x.GetErrorClass(), "", x.GetExceptionMessage(), "", nil), nil
}

// AwaitTermination implements [backend.Query].
func (q *StreamingQuery) AwaitTermination(ctx context.Context) error {
	for {
		r, err := q.ask(ctx, &pb.StreamingQueryCommand{Command: &pb.StreamingQueryCommand_AwaitTermination{
			AwaitTermination: &pb.StreamingQueryCommand_AwaitTerminationCommand{TimeoutMs: proto.Int64(awaitSlice.Milliseconds())},
		}}, false)
		if err != nil || r.GetAwaitTermination().GetTerminated() {
			return err
		}
		if r.GetAwaitTermination() == nil {
			return q.c.missing("the wait for a query")
		}
	}
}

// ProcessAllAvailable implements [backend.Query].
func (q *StreamingQuery) ProcessAllAvailable(ctx context.Context) error {
	_, err := q.ask(ctx, &pb.StreamingQueryCommand{Command: &pb.StreamingQueryCommand_ProcessAllAvailable{ProcessAllAvailable: true}}, true)
	return err
}

// Stop implements [backend.Query].
func (q *StreamingQuery) Stop(ctx context.Context) error {
	_, err := q.ask(ctx, &pb.StreamingQueryCommand{Command: &pb.StreamingQueryCommand_Stop{Stop: true}}, true)
	return err
}

func (c *Client) manage(ctx context.Context, cmd *pb.StreamingQueryManagerCommand) (*pb.StreamingQueryManagerCommandResult, error) {
	var result *pb.StreamingQueryManagerCommandResult
	err := c.command(ctx, &pb.Command{CommandType: &pb.Command_StreamingQueryManagerCommand{StreamingQueryManagerCommand: cmd}}, false, func(r *pb.ExecutePlanResponse) error {
		if s := r.GetStreamingQueryManagerCommandResult(); s != nil {
			result = s
		}
		return nil
	})
	return result, err
}

// Active gives the running queries of the session.
func (c *Client) Active(ctx context.Context) ([]*StreamingQuery, error) {
	r, err := c.manage(ctx, &pb.StreamingQueryManagerCommand{Command: &pb.StreamingQueryManagerCommand_Active{Active: true}})
	if err != nil {
		return nil, err
	}
	var out []*StreamingQuery
	for _, i := range r.GetActive().GetActiveQueries() {
		out = append(out, &StreamingQuery{c: c, id: i.Id, name: i.GetName()})
	}
	return out, nil
}

// Find gives the running query of the session with the id, or nil where there is none.
func (c *Client) Find(ctx context.Context, id string) (*StreamingQuery, error) {
	r, err := c.manage(ctx, &pb.StreamingQueryManagerCommand{Command: &pb.StreamingQueryManagerCommand_GetQuery{GetQuery: id}})
	if err != nil || r.GetQuery() == nil {
		return nil, err
	}
	return &StreamingQuery{c: c, id: r.GetQuery().Id, name: r.GetQuery().GetName()}, nil
}

// AwaitAny waits until any query of the session has ended, those included that ended since the session began or since
// [Client.ResetTerminated]. It gives the failure of one that failed.
func (c *Client) AwaitAny(ctx context.Context) error {
	for {
		r, err := c.manage(ctx, &pb.StreamingQueryManagerCommand{Command: &pb.StreamingQueryManagerCommand_AwaitAnyTermination{
			AwaitAnyTermination: &pb.StreamingQueryManagerCommand_AwaitAnyTerminationCommand{TimeoutMs: proto.Int64(awaitSlice.Milliseconds())},
		}})
		if err != nil || r.GetAwaitAnyTermination().GetTerminated() {
			return err
		}
		if r.GetAwaitAnyTermination() == nil {
			return c.missing("the wait for any query")
		}
	}
}

// ResetTerminated forgets the queries that have ended.
func (c *Client) ResetTerminated(ctx context.Context) error {
	_, err := c.manage(ctx, &pb.StreamingQueryManagerCommand{Command: &pb.StreamingQueryManagerCommand_ResetTerminated{ResetTerminated: true}})
	return err
}

// Listen gives the events of all streaming queries of the session until the context ends or see gives an error, which Listen returns; added is called once
// the server has begun to report. The server sends the events of a session to one listener, so a session has one, and whoever
// wants more fans out.
func (c *Client) Listen(ctx context.Context, added func(), see func(backend.Event) error) error {
	return c.listen(ctx, added, func(kind backend.EventKind, text string) error {
		event, err := backend.ParseEvent(kind, []byte(text))
		if err != nil {
			return condition.Newf(condition.ServerError, "an event of the server cannot be read: %v", err)
		}
		return see(event)
	})
}

func (c *Client) listen(ctx context.Context, added func(), see func(kind backend.EventKind, text string) error) error {
	cmd := &pb.StreamingQueryListenerBusCommand{Command: &pb.StreamingQueryListenerBusCommand_AddListenerBusListener{AddListenerBusListener: true}}
	return c.command(ctx, &pb.Command{CommandType: &pb.Command_StreamingQueryListenerBusCommand{StreamingQueryListenerBusCommand: cmd}}, true, func(r *pb.ExecutePlanResponse) error {
		events := r.GetStreamingQueryListenerEventsResult()
		if events.GetListenerBusListenerAdded() && added != nil {
			added()
		}
		for _, e := range events.GetEvents() {
			if err := see(eventKinds[e.EventType], e.EventJson); err != nil {
				return err
			}
		}
		return nil
	})
}

var eventKinds = map[pb.StreamingQueryEventType]backend.EventKind{
	pb.StreamingQueryEventType_QUERY_PROGRESS_EVENT: backend.Progressed, pb.StreamingQueryEventType_QUERY_TERMINATED_EVENT: backend.Terminated,
	pb.StreamingQueryEventType_QUERY_IDLE_EVENT: backend.Idle,
}

// Unlisten ends the session's listener; its Listen returns nil.
func (c *Client) Unlisten(ctx context.Context) error {
	cmd := &pb.StreamingQueryListenerBusCommand{Command: &pb.StreamingQueryListenerBusCommand_RemoveListenerBusListener{RemoveListenerBusListener: true}}
	return c.command(ctx, &pb.Command{CommandType: &pb.Command_StreamingQueryListenerBusCommand{StreamingQueryListenerBusCommand: cmd}}, false, nil)
}
