package conformance

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/selectors"
	"github.com/spoonbill-go/spoonbill/window"
)

// zeroRow is a row for types and functions that take one.
type zeroRow struct {
	A int64
	S string
}

// zeroPackages are the packages whose exported names users call, without those that are generated function by function.
var zeroPackages = []string{"expr", "expr/selectors", "window", "connectors", "compiler", "backend", "backend/local", "backend/sparkconnect"}

// zeroNames has every exported type, as a pointer to its zero value, and every exported function of zeroPackages.
func zeroNames() []any {
	return []any{
		// expr
		new(expr.AcrossValue), new(expr.AnyValue), new(expr.ArrayValue), new(expr.BinaryValue), new(expr.BooleanValue), new(expr.Bound), new(expr.CaseOf),
		new(expr.DateValue), new(expr.Delay), new(expr.Distincts), new(expr.Grouped), new(expr.GroupingElement), new(expr.How), new(expr.IntervalValue),
		new(expr.JoinOption), new(expr.Keep), new(expr.MapValue), new(expr.NumericValue), new(expr.Ordering), new(expr.Params), new(expr.PivotOption),
		new(expr.Place), new(expr.StringValue), new(expr.StructValue), new(expr.Table), new(expr.TableOfRows[zeroRow]), new(expr.TimeValue),
		new(expr.TimestampValue), new(expr.Trigger), new(expr.UnnestOption), new(expr.VariantValue), new(expr.WindowSpec), new(expr.WindowValue),
		new(expr.Write), expr.Across[expr.NumericValue, expr.Value], expr.After, expr.AllCaps, expr.Array, expr.Asc, expr.AsofBackward, expr.AsofForward,
		expr.AsofNearest, expr.AsofStrict, expr.AsofTolerance, expr.AvailableNow, expr.Before, expr.Binary, expr.Bool, expr.Call[expr.NumericValue],
		expr.Case, expr.Cast, expr.CastAs[expr.NumericValue], expr.CatalogTable, expr.Coalesce[expr.NumericValue], expr.Col, expr.Continuous, expr.Count,
		expr.CountDistinct, expr.Cube, expr.CumulativeWindow, expr.CurrentBound, expr.Date, expr.DateOf, expr.Days, expr.Decimal, expr.DefaultTrigger,
		expr.DelayText, expr.Desc, expr.Exists, expr.Greatest[expr.NumericValue], expr.Grouping, expr.GroupingID, expr.GroupingSets, expr.IDCols,
		expr.IfAll[expr.NumericValue], expr.IfAny[expr.NumericValue], expr.If[expr.NumericValue], expr.IgnoreNulls[expr.NumericValue], expr.Interval,
		expr.KeepEmpty, expr.LName, expr.Least[expr.NumericValue], expr.Lit, expr.LiteralTable, expr.Map, expr.MemtableRows, expr.Memtable[zeroRow],
		expr.Months, expr.NamesFrom, expr.NamesPattern, expr.NamesPrefix, expr.NamesSep, expr.NamesSort, expr.NamesTo, expr.NamesTransform, expr.Null,
		expr.NullableParam, expr.Num, expr.OffsetBound, expr.Once, expr.Param, expr.ParseDelay, expr.ParseWatermarkPolicy, expr.PivotNames, expr.ProcessingTime, expr.RName, expr.Read,
		expr.RealTime, expr.RespectNulls[expr.NumericValue], expr.Rollup, expr.RowLiterals, expr.SQL, expr.SQLValue[expr.NumericValue], expr.SessionWindow,
		expr.SnakeCase, expr.Static, expr.Str, expr.StreamingTable, expr.Struct, expr.TableOf[zeroRow], expr.Time, expr.TimeWindow, expr.Timestamp,
		expr.TimestampNTZ, expr.TryCast, expr.UnboundedBound, expr.ValuesAgg[expr.NumericValue, expr.Value], expr.ValuesFill, expr.ValuesFrom, expr.ValuesTo,
		expr.ValuesTransform[expr.NumericValue, expr.Value], expr.Variant, expr.Where[expr.NumericValue], expr.Window, expr.WithPosition,
		// expr/selectors
		new(selectors.Selector), selectors.Across[expr.NumericValue, expr.NumericValue], selectors.All, selectors.AllOf, selectors.AnyOf, selectors.Cols,
		selectors.Contains, selectors.EndsWith, selectors.First, selectors.IfAll[expr.NumericValue], selectors.IfAny[expr.NumericValue], selectors.Index,
		selectors.Last, selectors.Matches, selectors.None, selectors.Numeric, selectors.OfKind, selectors.OfType, selectors.Range, selectors.StartsWith,
		selectors.Where,
		// window
		window.Cumulate, window.Cumulative, window.CurrentRow, window.Following, window.Over, window.Preceding, window.Session, window.SessionGap,
		window.Sliding, window.Trailing, window.TrailingRange, window.Tumbling, window.Unbounded,
		// connectors
		new(connectors.Codec), new(connectors.Files), new(connectors.Kafka), new(connectors.MemorySink), new(connectors.MemoryStream),
		new(connectors.Option), new(connectors.RateSource), new(connectors.Rebase), new(connectors.Rows), new(connectors.SASLMechanism),
		new(connectors.SimpleSink), new(connectors.TableSink), new(connectors.UnescapedQuotes), connectors.AllowBackslashEscapingAnyCharacter,
		connectors.AllowComments, connectors.AllowNonNumericNumbers, connectors.AllowNumericLeadingZeros, connectors.AllowSingleQuotes,
		connectors.AllowUnquotedControlChars, connectors.AllowUnquotedFieldNames, connectors.ArchiveSource, connectors.Assign, connectors.AvroSchema,
		connectors.BasePath, connectors.CharToEscapeQuoteEscaping, connectors.ColumnPruning, connectors.Comment, connectors.Compression,
		connectors.CorruptRecord, connectors.DateFormat, connectors.DateTimeParsingFallback, connectors.DatetimeRebase, connectors.DeleteSource,
		connectors.DropFieldIfAllNull, connectors.EmptyValue, connectors.Encoding, connectors.EndingOffsets, connectors.EndingOffsetsByTimestamp,
		connectors.EndingTimestamp, connectors.EnforceSchema, connectors.Escape, connectors.EscapeQuotes, connectors.FailOnDataLoss,
		connectors.FileExtension, connectors.FileNameOnly, connectors.FromAvro, connectors.FromBinary, connectors.FromCSV, connectors.FromJSON,
		connectors.FromKafka, connectors.FromORC, connectors.FromParquet, connectors.FromText, connectors.GroupID, connectors.GroupIDPrefix,
		connectors.Header, connectors.IgnoreCorruptFiles, connectors.IgnoreMissingFiles, connectors.IgnoreNullFields, connectors.IgnoreWhiteSpace,
		connectors.IncludeHeaders, connectors.InferSchema, connectors.InferTimestamp, connectors.Inferred, connectors.Infinities, connectors.Int96Rebase,
		connectors.JSONOf, connectors.JSON[zeroRow], connectors.LatestFirst, connectors.LatestWithoutTimestamp, connectors.LineSeparator, connectors.Locale,
		connectors.MaxBytesPerTrigger, connectors.MaxCharsPerColumn, connectors.MaxColumns, connectors.MaxFileAge, connectors.MaxFilesPerTrigger,
		connectors.MaxOffsetsPerTrigger, connectors.MaxRecordsPerFile, connectors.MaxRecordsPerPartition, connectors.MaxTriggerDelay, connectors.MergeSchema,
		connectors.MinOffsetsPerTrigger, connectors.MinPartitions, connectors.Mode, connectors.ModifiedAfter, connectors.ModifiedBefore,
		connectors.MultiLine, connectors.NaNValue, connectors.NewMemorySink, connectors.NewMemoryStreamDDL, connectors.NewMemoryStream[zeroRow],
		connectors.NonASCIIAsCodePoint, connectors.Noop, connectors.NullValue, connectors.NumRows, connectors.OnlyAvroFiles, connectors.PathGlobFilter,
		connectors.PollTimeout, connectors.PositionalFieldMatching, connectors.PreferDate, connectors.PrefersDecimal, connectors.Pretty,
		connectors.PrimitivesAsString, connectors.Quote, connectors.QuoteAll, connectors.Rate, connectors.Raw, connectors.RawSecret, connectors.RecordName,
		connectors.RecordNamespace, connectors.RecursiveFieldMaxDepth, connectors.RecursiveFileLookup, connectors.RowsDDL, connectors.RowsFields,
		connectors.RowsOf[zeroRow], connectors.SASL, connectors.SamplingRatio, connectors.Separator, connectors.Set, connectors.SingleVariantColumn,
		connectors.SortKeys, connectors.StableUnionNames, connectors.StartingOffsets, connectors.StartingOffsetsByTimestamp, connectors.StartingTimestamp,
		connectors.SubscribePattern, connectors.TLS, connectors.TimeFormat, connectors.TimeZone, connectors.TimestampFormat, connectors.TimestampNTZFormat,
		connectors.ToAvro, connectors.ToCSV, connectors.ToConsole, connectors.ToJSON, connectors.ToKafka, connectors.ToMemoryTable, connectors.ToORC,
		connectors.ToParquet, connectors.ToTable, connectors.ToText, connectors.Truncate, connectors.UnescapedQuoteHandling, connectors.WholeText,
		// compiler
		new(compiler.CheckStep), new(compiler.DeduplicateStep), new(compiler.Program), new(compiler.QueryStep), new(compiler.ReadStep), new(compiler.Target),
		new(compiler.ViewStep), new(compiler.WatermarkStep), new(compiler.WriteBatchStep), new(compiler.WriteStreamStep), compiler.Compile,
		compiler.CompileWrite, compiler.DeclaresSchema, compiler.Lint, compiler.SQL, compiler.Unchecked,
		// backend
		new(backend.Cached), new(backend.ColumnInfo), new(backend.Decoder[int64]), new(backend.Entry), new(backend.Event), new(backend.EventKind),
		new(backend.Events), new(backend.ExplainMode), new(backend.ExplainOptions), new(backend.Explanation), new(backend.Interval), new(backend.MetricUnit),
		new(backend.PlanMetric), new(backend.PlanOperator), new(backend.PlanSection), new(backend.Progress), new(backend.Rate), new(backend.Result),
		new(backend.ShowOptions), new(backend.SinkProgress), new(backend.SourceProgress), new(backend.StateOperatorProgress), new(backend.Status),
		new(backend.StatusLine), new(backend.TableInfo), new(backend.Work), new(backend.WorkMeter), backend.Collect[int64], backend.ColumnsText,
		backend.Count, backend.CreateTable, backend.Decode[int64], backend.Format, backend.Head[zeroRow], backend.IsNull, backend.LogicalPlan,
		backend.LogicalSection, backend.NewCached, backend.NewDecoder[int64], backend.NewStatusLine, backend.NewWorkMeter, backend.ParseEvent,
		backend.PrintSchema, backend.ReadInferred, backend.Rows[int64], backend.Show, backend.ShowTable, backend.SortTables, backend.ToCSV, backend.ToJSON,
		backend.ToParquet, backend.Watch, backend.WithWork, backend.WorkOf,
		// backend/local
		new(local.Option), new(local.Session), local.ANSI, local.BatchRows, local.Clock, local.FileSystem, local.Open, local.Parallelism, new(local.Store), local.TimeZone,
		local.MemoryStore, local.DiskStore, local.StateStore, local.Retain, new(local.StateOptions), local.ExplainWindow, local.Warehouse,
		// backend/sparkconnect
		new(sparkconnect.Option), new(sparkconnect.Session), sparkconnect.ANSI, sparkconnect.Allocator, sparkconnect.Config, sparkconnect.Connect,
		sparkconnect.TLS, sparkconnect.TimeZone, sparkconnect.Token,
	}
}

