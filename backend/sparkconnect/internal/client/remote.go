package client

import (
	"context"
	"crypto/tls"
	"fmt"
	"maps"
	"math"
	"net"
	"net/url"
	"os"
	"os/user"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// Why a parser of our own and not spark-connect-go's channel.NewBuilder: that one ignores use_ssl and so sends in clear what the user
// asked to encrypt, drops a parameter whose value holds an equals sign (a base64 token with padding, after which it connects in clear
// without the token), reports a bad string with the whole string, token included, and leaves gRPC's 4 MB bound on messages, which
// a Spark batch may pass. A [Remote] has that package's Builder interface, so its session type accepts one.

// DefaultPort is Spark Connect's port.
const DefaultPort = 15002

// Remote is a parsed connection string: where the server is and who calls. It prints without the token.
type Remote struct {
	host      string
	port      int
	user      string
	token     string
	ssl       bool
	sslSet    bool
	session   string
	userAgent string
	headers   map[string]string

	mu     sync.Mutex
	hidden []string

	// TLS is the configuration of an encrypted connection; nil trusts the system's roots.
	TLS *tls.Config
	// TokenSource, where not nil, is asked for the bearer token of every call instead of the connection string's.
	TokenSource func(context.Context) (string, error)
}

// ParseRemote reads "sc://host:port/;key=value;key=value". Reserved keys are token, user_id, use_ssl, session_id (a UUID) and
// user_agent; every other pair is sent as a header with each call. Values may be percent-encoded. Without a port it is 15002; without
// a user it is $USER or the name of the process's user. A token means TLS; only a server on a loopback address may be given
// a token with use_ssl=false.
//
// An error never repeats a value of the string, since any of them may be a secret.
//
// Source: Spark's "Connecting to Spark Connect using Clients".
func ParseRemote(remote string) (*Remote, error) {
	bad := func(format string, args ...any) error {
		e := condition.Newf(condition.InvalidOption, "the connection string "+format, args...)
		e.Hint = "It reads sc://host:port/;user_id=name;token=…;use_ssl=true."
		return e
	}
	rest, ok := strings.CutPrefix(remote, "sc://")
	switch {
	case remote == "":
		return nil, bad("is empty.")
	case !ok:
		return nil, bad("does not begin with sc://.")
	}
	address, params := rest, ""
	if i := strings.IndexAny(rest, "/;"); i >= 0 {
		address, params = rest[:i], strings.TrimPrefix(rest[i:], "/")
	}
	r := &Remote{port: DefaultPort, headers: map[string]string{}, session: uuid.NewString()}
	switch {
	case strings.Contains(address, "@"):
		return nil, bad("has a user before the host; use the parameter user_id.")
	case strings.HasPrefix(address, "[") && strings.HasSuffix(address, "]"):
		r.host = address[1 : len(address)-1]
	case strings.Contains(address, ":"):
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, bad("has no readable host and port; an IPv6 address stands in brackets.")
		}
		n, err := strconv.Atoi(port)
		if err != nil || n < 1 || n > math.MaxUint16 {
			return nil, bad("has a port that is no number from 1 to 65535.")
		}
		r.host, r.port = host, n
	default:
		r.host = address
	}
	if r.host == "" {
		return nil, bad("has no host.")
	}
	if params != "" && !strings.HasPrefix(params, ";") {
		return nil, bad("has a path; behind the host only /;key=value;… may stand.")
	}
	for i, p := range strings.Split(params, ";") {
		if p == "" {
			continue
		}
		key, raw, ok := strings.Cut(p, "=")
		if !ok || key == "" {
			return nil, bad("has a parameter (number %d) that is no key=value.", i)
		}
		value, err := url.PathUnescape(raw)
		if err != nil {
			return nil, bad("has a broken percent-encoding in the value of %s.", key)
		}
		if strings.ContainsAny(value, "\r\n") {
			return nil, bad("has a line break in the value of %s.", key)
		}
		switch key {
		case "token":
			r.token = value
		case "user_id":
			r.user = value
		case "use_ssl":
			if r.ssl, err = strconv.ParseBool(strings.ToLower(value)); err != nil {
				return nil, bad("has a use_ssl that is neither true nor false.")
			}
			r.sslSet = true
		case "session_id":
			if _, err := uuid.Parse(value); err != nil {
				return nil, bad("has a session_id that is no UUID.")
			}
			r.session = value
		case "user_agent":
			r.userAgent = value
		default:
			if !headerName(key) {
				return nil, bad("has a parameter (number %d) whose name cannot be a header.", i)
			}
			r.headers[strings.ToLower(key)] = value
		}
	}
	if r.user == "" {
		r.user = os.Getenv("USER")
	}
	if r.user == "" {
		if u, err := user.Current(); err == nil {
			r.user = u.Username
		}
	}
	if r.user == "" {
		r.user = "spoonbill"
	}
	return r, nil
}

