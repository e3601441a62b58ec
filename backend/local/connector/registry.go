package connector

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// OpenSourceFunc opens a source from its description. It may look at the world; ctx bounds the opening alone.
type OpenSourceFunc = func(ctx context.Context, env Env, src *tree.Source) (Source, error)

// OpenSinkFunc opens a sink from its description. It may look at the world; ctx bounds the opening alone.
type OpenSinkFunc = func(ctx context.Context, env Env, sink *tree.Sink) (Sink, error)

// FindSchemaFunc finds the columns of a source whose description leaves them open.
type FindSchemaFunc = func(ctx context.Context, env Env, src *tree.Source) ([]datatype.Field, error)

var registry struct {
	sync.RWMutex
	schemas map[string]FindSchemaFunc
	sources map[string]OpenSourceFunc
	sinks   map[string]OpenSinkFunc
}

// RegisterSource makes a format known under Spark's name of the provider. Connectors call it when their package is loaded; a second
// registration of a name replaces the first.
func RegisterSource(format string, open OpenSourceFunc) {
	registry.Lock()
	defer registry.Unlock()
	if registry.sources == nil {
		registry.sources = map[string]OpenSourceFunc{}
	}
	registry.sources[strings.ToLower(format)] = open
}

// RegisterSink is [RegisterSource] for sinks.
func RegisterSink(format string, open OpenSinkFunc) {
	registry.Lock()
	defer registry.Unlock()
	if registry.sinks == nil {
		registry.sinks = map[string]OpenSinkFunc{}
	}
	registry.sinks[strings.ToLower(format)] = open
}

// RegisterSchema is [RegisterSource] for formats whose columns can be found in the data.
func RegisterSchema(format string, find FindSchemaFunc) {
	registry.Lock()
	defer registry.Unlock()
	if registry.schemas == nil {
		registry.schemas = map[string]FindSchemaFunc{}
	}
	registry.schemas[strings.ToLower(format)] = find
}

// FindSchema gives the columns of the source that a description names, looking at its data where the description leaves them open.
func FindSchema(ctx context.Context, env Env, src *tree.Source) ([]datatype.Field, error) {
	if src == nil {
		return nil, condition.Newf(condition.InvalidValue, "A source without a description has no columns.")
	}
	if !src.Undeclared {
		return src.Schema().Types(), nil
	}
	registry.RLock()
	find := registry.schemas[strings.ToLower(src.Format)]
	registry.RUnlock()
	if find == nil {
		return nil, unknown("source with columns to be found", src.Format, names(registry.schemas))
	}
	return find(ctx, env.withDefaults(), src)
}

// Opener is what a description holds as Local of a source that its session opens itself.
type Opener interface {
	// Open opens the source; ctx bounds the opening alone.
	Open(ctx context.Context, env Env) (Source, error)
}

// SinkOpener is what a description holds as Local of a sink that opens itself.
type SinkOpener interface {
	// OpenSink opens the sink; ctx bounds the opening alone.
	OpenSink(ctx context.Context, env Env) (Sink, error)
}

// OpenSource opens the source that a description names. A format that no loaded package knows is an error that lists those that are.
func OpenSource(ctx context.Context, env Env, src *tree.Source) (Source, error) {
	if src == nil {
		return nil, condition.Newf(condition.InvalidValue, "A source without a description cannot be opened.")
	}
	if own, ok := src.Local.(Opener); ok {
		return own.Open(ctx, env.withDefaults())
	}
	registry.RLock()
	open := registry.sources[strings.ToLower(src.Format)]
	registry.RUnlock()
	if open == nil {
		return nil, unknown("source", src.Format, names(registry.sources))
	}
	return open(ctx, env.withDefaults(), src)
}

// OpenSink opens the sink that a description names.
func OpenSink(ctx context.Context, env Env, sink *tree.Sink) (Sink, error) {
	if sink == nil {
		return nil, condition.Newf(condition.InvalidValue, "A sink without a description cannot be opened.")
	}
	if own, ok := sink.Local.(SinkOpener); ok {
		return own.OpenSink(ctx, env.withDefaults())
	}
	registry.RLock()
	open := registry.sinks[strings.ToLower(sink.Format)]
	registry.RUnlock()
	if open == nil {
		return nil, unknown("sink", sink.Format, names(registry.sinks))
	}
	return open(ctx, env.withDefaults(), sink)
}

func names[F any](m map[string]F) []string {
	registry.RLock()
	defer registry.RUnlock()
	out := make([]string, 0, len(m))
	for n := range m {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

func unknown(kind, format string, known []string) error {
	switch strings.ToLower(format) {
	case "statestore", "state-metadata":
		e := condition.Newf(condition.Unsupported, "The local engine does not read the state in checkpoints of Spark's (%s).", format)
		e.Operator, e.Hint = "FromState", "Read it on Spark (backend/sparkconnect). The state of a query of the local engine is shown by spoonbill state CHECKPOINT, and read by Session.State."
		return e
	}
	e := condition.Newf(condition.DataSourceNotFound, "The local engine has no %s of format %q.", kind, format)
	if len(known) == 0 {
		e.Hint = "No connector is loaded: import github.com/spoonbill-go/spoonbill/backend/local, which brings them all."
	} else {
		e.Hint = fmt.Sprintf("It has: %s.", strings.Join(known, ", "))
	}
	return e
}

// AvailableNow is a source that can work off what is there now under its rate limit: Spark's SupportsTriggerAvailableNow.
type AvailableNow interface {
	Source
	// PrepareAvailableNow fixes the end: from now on Latest never goes behind what is there at this moment, and gives its start when
	// that end is reached. It is called once, before the first Latest of the query.
	PrepareAvailableNow(ctx context.Context) error
}
