// Package testenv gives a test a live Spark Connect server and a live Kafka
// broker, either those that the environment names or a pair of containers that
// it starts from the images of images/setup.sh and removes again, whichever way
// the test process ends.
//
//	var env *testenv.Env
//
//	func TestMain(m *testing.M) { os.Exit(testenv.Run(m, &env)) }
//
//	func TestRoundTrip(t *testing.T) {
//		dir := env.Dir(t)           // Spark sees this folder under the same path
//		env.Spark.Remote            // "sc://127.0.0.1:…"
//		env.Kafka.Host              // for a client in the test
//		env.Kafka.FromSpark         // for an option of a Spark source or sink
//		env.Kafka.Kill(t.Context()) // the broker dies; Start brings it back
//	}
//
// The variables SPARK_REMOTE, KAFKA_BROKERS, KAFKA_BROKERS_FROM_SPARK and
// SPOONBILL_DATA name servers that run already, as "images/serve.sh start"
// prints them. Each of the two servers is looked up on its own: with
// SPARK_REMOTE alone, Kafka still comes from a container.
//
// Everything but this page is built with the tag "conformance" alone, so that a
// plain "go test ./..." compiles no Docker client.
package testenv
