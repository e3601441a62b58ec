package conformance

import (
	"context"
	"os"
	"path/filepath"
	"sort"
	"strconv"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Inference is a text file whose columns a session finds.
type Inference struct {
	// Name is unique; Format is csv or json.
	Name, Format string
	// Files are the contents, one a file; Folders are the partition folders that they lie in, one for each file, or nothing.
	Files, Folders []string
	// Options are Spark's.
	Options map[string]string
}

// Found is what a session finds: the columns in DDL, or the error's condition.
type Found struct {
	Schema string `json:"schema"`
	Error  string `json:"error,omitempty"`
}

// Find writes the files below dir, which the session sees under the same path, and asks for their columns.
func (c Inference) Find(ctx context.Context, s backend.Session, dir string) (Found, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return Found{}, err
	}
	for i, text := range c.Files {
		folder := dir
		if len(c.Folders) > 0 {
			folder = filepath.Join(dir, c.Folders[i])
		}
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return Found{}, err
		}
		if err := os.WriteFile(filepath.Join(folder, "part-"+strconv.Itoa(i)+"."+c.Format), []byte(text), 0o666); err != nil {
			return Found{}, err
		}
	}
	fields, err := s.Schema(ctx, c.source(dir))
	if err != nil {
		if name := condition.Of(err); name != "" {
			return Found{Error: name}, nil
		}
		return Found{}, err
	}
	for _, f := range fields {
		if !f.Nullable {
			return Found{Schema: "a column that is not nullable: " + f.Name}, nil
		}
	}
	return Found{Schema: datatype.DDL(fields)}, nil
}

func (c Inference) source(dir string) connectors.Files {
	var opts []connectors.Option
	for k, v := range c.Options {
		opts = append(opts, connectors.Set(k, v))
	}
	sort.Slice(opts, func(i, j int) bool { return opts[i].String() < opts[j].String() })
	if c.Format == "json" {
		return connectors.FromJSON(dir, connectors.Inferred(), opts...)
	}
	return connectors.FromCSV(dir, connectors.Inferred(), opts...)
}

