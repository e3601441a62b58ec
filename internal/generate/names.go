package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strings"
)

// calledWithNothing are the packages whose exported names a test calls with nothing: those that users call, without the functions that the catalogue makes.
var calledWithNothing = []string{"expr", "expr/keyed", "expr/pattern", "expr/selectors", "window", "connectors", "compiler", "backend", "backend/local", "backend/sparkconnect"}

// names gives the Go source of conformance.zeroNames: a pointer to the zero value of every exported type, and every exported function.
func names(root string) string {
	var imports, list strings.Builder
	for _, dir := range calledWithNothing {
		fmt.Fprintf(&imports, "\t\"github.com/spoonbill-go/spoonbill/%s\"\n", dir)
		fmt.Fprintf(&list, "\t\t// %s\n", dir)
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.go"))
		if err != nil || len(files) == 0 {
			fail(fmt.Errorf("%s has no Go files: %v", dir, err))
		}
		for _, file := range files { // Glob sorts them
			if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "_gen.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				fail(err)
			}
			for _, d := range f.Decls {
				for _, name := range exported(path.Base(dir), d) {
					fmt.Fprintf(&list, "\t\t%s,\n", name)
				}
			}
		}
	}
	return "// Code generated from the exported names by internal/generate; DO NOT EDIT.\n\npackage conformance\n\nimport (\n" + imports.String() + ")\n\n" +
		"// zeroNames has every exported type, as a pointer to its zero value, and every exported function that users call.\n" +
		"func zeroNames() []any {\n\treturn []any{\n" + list.String() + "\t}\n}\n"
}

// exported gives the expressions for what a declaration exports. What is generic is there for each choice of its types.
func exported(pkg string, d ast.Decl) (out []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.IsExported() {
			for _, args := range typeArguments(pkg, d.Type.TypeParams) {
				out = append(out, pkg+"."+d.Name.Name+args)
			}
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			x, ok := spec.(*ast.TypeSpec)
			if !ok || !x.Name.IsExported() {
				continue
			}
			if _, ok := x.Type.(*ast.InterfaceType); ok {
				continue
			}
			for _, args := range typeArguments(pkg, x.TypeParams) {
				out = append(out, "new("+pkg+"."+x.Name.Name+args+")")
			}
		}
	}
	return out
}

// typeArguments gives the lists of types to take for type parameters, by their constraints: rows are a struct, and where results are read a number too.
func typeArguments(pkg string, params *ast.FieldList) []string {
	if params == nil {
		return []string{""}
	}
	choice := func(row string) string {
		var args []string
		for _, p := range params.List {
			arg := "expr.Value"
			switch c := p.Type.(type) {
			case *ast.Ident:
				if c.Name == "any" {
					arg = row
				}
			case *ast.IndexExpr: // Family[V]
				arg = "expr.NumericValue"
			}
			for range p.Names {
				args = append(args, arg)
			}
		}
		return "[" + strings.Join(args, ", ") + "]"
	}
	if pkg == "backend" {
		return []string{choice("int64"), choice("zeroRow")}
	}
	return []string{choice("zeroRow")}
}
