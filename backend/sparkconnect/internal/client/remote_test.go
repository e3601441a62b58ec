package client

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/apache/spark-connect-go/spark/client/channel"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// spark-connect-go's session takes a Remote.
var _ channel.Builder = (*Remote)(nil)

func TestParseRemote(t *testing.T) {
	r, err := ParseRemote("sc://host:1234/;user_id=ada;token=a%2Bb=;use_ssl=true;session_id=12345678-1234-1234-1234-123456789abc;X-Region=eu;user_agent=app")
	require.NoError(t, err)
	require.Equal(t, "host:1234", r.Address())
	require.Equal(t, "ada", r.User())
	require.Equal(t, "a+b=", r.token)
	require.Equal(t, "12345678-1234-1234-1234-123456789abc", r.SessionId())
	require.Equal(t, map[string]string{"x-region": "eu"}, r.Headers())
	require.True(t, strings.HasPrefix(r.UserAgent(), "app spoonbill go/"))
	secure, err := r.secure()
	require.NoError(t, err)
	require.True(t, secure)

	for text, address := range map[string]string{
		"sc://localhost": "localhost:15002", "sc://localhost/": "localhost:15002", "sc://h:1": "h:1", "sc://[::1]": "[::1]:15002", "sc://[::1]:7/;user_id=x": "[::1]:7",
		"sc://h/;;": "h:15002", "sc://h;user_id=x": "h:15002",
	} {
		r, err := ParseRemote(text)
		require.NoError(t, err, text)
		require.Equal(t, address, r.Address())
		require.NotEmpty(t, r.User())
	}
	for _, text := range []string{
		"", "localhost:15002", "http://h", "sc://", "sc://:15002", "sc://h:0", "sc://h:99999", "sc://h:x", "sc://h/path", "sc://user@h", "sc://h/;token",
		"sc://h/;use_ssl=maybe", "sc://h/;session_id=1", "sc://h/;bad header=1", "sc://h/;grpc-x=1", "sc://h/;user_id=%zz", "sc://a:b:c", "sc://h/;x=a%0Ab", "sc://h/;=secret",
	} {
		_, err := ParseRemote(text)
		require.Equal(t, condition.InvalidOption, condition.Of(err), text)
	}
}

func TestSecretsStayInside(t *testing.T) {
	for _, text := range []string{
		"sc://h:port-topsecret/;token=topsecret", "topsecret://h", "sc://h/topsecret", "sc://h/;topsecret", "sc://h/;token=%zztopsecret", "sc://h/;session_id=topsecret",
		"sc://h/;use_ssl=topsecret", "sc://topsecret@h", "sc://h/;a b=topsecret", "sc://far.example/;use_ssl=false;token=topsecret",
	} {
		r, err := ParseRemote(text)
		if err == nil {
			_, err = r.build()
		}
		require.Error(t, err)
		require.NotContains(t, err.Error(), "topsecret", text)
	}
	r, err := ParseRemote("sc://h/;token=topsecret;api-key=topsecret")
	require.NoError(t, err)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		require.NotContains(t, fmt.Sprintf(verb, r), "topsecret")
	}
	c := &Client{remote: r}
	require.NotContains(t, c.String(), "topsecret")
	err = c.failure(t.Context(), status.Error(codes.Internal, "header Bearer topsecret was refused"))
	require.NotContains(t, err.Error(), "topsecret")
	err = c.failure(t.Context(), status.Error(codes.Unavailable, "topsecret"))
	require.NotContains(t, err.Error(), "topsecret")
}

func TestTokenNeedsTLS(t *testing.T) {
	for text, want := range map[string]bool{
		"sc://far.example/;token=abcd":                  true,
		"sc://127.0.0.1/;token=abcd":                    true,
		"sc://127.0.0.1/;token=abcd;use_ssl=false":      false,
		"sc://localhost/;token=abcd;use_ssl=false":      false,
		"sc://far.example/;use_ssl=true":                true,
		"sc://far.example":                              false,
		"sc://far.example/;token=padded==;use_ssl=true": true,
	} {
		r, err := ParseRemote(text)
		require.NoError(t, err)
		secure, err := r.secure()
		require.NoError(t, err)
		require.Equal(t, want, secure, text)
	}
}

