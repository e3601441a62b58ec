package conformance

func init() {
	for name, lists := range statisticsCombinations {
		combinations[name] = lists
	}
}

// tolerant are the suites whose last digits depend on how Spark spreads the rows over partitions, and a stream over epochs.
var tolerant = map[string]bool{
	"functions/stddev": true, "functions/stddevpop": true, "functions/variance": true, "functions/varpop": true, "functions/skewness": true, "functions/kurtosis": true,
	"functions/corr": true, "functions/covarpop": true, "functions/covarsamp": true, "functions/regravgx": true, "functions/regravgy": true, "functions/regrsxx": true, "functions/regrsyy": true,
	"functions/regrsxy": true, "functions/regrslope": true, "functions/regrintercept": true, "functions/regrr2": true,
}

// statisticsCombinations are the argument lists of the statistical aggregates: three groups of up to three rows, one of them with one value.
var statisticsCombinations = map[string][][]any{
	"bit_and":               {{col("i8")}, {col("i16")}, {col("i")}, {col("l")}},
	"bit_or":                {{col("i8")}, {col("i16")}, {col("i")}, {col("l")}},
	"bit_xor":               {{col("i8")}, {col("i16")}, {col("i")}, {col("l")}},
	"stddev":                {{col("i8")}, {col("i")}, {col("d")}, {col("n")}, {col("l")}, {nil}},
	"stddev_pop":            {{col("i8")}, {col("i")}, {col("d")}, {col("n")}, {col("l")}, {nil}},
	"variance":              {{col("i8")}, {col("i")}, {col("d")}, {col("n")}, {col("big")}, {col("f")}},
	"var_pop":               {{col("i8")}, {col("i")}, {col("d")}, {col("n")}, {col("big")}, {1}},
	"skewness":              {{col("i8")}, {col("id")}, {col("n")}, {col("big")}, {col("d")}, {1}},
	"kurtosis":              {{col("i8")}, {col("id")}, {col("n")}, {col("big")}, {col("d")}, {1}},
	"corr":                  {{col("id"), col("i8")}, {col("i"), col("n")}, {col("big"), col("id")}, {col("d"), col("f")}, {col("i"), 1}, {col("i8"), nil}},
	"covar_pop":             {{col("id"), col("i8")}, {col("i"), col("n")}, {col("big"), col("id")}, {col("d"), col("f")}, {col("i"), 1}},
	"covar_samp":            {{col("id"), col("i8")}, {col("i"), col("n")}, {col("big"), col("id")}, {col("d"), col("f")}, {col("i"), 1}},
	"regr_count":            {{col("id"), col("i8")}, {col("i"), col("n")}, {col("i8"), nil}},
	"regr_avgx":             {{col("id"), col("i8")}, {col("i"), col("d")}, {1, col("i8")}},
	"regr_avgy":             {{col("id"), col("i8")}, {col("d"), col("i")}, {col("i8"), 1}},
	"regr_sxx":              {{col("id"), col("i8")}, {col("i"), col("n")}, {col("n"), col("big")}},
	"regr_syy":              {{col("id"), col("i8")}, {col("i"), col("n")}, {col("n"), col("big")}},
	"regr_sxy":              {{col("id"), col("i8")}, {col("i"), col("n")}, {col("n"), col("big")}},
	"regr_slope":            {{col("id"), col("i8")}, {col("i"), col("n")}, {col("n"), col("big")}, {col("i"), 1}, {1, col("i")}},
	"regr_intercept":        {{col("id"), col("i8")}, {col("i"), col("n")}, {col("n"), col("big")}, {col("i"), 1}, {1, col("i")}},
	"regr_r2":               {{col("id"), col("i8")}, {col("i"), col("n")}, {col("n"), col("big")}, {col("i"), 1}, {1, col("i")}},
	"max_by":                {{col("s"), col("i")}, {col("i"), col("d")}, {col("st"), col("s")}, {col("n"), col("b")}, {col("id"), col("bin")}, {col("id"), nil}},
	"min_by":                {{col("s"), col("i")}, {col("i"), col("d")}, {col("st"), col("s")}, {col("n"), col("b")}, {col("id"), col("bin")}, {col("id"), nil}},
	"approx_count_distinct": {{col("id")}, {col("s")}, {col("d")}, {col("b")}, {col("big")}, {col("a")}, {col("st")}, {col("ts")}, {col("i"), 0.3}, {nil}},
	"median":                {{col("i8")}, {col("id")}, {col("n")}, {col("d")}, {col("big")}},
	"percentile":            {{col("i8"), 0.5}, {col("id"), 0.3}, {col("id"), 0}, {col("id"), 1}, {col("n"), 0.25}, {col("d"), 0.9}, {col("id"), []float64{0, 0.4, 1}}, {col("id"), 0.5, col("i8")}, {col("i"), 0.5, col("id")}},
	"percentile_cont":       {{col("i8"), 0.5}, {col("id"), 0.3}, {col("n"), 0.25}, {col("d"), 0.9}},
	"percentile_disc":       {{col("i8"), 0.5}, {col("id"), 0.3}, {col("id"), 0}, {col("id"), 1}, {col("n"), 0.25}, {col("d"), 0.9}},
}
