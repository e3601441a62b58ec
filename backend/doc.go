// Package backend holds what the backends of Spoonbill share: a query's handle and progress, the stream of a result's batches, the
// decoding of rows into Go values, and the texts that Spark prints (show, printSchema, casts to string).
//
// It knows no gRPC and no file format: a program that runs on one backend does not link the other.
package backend
