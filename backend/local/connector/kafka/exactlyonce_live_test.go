//go:build conformance

package kafka_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/spoonbill-go/spoonbill/backend/local/connector/kafka"
)

// A process that writes to a real Kafka and is killed again and again loses no row and writes none twice.
func TestRealBrokerExactlyOnceKilledProcess(t *testing.T) {
	servers := kafka.LiveKafka()
	kc, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(servers, ",")...))
	require.NoError(t, err)
	defer kc.Close()
	admin := kadm.NewClient(kc)
	killedProcess(t, servers, func(topic string) {
		made, err := admin.CreateTopic(t.Context(), 3, 1, nil, topic)
		require.NoError(t, err)
		require.NoError(t, made.Err)
		t.Cleanup(func() {
			kc, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(servers, ",")...))
			if err != nil {
				return
			}
			defer kc.Close()
			_, _ = kadm.NewClient(kc).DeleteTopics(context.Background(), topic, topic+"-epochs")
		})
	}, 60, 20)
}
