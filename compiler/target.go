// Package compiler turns an expression into a [Program]: ordered steps that a Spark session carries out and that print as a PySpark script.
// Compiling is pure: no connection, no I/O, no clock, and equal expressions give equal text. What the target cannot do is refused here, with
// the operator, the rule, the place in the user's file and the way out.
package compiler

import (
	"fmt"
	"strings"

	"github.com/spoonbill-go/spoonbill/compiler/analyze"
)

// Mode says whether the expression runs once over what is there, or as a stream.
type Mode = analyze.Mode

// The modes of a compilation.
const (
	// Batch runs once; every source is read whole.
	Batch = analyze.Batch
	// Stream runs in epochs; sources that are not static are read as streams.
	Stream = analyze.Stream
)

// Target names what a program is compiled for.
type Target struct {
	// Spark is the server's version, such as "4.2.0"; the newest tried version by default.
	Spark string
	// Local compiles for the local engine: its rules, which allow more than Spark's.
	Local bool
	// NoANSI is for sessions with spark.sql.ansi.enabled=false.
	NoANSI bool
	// Reserved are names that no view of a program may have, without regard to letter case: those of the session's own temporary views.
	Reserved []string
	// Zone is the session's time zone, for the script that a program prints; UTC by default.
	Zone string
}

// NewestSpark is the newest version of Spark that the programs were tried on.
const NewestSpark = "4.3.0"

func (t Target) withDefaults() Target {
	if t.Spark == "" {
		t.Spark = NewestSpark
	}
	if t.Zone == "" {
		t.Zone = "UTC"
	}
	return t
}

func (t Target) rules() (analyze.Target, error) {
	var v analyze.Version
	if _, err := fmt.Sscanf(strings.ReplaceAll(t.Spark, ".", " "), "%d %d", &v.Major, &v.Minor); err != nil {
		return analyze.Target{}, fmt.Errorf("compiler: %q is no Spark version such as 4.2.0", t.Spark)
	}
	return analyze.Target{Version: v, Local: t.Local}, nil
}
