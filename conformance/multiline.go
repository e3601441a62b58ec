package conformance

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// A WholeFile is a text file that is read under options which concern more than a line: multiLine, lineSep, encoding.
type WholeFile struct {
	// Name is unique; Format is csv, json or text.
	Name, Format string
	// Text is the content, in bytes; Schema has the columns, or is empty for those that are inferred.
	Text, Schema string
	// Options are Spark's, by name and value in turns.
	Options []string
}

// Read writes the file below dir, which the session sees under the same path, and gives its rows, each as one text. Where the session
// refuses, the only row is the word error and its condition. Inferred columns come before the rows.
func (c WholeFile) Read(ctx context.Context, s backend.Session, dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte(c.Text), 0o666); err != nil {
		return nil, err
	}
	rows, err := c.rows(ctx, s, dir)
	if err == nil {
		return rows, nil
	}
	var e *condition.Error
	if !errors.As(err, &e) {
		return nil, err
	}
	return refusal(e), nil
}

// refusal is the answer of a session that refuses. Of options that do not go together the error of Spark 4.2 names no condition, that of 4.3 one for ends of lines, and ours has its own.
func refusal(e *condition.Error) []string {
	if e.Condition == condition.ServerError || e.Condition == condition.InvalidOption || strings.HasPrefix(e.Condition, "INVALID_LINE_SEPARATOR.") {
		return []string{"error of an option"}
	}
	return []string{"error " + e.Condition}
}

func (c WholeFile) source(dir string, rows connectors.Rows) connectors.Files {
	var opts []connectors.Option
	for i := 0; i+1 < len(c.Options); i += 2 {
		opts = append(opts, connectors.Set(c.Options[i], c.Options[i+1]))
	}
	switch c.Format {
	case "json":
		return connectors.FromJSON(dir, rows, opts...)
	case "csv":
		return connectors.FromCSV(dir, rows, opts...)
	}
	return connectors.FromText(dir, opts...)
}

func (c WholeFile) rows(ctx context.Context, s backend.Session, dir string) ([]string, error) {
	if c.Schema != "" {
		return eachRow(ctx, s, expr.Read("f", c.source(dir, connectors.RowsDDL(c.Schema))))
	}
	if c.Format == "text" {
		return eachRow(ctx, s, expr.Read("f", c.source(dir, connectors.Rows{})))
	}
	found := c.source(dir, connectors.Inferred())
	fields, err := s.Schema(ctx, found)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range fields {
		names = append(names, f.Name+" "+f.Type.String())
	}
	return []string{strings.Join(names, ", ")}, nil
}

func utf16Of(text string, low bool) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(text)) {
		if low {
			b.Write([]byte{byte(u), byte(u >> 8)})
		} else {
			b.Write([]byte{byte(u >> 8), byte(u)})
		}
	}
	return b.String()
}

func utf32Of(text string, low bool) string {
	var b strings.Builder
	for _, u := range text {
		if low {
			b.Write([]byte{byte(u), byte(u >> 8), byte(u >> 16), 0})
		} else {
			b.Write([]byte{0, byte(u >> 16), byte(u >> 8), byte(u)})
		}
	}
	return b.String()
}

