package kafka

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// certificate makes a self-signed certificate for 127.0.0.1 and a PEM file of it.
func certificate(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "kafka"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

// TestTLSAndSASL goes from the user's description to a server that wants both, and fails clearly without either.
func TestTLSAndSASL(t *testing.T) {
	cert, file := certificate(t)
	_, servers := cluster(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{cert}}), kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-512", "joe", `p"w\x`), kfake.SeedTopics(1, "t"))
	try := func(opts ...connectors.Option) error {
		opts = append(opts, connectors.Set("kafka.default.api.timeout.ms", "3000"))
		desc, err := connectors.FromKafka(servers, "t", connectors.Codec{}, opts...).Source()
		require.NoError(t, err)
		s, err := connector.OpenSource(t.Context(), connector.Env{}, desc)
		if err != nil {
			return err
		}
		_, err = s.Initial(t.Context())
		require.NoError(t, s.Close())
		return err
	}
	trusted := []connectors.Option{connectors.Set("kafka.ssl.truststore.type", "PEM"), connectors.Set("kafka.ssl.truststore.location", file)}
	require.NoError(t, try(append(trusted, connectors.SASL(connectors.ScramSHA512, "joe", `p"w\x`, true)...)...))

	for name, opts := range map[string][]connectors.Option{
		"wrong password": append(trusted, connectors.SASL(connectors.ScramSHA512, "joe", "hunter22", true)...),
		"no trust":       connectors.SASL(connectors.ScramSHA512, "joe", `p"w\x`, true),
		"no TLS":         connectors.SASL(connectors.ScramSHA512, "joe", `p"w\x`, false),
		"no SASL":        connectors.TLS(file),
	} {
		err := try(opts...)
		require.Equal(t, condition.ConnectorFailed, condition.Of(err), name)
		require.False(t, strings.Contains(err.Error(), "hunter22") || strings.Contains(err.Error(), `p"w`), "%s shows a password: %v", name, err)
	}
	require.Equal(t, condition.Unsupported, condition.Of(try(append(connectors.TLS(""), connectors.Set("kafka.ssl.truststore.location", "/x.jks"))...)))
	require.Equal(t, condition.InvalidOption, condition.Of(try(connectors.TLS("/no/such.pem")...)))
}
