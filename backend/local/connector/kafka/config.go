package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// prefix is that of the options which Spark hands on to Kafka's own clients.
const prefix = "kafka."

// harmless are settings of Kafka's Java clients that change nothing of what a query reads or writes, only how the client goes about it.
// They are accepted so that a description which Spark runs runs here.
var harmless = []string{
	"session.timeout.ms", "heartbeat.interval.ms", "max.poll.records", "max.poll.interval.ms", "receive.buffer.bytes", "send.buffer.bytes",
	"reconnect.backoff.ms", "reconnect.backoff.max.ms", "retry.backoff.ms", "retry.backoff.max.ms", "metadata.max.age.ms", "connections.max.idle.ms",
	"socket.connection.setup.timeout.ms", "socket.connection.setup.timeout.max.ms", "client.dns.lookup", "check.crcs", "allow.auto.create.topics",
	"metrics.num.samples", "metrics.recording.level", "metrics.sample.window.ms", "enable.metrics.push", "auto.include.jmx.reporter",
	"partition.assignment.strategy", "client.rack", "group.instance.id", "exclude.internal.topics", "fetch.min.bytes", "fetch.max.wait.ms",
	"buffer.memory", "batch.size", "max.in.flight.requests.per.connection", "retries", "metadata.max.idle.ms", "ssl.protocol",
	"security.providers", "group.id", "ssl.provider",
}

// config is what the options with Kafka's prefix say.
type config struct {
	seeds   []string
	opts    []kgo.Opt
	secrets []string
	// isolation is 1 for read_committed.
	isolation int8
	// controls keeps the records by which brokers end transactions.
	controls bool
	// fetchBytes bounds the answer to a fetch, in bytes.
	fetchBytes int32
	// apiTimeout is one attempt to reach the brokers (default.api.timeout.ms), 0 where the options say nothing.
	apiTimeout time.Duration
	// requestTimeout is one request within it (request.timeout.ms), 0 where the options say nothing.
	requestTimeout time.Duration
	// deliveryTimeout is how long a record may be on its way (delivery.timeout.ms).
	deliveryTimeout time.Duration
	// maxBlock is how long a write looks for its topic (max.block.ms), 0 where the options say nothing.
	maxBlock time.Duration
	clientID string
	// transactionalID is the sink's transactional.id, "" for none, and transactionTimeout its transaction.timeout.ms.
	transactionalID    string
	transactionTimeout time.Duration
	// sasl tells that a user and a password are sent.
	sasl bool
}

// defaultFetchBytes is four times Kafka's default of max.partition.fetch.bytes: every fetch is for one partition here.
const defaultFetchBytes = 4 << 20

// defaultDelivery is Kafka's default of delivery.timeout.ms.
const defaultDelivery = 2 * time.Minute

func invalid(format string, args ...any) *condition.Error {
	return condition.Newf(condition.InvalidOption, format, args...)
}

// settings are Kafka's options without the prefix and in small letters; used tells which have been asked for.
type settings struct {
	values map[string]string
	used   map[string]bool
}

func (s *settings) get(key string) (string, bool) {
	s.used[key] = true
	v, ok := s.values[key]
	return strings.TrimSpace(v), ok
}

