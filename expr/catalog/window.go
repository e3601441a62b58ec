package catalog

func init() {
	declare("window",
		&Function{Name: "row_number", Kind: Window, Sigs: []string{"() int"}, Nulls: NeverNull, Returns: NumericFamily,
			Doc: "is the row's number in its partition, from 1; equal rows are numbered in any order. Ibis counts from 0.", Example: "row_number() OVER (ORDER BY 1)"},
		&Function{Name: "rank", Kind: Window, Method: "Rank", Ranks: true, Sigs: []string{"() int"}, Nulls: NeverNull, Returns: NumericFamily,
			Doc: "is one more than the number of rows before the row in the order; equal rows have one rank, and the next is behind a gap. It counts from 1 as in SQL; Ibis counts from 0.", Example: "rank() OVER (ORDER BY 1)"},
		&Function{Name: "dense_rank", Kind: Window, Method: "DenseRank", Ranks: true, Sigs: []string{"() int"}, Nulls: NeverNull, Returns: NumericFamily,
			Doc: "is the rank without gaps, from 1 as in SQL; Ibis counts from 0.", Example: "dense_rank() OVER (ORDER BY 1)"},
		&Function{Name: "percent_rank", Kind: Window, Method: "PercentRank", Ranks: true, Sigs: []string{"() double"}, Nulls: NeverNull, Returns: NumericFamily,
			Doc: "is the share of the partition's other rows that come before the row, from 0.0 to 1.0; 0.0 where the row is alone.", Example: "percent_rank() OVER (ORDER BY 1)"},
		&Function{Name: "cume_dist", Kind: Window, Method: "CumeDist", Ranks: true, Sigs: []string{"() double"}, Nulls: NeverNull, Returns: NumericFamily,
			Doc: "is the share of the partition's rows that come before the row or are equal to it in the order, above 0.0 up to 1.0.", Example: "cume_dist() OVER (ORDER BY 1)"},
		&Function{Name: "ntile", Kind: Window, Method: "NTile", Ranks: true, Sigs: []string{"(buckets int) @ntile"}, Nulls: NeverNull, Returns: NumericFamily,
			Doc: "is the number of the row's bucket when the partition is dealt in order into so many buckets of sizes as equal as can be, the greater first; from 1 as in SQL, Ibis counts from 0.", Example: "ntile(2) OVER (ORDER BY 1)"},
		&Function{Name: "lag", Kind: Window, Method: "Lag", Sigs: []string{"(a any, offset? int, default? any) @shifted"}, Nulls: NullWithoutAll,
			Doc: "is the value a number of rows before (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks ahead. With IgnoreNulls only rows with a value count.", Example: "lag(1) OVER (ORDER BY 1)"},
		&Function{Name: "lead", Kind: Window, Method: "Lead", Sigs: []string{"(a any, offset? int, default? any) @shifted"}, Nulls: NullWithoutAll,
			Doc: "is the value a number of rows behind (1 by default), or the default (NULL by default) where there is no such row. A negative offset looks back. With IgnoreNulls only rows with a value count.", Example: "lead(1) OVER (ORDER BY 1)"},
		&Function{Name: "nth_value", Kind: Window, Method: "Nth", Sigs: []string{"(a any, n int) @nth"}, Nulls: MayBeNull,
			Doc: "is the value of the frame's n-th row, from 1 as in SQL; null where the frame is shorter. Ibis counts from 0. With IgnoreNulls only rows with a value count.", Example: "nth_value(1, 1) OVER (ORDER BY 1)"},
	)
}