// Every exported type and function stands in zeroNames.
func TestZeroNamesAreComplete(t *testing.T) {
	self, err := parser.ParseFile(token.NewFileSet(), "zero_test.go", nil, 0)
	require.NoError(t, err)
	have := map[string]bool{}
	ast.Inspect(self, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				have[x.Name+"."+s.Sel.Name] = true
			}
		}
		return true
	})
	for _, dir := range zeroPackages {
		files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(dir), "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, dir)
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			need := func(name *ast.Ident) {
				full := file.Name.Name + "." + name.Name
				if name.IsExported() && !have[full] {
					t.Errorf("%s: %s is missing in zeroNames", path, full)
				}
			}
			for _, d := range file.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Recv == nil {
						need(d.Name)
					}
				case *ast.GenDecl:
					for _, spec := range d.Specs {
						x, ok := spec.(*ast.TypeSpec)
						if !ok || x.Assign.IsValid() {
							continue
						}
						if _, ok := x.Type.(*ast.InterfaceType); !ok {
							need(x.Name)
						}
					}
				}
			}
		}
	}
}

// zeroCalls calls functions with zero arguments and looks at what they give.
type zeroCalls struct {
	t     *testing.T
	table expr.Table
	// zeros are zero values of the exported types, for parameters that are interfaces.
	zeros []reflect.Value
	// operands are the interfaces that a parameter of any type is looked at for.
	operands []reflect.Type
	seen     map[string]bool
	calls    int
}

