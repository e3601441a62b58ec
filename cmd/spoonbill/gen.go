package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/format"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/rowtype"
)

const genUsage = `spoonbill gen [flags] FILE
spoonbill gen [flags] -ddl "id BIGINT, at TIMESTAMP"
spoonbill gen [flags] -remote sc://host:15002 -table db.table

Writes a Go file with a struct for the rows and a struct of typed columns, so that a misspelt column does not compile. FILE is a CSV, JSON-lines
or Parquet file or a folder of them. Of CSV the first line has the names and the types are inferred, unless -option says otherwise
(-option header=false -option inferSchema=false -option "sep=;").

`

// optionFlags collects -option key=value.
type optionFlags []connectors.Option

func (o *optionFlags) String() string { return "" }

func (o *optionFlags) Set(text string) error {
	k, v, ok := strings.Cut(text, "=")
	if !ok || k == "" {
		return fmt.Errorf("%q is not key=value", text)
	}
	*o = append(*o, connectors.Set(k, v))
	return nil
}

// gen writes Go types of a schema.
func gen(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet("gen", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() { fmt.Fprint(out, genUsage); flags.PrintDefaults() }
	pkg := flags.String("package", os.Getenv("GOPACKAGE"), "the package of the file; under go generate that of the file with the comment")
	typ := flags.String("type", "Row", "the name of the struct")
	file := flags.String("o", "", "the file to write; standard output without it")
	ddl := flags.String("ddl", "", "the columns in Spark's DDL")
	formatName := flags.String("format", "", "csv, json or parquet, where the file's name does not tell")
	table := flags.String("table", "", "a table of Spark's catalogue, its parts with points: db.table, or db.`my.table`")
	remote := flags.String("remote", os.Getenv("SPARK_REMOTE"), "the Spark server of -table, sc://host:port")
	var opts optionFlags
	flags.Var(&opts, "option", "an option of the reader, key=value; may come again")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *pkg == "" {
		*pkg = "main"
	}
	if !token.IsIdentifier(*pkg) {
		return fmt.Errorf("-package %q is no name of a Go package", *pkg)
	}
	if !token.IsIdentifier(*typ) || !token.IsExported(*typ) {
		return fmt.Errorf("-type %q is no exported Go name, such as Payment", *typ)
	}
	given := 0
	for _, is := range []bool{*ddl != "", *table != "", flags.NArg() > 0} {
		if is {
			given++
		}
	}
	if given != 1 || flags.NArg() > 1 {
		return fmt.Errorf("give one of: a file, -ddl, -table; spoonbill gen -h shows how")
	}
	var fields []datatype.Field
	var from string
	var err error
	switch {
	case *ddl != "":
		from = "DDL"
		fields, err = datatype.ParseFields(*ddl)
	case *table != "":
		from = "the table " + *table
		fields, err = tableFields(ctx, *remote, *table)
	default:
		from = filepath.Base(flags.Arg(0))
		fields, err = fileFields(ctx, flags.Arg(0), *formatName, opts)
	}
	if err != nil {
		return err
	}
	text, err := goFile(*pkg, *typ, from, fields)
	if err != nil {
		return err
	}
	if *file == "" {
		_, err = out.Write(text)
		return err
	}
	return writeWhole(*file, text)
}

// writeWhole puts text at path by a file beside it that takes its name, so that what was there stays until the new text is whole. What is no plain file,
// such as /dev/stdout, is written to.
func writeWhole(path string, text []byte) (err error) {
	mode := os.FileMode(0o644)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if mode = info.Mode().Perm(); !info.Mode().IsRegular() {
			return os.WriteFile(path, text, mode)
		}
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // the first error is the one to tell
		}
	}()
	if _, err = f.Write(text); err == nil {
		err = f.Chmod(mode)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func tableFields(ctx context.Context, remote, table string) ([]datatype.Field, error) {
	if remote == "" {
		return nil, fmt.Errorf("-table needs -remote sc://host:port, or SPARK_REMOTE")
	}
	parts, err := datatype.SplitName(table)
	if err != nil {
		return nil, fmt.Errorf("-table: %w", err)
	}
	s, err := sparkconnect.Connect(ctx, remote)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	t, err := s.Table(ctx, parts...)
	if err != nil {
		return nil, err
	}
	return t.Schema().Types(), nil
}

func fileFields(ctx context.Context, path, format string, opts []connectors.Option) ([]datatype.Field, error) {
	if format == "" {
		name := strings.ToLower(path)
		for _, packed := range []string{".gz", ".bz2", ".zst", ".zstd", ".deflate"} {
			name = strings.TrimSuffix(name, packed)
		}
		format = map[string]string{".csv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json", ".parquet": "parquet"}[filepath.Ext(name)]
	}
	var files connectors.Files
	switch format {
	case "csv":
		opts = append([]connectors.Option{connectors.Header(), connectors.InferSchema()}, opts...)
		files = connectors.FromCSV(path, connectors.Inferred(), opts...)
	case "json":
		files = connectors.FromJSON(path, connectors.Inferred(), opts...)
	case "parquet":
		files = connectors.FromParquet(path, connectors.Inferred(), opts...)
	default:
		return nil, fmt.Errorf("%s does not tell its format by its name: give -format csv, json or parquet", path)
	}
	s, err := local.Open()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Schema(ctx, files)
}

// generator writes the types of one file.
type generator struct {
	types   bytes.Buffer
	names   map[string]bool // of types
	imports map[string]bool
}

const module = "github.com/spoonbill-go/spoonbill/"

// goFile writes the file. Equal arguments give equal bytes.
func goFile(pkg, typ, from string, fields []datatype.Field) ([]byte, error) {
	if len(fields) == 0 {
		return nil, fmt.Errorf("%s has no columns", from)
	}
	if err := named(fields, ""); err != nil {
		return nil, err
	}
	columns, of := typ+"Columns", typ+"ColumnsOf"
	g := &generator{names: map[string]bool{typ: true, columns: true, of: true}, imports: map[string]bool{module + "expr": true}}
	g.row(typ, typ+" is a row of "+comment(from)+".", fields)
	goNames := goNamesOf(fields)
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s are the columns of a table with the rows of [%s].\ntype %s struct {\n", columns, typ, columns)
	for i, f := range fields {
		fmt.Fprintf(&b, "%s expr.%sValue // %s\n", goNames[i], familyOf(f.Type), comment(datatype.DDL([]datatype.Field{f})))
	}
	fmt.Fprintf(&b, "}\n\n// %s takes the columns of a table. One that the table does not have is a mistake of what is made of it.\nfunc %s(t expr.Table) %s {\nreturn %s{\n", of, of, columns, columns)
	for i, f := range fields {
		method := map[string]string{"Numeric": "Num", "String": "Str", "Boolean": "Bool", "Any": "Col"}[familyOf(f.Type)]
		if method == "" {
			method = familyOf(f.Type)
		}
		fmt.Fprintf(&b, "%s: t.%s(%s),\n", goNames[i], method, strconv.Quote(f.Name))
	}
	b.WriteString("}\n}\n")

	var out bytes.Buffer
	fmt.Fprintf(&out, "// Code generated by spoonbill gen from %s. DO NOT EDIT.\n\npackage %s\n\nimport (\n", comment(from), pkg)
	for _, path := range []string{"encoding/json", "time", module + "backend", module + "expr"} {
		if g.imports[path] {
			fmt.Fprintf(&out, "%q\n", path)
		}
		if path == "time" && len(g.imports) > 1 {
			out.WriteString("\n")
		}
	}
	out.WriteString(")\n\n")
	out.Write(g.types.Bytes())
	out.Write(b.Bytes())
	return format.Source(out.Bytes())
}

// named refuses columns without a name, which no tag can ask for.
func named(fields []datatype.Field, in string) error {
	for i, f := range fields {
		if f.Name == "" {
			return fmt.Errorf("column %d%s has no name: give it one in the query or the schema", i, in)
		}
		if s, ok := f.Type.(datatype.Struct); ok {
			if err := named(s.Fields, " of "+datatype.QuoteName(f.Name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// comment makes a text fit behind //.
func comment(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}

// row writes a struct type; those that it needs stand behind it.
func (g *generator) row(name, doc string, fields []datatype.Field) {
	goNames := goNamesOf(fields)
	var b bytes.Buffer
	var inner []func()
	fmt.Fprintf(&b, "// %s\ntype %s struct {\n", comment(doc), name)
	for i, f := range fields {
		typ := g.goType(f.Type, f.Nullable, name+goNames[i], f.Name, &inner)
		tag := rowtype.QuoteTag(f.Name)
		if !natural(f.Type) {
			tag += "," + strings.ToLower(f.Type.String())
			if hasNames(f.Type) {
				tag = rowtype.QuoteTag(f.Name) + "," + f.Type.String() // names keep their letters
			}
		}
		fmt.Fprintf(&b, "%s %s %s\n", goNames[i], typ, literalTag("spoonbill:"+strconv.Quote(tag)))
	}
	b.WriteString("}\n\n")
	g.types.Write(b.Bytes())
	for _, f := range inner {
		f()
	}
}

// literalTag writes a tag between backticks where it can stand there.
func literalTag(tag string) string {
	if strconv.CanBackquote(tag) {
		return "`" + tag + "`"
	}
	return strconv.Quote(tag)
}

// hasNames tells whether a type's text holds names of fields.
func hasNames(t datatype.Type) bool {
	switch x := t.(type) {
	case datatype.Array:
		return hasNames(x.Elem)
	case datatype.Map:
		return hasNames(x.Key) || hasNames(x.Value)
	}
	return t.Kind() == datatype.KindStruct
}

// natural tells whether rowtype finds the type without its text in the tag.
func natural(t datatype.Type) bool {
	switch x := t.(type) {
	case datatype.Array:
		return natural(x.Elem)
	case datatype.Map:
		return goKey(x.Key) && natural(x.Key) && natural(x.Value)
	case datatype.DayTime:
		return x == datatype.DayToSecond
	}
	switch t.Kind() {
	case datatype.KindBoolean, datatype.KindByte, datatype.KindShort, datatype.KindInt, datatype.KindLong, datatype.KindFloat, datatype.KindDouble,
		datatype.KindString, datatype.KindBinary, datatype.KindTimestamp, datatype.KindStruct:
		return true
	}
	return false
}

// goKey tells whether values of a type can be keys of a Go map.
func goKey(t datatype.Type) bool {
	switch t.Kind() {
	case datatype.KindBinary, datatype.KindArray, datatype.KindMap, datatype.KindStruct, datatype.KindVariant, datatype.KindNull:
		return false
	}
	return true
}

// goType gives the Go type of a column and notes what must be written for it.
func (g *generator) goType(t datatype.Type, nullable bool, name, column string, inner *[]func()) string {
	pointer := func(s string) string {
		if nullable {
			return "*" + s
		}
		return s
	}
	switch x := t.(type) {
	case datatype.Array:
		return "[]" + g.goType(x.Elem, x.ContainsNull, name, column, inner)
	case datatype.Map:
		if !goKey(x.Key) {
			return "any"
		}
		return "map[" + g.goType(x.Key, false, name+"Key", column, inner) + "]" + g.goType(x.Value, x.ValueContainsNull, name, column, inner)
	case datatype.Struct:
		if len(x.Fields) == 0 {
			return "any"
		}
		name = unique(g.names, name)
		*inner = append(*inner, func() { g.row(name, name+" is the struct in column "+datatype.QuoteName(column)+".", x.Fields) })
		return pointer(name)
	}
	switch t.Kind() {
	case datatype.KindBoolean:
		return pointer("bool")
	case datatype.KindByte:
		return pointer("int8")
	case datatype.KindShort:
		return pointer("int16")
	case datatype.KindInt, datatype.KindYearMonth:
		return pointer("int32")
	case datatype.KindLong:
		return pointer("int64")
	case datatype.KindFloat:
		return pointer("float32")
	case datatype.KindDouble:
		return pointer("float64")
	case datatype.KindDecimal, datatype.KindString, datatype.KindChar, datatype.KindVarchar:
		return pointer("string")
	case datatype.KindBinary:
		return "[]byte"
	case datatype.KindDate, datatype.KindTimestamp, datatype.KindTimestampNTZ:
		g.imports["time"] = true
		return pointer("time.Time")
	case datatype.KindTime, datatype.KindDayTime:
		g.imports["time"] = true
		return pointer("time.Duration")
	case datatype.KindCalendarInterval:
		g.imports[module+"backend"] = true
		return pointer("backend.Interval")
	case datatype.KindVariant:
		g.imports["encoding/json"] = true
		return "json.RawMessage"
	}
	return "any"
}

func familyOf(t datatype.Type) string { return familyNames[catalog.FamilyOf(t)] }

// familyNames are the beginnings of the names of expr's value types.
var familyNames = map[catalog.Family]string{
	catalog.NumericFamily: "Numeric", catalog.StringFamily: "String", catalog.BooleanFamily: "Boolean", catalog.DateFamily: "Date", catalog.TimestampFamily: "Timestamp",
	catalog.TimeFamily: "Time", catalog.IntervalFamily: "Interval", catalog.BinaryFamily: "Binary", catalog.ArrayFamily: "Array", catalog.MapFamily: "Map",
	catalog.StructFamily: "Struct", catalog.VariantFamily: "Variant", catalog.WindowFamily: "Window", catalog.AnyFamily: "Any",
}

// initialisms are written in capitals, as Go's style has it.
var initialisms = map[string]bool{"id": true, "url": true, "uri": true, "ip": true, "http": true, "https": true, "json": true, "sql": true, "uuid": true, "api": true, "xml": true, "html": true, "utc": true, "cpu": true}

// goNamesOf makes an exported Go name of each column's; a name that is taken gets a number.
func goNamesOf(fields []datatype.Field) []string {
	taken := map[string]bool{}
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = unique(taken, goName(f.Name, i))
	}
	return out
}

func unique(taken map[string]bool, name string) string {
	out := name
	for n := 2; taken[out]; n++ {
		out = name + "_" + strconv.Itoa(n)
	}
	taken[out] = true
	return out
}

func goName(name string, i int) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if initialisms[strings.ToLower(word)] {
			b.WriteString(strings.ToUpper(word))
			continue
		}
		runes := []rune(word)
		// The end of a word in camel case may be an initialism: orderId.
		for k := len(runes) - 1; k > 0; k-- {
			if unicode.IsUpper(runes[k]) {
				if tail := string(runes[k:]); unicode.IsLower(runes[k-1]) && initialisms[strings.ToLower(tail)] {
					runes = append(runes[:k:k], []rune(strings.ToUpper(tail))...)
				}
				break
			}
		}
		b.WriteRune(unicode.ToUpper(runes[0]))
		b.WriteString(string(runes[1:]))
	}
	out := b.String()
	switch {
	case out == "":
		return "Column" + strconv.Itoa(i)
	case !token.IsExported(out) || !token.IsIdentifier(out):
		return "X" + out // a digit, or a letter without case
	}
	return out
}
