package expr

import (
	"errors"
	"reflect"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/rowtype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Memtable is a table of Go structs held in the program. Columns and types come from T as rowtype.Of says; see [MemtableRows] for the rest.
func Memtable[T any](name string, rows []T) Table {
	at := condition.Here(1)
	cols, err := rowtype.Of(reflect.TypeFor[T]())
	if err != nil {
		var e *condition.Error
		if !errors.As(err, &e) {
			e = condition.Newf(condition.InvalidValue, "%v.", err)
		}
		e.Pos = at
		return Table{rel: &tree.Values{Node: tree.Node{Out: tree.NewSchema(nil), At: at}}, errs: []*condition.Error{e}}
	}
	fields := make([]datatype.Field, len(cols))
	for i, c := range cols {
		fields[i] = c.Field
	}
	values := make([][]any, len(rows))
	for i := range rows {
		values[i] = rowtype.Values(cols, reflect.ValueOf(&rows[i]))
	}
	return memtable(name, fields, values, at)
}

// RowLiterals converts rows of Go values to literals of the fields' types, as [MemtableRows] does. Connectors of this process use it.
func RowLiterals(fields []datatype.Field, rows [][]any) ([][]any, error) {
	out := make([][]any, len(rows))
	for i, row := range rows {
		if len(row) != len(fields) {
			return nil, condition.Newf(condition.NumColumnsMismatch, "Row %d has %d values, the schema %d.", i, len(row), len(fields))
		}
		out[i] = make([]any, len(row))
		for j, x := range row {
			l, err := literalOf(x, fields[j])
			if err != nil {
				err.Message = "Column " + datatype.QuoteName(fields[j].Name) + ": " + err.Message
				return nil, err
			}
			out[i][j] = treeValue(l)
		}
	}
	return out, nil
}

// LiteralTable is a table of rows that are values of tree.Literal already, such as those that a memory sink keeps.
func LiteralTable(name string, fields []datatype.Field, rows [][]any) Table {
	v := &tree.Values{Node: tree.Node{Out: tree.SchemaOf(fields), At: condition.Here(1)}, Name: name}
	for _, r := range rows {
		row := make([]tree.Scalar, len(r))
		for i, x := range r {
			row[i] = &tree.Literal{Value: x, Typ: fields[i].Type}
		}
		v.Rows = append(v.Rows, row)
	}
	return Table{rel: v}
}
