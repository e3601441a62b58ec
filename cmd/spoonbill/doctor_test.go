package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
)

// asked runs the doctor and gives what it found by check.
func asked(t *testing.T, args ...string) (map[string]finding, error) {
	t.Helper()
	t.Setenv("SPARK_REMOTE", "")
	t.Setenv("KAFKA_BROKERS", "")
	var out bytes.Buffer
	failed := doctor(t.Context(), &out, append(args, "-json"))
	var list []finding
	require.NoError(t, json.Unmarshal(out.Bytes(), &list), out.String())
	found := map[string]finding{}
	for _, f := range list {
		require.Contains(t, []string{fine, note, bad}, f.State)
		if f.State == note {
			require.NotEmpty(t, f.Do, "%v", f)
		}
		found[f.Check] = f
	}
	return found, failed
}

// free is an address at which nobody listens.
func free(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	return l.Addr().String()
}

func TestDoctor(t *testing.T) {
	found, err := asked(t)
	require.NoError(t, err, "what was not asked for is no fault")
	require.Equal(t, fine, found["engine"].State, "%v", found["engine"])
	require.Equal(t, note, found["Spark"].State)
	require.Contains(t, found["Spark"].Do, "SPARK_REMOTE")
	require.Equal(t, note, found["Kafka"].State)
	require.Contains(t, found, "Java")
	require.Contains(t, found, "Docker")

	c, err := kfake.NewCluster(kfake.NumBrokers(2))
	require.NoError(t, err)
	defer c.Close()
	found, err = asked(t, "-kafka", " "+strings.Join(c.ListenAddrs(), ", ")+",", "-checkpoint", filepath.Join(t.TempDir(), "a", "b"))
	require.NoError(t, err)
	require.Equal(t, fine, found["Kafka"].State, "%v", found["Kafka"])
	require.Contains(t, found["Kafka"].Found, "2 brokers")
	require.Equal(t, fine, found["checkpoint"].State, "%v", found["checkpoint"])
}

func TestDoctorFindsFaults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	found, err := asked(t, "-spark", "sc://"+free(t), "-kafka", free(t), "-checkpoint", filepath.Join(file, "ckpt"))
	require.ErrorContains(t, err, "3 of 6 checks found something broken")
	require.Equal(t, bad, found["Spark"].State)
	require.Contains(t, found["Spark"].Found, "cannot be reached")
	require.Contains(t, found["Spark"].Do, "15002")
	require.Equal(t, bad, found["Kafka"].State)
	require.Contains(t, found["Kafka"].Do, "advertised.listeners")
	require.Equal(t, bad, found["checkpoint"].State)

	_, err = asked(t, "-spark", "http://x")
	require.ErrorContains(t, err, "broken")
	require.ErrorContains(t, doctor(t.Context(), &bytes.Buffer{}, []string{"spark"}), "flags alone")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, doctor(ctx, &bytes.Buffer{}, nil))
}
