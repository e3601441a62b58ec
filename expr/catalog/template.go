package catalog

import (
	"strconv"
	"strings"
)

// Expand fills a template: {0} is the first argument, {*} all of them joined by commas, {1*} those from the second on, and
// {0!} a literal text as a bare word.
func Expand(template string, args []string) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(template, '{')
		if open < 0 {
			b.WriteString(template)
			return b.String()
		}
		end := strings.IndexByte(template, '}')
		b.WriteString(template[:open])
		key := template[open+1 : end]
		template = template[end+1:]
		key, bare := strings.CutSuffix(key, "!")
		from, rest := strings.CutSuffix(key, "*")
		n, _ := strconv.Atoi(from)
		switch {
		case rest:
			b.WriteString(strings.Join(args[min(n, len(args)):], ", "))
		case n < len(args) && bare:
			b.WriteString(strings.ToUpper(strings.Trim(args[n], "'"))) // the signature's rule lets known words through only
		case n < len(args):
			b.WriteString(args[n])
		}
	}
}