// headerName tells whether gRPC takes s as the key of a header: its own are reserved.
func headerName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		if (c < 'a' || c > 'z') && (s[i] < '0' || s[i] > '9') && s[i] != '-' && s[i] != '_' && s[i] != '.' {
			return false
		}
	}
	return s != "" && !strings.HasPrefix(strings.ToLower(s), "grpc-")
}

// User is the user id of every request; the server keeps sessions by user and session id.
func (r *Remote) User() string { return r.user }

// SessionId is the session's UUID. The name is that of spark-connect-go's interface.
func (r *Remote) SessionId() string { return r.session }

// Headers are the pairs sent with every call.
func (r *Remote) Headers() map[string]string { return maps.Clone(r.headers) }

// UserAgent names the client to the server.
func (r *Remote) UserAgent() string {
	own := "spoonbill go/" + strings.TrimPrefix(runtime.Version(), "go") + " os/" + runtime.GOOS
	if r.userAgent == "" {
		return own
	}
	return r.userAgent + " " + own
}

// Address is host:port.
func (r *Remote) Address() string { return net.JoinHostPort(r.host, strconv.Itoa(r.port)) }

// String gives the address and the user, and no secret.
func (r *Remote) String() string { return "sc://" + r.Address() + " as " + r.user }

// Format keeps the token out of %+v and %#v too.
func (r *Remote) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte(r.String())) }

func (r *Remote) loopback() bool {
	if strings.EqualFold(r.host, "localhost") {
		return true
	}
	ip := net.ParseIP(r.host)
	return ip != nil && ip.IsLoopback()
}

func (r *Remote) hasToken() bool { return r.token != "" || r.TokenSource != nil }

// secure tells whether the connection is encrypted, or why it may not be made.
func (r *Remote) secure() (bool, error) {
	if r.ssl || r.TLS != nil {
		return true, nil
	}
	if !r.hasToken() {
		return false, nil
	}
	if !r.sslSet {
		return true, nil
	}
	if !r.loopback() {
		return false, condition.Newf(condition.InvalidOption,
			"a token would travel in clear to %s: use_ssl=false goes with a token on a loopback address only.", r.Address())
	}
	return false, nil
}

// build makes the connection; nothing is dialled before the first call. opts come last and win.
func (r *Remote) build(opts ...grpc.DialOption) (*grpc.ClientConn, error) {
	secure, err := r.secure()
	if err != nil {
		return nil, err
	}
	all := []grpc.DialOption{
		grpc.WithUserAgent(r.UserAgent()),
		// A batch is 4 MB of Arrow by default on the server, but one row may be far larger.
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32)),
		// A server that went away without a word is found by pings. gRPC's server side refuses pings oftener than each 5 minutes by default.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 6 * time.Minute, Timeout: 30 * time.Second}),
		grpc.WithPerRPCCredentials(callCredentials{r, secure}),
		// Else each connection would ask the name server for a gRPC service configuration.
		grpc.WithDisableServiceConfig(),
	}
	if secure {
		conf := r.TLS
		if conf == nil {
			conf = &tls.Config{MinVersion: tls.VersionTLS12}
		}
		all = append(all, grpc.WithTransportCredentials(credentials.NewTLS(conf)))
	} else {
		all = append(all, grpc.WithTransportCredentials(insecure.NewCredentials()))
	}
	conn, err := grpc.NewClient(r.Address(), append(all, opts...)...)
	if err != nil {
		return nil, condition.Newf(condition.InvalidOption, "no connection to %s can be made: %s", r.Address(), r.scrub(err.Error()))
	}
	return conn, nil
}

// Build makes the connection for spark-connect-go's session.
func (r *Remote) Build(context.Context) (*grpc.ClientConn, error) { return r.build() }

// Hide takes values, such as a connector's passwords, out of every error from now on.
func (r *Remote) Hide(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range secrets {
		if s != "" && !slices.Contains(r.hidden, s) {
			r.hidden = append(r.hidden, s)
		}
	}
}

// scrub takes the token and the hidden values out of a text that someone else wrote.
func (r *Remote) scrub(s string) string {
	if len(r.token) >= 4 {
		s = strings.ReplaceAll(s, r.token, "***")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, h := range r.hidden {
		s = strings.ReplaceAll(s, h, "***")
	}
	return s
}

// callCredentials adds the token and the headers to each call.
type callCredentials struct {
	remote *Remote
	secure bool
}

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (c callCredentials) GetRequestMetadata(ctx context.Context, _ ...string) (map[string]string, error) {
	md := maps.Clone(c.remote.headers)
	token := c.remote.token
	if c.remote.TokenSource != nil {
		var err error
		if token, err = c.remote.TokenSource(ctx); err != nil {
			return nil, err
		}
	}
	if token != "" {
		md["authorization"] = "Bearer " + token
	}
	return md, nil
}

// RequireTransportSecurity implements credentials.PerRPCCredentials: gRPC itself then refuses to send a token in clear.
func (c callCredentials) RequireTransportSecurity() bool { return c.secure }
