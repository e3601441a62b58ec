package avro

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/arrowtype"
	"github.com/spoonbill-go/spoonbill/backend/local/format/column"
	"github.com/spoonbill-go/spoonbill/backend/local/format/internal/plain"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

func fieldsOf(t testing.TB, ddl string) []datatype.Field {
	t.Helper()
	f, err := datatype.ParseFields(ddl)
	require.NoError(t, err)
	return f
}

// content reads all rows of a file.
func content(data []byte, fields []datatype.Field, need []int) ([][]any, error) {
	f, err := Open(bytes.NewReader(data), int64(len(data)), fields, need)
	if err != nil {
		return nil, err
	}
	d, err := f.NewDecoder()
	if err != nil {
		return nil, err
	}
	for {
		b, err := f.Next()
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := d.Decode(b); err != nil {
			return nil, err
		}
	}
	rec, err := d.Batch()
	if err != nil {
		return nil, err
	}
	defer rec.Release()
	out := [][]any{}
	for i := range int(rec.NumRows()) {
		row := []any{}
		for _, c := range rec.Columns() {
			if c.Len() != int(rec.NumRows()) {
				return nil, fmt.Errorf("a column of %d rows in a batch of %d", c.Len(), rec.NumRows())
			}
			row = append(row, plain.Of(c, i))
		}
		out = append(out, row)
	}
	return out, nil
}

// file makes a container of one block by hand.
func file(schema string, rows int64, data []byte) []byte {
	out := append([]byte(nil), magic...)
	out = appendLong(out, 1)
	out = appendText(appendText(out, "avro.schema"), schema)
	mark := bytes.Repeat([]byte{7}, 16)
	out = append(appendLong(out, 0), mark...)
	out = appendLong(appendLong(out, rows), int64(len(data)))
	return append(append(out, data...), mark...)
}

const every = `b BOOLEAN, i INT, l BIGINT, f FLOAT, d DOUBLE, n DECIMAL(5,2), big DECIMAL(38,0), s STRING, bin BINARY, dt DATE, ts TIMESTAMP, ntz TIMESTAMP_NTZ, span INTERVAL DAY TO SECOND,
	months INTERVAL YEAR TO MONTH, a ARRAY<INT>, m MAP<STRING, ARRAY<DECIMAL(3,1)>>, st STRUCT<x: INT, y: STRUCT<z: STRING>>`

// record has three rows of every type: values, nulls, and values again.
func everyRecord(t testing.TB) (arrow.RecordBatch, []datatype.Field) {
	t.Helper()
	fields := fieldsOf(t, every)
	schema, err := arrowtype.Schema(fields)
	require.NoError(t, err)
	var fill func(c *column.Column, t datatype.Type, k int)
	fill = func(c *column.Column, t datatype.Type, k int) {
		if k == 1 {
			c.AppendNull()
			return
		}
		v := int64(k*37 - 50)
		switch x := t.(type) {
		case datatype.Array:
			for j := range k {
				fill(c.Children[0], x.Elem, j)
			}
			c.AppendList()
			return
		case datatype.Map:
			for j := range k {
				c.Children[0].AppendString(fmt.Sprint(j))
				fill(c.Children[1], x.Value, j)
			}
			c.AppendList()
			return
		case datatype.Struct:
			for j, f := range x.Fields {
				fill(c.Children[j], f.Type, k)
			}
			c.AppendStruct()
			return
		case datatype.Decimal:
			n, _ := unscaled([]byte{byte(v)})
			c.AppendDecimal(n)
			return
		}
		switch t.Kind() {
		case datatype.KindBoolean:
			c.AppendBool(k > 0)
		case datatype.KindFloat:
			c.AppendFloat(float32(v) / 3)
		case datatype.KindDouble:
			c.AppendDouble(float64(v) / 3)
		case datatype.KindString, datatype.KindBinary:
			c.AppendString(strings.Repeat("é\xff", k))
		default:
			c.AppendInt(v)
		}
	}
	cols := make([]*column.Column, len(fields))
	for i, f := range fields {
		cols[i], err = column.New(f.Type)
		require.NoError(t, err)
		for k := range 3 {
			fill(cols[i], f.Type, k)
		}
	}
	rec, err := column.Record(schema, cols)
	require.NoError(t, err)
	return rec, fields
}