// WholeFiles are the cases.
func WholeFiles() []WholeFile {
	var out []WholeFile
	const abc = "a INT, b STRING, c STRING, " + corruptRecord + " STRING"
	csv := func(name, text string, options ...string) {
		out = append(out, WholeFile{"csv: " + name, "csv", text, abc, append([]string{"multiLine", "true"}, options...)})
	}
	found := func(format, name, text string, options ...string) {
		out = append(out, WholeFile{format + " inferred: " + name, format, text, "", options})
	}
	csv("a line break in quotes", "1,\"x\ny\",z\n2,p,q\n")
	csv("line breaks of two characters", "1,\"x\r\ny\",z\r\n2,\"p\nq\rr\",s\r\n")
	csv("line breaks of one old character", "1,\"x\ry\",z\r2,\"p\nq\",s\r")
	csv("mixed line ends, LF first", "1,a,b\n2,c,d\r\n3,e,f\r4,\"g\r\nh\",i\n")
	csv("mixed line ends, CRLF first", "1,a,b\r\n2,c,d\n3,e,f\r4,g,h\r\n5,i,j\r\n")
	csv("mixed line ends, CR first", "1,a,b\r2,c,d\n3,e,f\r\n4,g,h\r")
	csv("the first line end in quotes", "1,\"x\r\ny\",z\n2,p,q\n")
	csv("header", "a,b,c\n1,\"x\ny\",z\n", "header", "true")
	csv("header over two lines", "a,\"b\nb\",c\n1,x,z\n", "header", "true")
	csv("header alone", "a,b,c\n", "header", "true")
	csv("header after blank lines", "\n\na,b,c\n1,x,y\n", "header", "true")
	csv("header checked", "a,x,c\n1,x,y\n", "header", "true", "enforceSchema", "false")
	csv("header that agrees", "a,B,c,"+corruptRecord+"\n1,x,y\n", "header", "true", "enforceSchema", "false")
	csv("comments", "#x\n1,a,b\n#\"\n2,\"#c\n#d\",e\n #f\n", "comment", "#")
	csv("a comment at the end", "1,a,b\n#c", "comment", "#")
	csv("blank lines", "\n1,a,b\n\n\n2,c,d\n  \n\t\n3,e,f\n\n")
	csv("blank lines in quotes", "1,\"\n\n\",b\n2,c,d\n")
	csv("blank lines, blanks trimmed", "  \n1, a ,b\n \n", "ignoreLeadingWhiteSpace", "true", "ignoreTrailingWhiteSpace", "true")
	csv("no line end", "1,a,b\n2,c,d")
	csv("an empty last field", "1,a,\n2,b,")
	csv("an empty quoted last field", "1,a,\"\"\n2,b,\"\"")
	csv("an open quote", "1,\"a,b\n2,c,d\n")
	csv("an open quote in the last field", "1,a,\"b\n2,c,d")
	csv("an open quote at the end", "1,a,b\n2,c,\"")
	csv("an open quote, then a quote", "1,\"a,b\n2,\"c,d\n3,e,f\n")
	csv("a quote within", "1,a\"b,c\n2,a\"b\nc\",d\n")
	csv("a quote behind a quoted value", "1,\"a\"b,c\n2,\"a\"\nb\",d\n")
	csv("text behind a quoted value", "1,\"a\" b,c\n2,\"a\"  \"b\",c\n")
	csv("blanks behind a quoted value", "1,\"a\"  ,c\n2,b,\"c\"  \n3,d,\"e\"  ")
	csv("escapes", "1,\"a\\\"b\nc\",d\n2,\"a\\\\\",b\n3,\"a\\\nb\",c\n")
	csv("doubled quotes", "1,\"a\"\"b\n\"\"c\",d\n", "escape", "\"")
	for n := range 5 {
		for i, rest := range []string{"b,c\n", "b\",c\n", "\"b\",c\n2,d,e\n", ",c\n", "\nb,c\n", "x\"y\"\\z,c,d\n2,e,f\n", "\"", ""} {
			csv(strconv.Itoa(n)+" escapes behind a stray quote, "+strconv.Itoa(i), "1,\"a\""+strings.Repeat("\\", n)+rest)
		}
	}
	csv("doubled quotes, not the escape", "1,\"a\"\"b\n\"\"c\",d\n2,\"a\"\"\",e\n")
	csv("longer and shorter records", "1\n1,a\n1,a,b,c\n\"1\n\",a,b\n")
	csv("malformed over lines", "x,\"a\nb\",c\n2,d,e\n")
	csv("malformed over lines, CRLF", "x,\"a\r\nb\",c\r\n2,d,e\r\n")
	csv("malformed at the end", "1,a,b\nx,c,d")
	csv("dropped", "x,\"a\nb\",c\n2,d,e\n3\n", "mode", "DROPMALFORMED")
	csv("failing", "2,d,e\nx,\"a\nb\",c\n", "mode", "FAILFAST")
	csv("a byte order mark", "\ufeff1,a,b\n")
	csv("no UTF-8", "1,\"a\xff\n\xc3\",b\xe2\x82\n")
	csv("maxCharsPerColumn", "1,abc,d\n2,abcdef,g\n", "maxCharsPerColumn", "4")
	csv("maxCharsPerColumn in quotes", "1,abc,d\n2,\"ab\ncdef\",g\n", "maxCharsPerColumn", "4")
	csv("maxColumns", "1,a,b\n1,2,3,4,5\n", "maxColumns", "4")
	csv("sep of two characters", "1||\"a\n||b\"||c\n2||d|e||f\n", "sep", "||")
	csv("sep of two characters, damaged", "1||\"a\"b||c\n2||\"d||e\n", "sep", "||")
	csv("no quotes", "1,\"a\nb\",c\n", "quote", "")
	csv("lineSep of one", "1,a,b|2,\"c|d\n\",e|", "lineSep", "|")
	csv("lineSep of two", "1,a,b||2,\"c||d\",e|f||", "lineSep", "||")
	csv("lineSep CRLF", "1,a,b\r\n2,\"c\r\nd\",e\nf\r\n", "lineSep", "\r\n")
	csv("lineSep LF, CRLF in the text", "1,a,b\r\n2,\"c\r\nd\",e\r\n", "lineSep", "\n")
	csv("lineSep of one behind quotes", "1,a,\"b\"|2,c,\"d\\\"e|f\"|3,f,g|", "lineSep", "|")
	csv("lineSep of two behind quotes", "1,a,\"b\"||2,\"c\" ||3,f,g||", "lineSep", "||")
	csv("lineSep CRLF behind quotes", "1,a,\"b\"\r\n2,c,\"d\\\"\r\ne\"\r\n3,f,g", "lineSep", "\r\n")
	csv("lineSep CR behind quotes", "1,a,\"b\"\r2,c,\"d\\\"\re\"\r3,f\n,g", "lineSep", "\r")
	csv("UTF-16 with a mark that nobody named", "\xff\xfe"+utf16Of("1,a,b\n", true))
	csv("skipped values, escaped", "1,\"a\"\\b,c\n2,\"d\" x\"e\nf,g\n", "unescapedQuoteHandling", "SKIP_VALUE")
	csv("skipped values", "1,\"a\"b,c\n2,\"d\"e\nf,g\n", "unescapedQuoteHandling", "SKIP_VALUE")
	csv("raised", "1,\"a\"b,c\n", "unescapedQuoteHandling", "RAISE_ERROR")
	csv("blanks alone", " \n \n")
	csv("nothing but line ends", "\n\n\n")
	csv("NUL", "1,\x00,\"\x00\"\n\x002,a,b\n")
	found("csv", "header and types", "a,b\n1,\"x\ny\"\n2,z\n", "multiLine", "true", "header", "true", "inferSchema", "true")
	found("csv", "no header", "1,\"x\ny\"\n2.5,z\n", "multiLine", "true", "inferSchema", "true")
	found("csv", "the header again", "a,b\n1,2\na,b\n", "multiLine", "true", "header", "true", "inferSchema", "true")
	found("csv", "a name over lines", "\"a\nb\",c\n1,2\n", "multiLine", "true", "header", "true", "inferSchema", "true")
	found("csv", "nothing", "\n", "multiLine", "true", "header", "true", "inferSchema", "true")
	found("csv", "ISO-8859-1", "\xe9,b\n1,2\n", "encoding", "ISO-8859-1", "header", "true", "inferSchema", "true")
	found("csv", "UTF-16", "\xfe\xff"+utf16Of("é,b\n1,x\n", false), "encoding", "UTF-16", "header", "true", "inferSchema", "true", "multiLine", "true")
	found("csv", "lineSep", "a,b;1,x;2,3;", "lineSep", ";", "header", "true", "inferSchema", "true")

	out = append(out, randomWholeFiles(1, 150)...)

	const ab = "a INT, b STRUCT<x: STRING, y: INT>, s STRING, " + corruptRecord + " STRING"
	json := func(name, text string, options ...string) {
		out = append(out, WholeFile{"json: " + name, "json", text, ab, append([]string{"multiLine", "true"}, options...)})
	}
	json("pretty", "{\n  \"a\" : 1,\n  \"b\" : {\n    \"x\" : [ 1.50,\n 2 ]\n  }\n}\n")
	json("an array", "[\n{\"a\":1},\n{\"a\":2,\"s\":\"x\"}\n]\n")
	json("two objects", "{\"a\":1}\n{\"a\":2}\n")
	json("two arrays", "[{\"a\":1}][{\"a\":2}]")
	json("an array of arrays", "[[{\"a\":1}],[{\"a\":2}]]")
	json("an array of scalars", "[1,2]")
	json("an array with a null", "[{\"a\":1},null]")
	json("an empty array", "[]")
	json("an empty object", "{}")
	json("a scalar", "5")
	json("null", "null")
	json("blanks", " \n\t\n")
	json("nothing", "")
	json("a byte order mark", "\ufeff{\"a\":1}")
	json("a byte order mark alone", "\ufeff")
	json("damaged", "{\"a\":1,\n\"s\":\n")
	json("damaged array", "[{\"a\":1},\n{\"a\":x},\n{\"a\":3}]\n")
	json("a bad field", "{\"a\":\"x\",\n\"s\":\"y\"}\n")
	json("a bad field in an array", "[{\"a\":1,\"s\":\"p\"},{\"a\":\"x\",\"s\":\"y\"},{\"a\":3}]")
	json("a bad field in a struct", "[{\"a\":1,\"b\":{\"x\":\"k\",\"y\":\"z\"}},{\"a\":3}]")
	json("dropped", "{\"a\":\"x\"}", "mode", "DROPMALFORMED")
	json("failing", "{\"a\":\"x\"}", "mode", "FAILFAST")
	json("what stands behind", "{\"a\":1} x")
	json("no UTF-8", "{\"a\":1,\"s\":\"\xff\"}")
	json("comments", "/* a\n b */ {\"a\":1 // c\n}", "allowComments", "true")
	json("raw line break in a text", "{\"s\":\"x\ny\"}")
	const object = "{\"a\":1,\n\"s\":\"é€😀\",\"b\":{\"x\":1.50}}\n"
	json("UTF-16BE found", utf16Of(object, false))
	json("UTF-16LE found", utf16Of(object, true))
	json("UTF-16BE with a mark", "\xfe\xff"+utf16Of(object, false))
	json("UTF-16LE with a mark", "\xff\xfe"+utf16Of(object, true))
	json("UTF-32BE found", utf32Of(object, false))
	json("UTF-32LE found", utf32Of(object, true))
	json("UTF-32BE with a mark", "\x00\x00\xfe\xff"+utf32Of(object, false))
	json("UTF-32LE with a mark", "\xff\xfe\x00\x00"+utf32Of(object, true))
	json("UTF-16LE found, damaged", utf16Of("{\"a\":1,\"s\":", true))
	json("ISO-8859-1", "{\"a\":1,\"s\":\"\xe9\"}", "encoding", "ISO-8859-1")
	json("ISO-8859-1 damaged", "{\"a\":1,\"s\":\"\xe9\"", "encoding", "ISO-8859-1")
	json("UTF-8 named", "{\"a\":1,\"s\":\"\xff\",\"b\":{\"x\":1.50}}", "encoding", "UTF-8")
	json("UTF-8 named, with a mark", "\ufeff{\"a\":1}", "encoding", "UTF-8")
	json("UTF-16 named", "\xff\xfe"+utf16Of(object, true), "encoding", "UTF-16")
	json("UTF-16LE named, with a mark", "\xff\xfe"+utf16Of(object, true), "encoding", "UTF-16LE")
	json("UTF-32 named", utf32Of(object, false), "encoding", "UTF-32")
	json("lineSep says nothing", "{\"a\":1,\n\"s\":\"x\"}", "lineSep", "|")
	found("json", "pretty", "{\n\"a\":1,\n\"b\":[1.5]}\n", "multiLine", "true")
	found("json", "an array", "[{\"a\":1},\n{\"b\":\"x\"}]", "multiLine", "true")
	found("json", "damaged", "{\n\"a\":1,\n", "multiLine", "true")
	found("json", "two objects", "{\"a\":1}\n{\"b\":2}\n", "multiLine", "true")
	found("json", "UTF-16LE", utf16Of("{\"é\":1}", true), "multiLine", "true")
	found("json", "ISO-8859-1", "{\"\xe9\":1}", "multiLine", "true", "encoding", "ISO-8859-1")
	found("json", "lineSep", "{\"a\":1}|{\"b\":2}|", "lineSep", "|")
	found("json", "UTF-16LE lines", utf16Of("{\"é\":1}\n{\"b\":2}\n", true), "lineSep", "\n", "encoding", "UTF-16LE")

	for _, charset := range []string{"ISO-8859-1", "iso-8859-1", "latin1", "US-ASCII", "ascii", "windows-1252", "Cp1252", "ISO-8859-15", "UTF-8", "utf8", "UTF-16", "UTF-16LE", "utf-16be", "UTF-32", "UTF-32LE", "UTF-32BE", "Shift_JIS", "nonsense", ""} {
		for _, format := range []string{"csv", "json", "text"} {
			for _, sep := range []string{"", "\n"} {
				for _, multi := range []bool{false, true} {
					text := "1,\xe9\x80,z\n2,b,\"q\nr\"\n"
					schema := abc
					if format == "json" {
						text, schema = "{\"a\":1,\"s\":\"\xe9\x80\"}\n{\"a\":x}\n{\"a\":3}\n", ab
					}
					if format == "text" && multi {
						continue
					}
					options := []string{"encoding", charset}
					name := format + " in " + strconv.Quote(charset)
					if sep != "" {
						options, name = append(options, "lineSep", sep), name+", lines"
					}
					if multi {
						options, name = append(options, "multiLine", "true"), name+", whole"
					}
					if format == "text" {
						schema = ""
					}
					out = append(out, WholeFile{name, format, text, schema, options})
					if u := strings.ToUpper(charset); strings.HasPrefix(u, "UTF-16") || strings.HasPrefix(u, "UTF-32") {
						plain := strings.ReplaceAll(text, "\xe9\x80", "é€")
						wide := utf16Of(plain, strings.HasSuffix(u, "LE"))
						if strings.HasPrefix(u, "UTF-32") {
							wide = utf32Of(plain, strings.HasSuffix(u, "LE"))
						}
						out = append(out, WholeFile{name + ", wide", format, wide, schema, options})
						if strings.HasPrefix(u, "UTF-16") {
							out = append(out, WholeFile{name + ", cut", format, wide[:len(wide)-1], schema, options}, WholeFile{name + ", other mark", format, "\xff\xfe" + utf16Of(plain, true), schema, options})
						}
					}
				}
			}
		}
	}
	lines := func(format, name, text string, options ...string) {
		schema := map[string]string{"csv": abc, "json": ab}[format]
		out = append(out, WholeFile{format + " lines: " + name, format, text, schema, options})
	}
	for _, sep := range []string{"|", "||", "|||", "", "\r", "\r\n", "\n\n", "é", "\x01"} {
		end := sep
		if end == "" {
			end = "\n"
		}
		lines("csv", strconv.Quote(sep), "1,a,b"+end+"2,\"c"+end+"d\",e"+end+"3,f\n,g"+end+end+"x,h,i", "lineSep", sep)
		lines("json", strconv.Quote(sep), "{\"a\":1}"+end+"{\"a\":2,\n\"s\":\"x\"}"+end+end+"{\"a\":x}"+end+"{\"a\":4}", "lineSep", sep)
		lines("text", strconv.Quote(sep), "a"+end+"b\r\nc"+end+end+"d", "lineSep", sep)
	}
	lines("csv", "header", "a,b,c|1,x,y|", "lineSep", "|", "header", "true")
	lines("csv", "comment", "#a|1,x,y|", "lineSep", "|", "comment", "#")
	return out
}

