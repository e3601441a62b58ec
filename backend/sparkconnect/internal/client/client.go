// Package client speaks Spark Connect: one session on one gRPC connection.
//
// Results are streams of Arrow batches, never whole tables. An operation whose context ends is interrupted on the server. Every
// failure is a [condition.Error] with the server's whole message, or the context's own error.
package client

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/internal/absent"

	pb "github.com/spoonbill-go/spoonbill/backend/sparkconnect/internal/connectpb"
)

// Setting is one entry of a session's configuration.
type Setting struct{ Key, Value string }

// Options of [Connect].
type Options struct {
	// Settings are set in this order when the session begins, after Spoonbill's own.
	Settings []Setting
	// Allocator is where Arrow batches live; nil is Go's heap.
	Allocator memory.Allocator
	// Dial are further options of the connection.
	Dial []grpc.DialOption
}

// Client is a session on a server. Its methods may be called from many goroutines.
type Client struct {
	remote  *Remote
	conn    *grpc.ClientConn
	session string
	version string
	alloc   memory.Allocator

	// serverSession is the id that the server gave the session. It is sent with each later request, so that a restarted server
	// says SESSION_CHANGED, instead of answering from an empty session of the same name.
	serverSession atomic.Pointer[string]

	closing sync.Once
	closed  atomic.Bool
	closeBy error
}

// variableSubstitution is off in every session: Spark would else put a variable's value in the place of ${…} within a literal.
var variableSubstitution = Setting{"spark.sql.variable.substitute", "false"}

// Connect opens a session: it reaches the server, asks for its version and sets the settings.
func Connect(ctx context.Context, remote *Remote, o Options) (*Client, error) {
	conn, err := remote.build(o.Dial...)
	if err != nil {
		return nil, err
	}
	c := &Client{remote: remote, conn: conn, session: remote.session, alloc: o.Allocator}
	if c.alloc == nil {
		c.alloc = memory.DefaultAllocator
	}
	resp, err := c.analyze(ctx, &pb.AnalyzePlanRequest{Analyze: &pb.AnalyzePlanRequest_SparkVersion_{SparkVersion: &pb.AnalyzePlanRequest_SparkVersion{}}})
	if err == nil {
		c.version = resp.GetSparkVersion().GetVersion()
		err = c.SetConfig(ctx, append([]Setting{variableSubstitution}, o.Settings...)...)
	}
	if err != nil {
		// A half-made session is not left on the server.
		_ = c.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return c, nil
}

// Version is the server's Spark version, such as "4.2.0".
func (c *Client) Version() string { return c.version }

// SessionID is the UUID of the session.
func (c *Client) SessionID() string { return c.session }

// Remote tells where the server is.
func (c *Client) Remote() *Remote { return c.remote }

// Hide takes values, such as a connector's passwords, out of every error from now on.
func (c *Client) Hide(secrets ...string) { c.remote.Hide(secrets...) }

// Conn is the connection, for a client of another kind in the same session (same user, same session id).
func (c *Client) Conn() grpc.ClientConnInterface { return c.conn }

// String gives address and session, and no secret.
func (c *Client) String() string { return fmt.Sprintf("%s, session %s", c.remote, c.session) }

func (c *Client) userContext() *pb.UserContext {
	return &pb.UserContext{UserId: c.remote.user, UserName: c.remote.user}
}

func (c *Client) clientType() *string { return proto.String(c.remote.UserAgent()) }

func (c *Client) observed() *string { return c.serverSession.Load() }

func (c *Client) observe(id string) {
	if id != "" && c.serverSession.Load() == nil {
		c.serverSession.CompareAndSwap(nil, &id)
	}
}

// open refuses a call without a context, and one on a closed session, without asking the server.
func (c *Client) open(ctx context.Context) error {
	if err := absent.NoContext(ctx); err != nil {
		return condition.At(err, condition.Here(1))
	}
	if c.closed.Load() {
		return condition.Newf(condition.Closed, "the session on %s is closed.", c.remote.Address())
	}
	return nil
}

// Close releases the session on the server, which ends its running operations, and closes the connection. A second call does
// nothing and gives the first one's error. The server stops the session's streaming queries too.
func (c *Client) Close(ctx context.Context) error {
	c.closing.Do(func() {
		c.closed.Store(true)
		ctx, cancel := context.WithTimeout(ctx, detailsTimeout)
		defer cancel()
		c.closeBy = c.release(ctx)
		if err := c.conn.Close(); err != nil && c.closeBy == nil {
			c.closeBy = err
		}
	})
	return c.closeBy
}

// release ends the server's session. A server that is just about to begin an operation of the session says that it is in an illegal state; it has
// interrupted the operation then, and is asked again.
func (c *Client) release(ctx context.Context) error {
	for attempt := 1; ; attempt++ {
		err := c.failure(ctx, c.conn.Invoke(ctx, pb.MethodReleaseSession, &pb.ReleaseSessionRequest{
			SessionId: c.session, UserContext: c.userContext(), ClientType: c.clientType(),
		}, &pb.ReleaseSessionResponse{}))
		switch of := condition.Of(err); {
		case attempt > 1 && strings.HasPrefix(of, "INVALID_HANDLE.SESSION_"):
			return nil // the attempt before did it after all
		case attempt == 5 || !strings.HasPrefix(of, "SPARK_CONNECT_ILLEGAL_STATE"):
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(attempt) * 100 * time.Millisecond):
		}
	}
}

