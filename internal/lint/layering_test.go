package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/spoonbill-go/spoonbill"

// layer says what one part of the module may import. Patterns are paths below
// the module's root: "expr" is that package, "expr/..." it and all below it,
// "." the root package.
type layer struct {
	packages string
	// imports are the parts of this module that the packages may name. A package
	// may always import what its own pattern covers, and anyone's internal helpers
	// that Go itself allows, as far as the rules on modules below let it.
	imports []string
	// free lifts the rule on imports: the package stands above all layers.
	free bool
	// light holds the packages to what builds quickly: none of heavy, not even
	// through others.
	light bool
}

// layers is the order of the module, the most special pattern first: the first
// row that covers a package governs it. A package that no row covers is a
// finding, so that a new part of the module gets its place by decision.
var layers = []layer{
	{packages: "expr/condition", light: true},
	{packages: "expr/datatype", imports: []string{"expr/condition"}, light: true},
	{packages: "expr/catalog/...", imports: []string{"expr/datatype", "expr/condition"}, light: true},
	{packages: "expr/tree/...", imports: []string{"expr/catalog", "expr/datatype", "expr/condition"}, light: true},
	{packages: "expr/...", light: true},
	{packages: "window/...", imports: []string{"expr/..."}, light: true},
	{packages: "connectors/...", imports: []string{"expr/..."}, light: true},
	{packages: "compiler/...", imports: []string{"expr/...", "window/...", "connectors/..."}, light: true},
	{packages: ".", imports: []string{"expr/...", "window/...", "connectors/...", "compiler/..."}, light: true},

	// The two backends do not know each other; what they share lies beside them.
	{packages: "backend/sparkconnect/...", imports: []string{"expr/...", "window/...", "connectors/...", "compiler/...", "backend", "backend/arrowtype"}},
	{packages: "backend/local/...", imports: []string{"expr/...", "window/...", "connectors/...", "compiler/...", "backend", "backend/arrowtype"}},
	{packages: "backend/...", imports: []string{"expr/...", "window/...", "connectors/...", "compiler/..."}},

	// A kit for tests: nothing of the module but examples and conformance builds on it.
	{packages: "streamtest", imports: []string{"expr/...", "connectors/...", "backend", "backend/local", "backend/local/connector"}},
	// What watches queries knows no backend from the inside.
	{packages: "observe/...", imports: []string{"expr/condition", "compiler", "backend"}},

	{packages: "bench/...", free: true},
	{packages: "cmd/...", free: true},
	{packages: "conformance/...", free: true},
	{packages: "docs/...", free: true},
	{packages: "examples/...", free: true},
	{packages: "internal/...", free: true},
}

// heavy are the modules and packages that a program which only prints SQL must
// not have to build. Arrow's own array packages are small and not among them.
var heavy = []string{
	"google.golang.org/grpc",
	"github.com/twmb/franz-go",
	"github.com/apache/arrow-go/v18/parquet",
	"github.com/apache/arrow-go/v18/arrow/compute",
	"github.com/apache/spark-connect-go",
	"github.com/cockroachdb/pebble",
	"github.com/testcontainers/testcontainers-go",
	module + "/backend",
}

// goPackage is what "go list" says of a package of this module.
type goPackage struct {
	ImportPath string
	Imports    []string
	Deps       []string // all that it imports, directly or not
}

func (p goPackage) rel() string {
	if p.ImportPath == module {
		return "."
	}
	return strings.TrimPrefix(p.ImportPath, module+"/")
}

// covers tells whether a pattern of layers means the package at path rel.
func covers(pattern, rel string) bool {
	base, deep := strings.CutSuffix(pattern, "/...")
	return rel == base || deep && strings.HasPrefix(rel, base+"/")
}

