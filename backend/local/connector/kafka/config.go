package kafka

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// config is what the client needs to know, from Spark's options.
type config struct {
	servers []string
	opts    []kgo.Opt
	// apiTimeout bounds every call to the brokers but the reading of records (kafka.default.api.timeout.ms, by default a minute).
	apiTimeout time.Duration
	committed  bool // kafka.isolation.level is read_committed
}

// ignored are settings of Kafka's Java client that have no meaning for this one, or that Spark itself sets.
var ignored = map[string]bool{
	"max.poll.records": true, "session.timeout.ms": true, "heartbeat.interval.ms": true, "max.poll.interval.ms": true, "receive.buffer.bytes": true,
	"send.buffer.bytes": true, "group.id": true, "client.dns.lookup": true, "check.crcs": true, "retries": true, "max.in.flight.requests.per.connection": true,
	"fetch.min.bytes": true, "reconnect.backoff.ms": true, "reconnect.backoff.max.ms": true, "retry.backoff.ms": true, "retry.backoff.max.ms": true,
	"socket.connection.setup.timeout.ms": true, "ssl.endpoint.identification.algorithm": true, "ssl.protocol": true, "ssl.enabled.protocols": true,
	"auto.create.topics.enable": true, "allow.auto.create.topics": true, "metrics.num.samples": true, "partitioner.class": true,
}

// clientConfig reads the options that concern the connection: kafka.* and the servers.
func clientConfig(o tree.Options, producer bool) (*config, error) {
	c := &config{apiTimeout: time.Minute}
	var errs []error
	bad := func(key, format string, args ...any) {
		errs = append(errs, condition.Newf(condition.InvalidOption, "The option %s: %s.", key, fmt.Sprintf(format, args...)))
	}
	k := map[string]string{}
	names := map[string]string{}
	for _, x := range o {
		if key, ok := strings.CutPrefix(datatype.FoldName(x.Key), "kafka."); ok {
			k[key] = x.Value
			names[key] = x.Key
		}
	}
	take := func(key string) (string, bool) {
		v, ok := k[key]
		delete(k, key)
		return v, ok
	}
	millis := func(key string, into *time.Duration) bool {
		v, ok := take(key)
		if !ok {
			return false
		}
		n, err := strconv.ParseInt(v, 10, 32)
		if err != nil || n < 0 {
			bad("kafka."+key, "%q is no count of milliseconds", v)
			return false
		}
		*into = time.Duration(n) * time.Millisecond
		return true
	}
	size := func(key string, low int64) (int32, bool) {
		v, ok := take(key)
		if !ok {
			return 0, false
		}
		n, err := strconv.ParseInt(v, 10, 32)
		if err != nil || n < low {
			bad("kafka."+key, "%q is no size in bytes", v)
			return 0, false
		}
		return int32(n), true
	}
	servers, _ := take("bootstrap.servers")
	for _, s := range strings.Split(servers, ",") {
		if s = strings.TrimSpace(s); s != "" {
			if _, _, err := net.SplitHostPort(s); err != nil {
				bad("kafka.bootstrap.servers", "%q is no host:port", s)
			}
			c.servers = append(c.servers, s)
		}
	}
	if len(c.servers) == 0 {
		bad("kafka.bootstrap.servers", "it names no server")
	}
	// A second is also how long a new partition can stay unseen.
	c.opts = append(c.opts, kgo.SeedBrokers(c.servers...), kgo.ClientID("spoonbill"), kgo.MetadataMinAge(time.Second))
	millis("default.api.timeout.ms", &c.apiTimeout)
	var d time.Duration
	if millis("request.timeout.ms", &d) {
		c.opts = append(c.opts, kgo.RequestTimeoutOverhead(max(d, 100*time.Millisecond)))
	}
	if millis("connections.max.idle.ms", &d) && d > 0 {
		c.opts = append(c.opts, kgo.ConnIdleTimeout(d))
	}
	if millis("metadata.max.age.ms", &d) {
		c.opts = append(c.opts, kgo.MetadataMaxAge(max(d, 3*time.Second)))
	}
	if v, ok := take("client.id"); ok {
		c.opts = append(c.opts, kgo.ClientID(v))
	}
	if v, ok := take("client.rack"); ok {
		c.opts = append(c.opts, kgo.Rack(v))
	}
	if v, ok := take("isolation.level"); ok {
		switch v {
		case "read_committed":
			c.committed = true
			c.opts = append(c.opts, kgo.FetchIsolationLevel(kgo.ReadCommitted()))
		case "read_uncommitted":
		default:
			bad("kafka.isolation.level", "%q is neither read_committed nor read_uncommitted", v)
		}
	}
	if n, ok := size("fetch.max.bytes", 1); ok {
		c.opts = append(c.opts, kgo.FetchMaxBytes(n), kgo.BrokerMaxReadBytes(max(n, 100<<20)))
	}
	if n, ok := size("max.partition.fetch.bytes", 1); ok {
		c.opts = append(c.opts, kgo.FetchMaxPartitionBytes(n))
	}
	// A fetch that is under way holds up partitions that are added meanwhile, so the wait is Kafka's own default, not the library's 5 s.
	wait := 500 * time.Millisecond
	millis("fetch.max.wait.ms", &wait)
	c.opts = append(c.opts, kgo.FetchMaxWait(max(wait, time.Millisecond)))
	c.producer(producer, take, millis, size, bad)
	if opts, err := c.security(take); err != nil {
		errs = append(errs, err)
	} else {
		c.opts = append(c.opts, opts...)
	}
	var unknown []string
	for key := range k {
		if !ignored[key] {
			unknown = append(unknown, names[key])
		}
	}
	sort.Strings(unknown)
	for _, u := range unknown {
		bad(u, "the local engine's Kafka client does not know it")
	}
	return c, errors.Join(errs...)
}