func everyFile(t testing.TB, codec string) (data []byte, fields []datatype.Field, rows [][]any) {
	t.Helper()
	rec, fields := everyRecord(t)
	defer rec.Release()
	for i := range int(rec.NumRows()) {
		row := []any{}
		for _, c := range rec.Columns() {
			row = append(row, plain.Of(c, i))
		}
		rows = append(rows, row)
	}
	var out bytes.Buffer
	w, err := NewWriter(&out, fields, codec, Naming{})
	require.NoError(t, err)
	require.NoError(t, w.Write(rec))
	require.NoError(t, w.Close())
	return out.Bytes(), fields, rows
}

func TestRoundTrip(t *testing.T) {
	for codec := range extensions {
		data, fields, want := everyFile(t, codec)
		got, err := content(data, fields, nil)
		require.NoError(t, err, codec)
		require.Equal(t, want, got, codec)
		s, err := ReadSchema(bytes.NewReader(data), int64(len(data)))
		require.NoError(t, err)
		back, err := s.Fields()
		require.NoError(t, err)
		require.Equal(t, datatype.DDL(fields), datatype.DDL(back), codec)
		some, err := content(data, fields, []int{2, 16})
		require.NoError(t, err)
		for i, row := range some {
			for k, v := range row {
				if k == 2 || k == 16 {
					require.Equal(t, want[i][k], v)
				} else {
					require.Nil(t, v)
				}
			}
		}
		// A file cut off anywhere, and one with a byte changed, is an error or rows, never a panic.
		for n := range len(data) {
			rows, err := content(data[:n], fields, nil)
			if err == nil {
				require.Empty(t, rows, "%s: %d of %d bytes", codec, n, len(data))
			}
			broken := bytes.Clone(data)
			broken[n] ^= 0x55
			_, _ = content(broken, fields, nil)
		}
	}
}

// TestSparkSchema compares the schema with the one that Spark 4.2.0 wrote for the same columns.
func TestSparkSchema(t *testing.T) {
	fields := fieldsOf(t, "id BIGINT NOT NULL, de DECIMAL(10,2), dt DATE NOT NULL, ntz TIMESTAMP_NTZ NOT NULL, ym INTERVAL YEAR TO MONTH NOT NULL, st STRUCT<x: INT NOT NULL, y: STRUCT<z: DECIMAL(2,1) NOT NULL> NOT NULL> NOT NULL")
	var out bytes.Buffer
	_, err := NewWriter(&out, fields, "snappy", Naming{})
	require.NoError(t, err)
	require.Contains(t, out.String(), `{"type":"record","name":"topLevelRecord","fields":[{"name":"id","type":"long"},{"name":"de","type":[{"type":"fixed","name":"fixed","namespace":"topLevelRecord.de","size":5,"logicalType":"decimal","precision":10,"scale":2},"null"]},{"name":"dt","type":{"type":"int","logicalType":"date"}},{"name":"ntz","type":{"type":"long","logicalType":"local-timestamp-micros"}},{"name":"ym","type":{"type":"int","spark.sql.catalyst.type":"interval year to month"}},{"name":"st","type":{"type":"record","name":"st","namespace":"topLevelRecord","fields":[{"name":"x","type":"int"},{"name":"y","type":{"type":"record","name":"y","namespace":"topLevelRecord.st","fields":[{"name":"z","type":{"type":"fixed","name":"fixed","namespace":"topLevelRecord.st.y.z","size":1,"logicalType":"decimal","precision":2,"scale":1}}]}}]}}]}`)
	for ddl, want := range map[string]string{"`a b` INT": condition.InvalidColumnNameAsPath, "m MAP<INT, INT>": condition.UnsupportedDataType, "v VARIANT": condition.UnsupportedDataType, "s STRUCT<`1`: INT>": condition.InvalidColumnNameAsPath} {
		_, err := NewWriter(io.Discard, fieldsOf(t, ddl), "snappy", Naming{})
		require.Equal(t, want, condition.Of(err), ddl)
	}
	require.Equal(t, []int{1, 1, 2, 2, 3, 5, 8, 9, 16}, []int{decimalBytes(1), decimalBytes(2), decimalBytes(3), decimalBytes(4), decimalBytes(5), decimalBytes(10), decimalBytes(18), decimalBytes(19), decimalBytes(38)})
}

