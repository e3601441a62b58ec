// Package queries has the 22 queries of TPC-H as table expressions, over its eight tables as Parquet files.
//
// A query is the question of the specification with its validation parameters, said as a user of the library says it. Some of the subqueries are joins: a
// comparison with one value with a table of one row, EXISTS and IN with the distinct keys, their negations left joins that keep what found no
// partner.
package queries

import (
	"path/filepath"
	"time"

	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
)

// Tables are the tables of TPC-H.
type Tables struct {
	Customer, Lineitem, Nation, Orders, Part, PartSupp, Region, Supplier expr.Table
}

// The columns of the tables, in the order of the specification. Identifiers are BIGINT, money is DECIMAL(15,2), as generators of the data
// write them.
var columns = map[string]string{
	"customer": "c_custkey BIGINT, c_name STRING, c_address STRING, c_nationkey BIGINT, c_phone STRING, c_acctbal DECIMAL(15,2), c_mktsegment STRING, c_comment STRING",
	"lineitem": "l_orderkey BIGINT, l_partkey BIGINT, l_suppkey BIGINT, l_linenumber INT, l_quantity DECIMAL(15,2), l_extendedprice DECIMAL(15,2), l_discount DECIMAL(15,2), l_tax DECIMAL(15,2), " +
		"l_returnflag STRING, l_linestatus STRING, l_shipdate DATE, l_commitdate DATE, l_receiptdate DATE, l_shipinstruct STRING, l_shipmode STRING, l_comment STRING",
	"nation":   "n_nationkey BIGINT, n_name STRING, n_regionkey BIGINT, n_comment STRING",
	"orders":   "o_orderkey BIGINT, o_custkey BIGINT, o_orderstatus STRING, o_totalprice DECIMAL(15,2), o_orderdate DATE, o_orderpriority STRING, o_clerk STRING, o_shippriority INT, o_comment STRING",
	"part":     "p_partkey BIGINT, p_name STRING, p_mfgr STRING, p_brand STRING, p_type STRING, p_size INT, p_container STRING, p_retailprice DECIMAL(15,2), p_comment STRING",
	"partsupp": "ps_partkey BIGINT, ps_suppkey BIGINT, ps_availqty INT, ps_supplycost DECIMAL(15,2), ps_comment STRING",
	"region":   "r_regionkey BIGINT, r_name STRING, r_comment STRING",
	"supplier": "s_suppkey BIGINT, s_name STRING, s_address STRING, s_nationkey BIGINT, s_phone STRING, s_acctbal DECIMAL(15,2), s_comment STRING",
}

// Open describes the tables as the files <table>.parquet of a folder. Nothing is read.
func Open(dir string) Tables {
	read := func(name string) expr.Table {
		return expr.Read(name, connectors.FromParquet(filepath.Join(dir, name+".parquet"), connectors.RowsDDL(columns[name])))
	}
	return Tables{
		Customer: read("customer"), Lineitem: read("lineitem"), Nation: read("nation"), Orders: read("orders"),
		Part: read("part"), PartSupp: read("partsupp"), Region: read("region"), Supplier: read("supplier"),
	}
}

// Query is one of the 22.
type Query struct {
	// Name is q01 to q22.
	Name string
	// Build makes the query over the tables.
	Build func(t Tables) expr.Table
	// Ordered tells whether the query's order leaves no two rows alike, so that results can be compared row by row.
	Ordered bool
}

// All are the queries in the order of the specification.
var All = []Query{
	{"q01", Q01, true}, {"q02", Q02, true}, {"q03", Q03, false}, {"q04", Q04, true}, {"q05", Q05, true}, {"q06", Q06, true}, {"q07", Q07, true}, {"q08", Q08, true},
	{"q09", Q09, true}, {"q10", Q10, false}, {"q11", Q11, false}, {"q12", Q12, true}, {"q13", Q13, true}, {"q14", Q14, true}, {"q15", Q15, true}, {"q16", Q16, true},
	{"q17", Q17, true}, {"q18", Q18, false}, {"q19", Q19, true}, {"q20", Q20, true}, {"q21", Q21, true}, {"q22", Q22, true},
}

// day is a date literal.
func day(year int, month time.Month, d int) expr.DateValue { return expr.DateOf(year, month, d) }

// one is the number 1.
var one = expr.Lit(1).AsNumeric()

// revenue is the discounted price of a line.
func revenue(t expr.Table) expr.NumericValue {
	return t.Num("l_extendedprice").Mul(one.Sub(t.Num("l_discount")))
}
