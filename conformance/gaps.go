package conformance

// localGaps is the table of known differences of the local engine.
var localGaps = []Gap{
	{"functions/sequence", "10 sequence(1, 5, -1)", bareException},
	{"functions/sequence", "11 sequence(1, 5, 0)", bareException},
	{"functions/sequence", "ANSI off: 10 sequence(1, 5, -1)", bareException},
	{"functions/sequence", "ANSI off: 11 sequence(1, 5, 0)", bareException},
	{"functions/makeinterval", "*", "a calendar interval is a type that the engine does not hold"},
	{"functions/trymakeinterval", "*", "a calendar interval is a type that the engine does not hold"},
	{"scopes", "scopes: having of a session window", sessionFilter},
}

const sessionFilter = "Spark's optimiser takes a condition on a session below the session's making, where the first rows of one are cut off"

const bareException = "Spark raises a Java exception without a condition; the local engine names SPOONBILL_INVALID_VALUE"

// cutGaps are cases whose answer as a stream is another one than as a batch, in Spark too.
var cutGaps = []Gap{
	{"functions/makeinterval", "*", "a calendar interval is a type that the engine does not hold"},
	{"functions/trymakeinterval", "*", "a calendar interval is a type that the engine does not hold"},
	{"relations", "shape: info", "it tells the nullability of the columns, and those of a stream may all be null"},
	{"found", "total of no rows", "a stream that never has a row has no epoch, and so no total"},
	{"found", "union of lists without nulls", "complete mode keeps the last epoch alone, and rows beside the groups come once"},
	{"found", "union of lists without nulls on both sides", "complete mode keeps the last epoch alone, and rows beside the groups come once"},
	{"functions/intdiv", "04 (n div big)", "two rows raise different errors; a stream raises that of the earlier epoch"},
}

// schemaGaps are cases whose schema, found from types alone, is not exactly Spark's.
var schemaGaps = []Gap{}
