package sparkconnect

import (
	"context"
	"crypto/tls"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/spoonbill-go/spoonbill/backend/sparkconnect/internal/client"
)

// Option sets something of a session.
type Option func(*options)

type options struct {
	client client.Options
	token  func(context.Context) (string, error)
	tls    *tls.Config
}

// Config sets an entry of the session's configuration, as spark.conf.set does. Later options win.
func Config(key, value string) Option {
	return func(o *options) {
		o.client.Settings = append(o.client.Settings, client.Setting{Key: key, Value: value})
	}
}

// TimeZone sets the session's time zone (spark.sql.session.timeZone), such as "Europe/Berlin". The server's own holds without it.
func TimeZone(name string) Option { return Config(zoneKey, name) }

// ANSI sets ANSI mode (spark.sql.ansi.enabled). The server's own holds without it; Spark 4 has it on.
func ANSI(on bool) Option {
	if on {
		return Config(ansiKey, "true")
	}
	return Config(ansiKey, "false")
}

// Token gives the bearer token of each call, in the place of the connection string's. It is called often and from many goroutines, so it
// should keep a token until it is old. A token means TLS.
func Token(source func(ctx context.Context) (string, error)) Option {
	return func(o *options) { o.token = source }
}

// TLS sets how the server is checked; the connection is encrypted then, whatever the connection string says.
func TLS(config *tls.Config) Option { return func(o *options) { o.tls = config } }

// Allocator sets where results are kept; Go's heap by default.
func Allocator(a memory.Allocator) Option { return func(o *options) { o.client.Allocator = a } }
