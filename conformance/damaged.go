package conformance

import (
	"context"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/expr"
)

// Damaged is a set of lines of JSON that are read under one schema.
type Damaged struct {
	Name   string
	Schema string
	// Bare is the schema that from_json reads the lines into, where it is not a struct of Schema.
	Bare    string
	Options [][2]string
	Lines   []string
}

// corruptRecord is the column of the lines that are malformed.
const corruptRecord = "_corrupt_record"

// DamagedJSON gives sets of damaged lines: good records with objects in objects, maps and arrays, each with a byte taken out, put in or
// changed at every place, and cut at every place; and records in which bytes are no UTF-8. of is the share of the places: 1 for all, 20 for one in twenty.
func DamagedJSON(of int) []Damaged {
	const first = "a INT, b STRUCT<x: STRING, y: INT>, m MAP<STRING, INT>, st STRUCT<i: STRUCT<p: BOOLEAN>, x: STRING>, l ARRAY<INT>, x STRING"
	const second = "a BIGINT, ls ARRAY<STRUCT<x: INT, ll: ARRAY<ARRAY<STRING>>>>, ms MAP<STRING, STRUCT<x: DOUBLE, k: MAP<STRING, STRING>>>, d DECIMAL(6,2), t TIMESTAMP, bin BINARY, x STRING"
	sets := []Damaged{
		{Name: "objects", Schema: first, Lines: damage(records(30, 1, firstRecord), of, damages)},
		{Name: "lists", Schema: second, Lines: damage(records(16, 2, secondRecord), of, damages)},
		{Name: "wide", Schema: first, Lines: damage(records(8, 3, firstRecord), of, []string{"/", "'", "\\", "#", "-", "0", "N", "+"}), Options: [][2]string{
			{"allowComments", "true"}, {"allowUnquotedFieldNames", "true"}, {"allowNumericLeadingZeros", "true"}, {"allowBackslashEscapingAnyCharacter", "true"}, {"allowUnquotedControlChars", "true"}}},
		{Name: "narrow", Schema: first, Lines: damage(records(6, 4, firstRecord), of, []string{"'", "NaN", "I"}), Options: [][2]string{{"allowSingleQuotes", "false"}, {"allowNonNumericNumbers", "false"}}},
		{Name: "bytes", Schema: first, Lines: damage(records(8, 5, firstRecord), of, []string{"\xfe", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xc1\xa1", "\xf0\x9f\x98\x80", "\xf5\x80\x80\x80", "\xf0\x80\x80\x80", "\\ud83d", "\\udc00"})},
		{Name: "encoded", Schema: first, Lines: damage(records(6, 6, firstRecord), of, []string{"\xfe", ",", "}", "t"}), Options: [][2]string{{"encoding", "UTF-8"}}},
		{Name: "rows", Schema: "x INT, b STRUCT<x: INT>", Lines: damage([]string{`{"x":[{"x":1,"b":{"x":2}},{"x":3}],"b":{"x":4}}`, ` [ {"b":{"x":5},"x":6} , {"x":7}]`, `[]`}, of, damages)},
		{Name: "array", Schema: "x STRING", Bare: "ARRAY<STRUCT<x: INT, l: ARRAY<INT>>>", Lines: damage([]string{`[{"x":1,"l":[2,3]},{"x":4}]`, `{"x":5,"l":[6]}`}, of, damages)},
		{Name: "map", Schema: "x STRING", Bare: "MAP<STRING, STRUCT<x: INT>>", Lines: damage([]string{`{"k":{"x":1},"j":{"x":2},"":{}}`}, of, damages)},
	}
	return sets
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

// eachRow gives each row as one text in which every byte can be seen.
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
			out = append(out, row.String())
		}
	}
	return out, nil
}

// BrokenTexts are lines made of characters and of bytes that are none.
func BrokenTexts() []string {
	parts := []string{"a", "é", "€", "😀", "\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\x80", "\xed\xa0\x80", "b,", "�"}
	var out []string
	for n := 1; n < len(parts)*len(parts)*len(parts); n++ {
		var line string
		for k := n; k > 0; k /= len(parts) {
			line += parts[k%len(parts)]
		}
		out = append(out, line)
	}
	return out
}

// BrokenTextColumns are what is asked of each line.
func BrokenTextColumns() map[string]func(s expr.StringValue) expr.AnyValue {
	call := func(name string, args ...any) func(s expr.StringValue) expr.AnyValue {
		return func(s expr.StringValue) expr.AnyValue {
			return expr.Call[expr.AnyValue](name, append([]any{s}, args...)...)
		}
	}
	// Spark takes a character that is cut at the end of a text with bytes of what lies behind it in memory.
	ended := func(name string, args ...any) func(s expr.StringValue) expr.AnyValue {
		return func(s expr.StringValue) expr.AnyValue { return call(name, args...)(s.Concat("zzz")) }
	}
	return map[string]func(s expr.StringValue) expr.AnyValue{
		"as it is":       call("substring", 1),
		"length":         call("length"),
		"reverse":        call("reverse"),
		"upper":          call("upper"),
		"lower":          call("lower"),
		"substring":      call("substring", 2),
		"substring some": ended("substring", 2, 1),
		"substring back": ended("substring", -2),
		"lpad":           ended("lpad", 5, "é-"),
		"rpad":           ended("rpad", 5, "é-"),
		"cut":            ended("rpad", 2, "-"),
		"instr":          call("instr", "a"),
		"instr half":     call("instr", "�"),
		"like":           call("like", "_a%"),
		"like replaced":  call("like", "%�%"),
		"like some":      call("like", "%�%a%"),
		"contains":       call("contains", "a"),
		"rlike":          call("rlike", "^.a"),
		"regexp_replace": call("regexp_replace", "a", "-"),
		"replace":        call("replace", "a", "-"),
		"split":          call("split", ","),
		"split all":      call("split", ""),
		"repeat":         call("repeat", 2),
		"trim":           call("trim"),
		"concat":         call("concat", "é"),
	}
}