// producer reads the settings that Kafka's producer has.
func (c *config) producer(producer bool, take func(string) (string, bool), millis func(string, *time.Duration) bool, size func(string, int64) (int32, bool), bad func(string, string, ...any)) {
	add := func(o kgo.Opt) {
		if producer {
			c.opts = append(c.opts, o)
		}
	}
	delivery := 2 * time.Minute
	millis("delivery.timeout.ms", &delivery)
	add(kgo.RecordDeliveryTimeout(max(delivery, time.Second)))
	linger := time.Millisecond
	millis("linger.ms", &linger)
	add(kgo.ProducerLinger(min(linger, time.Minute)))
	var block time.Duration
	if millis("max.block.ms", &block) && producer {
		c.apiTimeout = block
	}
	if n, ok := size("max.request.size", 1); ok {
		add(kgo.ProducerBatchMaxBytes(n))
	}
	_, _ = size("batch.size", 0)
	_, _ = take("buffer.memory")
	if v, ok := take("compression.type"); ok {
		codec, known := map[string]kgo.CompressionCodec{"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression()}[strings.ToLower(v)]
		if !known {
			bad("kafka.compression.type", "%q is none of none, gzip, snappy, lz4, zstd", v)
		} else {
			add(kgo.ProducerBatchCompression(codec))
		}
	}
	// Every row must be in the topic when an epoch ends, so weaker acknowledgements are refused, not obeyed.
	if v, ok := take("acks"); ok && v != "all" && v != "-1" {
		bad("kafka.acks", "the local engine waits for all in-sync replicas (all), not %q", v)
	}
	if v, ok := take("enable.idempotence"); ok && v != "true" {
		bad("kafka.enable.idempotence", "the local engine's producer is always idempotent")
	}
}

// security reads how the client proves who it is and whom it trusts.
func (c *config) security(take func(string) (string, bool)) ([]kgo.Opt, error) {
	protocol, _ := take("security.protocol")
	protocol = strings.ToUpper(protocol)
	mechanism, hasMechanism := take("sasl.mechanism")
	jaas, _ := take("sasl.jaas.config")
	var opts []kgo.Opt
	tlsConfig, err := trust(take)
	if err != nil {
		return nil, err
	}
	switch protocol {
	case "", "PLAINTEXT", "SASL_PLAINTEXT":
	case "SSL", "SASL_SSL":
		opts = append(opts, kgo.DialTLSConfig(tlsConfig))
	default:
		return nil, condition.Newf(condition.InvalidOption, "The option kafka.security.protocol: %q is none of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL.", protocol)
	}
	if !strings.HasPrefix(protocol, "SASL_") {
		if hasMechanism || jaas != "" {
			return nil, condition.Newf(condition.InvalidOption, "The option kafka.sasl.mechanism needs kafka.security.protocol SASL_SSL or SASL_PLAINTEXT.")
		}
		return opts, nil
	}
	user, password, err := loginOf(jaas)
	if err != nil {
		return nil, err
	}
	switch strings.ToUpper(mechanism) {
	case "PLAIN":
		opts = append(opts, kgo.SASL(plain.Auth{User: user, Pass: password}.AsMechanism()))
	case "SCRAM-SHA-256":
		opts = append(opts, kgo.SASL(scram.Auth{User: user, Pass: password}.AsSha256Mechanism()))
	case "SCRAM-SHA-512":
		opts = append(opts, kgo.SASL(scram.Auth{User: user, Pass: password}.AsSha512Mechanism()))
	default:
		return nil, condition.Newf(condition.InvalidOption, "The option kafka.sasl.mechanism: the local engine knows PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512, not %q.", mechanism)
	}
	return opts, nil
}

var loginPart = regexp.MustCompile(`(\w+)\s*=\s*"((?:[^"\\]|\\.)*)"`)

// loginOf takes user and password out of a JAAS line, which is Kafka's form of them. The error does not show the line.
func loginOf(jaas string) (user, password string, err error) {
	for _, m := range loginPart.FindAllStringSubmatch(jaas, -1) {
		v := regexp.MustCompile(`\\(.)`).ReplaceAllString(m[2], "$1")
		switch m[1] {
		case "username":
			user = v
		case "password":
			password = v
		}
	}
	if user == "" {
		return "", "", condition.Newf(condition.InvalidOption, `The option kafka.sasl.jaas.config needs username="…" and password="…".`)
	}
	return user, password, nil
}

// trust reads the certificates. Files are PEM: Java's own stores are not read.
func trust(take func(string) (string, bool)) (*tls.Config, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	kinds := map[string]string{}
	for _, store := range []string{"truststore", "keystore"} {
		kind, _ := take("ssl." + store + ".type")
		kinds[store] = strings.ToUpper(kind)
		if _, ok := take("ssl." + store + ".password"); ok && kinds[store] == "PEM" {
			return nil, condition.Newf(condition.InvalidOption, "The option kafka.ssl.%s.password: a PEM file has none.", store)
		}
	}
	pem := func(store string) ([]byte, bool, error) {
		if v, ok := take("ssl." + store + ".location"); ok {
			if kinds[store] != "PEM" {
				e := condition.Newf(condition.Unsupported, "The local engine reads certificates as PEM, and kafka.ssl.%s.type says %q.", store, kinds[store])
				e.Hint = "Convert the store (keytool -exportcert -rfc, openssl pkcs12) and set kafka.ssl." + store + ".type to PEM."
				return nil, false, e
			}
			text, err := os.ReadFile(v)
			if err != nil {
				e := condition.Newf(condition.InvalidOption, "The option kafka.ssl.%s.location: the file cannot be read.", store)
				e.Cause = err
				return nil, false, e
			}
			return text, true, nil
		}
		return nil, false, nil
	}
	ca, ok, err := pem("truststore")
	if err != nil {
		return nil, err
	}
	if v, given := take("ssl.truststore.certificates"); given {
		ca, ok = []byte(v), true
	}
	if ok {
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(ca) {
			return nil, condition.Newf(condition.InvalidOption, "The option kafka.ssl.truststore: it holds no certificate in PEM.")
		}
	}
	chain, ok, err := pem("keystore")
	if err != nil {
		return nil, err
	}
	key := chain
	if v, given := take("ssl.keystore.certificate.chain"); given {
		chain, ok = []byte(v), true
	}
	if v, given := take("ssl.keystore.key"); given {
		key = []byte(v)
	}
	if _, given := take("ssl.key.password"); given {
		return nil, condition.Newf(condition.Unsupported, "The local engine does not read a private key under a password (kafka.ssl.key.password).")
	}
	if ok {
		pair, err := tls.X509KeyPair(chain, key)
		if err != nil {
			return nil, condition.Newf(condition.InvalidOption, "The option kafka.ssl.keystore: certificate and key do not go together or are no PEM.")
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	return cfg, nil
}

// failed is the error of a broker that does not answer or refuses. Errors of the client never carry passwords.
func (c *config) failed(what string, err error) error {
	if condition.Of(err) != "" {
		return err
	}
	e := condition.Newf(condition.ConnectorFailed, "Kafka at %s: %s.", strings.Join(c.servers, ","), what)
	e.Cause = err
	e.Hint = "Check that the servers run and that this machine reaches them; kafka.default.api.timeout.ms sets how long the client tries."
	if errors.Is(err, context.Canceled) {
		e.Hint = ""
	}
	return e
}

// bounded is a context for one call to the brokers.
func (c *config) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, c.apiTimeout)
}
