package file

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local/connector"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// Every typed option of text files is one that its connector knows, and the local engine honours it or refuses it by its name.
func TestTypedTextOptions(t *testing.T) {
	rows := connectors.RowsDDL("a INT, s STRING")
	here, there := true, false
	type given struct {
		key   string
		opts  []connectors.Option
		local bool
	}
	one := func(key string, o connectors.Option, local bool) given {
		return given{key, []connectors.Option{o}, local}
	}
	dir := t.TempDir()
	open := func(t *testing.T, g given, f connectors.Files, sink bool) {
		t.Helper()
		var err error
		if sink {
			s, e := f.Sink()
			require.NoError(t, e, g.key)
			_, known := s.Options.Get(g.key)
			require.True(t, known, g.key)
			_, err = connector.OpenSink(t.Context(), connector.Env{}, s)
		} else {
			s, e := f.Source()
			require.NoError(t, e, g.key)
			_, known := s.Options.Get(g.key)
			require.True(t, known, g.key)
			_, err = connector.OpenSource(t.Context(), connector.Env{}, s)
		}
		if g.local {
			require.NoError(t, err, g.key)
			return
		}
		require.Equal(t, condition.InvalidOption, condition.Of(err), g.key)
		require.ErrorContains(t, err, "option "+g.key)
	}
	common := []given{
		one("timeZone", connectors.TimeZone("Europe/Berlin"), here), one("timestampNTZFormat", connectors.TimestampNTZFormat("HH:mm"), here), one("timeFormat", connectors.TimeFormat("HH:mm"), there),
		one("dateFormat", connectors.DateFormat("dd.MM.yyyy"), here), one("timestampFormat", connectors.TimestampFormat("HH:mm"), here), one("locale", connectors.Locale("de-DE"), there),
		one("locale", connectors.Locale("en-US"), here), {"encoding", []connectors.Option{connectors.Encoding("ISO-8859-1"), connectors.LineSeparator("|")}, here},
	}
	read := []given{
		one("enableDateTimeParsingFallback", connectors.DateTimeParsingFallback(true), there), one("multiLine", connectors.MultiLine(), here), one("samplingRatio", connectors.SamplingRatio(1), here),
		one("singleVariantColumn", connectors.SingleVariantColumn("v"), there), one("mode", connectors.Mode("FAILFAST"), here), one("columnNameOfCorruptRecord", connectors.CorruptRecord("bad"), here),
	}
	csvBoth := []given{
		one("emptyValue", connectors.EmptyValue("-"), here), {"ignoreTrailingWhiteSpace", connectors.IgnoreWhiteSpace(true, false), here}, one("charToEscapeQuoteEscaping", connectors.CharToEscapeQuoteEscaping("!"), here),
		one("nullValue", connectors.NullValue("x"), here), one("sep", connectors.Separator(";"), here), one("quote", connectors.Quote("'"), here), one("escape", connectors.Escape("!"), here), one("header", connectors.Header(), here),
	}
	csvRead := []given{
		one("enforceSchema", connectors.EnforceSchema(false), here), one("comment", connectors.Comment("#"), here), one("nanValue", connectors.NaNValue("nix"), here), {"negativeInf", connectors.Infinities("+oo", "-oo"), here},
		one("maxColumns", connectors.MaxColumns(3), here), one("maxCharsPerColumn", connectors.MaxCharsPerColumn(-1), here), one("preferDate", connectors.PreferDate(false), here), one("inferSchema", connectors.InferSchema(), here),
		one("unescapedQuoteHandling", connectors.UnescapedQuoteHandling(connectors.SkipValue), here), one("unescapedQuoteHandling", connectors.UnescapedQuoteHandling(connectors.BackToDelimiter), there),
		one("columnPruning", connectors.ColumnPruning(true), here), one("columnPruning", connectors.ColumnPruning(false), there),
	}
	csvWrite := []given{one("quoteAll", connectors.QuoteAll(), here), one("escapeQuotes", connectors.EscapeQuotes(false), here), one("extension", connectors.FileExtension("tsv"), here)}
	jsonRead := []given{
		one("primitivesAsString", connectors.PrimitivesAsString(), here), one("prefersDecimal", connectors.PrefersDecimal(), here), one("inferTimestamp", connectors.InferTimestamp(), here),
		one("dropFieldIfAllNull", connectors.DropFieldIfAllNull(), here), one("allowComments", connectors.AllowComments(), here), one("allowUnquotedFieldNames", connectors.AllowUnquotedFieldNames(), here),
		one("allowSingleQuotes", connectors.AllowSingleQuotes(false), here), one("allowNumericLeadingZeros", connectors.AllowNumericLeadingZeros(), here), one("allowNonNumericNumbers", connectors.AllowNonNumericNumbers(false), here),
		one("allowBackslashEscapingAnyCharacter", connectors.AllowBackslashEscapingAnyCharacter(), here), one("allowUnquotedControlChars", connectors.AllowUnquotedControlChars(), here),
	}
	jsonWrite := []given{
		one("ignoreNullFields", connectors.IgnoreNullFields(false), here), one("sortKeys", connectors.SortKeys(), there), one("pretty", connectors.Pretty(), there),
		one("writeNonAsciiCharacterAsCodePoint", connectors.NonASCIIAsCodePoint(), there),
	}
	for _, list := range [][]given{common, read, csvBoth, csvRead} {
		for _, g := range list {
			open(t, g, connectors.FromCSV(dir, rows, g.opts...), false)
		}
	}
	for _, list := range [][]given{common, csvBoth, csvWrite} {
		for _, g := range list {
			open(t, g, connectors.ToCSV(dir, g.opts...), true)
		}
	}
	for _, list := range [][]given{common, read, jsonRead} {
		for _, g := range list {
			open(t, g, connectors.FromJSON(dir, rows, g.opts...), false)
		}
	}
	for _, list := range [][]given{common, jsonWrite} {
		for _, g := range list {
			open(t, g, connectors.ToJSON(dir, g.opts...), true)
		}
	}
	_, err := connectors.FromCSV(dir, rows, connectors.SamplingRatio(0)).Source()
	require.Equal(t, condition.InvalidOption, condition.Of(err))
	_, err = connectors.ToCSV(dir, connectors.FileExtension("c/v")).Sink()
	require.ErrorContains(t, err, "three letters")
}

