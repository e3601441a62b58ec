package dashboard

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// cookie holds what a browser shows in place of the token.
const cookie = "spoonbill"

// guard decides who is answered.
type guard struct {
	token string
	// pass is the cookie's value. It is of a key of this process, so that it tells nothing of the token and ends with the process.
	pass string
}

func newGuard(token string) (*guard, error) {
	g := &guard{token: token}
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(token))
	g.pass = hex.EncodeToString(mac.Sum(nil))
	return g, nil
}

// around guards a handler. Health is answered for everybody, in a word.
func (g *guard) around(next http.Handler, health func(w http.ResponseWriter, full bool)) http.Handler {
	// A form or a script of another site that changes something is refused by this, also in a browser that sends no Origin.
	cross := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "same-origin") // with no-referrer a form would have no origin
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Cache-Control", "no-store")
		if foreign(r) || cross.Check(r) != nil {
			http.Error(w, "The request comes from a page of another origin.", http.StatusForbidden)
			return
		}
		known := g.knows(r)
		switch {
		case !known && g.token == "":
			http.Error(w, "The dashboard serves this machine alone. Set Options.Token to open it to others.", http.StatusForbidden)
		case r.URL.Path == "/health" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
			health(w, known)
		case known && r.URL.Path == "/login":
			http.Redirect(w, r, "/", http.StatusSeeOther)
		case known:
			next.ServeHTTP(w, r)
		case r.URL.Path == "/login" && r.Method == http.MethodPost:
			g.login(w, r)
		case r.URL.Path == "/style.css":
			next.ServeHTTP(w, r) // the page that asks for the token looks like the others
		case r.URL.Path == "/" && r.Method == http.MethodGet:
			askToken(w, false)
		default:
			w.Header().Set("WWW-Authenticate", `Bearer realm="spoonbill"`)
			http.Error(w, "The dashboard needs its token: Authorization: Bearer …", http.StatusUnauthorized)
		}
	})
}

// knows tells whether a request has the token or the cookie; where there is no token, whether it comes from this machine and names it: a page elsewhere may have had its own name point here.
func (g *guard) knows(r *http.Request) bool {
	if g.token == "" {
		return fromHere(r) && nameOfHere(r.Host)
	}
	if kind, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(kind, "Bearer") && same(strings.TrimSpace(token), g.token) {
		return true
	}
	c, err := r.Cookie(cookie)
	return err == nil && same(c.Value, g.pass)
}

// login changes the token of a form into the cookie.
func (g *guard) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<14)
	if !same(r.PostFormValue("token"), g.token) {
		askToken(w, true)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookie, Value: g.pass, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// same compares in a time that tells nothing of what was expected.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// foreign tells whether a request names an origin that is not the dashboard's own.
func foreign(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin != "" {
		u, err := url.Parse(origin)
		return err != nil || !strings.EqualFold(u.Host, r.Host)
	}
	// A link from elsewhere may open the page; a script from elsewhere may not read it.
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		return r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Method != http.MethodGet
	}
	return false
}

func fromHere(r *http.Request) bool {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && at.Addr().Unmap().IsLoopback()
}

func nameOfHere(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}
