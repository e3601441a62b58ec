package expr_test

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

type place struct {
	City string
	Zip  *int32
}

type audit struct {
	Created time.Time `json:"created"`
}

type Deep struct{ Level int16 }

type sale struct {
	place   // embedded: City and Zip are columns
	*Deep   // an embedded pointer: Level may be null
	First   struct{ X, Y int64 }
	ID      int64           `spoonbill:"sale id"`
	Price   string          `spoonbill:"price,decimal(10,2)"`
	Maybe   sql.Null[bool]  `spoonbill:"maybe"`
	Audit   *audit          `spoonbill:"audit"`
	Tags    []string        `spoonbill:"tags"`
	Counts  map[string]int8 `spoonbill:"counts"`
	Day     time.Time       `spoonbill:"day,date"`
	Raw     []byte          `spoonbill:"raw"`
	Ignored func()          `spoonbill:"-"`
}

const saleDDL = "City STRING, Zip INT, Level SMALLINT, First STRUCT<X: BIGINT, Y: BIGINT>, `sale id` BIGINT, price DECIMAL(12,4), maybe BOOLEAN, audit STRUCT<created: TIMESTAMP>, " +
	"tags ARRAY<STRING>, counts MAP<STRING, TINYINT>, day DATE, raw BINARY, more DOUBLE"

func empty(t *testing.T, ddl string) expr.Table {
	t.Helper()
	fields, err := datatype.ParseFields(ddl)
	require.NoError(t, err)
	return expr.MemtableRows("s", fields, nil)
}

// Every field names its column, those of nested structs too, and a struct is told from its first field.
func TestTableOf(t *testing.T) {
	p := expr.TableOf[sale](empty(t, saleDDL))
	require.NoError(t, p.Err())
	r := p.Row
	for name, v := range map[string]expr.Value{
		"`City`": p.Str(&r.City), "Zip": p.Num(&r.Zip), "Level": p.Num(&r.Level), "First": p.Struct(&r.First), "First.X": p.Num(&r.First.X), "First.Y": p.Num(&r.First.Y),
		"`sale id`": p.Num(&r.ID), "price": p.Num(&r.Price), "maybe": p.Bool(&r.Maybe), "audit": p.Struct(&r.Audit), "audit.created": p.Timestamp(&r.Audit.Created),
		"tags": p.Array(&r.Tags), "counts": p.Map(&r.Counts), "day": p.Date(&r.Day), "raw": p.Binary(&r.Raw), "x": p.Col(&r.ID),
	} {
		out := p.Select(v)
		require.NoError(t, out.Err(), name)
	}
	sql, err := compiler.SQL(p.Filter(p.Num(&r.First.Y).Gt(1)).Select(p.Str(&r.City), p.Num(&r.First.X).Add(p.Num(&r.ID)).As("n")))
	require.NoError(t, err)
	require.Contains(t, sql, "First.X + `sale id` AS n")
	require.Contains(t, sql, "First.Y > 1")
	// The column is followed when the table changes.
	require.NoError(t, p.Rename(map[string]string{"cost": "price"}).Select(p.Num(&r.Price)).Err())
}

func TestTableOfMistakes(t *testing.T) {
	all := empty(t, saleDDL)
	for name, c := range map[string]struct {
		err  error
		cond string
		text string
	}{
		"a missing column":         {expr.TableOf[place](empty(t, "city STRING")).Err(), condition.UnresolvedColumn, "Zip"},
		"another family":           {expr.TableOf[place](empty(t, "city INT, zip INT")).Err(), "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "tag"},
		"no struct":                {expr.TableOf[int](all).Err(), condition.InvalidValue, "no struct"},
		"the zero table":           {expr.TableOf[place](expr.Table{}).Err(), condition.InvalidValue, "zero Table"},
		"the zero value":           {all.Select(expr.TableOfRows[place]{}.Col("x")).Err(), condition.InvalidValue, "never made"},
		"a name":                   {all.Select(expr.TableOf[place](all).Col("City")).Err(), condition.InvalidValue, "t.Table"},
		"nil":                      {all.Select(expr.TableOf[place](all).Col(nil)).Err(), condition.InvalidValue, "&t.Row.Field"},
		"a field of another row":   {all.Select(expr.TableOf[place](all).Col(&new(place).City)).Err(), condition.InvalidValue, "no field"},
		"a value for an address":   {all.Select(expr.TableOf[place](all).Str(expr.TableOf[place](all).Row.City)).Err(), condition.InvalidValue, "no field"},
		"a family that is another": {func() error { p := expr.TableOf[place](all); return p.Select(p.Num(&p.Row.City)).Err() }(), "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "City"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Error(t, c.err)
			require.Equal(t, c.cond, condition.Of(c.err), c.err.Error())
			require.ErrorContains(t, c.err, c.text)
			require.ErrorContains(t, c.err, "tableof_test.go:")
		})
	}
}

type node struct {
	ID       int
	Children []node
}

type list []list

type pair struct {
	ID          int
	Left, Right *pair `spoonbill:"-"`
}

// A type that holds itself is told once, whatever lies between, and a field that is no column may do so.
func TestTypesThatHoldThemselves(t *testing.T) {
	in := empty(t, "ID INT")
	for name, err := range map[string]error{
		"TableOf":    expr.TableOf[node](in).Err(),
		"Memtable":   expr.Memtable("t", []node{}).Err(),
		"a slice":    expr.Memtable("t", []struct{ L list }{}).Err(),
		"a memtable": expr.Memtable("t", []struct{ A map[string]struct{ B *node } }{}).Err(),
	} {
		require.Error(t, err, name)
		require.Equal(t, condition.InvalidValue, condition.Of(err), name)
		require.Equal(t, 1, strings.Count(err.Error(), "holds itself"), "%s: %v", name, err)
		require.Less(t, len(err.Error()), 400, "%s: %v", name, err)
		require.ErrorContains(t, err, "tableof_test.go:")
	}
	require.NoError(t, expr.TableOf[pair](in).Err())
}
