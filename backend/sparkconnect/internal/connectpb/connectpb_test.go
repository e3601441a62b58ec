package connectpb_test

import (
	"testing"

	// The client registers the messages that its version of Spark Connect has.
	_ "github.com/apache/spark-connect-go/spark/sql"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/spoonbill-go/spoonbill/backend/sparkconnect/internal/connectpb"
)

// newer are the fields that spark-connect-go's protocol (Spark 4.0) does not have. Their numbers were compared with the
// descriptors of pyspark 4.3.0.
var newer = map[protoreflect.FullName]bool{
	"spoonbill.connect.ExecutePlanRequest.RequestOption.result_chunking_options": true,
	"spoonbill.connect.ExecutePlanResponse.ArrowBatch.chunk_index":               true,
	"spoonbill.connect.ExecutePlanResponse.ArrowBatch.num_chunks_in_batch":       true,
	"spoonbill.connect.Read.DataSource.source_name":                              true,
	"spoonbill.connect.WriteStreamOperationStart.real_time_batch_duration":       true,
	"spoonbill.connect.Expression.Literal.time":                                  true,
	"spoonbill.connect.DataType.geometry":                                        true,
	"spoonbill.connect.DataType.geography":                                       true,
	"spoonbill.connect.DataType.time":                                            true,
	"spoonbill.connect.DataType.timestamp_ntz_nanos":                             true,
	"spoonbill.connect.DataType.timestamp_ltz_nanos":                             true,
}

// A wrong number is a message that the server reads as another one: no error tells.
func TestFieldsAgreeWithSparkConnect(t *testing.T) {
	seen := map[protoreflect.FullName]bool{}
	used := map[protoreflect.FullName]bool{}
	var compare func(ours, theirs protoreflect.MessageDescriptor)
	compare = func(ours, theirs protoreflect.MessageDescriptor) {
		if key := ours.FullName() + "=" + theirs.FullName(); seen[key] {
			return
		} else {
			seen[key] = true
		}
		for i := range ours.Fields().Len() {
			f := ours.Fields().Get(i)
			g := theirs.Fields().ByName(f.Name())
			if g == nil {
				if !newer[f.FullName()] {
					t.Errorf("%s: %s has no such field", f.FullName(), theirs.FullName())
				}
				used[f.FullName()] = true
				continue
			}
			if f.Number() != g.Number() || f.Kind() != g.Kind() || f.Cardinality() != g.Cardinality() || f.HasPresence() != g.HasPresence() {
				t.Errorf("%s: number %d, %v, %v; %s has %d, %v, %v", f.FullName(), f.Number(), f.Kind(), f.Cardinality(),
					g.FullName(), g.Number(), g.Kind(), g.Cardinality())
			}
			if (f.ContainingOneof() == nil) != (g.ContainingOneof() == nil) {
				t.Errorf("%s: in a oneof here or there only", f.FullName())
			}
			if e := f.Enum(); e != nil && g.Enum() != nil {
				for j := range e.Values().Len() {
					v := e.Values().Get(j)
					if w := g.Enum().Values().ByName(v.Name()); w != nil && w.Number() != v.Number() {
						t.Errorf("%s = %d, theirs %d", v.FullName(), v.Number(), w.Number())
					}
				}
			}
			if f.Message() != nil && g.Message() != nil {
				compare(f.Message(), g.Message())
			}
		}
	}
	messages := connectpb.File_spoonbill_connect_proto.Messages()
	for i := range messages.Len() {
		ours := messages.Get(i)
		theirs, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName("spark.connect").Append(ours.Name()))
		if err != nil {
			// A message that is reached through a newer field only.
			if ours.Name() != "ResultChunkingOptions" {
				t.Errorf("%s: %v", ours.FullName(), err)
			}
			continue
		}
		compare(ours, theirs.(protoreflect.MessageDescriptor))
	}
	if len(seen) < 80 {
		t.Errorf("only %d messages were compared", len(seen))
	}
	for name := range newer {
		if !used[name] {
			t.Errorf("%s: spark-connect-go has it now, take it off the list", name)
		}
	}
}
