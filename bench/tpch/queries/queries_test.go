package queries

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/internal/golden"
)

// levels are how deep queries lie within the queries of the specification, where a view counts as one.
var levels = map[string]int{"q02": 1, "q04": 1, "q07": 1, "q08": 1, "q09": 1, "q11": 1, "q13": 1, "q15": 2, "q16": 1, "q17": 1, "q18": 1, "q20": 2, "q21": 1, "q22": 2}

// Each query compiles, and its SQL is the golden one, at most one level deeper than that of the specification, without layers of SELECT *.
func TestSQL(t *testing.T) {
	tables := Open("tpch")
	require.Len(t, All, 22)
	for _, q := range All {
		sql, err := compiler.SQL(q.Build(tables))
		require.NoError(t, err, q.Name)
		golden.Check(t, "testdata/"+q.Name+".sql", sql)
		if have := golden.Levels(sql); have > levels[q.Name]+1 {
			t.Errorf("%s: %d levels of queries, the specification has %d\n%s", q.Name, have, levels[q.Name], sql)
		}
		if golden.Stars(sql) > 0 {
			t.Errorf("%s: a layer of SELECT *\n%s", q.Name, sql)
		}
	}
}
