package dashboard_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/observe"
	"github.com/spoonbill-go/spoonbill/observe/dashboard"
	"github.com/spoonbill-go/spoonbill/window"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

const token = "correct horse battery staple"

type event struct {
	At time.Time
	K  string
}

func second(n int) time.Time { return time.Date(2024, 5, 1, 12, 0, n, 0, time.UTC) }

// running gives a monitor of a session with one query that counts windows and has read three rows.
func running(t *testing.T) (*observe.Monitor, *local.Session, *connectors.MemoryStream, backend.Query) {
	t.Helper()
	s, err := local.Open()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	m := observe.NewMonitor(observe.Options{})
	t.Cleanup(m.Close)
	require.NoError(t, m.Watch(ctx, "main", s))
	in := connectors.NewMemoryStream[event]()
	table := expr.Read("events", in).Watermark("At", 0*time.Second)
	q, err := s.Start(ctx, table.GroupBy(window.Tumbling(table.Timestamp("At"), 10*time.Second)).Agg(expr.Count().As("n")).
		WriteTo(connectors.NewMemorySink()).Name("<b>windows</b>"))
	require.NoError(t, err)
	require.NoError(t, in.Add(event{second(1), "a"}, event{second(25), "b"}))
	require.NoError(t, q.ProcessAllAvailable(ctx))
	require.NoError(t, in.Add(event{second(2), "late"}))
	require.NoError(t, q.ProcessAllAvailable(ctx))
	require.Eventually(t, func() bool { got, _, ok := m.Query(q.RunID()); return ok && got.LateRows == 1 }, 10*time.Second, 5*time.Millisecond)
	return m, s, in, q
}

func serve(t *testing.T, m *observe.Monitor, o dashboard.Options) *dashboard.Server {
	t.Helper()
	s, err := dashboard.Serve(ctx, "127.0.0.1:0", m, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func get(t *testing.T, url string, change ...func(*http.Request)) (int, string, http.Header) {
	t.Helper()
	return ask(t, http.MethodGet, url, "", change...)
}

func ask(t *testing.T, method, url, body string, change ...func(*http.Request)) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	require.NoError(t, err)
	for _, f := range change {
		f(r)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(b), response.Header
}

func header(k, v string) func(*http.Request) { return func(r *http.Request) { r.Header.Set(k, v) } }

func host(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }

func TestAPI(t *testing.T) {
	m, _, _, q := running(t)
	s := serve(t, m, dashboard.Options{Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "up 1\n") })})

	code, body, head := get(t, s.URL())
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, "<title>Spoonbill</title>")
	require.Contains(t, head.Get("Content-Security-Policy"), "default-src 'none'")
	for _, file := range []string{"app.js", "style.css"} {
		code, body, _ = get(t, s.URL()+file)
		require.Equal(t, http.StatusOK, code)
		require.False(t, regexp.MustCompile(`(https?:)?//[a-z]`).MatchString(strings.ReplaceAll(body, "http://www.w3.org/2000/svg", "")), "%s: nothing comes from a network", file)
	}

	var all struct {
		Queries []map[string]any
		Health  observe.Health
	}
	code, body, _ = get(t, s.URL()+"api/queries")
	require.Equal(t, http.StatusOK, code)
	require.NoError(t, json.Unmarshal([]byte(body), &all))
	require.Len(t, all.Queries, 1)
	require.True(t, all.Health.OK)
	require.Equal(t, "<b>windows</b>", all.Queries[0]["label"])
	require.EqualValues(t, 1, all.Queries[0]["lateRows"])

	var one struct {
		Query   map[string]any
		Status  *backend.Status
		Latest  *backend.Progress
		History []map[string]any
	}
	code, body, _ = get(t, s.URL()+"api/queries/"+q.RunID())
	require.Equal(t, http.StatusOK, code)
	require.NoError(t, json.Unmarshal([]byte(body), &one), body)
	require.NotEmpty(t, one.Status.Message)
	require.NotEmpty(t, one.History)
	require.Equal(t, q.RunID(), one.Latest.RunID)

	code, body, _ = get(t, s.URL()+"api/queries/"+q.RunID()+"/plan")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, "Aggregate")

	code, _, _ = get(t, s.URL()+"api/queries/none")
	require.Equal(t, http.StatusNotFound, code)
	code, body, _ = get(t, s.URL()+"metrics")
	require.Equal(t, http.StatusOK, code)
	require.Equal(t, "up 1\n", body)
	code, body, _ = get(t, s.URL()+"health")
	require.Equal(t, http.StatusOK, code)
	require.JSONEq(t, `{"ok":true,"active":1}`, body)

	code, _, _ = get(t, s.URL()+"api/queries/"+q.RunID()+"/stop")
	require.Equal(t, http.StatusMethodNotAllowed, code)
	code, _, _ = ask(t, http.MethodPost, s.URL()+"api/queries/"+q.RunID()+"/stop", "")
	require.Equal(t, http.StatusNoContent, code)
	require.NoError(t, q.AwaitTermination(ctx))
	require.Eventually(t, func() bool { got, _, _ := m.Query(q.RunID()); return !got.Active() }, 10*time.Second, 5*time.Millisecond)
	code, body, _ = ask(t, http.MethodPost, s.URL()+"api/queries/"+q.RunID()+"/stop", "")
	require.Equal(t, http.StatusConflict, code)
	require.Contains(t, body, "has ended")
}

