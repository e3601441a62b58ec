package conformance

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/functions"
)

// Damaged is a set of damaged lines, and what is asked of them.
type Damaged struct {
	Name string
	// Schema has the columns of a file of JSON; the set is no file of JSON where it is empty.
	Schema string
	// Bare is the schema of from_json; it is not asked where it is empty.
	Bare    string
	Options [][2]string
	Lines   []string
}

// A DamagedQuestion is one table over the lines of a set. Each line gives a row of it, but for those that are left out in mode DROPMALFORMED.
type DamagedQuestion struct {
	Name  string
	Table expr.Table
}

// corruptRecord is the column of the lines that are malformed.
const corruptRecord = "_corrupt_record"

// Questions writes the lines into a folder and gives what is asked of them.
func (d Damaged) Questions(dir string) ([]DamagedQuestion, error) {
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(strings.Join(d.Lines, "\n")+"\n"), 0o666); err != nil {
		return nil, err
	}
	var out []DamagedQuestion
	source := func(f connectors.Files) expr.Table { return expr.Read("d"+strconv.Itoa(len(out)), f) }
	add := func(name string, t expr.Table) { out = append(out, DamagedQuestion{name, t}) }
	opts := []connectors.Option{connectors.CorruptRecord(corruptRecord)}
	var args []any
	for _, o := range d.Options {
		opts = append(opts, connectors.Set(o[0], o[1]))
		args = append(args, o[0], o[1])
	}
	if d.Schema != "" {
		rows := connectors.RowsDDL(d.Schema + ", " + corruptRecord + " STRING")
		in := source(connectors.FromJSON(dir, rows, opts...))
		add("file", in)
		// Spark gives its parser the columns alone that are read.
		in = source(connectors.FromJSON(dir, rows, opts...))
		add("two columns", in.Select("x", d.Schema[:1]))
		add("DROPMALFORMED", source(connectors.FromJSON(dir, rows, append(opts, connectors.Mode("DROPMALFORMED"))...)))
	}
	if d.Bare != "" {
		t := source(connectors.FromText(dir))
		call := []any{t.Str("value"), d.Bare}
		if len(args) > 0 {
			call = append(call, functions.Map(args...))
		}
		add("from_json", t.Select(expr.Call[expr.AnyValue]("from_json", call...).As("v")))
	}
	if d.Name == "texts" {
		for _, c := range brokenTextColumns {
			t := source(connectors.FromText(dir))
			add(c.name, t.Select(c.of(t.Str("value")).As("v")))
		}
		for _, schema := range []string{"a STRING, b STRING", "a BINARY, b INT, " + corruptRecord + " STRING"} {
			add("CSV "+schema, source(connectors.FromCSV(dir, connectors.RowsDDL(schema), opts...)))
		}
	}
	return out, nil
}

