//go:build tools

// Package deps keeps the modules that the design names in go.mod until something imports them.
package deps

import (
	_ "github.com/apache/arrow-go/v18/arrow/array"
	_ "github.com/apache/arrow-go/v18/arrow/ipc"
	_ "github.com/apache/arrow-go/v18/parquet/pqarrow"
	_ "github.com/apache/spark-connect-go/spark/sql"
	_ "github.com/cockroachdb/datadriven"
	_ "github.com/cockroachdb/pebble/v2/vfs"
	_ "github.com/goccy/go-json"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/google/uuid"
	_ "github.com/stretchr/testify/require"
	_ "github.com/testcontainers/testcontainers-go"
	_ "github.com/twmb/franz-go/pkg/kadm"
	_ "github.com/twmb/franz-go/pkg/kfake"
	_ "github.com/twmb/franz-go/pkg/kgo"
	_ "go.uber.org/goleak"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/text/cases"
	_ "google.golang.org/grpc"
	_ "google.golang.org/protobuf/proto"
)