// TestTypes reads values of each Avro type as each type of Spark's. What is expected was asked of Spark 4.2.0.
func TestTypes(t *testing.T) {
	number := appendLong(nil, -1500)
	for _, c := range []struct {
		schema string
		data   []byte
		want   map[string]any // by type; a type that is not here is an error
	}{
		{`"int"`, number, map[string]any{"INT": "-1500", "BIGINT": "-1500", "DOUBLE": "c097700000000000", "DATE": "-1500", "INTERVAL YEAR TO MONTH": "-1500"}},
		{`{"type":"int","logicalType":"date"}`, number, map[string]any{"INT": "-1500", "BIGINT": "-1500", "DOUBLE": "c097700000000000", "DATE": "-1500", "INTERVAL YEAR TO MONTH": "-1500", "TIMESTAMP_NTZ": "-129600000000000"}},
		{`"long"`, number, map[string]any{"BIGINT": "-1500", "DATE": "0", "TIMESTAMP": "-1500000", "TIMESTAMP_NTZ": "-1500000", "INTERVAL DAY TO SECOND": "-1500"}},
		{`{"type":"long","logicalType":"timestamp-millis"}`, number, map[string]any{"BIGINT": "-1500", "DATE": "0", "TIMESTAMP": "-1500000", "INTERVAL DAY TO SECOND": "-1500"}},
		{`{"type":"long","logicalType":"local-timestamp-micros"}`, number, map[string]any{"BIGINT": "-1500", "DATE": "0", "TIMESTAMP_NTZ": "-1500", "INTERVAL DAY TO SECOND": "-1500"}},
		{`{"type":"long","logicalType":"timestamp-nanos"}`, number, map[string]any{"BIGINT": "-1500", "DATE": "0", "INTERVAL DAY TO SECOND": "-1500"}},
		{`"float"`, []byte{0, 0, 0xc0, 0x3f}, map[string]any{"FLOAT": "3fc00000", "DOUBLE": "3ff8000000000000"}},
		{`"double"`, []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x3f}, map[string]any{"DOUBLE": "3ff8000000000000"}},
		{`"string"`, []byte{2, 'x'}, map[string]any{"STRING": "x"}},
		{`"bytes"`, []byte{2, 'x'}, map[string]any{"BINARY": "78"}},
		{`{"type":"fixed","name":"F","size":1}`, []byte{'x'}, map[string]any{"BINARY": "78"}},
		{`{"type":"enum","name":"E","symbols":["A","B"]}`, []byte{2}, map[string]any{"STRING": "B"}},
		{`{"type":"bytes","logicalType":"decimal","precision":4,"scale":2}`, []byte{4, 0xff, 0x65}, map[string]any{"BINARY": "ff65", "DECIMAL(4,2)": "-1.55", "DECIMAL(10,3)": "-1.550", "DECIMAL(4,1)": "-1.6", "DECIMAL(10,0)": "-2"}},
		{`"null"`, nil, map[string]any{"VOID": "(null)"}},
		{`["int","long"]`, append([]byte{2}, number...), map[string]any{"BIGINT": "-1500"}},
		{`["int","string"]`, append([]byte{0}, number...), map[string]any{"STRUCT<a: INT, b: STRING>": []any{"-1500", nil}, "STRUCT<a: BIGINT, b: STRING>": []any{"-1500", nil}}},
		{`["null","string","int"]`, []byte{0}, map[string]any{"STRUCT<a: STRING, b: INT>": nil}},
		{`["string"]`, []byte{0, 2, 'x'}, map[string]any{"STRING": "x"}},
		{`{"type":"array","items":["null","int"]}`, []byte{1, 4, 2, 6, 0}, map[string]any{"ARRAY<INT>": []any{"3"}, "ARRAY<BIGINT>": []any{"3"}}},
		{`{"type":"map","values":"int"}`, []byte{2, 2, 'k', 4, 0}, map[string]any{"MAP<STRING, INT>": []any{[]any{"k", "2"}}}},
		{`{"type":"record","name":"R","fields":[{"name":"X","type":"int"}]}`, []byte{2}, map[string]any{"STRUCT<x: INT, q: INT>": []any{"1", nil}, "STRUCT<x: BIGINT>": []any{"1"}}},
	} {
		data := file(`{"type":"record","name":"r","fields":[{"name":"A","type":`+c.schema+`}]}`, 1, c.data)
		for _, typ := range []string{
			"VOID", "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(10,0)", "DECIMAL(4,2)", "DECIMAL(10,3)", "DECIMAL(4,1)", "DECIMAL(2,1)", "DECIMAL(3,2)", "STRING", "BINARY", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ",
			"INTERVAL DAY TO SECOND", "INTERVAL YEAR TO MONTH", "ARRAY<INT>", "ARRAY<BIGINT>", "MAP<STRING, INT>", "MAP<INT, INT>", "STRUCT<x: INT, q: INT>", "STRUCT<x: BIGINT>", "STRUCT<a: INT, b: STRING>", "STRUCT<a: BIGINT, b: STRING>", "STRUCT<a: STRING, b: INT>",
		} {
			rows, err := content(data, fieldsOf(t, "a "+typ), nil)
			want, ok := c.want[typ]
			if strings.HasPrefix(typ, "STRUCT") && strings.HasPrefix(c.schema, `{"type":"record"`) && !ok {
				continue
			}
			if strings.Contains(c.schema, "decimal") && typ == "DECIMAL(3,2)" {
				require.Error(t, err, "two digits before the point do not fit one")
				continue
			}
			if !ok {
				require.Error(t, err, "%s as %s", c.schema, typ)
				require.Contains(t, err.Error(), "column a", "%s as %s", c.schema, typ)
				continue
			}
			require.NoError(t, err, "%s as %s", c.schema, typ)
			require.Equal(t, [][]any{{want}}, rows, "%s as %s", c.schema, typ)
		}
	}
}

