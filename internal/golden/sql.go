package golden

import "strings"

// Levels tells how deep queries lie within a query: 0 for one SELECT, 1 for one that has a derived table, a subquery or a common table expression.
func Levels(sql string) int {
	deepest := 0
	walk(sql, func(depth int, _ string) { deepest = max(deepest, depth) })
	return deepest
}

// Stars counts the layers of SELECT * in a query: all but one over a plain table that is the whole query, and those that EXISTS asks of.
func Stars(sql string) int {
	n := 0
	walk(sql, func(depth int, rest string) {
		before := sql[:len(sql)-len(rest)]
		if !strings.HasPrefix(rest, "SELECT *") || strings.HasSuffix(before, "EXISTS (") || strings.HasSuffix(strings.TrimRight(before, " \n"), "EXISTS (") {
			return
		}
		if depth > 0 || strings.HasPrefix(rest, "SELECT *\nFROM (") {
			n++
		}
	})
	return n
}

// walk calls f at each SELECT of a query with the number of queries around it.
func walk(sql string, f func(depth int, rest string)) {
	var open []bool // for each parenthesis, whether a query is in it
	depth := 0
	for i := 0; i < len(sql); i++ {
		switch c := sql[i]; c {
		case '\'', '`':
			for i++; i < len(sql) && sql[i] != c; i++ {
				if c == '\'' && sql[i] == '\\' {
					i++
				}
			}
		case '-':
			if strings.HasPrefix(sql[i:], "--") {
				i += len(sql[i:]) - len(strings.TrimLeft(sql[i:], "-"))
				for i < len(sql) && sql[i] != '\n' {
					i++
				}
			}
		case '(':
			inner := strings.TrimLeft(sql[i+1:], "( \n")
			query := strings.HasPrefix(inner, "SELECT") || strings.HasPrefix(inner, "WITH")
			// Parentheses around a side of a set operation are no level of their own.
			query = query && !strings.HasPrefix(strings.TrimLeft(sql[i+1:], " \n"), "(")
			open = append(open, query)
			if query {
				depth++
			}
		case ')':
			if n := len(open); n > 0 {
				if open[n-1] {
					depth--
				}
				open = open[:n-1]
			}
		case 'S':
			if strings.HasPrefix(sql[i:], "SELECT") {
				f(depth, sql[i:])
			}
		}
	}
}
