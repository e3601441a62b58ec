package conformance

import (
	"fmt"
	"sort"
	"testing"
	"time"

	"github.com/spoonbill-go/spoonbill/compiler"
)

func TestZZ(t *testing.T) {
	fails := map[string]int{}
	ex := map[string]string{}
	debugRandom = func(op string, err error) { fails[op]++; ex[op] = err.Error() }
	counts := map[string]int{}
	start := time.Now()
	risky := 0
	n := 5000
	size := 0
	for seed := range n {
		q := NewRandomTree(uint64(seed)).Query()
		if q.Risky {
			risky++
		}
		for _, u := range q.Uses {
			counts[u]++
		}
		s, err := compiler.SQL(q.Table)
		if err != nil {
			t.Errorf("%d %v", seed, err)
		}
		size += len(s)
		if seed < 5 {
			fmt.Println(s)
		}
	}
	fmt.Println(time.Since(start), risky, size/n)
	var names []string
	for _, op := range randomOps {
		if counts[op.name] == 0 {
			counts[op.name] = 0
		}
	}
	for _, f := range randomFunctions().scalars {
		if counts[f.f.Name] == 0 {
			counts[f.f.Name] = 0
		}
	}
	for _, f := range randomFunctions().aggregates {
		if counts[f.f.Name] == 0 {
			counts[f.f.Name] = 0
		}
	}
	for k := range counts {
		names = append(names, k)
	}
	sort.Slice(names, func(i, j int) bool { return counts[names[i]] < counts[names[j]] })
	for _, k := range names {
		fmt.Print(k, ":", counts[k], " ")
	}
	fmt.Println()
	for k, v := range fails {
		fmt.Println("FAIL", k, v, ex[k])
	}
}