func checkLayering(layers []layer, packages []goPackage) []finding {
	var out []finding
	for _, p := range packages {
		rel := p.rel()
		i := slices.IndexFunc(layers, func(l layer) bool { return covers(l.packages, rel) })
		if i < 0 {
			out = append(out, finding{rel, 0, "no row of layers in internal/lint covers this package: decide what it may import"})
			continue
		}
		l := layers[i]
		for _, imported := range p.Imports {
			inner, ours := strings.CutPrefix(imported, module+"/")
			if !ours || l.free || covers(l.packages, inner) || strings.HasPrefix(inner, "internal/") {
				continue
			}
			if !slices.ContainsFunc(l.imports, func(pattern string) bool { return covers(pattern, inner) }) {
				out = append(out, finding{rel, 0, fmt.Sprintf("imports %s; %s may import %v of this module", inner, l.packages, l.imports)})
			}
		}
		if !l.light {
			continue
		}
		for _, h := range heavy {
			if i := slices.IndexFunc(p.Deps, func(dep string) bool { return under(h, dep) }); i >= 0 {
				out = append(out, finding{rel, 0, fmt.Sprintf("depends on %s, which a program that only compiles must not have to build", p.Deps[i])})
			}
		}
	}
	return out
}

// under tells whether dep is a package of the module or folder root, of any
// major version.
func under(root, dep string) bool {
	rest, ok := strings.CutPrefix(dep, root)
	return ok && (rest == "" || rest[0] == '/')
}

func listPackages(t *testing.T, root string) []goPackage {
	t.Helper()
	// -e: code that does not compile yet is for the compiler to report.
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,Deps", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %s", exit.Stderr)
		}
		t.Fatal(err)
	}
	var packages []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := dec.Decode(&p); err == io.EOF {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

func TestLayering(t *testing.T) {
	check := func(name, rel string, imports []string, deps []string, want ...string) {
		t.Run(name, func(t *testing.T) {
			p := goPackage{ImportPath: module + "/" + rel, Deps: deps}
			if rel == "." {
				p.ImportPath = module
			}
			for _, i := range imports {
				p.Imports = append(p.Imports, module+"/"+i)
			}
			expect(t, checkLayering(layers, []goPackage{p}), want...)
		})
	}
	check("catalog on its layer", "expr/catalog", []string{"expr/datatype", "expr/condition", "internal/text"}, nil)
	check("catalog on tree", "expr/catalog", []string{"expr/tree"}, nil, "0: imports expr/tree")
	check("datatype on catalog", "expr/datatype", []string{"expr/catalog"}, nil, "0: imports expr/catalog")
	check("tree on its layer", "expr/tree", []string{"expr/catalog", "expr/datatype", "expr/condition"}, nil)
	check("tree on expr", "expr/tree", []string{"expr"}, nil, "0: imports expr;")
	check("expr on all below it", "expr", []string{"expr/tree", "expr/catalog"}, nil)
	check("expr on window", "expr", []string{"window"}, nil, "0: imports window")
	check("functions on expr", "expr/functions", []string{"expr"}, nil)
	check("window on connectors", "window", []string{"connectors", "expr"}, nil, "0: imports connectors")
	check("compiler on those", "compiler/analyze", []string{"compiler", "expr/tree", "connectors", "window"}, nil)
	check("compiler on a backend", "compiler", []string{"backend"}, []string{module + "/backend"}, "0: imports backend", "0: depends on")
	check("one backend on the other", "backend/sparkconnect", []string{"backend", "backend/local/kernel"}, nil, "0: imports backend/local/kernel")
	check("command on everything", "cmd/spoonbill", []string{"backend/local", "conformance"}, nil)
	check("no row", "elsewhere", nil, nil, "0: no row")
	check("a name that only begins alike", "expression", nil, nil, "0: no row")

	check("gRPC through another", "expr", nil, []string{"fmt", "google.golang.org/grpc/codes"}, "0: google.golang.org/grpc/codes")
	check("Kafka", "connectors", nil, []string{"github.com/twmb/franz-go/pkg/kgo"}, "0: franz-go")
	check("Parquet and compute", "window", nil,
		[]string{"github.com/apache/arrow-go/v18/arrow/compute", "github.com/apache/arrow-go/v18/parquet/file"}, "0: parquet", "0: compute")
	check("Pebble of any version", "compiler/sparksql", nil, []string{"github.com/cockroachdb/pebble/v2/vfs"}, "0: pebble")
	check("Arrow's arrays", "expr", nil, []string{"github.com/apache/arrow-go/v18/arrow/array"})
	check("backends may", "backend/local", nil, []string{"github.com/twmb/franz-go/pkg/kgo"})
}

func TestListPackages(t *testing.T) {
	packages := listPackages(t, moduleRoot(t))
	i := slices.IndexFunc(packages, func(p goPackage) bool { return p.rel() == "internal/lint" })
	if i < 0 {
		t.Errorf("%d packages, without this one", len(packages))
	}
}