// TestInferred has the columns that Spark 4.2.0 took from such files.
func TestInferred(t *testing.T) {
	for schema, want := range map[string]string{
		`[{"name":"u","type":["null","int","string"]},{"name":"v","type":["int","long"]},{"name":"w","type":["float","double","null"]},{"name":"x","type":["string"]},{"name":"z","type":["int","long","float"]}]`:  "u STRUCT<member0: INT, member1: STRING>, v BIGINT NOT NULL, w DOUBLE, x STRING NOT NULL, z STRUCT<member0: INT, member1: BIGINT, member2: FLOAT> NOT NULL",
		`[{"name":"a","type":{"type":"long","logicalType":"timestamp-millis"}},{"name":"b","type":{"type":"long","logicalType":"timestamp-nanos"}},{"name":"c","type":{"type":"int","logicalType":"time-millis"}}]`: "a TIMESTAMP NOT NULL, b BIGINT NOT NULL, c INT NOT NULL",
		`[{"name":"e","type":{"type":"enum","name":"E","symbols":["A"]}},{"name":"f","type":["null","E"]},{"name":"d","type":{"type":"bytes","logicalType":"decimal","precision":40}}]`:                             "",
		`[{"name":"n","type":["null","r"]}]`: "",
		`[{"name":"n","type":"unknown"}]`:    "",
		`[{"name":"n","type":{"type":"bytes","logicalType":"decimal","precision":2,"scale":3}}]`: "n BINARY NOT NULL",
	} {
		s, err := ParseSchema([]byte(`{"type":"record","name":"r","fields":` + schema + `}`))
		var fields []datatype.Field
		if err == nil {
			fields, err = s.Fields()
		}
		if want == "" {
			require.Error(t, err, schema)
			continue
		}
		require.NoError(t, err, schema)
		require.Equal(t, want, datatype.DDL(fields))
	}
}

