package catalog

func init() {
	declare("aggregate",
		&Function{Name: "grouping", Kind: Grouping, Sigs: []string{"(key any) tinyint"}, Nulls: NeverNull,
			Doc: "is 1 in the rows of a grouping set that leaves the key out, where the key is null for that reason, and 0 in the others.", Example: "grouping(a)"},
		&Function{Name: "grouping_id", Go: "GroupingID", Kind: Grouping, Sigs: []string{"() bigint"}, Nulls: NeverNull,
			Doc: "is the number whose binary digits are grouping of each key, the first key's digit first.", Example: "grouping_id()"},
	)
}
