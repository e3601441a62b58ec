package main

import (
	"fmt"
	"io"

	"github.com/spoonbill-go/spoonbill/conformance"
)

// coverage prints how far Ibis's methods and functions are covered, from the cases that ran.
func coverage(out io.Writer, args []string) error {
	if len(args) != 1 || args[0] != "ibis" {
		return fmt.Errorf("coverage of what? There is: spoonbill coverage ibis")
	}
	return conformance.WriteIbisCoverage(out)
}
