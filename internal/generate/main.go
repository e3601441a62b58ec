// Command generate writes what is made from tables in the code: of the catalogue the fluent methods, expr/functions and the reference; of the rules and
// lints of streaming queries their page; of the exported names the list that a test calls with nothing. With -check it writes nothing and fails where a file differs.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"

	"github.com/spoonbill-go/spoonbill/compiler/analyze"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
)

const header = "// Code generated from expr/catalog by internal/generate; DO NOT EDIT.\n\n"

func main() {
	root := flag.String("root", ".", "the module's folder")
	check := flag.Bool("check", false, "fail where a file is not what it should be")
	flag.Parse()
	files := map[string][]byte{
		"expr/methods_gen.go":                gofmt(methods()),
		"expr/functions/functions_gen.go":    gofmt(functions()),
		"docs/functions.md":                  reference(),
		"docs/streaming-rules.md":            rules(),
		"conformance/zero_names_gen_test.go": gofmt(names(*root)),
	}
	stale := 0
	for name, text := range files {
		path := filepath.Join(*root, name)
		have, _ := os.ReadFile(path)
		if bytes.Equal(have, text) {
			continue
		}
		if *check {
			fmt.Fprintf(os.Stderr, "%s is not up to date: run make generate\n", name)
			stale++
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			fail(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			fail(err)
		}
	}
	if stale > 0 {
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func gofmt(src string) []byte {
	out, err := format.Source([]byte(src))
	if err != nil {
		fmt.Fprintln(os.Stderr, src)
		fail(err)
	}
	return out
}

func families() []catalog.Family {
	var out []catalog.Family
	for f := catalog.AnyFamily; f <= catalog.WindowFamily; f++ {
		out = append(out, f)
	}
	return out
}

func methods() string {
	var b strings.Builder
	b.WriteString(header)
	b.WriteString("package expr\n\nimport \"github.com/spoonbill-go/spoonbill/expr/condition\"\nimport \"github.com/spoonbill-go/spoonbill/expr/datatype\"\n\nvar (\n")
	for _, f := range catalog.All() {
		if f.Method != "" {
			fmt.Fprintf(&b, "\tmethod%s = fn(%q)\n", f.Go, f.Name)
		}
	}
	b.WriteString(")\n\n")
	for _, fam := range families() {
		v := fam.String() + "Value"
		fmt.Fprintf(&b, "// As names the value: the column that it becomes has that name, which may be any text.\nfunc (v %s) As(name string) %s { return named(v, name) }\n\n", v, v)
		fmt.Fprintf(&b, "// Cast gives the value as another type by Spark's rules; under ANSI what does not fit is an error.\nfunc (v %s) Cast(t datatype.Type) AnyValue { return AnyValue{castTo(condition.Here(1), v, t, false)} }\n\n", v)
		fmt.Fprintf(&b, "// TryCast is Cast that gives null where the value does not fit.\nfunc (v %s) TryCast(t datatype.Type) AnyValue { return AnyValue{castTo(condition.Here(1), v, t, true)} }\n\n", v)
		fmt.Fprintf(&b, "// Desc is the value as a sort key from great to small, nulls last.\nfunc (v %s) Desc() Ordering { return ordering(v, true) }\n\n", v)
		fmt.Fprintf(&b, "// Asc is the value as a sort key from small to great, nulls first.\nfunc (v %s) Asc() Ordering { return ordering(v, false) }\n\n", v)
		fmt.Fprintf(&b, "// Over computes the aggregates and window functions in the value over the rows of a window (package window) around each row. What has an OVER\n// already gets the keys that it lacks, and the frame if it has none.\nfunc (v %s) Over(w WindowSpec) %s { return over(v, w) }\n\n", v, v)
		for _, f := range catalog.All() {
			if f.Cumulative != "" && has(f.Receivers(), fam) {
				result := f.ResultFamily(fam).String() + "Value"
				fmt.Fprintf(&b, "// %s is %s over the rows up to the current one, in the order that Over gives: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW. %s %s\nfunc (v %s) %s() %s { return cumulative[%s](method%s, v) }\n\n", f.Cumulative, f.Method, f.Method, f.Doc, v, f.Cumulative, result, result, f.Go)
			}
			if f.Method == "" || !has(f.Receivers(), fam) {
				continue
			}
			if f.Ranks {
				var params, args string
				for _, p := range f.Signatures()[0].Params {
					params += goName(p.Name) + " any"
					args += ", " + goName(p.Name)
				}
				fmt.Fprintf(&b, "// %s %s The window is ordered by this value; Over adds partitions.\n//\n// Spark: %s.\nfunc (v %s) %s(%s) NumericValue { return ranked(method%s, v%s) }\n\n", f.Method, f.Doc, spark(f), v, f.Method, params, f.Go, args)
				continue
			}
			sig := signatureFor(f, fam)
			var params, args []string
			for _, p := range sig.Params[1:] {
				if p.Optional || p.Variadic {
					params = append(params, goName(p.Name)+" ...any")
					args = append(args, goName(p.Name)+"...")
					break
				}
				params = append(params, goName(p.Name)+" any")
				args = append(args, goName(p.Name))
			}
			first := sig.Params[0]
			if first.Variadic { // concat(values ...string): the receiver is the first of them; count(values …) takes just the receiver
				if f.Kind != catalog.Aggregate {
					params, args = []string{"others ...any"}, []string{"others..."}
				}
			}
			call := "v"
			switch {
			case len(args) > 0 && strings.HasSuffix(args[len(args)-1], "...") && len(args) == 1:
				call = "variadic(v, " + strings.TrimSuffix(args[0], "...") + ")..."
			case len(args) > 0 && strings.HasSuffix(args[len(args)-1], "..."):
				call = "append([]any{v, " + strings.Join(args[:len(args)-1], ", ") + "}, " + args[len(args)-1] + ")..."
			case len(args) > 0:
				call = "v, " + strings.Join(args, ", ")
			}
			result := f.ResultFamily(fam).String() + "Value"
			fmt.Fprintf(&b, "// %s %s\n//\n// Spark: %s.\nfunc (v %s) %s(%s) %s { return call[%s](method%s, %s) }\n\n", f.Method, f.Doc, spark(f), v, f.Method, strings.Join(params, ", "), result, result, f.Go, call)
		}
	}
	return b.String()
}

// signatureFor gives the signature whose first parameter takes the family.
func signatureFor(f *catalog.Function, fam catalog.Family) catalog.Signature {
	for _, s := range f.Signatures() {
		if len(s.Params) > 0 && s.Params[0].Family() == fam {
			return s
		}
	}
	return f.Signatures()[0]
}

func has(list []catalog.Family, f catalog.Family) bool {
	for _, x := range list {
		if x == f {
			return true
		}
	}
	return false
}

// goName avoids Go's keywords and the receiver's name.
func goName(s string) string {
	if s == "v" || s == "len" || s == "end" || s == "type" || s == "default" {
		return s + "Arg"
	}
	return s
}

func spark(f *catalog.Function) string {
	if f.SQL != "" {
		return f.SQL
	}
	return f.Name
}

func functions() string {
	var b strings.Builder
	b.WriteString(header)
	b.WriteString("// Package functions has every function of the catalogue under Spark's name. Arguments are values of package expr or Go values, which\n// become literals; a wrong type is an error of the value, with the line of the call. Methods of the value families build the same nodes\n// under Ibis's names.\npackage functions\n\nimport \"github.com/spoonbill-go/spoonbill/expr\"\n\n")
	for _, f := range catalog.All() {
		sig := f.Signatures()[0]
		var params, args []string
		variadic := ""
		for _, p := range sig.Params {
			if p.Optional || p.Variadic {
				variadic = goName(p.Name)
				params = append(params, variadic+" ...any")
				break
			}
			params = append(params, goName(p.Name)+" any")
			args = append(args, goName(p.Name))
		}
		call := ""
		switch {
		case variadic != "" && len(args) == 0:
			call = ", " + variadic + "..."
		case variadic != "":
			call = ", append([]any{" + strings.Join(args, ", ") + "}, " + variadic + "...)..."
		case len(args) > 0:
			call = ", " + strings.Join(args, ", ")
		}
		result := "expr." + f.ResultFamily(catalog.AnyFamily).String() + "Value"
		fmt.Fprintf(&b, "// %s %s\n//\n// Spark: %s. Example: %s\nfunc %s(%s) %s { return expr.Call[%s](%q%s) }\n\n", f.Go, f.Doc, spark(f), f.Example, f.Go, strings.Join(params, ", "), result, result, f.Name, call)
		for _, a := range f.Aliases {
			if g := catalog.AliasGo(a); g != f.Go {
				fmt.Fprintf(&b, "// %s is [%s] under another name of Spark's, %s.\nfunc %s(%s) %s { return expr.Call[%s](%q%s) }\n\n", g, f.Go, a, g, strings.Join(params, ", "), result, result, f.Name, call)
			}
		}
	}
	return b.String()
}

func reference() []byte {
	var b bytes.Buffer
	b.WriteString("# Functions\n\nMade from `expr/catalog` by `make generate`. *Method* is the fluent method, under Ibis's name; every function is in `expr/functions` under\nSpark's name too. A signature reads as in Go: letters stand for a type that several arguments share.\n")
	group := ""
	for _, f := range catalog.All() {
		if f.Group != group {
			group = f.Group
			fmt.Fprintf(&b, "\n## %s%s\n\n| Spark | Go function | method | signature | kind | since | meaning | example |\n|---|---|---|---|---|---|---|---|\n", strings.ToUpper(group[:1]), group[1:])
		}
		method := ""
		if f.Method != "" {
			on := "any value"
			if r := f.Receivers(); len(r) < 10 {
				names := make([]string, len(r))
				for i, x := range r {
					names[i] = x.String() + "Value"
				}
				on = strings.Join(names, ", ")
			}
			method = "`" + f.Method + "` of " + on
		}
		since := f.Since
		if since == "" {
			since = "–"
		}
		names := "`" + escape(f.Name) + "`"
		for _, a := range f.Aliases {
			names += ", `" + a + "`"
		}
		if f.SparkOnly != "" {
			names += " (on Spark only: " + f.SparkOnly + ")"
		}
		fmt.Fprintf(&b, "| %s | `functions.%s` | %s | `%s` | %s | %s | It %s | `%s` |\n", names, f.Go, method, escape(strings.Join(f.Sigs, " ")), f.Kind, since, escape(f.Doc), escape(f.Example))
	}
	return b.Bytes()
}

func escape(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

// rules is the page of what is refused of streaming queries, and of what is warned of.
func rules() []byte {
	var b strings.Builder
	b.WriteString("<!-- Generated from compiler/analyze by internal/generate. -->\n\n# Rules and lints of streaming queries\n\n" +
		"A rule refuses a query when it is compiled, before anything starts. The Spark versions are those that refuse it; the local engine refuses it too, or runs it as an extension.\n\n" +
		"| rule | of | what | way out | Spark | local |\n|---|---|---|---|---|---|\n")
	for _, r := range analyze.Rules() {
		of, versions, local := "streams", "all", "refused"
		switch {
		case r.Both:
			of = "both"
		case r.Mode == analyze.Batch:
			of = "batches"
		}
		switch {
		case r.From != analyze.Version{} && r.Until != analyze.Version{}:
			versions = fmt.Sprintf("%d.%d until %d.%d", r.From.Major, r.From.Minor, r.Until.Major, r.Until.Minor)
		case r.From != analyze.Version{}:
			versions = fmt.Sprintf("from %d.%d", r.From.Major, r.From.Minor)
		case r.Until != analyze.Version{}:
			versions = fmt.Sprintf("before %d.%d", r.Until.Major, r.Until.Minor)
		}
		if r.Local == analyze.Extension {
			local = "runs"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", r.ID, of, escape(r.Text), escape(r.WayOut), versions, local)
	}
	b.WriteString("\n## Beyond Spark\n\nWhat runs offline and is refused for Spark, with Spark's own words where such a query was forced through to it: [Streams offline](streams-offline.md) shows how to use it.\n\n" +
		"| rule | condition | Spark says |\n|---|---|---|\n")
	for _, r := range analyze.Rules() {
		if r.Local == analyze.Extension && (r.Until == analyze.Version{}) {
			words := "–"
			if r.Words != nil {
				words = "… " + escape(strings.Join(r.Words, " …, or … ")) + " …"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.ID, r.Condition, words)
		}
	}
	b.WriteString("\n## Lints\n\nA lint is about what runs and is seldom meant. `compiler.Lint` gives those of a write, each with its place in the code.\n")
	for _, l := range analyze.Lints() {
		fmt.Fprintf(&b, "\n### %s: %s\n\n%s\n\n%s\n", l.Code, l.Title, l.Text, l.Fix)
	}
	return []byte(b.String())
}
