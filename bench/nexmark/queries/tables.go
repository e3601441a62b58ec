// Package queries has the queries of Nexmark as table expressions over its three streams: people, auctions and bids of an auction house.
//
// A query is the question of the benchmark, said as a user of the library says it. Where the benchmark asks for results that change for ever, which neither Spark nor the
// local engine averages again, the question is asked of each window of event time; [Query.Note] says so.
package queries

import (
	"path/filepath"
	"time"

	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
)

// Streams are the events. Each has its event time in the column at; an auction is open from at to expires.
type Streams struct {
	Person, Auction, Bid expr.Table
	// Side is the table that Q13 looks bidders' auctions up in.
	Side expr.Table
}

// The columns of the streams' files and of the table.
var columns = map[string]string{
	"person":  "id BIGINT, name STRING, email STRING, credit_card STRING, city STRING, state STRING, at TIMESTAMP, extra STRING",
	"auction": "id BIGINT, item STRING, description STRING, initial_bid BIGINT, reserve BIGINT, at TIMESTAMP, expires TIMESTAMP, seller BIGINT, category BIGINT, extra STRING",
	"bid":     "auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, at TIMESTAMP, extra STRING",
	"side":    "key BIGINT, value STRING",
}

// delay is how late events may be.
const delay = 4 * time.Second

// Open describes the streams as Parquet files in the folders person, auction, bid and side of dir, so many of each stream in an epoch. Nothing is read.
func Open(dir string, filesPerEpoch int64) Streams {
	stream := func(name string) expr.Table {
		return expr.Read(name, connectors.FromParquet(filepath.Join(dir, name), connectors.RowsDDL(columns[name]), connectors.MaxFilesPerTrigger(filesPerEpoch))).Watermark("at", delay)
	}
	return Streams{
		Person: stream("person"), Auction: stream("auction"), Bid: stream("bid"),
		Side: expr.Static("side", connectors.FromParquet(filepath.Join(dir, "side"), connectors.RowsDDL(columns["side"]))),
	}
}

// Stream is one of the streams of events.
type Stream uint8

// The streams. The rate of a query is that of the events of the streams that it reads.
const (
	People Stream = 1 << iota
	Auctions
	Bids
)

// Query is one of the benchmark's.
type Query struct {
	// Name is q0 to q22.
	Name string
	// Build makes the query over the streams.
	Build func(s Streams) expr.Table
	// Reads are the streams that it reads.
	Reads Stream
	// Mode is the output mode that it is written in.
	Mode expr.OutputMode
	// Stateful tells whether it keeps rows or groups from one epoch to the next.
	Stateful bool
	// Windows tells whether its rows come when a watermark closes windows, so that the last ones of a stream are held back.
	Windows bool
	// Note says in what the question is another than the benchmark's; empty where it is the same.
	Note string
}

// All are the queries. Q6, which averages the last rows of a key, and Q10, which is about a file system, are left out, as in most versions of the benchmark.
var All = []Query{
	{Name: "q0", Build: Q0, Reads: Bids},
	{Name: "q1", Build: Q1, Reads: Bids},
	{Name: "q2", Build: Q2, Reads: Bids},
	{Name: "q3", Build: Q3, Reads: People | Auctions, Stateful: true},
	{Name: "q4", Build: Q4, Reads: Auctions | Bids, Stateful: true, Windows: true, Note: "of each 10 seconds"},
	{Name: "q5", Build: Q5, Reads: Bids, Stateful: true, Windows: true, Note: "one auction where several are equally hot"},
	{Name: "q7", Build: Q7, Reads: Bids, Stateful: true, Windows: true, Note: "one bid where several are equally high"},
	{Name: "q8", Build: Q8, Reads: People | Auctions, Stateful: true, Windows: true},
	{Name: "q9", Build: Q9, Reads: Auctions | Bids, Stateful: true, Windows: true, Note: "of each 10 seconds"},
	{Name: "q11", Build: Q11, Reads: Bids, Stateful: true, Windows: true},
	{Name: "q12", Build: Q12, Reads: Bids, Stateful: true, Windows: true, Note: "in event time: Spark has no windows of processing time"},
	{Name: "q13", Build: Q13, Reads: Bids},
	{Name: "q14", Build: Q14, Reads: Bids},
	{Name: "q15", Build: Q15, Reads: Bids, Stateful: true, Windows: true, Note: "of each minute; the numbers of bidders and auctions are approximate: a stream has no distinct aggregates"},
	{Name: "q16", Build: Q16, Reads: Bids, Stateful: true, Windows: true, Note: "as q15"},
	{Name: "q17", Build: Q17, Reads: Bids, Stateful: true, Windows: true, Note: "of each minute"},
	{Name: "q18", Build: Q18, Reads: Bids, Mode: expr.Update, Stateful: true},
	{Name: "q19", Build: Q19, Reads: Bids, Stateful: true, Windows: true, Note: "of each 10 seconds"},
	{Name: "q20", Build: Q20, Reads: Auctions | Bids, Stateful: true},
	{Name: "q21", Build: Q21, Reads: Bids},
	{Name: "q22", Build: Q22, Reads: Bids},
}
