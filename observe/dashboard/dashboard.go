// Package dashboard shows a monitor's queries as a page that the process serves itself: rates, watermarks, state, late rows, epochs by phase, sources that are behind, plans, failures and
// warnings, with a button that stops a query. It needs nothing from a network.
package dashboard

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/internal/absent"
	"github.com/spoonbill-go/spoonbill/observe"
)

// leastToken is how many bytes a token has at least: fewer can be guessed over a network.
const leastToken = 16

// Options are who may see the page and what they may do. The zero value serves programs of this machine, which may stop queries.
type Options struct {
	// Token lets in whoever has it, from any address: as "Authorization: Bearer …", or typed into the page, which keeps a cookie. It has at least 16 bytes. Without one only requests
	// from this machine are answered, under a name of this machine.
	Token string
	// ReadOnly leaves out what changes something: queries can not be stopped.
	ReadOnly bool
	// Metrics, if not nil, is served at /metrics behind the same guard, such as promhttp.HandlerFor with the collector of package observe/metrics.
	Metrics http.Handler
}

// Handler serves the page at the root of a server:
//
//	/                             the page
//	/api/queries                  the queries that are known, as JSON
//	/api/queries/{run}            one of them with its history
//	/api/queries/{run}/plan       its plan; ?analyze=true waits up to 3 s for an epoch and says what it did
//	/api/queries/{run}/stop       POST stops it
//	/health                       200 or 503, for probes; says which problems there are to those that may see the page
//	/metrics                      Options.Metrics
//
// A request from a page of another origin is refused. A token that is too short is INVALID_OPTION.
func Handler(m *observe.Monitor, o Options) (http.Handler, error) {
	if m == nil {
		e := condition.Newf(condition.InvalidValue, "The monitor is nil.")
		e.Pos = condition.Here(1)
		return nil, e
	}
	if o.Token != "" && len(o.Token) < leastToken {
		e := condition.Newf(condition.InvalidOption, "The token of the dashboard has %d bytes, and needs %d.", len(o.Token), leastToken)
		e.Pos, e.Hint = condition.Here(1), "Take a random one, as of crypto/rand.Text()."
		return nil, e
	}
	g, err := newGuard(o.Token)
	if err != nil {
		return nil, err
	}
	s := &server{m: m, o: o}
	mux := http.NewServeMux()
	page(mux)
	mux.HandleFunc("GET /api/queries", s.queries)
	mux.HandleFunc("GET /api/queries/{run}", s.query)
	mux.HandleFunc("GET /api/queries/{run}/plan", s.plan)
	mux.HandleFunc("POST /api/queries/{run}/stop", s.stop)
	if o.Metrics != nil {
		mux.Handle("GET /metrics", o.Metrics)
	}
	return g.around(mux, s.health), nil
}

// Server is a dashboard that listens.
type Server struct {
	http   *http.Server
	addr   net.Addr
	served chan struct{}
	failed error
}

// Serve listens on an address such as "127.0.0.1:4280" and serves [Handler] there until Close or until the context ends. Port 0 takes a free one. An address beyond this machine needs
// Options.Token.
func Serve(ctx context.Context, addr string, m *observe.Monitor, o Options) (*Server, error) {
	at := condition.Here(1)
	if absent.Is(ctx) {
		return nil, condition.At(absent.Context(ctx), at)
	}
	h, err := Handler(m, o)
	if err != nil {
		return nil, condition.At(err, at)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		e := condition.Newf(condition.InvalidOption, "The dashboard can not listen on %q: %v.", addr, err)
		e.Pos, e.Cause, e.Hint = at, err, `Give a host and a free port, such as "127.0.0.1:0".`
		return nil, e
	}
	if tcp, ok := l.Addr().(*net.TCPAddr); o.Token == "" && (!ok || !tcp.IP.IsLoopback()) {
		_ = l.Close()
		e := condition.Newf(condition.InvalidOption, "The address %q is not of this machine alone, and the dashboard has no token.", addr)
		e.Pos, e.Hint = at, `Set Options.Token, or listen on "127.0.0.1:4280".`
		return nil, e
	}
	s := &Server{
		http: &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16},
		addr: l.Addr(), served: make(chan struct{}),
	}
	stop := context.AfterFunc(ctx, func() { _ = s.http.Close() })
	go func() {
		defer close(s.served)
		defer stop()
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.failed = err
		}
	}()
	return s, nil
}

// URL is the address of the page.
func (s *Server) URL() string {
	if s == nil {
		return ""
	}
	return "http://" + s.addr.String() + "/"
}

// Close ends the server and its connections. The error is why it ended before, if it did.
func (s *Server) Close() error {
	if s == nil {
		return nil
	}
	_ = s.http.Close()
	<-s.served
	return s.failed
}
