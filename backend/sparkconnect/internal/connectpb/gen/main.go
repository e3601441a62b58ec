// Command gen writes connect.pb.go from connect.proto.
//
// It needs no protoc: the file is parsed by protocompile, and the code is written by the library behind protoc-gen-go. It is
// a module of its own, so that a user of Spoonbill does not depend on a compiler.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/cmd/protoc-gen-go/internal_gengo"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

const source, target = "connect.proto", "connect.pb.go"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run() error {
	compiler := protocompile.Compiler{
		Resolver:       &protocompile.SourceResolver{ImportPaths: []string{".."}},
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(context.Background(), source)
	if err != nil {
		return err
	}
	// The file is registered under its full path, since a Go process may hold "connect.proto" once.
	file := protodesc.ToFileDescriptorProto(files[0])
	file.Name = proto.String("spoonbill/" + source)
	plugin, err := protogen.Options{}.New(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{file.GetName()},
		ProtoFile:      []*descriptorpb.FileDescriptorProto{file},
	})
	if err != nil {
		return err
	}
	for _, f := range plugin.Files {
		internal_gengo.GenerateFile(plugin, f)
	}
	out := plugin.Response()
	if out.Error != nil {
		return fmt.Errorf("%s", out.GetError())
	}
	return os.WriteFile("../"+target, []byte(out.GetFile()[0].GetContent()), 0o644)
}