func (s *settings) number(key string, least, most int64) (int64, bool, error) {
	v, ok := s.get(key)
	if !ok {
		return 0, false, nil
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < least || n > most {
		return 0, false, invalid("Option %s%s must be a whole number from %d to %d.", prefix, key, least, most)
	}
	return n, true, nil
}

func (s *settings) millis(key string) (time.Duration, error) {
	n, _, err := s.number(key, 1, int64(24*time.Hour/time.Millisecond))
	return time.Duration(n) * time.Millisecond, err
}

// parseConfig reads the options with Kafka's prefix. sink tells for which client: the other one's settings are refused.
func parseConfig(o tree.Options, sink bool) (*config, error) {
	s := &settings{values: map[string]string{}, used: map[string]bool{}}
	c := &config{fetchBytes: defaultFetchBytes, deliveryTimeout: defaultDelivery, clientID: "spoonbill"}
	for _, x := range o {
		if k := strings.ToLower(x.Key); strings.HasPrefix(k, prefix) {
			s.values[k[len(prefix):]] = x.Value
			if x.Secret && x.Value != "" {
				c.secrets = append(c.secrets, x.Value)
			}
		}
	}
	servers, _ := s.get("bootstrap.servers")
	for _, h := range strings.Split(servers, ",") {
		if h = strings.TrimSpace(h); h != "" {
			if _, port, err := net.SplitHostPort(h); err != nil || port == "" {
				return nil, invalid("%q of option kafka.bootstrap.servers is not of the form host:port.", h)
			}
			c.seeds = append(c.seeds, h)
		}
	}
	if len(c.seeds) == 0 {
		e := invalid("Option kafka.bootstrap.servers is missing.")
		e.Hint = "Give the brokers as host:port, joined by commas."
		return nil, e
	}
	if id, ok := s.get("client.id"); ok && id != "" {
		c.clientID = id
	}
	c.opts = append(c.opts, kgo.SeedBrokers(c.seeds...), kgo.ClientID(c.clientID), kgo.DisableClientMetrics())
	if err := c.security(s); err != nil {
		return nil, err
	}
	for _, key := range []string{"fetch.max.bytes", "max.partition.fetch.bytes"} {
		n, ok, err := s.number(key, 1, 1<<30)
		if err != nil {
			return nil, err
		}
		if ok && (key == "max.partition.fetch.bytes" || n < int64(c.fetchBytes)) {
			c.fetchBytes = int32(n)
		}
	}
	switch v, ok := s.get("isolation.level"); {
	case !ok || strings.EqualFold(v, "read_uncommitted"):
	case strings.EqualFold(v, "read_committed"):
		c.isolation = 1
	default:
		return nil, invalid("Option kafka.isolation.level must be read_uncommitted or read_committed, not %q.", v)
	}
	var err error
	if c.requestTimeout, err = s.millis("request.timeout.ms"); err != nil {
		return nil, err
	}
	if c.apiTimeout, err = s.millis("default.api.timeout.ms"); err != nil {
		return nil, err
	}
	if sink {
		if err := c.producer(s); err != nil {
			return nil, err
		}
	}
	for _, key := range harmless {
		s.used[key] = true
	}
	var strange []string
	for key := range s.values {
		if !s.used[key] {
			strange = append(strange, prefix+key)
		}
	}
	if len(strange) > 0 {
		slices.Sort(strange)
		e := invalid("The local engine cannot honour %s: only Spark, whose Kafka client is Java's, can.", strings.Join(strange, ", "))
		e.Hint = "Leave it out, or run the query on Spark."
		return nil, e
	}
	return c, nil
}

// producer reads what only a sink has. A record counts as written when all replicas have it: an epoch is committed on that word.
func (c *config) producer(s *settings) error {
	if v, ok := s.get("acks"); ok && v != "all" && v != "-1" {
		e := invalid("Option kafka.acks must be all, not %q: an epoch is committed when its records are safe.", v)
		e.Hint = "Leave it out."
		return e
	}
	if v, ok := s.get("enable.idempotence"); ok && !strings.EqualFold(v, "true") {
		e := invalid("Option kafka.enable.idempotence must be true: without it a repeated request doubles records.")
		e.Hint = "Leave it out."
		return e
	}
	if v, ok := s.get("compression.type"); ok {
		codecs := map[string]kgo.CompressionCodec{
			"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
		}
		codec, ok := codecs[strings.ToLower(v)]
		if !ok {
			return invalid("Option kafka.compression.type must be none, gzip, snappy, lz4 or zstd, not %q.", v)
		}
		c.opts = append(c.opts, kgo.ProducerBatchCompression(codec))
	}
	if n, ok, err := s.number("linger.ms", 0, 60_000); err != nil {
		return err
	} else if ok {
		c.opts = append(c.opts, kgo.ProducerLinger(time.Duration(n)*time.Millisecond))
	}
	if n, ok, err := s.number("max.request.size", 1, 1<<30); err != nil {
		return err
	} else if ok {
		c.opts = append(c.opts, kgo.ProducerBatchMaxBytes(int32(n)), kgo.BrokerMaxWriteBytes(int32(max(n, 100<<20))))
	}
	var err error
	if c.maxBlock, err = s.millis("max.block.ms"); err != nil {
		return err
	}
	if c.maxBlock > 0 {
		c.apiTimeout = c.maxBlock
	}
	d, err := s.millis("delivery.timeout.ms")
	if err != nil {
		return err
	}
	if d > 0 {
		c.deliveryTimeout = d
	}
	id, ok := s.get("transactional.id")
	c.transactionalID = id
	timeout, err := s.millis("transaction.timeout.ms")
	switch {
	case err != nil:
		return err
	case ok && id == "":
		return invalid("Option kafka.transactional.id is empty.")
	case !ok && timeout > 0:
		return invalid("Option kafka.transaction.timeout.ms belongs to transactions, and the sink has no kafka.transactional.id.")
	case timeout > 0:
		c.transactionTimeout = timeout
	default:
		c.transactionTimeout = defaultTransactionTimeout
	}
	if ok {
		c.isolation = 0 // a sink reads the topic of its epochs by rules of its own
	}
	return nil
}

// security reads security.protocol and what belongs to it.
func (c *config) security(s *settings) error {
	protocol := "PLAINTEXT"
	if v, ok := s.get("security.protocol"); ok {
		protocol = strings.ToUpper(v)
	}
	secure, auth := false, false
	switch protocol {
	case "PLAINTEXT":
	case "SSL":
		secure = true
	case "SASL_PLAINTEXT":
		auth = true
	case "SASL_SSL":
		secure, auth = true, true
	default:
		return invalid("Option kafka.security.protocol must be PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL, not %q.", protocol)
	}
	t, err := tlsConfig(s)
	if err != nil {
		return err
	}
	if secure {
		c.opts = append(c.opts, kgo.DialTLSConfig(t))
	}
	mechanism, hasMechanism := s.get("sasl.mechanism")
	jaas, hasJAAS := s.get("sasl.jaas.config")
	if hasJAAS && jaas != "" {
		c.secrets = append(c.secrets, jaas)
	}
	if !auth {
		return nil
	}
	if !hasMechanism || !hasJAAS {
		e := invalid("Option kafka.security.protocol is %s, which needs kafka.sasl.mechanism and kafka.sasl.jaas.config.", protocol)
		e.Hint = "Use connectors.SASL."
		return e
	}
	values, err := parseJAAS(jaas)
	if err != nil {
		// The text holds the password, so the error must not.
		return invalid("Option kafka.sasl.jaas.config is no login module with options: %v.", err)
	}
	user, pass := values["username"], values["password"]
	if pass != "" {
		c.secrets = append(c.secrets, pass)
	}
	if user == "" {
		return invalid("Option kafka.sasl.jaas.config names no username.")
	}
	var m sasl.Mechanism
	token := strings.EqualFold(values["tokenauth"], "true")
	switch strings.ToUpper(mechanism) {
	case "PLAIN":
		m = plain.Auth{User: user, Pass: pass}.AsMechanism()
	case "SCRAM-SHA-256":
		m = scram.Auth{User: user, Pass: pass, IsToken: token}.AsSha256Mechanism()
	case "SCRAM-SHA-512":
		m = scram.Auth{User: user, Pass: pass, IsToken: token}.AsSha512Mechanism()
	default:
		e := invalid("The local engine cannot honour kafka.sasl.mechanism %q: only Spark, whose Kafka client is Java's, can.", mechanism)
		e.Hint = "Use PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512."
		return e
	}
	c.opts, c.sasl = append(c.opts, kgo.SASL(m)), true
	return nil
}

// tlsConfig reads the options of TLS. Stores are PEM files: Java's own formats are Java's.
func tlsConfig(s *settings) (*tls.Config, error) {
	t := &tls.Config{MinVersion: tls.VersionTLS12}
	for _, side := range []string{"truststore", "keystore"} {
		if v, ok := s.get("ssl." + side + ".type"); ok && !strings.EqualFold(v, "PEM") {
			e := invalid("The local engine cannot read the %s of type %q, only PEM.", side, v)
			e.Hint = "Convert it with keytool and openssl, and set kafka.ssl." + side + ".type to PEM."
			return nil, e
		}
	}
	var roots []byte
	for _, key := range []string{"ssl.truststore.location", "ssl.ca"} {
		if path, ok := s.get(key); ok && path != "" {
			pem, err := os.ReadFile(path)
			if err != nil {
				e := invalid("The file of option kafka.%s cannot be read.", key)
				e.Cause = err
				return nil, e
			}
			roots = append(append(roots, pem...), '\n')
		}
	}
	if pem, ok := s.get("ssl.truststore.certificates"); ok {
		roots = append(roots, pem...)
	}
	if len(roots) > 0 {
		t.RootCAs = x509.NewCertPool()
		if !t.RootCAs.AppendCertsFromPEM(roots) {
			e := invalid("The certificates of option kafka.ssl.truststore.location are no PEM.")
			e.Hint = "The local engine reads PEM files only; convert a Java key store with keytool -exportcert -rfc."
			return nil, e
		}
	}
	if path, ok := s.get("ssl.keystore.location"); ok && path != "" {
		cert, err := tls.LoadX509KeyPair(path, path)
		if err != nil {
			return nil, invalid("The file of option kafka.ssl.keystore.location has no certificate with its unencrypted key in PEM.")
		}
		t.Certificates = []tls.Certificate{cert}
	}
	if chain, ok := s.get("ssl.keystore.certificate.chain"); ok {
		key, _ := s.get("ssl.keystore.key")
		cert, err := tls.X509KeyPair([]byte(chain), []byte(key))
		if err != nil {
			return nil, invalid("Options kafka.ssl.keystore.certificate.chain and kafka.ssl.keystore.key are no certificate with its unencrypted key in PEM.")
		}
		t.Certificates = []tls.Certificate{cert}
	}
	if v, ok := s.get("ssl.endpoint.identification.algorithm"); ok && v == "" {
		skipHostName(t)
	}
	return t, nil
}

// skipHostName checks the servers' certificates but not that they are for the host: what Java does with an empty
// ssl.endpoint.identification.algorithm.
func skipHostName(t *tls.Config) {
	t.InsecureSkipVerify = true
	t.VerifyConnection = func(cs tls.ConnectionState) error {
		if len(cs.PeerCertificates) == 0 {
			return errors.New("the server sent no certificate")
		}
		o := x509.VerifyOptions{Roots: t.RootCAs, Intermediates: x509.NewCertPool()}
		for _, c := range cs.PeerCertificates[1:] {
			o.Intermediates.AddCert(c)
		}
		_, err := cs.PeerCertificates[0].Verify(o)
		return err
	}
}

// parseJAAS reads the options of a JAAS login: Module required key="value" key='value' key=value;. Errors do not repeat the text.
//
// Source: Kafka's JaasConfig, which reads with Java's StreamTokenizer.
func parseJAAS(text string) (map[string]string, error) {
	tokens, err := jaasTokens(text)
	if err != nil {
		return nil, err
	}
	if len(tokens) < 3 || tokens[len(tokens)-1] != ";" {
		return nil, errors.New("it must be of the form: Module required username=\"…\" password=\"…\";")
	}
	out := map[string]string{}
	rest := tokens[2 : len(tokens)-1]
	for len(rest) > 0 {
		if len(rest) < 3 || rest[1] != "=" {
			return nil, errors.New("an option is not of the form key=\"value\"")
		}
		out[rest[0]] = rest[2]
		rest = rest[3:]
	}
	return out, nil
}

func jaasTokens(text string) ([]string, error) {
	var out []string
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case c == ';' || c == '=':
			out = append(out, string(c))
			i++
		case c == '"' || c == '\'':
			var b strings.Builder
			i++
			for ; i < len(text) && text[i] != c; i++ {
				if text[i] == '\\' && i+1 < len(text) {
					i++
					switch text[i] {
					case 'n':
						b.WriteByte('\n')
						continue
					case 't':
						b.WriteByte('\t')
						continue
					case 'r':
						b.WriteByte('\r')
						continue
					}
				}
				b.WriteByte(text[i])
			}
			if i == len(text) {
				return nil, errors.New("a quotation mark is not closed")
			}
			i++
			out = append(out, b.String())
		default:
			from := i
			for i < len(text) && !strings.ContainsRune(" \t\r\n;=\"'", rune(text[i])) {
				i++
			}
			out = append(out, text[from:i])
		}
	}
	return out, nil
}

// redacted is an error whose text had a secret in it.
type redacted struct{ text string }

func (r redacted) Error() string { return r.text }

// safe gives an error without the secrets of the options: one of the brokers' or of a library may repeat what it was given.
func (c *config) safe(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	clean := text
	for _, s := range c.secrets {
		clean = strings.ReplaceAll(clean, s, tree.Redacted)
	}
	if clean == text {
		return err
	}
	return redacted{clean}
}
