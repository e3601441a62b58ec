package catalog

import (
	"regexp"
	"slices"
	"strings"
)

var tryName = regexp.MustCompile(`\btry_[a-z_]+`)

// Tolerant gives the names in Go of the functions that one of Spark's messages advises ("Use try_divide to tolerate …"), as a hint; "" where it advises none that there is.
func Tolerant(message string) string {
	var names []string
	for _, sql := range tryName.FindAllString(message, -1) {
		name := ""
		if f, ok := Lookup(sql); ok {
			name = "functions." + f.Go
		} else if sql == "try_cast" {
			name = "TryCast"
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "In Go: " + strings.Join(names, ", ") + "."
}