var (
	contextType = reflect.TypeFor[context.Context]()
	errorType   = reflect.TypeFor[error]()
)

// all calls f with zero arguments: without and with a variadic one, with a nil context and another, and with each zero value for a parameter that is an interface.
func (z *zeroCalls) all(name string, f reflect.Value) {
	t := f.Type()
	base := make([]reflect.Value, t.NumIn())
	for i := range base {
		base[i] = reflect.Zero(t.In(i))
		if t.In(i) == contextType {
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			defer cancel()
			base[i] = reflect.ValueOf(ctx)
		}
	}
	fixed := len(base)
	if t.IsVariadic() {
		fixed--
	}
	z.call(name, f, base[:fixed])
	if t.IsVariadic() {
		one := reflect.Zero(t.In(fixed).Elem())
		z.call(name+" of one more", f, append(slices.Clone(base[:fixed]), one))
	}
	for i := range base {
		in, at := t.In(i), slices.Clone(base[:fixed])
		if i == fixed {
			in, at = in.Elem(), append(at, reflect.Value{})
		}
		if in == contextType {
			at[i] = reflect.Zero(in)
			z.call(name+" without a context", f, at)
			continue
		}
		if in.Kind() != reflect.Interface {
			continue
		}
		for _, v := range z.zeros {
			if in.NumMethod() == 0 && !slices.ContainsFunc(z.operands, v.Type().AssignableTo) {
				continue // what takes anything tells apart what stands for values and columns alone
			}
			if v.Type().Implements(in) {
				at[i] = v
				z.call(fmt.Sprintf("%s of %s", name, v.Type()), f, at)
			}
		}
	}
}

