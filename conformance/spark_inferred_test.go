//go:build conformance

package conformance

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// The live Spark finds the columns that are recorded. With -record the recording is written anew.
func TestSparkInferred(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	s := connect(t)
	fresh := inferred{Spark: s.Version(), Found: map[string]Found{}}
	dir := env.Dir(t)
	for i, c := range Inferences() {
		_, twice := fresh.Found[c.Name]
		require.False(t, twice, c.Name)
		at := filepath.Join(dir, strconv.Itoa(i))
		found, err := c.Find(ctx, s, at)
		require.NoError(t, err, c.Name)
		fresh.Found[c.Name] = found
	}
	if *record {
		recordAs(t, inferredFile, fresh)
		return
	}
	require.Equal(t, recordingOf[inferred](t, inferredFile).Found, fresh.Found)
}

// Of a Parquet file that another writer made, Spark and the local engine find the same columns: those of Parquet's own types.
func TestSparkInferredParquet(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	utc := &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	types := []arrow.DataType{
		arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint8,
		arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.String,
		arrow.BinaryTypes.Binary, &arrow.FixedSizeBinaryType{ByteWidth: 4}, arrow.FixedWidthTypes.Date32, utc, &arrow.TimestampType{Unit: arrow.Microsecond},
		&arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}, &arrow.Decimal128Type{Precision: 5, Scale: 2}, &arrow.Decimal128Type{Precision: 38, Scale: 10},
		arrow.ListOf(arrow.PrimitiveTypes.Int32), arrow.ListOfNonNullable(utc), arrow.MapOf(arrow.BinaryTypes.String, arrow.ListOf(arrow.BinaryTypes.String)),
		arrow.StructOf(arrow.Field{Name: "x y", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "z", Type: arrow.BinaryTypes.Binary, Nullable: true}),
	}
	fields := make([]arrow.Field, len(types))
	for i, typ := range types {
		fields[i] = arrow.Field{Name: "c" + strconv.Itoa(i), Type: typ, Nullable: i%2 == 0}
	}
	dir := env.Dir(t)
	file := filepath.Join(dir, "a.parquet")
	f, err := os.Create(file)
	require.NoError(t, err)
	w, err := pqarrow.NewFileWriter(arrow.NewSchema(fields, nil), f, nil, pqarrow.DefaultWriterProps())
	require.NoError(t, err)
	require.NoError(t, w.Close())
	offline, err := local.Open()
	require.NoError(t, err)
	defer offline.Close()
	theirs, err := connect(t).Schema(ctx, connectors.FromParquet(dir, connectors.Inferred()))
	require.NoError(t, err)
	ours, err := offline.Schema(ctx, connectors.FromParquet(dir, connectors.Inferred()))
	require.NoError(t, err)
	require.Equal(t, datatype.DDL(theirs), datatype.DDL(ours))
	t.Log(datatype.DDL(ours))
}
