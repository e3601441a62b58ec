package sparksql_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler/sparksql"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Values go where a parameter stands, and nowhere else.
func TestInline(t *testing.T) {
	args := []tree.ParamValue{
		{Name: "n", Value: &tree.Literal{Value: int64(-5), Typ: datatype.Int}},
		{Name: "s", Value: &tree.Literal{Value: "it's :n", Typ: datatype.String}},
		{Name: "no", Value: &tree.Literal{Typ: datatype.Date}},
	}
	for text, want := range map[string]string{
		"SELECT :n, :s":               `SELECT (-5), 'it\'s :n'`,
		"x>:n":                        "x>(-5)",
		"x -:n":                       "x -(-5)",
		"CAST(:no AS DATE)":           "CAST(CAST(NULL AS DATE) AS DATE)",
		":nn :N":                      ":nn :N",
		"':n' \":n\" `:n`":            "':n' \":n\" `:n`",
		`'\':n' :n`:                   `'\':n' (-5)`,
		`'a'':n' :n`:                  `'a'':n' (-5)`,
		`r'\' :n`:                     `r'\' (-5)`,
		`R"\" :n`:                     `R"\" (-5)`,
		`bar'\':n' :n`:                `bar'\':n' (-5)`,
		"`\\` :n":                     "`\\` (-5)",
		"-- :n\n:n":                   "-- :n\n(-5)",
		"/* :n /* :n */ :n */ :n":     "/* :n /* :n */ :n */ (-5)",
		"v:n v[0]:n f(v):n `v`:n":     "v:n v[0]:n f(v):n `v`:n",
		"a::n":                        "a::n",
		"':n":                         "':n",
		"/* :n":                       "/* :n",
		"-- :n":                       "-- :n",
		":":                           ":",
		"map('a', :n)":                "map('a', (-5))",
		"CASE WHEN x THEN :n END":     "CASE WHEN x THEN (-5) END",
		"SELECT 'ü' || :s || 'ü:n' ü": `SELECT 'ü' || 'it\'s :n' || 'ü:n' ü`,
	} {
		require.Equal(t, want, sparksql.Inline(text, args), text)
	}
	require.Equal(t, ":n", sparksql.Inline(":n", nil))
}
