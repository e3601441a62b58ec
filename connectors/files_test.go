package connectors

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

func TestFileFormats(t *testing.T) {
	for _, c := range []struct {
		files Files
		ddl   string
	}{
		{FromAvro("p", RowsDDL("a INT NOT NULL")), "a INT"},
		{FromORC("p", RowsDDL("a INT"), MergeSchema()), "a INT"},
		{FromText("p", WholeText(), ModifiedAfter("2024-01-01T00:00:00"), ModifiedBefore("2024-01-01")), "value STRING"},
		{FromText("p", LineSeparator("||")).Folders(RowsDDL("day DATE, hour INT")), "value STRING, day DATE, hour INT"},
		{FromBinary("p", PathGlobFilter("*.png")).Folders(RowsDDL("k STRING")), "path STRING, modificationTime TIMESTAMP, length BIGINT, content BINARY, k STRING"},
		{FromParquet("p", RowsDDL("a INT"), MergeSchema(), DatetimeRebase(RebaseCorrected), Int96Rebase(RebaseLegacy), BasePath("/b")).Folders(RowsDDL("k INT")), "a INT, k INT"},
	} {
		s, err := c.files.Source()
		require.NoError(t, err, c.files)
		require.Equal(t, c.ddl, datatype.DDL(s.Fields))
	}
	for _, path := range []string{"/d/[a]", "/d/[]a]", "/d/{a,b/{c,d}}/*", `/d/\[ok.csv`, "/d/a]}", "/d/" + strings.Repeat("{a,b}", 40)} {
		_, err := FromText(path).Source()
		require.NoError(t, err, path)
	}
	for _, f := range []Files{ToAvro("p", Compression("zstandard"), RecordName("r"), RecordNamespace("a.b")), ToORC("p", Compression("zlib")), ToText("p", Compression("bzip2"), LineSeparator("\r\n")).PartitionBy("k"), ToParquet("p", Compression("lz4_raw"))} {
		_, err := f.Sink()
		require.NoError(t, err, f)
	}
}

func TestFileMistakes(t *testing.T) {
	_, err := FromText("p").Folders(RowsDDL("VALUE INT")).Source()
	require.Equal(t, condition.ColumnAlreadyExists, condition.Of(err), "Spark's name")
	require.ErrorContains(t, err, "Two columns")
	for text, f := range map[string]Files{
		"ignoreExtension":                       FromAvro("p", RowsDDL("a INT"), Set("ignoreExtention", "false")),
		"wholetext":                             FromText("p", Set("wholeTexts", "true")),
		"lineSep says nothing":                  FromText("p", WholeText(), LineSeparator(";")),
		"must not be empty":                     FromText("p", LineSeparator("")),
		"must be JSON":                          FromAvro("p", RowsDDL("a INT"), AvroSchema("{")),
		"time without zone":                     FromText("p", ModifiedAfter("yesterday")),
		"takes no folder":                       FromText("p", RecursiveFileLookup()).Folders(RowsDDL("k INT")),
		"takes no folder for":                   FromText("p", RecursiveFileLookup(), BasePath("/")),
		"belongs to the avro":                   FromAvro("p", RowsDDL("a INT"), RecordName("r")),
		"needs its columns":                     FromAvro("p", RowsFields(nil)),
		"at least 1":                            FromAvro("p", RowsDDL("a INT"), RecursiveFieldMaxDepth(0)),
		"describes a sink":                      ToText("p"),
		"a [ is not closed":                     FromText("/d/[ok.csv"),
		"a { is not closed":                     FromText("/d/{a,b/*.csv"),
		"last \\":                               FromText(`/d/a\`),
		"a set holds another":                   FromText("/d/[[a]"),
		"b-a is no range":                       FromText("/d/{x,y/[b-a]}"),
		"must be a pattern (a [ is not closed)": FromText("p", PathGlobFilter("[a")),
	} {
		_, err := f.Source()
		require.Equal(t, condition.InvalidOption, condition.Of(err), text)
		require.ErrorContains(t, err, text)
	}
	for text, f := range map[string]Files{
		"must be one of uncompressed, snappy": ToAvro("p", Compression("gzip")),
		"must be one of none, uncompressed":   ToText("p", Compression("zlib")),
		"Folders belongs to a source":         ToText("p").Folders(RowsDDL("k INT")),
		"describes a source":                  FromBinary("p"),
		"belongs to the text source":          ToText("p", WholeText()),
	} {
		_, err := f.Sink()
		require.Equal(t, condition.InvalidOption, condition.Of(err), text)
		require.ErrorContains(t, err, text)
	}
}