// invoke makes a call that may be made twice. One that a broken connection took is made again, with the pauses of an execution; but not the first of a session, whose
// server may be none.
func (c *Client) invoke(ctx context.Context, method string, req, resp proto.Message) error {
	for pause, failures := firstPause, 0; ; failures++ {
		err := c.conn.Invoke(ctx, method, req, resp)
		if err == nil || c.observed() == nil || failures == maxRetries || !retryable(err) || !sleep(ctx, pause) {
			return err
		}
		pause = min(2*pause, longestWait)
	}
}

func (c *Client) analyze(ctx context.Context, req *pb.AnalyzePlanRequest) (*pb.AnalyzePlanResponse, error) {
	if err := c.open(ctx); err != nil {
		return nil, err
	}
	req.SessionId, req.UserContext, req.ClientType = c.session, c.userContext(), c.clientType()
	req.ClientObservedServerSideSessionId = c.observed()
	resp := &pb.AnalyzePlanResponse{}
	if err := c.invoke(ctx, pb.MethodAnalyzePlan, req, resp); err != nil {
		return nil, c.failure(ctx, err)
	}
	c.observe(resp.ServerSideSessionId)
	return resp, nil
}

func planOf(rel *pb.Relation) *pb.Plan { return &pb.Plan{OpType: &pb.Plan_Root{Root: rel}} }

// Schema gives the columns of a relation, with nullability.
func (c *Client) Schema(ctx context.Context, rel *pb.Relation) ([]datatype.Field, error) {
	resp, err := c.analyze(ctx, &pb.AnalyzePlanRequest{Analyze: &pb.AnalyzePlanRequest_Schema_{Schema: &pb.AnalyzePlanRequest_Schema{Plan: planOf(rel)}}})
	if err != nil {
		return nil, err
	}
	return FieldsOf(resp.GetSchema().GetSchema())
}

// ParseDDL lets the server read a type or a table schema.
func (c *Client) ParseDDL(ctx context.Context, ddl string) (datatype.Type, error) {
	resp, err := c.analyze(ctx, &pb.AnalyzePlanRequest{Analyze: &pb.AnalyzePlanRequest_DdlParse{DdlParse: &pb.AnalyzePlanRequest_DDLParse{DdlString: ddl}}})
	if err != nil {
		return nil, err
	}
	return TypeOf(resp.GetDdlParse().GetParsed())
}

// TreeString gives the server's printSchema of a relation.
func (c *Client) TreeString(ctx context.Context, rel *pb.Relation) (string, error) {
	resp, err := c.analyze(ctx, &pb.AnalyzePlanRequest{Analyze: &pb.AnalyzePlanRequest_TreeString_{TreeString: &pb.AnalyzePlanRequest_TreeString{Plan: planOf(rel)}}})
	if err != nil {
		return "", err
	}
	return resp.GetTreeString().GetTreeString(), nil
}

