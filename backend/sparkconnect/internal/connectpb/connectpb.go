// Package connectpb holds the messages of Spark Connect that Spoonbill sends and reads, generated from connect.proto.
//
// They are declared here, and not taken from spark-connect-go, for three reasons: that module keeps its own in an internal
// package, lacks fields of Spark 4.2 and 4.3 (the real-time trigger among them), and registers the name spark.connect, which a
// process may register once.
package connectpb

//go:generate go run -C gen .

// The methods of the service, for [google.golang.org/grpc.ClientConn.Invoke] and NewStream.
const (
	MethodExecutePlan       = "/spark.connect.SparkConnectService/ExecutePlan"
	MethodAnalyzePlan       = "/spark.connect.SparkConnectService/AnalyzePlan"
	MethodConfig            = "/spark.connect.SparkConnectService/Config"
	MethodInterrupt         = "/spark.connect.SparkConnectService/Interrupt"
	MethodReattachExecute   = "/spark.connect.SparkConnectService/ReattachExecute"
	MethodReleaseExecute    = "/spark.connect.SparkConnectService/ReleaseExecute"
	MethodReleaseSession    = "/spark.connect.SparkConnectService/ReleaseSession"
	MethodFetchErrorDetails = "/spark.connect.SparkConnectService/FetchErrorDetails"
)