func TestGuard(t *testing.T) {
	m, _, _, q := running(t)
	stop := "api/queries/" + q.RunID() + "/stop"
	t.Run("without a token", func(t *testing.T) {
		s := serve(t, m, dashboard.Options{})
		for name, change := range map[string]func(*http.Request){
			"a name that points here": host("evil.example:80"),
			"another origin":          header("Origin", "http://evil.example"),
			"no origin at all":        header("Origin", "null"),
			"a script of another":     header("Sec-Fetch-Site", "cross-site"),
		} {
			code, body, _ := get(t, s.URL()+"api/queries", change)
			require.Equal(t, http.StatusForbidden, code, name)
			require.NotContains(t, body, q.RunID(), name)
			code, _, _ = ask(t, http.MethodPost, s.URL()+stop, "", change)
			require.Equal(t, http.StatusForbidden, code, name)
		}
		code, _, _ := get(t, s.URL()+"api/queries", host("localhost:1"))
		require.Equal(t, http.StatusOK, code)
		code, _, _ = get(t, s.URL()+"api/queries", header("Origin", strings.TrimSuffix(s.URL(), "/")))
		require.Equal(t, http.StatusOK, code)
		// A link from elsewhere opens the page.
		code, _, _ = get(t, s.URL(), header("Sec-Fetch-Site", "cross-site"), header("Sec-Fetch-Mode", "navigate"))
		require.Equal(t, http.StatusOK, code)
	})
	t.Run("from another machine", func(t *testing.T) {
		h, err := dashboard.Handler(m, dashboard.Options{})
		require.NoError(t, err)
		r := httptest.NewRequest(http.MethodGet, "http://localhost/api/queries", nil)
		r.RemoteAddr = "192.0.2.7:4711"
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		require.Equal(t, http.StatusForbidden, w.Code)
		r = httptest.NewRequest(http.MethodGet, "http://localhost/health", nil)
		r.RemoteAddr = "192.0.2.7:4711"
		w = httptest.NewRecorder()
		h.ServeHTTP(w, r)
		require.Equal(t, http.StatusForbidden, w.Code)
	})
	t.Run("with a token", func(t *testing.T) {
		s := serve(t, m, dashboard.Options{Token: token})
		code, body, head := get(t, s.URL()+"api/queries")
		require.Equal(t, http.StatusUnauthorized, code)
		require.Contains(t, head.Get("WWW-Authenticate"), "Bearer")
		require.NotContains(t, body, q.RunID())
		code, body, _ = get(t, s.URL())
		require.Equal(t, http.StatusUnauthorized, code)
		require.Contains(t, body, `type="password"`)
		code, _, _ = ask(t, http.MethodPost, s.URL()+stop, "")
		require.Equal(t, http.StatusUnauthorized, code)
		code, _, _ = get(t, s.URL()+"api/queries", header("Authorization", "Bearer "+token+"x"))
		require.Equal(t, http.StatusUnauthorized, code)
		code, body, _ = get(t, s.URL()+"api/queries", header("Authorization", "bearer "+token))
		require.Equal(t, http.StatusOK, code)
		require.NotContains(t, body, token)
		// A probe hears a word.
		code, body, _ = get(t, s.URL()+"health")
		require.Equal(t, http.StatusOK, code)
		require.JSONEq(t, `{"ok":true}`, body)

		form := header("Content-Type", "application/x-www-form-urlencoded")
		code, body, _ = ask(t, http.MethodPost, s.URL()+"login", "token=wrong", form)
		require.Equal(t, http.StatusUnauthorized, code)
		require.Contains(t, body, "not the token")
		code, _, _ = ask(t, http.MethodPost, s.URL()+"login", url.Values{"token": {token}}.Encode(), form, header("Origin", "http://evil.example"))
		require.Equal(t, http.StatusForbidden, code)
		code, _, head = ask(t, http.MethodPost, s.URL()+"login", url.Values{"token": {token}}.Encode(), form)
		require.Equal(t, http.StatusSeeOther, code)
		set := head.Get("Set-Cookie")
		require.Contains(t, set, "HttpOnly")
		require.Contains(t, set, "SameSite=Strict")
		require.NotContains(t, set, token)
		pass, _, _ := strings.Cut(set, ";")
		code, _, _ = get(t, s.URL()+"api/queries", header("Cookie", pass))
		require.Equal(t, http.StatusOK, code)
		// The cookie of one process is nothing to another.
		other := serve(t, m, dashboard.Options{Token: token})
		code, _, _ = get(t, other.URL()+"api/queries", header("Cookie", pass))
		require.Equal(t, http.StatusUnauthorized, code)
	})
	t.Run("read-only", func(t *testing.T) {
		s := serve(t, m, dashboard.Options{ReadOnly: true})
		code, body, _ := ask(t, http.MethodPost, s.URL()+stop, "")
		require.Equal(t, http.StatusForbidden, code)
		require.Contains(t, body, "read-only")
	})
}

