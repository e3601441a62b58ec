//go:build conformance

package conformance

import (
	"context"
	"fmt"
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
// those that are written by hand and half random ones, or with -scripts=300 and more all of the former and the rest random. With -record those of [RecordedScripts] are recorded anew.
func TestSparkEpochs(t *testing.T) {
	v := connect(t).Version()
	require.True(t, strings.HasPrefix(v, "4.2."), "the answers of scripts are recorded with Spark 4.2")
	have, err := loadEpochs()
	require.NoError(t, err)
	scripts := scriptsFor(*randomScripts, *scriptSeed)
	if *record {
		scripts = RecordedScripts()
	}
	// What -scriptname leaves out stays as it is, and a run that is broken off keeps what it had.
	fresh := epochRecording{Spark: v, Answers: map[string]EpochAnswer{}}
	for _, c := range scripts {
		if a, ok := have.Answers[c.Name]; ok {
			fresh.Answers[c.Name] = a
		}
	}
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
				if *record {
					fresh.Answers[c.Name] = want
					if err := fresh.save(); err != nil {
						t.Error(err)
					}
				}
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
	for _, c := range scripts {
		if strings.Contains(c.Name, *scriptsNamed) {
			next <- c
		}
	}
	close(next)
	wg.Wait()
	t.Logf("%d scripts, %d of them with state, %d epochs, in %v: %d differ; %d have other numbers of rows in the state", len(scripts), stateful, epochs, time.Since(start).Round(time.Second), differ, states)
}

// scriptsFor gives n scripts: all that are written by hand and random ones from a seed on, or, where n is too small for that, half of each, other ones by the seed.
func scriptsFor(n int, seed uint64) []EpochScript {
	scripts := HandwrittenScripts()
	if n < len(scripts) {
		var some []EpochScript
		for i := range n / 2 {
			some = append(some, scripts[(i*len(scripts)/(n/2)+int(seed))%len(scripts)])
		}
		scripts = some
	}
	for ; len(scripts) < n; seed++ {
		scripts = append(scripts, RandomScript(seed))
	}
	return scripts
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
