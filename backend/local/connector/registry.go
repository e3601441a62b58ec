package connector

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// SourceOpener opens a source of a format.
type SourceOpener func(ctx context.Context, env Env, source *tree.Source) (Source, error)

// SinkOpener opens a sink of a format.
type SinkOpener func(ctx context.Context, env Env, sink *tree.Sink) (Sink, error)

var registry struct {
	sync.RWMutex
	sources map[string]SourceOpener
	sinks   map[string]SinkOpener
}

// RegisterSource makes a format known. Connector packages call it in init, so a program links the connectors that it imports.
func RegisterSource(format string, open func(ctx context.Context, env Env, source *tree.Source) (Source, error)) {
	registry.Lock()
	defer registry.Unlock()
	if registry.sources == nil {
		registry.sources = map[string]SourceOpener{}
	}
	registry.sources[strings.ToLower(format)] = open
}

// RegisterSink is [RegisterSource] for sinks.
func RegisterSink(format string, open func(ctx context.Context, env Env, sink *tree.Sink) (Sink, error)) {
	registry.Lock()
	defer registry.Unlock()
	if registry.sinks == nil {
		registry.sinks = map[string]SinkOpener{}
	}
	registry.sinks[strings.ToLower(format)] = open
}

// OpenSource opens a source by its format; SPOONBILL_UNSUPPORTED where no connector of that format is linked.
func OpenSource(ctx context.Context, env Env, source *tree.Source) (Source, error) {
	registry.RLock()
	open := registry.sources[strings.ToLower(source.Format)]
	names := keys(registry.sources)
	registry.RUnlock()
	if open == nil {
		return nil, unknown("source", source.Format, names)
	}
	return open(ctx, env, source)
}

// OpenSink opens a sink by its format; SPOONBILL_UNSUPPORTED where no connector of that format is linked.
func OpenSink(ctx context.Context, env Env, sink *tree.Sink) (Sink, error) {
	registry.RLock()
	open := registry.sinks[strings.ToLower(sink.Format)]
	names := keys(registry.sinks)
	registry.RUnlock()
	if open == nil {
		return nil, unknown("sink", sink.Format, names)
	}
	return open(ctx, env, sink)
}

func keys[T any](m map[string]T) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func unknown(what, format string, known []string) error {
	e := condition.Newf(condition.Unsupported, "The local engine has no %s of the format %q.", what, format)
	e.Hint = fmt.Sprintf("Known are: %s. Import the connector's package below backend/local/connector to link it.", strings.Join(known, ", "))
	return e
}

// None is no rows.
func None(func(arrow.RecordBatch, error) bool) {}
