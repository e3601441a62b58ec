package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"

	"github.com/apache/spark-connect-go/spark/sparkerrors"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "github.com/spoonbill-go/spoonbill/backend/sparkconnect/internal/connectpb"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// detailsTimeout bounds the calls that follow a failure: details, interrupt, release.
const detailsTimeout = 10 * time.Second

// serverAhead is how much earlier than this process the server may see a deadline pass.
const serverAhead = 500 * time.Millisecond

// awaitDeadline waits for the end of a context whose deadline the server saw first. gRPC sends the deadline along, and
// the reset of the stream by which the server answers may be here before the own timer fires.
func awaitDeadline(ctx context.Context, err error) {
	switch status.Code(err) {
	case codes.Canceled, codes.DeadlineExceeded:
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < serverAhead {
			<-ctx.Done()
		}
	}
}

// failure turns what a call gave into the error for the user: a context's error where the context ended, else a
// [condition.Error] with everything that the server knows. The status of gRPC is cut at 2048 characters and loses the
// condition's name of a long message, so the details are always fetched.
func (c *Client) failure(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	awaitDeadline(ctx, err)
	if ctx.Err() != nil {
		return fmt.Errorf("spark at %s: %w", c.remote.Address(), context.Cause(ctx))
	}
	var known *condition.Error
	if errors.As(err, &known) {
		return err
	}
	se := sparkerrors.FromRPCError(err)
	if se.ErrorId != "" {
		if full := c.details(ctx, se.ErrorId); full != nil {
			return full
		}
	}
	e := c.conditionOf(se.ErrorClass, se.SqlState, se.Message, se.Reason, se.Parameters)
	if se.ErrorClass == "" {
		switch se.Code {
		case codes.Unavailable:
			e = condition.Newf(condition.ServerUnavailable, "the Spark server at %s cannot be reached: %s", c.remote.Address(), c.remote.scrub(se.Message))
		case codes.Unauthenticated, codes.PermissionDenied:
			e = condition.Newf(condition.ServerUnavailable, "the Spark server at %s refused the caller %s: %s", c.remote.Address(), c.remote.user, c.remote.scrub(se.Message))
			e.SQLState, e.Hint = "28000", "The token of the connection string or of the token callback is checked by the server."
		case codes.ResourceExhausted:
			e.Hint = "The server bounds a request by spark.connect.grpc.maxInboundMessageSize."
		}
	}
	return e
}

// details fetches the whole error, or nil where the server no longer has it.
func (c *Client) details(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), detailsTimeout)
	defer cancel()
	resp := &pb.FetchErrorDetailsResponse{}
	err := c.conn.Invoke(ctx, pb.MethodFetchErrorDetails, &pb.FetchErrorDetailsRequest{
		SessionId: c.session, UserContext: c.userContext(), ErrorId: id, ClientType: c.clientType(),
	}, resp)
	if err != nil || resp.RootErrorIdx == nil {
		return nil
	}
	return c.chain(resp.Errors, resp.GetRootErrorIdx(), map[int32]bool{})
}

// chain builds the error at index i with its causes.
func (c *Client) chain(all []*pb.FetchErrorDetailsResponse_Error, i int32, seen map[int32]bool) error {
	if i < 0 || int(i) >= len(all) || seen[i] {
		return nil
	}
	seen[i] = true
	from := all[i]
	class := ""
	if len(from.ErrorTypeHierarchy) > 0 {
		class = from.ErrorTypeHierarchy[0]
	}
	t := from.SparkThrowable
	e := c.conditionOf(t.GetErrorClass(), t.GetSqlState(), from.Message, class, t.GetMessageParameters())
	if from.CauseIdx != nil {
		// Java repeats the cause's text in the message of many wrappers: such a cause adds its name and nothing to read.
		cause := c.chain(all, from.GetCauseIdx(), seen)
		if ce, ok := cause.(*condition.Error); ok && !strings.Contains(messageState.ReplaceAllString(from.Message, ""), messageState.ReplaceAllString(ce.Message, "")) {
			e.Cause = ce
		} else if ok {
			e.Cause = quiet{ce}
		}
	}
	return e
}

// quiet is a cause that the message above it has told already.
type quiet struct{ error }

// Error implements error.
func (q quiet) Error() string { return condition.Of(q.error) }

// Unwrap lets errors.As find the cause.
func (q quiet) Unwrap() error { return q.error }

// messageHead matches the "[CONDITION] " that Spark prints before a message; messageState the SQLSTATE within. Both are fields of the error.
var (
	messageHead  = regexp.MustCompile(`^\[[A-Z0-9_]+(\.[A-Z0-9_]+)*\] `)
	messageState = regexp.MustCompile(`\s+SQLSTATE: [0-9A-Z]{5}`)
)

// conditionOf gives the error of a server's class, state, message and Java class.
func (c *Client) conditionOf(class, state, message, java string, params map[string]string) *condition.Error {
	message = strings.TrimSpace(message)
	if class == "" {
		// Some servers send the name within the text alone.
		class = strings.Trim(messageHead.FindString(message), "[] ")
	}
	message = messageHead.ReplaceAllString(message, "")
	if all := messageState.FindAllString(message, -1); state == "" && len(all) > 0 {
		// The message of a wrapper holds its cause's state before its own.
		last := all[len(all)-1]
		state = last[len(last)-5:]
	}
	if state != "" {
		message = strings.TrimSpace(strings.Replace(message, " SQLSTATE: "+state, "", 1))
	}
	e := &condition.Error{Condition: class, SQLState: state, Message: c.remote.scrub(message), Parameters: maps.Clone(params)}
	for k, v := range e.Parameters {
		e.Parameters[k] = c.remote.scrub(v)
	}
	switch {
	case class == "_LEGACY_ERROR_TEMP_3102", class == "" && strings.HasSuffix(java, "AnalysisException") && strings.Contains(message, "stream"):
		// Spark's check of streaming plans names no condition of its own.
		e.Condition, e.Rule = condition.StreamingUnsupported, class
		if e.SQLState == "" {
			e.SQLState = condition.StateOf(e.Condition)
		}
	case class == "":
		e.Condition = condition.ServerError
		if e.SQLState == "" {
			e.SQLState = condition.StateOf(e.Condition)
		}
		if java != "" && !strings.Contains(message, java) {
			e.Message = java + ": " + e.Message
		}
	}
	switch class {
	case "INVALID_HANDLE.SESSION_NOT_FOUND", "INVALID_HANDLE.SESSION_CHANGED":
		e.Hint = "The server was restarted or dropped the session after a long idle time (spark.connect.session.manager.defaultSessionTimeout): its views and settings are gone. Connect again."
	case "INVALID_HANDLE.SESSION_CLOSED":
		e.Hint = "The session was closed. Connect again."
	default:
		e.Hint = catalog.Tolerant(message)
	}
	return e
}

// retryable tells whether a call that failed with err never did its work or may be taken up again where it stood.
func retryable(err error) bool {
	s := status.Convert(err)
	switch s.Code() {
	case codes.Unavailable:
		return true
	case codes.Internal:
		// Another stream of the same operation took over; it is gone by now.
		return strings.Contains(s.Message(), "INVALID_CURSOR.DISCONNECTED")
	}
	return false
}

// lost tells whether the server does not know the operation or the session of a reattached stream.
func lost(err error) bool {
	m := status.Convert(err).Message()
	return strings.Contains(m, "INVALID_HANDLE.OPERATION_NOT_FOUND") || strings.Contains(m, "INVALID_HANDLE.SESSION_NOT_FOUND")
}