// A WrittenFile is a table that is written as text under options which concern more than a line.
type WrittenFile struct {
	// Name is unique; Format is csv, json or text.
	Name, Format string
	// Options are Spark's, by name and value in turns.
	Options []string
}

// writtenText is a table as JSON, with what some character sets do not have.
const writtenText = `{"s":"é€😀","n":1}` + "\n" + `{"s":"a\nb\r\nc|d","n":2}` + "\n" + `{"s":"x,\"y\"","n":3}` + "\n"

// Write writes the table below dir and gives the bytes of the file as one text, or the word error and the condition where the session refuses.
func (c WrittenFile) Write(ctx context.Context, s backend.Session, dir string) ([]string, error) {
	in, to := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.MkdirAll(in, 0o777); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(in, "a"), []byte(writtenText), 0o666); err != nil {
		return nil, err
	}
	t := expr.Read("w", connectors.FromJSON(in, connectors.RowsDDL("s STRING, n INT")))
	var opts []connectors.Option
	for i := 0; i+1 < len(c.Options); i += 2 {
		opts = append(opts, connectors.Set(c.Options[i], c.Options[i+1]))
	}
	sink := map[string]func(string, ...connectors.Option) connectors.Files{"csv": connectors.ToCSV, "json": connectors.ToJSON, "text": connectors.ToText}[c.Format]
	if c.Format == "text" {
		t = t.Select("s")
	}
	if err := s.Write(ctx, t.WriteTo(sink(to, opts...))); err != nil {
		var e *condition.Error
		if errors.As(err, &e) {
			return refusal(e), nil
		}
		return nil, err
	}
	parts, err := filepath.Glob(filepath.Join(to, "part-*"))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, p := range parts {
		text, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		if len(text) > 0 {
			out = append(out, strconv.Quote(string(text)))
		}
	}
	return out, nil
}

