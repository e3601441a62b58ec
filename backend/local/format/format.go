// Package format is what Spark's text formats have in common: the modes for malformed records and their errors.
package format

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Mode says what happens to a malformed record. Source: Spark's option mode.
type Mode uint8

// The modes.
const (
	// Permissive keeps what could be read, sets the rest to null and puts the text into the column of corrupt records.
	Permissive Mode = iota
	// DropMalformed leaves the record out.
	DropMalformed
	// FailFast ends the query with MALFORMED_RECORD_IN_PARSING.
	FailFast
)

// ParseMode reads a mode without regard to letter case. As in Spark, a word that is no mode means PERMISSIVE: the descriptions in
// package connectors refuse it earlier.
func ParseMode(s string) Mode {
	switch strings.ToUpper(s) {
	case "FAILFAST":
		return FailFast
	case "DROPMALFORMED":
		return DropMalformed
	}
	return Permissive
}

// SparkOnly refuses options that the local engine has not, by name. otherwise has for each the value that changes nothing, "" for none.
func SparkOnly(o tree.Options, otherwise map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(otherwise)) {
		if v, ok := o.Get(key); ok && !strings.EqualFold(v, otherwise[key]) {
			e := condition.Newf(condition.InvalidOption, "The option %s: the local engine does not have it.", key)
			e.Hint = "Leave it out, or run the query on Spark."
			return e
		}
	}
	return nil
}

// DefaultCorruptColumn is the column of corrupt records where the option columnNameOfCorruptRecord names no other (Spark's
// spark.sql.columnNameOfCorruptRecord).
const DefaultCorruptColumn = "_corrupt_record"

// maxShown bounds the text of a record in an error.
const maxShown = 200

// Malformed is the error of mode FAILFAST. cause says what is wrong in the record.
func Malformed(record []byte, cause string) error {
	shown := string(record)
	if len(record) > maxShown {
		shown = string(record[:maxShown]) + "…"
	}
	e := condition.Newf(condition.MalformedRecord, "A malformed record was found in mode FAILFAST: %s: %s.", cause, strings.ToValidUTF8(fmt.Sprintf("%q", shown), "\uFFFD"))
	e.Hint = "Mode PERMISSIVE reads such a record as nulls and keeps its text in the column that columnNameOfCorruptRecord names; DROPMALFORMED leaves it out."
	return e
}