func TestServe(t *testing.T) {
	m := observe.NewMonitor(observe.Options{})
	t.Cleanup(m.Close)
	_, err := dashboard.Serve(ctx, "0.0.0.0:0", m, dashboard.Options{})
	require.Equal(t, condition.InvalidOption, condition.Of(err))
	require.ErrorContains(t, err, "not of this machine alone")
	_, err = dashboard.Serve(ctx, ":0", m, dashboard.Options{})
	require.ErrorContains(t, err, "not of this machine alone")
	_, err = dashboard.Serve(ctx, "127.0.0.1:0", m, dashboard.Options{Token: "short"})
	require.ErrorContains(t, err, "needs 16")
	_, err = dashboard.Serve(ctx, "127.0.0.1:0", nil, dashboard.Options{})
	require.ErrorContains(t, err, "nil")
	_, err = dashboard.Serve(nil, "127.0.0.1:0", m, dashboard.Options{}) //nolint:staticcheck // a mistake of users
	require.ErrorContains(t, err, "context")
	_, err = dashboard.Serve(ctx, "nowhere", m, dashboard.Options{})
	require.ErrorContains(t, err, `can not listen on "nowhere"`)

	open, err := dashboard.Serve(ctx, "0.0.0.0:0", m, dashboard.Options{Token: token})
	require.NoError(t, err)
	_, err = dashboard.Serve(ctx, strings.Replace(strings.Trim(strings.TrimPrefix(open.URL(), "http://"), "/"), "[::]", "0.0.0.0", 1), m, dashboard.Options{Token: token})
	require.ErrorContains(t, err, "can not listen", "the port is taken")
	require.NoError(t, open.Close())
	require.NoError(t, open.Close())

	// It ends with its context.
	short, cancel := context.WithCancel(ctx)
	s, err := dashboard.Serve(short, "127.0.0.1:0", m, dashboard.Options{})
	require.NoError(t, err)
	cancel()
	require.NoError(t, s.Close())
	var none *dashboard.Server
	require.NoError(t, none.Close())
	require.Empty(t, none.URL())
}