// IsStreaming tells whether a relation reads a stream.
func (c *Client) IsStreaming(ctx context.Context, rel *pb.Relation) (bool, error) {
	resp, err := c.analyze(ctx, &pb.AnalyzePlanRequest{Analyze: &pb.AnalyzePlanRequest_IsStreaming_{IsStreaming: &pb.AnalyzePlanRequest_IsStreaming{Plan: planOf(rel)}}})
	if err != nil {
		return false, err
	}
	return resp.GetIsStreaming().GetIsStreaming(), nil
}

func (c *Client) config(ctx context.Context, op *pb.ConfigRequest_Operation) (*pb.ConfigResponse, error) {
	if err := c.open(ctx); err != nil {
		return nil, err
	}
	resp := &pb.ConfigResponse{}
	err := c.invoke(ctx, pb.MethodConfig, &pb.ConfigRequest{
		SessionId: c.session, UserContext: c.userContext(), ClientType: c.clientType(), ClientObservedServerSideSessionId: c.observed(), Operation: op,
	}, resp)
	if err != nil {
		return nil, c.failure(ctx, err)
	}
	c.observe(resp.ServerSideSessionId)
	return resp, nil
}

// SetConfig sets entries of the session's configuration, all or none.
func (c *Client) SetConfig(ctx context.Context, settings ...Setting) error {
	pairs := make([]*pb.KeyValue, len(settings))
	for i, s := range settings {
		pairs[i] = &pb.KeyValue{Key: s.Key, Value: proto.String(s.Value)}
	}
	_, err := c.config(ctx, &pb.ConfigRequest_Operation{OpType: &pb.ConfigRequest_Operation_Set{Set: &pb.ConfigRequest_Set{Pairs: pairs}}})
	return err
}

// Config gives the value of an entry; ok is false where it is not set and has no default.
func (c *Client) Config(ctx context.Context, key string) (value string, ok bool, err error) {
	resp, err := c.config(ctx, &pb.ConfigRequest_Operation{OpType: &pb.ConfigRequest_Operation_GetOption{GetOption: &pb.ConfigRequest_GetOption{Keys: []string{key}}}})
	if err != nil {
		return "", false, err
	}
	for _, p := range resp.Pairs {
		if p.Key == key && p.Value != nil {
			return p.GetValue(), true, nil
		}
	}
	return "", false, nil
}

// UnsetConfig gives entries back to the server's defaults.
func (c *Client) UnsetConfig(ctx context.Context, keys ...string) error {
	_, err := c.config(ctx, &pb.ConfigRequest_Operation{OpType: &pb.ConfigRequest_Operation_Unset{Unset: &pb.ConfigRequest_Unset{Keys: keys}}})
	return err
}

// interrupt stops one operation of the session, or all with an empty id, and gives the ids of those that were running.
func (c *Client) interrupt(ctx context.Context, operation string) ([]string, error) {
	req := &pb.InterruptRequest{
		SessionId: c.session, UserContext: c.userContext(), ClientType: c.clientType(), InterruptType: pb.InterruptRequest_INTERRUPT_TYPE_ALL,
	}
	if operation != "" {
		req.InterruptType = pb.InterruptRequest_INTERRUPT_TYPE_OPERATION_ID
		req.Interrupt = &pb.InterruptRequest_OperationId{OperationId: operation}
	}
	resp := &pb.InterruptResponse{}
	if err := c.invoke(ctx, pb.MethodInterrupt, req, resp); err != nil {
		return nil, err
	}
	return resp.InterruptedIds, nil
}

// InterruptAll stops every running operation of the session and gives their ids. Spark counts a streaming query as an operation, under the id of
// the call that started it, and ends it too.
func (c *Client) InterruptAll(ctx context.Context) ([]string, error) {
	if err := c.open(ctx); err != nil {
		return nil, err
	}
	ids, err := c.interrupt(ctx, "")
	return ids, c.failure(ctx, err)
}
