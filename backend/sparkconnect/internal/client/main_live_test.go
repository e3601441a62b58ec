//go:build conformance

package client

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/spoonbill-go/spoonbill/internal/testenv"
)

// env is the live Spark of the tests that are built with the tag.
var env *testenv.Env

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(testenv.Main(m, &env, testenv.WithoutKafka()))
}