func (z *zeroCalls) call(name string, f reflect.Value, args []reflect.Value) {
	defer func() {
		if p := recover(); p != nil {
			where := "?"
			for l := range strings.Lines(string(debug.Stack())) {
				if l = strings.TrimSpace(l); strings.Contains(l, ".go:") && !strings.Contains(l, "/runtime/") && !strings.Contains(l, "/reflect/") && !strings.Contains(l, "zero_test.go") && !strings.Contains(l, "runtime/debug") {
					where = l
					break
				}
			}
			if z.seen[where] {
				return
			}
			z.seen[where] = true
			z.t.Errorf("%s: %v\n\t%s", name, p, where)
		}
	}()
	z.calls++
	for _, out := range f.Call(args) {
		z.look(name, out)
	}
}

// look uses a result as its reader would.
func (z *zeroCalls) look(name string, v reflect.Value) {
	if v.Type() == errorType {
		if err, ok := v.Interface().(error); ok {
			if text := err.Error(); text == "" || strings.Contains(text, "fault of the program") {
				z.t.Errorf("%s: the error is %q", name, text)
			}
		}
		return
	}
	switch x := v.Interface().(type) {
	case expr.Table:
		_, _ = x.Relation()
	case expr.Write:
		_, _ = x.Tree()
	case expr.Value:
		_ = z.table.Select(x).Err()
	case fmt.Stringer:
		if v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface {
			_ = x.String()
		}
	}
	switch t := v.Type(); {
	case t.CanSeq2() && t.Kind() == reflect.Func && !v.IsNil():
		for range v.Seq2() {
			break
		}
	case t.CanSeq() && t.Kind() == reflect.Func && !v.IsNil():
		for range v.Seq() {
			break
		}
	case t.Kind() == reflect.Interface && !v.IsNil() && t.PkgPath() == "github.com/spoonbill-go/spoonbill/backend":
		z.methods(name+" → "+t.Name(), v)
	}
}

