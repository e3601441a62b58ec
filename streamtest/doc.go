// Package streamtest tests streaming queries epoch by epoch, with go test, on the local engine and on Spark.
//
// A test is a script: it names inputs, asks a query over them, and tells what each step brings and what must come of it. The same script runs on every
// target that is given to [Run]: offline, and on Spark, which reads the rows from files.
//
//	func TestPerMinute(t *testing.T) {
//		streamtest.Run(t, func(s *streamtest.Script) {
//			orders := streamtest.NewInput[Order](s, "orders")
//			s.Query(PerMinute(orders.Table()), expr.Append)
//
//			orders.Add(Order{clock("10:00:05"), "tea", 2}, Order{clock("10:00:50"), "tea", 3})
//			s.Step().WantNoRows()
//			orders.Add(Order{clock("10:02:00"), "milk", 1})
//			s.Step().WantWatermark(clock("10:01:50"))
//			s.Step().WantRows(Total{clock("10:00:00"), "tea", 5})
//			orders.Add(Order{clock("10:00:20"), "tea", 9}) // too late
//			s.Step().WantNoRows().WantLate(1)
//		}, streamtest.Local())
//	}
//
// # Steps and epochs
//
// A step is an epoch: it takes what was added since the step before, from all inputs at once, and nothing else. A step without rows is an epoch too, which is how
// a script waits for what a watermark has closed: an epoch runs under the watermark that the ones before it made, so the rows of a window come at
// the earliest one step behind the row that closes it. Behind the last step one more epoch runs without rows, [Script.End], in which comes what the last step has
// closed. What is late is told by the watermark of the epoch before, as Spark tells it: a row that comes in the very epoch that closes its window is still counted. Engines run such epochs without data by themselves when nothing else is to be done; here each is a step, so that a script has the same epochs everywhere.
// With [Script.LeaveOpen] the engine decides at the end, and its own epochs are in the timeline.
//
// Expectations are looked at when the script has run. A test that fails prints the timeline: what came into each epoch, the watermark before and after it, the
// rows that came out, the size of the state, and the rows that were too late.
//
// # Targets
//
// [Local] runs in the process, on a clock that stands still but for [Script.Advance]. [Spark] runs on a session, and needs a folder that this process and the server see under
// one path; it writes one Parquet file for each step and input, and reads the rows back from Spark's memory table. Two things are not the same for both: how late rows are counted
// depends on Spark's partitions (with spark.sql.shuffle.partitions=1 the counts agree), and time on Spark is the server's, so Advance is refused there.
//
// Columns of inputs may be null, as those of files may, whatever the Go type says.
package streamtest
