package expr

import (
	"fmt"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// Call applies a function of the catalogue by Spark's name: Call[StringValue]("upper", t.Str("name")). Package expr/functions has a
// Go function for each. A name that the catalogue has not, or a result of another family, is an error.
func Call[V Family[V]](name string, args ...any) V {
	at := condition.Here(1)
	f, ok := catalog.Lookup(name)
	if !ok {
		e := condition.Newf("UNRESOLVED_ROUTINE", "There is no function %q in the catalogue.", name)
		var names []string
		for _, g := range catalog.All() {
			names = append(names, g.Name)
		}
		e.Hint = fmt.Sprintf("Did you mean one of %v?", candidates(name, names))
		return failed[V](at, nil, e)
	}
	out := callAt[V](at, f, args...)
	x := out.get()
	if err := checkFamily(out.family(), x.node); err != nil {
		return failed[V](at, x.errs, err)
	}
	return out
}