// DamagedLines gives sets of damaged lines: good records with objects in objects, maps and arrays, each with a byte taken out, put in or
// changed at every place, and cut at every place; records in which bytes are no UTF-8, and lines of such bytes. of is the share of the places: 1 for all, 20 for one in twenty.
func DamagedLines(of int) []Damaged {
	const first = "a INT, b STRUCT<x: STRING, y: INT>, m MAP<STRING, INT>, st STRUCT<i: STRUCT<p: BOOLEAN>, x: STRING>, l ARRAY<INT>, x STRING"
	const bare = first + ", " + corruptRecord + " STRING"
	const second = "a BIGINT, ls ARRAY<STRUCT<x: INT, ll: ARRAY<ARRAY<STRING>>>>, ms MAP<STRING, STRUCT<x: DOUBLE, k: MAP<STRING, STRING>>>, d DECIMAL(6,2), t TIMESTAMP, bin BINARY, x STRING"
	sets := []Damaged{
		{Name: "objects", Schema: first, Bare: bare, Lines: damage(records(10, 1, firstRecord), of, damages)},
		{Name: "lists", Schema: second, Bare: second + ", " + corruptRecord + " STRING", Lines: damage(records(6, 2, secondRecord), of, damages)},
		{Name: "wide", Schema: first, Bare: bare, Lines: damage(append(records(5, 3, firstRecord), `{"x":[01,-007,00,-00.5,{"y":0001}],/*c*/"a":03}`), of, []string{"/", "'", "\\", "#", "-", "0", "N", "+"}), Options: [][2]string{
			{"allowComments", "true"}, {"allowUnquotedFieldNames", "true"}, {"allowNumericLeadingZeros", "true"}, {"allowBackslashEscapingAnyCharacter", "true"}, {"allowUnquotedControlChars", "true"}}},
		{Name: "narrow", Schema: first, Bare: bare, Lines: damage(records(6, 4, firstRecord), of, []string{"'", "NaN", "I"}), Options: [][2]string{{"allowSingleQuotes", "false"}, {"allowNonNumericNumbers", "false"}}},
		{Name: "bytes", Schema: first, Bare: bare, Lines: damage(records(5, 5, firstRecord), of, []string{"\xfe", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xc1\xa1", "\xf0\x9f\x98\x80", "\xf5\x80\x80\x80", "\xf0\x80\x80\x80", "\\ud83d", "\\udc00"})},
		{Name: "encoded", Schema: first, Lines: damage(records(6, 6, firstRecord), of, []string{"\xfe", ",", "}", "t"}), Options: [][2]string{{"encoding", "UTF-8"}}},
		{Name: "rows", Schema: "b STRUCT<x: INT>, x INT", Lines: damage([]string{`{"x":[{"x":1,"b":{"x":2}},{"x":3}],"b":{"x":4}}`, ` [ {"b":{"x":5},"x":6} , {"x":7}]`, `[]`}, of, damages)},
		{Name: "array", Bare: "ARRAY<STRUCT<x: INT, l: ARRAY<INT>>>", Lines: damage([]string{`[{"x":1,"l":[2,3]},{"x":4}]`, `{"x":5,"l":[6]}`}, of, damages)},
		{Name: "far", Schema: first, Bare: bare, Lines: far(of)},
		{Name: "bounds", Schema: first + ", f DOUBLE, d DECIMAL(38,2)", Bare: bare + ", f DOUBLE, d DECIMAL(38,2)", Lines: bounds()},
		{Name: "texts", Lines: brokenTexts(min(of, 7))},
		{Name: "map", Bare: "MAP<STRING, STRUCT<x: INT>>", Lines: damage([]string{`{"k":{"x":1},"j":{"x":2},"":{}}`}, of, damages)},
	}
	return sets
}

// far gives records that are damaged where the buffer of Jackson's reader of characters ends.
func far(of int) []string {
	const buffer = 4000
	var out []string
	for _, g := range []string{`"a":-12.5e+3,"b":{"x":true,"y":1}}`, `"b":{"y":-0,"x":"é😀"},"a":10}`} {
		for before := 1; before < len(g); before++ {
			head := `{"o":"`
			head += strings.Repeat("o", buffer-len(head)-len(`",`)-before) + `",`
			for i := max(before-4, 0); i < min(before+4, len(g)); i++ {
				if (before+i)%of == 0 {
					out = append(out, head+g[:i]+"x"+g[i:], head+g[:i]+g[i+1:], head+g[:i])
				}
			}
		}
	}
	return out
}

// bounds gives records at the limits that Jackson has: how deep they nest, and how long a number and a name may be.
func bounds() []string {
	var out []string
	for n := 996; n <= 1003; n++ {
		deep := strings.Repeat("[", n) + strings.Repeat("]", n)
		out = append(out, `{"a":1,"o":`+deep+`}`, `{"a":2,"b":{"x":`+deep+`}}`, `{"a":3,"b":{"z":`+deep+`},"x":"y"}`, `{"a":4,"l":[`+deep+`]}`)
		digits := strings.Repeat("1", n)
		for _, number := range []string{digits, "-" + digits, "0." + digits, "1e" + digits, digits[:n/2] + "." + digits[n/2:] + "E-1", "00" + digits} {
			out = append(out, `{"a":5,"f":`+number+`}`, `{"d":`+number+`,"a":6}`, `{"x":`+number+`,"a":7}`, `{"b":{"o":`+number+`,"x":1},"a":8}`, `{"b":{"x":`+number+`,"y":1},"a":9}`)
		}
	}
	for n := 49_999; n <= 50_001; n++ {
		out = append(out, `{"a":10,"`+strings.Repeat("n", n)+`":1,"x":"z"}`, `{"a":11,"m":{"`+strings.Repeat("n", n)+`":1}}`)
	}
	return out
}

// damages are what is put in at each place.
var damages = []string{",", "}", "]", `"`, "x", "\t", "{", "[", ":", "1", "."}

// damage gives each record whole, and damaged at some of its places. No line begins with what makes several rows of it, or none.
func damage(good []string, of int, put []string) []string {
	var out []string
	n := 0
	add := func(line string) {
		n++
		if strings.TrimSpace(line) != "" && n%of == 0 {
			out = append(out, line)
		}
	}
	for _, g := range good {
		out = append(out, g)
		for i := range len(g) + 1 {
			for _, p := range put {
				add(g[:i] + p + g[i:])
			}
			if i < len(g) {
				add(g[:i])
				add(g[:i] + g[i+1:])
				add(g[:i] + put[i%len(put)] + g[i+1:])
				if i+2 <= len(g) {
					add(g[:i] + g[i+1:i+2] + g[i:i+1] + g[i+2:])
				}
			}
		}
	}
	return out
}

// records makes n records with fields in any order, some of them missing.
func records(n int, seed uint64, make func(r *rand.Rand) []string) []string {
	r := rand.New(rand.NewPCG(seed, 0))
	var out []string
	for range n {
		fields := make(r)
		r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
		out = append(out, object(fields[:2+r.IntN(len(fields)-1)]))
	}
	return out
}

func object(fields []string) string { return "{" + strings.Join(fields, ",") + "}" }

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

func someOf(r *rand.Rand, fields ...string) string {
	r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return object(fields[:r.IntN(len(fields)+1)])
}

func firstRecord(r *rand.Rand) []string {
	text := func() string {
		return pick(r, `"k"`, `""`, `"é"`, `"a\"b"`, `"\u0041"`, `'q'`, `12.50`, `true`, `null`, `{"u":[1]}`, `[{}]`)
	}
	return []string{
		`"a":` + pick(r, "5", "-7", "0", "null", "1.5", "3e2", `"3"`),
		`"b":` + someOf(r, `"x":`+text(), `"y":`+pick(r, "1", "-2", "true"), `"z":`+text()),
		`"m":` + someOf(r, `"k":1`, `"j":`+pick(r, "2", "null", `"v"`), `"":3`),
		`"st":` + object([]string{`"i":` + someOf(r, `"p":`+pick(r, "true", "false", "1"), `"x":`+text()), `"x":` + text()}),
		`"l":` + pick(r, "[]", "[1,2]", "[1,null]", `[1,"x"]`, "[ 3 ]"),
		`"x":` + text(),
		`"o":` + pick(r, `{"a":8,"q":[1,{}]}`, `[[1],"x"]`, `"s"`, "-1.5E-3"),
	}
}

func secondRecord(r *rand.Rand) []string {
	return []string{
		`"a":` + pick(r, "5", "9223372036854775807", "-1"),
		`"ls":[` + someOf(r, `"x":1`, `"ll":[["p","q"],[]]`) + "," + someOf(r, `"x":2`, `"ll":[[`+pick(r, `"r"`, "1", "{}")+`]]`, `"l":0`) + "]",
		`"ms":` + someOf(r, `"k":{"x":1.5,"k":{"a":"b"}}`, `"j":`+pick(r, `{"x":NaN}`, `{"x":"INF"}`, "null", "{}")),
		`"d":` + pick(r, "1.25", "12", `"3.5"`, "99999.9"),
		`"t":` + pick(r, `"2024-02-29T01:02:03Z"`, "86400", `"x"`),
		`"bin":` + pick(r, `"YWI="`, `"YQ=="`, `"YWJj"`, `'YQ=='`),
		`"x":` + pick(r, `"y"`, `[1, 2.50]`, `{"k":"😀"}`),
	}
}

// eachRow gives each row as one text in which every byte can be seen, cut where it is long.
func eachRow(ctx context.Context, s backend.Session, t expr.Table) ([]string, error) {
	res, err := s.Batches(ctx, t)
	if err != nil {
		return nil, err
	}
	var out []string
	for batch, err := range res.Batches {
		if err != nil {
			return nil, err
		}
		for i := range int(batch.NumRows()) {
			var row strings.Builder
			for j, f := range res.Fields {
				if c := batch.Column(j); backend.IsNull(c, i) {
					row.WriteString("- ")
				} else {
					row.WriteString(strconv.Quote(backend.Format(c, i, f.Type, time.UTC)) + " ")
				}
			}
			text := row.String()
			if len(text) > 400 {
				h := fnv.New64a()
				h.Write([]byte(text))
				text = fmt.Sprintf("%s… %d %x", text[:100], len(text), h.Sum64())
			}
			out = append(out, text)
		}
	}
	return out, nil
}

// brokenTexts are lines made of characters and of bytes that are none.
func brokenTexts(of int) []string {
	parts := []string{"a", "é", "€", "😀", "\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\x80", "\xed\xa0\x80", "b,", "�"}
	var out []string
	for n := 1; n < len(parts)*len(parts)*len(parts); n += 5 * of {
		var line string
		for k := n; k > 0; k /= len(parts) {
			line += parts[k%len(parts)]
		}
		out = append(out, line)
	}
	return out
}

// brokenTextColumns are what is asked of each line.
var brokenTextColumns = func() (out []struct {
	name string
	of   func(s expr.StringValue) expr.AnyValue
}) {
	call := func(name, function string, args ...any) {
		out = append(out, struct {
			name string
			of   func(s expr.StringValue) expr.AnyValue
		}{name, func(s expr.StringValue) expr.AnyValue {
			return expr.Call[expr.AnyValue](function, append([]any{s}, args...)...)
		}})
	}
	// Spark takes a character that is cut at the end of a text with bytes of what lies behind it in memory.
	ended := func(name, function string, args ...any) {
		call(name, function, args...)
		of := out[len(out)-1].of
		out[len(out)-1].of = func(s expr.StringValue) expr.AnyValue { return of(s.Concat("zzz")) }
	}
	call("as it is", "substring", 1)
	call("length", "length")
	call("reverse", "reverse")
	call("upper", "upper")
	call("lower", "lower")
	call("substring", "substring", 2)
	ended("substring some", "substring", 2, 1)
	ended("substring back", "substring", -2)
	ended("lpad", "lpad", 5, "é-")
	ended("rpad", "rpad", 5, "é-")
	ended("cut", "rpad", 2, "-")
	call("instr", "instr", "a")
	call("instr half", "instr", "�")
	call("like", "like", "_a%")
	call("like replaced", "like", "%�%")
	call("like some", "like", "%�%a%")
	call("contains", "contains", "a")
	call("rlike", "rlike", "^.a")
	call("regexp_replace", "regexp_replace", "a", "-")
	call("replace", "replace", "a", "-")
	call("split", "split", ",")
	call("split all", "split", "")
	call("repeat", "repeat", 2)
	call("trim", "trim")
	call("concat", "concat", "é")
	return out
}()