// TestHostile has files that claim more than they hold.
func TestHostile(t *testing.T) {
	huge := binary.AppendVarint(nil, 1<<60)
	one := `{"type":"record","name":"r","fields":[{"name":"a","type":%s}]}`
	for name, data := range map[string][]byte{
		"rows without bytes":     file(`{"type":"record","name":"r","fields":[]}`, 1<<60, nil),
		"nulls without end":      file(fmt.Sprintf(one, `{"type":"array","items":"null"}`), 1, append(huge, 0)),
		"a string beyond":        file(fmt.Sprintf(one, `"string"`), 1, huge),
		"a count beyond":         file(fmt.Sprintf(one, `{"type":"array","items":"long"}`), 1, huge),
		"least count":            file(fmt.Sprintf(one, `{"type":"array","items":"long"}`), 1, append(binary.AppendVarint(nil, -1<<63), 0)),
		"a union beyond":         file(fmt.Sprintf(one, `["null","int"]`), 1, []byte{8}),
		"bytes behind":           file(fmt.Sprintf(one, `"int"`), 1, []byte{2, 2}),
		"more rows than bytes":   file(fmt.Sprintf(one, `"int"`), 9, []byte{2, 2}),
		"fewer than no rows":     file(fmt.Sprintf(one, `"int"`), -9, []byte{2, 2}),
		"a nested value of self": file(`{"type":"record","name":"r","fields":[{"name":"b","type":["null","r"]}]}`, 1, bytes.Repeat([]byte{2}, 100_000)),
		"a nested schema":        file(strings.Repeat(`{"type":"array","items":`, 5000)+`"int"`+strings.Repeat("}", 5000), 0, nil),
		"no schema":              {'O', 'b', 'j', 1, 0},
		"text":                   []byte("id,name\n1,x\n"),
		"nothing":                {},
	} {
		_, err := content(data, fieldsOf(t, "a ARRAY<BIGINT>"), []int{})
		require.Error(t, err, name)
	}
}

// FuzzFile looks for crashes, endless work, and batches that are not what they say.
func FuzzFile(f *testing.F) {
	for codec := range extensions {
		data, _, _ := everyFile(f, codec)
		f.Add(data)
	}
	f.Add(file(`{"type":"record","name":"r","fields":[{"name":"a","type":["null",{"type":"array","items":"r"}]}]}`, 2, []byte{2, 2, 0, 0, 0}))
	fields := fieldsOf(f, every)
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := content(data, fields, nil)
		some, err2 := content(data, fields, []int{7, 15})
		if err == nil {
			require.NoError(t, err2)
			require.Len(t, some, len(all))
		}
	})
}

// TestLarge has a file of many columns, of which two are read, and a long text.
func TestLarge(t *testing.T) {
	const columns = 10_000
	fields := make([]datatype.Field, columns)
	cols := make([]*column.Column, columns)
	for i := range fields {
		fields[i] = datatype.Field{Name: fmt.Sprintf("c%d", i), Type: datatype.Int, Nullable: true}
		cols[i], _ = column.New(datatype.Int)
		cols[i].AppendInt(int64(i))
	}
	fields[7].Type = datatype.String
	cols[7], _ = column.New(datatype.String)
	long := strings.Repeat("0123456789", 10_000_000)
	cols[7].AppendString(long)
	schema, err := arrowtype.Schema(fields)
	require.NoError(t, err)
	rec, err := column.Record(schema, cols)
	require.NoError(t, err)
	defer rec.Release()
	var out bytes.Buffer
	w, err := NewWriter(&out, fields, "zstandard", Naming{})
	require.NoError(t, err)
	require.NoError(t, w.Write(rec))
	require.NoError(t, w.Close())
	rows, err := content(out.Bytes(), fields, []int{7, 9999})
	require.NoError(t, err)
	require.Equal(t, "9999", rows[0][9999])
	require.True(t, rows[0][7] == long, "the long text comes back")
}