// A server on this machine sees what is sent: Spark itself does not show headers. Token and headers travel with every call, under TLS.
func TestTokenOverTLS(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	roots.AddCert(cert)

	seen := make(chan metadata.MD, 8)
	server := grpc.NewServer(
		grpc.Creds(credentials.NewTLS(&tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}})),
		grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error {
			md, _ := metadata.FromIncomingContext(s.Context())
			seen <- md
			return status.Error(codes.Unauthenticated, "no")
		}))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go server.Serve(listener)
	defer server.Stop()

	remote, err := ParseRemote("sc://" + listener.Addr().String() + "/;token=abc=;X-Region=eu;user_id=ada")
	require.NoError(t, err)
	remote.TLS = &tls.Config{RootCAs: roots}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err = Connect(ctx, remote, Options{})
	var e *condition.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, condition.ServerUnavailable, e.Condition)
	require.Equal(t, "28000", e.SQLState)
	md := <-seen
	require.Equal(t, []string{"Bearer abc="}, md["authorization"])
	require.Equal(t, []string{"eu"}, md["x-region"])
	require.Contains(t, md["user-agent"][0], "spoonbill")

	// A token callback is asked for each call, and its failure is the call's.
	calls := 0
	remote.TokenSource = func(context.Context) (string, error) {
		calls++
		if calls > 1 {
			return "", errors.New("the vault is closed")
		}
		return "fresh", nil
	}
	for len(seen) > 0 {
		<-seen
	}
	_, err = Connect(ctx, remote, Options{})
	require.Error(t, err)
	require.Equal(t, []string{"Bearer fresh"}, (<-seen)["authorization"])
	_, err = Connect(ctx, remote, Options{})
	require.ErrorContains(t, err, "the vault is closed")

	// The system's roots do not know this certificate: the connection is refused, and the token never leaves.
	remote.TLS, remote.TokenSource = nil, nil
	for len(seen) > 0 {
		<-seen
	}
	_, err = Connect(ctx, remote, Options{})
	require.Equal(t, condition.ServerUnavailable, condition.Of(err), "%v", err)
	require.Empty(t, seen)
}

func TestConditionOf(t *testing.T) {
	r, err := ParseRemote("sc://h")
	require.NoError(t, err)
	c := &Client{remote: r}
	for _, tc := range []struct{ class, state, message, java, wantName, wantState, wantMessage string }{
		{"A.B", "42000", "[A.B] Bad. SQLSTATE: 42000; line 1", "x", "A.B", "42000", "Bad.; line 1"},
		{"", "", "[A.B] Bad. SQLSTATE: 42000", "x", "A.B", "42000", "Bad."},
		{"", "", "[A_B] x: [C] y SQLSTATE: 11111 z SQLSTATE: 22222", "x", "A_B", "22222", "x: [C] y SQLSTATE: 11111 z"},
		{"", "", "boom", "java.io.IOException", condition.ServerError, "XX000", "java.io.IOException: boom"},
		{"_LEGACY_ERROR_TEMP_3102", "", "Sorting is not supported", "x", condition.StreamingUnsupported, "42KDE", "Sorting is not supported"},
		{"", "", "Queries with streaming sources must be started", "org.apache.spark.sql.AnalysisException", condition.StreamingUnsupported, "42KDE", "Queries with streaming sources must be started"},
	} {
		e := c.conditionOf(tc.class, tc.state, tc.message, tc.java, nil)
		require.Equal(t, tc.wantName, e.Condition)
		require.Equal(t, tc.wantState, e.SQLState)
		require.Equal(t, tc.wantMessage, e.Message)
	}
}

// TestDeadlineSeenByTheServerFirst: the reset of a call by the server's clock is the caller's deadline, not a fault of the server.
func TestDeadlineSeenByTheServerFirst(t *testing.T) {
	r, err := ParseRemote("sc://h")
	require.NoError(t, err)
	c := &Client{remote: r}
	reset := status.Error(codes.Canceled, "stream terminated by RST_STREAM with error code: CANCEL")

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, c.failure(ctx, reset), context.DeadlineExceeded)

	far, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	require.Equal(t, condition.ServerError, condition.Of(c.failure(far, reset)))
	require.Equal(t, condition.ServerError, condition.Of(c.failure(t.Context(), reset)))
}
