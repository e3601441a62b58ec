package datatype

import "strings"

// foldName is the form under which Spark compares names by default (spark.sql.caseSensitive=false).
func foldName(s string) string { return strings.ToLower(s) }

// FoldName gives the form under which two column names are the same for Spark (spark.sql.caseSensitive=false).
func FoldName(s string) string { return foldName(s) }

// reserved are the words that would be read as something else where a name may stand: literals and operators of expressions, the words that
// begin a clause, and the words that Spark's grammar forbids as table aliases. Spark has most other keywords as names too, with ANSI mode on as
// well, as long as spark.sql.ansi.enforceReservedKeywords is at its default (false).
//
// Source: Spark's page "ANSI Compliance", section "SQL Keywords"; names of all these words make the round trip in the conformance suite.
var reserved = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`
ALL AND ANTI ANY AS ASC BETWEEN BOTH BY CASE CAST COLLATE CROSS CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER DESC DISTINCT DIV ELSE END
EXCEPT EXISTS FALSE FETCH FILTER FOR FROM FULL GROUP HAVING IN INNER INTERSECT INTERVAL INTO IS JOIN LATERAL LEADING LEFT LIKE LIMIT MINUS NATURAL
NOT NULL ON OR ORDER OUTER OVER PIVOT RIGHT SELECT SEMI SESSION_USER SET SOME STREAM TABLE TABLESAMPLE THEN TRAILING TRUE UNION UNPIVOT USER USING
VALUES WATERMARK WHEN WHERE WITH`) {
		m[w] = true
	}
	return m
}()

// isReserved looks a word up in any letter case, without allocating: every name that prints comes through here.
func isReserved(s string) bool {
	var up [32]byte
	if len(s) > len(up) {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		up[i] = c
	}
	return reserved[string(up[:len(s)])]
}
