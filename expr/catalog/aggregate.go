package catalog

func init() {
	declare("aggregate",
		&Function{Name: "count", Kind: Aggregate, Method: "Count", Sigs: []string{"(values ...any) bigint"}, Nulls: NeverNull,
			Doc: "is the number of rows where the value is not null; without a value, of all rows.", Example: "count(1)"},
		&Function{Name: "sum", Kind: Aggregate, Method: "Sum", On: NumericFamily, Sigs: []string{"(a numeric) @sum", "(a interval) @sum"}, Nulls: MayBeNull, Returns: NumericFamily, OrderSensitive: true,
			Doc: "is the sum, null over no values: BIGINT of integers, DOUBLE of FLOAT and DOUBLE, a decimal with ten digits more of decimals. An overflow raises ARITHMETIC_OVERFLOW under ANSI. Only over FLOAT and DOUBLE does the order of the rows show.", Example: "sum(1)"},
		&Function{Name: "avg", Kind: Aggregate, Method: "Mean", On: NumericFamily, Sigs: []string{"(a numeric) @avg", "(a interval) @avg"}, Nulls: MayBeNull, Returns: NumericFamily, OrderSensitive: true,
			Doc: "is the mean, null over no values: DOUBLE, or a decimal with four digits more of decimals.", Example: "avg(1)"},
		&Function{Name: "min", Kind: Aggregate, Method: "Min", Sigs: []string{"(a O) O"}, Nulls: MayBeNull,
			Doc: "is the least value, null over no values.", Example: "min(1)"},
		&Function{Name: "max", Kind: Aggregate, Method: "Max", Sigs: []string{"(a O) O"}, Nulls: MayBeNull,
			Doc: "is the greatest value, null over no values; NaN is greater than every number.", Example: "max(1)"},
		&Function{Name: "count_if", Kind: Aggregate, Go: "CountIf", Method: "CountTrue", Ibis: "sum", On: BooleanFamily, Sigs: []string{"(cond boolean) bigint"}, Nulls: NeverNull,
			Doc: "is the number of rows for which the condition is true.", Example: "count_if(true)"},
		&Function{Name: "bool_and", Kind: Aggregate, Method: "All", On: BooleanFamily, Sigs: []string{"(cond boolean) boolean"}, Nulls: MayBeNull,
			Doc: "is true when every value that is not null is true; null over no values.", Example: "bool_and(true)"},
		&Function{Name: "bool_or", Kind: Aggregate, Method: "Any", On: BooleanFamily, Sigs: []string{"(cond boolean) boolean"}, Nulls: MayBeNull,
			Doc: "is true when a value is true; null over no values.", Example: "bool_or(true)"},
		&Function{Name: "first", Kind: Aggregate, Method: "First", Sigs: []string{"(a T) T"}, Nulls: MayBeNull, OrderSensitive: true,
			Doc: "is the value of the first row that Spark happens to see, null or not.", Example: "first(1)"},
		&Function{Name: "last", Kind: Aggregate, Method: "Last", Sigs: []string{"(a T) T"}, Nulls: MayBeNull, OrderSensitive: true,
			Doc: "is the value of the last row that Spark happens to see, null or not.", Example: "last(1)"},
		&Function{Name: "collect_list", Kind: Aggregate, Method: "Collect", Sigs: []string{"(a T) array<T!>"}, Nulls: NeverNull, OrderSensitive: true, Returns: ArrayFamily,
			Doc: "is the list of the values that are not null; empty over none.", Example: "collect_list(1)"},
	)
}
