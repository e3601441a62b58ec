package conformance

// localGaps is the table of known differences of the local engine.
var localGaps = []Gap{}

// schemaGaps are cases whose schema, found from types alone, is not exactly Spark's.
var schemaGaps = []Gap{}
