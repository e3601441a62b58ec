package streamtest

import (
	"context"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/rowtype"
)

// texts collects a result as lines, without sorting them. last takes the cell of the column last out of the line, where there is one.
func texts(r backend.Result, last func(cell string)) ([]string, error) {
	n := len(r.Fields)
	if last != nil {
		n--
	}
	var out []string
	for batch, err := range r.Batches {
		if err != nil {
			return nil, err
		}
		for i := range int(batch.NumRows()) {
			cells := make([]string, n)
			for j := range n {
				c := batch.Column(j)
				cells[j] = backend.Format(c, i, r.Fields[j].Type, time.UTC)
				if r.Fields[j].Type.Kind() == datatype.KindString && !backend.IsNull(c, i) {
					cells[j] = strconv.Quote(cells[j])
				}
			}
			out = append(out, strings.Join(cells, " | "))
			if last != nil {
				last(backend.Format(batch.Column(n), i, r.Fields[n].Type, time.UTC))
			}
		}
	}
	return out, nil
}

// BatchRows runs a table as a batch and gives its rows as a timeline has them: texts in order. With it a test holds a stream against the batch of the same rows.
func BatchRows(ctx context.Context, s backend.Session, t expr.Table) ([]string, error) {
	if s == nil {
		return nil, hinted("Open one with local.Open or sparkconnect.Connect.", "The session is nil.")
	}
	r, err := s.Batches(ctx, t)
	if err != nil {
		return nil, err
	}
	out, err := texts(r, nil)
	slices.Sort(out)
	return out, err
}

// literalTexts gives rows of values of tree.Literal as lines.
func literalTexts(ctx context.Context, fields []datatype.Field, rows [][]any) ([]string, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	s, err := local.Open(local.Parallelism(1))
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }() // it has no query
	r, err := s.Batches(ctx, expr.LiteralTable("rows", fields, rows))
	if err != nil {
		return nil, err
	}
	return texts(r, nil)
}

// wanted gives the rows that a step wants as lines in order.
func wanted(ctx context.Context, fields []datatype.Field, rows []any) ([]string, error) {
	values := make([][]any, len(rows))
	for i, row := range rows {
		v := reflect.ValueOf(row)
		for v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
		if len(fields) == 1 && (!v.IsValid() || v.Kind() != reflect.Struct || v.Type() == reflect.TypeFor[time.Time]()) {
			values[i] = []any{row}
			continue
		}
		if !v.IsValid() || v.Kind() != reflect.Struct {
			return nil, hinted("Give structs with a field for each column.", "A wanted row is a %T, and the query has %d columns.", row, len(fields))
		}
		cols, err := rowtype.Of(v.Type())
		if err != nil {
			return nil, err
		}
		all := rowtype.Values(cols, v)
		for _, f := range fields {
			k := slices.IndexFunc(cols, func(c rowtype.Column) bool { return strings.EqualFold(c.Name, f.Name) })
			if k < 0 {
				e := condition.Newf(condition.UnresolvedColumn, "The query has a column %s, for which %v has no field.", datatype.QuoteName(f.Name), v.Type())
				e.Hint = "Name a field by the tag `spoonbill:\"" + f.Name + "\"`, or leave the column out of the query."
				return nil, e
			}
			values[i] = append(values[i], all[k])
		}
		if len(cols) > len(fields) {
			k := slices.IndexFunc(cols, func(c rowtype.Column) bool {
				return !slices.ContainsFunc(fields, func(f datatype.Field) bool { return strings.EqualFold(c.Name, f.Name) })
			})
			return nil, hinted("Leave the field out with the tag `spoonbill:\"-\"`.", "%v has a field %s, for which the query has no column.", v.Type(), cols[max(k, 0)].Name)
		}
	}
	literals, err := expr.RowLiterals(fields, values)
	if err != nil {
		return nil, err
	}
	out, err := literalTexts(ctx, fields, literals)
	slices.Sort(out)
	return out, err
}
