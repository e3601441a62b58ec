package client

import (
	"fmt"
	"strconv"

	"google.golang.org/protobuf/proto"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/expr/datatype"

	pb "github.com/spoonbill-go/spoonbill/backend/sparkconnect/internal/connectpb"
)

// Spark's numbers of the kinds of Python functions. Source: pyspark.util.PythonEvalType.
const (
	evalScalar         = 100
	evalStateful       = 213
	evalStatefulBeside = 214 // with a state to begin with
)

// Stateful is what a class of Python emits for the keys of a relation; version is that of the server's Python, such as "3.11".
//
// Source: PySpark's GroupedData.transformWithState.
func Stateful(s compiler.StatefulStep, version string) (*Relation, error) {
	schema, err := datatype.JSON(s.Out)
	if err != nil {
		return nil, err
	}
	method, eval := "transformWithStateUDF", int32(evalStateful)
	if s.Initial != "" {
		method, eval = "transformWithStateWithInitStateUDF", evalStatefulBeside
	}
	// The server gives the worker's Python what the name stands for. Lines of the user's source keep their numbers, which errors name.
	source := s.Python.Source + fmt.Sprintf(`

import json as _json
from pyspark.sql.streaming.stateful_processor_util import TransformWithStateInPandasUdfUtils as _Utils
from pyspark.sql.types import StructType as _StructType

_spoonbill = (_Utils(%s(), %q).%s, _StructType.fromJson(_json.loads(%s)))
`, s.Python.Class, s.Time, method, strconv.QuoteToASCII(string(schema)))
	out := &pb.DataType{Kind: &pb.DataType_Unparsed_{Unparsed: &pb.DataType_Unparsed{DataTypeString: datatype.DDL(nullable(s.Out))}}}
	g := &pb.GroupMap{
		Input: Named(s.Input), GroupingExpressions: columns(s.Keys), OutputMode: proto.String(s.Mode.String()),
		Func: &pb.CommonInlineUserDefinedFunction{
			FunctionName: method, Deterministic: true, Arguments: columns(s.Columns),
			Function: &pb.CommonInlineUserDefinedFunction_PythonUdf{PythonUdf: &pb.PythonUDF{OutputType: out, EvalType: eval, Command: pickled(source, "_spoonbill"), PythonVer: version}},
		},
		TransformWithStateInfo: &pb.TransformWithStateInfo{TimeMode: s.Time.String(), EventTimeColumnName: proto.String(s.EventTime), OutputSchema: out},
	}
	if s.Initial != "" {
		g.InitialInput, g.InitialGroupingExpressions = Named(s.Initial), columns(s.InitialKeys)
	}
	return &pb.Relation{RelType: &pb.Relation_GroupMap{GroupMap: g}}, nil
}

// PythonVersion is a relation of one row, in which a server whose Python is of another version fails, and names its own.
func PythonVersion(version string) *Relation {
	text := &pb.DataType{Kind: &pb.DataType_Unparsed_{Unparsed: &pb.DataType_Unparsed{DataTypeString: "string"}}}
	const source = "import sys\nfrom pyspark.sql.types import StringType\n_spoonbill = (lambda: '%d.%d' % sys.version_info[:2], StringType())\n"
	f := &pb.CommonInlineUserDefinedFunction{
		FunctionName: "python_version", Function: &pb.CommonInlineUserDefinedFunction_PythonUdf{PythonUdf: &pb.PythonUDF{OutputType: text, EvalType: evalScalar, Command: pickled(source, "_spoonbill"), PythonVer: version}},
	}
	return &pb.Relation{RelType: &pb.Relation_Project{Project: &pb.Project{
		Input: SQL("SELECT 1"), Expressions: []*pb.Expression{{ExprType: &pb.Expression_CommonInlineUserDefinedFunction{CommonInlineUserDefinedFunction: f}}},
	}}}
}

// columns are columns of an input by their names.
func columns(names []string) []*pb.Expression {
	out := make([]*pb.Expression, len(names))
	for i, n := range names {
		out[i] = &pb.Expression{ExprType: &pb.Expression_ExpressionString_{ExpressionString: &pb.Expression_ExpressionString{Expression: datatype.QuoteName(n)}}}
	}
	return out
}

func nullable(fields []datatype.Field) []datatype.Field {
	out := make([]datatype.Field, len(fields))
	for i, f := range fields {
		out[i] = datatype.Field{Name: f.Name, Type: datatype.AsNullable(f.Type), Nullable: true}
	}
	return out
}