// Inferences are the cases.
func Inferences() []Inference {
	var out []Inference
	csv := func(name, text string, options ...string) {
		c := Inference{Name: "csv: " + name, Format: "csv", Files: []string{text}, Options: map[string]string{"inferSchema": "true"}}
		for i := 0; i+1 < len(options); i += 2 {
			c.Options[options[i]] = options[i+1]
		}
		out = append(out, c)
	}
	json := func(name, text string, options ...string) {
		c := Inference{Name: "json: " + name, Format: "json", Files: []string{text}, Options: map[string]string{}}
		for i := 0; i+1 < len(options); i += 2 {
			c.Options[options[i]] = options[i+1]
		}
		out = append(out, c)
	}

	csv("texts without inferSchema", "1,x,true\n2,y,\n", "inferSchema", "false")
	csv("names without inferSchema", "a,b,c\n1,x,true\n", "inferSchema", "false", "header", "true")
	csv("numbers", "i,l,d,f,g\n1,2147483648,9223372036854775808,1.5,1e3\n-7,-9,1,2,0x1p3\n", "header", "true")
	csv("bounds of integers", "2147483647,-2147483648,9223372036854775807,-9223372036854775808\n")
	csv("beyond integers", "2147483648,-2147483649,9223372036854775808,-9223372036854775809,99999999999999999999999999999999999999,100000000000000000000000000000000000000\n")
	csv("integers, then decimals", "1,9223372036854775807,1\n9223372036854775808,9223372036854775808,99999999999999999999999999999999999999\n")
	csv("decimals, then integers", "9223372036854775808,99999999999999999999999999999999999999\n1,1\n")
	csv("decimals, then fractions", "9223372036854775808,1\n1.5,1.5\n1,2\n")
	csv("spellings of numbers", "+5,-0,007,1.,.5,1E5,5d,5f,0x10,1_000\n")
	csv("commas in numbers", "\"1,234\",\"1,234.5\",\"1,2\"\n1,1,1.5\n")
	csv("NaN and infinities", "NaN,Inf,-Inf,Infinity,-Infinity,nan,inf\n")
	csv("words of NaN by options", "nix,hoch,tief\n1,1,1\n", "nanValue", "nix", "positiveInf", "hoch", "negativeInf", "tief")
	csv("blanks around numbers", " 5,5 , 5 , true, 2024-01-01\n")
	csv("blanks taken off", " 5,5 , 5 , true, 2024-01-01\n", "ignoreLeadingWhiteSpace", "true", "ignoreTrailingWhiteSpace", "true")
	csv("truth values", "true,FALSE,True,t,1,yes\nfalse,true,,f,0,no\n")
	csv("truth values and numbers", "true,1\n1,true\n")
	csv("dates", "2024-01-31,2024-1-1,2024-02-30,0001-01-01,12024-01-01,2024-01\n")
	csv("time stamps", "2024-01-31 10:00:00,2024-01-31T10:00:00Z,2024-01-31T10:00:00.123456+02:00,2024-01-31 10:00,10:00:00,T10:00\n")
	csv("dates, then time stamps", "2024-01-01,2024-01-01 10:00:00\n2024-01-01 10:00:00,2024-01-01\n")
	csv("dates, then time stamps under a pattern", "2024-01-01,01/02/2024 10:00\n01/02/2024 10:00,2024-01-01\n", "timestampFormat", "dd/MM/yyyy HH:mm")
	csv("dates under a pattern", "31/01/2024,2024-01-31\n30/01/2024,2024-01-30\n", "dateFormat", "dd/MM/yyyy")
	csv("dates under a pattern, then time stamps", "31/01/2024,2024-01-31 10:00:00\n2024-01-31 10:00:00,31/01/2024\n", "dateFormat", "dd/MM/yyyy")
	csv("time stamps under a pattern", "31.01.2024 10h,2024-01-31 10:00:00\n", "timestampFormat", "dd.MM.yyyy HH'h'")
	csv("dates are not preferred", "2024-01-01,2024-01\n", "preferDate", "false")
	csv("dates and numbers", "2024-01-01,1\n1,2024-01-01\n")
	csv("nothing and nulls", "a,b,c\n,,x\n,NULL,NULL\n", "header", "true", "nullValue", "NULL")
	csv("quotes around nothing", "a,b\n\"\",1\n\"\",2\n", "header", "true")
	csv("an empty value", "a,b\n\"\",1\n3,2\n", "header", "true", "emptyValue", "leer")
	csv("quoted values", "\"1\",\"true\",\"a \"\"q\"\"\",\"2024-01-01\"\n")
	csv("a header alone", "a,b c,`d`\n", "header", "true")
	csv("an empty file", "")
	csv("an empty file with a header", "", "header", "true")
	csv("blank lines and comments", "\n#x\na,b\n\n#1,2\n1,2\n   \n", "header", "true", "comment", "#")
	csv("names that are missing, twice, hostile", "a,,A,b,b,c.d,${x},\"e \"\"f\"\"\", g \n1,2,3,4,5,6,7,8,9\n", "header", "true")
	csv("a name as another with its place", "a,a,a0\n1,2,3\n", "header", "true")
	csv("a null name", "a,NULL,b\n1,2,3\n", "header", "true", "nullValue", "NULL")
	csv("lines of other lengths", "a,b,c\n1\n1,2,3,4\n1.5,x\n", "header", "true")
	csv("longer lines than the first", "1\n2,3\n")
	csv("the header again", "a,b\n1,2\na,b\n3,4\n", "header", "true")
	csv("line ends", "a,b\r\n1,2\r\n3,x\r\n", "header", "true")
	csv("a byte order mark", "\ufeffa,b\n1,2\n", "header", "true")
	csv("another separator", "a;b\n1,5;2\n", "header", "true", "sep", ";")
	csv("a separator of two characters", "a||b\n1||x\n", "header", "true", "sep", "||")
	csv("a corrupt record column is none of the file's", "a,b\n1,2\n", "header", "true", "columnNameOfCorruptRecord", "bad", "mode", "PERMISSIVE")
	out = append(out,
		Inference{Name: "csv: two files", Format: "csv", Files: []string{"a,b\n1,2\n3,4\n", "a,b\nx,5\n"}, Options: map[string]string{"inferSchema": "true", "header": "true"}},
		Inference{Name: "csv: the larger file has the header", Format: "csv", Files: []string{"a,b\n1,2\n", "c,d\n1,2\n3,4\n5,6\n"}, Options: map[string]string{"inferSchema": "true", "header": "true"}},
		Inference{Name: "csv: no file", Format: "csv", Options: map[string]string{}},
		Inference{Name: "json: no file", Format: "json", Options: map[string]string{}},
		Inference{Name: "json: two files", Format: "json", Files: []string{"{\"b\":1}\n", "{\"a\":1.5,\"b\":\"x\"}\n"}, Options: map[string]string{}},
	)

	folders := func(name string, in ...string) {
		c := Inference{Name: "folders: " + name, Format: "json", Folders: in, Options: map[string]string{}}
		for range in {
			c.Files = append(c.Files, "{\"a\":1,\"inner\":\"x\"}\n")
		}
		out = append(out, c)
	}
	folders("one type each", "i=1/l=2147483648/t=x/d=1.5", "i=-2/l=3/t=1/d=2")
	folders("big numbers", "n=9223372036854775808/m=99999999999999999999999999999999999999/o=100000000000000000000000000000000000000/e=1e5")
	folders("dates and times", "d=2024-01-31/t=2024-01-31 10%3A00%3A00/u=2024-01-31T10%3A00%3A00/v=2024-1-1/w=2024-02-30")
	folders("dates, then times", "d=2024-01-31", "d=2024-01-31 10%3A00%3A00")
	folders("integers, then fractions", "i=1/l=2147483648/n=9223372036854775808", "i=1.5/l=1.5/n=1.5")
	folders("integers, then decimals", "n=1/m=9223372036854775808", "n=9223372036854775808/m=2147483648")
	folders("numbers, then texts", "n=1/d=2024-01-01", "n=x/d=1")
	folders("nulls", "n=__HIVE_DEFAULT_PARTITION__/m=__HIVE_DEFAULT_PARTITION__", "n=1/m=__HIVE_DEFAULT_PARTITION__")
	folders("truth values and spellings", "b=true/p=+5/z=007/s=5d/f=NaN/x=0x10")
	folders("a column that the files have too", "inner=5/b=1")
	folders("names that are escaped", "a%3Db=1/c d=x%2Fy")
	folders("names in another case", "A=x")

	json("scalars", `{"i":1,"l":9223372036854775807,"f":1.5,"e":1e3,"s":"x","b":true,"n":null}`+"\n")
	json("big numbers", `{"a":9223372036854775808,"b":-9223372036854775809,"c":99999999999999999999999999999999999999,"d":100000000000000000000000000000000000000}`+"\n")
	json("numbers that meet", `{"a":1,"b":1.5,"c":1,"d":9223372036854775808,"e":9223372036854775808,"f":1}`+"\n"+`{"a":1.5,"b":1,"c":9223372036854775808,"d":1,"e":1.5,"f":"x"}`+"\n")
	json("decimals are preferred", `{"a":1.5,"c":0.001,"d":123456789012345678901234567890.123456789,"e":"1.25","f":"0.001","g":"x","h":"1,234","i":"1e3","k":1}`+"\n", "prefersDecimal", "true")
	json("a decimal that ends before its point", `{"a":1e3}`+"\n", "prefersDecimal", "true")
	json("decimals that are too long", `{"a":1e-39,"b":1.23456789012345678901234567890123456789,"c":1e-38}`+"\n", "prefersDecimal", "true")
	json("decimals that meet", `{"a":1.5,"b":1.5,"c":12345678901234567890123456789.5}`+"\n"+`{"a":10.25,"b":7,"c":0.1234567890123456789}`+"\n", "prefersDecimal", "true")
	json("primitives as texts", `{"a":1,"b":true,"c":[1.5],"d":{"e":null,"f":9223372036854775808},"g":NaN}`+"\n", "primitivesAsString", "true")
	json("order of names", `{"b":1,"a":2,"Z":3,"é":4,"_":5}`+"\n"+`{"c":1,"A2":1}`+"\n")
	json("missing fields", `{"a":1}`+"\n"+`{"b":"x"}`+"\n{}\n")
	json("types that do not meet", `{"a":1,"b":true,"c":[1],"d":{"x":1},"e":{"x":1}}`+"\n"+`{"a":true,"b":"x","c":{"x":1},"d":5,"e":[1]}`+"\n")
	json("empty texts say nothing", `{"a":"","b":"","c":[""],"d":""}`+"\n"+`{"a":1,"b":null,"c":[2],"d":"x"}`+"\n")
	json("arrays", `{"a":[],"b":[1,2.5],"c":[1,"x"],"d":[null],"e":[[1],[]],"f":[{"x":1},{"y":"z"}],"g":[]}`+"\n"+`{"a":[1],"b":[],"c":null,"d":[true],"e":[[null]],"f":[],"g":[]}`+"\n")
	json("structs", `{"a":{"y":1,"x":{"z":[1]}},"b":{},"c":{"d":{}}}`+"\n"+`{"a":{"w":true,"x":{"z":[1.5],"v":null}},"b":{"k":1}}`+"\n")
	json("fields that are always null are dropped", `{"a":null,"b":[],"c":{"d":null},"e":1,"f":""}`+"\n", "dropFieldIfAllNull", "true")
	json("nothing but nulls are dropped", `{"a":null}`+"\n", "dropFieldIfAllNull", "true")
	json("time stamps are looked for", `{"a":"2024-01-01 10:00:00","b":"2024-01-01","c":"2024-01-01T10:00:00Z","d":"x","e":"2024-01-01 10:00:00","f":"10:00"}`+"\n"+`{"a":"2025-01-01 10:00:00","b":null,"c":"","e":1}`+"\n", "inferTimestamp", "true")
	json("time stamps under a pattern", `{"a":"31.01.2024 10:00","b":"2024-01-01 10:00:00"}`+"\n", "inferTimestamp", "true", "timestampFormat", "dd.MM.yyyy HH:mm")
	json("time stamps are texts", `{"a":"2024-01-01 10:00:00"}`+"\n")
	json("an empty file", "")
	json("blank lines", "\n  \n{\"a\":1}\n\n")
	json("empty objects", "{}\n{}\n")
	json("a null document", "null\n{\"a\":1}\n")
	json("an array of objects a line", `[{"a":1},{"b":"x"}]`+"\n"+`{"c":true}`+"\n")
	json("nothing but an array", `[{"a":1},{"a":2.5}]`+"\n")
	json("nothing but scalars", "1\n2\n")
	json("scalars and objects", "1\n{\"a\":1}\n\"x\"\n")
	json("broken records", "{\"a\":1}\n{\"a\":\n{bad}\n{\"b\":2}\n")
	json("nothing but broken records", "{\"a\":\nx\n")
	json("broken records under another name", "{\"a\":1}\n{\"a\":\n", "columnNameOfCorruptRecord", "bad")
	json("a field with the name of the corrupt column", "{\"_corrupt_record\":1}\n{\"a\":\n")
	json("broken records are dropped", "{\"a\":1}\n{\"a\":\n1\n", "mode", "DROPMALFORMED")
	json("broken records fail", "{\"a\":1}\n{\"a\":\n", "mode", "FAILFAST")
	json("scalars fail", "{\"a\":1}\n5\n", "mode", "FAILFAST")
	json("what stands behind a record", "{\"a\":1} x\n{\"b\":1}{\"c\":1}\n")
	json("names twice", `{"a":1,"a":"x"}`+"\n")
	json("names that differ in case", `{"a":1}`+"\n"+`{"A":2.5}`+"\n")
	json("names that differ in case in one record", `{"a":1,"A":2}`+"\n")
	json("an empty name", `{"":1,"a":2}`+"\n")
	json("hostile names", `{"a.b":1,"c d":2,"${x}":3,"`+"`"+`":4,"e\"f":5}`+"\n")
	json("words for numbers", `{"a":NaN,"b":-Infinity,"c":+INF}`+"\n")
	json("words for numbers are refused", `{"a":NaN}`+"\n", "allowNonNumericNumbers", "false")
	json("single quotes, comments and bare names", "{'a':'x'}\n{b:1}\n{\"c\":1/*x*/}\n", "allowUnquotedFieldNames", "true", "allowComments", "true")
	json("line ends", "{\"a\":1}\r\n{\"b\":2}\r\n")
	json("numbers that are none", `{"a":01}`+"\n"+`{"b":1.}`+"\n"+`{"c":-}`+"\n"+`{"d":1}`+"\n")
	return out
}
