package backend

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/internal/javanum"
)

// Each line of the file is what a live Spark 4.3.0 sent to a listener.
func TestProgressIsSparksText(t *testing.T) {
	data, err := os.ReadFile("testdata/progress.jsonl")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	require.Greater(t, len(lines), 3)
	for _, line := range lines {
		var p Progress
		require.NoError(t, json.Unmarshal([]byte(line), &p))
		back, err := json.Marshal(p)
		require.NoError(t, err)
		require.Equal(t, line, string(back))
		require.Equal(t, line, p.String())
	}
}

func TestProgressOfConnect(t *testing.T) {
	const listener = `{"id":"a","runId":"b","name":null,"timestamp":"t","batchId":1,"batchDuration":2,"numInputRows":5,"inputRowsPerSecond":2.4,"processedRowsPerSecond":0.3,"durationMs":{"addBatch":1},"stateOperators":[],"sources":[{"description":"x","startOffset":null,"endOffset":{"p":[1]},"latestOffset":"plain","numInputRows":2,"inputRowsPerSecond":1.2,"processedRowsPerSecond":0.3},{"description":"y","startOffset":6,"endOffset":7,"latestOffset":7,"numInputRows":3,"inputRowsPerSecond":1.2,"processedRowsPerSecond":0.0}],"sink":{"description":"s","numOutputRows":-1}}`
	const connect = `{"id":"a","runId":"b","name":null,"timestamp":"t","batchId":1,"batchDuration":2,"durationMs":{"addBatch":1},"eventTime":{},"stateOperators":[],"sources":[{"description":"x","startOffset":null,"endOffset":"{\"p\":[1]}","latestOffset":"plain","numInputRows":2,"inputRowsPerSecond":1.2,"processedRowsPerSecond":0.25,"metrics":{}},{"description":"y","startOffset":"6","endOffset":"7","latestOffset":"7","numInputRows":3,"inputRowsPerSecond":1.2,"processedRowsPerSecond":0.0,"metrics":{}}],"sink":{"description":"s","numOutputRows":-1,"metrics":{}},"observedMetrics":{}}`
	var p Progress
	require.NoError(t, json.Unmarshal([]byte(connect), &p))
	require.EqualValues(t, 5, p.NumInputRows)
	require.Equal(t, listener, p.String())
}

func TestProgressWithoutRates(t *testing.T) {
	const text = `{"id":"a","runId":"b","name":"n","timestamp":"t","batchId":0,"batchDuration":0,"numInputRows":0,"durationMs":{},"stateOperators":[],"sources":[{"description":"x","startOffset":null,"endOffset":null,"latestOffset":null,"numInputRows":0}],"sink":{"description":"s","numOutputRows":-1},"later":{"a":1}}`
	var p Progress
	require.NoError(t, json.Unmarshal([]byte(text), &p))
	require.True(t, math.IsNaN(float64(p.InputRowsPerSecond)))
	require.True(t, math.IsNaN(float64(p.Sources[0].ProcessedRowsPerSecond)))
	require.Equal(t, text, p.String())
	require.JSONEq(t, `{"a":1}`, string(p.Rest["later"]))

	empty, err := json.Marshal(Progress{})
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(empty, &p))
	require.Error(t, json.Unmarshal([]byte(`{"batchId":"x"}`), &p))
}

func TestParseEvent(t *testing.T) {
	e, err := ParseEvent(Terminated, []byte(`{"id":"a","runId":"b","exception":null,"errorClassOnException":null}`))
	require.NoError(t, err)
	require.Equal(t, Event{Kind: Terminated, ID: "a", RunID: "b"}, e)
	e, err = ParseEvent(Terminated, []byte(`{"id":"a","runId":"b","exception":"boom","errorClassOnException":"STREAM_FAILED"}`))
	require.NoError(t, err)
	require.Equal(t, "boom", e.Exception)
	require.Equal(t, "STREAM_FAILED", e.ErrorClass)
	_, err = ParseEvent(Progressed, []byte(`{}`))
	require.Error(t, err)
}

func TestJavaDouble(t *testing.T) {
	for want, v := range map[string]float64{
		"0.0": 0, "-0.0": math.Copysign(0, -1), "1.0": 1, "100.0": 100, "0.001": 0.001, "9.99E-4": 0.000999, "1.0E7": 1e7, "9999999.0": 9999999, "1.2345678E7": 12345678,
		"4.9E-324": 5e-324, "1.7976931348623157E308": math.MaxFloat64, "2.0E23": 2e23, "NaN": math.NaN(), "-Infinity": math.Inf(-1), "0.1": 0.1, "-1.5E-5": -1.5e-5,
	} {
		require.Equal(t, want, string(javanum.AppendFloat(nil, v, 64)))
	}
	for want, v := range map[string]float32{"0.1": 0.1, "3.4028235E38": math.MaxFloat32, "1.4E-45": math.SmallestNonzeroFloat32, "1.6777216E7": 1 << 24} {
		require.Equal(t, want, string(javanum.AppendFloat(nil, float64(v), 32)))
	}
}
