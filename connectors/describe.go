package connectors

import (
	"maps"
	"slices"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Description is what a provider is told by: its options, as they are checked when a table or a write is built.
type Description struct {
	// Format is Spark's name of the provider.
	Format string
	// Options are those that are checked, by their names.
	Options []DescribedOption
}

// DescribedOption is an option of a provider.
type DescribedOption struct {
	// Key is Spark's name of the option; one that ends in a star stands for all that begin so.
	Key string
	// Source and Sink tell whether it is for reading and for writing.
	Source, Sink bool
	// Values says what values it takes, "" for any text.
	Values string
}

// Descriptions gives the providers that have options, in the order of their names. Pages and tools are made of it.
func Descriptions() []Description {
	known := map[string]map[string]spec{
		"kafka": kafkaOptions, "rate": rateOptions, tree.RateMicroBatch: microBatchOptions, tree.Socket: socketOptions, "console": consoleOptions, "statestore": stateOptions,
	}
	for format, own := range formatOptions {
		known[format] = merged(fileOptions, own)
	}
	var out []Description
	for _, format := range slices.Sorted(maps.Keys(known)) {
		d := Description{Format: format}
		for _, key := range slices.Sorted(maps.Keys(known[format])) {
			s := known[format][key]
			o := DescribedOption{Key: key, Source: s.source, Sink: s.sink}
			// No option takes a text of these characters, unless it takes any: what is said then is what it takes.
			if err := s.check("\x00\x01"); err != nil {
				o.Values = strings.TrimPrefix(err.Error(), "must be ")
			}
			d.Options = append(d.Options, o)
		}
		out = append(out, d)
	}
	return out
}