// Names in the first line count where enforceSchema is false, and names of files end as they are asked to.
func TestEnforceSchemaAndExtension(t *testing.T) {
	dir := t.TempDir()
	out, err := connectors.ToCSV(filepath.Join(dir, "in"), connectors.Header(), connectors.FileExtension("tsv"), connectors.Compression("gzip")).Sink()
	require.NoError(t, err)
	fields := fieldsOf(t, "a INT, b STRING")
	_, err = writeAll(t, connector.Env{}, out, fields, batchesOf(t, fields, []string{`{"a":1,"b":"x"}`}))
	require.NoError(t, err)
	names, err := filepath.Glob(filepath.Join(dir, "in", "part-*.tsv.gz"))
	require.NoError(t, err)
	require.Len(t, names, 1)
	read := func(names string, opts ...connectors.Option) error {
		src, err := connectors.FromCSV(filepath.Join(dir, "in"), connectors.RowsDDL(names), append(opts, connectors.Header())...).Source()
		require.NoError(t, err)
		_, err = readAll(t, connector.Env{}, src, connector.Projection{})
		return err
	}
	require.NoError(t, read("a INT, z STRING"))
	require.NoError(t, read("a INT, b STRING", connectors.EnforceSchema(false)))
	require.ErrorContains(t, read("a INT, z STRING", connectors.EnforceSchema(false)), "enforceSchema")
}