// WrittenFiles are the cases.
func WrittenFiles() []WrittenFile {
	var out []WrittenFile
	for _, format := range []string{"csv", "json", "text"} {
		for _, charset := range []string{"ISO-8859-1", "us-ascii", "UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "latin1", "windows-1252", "nonsense"} {
			out = append(out, WrittenFile{"write " + format + " in " + charset, format, []string{"encoding", charset}})
		}
		out = append(out, WrittenFile{"write " + format + " in lines of UTF-16LE", format, []string{"encoding", "UTF-16LE", "lineSep", "\n"}})
		for _, sep := range []string{"|", "||", "|||", "\r\n", "\r", "é", ""} {
			out = append(out, WrittenFile{"write " + format + " with " + strconv.Quote(sep), format, []string{"lineSep", sep}})
		}
	}
	return append(out, WrittenFile{"write csv with a header in UTF-16", "csv", []string{"encoding", "UTF-16", "header", "true"}})
}

// randomWholeFiles are texts of CSV that are put together at random, over lines.
func randomWholeFiles(seed uint64, count int) []WholeFile {
	parts := []string{"1", "a", ",", ",", "\n", "\n", "\"", "\"", "\"", " ", "\\", "\r\n", "\r", "é", "\n2,", "b", "\"\"", ",\"", "\","}
	r := rand.New(rand.NewPCG(seed, 7))
	var out []WholeFile
	for i := range count {
		var b strings.Builder
		for range 4 + r.IntN(18) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		options := []string{"multiLine", "true"}
		switch i % 5 {
		case 1:
			options = append(options, "escape", "\"")
		case 2:
			options = append(options, "ignoreLeadingWhiteSpace", "true", "ignoreTrailingWhiteSpace", "true")
		case 3:
			options = append(options, "lineSep", "\n")
		}
		out = append(out, WholeFile{"csv: random " + strconv.Itoa(i), "csv", b.String(), "a INT, b STRING, c STRING, " + corruptRecord + " STRING", options})
	}
	return out
}
