package conformance

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// reportedCase is a fault of streaming, or of a client of Spark Connect, that was reported in public against a system that does this job, with what shows the right answer here: scripts of epochs by their names, which both backends answer, and tests
// by their packages and names.
type reportedCase struct {
	report, what string
	scripts      []string
	tests        []string
}

var reportedCases = []reportedCase{
	{"apache/spark#17371", "a window of the column of the table below the watermark", []string{"a window of the parent's column"}, nil},
	{"SPARK-26154", "a pair that meets in the epoch in which both leave the state gives no row of nulls",
		[]string{"inner join of a pair in one epoch", "left join of a pair in one epoch", "right join of a pair in one epoch", "full join of a pair in one epoch", "semi join of a pair in one epoch", "anti join of a pair in one epoch", "left join of a pair in two epochs"},
		[]string{"backend/local TestOuterJoinInOneEpoch"}},
	{"SPARK-38684", "a row of a key comes while another one of it leaves the state",
		[]string{"left join with a row of a key that expires", "right join with a row of a key that expires", "full join with a row of a key that expires", "semi join with a row of a key that expires", "anti join with a row of a key that expires"}, nil},
	{"apache/spark#40561", "a key is remembered until the watermark is past its time and the delay",
		[]string{"duplicates within a delay, in turn", "duplicates within a delay, at its end", "duplicates within a delay, behind it", "duplicates within a delay, while the watermark is within it", "duplicates within a delay, in one epoch"}, nil},
	{"apache/spark#17268", "a deduplication by columns without the time keeps its keys for ever, which a lint tells", []string{"duplicates by a key without the time", "duplicates by a key with the time"}, []string{"compiler TestLints"}},
	{"apache/spark#31937", "a row between two sessions makes one of them", []string{"a row that joins two sessions", "a row that joins two sessions in one epoch", "a row that touches a session"}, nil},
	{"hazelcast/hazelcast-jet#747", "a row behind the watermark opens no session and is counted", []string{"a late row of a session", "a late row that would grow an open session"}, nil},
	{"apache/spark#17202", "delays below nothing are refused", []string{"a delay of 1 day -10 seconds", "a delay of 0 seconds", "a delay of 1 month"}, []string{"expr TestDelays"}},
	{"apache/spark#19239", "several watermarks give the least or the greatest, as the checkpoint has it", []string{"the least of two watermarks", "a watermark of a stream without rows"},
		[]string{"conformance TestLocalPolicies", "conformance TestSparkPolicies", "backend/local TestWatermarkPolicy"}},
	{"apache/spark#19137", "the sliding windows of a moment", []string{"the sliding windows of a moment"}, nil},
	{"SPARK-39650", "a deduplication goes on with a new column", nil, []string{"backend/local TestDedupResumesWithANewColumn", "conformance TestSparkDedupResumesWithANewColumn"}},
	{"feldera/feldera#3164", "a late row within the delay counts", []string{"a late row within the delay"}, nil},
	{"redpanda-data/connect#1581", "windows of long ago close by event time", []string{"rows of long ago", "rows before 1970"}, nil},
	{"apache/spark-connect-go#154", "every batch of a result is read", nil, []string{"conformance TestReportedOfClients", "backend/sparkconnect/internal/client TestLiveBatches"}},
	{"apache/spark-connect-go#86", "names and values of columns stand in one order", nil, []string{"conformance TestReportedOfClients", "backend/sparkconnect TestLiveRows"}},
	{"apache/spark-connect-go#73", "new columns come in the order of their arguments", nil, []string{"conformance TestReportedOfClients"}},
	{"apache/spark-connect-go, reading", "a result without rows has its columns, a session that is closed is released, and the result of a streaming command arrives", nil,
		[]string{"conformance TestReportedOfClients", "backend/sparkconnect/internal/client TestLiveSession", "backend/sparkconnect/internal/client TestLiveStream"}},
	{"SPARK-48056", "a plan of which nothing has arrived is run again where the server forgot it", nil, []string{"backend/sparkconnect/internal/client TestLiveReattach", "backend/sparkconnect/internal/client TestLiveSessionGone"}},
}

// Every reported fault has tests, which are there: its scripts are recorded, and its tests stand in their packages.
func TestReportedFaultsAreTested(t *testing.T) {
	t.Parallel()
	have, err := loadEpochs()
	require.NoError(t, err)
	used := map[string]bool{}
	for _, c := range reportedCases {
		require.NotEmpty(t, slices.Concat(c.scripts, c.tests), c.report)
		for _, s := range c.scripts {
			used["reported: "+s] = true
			if _, ok := have.Answers["reported: "+s]; !ok {
				t.Errorf("%s: no script %q is recorded", c.report, s)
			}
		}
		for _, test := range c.tests {
			folder, name, _ := strings.Cut(test, " ")
			files, err := filepath.Glob(filepath.Join("..", folder, "*_test.go"))
			require.NoError(t, err)
			found := slices.ContainsFunc(files, func(path string) bool {
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				return regexp.MustCompile(`(?m)^func ` + name + `\(`).Match(text)
			})
			if !found {
				t.Errorf("%s: there is no %s", c.report, test)
			}
		}
	}
	require.GreaterOrEqual(t, len(used), 25)
}
