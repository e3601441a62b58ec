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
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// certificate makes a certificate that signs itself, for the given addresses, and gives its parts in PEM.
func certificate(t *testing.T, ips ...net.IP) (cert tls.Certificate, certPEM, keyPEM []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "broker"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: ips,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	certPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
	cert, err = tls.X509KeyPair(certPEM, keyPEM)
	require.NoError(t, err)
	return cert, certPEM, keyPEM
}

func file(t *testing.T, data ...[]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.pem")
	var all []byte
	for _, d := range data {
		all = append(all, d...)
	}
	require.NoError(t, os.WriteFile(path, all, 0o600))
	return path
}

func TestTLS(t *testing.T) {
	server, serverPEM, _ := certificate(t, net.IPv4(127, 0, 0, 1))
	_, clientPEM, clientKey := certificate(t)
	clients := x509.NewCertPool()
	require.True(t, clients.AppendCertsFromPEM(clientPEM))
	_, servers := cluster(t, kfake.SeedTopics(1, "t"), kfake.TLS(&tls.Config{Certificates: []tls.Certificate{server}, ClientCAs: clients, ClientAuth: tls.RequireAndVerifyClientCert}))
	mine := []connectors.Option{connectors.Set("kafka.ssl.keystore.type", "PEM"), connectors.Set("kafka.ssl.keystore.location", file(t, clientPEM, clientKey))}
	s := open(t, stream, servers, "t", append(mine, connectors.TLS(file(t, serverPEM))...)...)
	require.Equal(t, `{"t":{"0":0}}`, string(initial(t, s)))
	s = open(t, stream, servers, "t", connectors.Set("kafka.security.protocol", "SSL"), connectors.Set("kafka.ssl.truststore.certificates", string(serverPEM)),
		connectors.Set("kafka.ssl.keystore.certificate.chain", string(clientPEM)), connectors.Set("kafka.ssl.keystore.key", string(clientKey)))
	require.Equal(t, `{"t":{"0":0}}`, string(initial(t, s)))

	began := time.Now()
	_, err := open(t, stream, servers, "t", append(mine, connectors.TLS("")...)...).Initial(t.Context())
	requireCondition(t, err, condition.ConnectorFailed, "certificate")
	require.Less(t, time.Since(began), 10*time.Second, "a wrong authority does not become right by waiting")
	_, err = open(t, stream, servers, "t", append(brief, connectors.TLS(file(t, serverPEM))...)...).Initial(t.Context())
	requireCondition(t, err, condition.ConnectorFailed)
	_, err = open(t, stream, servers, "t", brief...).Initial(t.Context())
	requireCondition(t, err, condition.ConnectorFailed)
	_, err = tryOpen(stream, servers, "t", connectors.Set("kafka.ssl.keystore.location", file(t, clientPEM)))
	requireCondition(t, err, condition.InvalidOption, "kafka.ssl.keystore.location")
}

// TestHostNames has a certificate that is for another host.
func TestHostNames(t *testing.T) {
	server, serverPEM, _ := certificate(t, net.IPv4(10, 0, 0, 1))
	_, otherPEM, _ := certificate(t, net.IPv4(10, 0, 0, 1))
	_, servers := cluster(t, kfake.SeedTopics(1, "t"), kfake.TLS(&tls.Config{Certificates: []tls.Certificate{server}}))
	_, err := open(t, stream, servers, "t", connectors.TLS(file(t, serverPEM))...).Initial(t.Context())
	requireCondition(t, err, condition.ConnectorFailed, "10.0.0.1")
	lax := connectors.Set("kafka.ssl.endpoint.identification.algorithm", "")
	s := open(t, stream, servers, "t", append(connectors.TLS(file(t, serverPEM)), lax)...)
	require.Equal(t, `{"t":{"0":0}}`, string(initial(t, s)))
	_, err = open(t, stream, servers, "t", append(append(brief, connectors.TLS(file(t, otherPEM))...), lax)...).Initial(t.Context())
	requireCondition(t, err, condition.ConnectorFailed, "certificate")
}
