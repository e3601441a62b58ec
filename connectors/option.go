// Package connectors describes sources, sinks and codecs as plain, validated data. Nothing here opens a connection or a file: a session does
// that from the description, Spark's with Spark's connectors and the local engine with its own. Options have Spark's names and meaning.
//
// A wrong option is an error of the table or write that the description is used in, when it is built. Secrets print as ***.
package connectors

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// Option is a setting of a source or sink.
type Option struct {
	opt tree.Option
	raw bool
	err *condition.Error
}

// String prints the option, a secret as ***.
func (o Option) String() string { return tree.Options{o.opt}.String() }

// GoString prints the option for %#v, a secret as ***.
func (o Option) GoString() string { return "connectors.Option{" + o.String() + "}" }

// Set is an option under Spark's name. A name that the connector has not is an error with candidates.
func Set(key, value string) Option {
	return Option{opt: tree.Option{Key: key, Value: value, Secret: looksSecret(key)}}
}

// Raw hands an option on to Spark unchecked, for what this package does not know. The local engine ignores it where it does not know it either.
func Raw(key, value string) Option {
	return Option{opt: tree.Option{Key: key, Value: value, Secret: looksSecret(key)}, raw: true}
}

// RawSecret is [Raw] for a value that must not be printed.
func RawSecret(key, value string) Option {
	return Option{opt: tree.Option{Key: key, Value: value, Secret: true}, raw: true}
}

// looksSecret tells keys whose values are passwords and the like, so that one that came by its plain name is not printed either.
func looksSecret(key string) bool {
	k := strings.ToLower(key)
	for _, s := range []string{"password", "secret", "token", "jaas", "credential", "private.key", "keystore.key", "access.key"} {
		if strings.Contains(k, s) {
			return true
		}
	}
	return false
}

func number(key string, n int64, least int64) Option {
	o := Set(key, strconv.FormatInt(n, 10))
	if n < least {
		o.err = condition.Newf(condition.InvalidOption, "Option %s must be at least %d, not %d.", key, least, n)
	}
	return o
}

func boolean(key string, b bool) Option { return Set(key, strconv.FormatBool(b)) }

// millis writes a duration in the form that Spark reads, in whole milliseconds.
func millis(key string, d time.Duration) Option {
	o := Set(key, fmt.Sprintf("%dms", d.Milliseconds()))
	if d < 0 || d%time.Millisecond != 0 {
		o.err = condition.Newf(condition.InvalidOption, "Option %s must be whole milliseconds from zero up, not %v.", key, d)
	}
	return o
}

// spec says what a connector knows of an option.
type spec struct {
	source, sink bool
	check        func(value string) error
}

func src(check func(string) error) spec  { return spec{source: true, check: check} }
func snk(check func(string) error) spec  { return spec{sink: true, check: check} }
func both(check func(string) error) spec { return spec{source: true, sink: true, check: check} }
func anything(string) error              { return nil }
func oneOf(words ...string) func(string) error {
	return func(v string) error {
		for _, w := range words {
			if strings.EqualFold(v, w) {
				return nil
			}
		}
		return fmt.Errorf("must be one of %s", strings.Join(words, ", "))
	}
}

var truth = oneOf("true", "false")

func whole(least int64) func(string) error {
	return func(v string) error {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < least {
			return fmt.Errorf("must be a whole number of at least %d", least)
		}
		return nil
	}
}

func character(v string) error {
	if len([]rune(v)) > 1 {
		return fmt.Errorf("must be one character, or none")
	}
	return nil
}

func jsonText(v string) error {
	if !json.Valid([]byte(v)) {
		return fmt.Errorf("must be JSON")
	}
	return nil
}

// build checks options against what the connector knows, and gives them sorted by name. at is "source" or "sink".
func build(format, at string, known map[string]spec, base tree.Options, opts []Option) (tree.Options, error) {
	out := base
	given := map[string]string{}
	for _, o := range opts {
		if o.err != nil {
			return nil, o.err
		}
		key := o.opt.Key
		if prev, ok := given[datatype.FoldName(key)]; ok && prev != o.opt.Value {
			return nil, invalid("Option %s of the %s %s is given twice, with different values.", key, format, at)
		}
		given[datatype.FoldName(key)] = o.opt.Value
		if !o.raw {
			name, s, ok := find(known, key)
			if !ok {
				e := invalid("The %s %s has no option %q.", format, at, key)
				e.Hint = "Did you mean " + strings.Join(nearest(key, known), ", ") + "? Use connectors.Raw to hand it on unchecked."
				return nil, e
			}
			if at == "source" && !s.source || at == "sink" && !s.sink {
				return nil, invalid("Option %s belongs to the %s %s, not to the %s.", name, format, map[string]string{"source": "sink", "sink": "source"}[at], at)
			}
			if err := s.check(o.opt.Value); err != nil {
				return nil, invalid("Option %s of the %s %s %v, not %q.", name, format, at, err, tree.Options{{Key: "v", Value: o.opt.Value, Secret: o.opt.Secret}}.String()[2:])
			}
			o.opt.Key = name
		}
		out = out.With(o.opt)
	}
	return out, nil
}

func invalid(format string, args ...any) *condition.Error {
	return condition.Newf(condition.InvalidOption, format, args...)
}

// find looks an option up without regard to letter case, as Spark does. A name that ends in a star stands for all with that prefix, which
// keep the user's spelling.
func find(known map[string]spec, key string) (string, spec, bool) {
	for name, s := range known {
		if strings.EqualFold(name, key) {
			return name, s, true
		}
	}
	for name, s := range known {
		if p, ok := strings.CutSuffix(name, "*"); ok && len(key) > len(p) && strings.EqualFold(key[:len(p)], p) {
			return key, s, true
		}
	}
	return "", spec{}, false
}

// nearest gives the three known options that share most with a wrong name.
func nearest(key string, known map[string]spec) []string {
	names := make([]string, 0, len(known))
	for n := range known {
		names = append(names, n)
	}
	score := func(n string) int {
		a, b := strings.ToLower(key), strings.ToLower(n)
		best := 0
		for i := range a {
			for j := i + best + 1; j <= len(a); j++ {
				if strings.Contains(b, a[i:j]) {
					best = j - i
				} else {
					break
				}
			}
		}
		diff := len(a) - len(b)
		return best*4 - max(diff, -diff)
	}
	sort.Slice(names, func(i, j int) bool {
		if a, b := score(names[i]), score(names[j]); a != b {
			return a > b
		}
		return names[i] < names[j]
	})
	return names[:min(3, len(names))]
}

// has tells whether an option is among those given.
func has(o tree.Options, key string) bool { _, ok := o.Get(key); return ok }
