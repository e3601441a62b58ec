//go:build conformance

package conformance

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/sparkconnect"
	"github.com/spoonbill-go/spoonbill/streamtest"
)

// scriptSessions is how many scripts Spark runs at a time.
const scriptSessions = 3

// Spark and the local engine do the same in each epoch of a script: the same rows, the same watermark, the same number of late rows at one partition. The scripts are half
// those that are written by hand and half random ones, or with -scripts=300 and more all of the former and the rest random. With -record all of the former and the
// first random ones are recorded anew.
func TestSparkEpochs(t *testing.T) {
	v := connect(t).Version()
	require.True(t, strings.HasPrefix(v, "4.2."), "the answers of scripts are recorded with Spark 4.2")
	have, err := loadEpochs()
	require.NoError(t, err)
	scripts := HandwrittenScripts()
	if *randomScripts < len(scripts) && !*record {
		// Each time others of them, in turn by the seed.
		var some []EpochScript
		for i := range *randomScripts / 2 {
			some = append(some, scripts[(i*len(scripts)/(*randomScripts/2)+int(*scriptSeed))%len(scripts)])
		}
		scripts = some
	}
	recorded := len(scripts) + recordedScripts
	for seed := *scriptSeed; len(scripts) < *randomScripts || *record && len(scripts) < recorded; seed++ {
		scripts = append(scripts, RandomScript(seed))
	}
	fresh := epochRecording{Spark: v, Answers: map[string]EpochAnswer{}}
	var mu sync.Mutex
	var wg sync.WaitGroup
	next := make(chan EpochScript)
	start := time.Now()
	differ, states, stateful, epochs := 0, 0, 0, 0
	for range scriptSessions {
		// Small epochs want no parallelism, and to compile their code takes Spark longer than to run them.
		s := connect(t, sparkconnect.ANSI(true), sparkconnect.Config("spark.sql.shuffle.partitions", "1"), sparkconnect.Config("spark.sql.codegen.wholeStage", "false"),
			sparkconnect.Config("spark.sql.codegen.factoryMode", "NO_CODEGEN"), sparkconnect.Config("spark.sql.streaming.pollingDelay", "1ms"))
		target := streamtest.Spark(s, env.Dir(t))
		wg.Go(func() {
			for c := range next {
				want, got, err := askBoth(target, c)
				mu.Lock()
				if err != nil {
					t.Errorf("%s: %v", c.Name, err)
					mu.Unlock()
					continue
				}
				fresh.Answers[c.Name] = want
				epochs += len(want.Epochs)
				if c.Stateful {
					stateful++
				}
				if fmt.Sprint(want.states) != fmt.Sprint(got.states) {
					states++
					t.Logf("%s: state %v on Spark, %v offline", c.Name, want.states, got.states)
				}
				switch d, gap := want.differ(got), epochGaps[c.Name]; {
				case d != "" && gap == "":
					differ++
					t.Errorf("%s (%v): %s\n%s\n%s\n%s", c.Name, c.Mode, d, scriptText(t, c), want.text, got.text)
				case d == "" && gap != "":
					t.Errorf("%s: the gap %q has closed", c.Name, gap)
				}
				if r, ok := have.Answers[c.Name]; ok && !*record {
					if d := r.differ(want); d != "" {
						t.Errorf("%s: Spark %s answers otherwise than is recorded of %s: %s", c.Name, v, have.Spark, d)
					}
				}
				mu.Unlock()
			}
		})
	}
	toKeep := map[string]bool{}
	for i, c := range scripts {
		toKeep[c.Name] = i < recorded
		if strings.Contains(c.Name, *scriptsNamed) {
			next <- c
		}
	}
	close(next)
	wg.Wait()
	t.Logf("%d scripts, %d of them with state, %d epochs, in %v: %d differ; %d have other numbers of rows in the state", len(scripts), stateful, epochs, time.Since(start).Round(time.Second), differ, states)
	if *record {
		for name, a := range have.Answers { // what was left out stays as it is
			if _, ran := fresh.Answers[name]; !ran {
				fresh.Answers[name] = a
			}
		}
		maps.DeleteFunc(fresh.Answers, func(name string, _ EpochAnswer) bool { return !toKeep[name] })
		require.NoError(t, fresh.save())
	}
}

func askBoth(target streamtest.Target, c EpochScript) (want, got EpochAnswer, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if got, err = AskEpochs(ctx, streamtest.Local(), c); err != nil {
		return want, got, fmt.Errorf("local engine: %w", err)
	}
	if want, err = AskEpochs(ctx, target, c); err != nil {
		return want, got, fmt.Errorf("Spark: %w", err)
	}
	return want, got, nil
}
