package compiler

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/spoonbill-go/spoonbill/compiler/sparksql"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// String prints the program as a PySpark script that does the same. Secrets are ***.
func (p *Program) String() string {
	if p == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString("from pyspark.sql import SparkSession\n")
	if p.hasArgs() {
		b.WriteString("from pyspark.sql.functions import expr\n")
	}
	b.WriteString("\nspark = SparkSession.builder.getOrCreate()\n")
	fmt.Fprintf(&b, "spark.conf.set(\"spark.sql.session.timeZone\", %s)\n", py(p.Target.Zone))
	fmt.Fprintf(&b, "spark.conf.set(\"spark.sql.ansi.enabled\", %s)\n", py(fmt.Sprint(!p.Target.NoANSI)))
	b.WriteString("spark.conf.set(\"spark.sql.variable.substitute\", \"false\")\n")
	for _, s := range p.Steps {
		b.WriteString("\n" + s.python() + "\n")
	}
	return b.String()
}

// py gives a Python string literal.
func py(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// sqlText gives SQL between triple quotes where that changes nothing, so that it reads as it is.
func sqlText(s string) string {
	if strings.Contains(s, `"""`) || strings.HasSuffix(s, `"`) {
		return py(s)
	}
	for _, r := range s {
		if r < ' ' && r != '\n' {
			return py(s)
		}
	}
	prefix := ""
	if strings.Contains(s, `\`) {
		if strings.HasSuffix(s, `\`) {
			return py(s)
		}
		prefix = "r"
	}
	return prefix + "\"\"\"\n" + s + "\n\"\"\""
}

func optionCalls(opts tree.Options, indent string) string {
	var b strings.Builder
	for _, o := range opts {
		v := o.Value
		if o.Secret {
			v = tree.Redacted
		}
		fmt.Fprintf(&b, "\n%s.option(%s, %s)", indent, py(o.Key), py(v))
	}
	return b.String()
}

func (s ReadStep) python() string {
	method := "read"
	if s.Streaming {
		method = "readStream"
	}
	if s.Source.Format == tree.TableFormat {
		return "(\n    spark." + method + optionCalls(s.Source.Options, "    ") + "\n    .table(" + py(s.Source.Path) + ")\n    .createOrReplaceTempView(" + py(datatype.QuoteName(s.View)) + ")\n)"
	}
	text := fmt.Sprintf("(\n    spark.%s.format(%s)", method, py(s.Source.Format))
	if DeclaresSchema(s.Source.Format) {
		text += "\n    .schema(" + py(datatype.DDL(nullable(s.Source.Fields))) + ")"
	}
	text += optionCalls(s.Source.Options, "    ")
	if s.Source.Path != "" {
		text += "\n    .load(" + py(s.Source.Path) + ")"
	} else {
		text += "\n    .load()"
	}
	return text + "\n    .createOrReplaceTempView(" + py(datatype.QuoteName(s.View)) + ")\n)"
}

// DeclaresSchema tells whether a format takes its schema from the user; Kafka, rate, states of checkpoints and tables of the catalogue bring their own.
func DeclaresSchema(format string) bool {
	switch format {
	case "kafka", "rate", "rate-micro-batch", "socket", "statestore", "state-metadata", tree.TableFormat:
		return false
	}
	return true
}

func nullable(fields []datatype.Field) []datatype.Field {
	out := make([]datatype.Field, len(fields))
	for i, f := range fields {
		out[i] = datatype.Field{Name: f.Name, Type: datatype.AsNullable(f.Type), Nullable: true}
	}
	return out
}

func (s ViewStep) python() string {
	return sqlCall(s.SQL, s.Args) + ".createOrReplaceTempView(" + py(datatype.QuoteName(s.View)) + ")"
}

// sqlCall is the call that gives a query's rows.
func sqlCall(sql string, args []tree.ParamValue) string {
	if len(args) == 0 {
		return "spark.sql(" + sqlText(sql) + ")"
	}
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = py(a.Name) + ": " + pyArgument(a.Value)
	}
	return "spark.sql(" + sqlText(sql) + ", args={" + strings.Join(list, ", ") + "})"
}

// pyArgument is a value that PySpark takes for a parameter: it must be a literal and no call.
func pyArgument(l *tree.Literal) string {
	switch v := l.Value.(type) {
	case nil:
		return "None"
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprintf("float(\"%v\")", v)
		}
	case *big.Int:
		return "expr(" + py(tree.DecimalText(v, l.Typ)+"BD") + ")"
	case string:
		return py(v)
	}
	return "expr(" + py(sparksql.Literal(l)) + ")"
}

// hasArgs tells whether a step has values of parameters.
func (p *Program) hasArgs() bool {
	for _, s := range p.Steps {
		var args []tree.ParamValue
		switch x := s.(type) {
		case ViewStep:
			args = x.Args
		case CheckStep:
			args = x.Args
		case QueryStep:
			args = x.Args
		case WriteBatchStep:
			args = x.Args
		case WriteStreamStep:
			args = x.Args
		}
		if len(args) > 0 {
			return true
		}
	}
	return false
}

func (s CheckStep) python() string {
	columns := make([]string, len(s.Fields))
	var filled []string
	for i, f := range s.Fields {
		columns[i] = "(" + py(f.Name) + ", " + py(simpleType(f.Type)) + ")"
		if !f.Nullable {
			filled = append(filled, strconv.Itoa(i))
		}
	}
	text := "columns = " + sqlCall(s.SQL, s.Args) + ".schema.fields\n" +
		"assert [(c.name, c.dataType.simpleString()) for c in columns] == [" + strings.Join(columns, ", ") + "], columns"
	if len(filled) > 0 {
		text += "\nassert not any(columns[i].nullable for i in [" + strings.Join(filled, ", ") + "]), columns"
	}
	return text
}

// simpleType writes a type as PySpark's DataType.simpleString, which leaves out nulls and quotes no name.
func simpleType(t datatype.Type) string {
	switch t := t.(type) {
	case datatype.Array:
		return "array<" + simpleType(t.Elem) + ">"
	case datatype.Map:
		return "map<" + simpleType(t.Key) + "," + simpleType(t.Value) + ">"
	case datatype.Struct:
		fields := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = f.Name + ":" + simpleType(f.Type)
		}
		return "struct<" + strings.Join(fields, ",") + ">"
	}
	return strings.ToLower(t.String())
}

func (s WatermarkStep) python() string {
	return fmt.Sprintf("spark.table(%s).withWatermark(%s, %s).createOrReplaceTempView(%s)", py(datatype.QuoteName(s.Input)), py(s.Column), py(s.Delay), py(datatype.QuoteName(s.View)))
}

func (s DeduplicateStep) python() string {
	method := "dropDuplicates"
	if s.WithinWatermark {
		method = "dropDuplicatesWithinWatermark"
	}
	cols := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		cols[i] = py(c)
	}
	return fmt.Sprintf("spark.table(%s).%s([%s]).createOrReplaceTempView(%s)", py(datatype.QuoteName(s.Input)), method, strings.Join(cols, ", "), py(datatype.QuoteName(s.View)))
}

func (s StatefulStep) python() string {
	group := func(view string, keys []string) string {
		cols := make([]string, len(keys))
		for i, k := range keys {
			cols[i] = py(datatype.QuoteName(k))
		}
		return "spark.table(" + py(datatype.QuoteName(view)) + ").groupBy(" + strings.Join(cols, ", ") + ")"
	}
	text := strings.TrimRight(s.Python.Source, "\n") + "\n\n\n(\n    " + group(s.Input, s.Keys) + "\n    .transformWithState(\n        " + s.Python.Class + "(),\n        outputStructType=" + py(datatype.DDL(nullable(s.Out))) +
		",\n        outputMode=" + py(s.Mode.String()) + ",\n        timeMode=" + py(s.Time.String()) + ",\n"
	if s.Initial != "" {
		text += "        initialState=" + group(s.Initial, s.InitialKeys) + ",\n"
	}
	if s.EventTime != "" {
		text += "        eventTimeColumnName=" + py(s.EventTime) + ",\n"
	}
	return text + "    )\n    .createOrReplaceTempView(" + py(datatype.QuoteName(s.View)) + ")\n)"
}

func (s QueryStep) python() string { return "result = " + sqlCall(s.SQL, s.Args) }

func (s WriteBatchStep) python() string {
	switch s.Sink.Insert {
	case tree.InsertByPosition:
		overwrite := "False"
		if s.Save == tree.SaveOverwrite {
			overwrite = "True"
		}
		return "(\n    " + sqlCall(s.SQL, s.Args) + "\n    .write\n    .insertInto(" + py(s.Sink.Path) + ", overwrite=" + overwrite + ")\n)"
	case tree.InsertByName:
		return sqlCall(s.Insert(s.SQL), s.Args)
	}
	text := "(\n    " + sqlCall(s.SQL, s.Args) + "\n    .write"
	if f := s.Sink.Writer(); f != "" {
		text += ".format(" + py(f) + ")"
	}
	text += "\n    .mode(" + py(s.Save.String()) + ")"
	text += partitionCall(s.Sink) + optionCalls(s.Sink.Options, "    ")
	if s.Sink.Format == tree.TableFormat {
		return text + "\n    .saveAsTable(" + py(s.Sink.Path) + ")\n)"
	}
	return text + "\n    .save(" + pathArg(s.Sink.Path) + ")\n)"
}

func (s WriteStreamStep) python() string {
	text := ""
	if s.Policy != tree.AnyWatermark {
		text = "spark.conf.set(" + py(tree.PolicyConf) + ", " + py(s.Policy.String()) + ")\n"
	}
	if s.RocksDB {
		text += "spark.conf.set(" + py(StateStoreConf) + ", " + py(RocksDBProvider) + ")\n"
	}
	text += s.eachBatch() + "query = (\n    " + sqlCall(s.SQL, s.Args) + "\n    .writeStream"
	if s.Sink.Each != nil {
		text += ".foreachBatch(" + EachBatchFunction + ")"
	} else if f := s.Sink.Writer(); f != "" {
		text += ".format(" + py(f) + ")"
	}
	text += "\n    .outputMode(" + py(s.Mode.String()) + ")"
	if s.Name != "" {
		text += "\n    .queryName(" + py(s.Name) + ")"
	}
	text += partitionCall(s.Sink) + optionCalls(s.Sink.Options, "    ")
	if s.Checkpoint != "" {
		text += "\n    .option(\"checkpointLocation\", " + py(s.Checkpoint) + ")"
	}
	if t := triggerArg(s.Trigger); t != "" {
		text += "\n    .trigger(" + t + ")"
	}
	if s.Sink.Format == tree.TableFormat {
		return text + "\n    .toTable(" + py(s.Sink.Path) + ")\n)\nquery.awaitTermination()"
	}
	return text + "\n    .start(" + pathArg(s.Sink.Path) + ")\n)\nquery.awaitTermination()"
}

func pathArg(p string) string {
	if p == "" {
		return ""
	}
	return py(p)
}

func partitionCall(s *tree.Sink) string {
	if len(s.PartitionBy) == 0 {
		return ""
	}
	cols := make([]string, len(s.PartitionBy))
	for i, c := range s.PartitionBy {
		cols[i] = py(c)
	}
	return "\n    .partitionBy(" + strings.Join(cols, ", ") + ")"
}

func triggerArg(t tree.Trigger) string {
	interval := py(fmt.Sprintf("%d milliseconds", t.IntervalMillis))
	switch t.Kind {
	case tree.ProcessingTime:
		return "processingTime=" + interval
	case tree.Once:
		return "once=True"
	case tree.AvailableNow:
		return "availableNow=True"
	case tree.Continuous:
		return "continuous=" + interval
	case tree.RealTime:
		return "realTime=" + interval
	}
	return ""
}
