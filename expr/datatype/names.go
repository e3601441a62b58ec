package datatype

import "strings"

// foldName is the form under which Spark compares names by default (spark.sql.caseSensitive=false).
func foldName(s string) string { return strings.ToLower(s) }

// FoldName gives the form under which two column names are the same for Spark (spark.sql.caseSensitive=false).
func FoldName(s string) string { return foldName(s) }

// reserved are the words that cannot stand unquoted as a name everywhere in Spark's grammar with ANSI mode on: the SQL
// standard's reserved words that Spark's list marks as reserved, and its strict non-reserved words, which cannot name a table.
//
// Source: Spark's page "ANSI Compliance", section "SQL Keywords".
var reserved = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`
ALL AND ANTI ANY AS ASC AT AUTHORIZATION BETWEEN BOTH BY CASE CAST CHECK COLLATE COLLATION COLUMN CONSTRAINT CREATE CROSS CURRENT CURRENT_DATE
CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER DAY DELETE DESC DESCRIBE DISTINCT DIV DROP ELSE END ESCAPE EXCEPT EXECUTE EXISTS FALSE FETCH FILTER
FOR FOREIGN FROM FULL FUNCTION GRANT GROUP GROUPING HAVING HOUR IF IN INNER INSERT INTERSECT INTERVAL INTO IS JOIN LATERAL LEADING LEFT LIKE
LIMIT LOCAL MINUS MINUTE MONTH NATURAL NO NOT NULL OF OFFSET ON ONLY OR ORDER OUTER OVER OVERLAPS PARTITION PRIMARY PIVOT REFERENCES RIGHT
SECOND SELECT SEMI SESSION_USER SET SOME START STREAM TABLE TABLESAMPLE THEN TIME TIMESTAMP TO TRAILING TRUE UNION UNIQUE UNKNOWN UNPIVOT
USER USING VALUES WATERMARK WHEN WHERE WINDOW WITH WITHIN YEAR DATE`) {
		m[w] = true
	}
	return m
}()
