package conformance

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/internal/golden"
)

// optionFunc is the function of package connectors that makes an option, with the first sentence on it.
type optionFunc struct{ name, doc string }

// optionFuncs finds them by the names of options in their bodies.
func optionFuncs(t *testing.T) map[string]optionFunc {
	t.Helper()
	files, err := filepath.Glob("../connectors/*.go")
	require.NoError(t, err)
	out := map[string]optionFunc{}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() || fn.Type.Results == nil || !strings.Contains("Option []Option", resultText(fn.Type.Results.List[0].Type)) {
				continue
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) == 0 {
					return true
				}
				if lit, ok := call.Args[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
					key, _ := strconv.Unquote(lit.Value)
					if _, taken := out[key]; !taken {
						text := strings.TrimPrefix(strings.Join(strings.Fields(fn.Doc.Text()), " "), fn.Name.Name+" ")
						if i := strings.Index(text, ". "); i >= 0 {
							text = text[:i+1]
						}
						out[key] = optionFunc{fn.Name.Name, strings.NewReplacer("[", "", "]", "", "|", "\\|").Replace(text)}
					}
				}
				return true
			})
		}
	}
	return out
}

func resultText(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.ArrayType:
		return "[]" + resultText(x.Elt)
	}
	return "?"
}

// sampleOf are an option with a value that it takes, the word where one is given, and what goes with it.
func sampleOf(o connectors.DescribedOption, dir, word string) []connectors.Option {
	v, ok := map[string]string{
		"avroSchema": `{"type":"record","name":"r","fields":[{"name":"a","type":["null","int"]}]}`, "basePath": dir, "pathGlobFilter": "*", "maxBytesPerTrigger": "1048576", "rowsPerSecond": "1", "rowsPerBatch": "1", "maxFileAge": "7d", "retention": "7d",
		"sourceArchiveDir": filepath.Join(filepath.Dir(dir), "archive"), "timeZone": "UTC", "encoding": "UTF-8", "charset": "UTF-8", "lineSep": "\n", "dateFormat": "yyyy-MM-dd", "timestampFormat": "yyyy-MM-dd HH:mm:ss",
		"timestampNTZFormat": "yyyy-MM-dd HH:mm:ss", "timeFormat": "HH:mm:ss", "locale": "en-US", "samplingRatio": "1.0", "truncate": "true", "rampUpTime": "1s", "modifiedBefore": "2094-06-01T13:00:00",
		"modifiedAfter": "2004-06-01T13:00:00", "host": "127.0.0.1", "port": "9", "sep": ",", "delimiter": ",", "extension": "txt", "startingOffsets": "earliest", "endingOffsets": "latest", "assign": `{"t":[0]}`,
		"startingOffsetsByTimestamp": `{"t":{"0":1}}`, "endingOffsetsByTimestamp": `{"t":{"0":1}}`, "maxTriggerDelay": "1s", "kafka.*": "200", "cleanSource": "off", "subscribePattern": "t.*", "subscribe": "t", "topic": "t",
		"quote": `"`, "escape": `\`, "comment": "#", "charToEscapeQuoteEscaping": `\`, "datetimeRebaseMode": "CORRECTED", "int96RebaseMode": "CORRECTED", "mode": "PERMISSIVE", "recursiveFieldMaxDepth": "1",
	}[o.Key]
	switch {
	case word != "":
		v = word
	case ok:
	case strings.HasPrefix(o.Values, "a whole number"):
		v = "10"
	default:
		v = "x"
	}
	out := []connectors.Option{connectors.Set(strings.Replace(o.Key, "kafka.*", "kafka.request.timeout.ms", 1), v)}
	switch {
	case o.Key == "sourceArchiveDir":
		out = append(out, connectors.Set("cleanSource", "archive"))
	case o.Key == "cleanSource" && v == "archive":
		out = append(out, connectors.Set("sourceArchiveDir", filepath.Join(filepath.Dir(dir), "archive")))
	case o.Key == "epochTopic":
		out = append(out, connectors.ExactlyOnce("x"))
	}
	return out
}

// takes asks the local engine for an option, as a batch and as a stream: whether it takes it in one of them.
func takes(ctx context.Context, t *testing.T, s *local.Session, format string, o connectors.DescribedOption, word string, source bool) bool {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "in")
	require.NoError(t, os.Mkdir(dir, 0o755))
	opts := sampleOf(o, dir, word)
	var table expr.Table
	var sink expr.Sink = connectors.Noop()
	rows := expr.Memtable("rows", []struct{ A string }{{"1"}})
	stream := connectors.NewMemoryStream[struct{ A string }]()
	readers := map[string]func() expr.Source{
		"csv": func() expr.Source { return connectors.FromCSV(dir, connectors.RowsDDL("A STRING"), opts...) }, "json": func() expr.Source { return connectors.FromJSON(dir, connectors.RowsDDL("A STRING"), opts...) },
		"parquet": func() expr.Source { return connectors.FromParquet(dir, connectors.RowsDDL("A STRING"), opts...) }, "avro": func() expr.Source { return connectors.FromAvro(dir, connectors.RowsDDL("A STRING"), opts...) },
		"orc": func() expr.Source { return connectors.FromORC(dir, connectors.RowsDDL("A STRING"), opts...) }, "text": func() expr.Source { return connectors.FromText(dir, opts...) },
		"binaryFile": func() expr.Source { return connectors.FromBinary(dir, opts...) }, "statestore": func() expr.Source { return connectors.FromState(dir, opts...) },
		"rate": func() expr.Source { return connectors.Rate(1, opts...) }, "rate-micro-batch": func() expr.Source { return connectors.RateMicroBatch(1, opts...) }, "socket": func() expr.Source { return connectors.Socket("127.0.0.1", 9, opts...) },
	}
	out := filepath.Join(filepath.Dir(dir), "out")
	writers := map[string]func() expr.Sink{
		"csv": func() expr.Sink { return connectors.ToCSV(out, opts...) }, "json": func() expr.Sink { return connectors.ToJSON(out, opts...) }, "parquet": func() expr.Sink { return connectors.ToParquet(out, opts...) },
		"avro": func() expr.Sink { return connectors.ToAvro(out, opts...) }, "orc": func() expr.Sink { return connectors.ToORC(out, opts...) }, "text": func() expr.Sink { return connectors.ToText(out, opts...) },
		"console": func() expr.Sink { return connectors.ToConsole(opts...) },
	}
	brief := []connectors.Option{connectors.Set("kafka.default.api.timeout.ms", "100")}
	switch {
	case format == "kafka" && source:
		brief = append(brief, connectors.Set("fetchOffset.numRetries", "0"))
		if o.Key == "fetchOffset.numRetries" {
			brief = brief[:1]
		}
		topic := "t"
		if o.Key == "assign" || o.Key == "subscribePattern" || o.Key == "subscribe" {
			topic = ""
		}
		table = expr.Read("in", connectors.FromKafka("127.0.0.1:1", topic, connectors.Codec{}, append(brief, opts...)...))
	case format == "kafka":
		sink = connectors.ToKafka("127.0.0.1:1", "t", connectors.JSONOf("A STRING"), append(brief, opts...)...)
	case source:
		table = expr.Read("in", readers[format]())
	default:
		if writers[format] == nil {
			return true // nothing is written in this format
		}
		sink = writers[format]()
	}
	ask := func(batch bool) bool {
		from := table
		if !source && batch {
			from = rows
		} else if !source {
			from = expr.Read("rows", stream)
		}
		w := from.WriteTo(sink).Checkpoint(t.TempDir())
		var err error
		if batch {
			err = s.Write(ctx, w)
		} else {
			var q backend.Query
			if q, err = s.Start(ctx, w.Trigger(expr.AvailableNow())); err == nil {
				if format == "rate" || format == "rate-micro-batch" {
					err = q.Stop(ctx)
				} else {
					err = q.AwaitTermination(ctx)
				}
			}
		}
		var e *condition.Error
		for errors.As(err, &e) {
			if e.Condition == condition.InvalidOption || e.Condition == condition.Unsupported {
				return false
			}
			err = e.Cause
		}
		return true
	}
	return ask(true) || format != "statestore" && ask(false)
}

// The page of options is made from the descriptions of connectors, and says of each whether the local engine takes it, which is asked.
func TestConnectorsPage(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := local.Open()
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	funcs := optionFuncs(t)
	var b strings.Builder
	b.WriteString("<!-- Made from the descriptions in package connectors: go test ./conformance -run ConnectorsPage -rewrite -->\n\n# Options of sources and sinks\n\n" +
		"What each provider is told by, under Spark's names, which are the same offline. A function of package `connectors` makes the option with its types and units; `connectors.Set` makes one by its name. A name that is unknown or misspelt, a value that is none, " +
		"and an option of the other side is an error when the table or the write is built, with candidates; `connectors.Raw` hands an option on to Spark unchecked, and `connectors.RawSecret` one that is never printed.\n\n" +
		"`Offline` is what the local engine said when it was asked. All are Spark's but `epochTopic`, which goes with `ExactlyOnce` and is for the local engine alone ([exactly-once.md](exactly-once.md)).\n")
	for _, d := range connectors.Descriptions() {
		fmt.Fprintf(&b, "\n## %s\n\n| option | for | values | function | | offline |\n|---|---|---|---|---|---|\n", d.Format)
		for _, o := range d.Options {
			side := map[[2]bool]string{{true, false}: "reading", {false, true}: "writing", {true, true}: "both"}[[2]bool{o.Source, o.Sink}]
			f := funcs[o.Key]
			name := ""
			if f.name != "" {
				name = "`" + f.name + "`"
			}
			words := []string{""}
			if list, ok := strings.CutPrefix(o.Values, "one of "); ok {
				words = strings.Split(list, ", ")
			}
			var some []string
			for _, word := range words {
				if (!o.Source || takes(ctx, t, s, d.Format, o, word, true)) && (!o.Sink || takes(ctx, t, s, d.Format, o, word, false)) {
					some = append(some, word)
				}
			}
			have := "yes"
			switch len(some) {
			case len(words):
			case 0:
				have = "refused"
			default:
				have = "only " + strings.Join(some, ", ")
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", o.Key, side, strings.ReplaceAll(o.Values, "|", "\\|"), name, f.doc, have)
		}
	}
	golden.Check(t, "../docs/connectors.md", b.String())
}
