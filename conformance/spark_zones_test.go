//go:build conformance

package conformance

import (
	"testing"

	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
)

func TestSparkZones(t *testing.T) {
	requireZoneCases(t, connect(t, sparkconnect.TimeZone(zoneOfCases)))
}
