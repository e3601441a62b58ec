package client

import (
	"encoding/binary"

	pb "github.com/spoonbill-go/spoonbill/backend/sparkconnect/internal/connectpb"
)

// PythonFunction is the function of a name that Python source defines, for a server of a Python version such as "3.11".
func PythonFunction(source, name, version string) *pb.StreamingForeachFunction {
	return &pb.StreamingForeachFunction{Function: &pb.StreamingForeachFunction_PythonFunction{PythonFunction: &pb.PythonUDF{Command: pickled(source, name), PythonVer: version}}}
}

// pickled is what a name stands for that Python source defines. What is sent is a pickle of the protocol's version 2: the call of eval with an expression that runs the source and gives the
// value. So it needs no pickled code, which differs from version to version.
func pickled(source, name string) []byte {
	const run = `(lambda ns: (exec(compile(S, '<spoonbill>', 'exec'), ns), ns[N])[1])({'__name__': 'spoonbill'})`
	text := func(b []byte, s string) []byte {
		b = append(b, 'X') // BINUNICODE
		b = binary.LittleEndian.AppendUint32(b, uint32(len(s)))
		return append(b, s...)
	}
	b := []byte{0x80, 2} // PROTO 2
	b = append(b, "cbuiltins\neval\n"...)
	b = text(b, run)
	b = append(b, '}') // EMPTY_DICT
	b = text(b, "S")
	b = text(b, source)
	b = append(b, 's') // SETITEM
	b = text(b, "N")
	b = text(b, name)
	b = append(b, 's', 0x86, 'R', '.') // SETITEM, TUPLE2, REDUCE, STOP
	return b
}
