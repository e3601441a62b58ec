package compiler

import (
	"fmt"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

// EachBatchFunction is the name of the function that [WriteStreamStep.EachBatch] defines.
const EachBatchFunction = "each_batch"

// DefaultBatchMillis is how long a Go function may take for a batch on Spark where the sink does not say.
const DefaultBatchMillis = 10 * 60 * 1000

// batchGrace is how much longer than the function the server waits, in milliseconds: so that the Go program, which has the better word for it, tells of a function that takes too long, and the
// server only of a program that is gone.
const batchGrace = 10_000

// The views by which a batch is handed over are named by a prefix and the batch's number. The one with the suffix tells of a failure, in the column message.
const BatchFailedSuffix = "_failed"

// Millis is how long a Go function may take for a batch.
func (s WriteStreamStep) Millis() int64 {
	if s.Sink != nil && s.Sink.Each != nil && s.Sink.Each.Within > 0 {
		return s.Sink.Each.Within.Milliseconds()
	}
	return DefaultBatchMillis
}

// EachBatch gives the Python source of the function by which Spark handles each batch of the step, "" where the sink is no [tree.ForeachBatch]. Statements run in it. For a function of Go's it
// shows the batch as a global temporary view, named by the prefix and the batch's number, and waits until somebody drops the view: that is the word that the batch is done. Either way the batch is
// computed once and to its end, however often it is read: a stateful plan must be, since its state is committed by that. It is the program that a session sends, and what a program prints.
func (s WriteStreamStep) EachBatch(prefix string) string {
	if s.Sink == nil || s.Sink.Each == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString("def " + EachBatchFunction + "(batch, batch_id):\n")
	if len(s.Sink.Each.SQL) > 0 {
		b.WriteString("    spark = batch.sparkSession\n    batch = batch.persist()\n    try:\n        batch.count()\n")
		fmt.Fprintf(&b, "        batch.createOrReplaceTempView(%s)\n", py(tree.BatchView))
		fmt.Fprintf(&b, "        spark.sql(f\"DECLARE OR REPLACE VARIABLE %s BIGINT DEFAULT {int(batch_id)}\").collect()\n", tree.BatchVariable)
		for _, text := range s.Sink.Each.SQL {
			b.WriteString("        spark.sql(" + sqlText(text) + ").collect()\n")
		}
		b.WriteString("    finally:\n        batch.unpersist()\n")
		return b.String()
	}
	millis := s.Millis()
	fmt.Fprintf(&b, `    import time

    spark = batch.sparkSession
    name = %s + str(batch_id)
    failed = name + %s
    batch = batch.persist()
    try:
        batch.count()
        batch.createOrReplaceGlobalTempView(name)
        until = time.monotonic() + %s
        while spark.catalog.tableExists("global_temp." + name):
            if time.monotonic() > until:
                raise Exception(f"The Go program did not say within %s ms that batch {batch_id} is done.")
            time.sleep(0.02)
        if spark.catalog.tableExists("global_temp." + failed):
            raise Exception(spark.table("global_temp." + failed).collect()[0][0])
    finally:
        spark.catalog.dropGlobalTempView(name)
        spark.catalog.dropGlobalTempView(failed)
        batch.unpersist()
`, py(prefix), py(BatchFailedSuffix), fmt.Sprint(float64(millis+batchGrace)/1000), fmt.Sprint(millis+batchGrace))
	return b.String()
}

// eachBatch is how the function is printed before the start of the query.
func (s WriteStreamStep) eachBatch() string {
	if s.Sink.Each == nil {
		return ""
	}
	text := s.EachBatch("spoonbill_batch_") + "\n\n"
	if len(s.Sink.Each.SQL) == 0 {
		who := "A function of the Go program handles each batch."
		if s.Sink.Format == tree.Foreach {
			who = "A writer of the Go program gets the rows of each batch, as one partition."
		}
		text = "# " + who + " The program finds the view " + datatype.QuoteName("global_temp") + ".spoonbill_batch_<id>, and drops it when it is done.\n" + text
	}
	return text
}
