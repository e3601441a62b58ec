//go:build conformance

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The images have Kafka's and Avro's jars, and no Kinesis.
func TestLiveDoctor(t *testing.T) {
	remote, brokers := env.Spark.Remote, env.Kafka.Host
	found, err := asked(t, "-spark", remote, "-kafka", brokers)
	require.NoError(t, err, "%v", found)
	require.Equal(t, fine, found["Spark"].State, "%v", found["Spark"])
	require.Contains(t, found["Spark"].Found, "version 4.")
	require.Equal(t, fine, found["Kafka jar"].State, "%v", found["Kafka jar"])
	require.Equal(t, fine, found["Avro jar"].State, "%v", found["Avro jar"])
	require.Equal(t, note, found["Kinesis jar"].State, "%v", found["Kinesis jar"])
	require.Equal(t, fine, found["Kafka"].State, "%v", found["Kafka"])
}
