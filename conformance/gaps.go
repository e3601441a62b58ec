package conformance

// localGaps is the table of known differences of the local engine.
var localGaps = []Gap{}