// methods calls every method. Those of a value through a nil pointer are Go's own panic, and left out.
func (z *zeroCalls) methods(name string, v reflect.Value) {
	for i := range v.NumMethod() {
		m := v.Type().Method(i)
		if v.Kind() == reflect.Pointer && v.IsNil() {
			if _, ok := v.Type().Elem().MethodByName(m.Name); ok {
				continue
			}
		}
		z.all(name+"."+m.Name, v.Method(i))
	}
}

// Whatever is nil or was never made gives an error or a zero value, and no panic: every exported function with zero arguments, and every exported method on the zero
// value, on the nil pointer and on tables and values that are there.
func TestNothingPanicsOnZeroValues(t *testing.T) {
	z := &zeroCalls{t: t, seen: map[string]bool{}, operands: []reflect.Type{reflect.TypeFor[expr.Value](), reflect.TypeFor[expr.Selector](), reflect.TypeFor[expr.Ordering]()}, table: expr.Memtable("t", []zeroRow{{1, "a"}})}
	names := zeroNames()
	for _, x := range names {
		if v := reflect.ValueOf(x); v.Kind() == reflect.Pointer {
			z.zeros = append(z.zeros, v.Elem(), v, reflect.Zero(v.Type()))
		}
	}
	for _, x := range names {
		v := reflect.ValueOf(x)
		if v.Kind() == reflect.Func {
			z.all(strings.TrimPrefix(runtime.FuncForPC(v.Pointer()).Name(), "github.com/spoonbill-go/spoonbill/"), v)
			continue
		}
		name := v.Type().Elem().String()
		fresh := func() reflect.Value { return reflect.New(v.Type().Elem()) }
		z.methods(name, fresh())
		z.methods("nil *"+name, reflect.Zero(v.Type()))
		if v.Elem().Kind() == reflect.Func {
			continue
		}
	}
	tbl := z.table
	for _, x := range []any{
		tbl, tbl.GroupBy("A"), tbl.Num("A"), tbl.Str("S"), tbl.Col("A"), tbl.Num("A").Gt(1), tbl.Num("A").Sum(), expr.Case(), window.Over(), tbl.WriteTo(connectors.Noop()),
		expr.Rollup("A"), expr.TableOf[zeroRow](tbl), selectors.All(), connectors.NewMemorySink(), connectors.NewMemoryStreamDDL("a INT"),
	} {
		z.methods(fmt.Sprintf("a %T", x), reflect.ValueOf(x))
	}
	s, err := local.Open()
	require.NoError(t, err)
	defer s.Close()
	z.methods("a session", reflect.ValueOf(backend.Session(s)))
	t.Logf("%d calls", z.calls)
}
