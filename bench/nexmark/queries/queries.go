package queries

import (
	"time"

	"github.com/spoonbill-go/spoonbill/expr"
	f "github.com/spoonbill-go/spoonbill/expr/functions"
	"github.com/spoonbill-go/spoonbill/window"
)

// tenSeconds are the windows of most questions.
func tenSeconds(t expr.Table) expr.WindowValue {
	return window.Tumbling(t.Timestamp("at"), 10*time.Second)
}

// minutes stand for the benchmark's days, none of which would end.
func minutes(t expr.Table) expr.WindowValue { return window.Tumbling(t.Timestamp("at"), time.Minute) }

// Q0 passes the bids through.
func Q0(s Streams) expr.Table { return s.Bid.Select("auction", "bidder", "price", "at", "extra") }

// Q1 converts dollars to euros.
func Q1(s Streams) expr.Table {
	b := s.Bid
	return b.Select("auction", "bidder", euros(b).As("price"), "at", "extra")
}

func euros(b expr.Table) expr.NumericValue { return b.Num("price").Mul(expr.Decimal("0.908")) }

// Q2 selects the bids on some auctions.
func Q2(s Streams) expr.Table {
	return s.Bid.Filter(s.Bid.Num("auction").Mod(123).Eq(0)).Select("auction", "price")
}

// Q3 finds who sells a kind of item in some states.
func Q3(s Streams) expr.Table {
	a := s.Auction.Filter(s.Auction.Num("category").Eq(10)).Select("seller", s.Auction.Num("id").As("auction"))
	p := s.Person.Filter(s.Person.Str("state").In("OR", "ID", "CA")).Select("id", "name", "city", "state")
	return a.Join(p, a.Num("seller").Eq(p.Num("id"))).Select("name", "city", "state", "auction")
}

// bidsInTime joins auctions with the bids that came while they were open.
func bidsInTime(s Streams, columns ...any) expr.Table {
	a := s.Auction.Select(append([]any{"id", s.Auction.Timestamp("at").As("opened"), "expires"}, columns...)...)
	b := s.Bid.Select("auction", "bidder", "price", "at")
	return a.Join(b, a.Num("id").Eq(b.Num("auction")), b.Timestamp("at").Ge(a.Timestamp("opened")), b.Timestamp("at").Le(a.Timestamp("expires")))
}

// Q4 is the average winning bid of each category.
func Q4(s Streams) expr.Table {
	x := bidsInTime(s, "category")
	won := x.GroupBy(tenSeconds(x), "id", "category").Agg(x.Num("price").Max().As("final"))
	return won.GroupBy("window", "category").Agg(won.Num("final").Mean().As("average"))
}

// Q5 finds the auction with the most bids of the last ten seconds, every two seconds.
func Q5(s Streams) expr.Table {
	n := s.Bid.GroupBy(window.Sliding(s.Bid.Timestamp("at"), 10*time.Second, 2*time.Second), "auction").Agg(expr.Count().As("bids"))
	hot := n.GroupBy("window").Agg(f.Max(f.NamedStruct("bids", n.Num("bids"), "auction", n.Num("auction"))).AsStruct().As("hot"))
	return hot.Select("window", hot.Struct("hot").Field("auction").As("auction"), hot.Struct("hot").Field("bids").As("bids"))
}

// Q7 finds the highest bid of each ten seconds.
func Q7(s Streams) expr.Table {
	b := s.Bid
	top := b.GroupBy(tenSeconds(b)).Agg(f.Max(f.NamedStruct("price", b.Num("price"), "auction", b.Num("auction"), "bidder", b.Num("bidder"), "at", b.Timestamp("at"))).AsStruct().As("bid"))
	bid := top.Struct("bid")
	return top.Select("window", bid.Field("auction").As("auction"), bid.Field("price").As("price"), bid.Field("bidder").As("bidder"), bid.Field("at").As("at"))
}

// Q8 finds the people who opened an auction in the ten seconds in which they came.
func Q8(s Streams) expr.Table {
	p := s.Person.GroupBy(tenSeconds(s.Person), "id", "name").Agg(expr.Count().As("arrivals")).Drop("arrivals")
	a := s.Auction.GroupBy(tenSeconds(s.Auction), "seller").Agg(expr.Count().As("auctions"))
	a = a.Select(a.Window("window").As("opened"), "seller")
	x := p.Join(a, p.Num("id").Eq(a.Num("seller")), p.Window("window").Eq(a.Window("opened")))
	return x.Select("id", "name", "window")
}

// Q9 finds the winning bid of each auction.
func Q9(s Streams) expr.Table {
	x := bidsInTime(s, "item", "category", "seller")
	won := x.GroupBy(tenSeconds(x), "id", "item", "category", "seller").
		Agg(f.Max(f.NamedStruct("price", x.Num("price"), "bidder", x.Num("bidder"), "at", x.Timestamp("at"))).AsStruct().As("bid"))
	bid := won.Struct("bid")
	return won.Select("window", "id", "item", "category", "seller", bid.Field("bidder").As("bidder"), bid.Field("price").As("price"), bid.Field("at").As("at"))
}

// Q11 counts the bids of each session of a bidder.
func Q11(s Streams) expr.Table {
	return s.Bid.GroupBy(window.Session(s.Bid.Timestamp("at"), 10*time.Second), "bidder").Agg(expr.Count().As("bids"))
}

// Q12 counts the bids of a bidder in each ten seconds.
func Q12(s Streams) expr.Table {
	return s.Bid.GroupBy(tenSeconds(s.Bid), "bidder").Agg(expr.Count().As("bids"))
}

// Q13 adds what a table has to the bids.
func Q13(s Streams) expr.Table {
	b := s.Bid.Mutate(s.Bid.Num("auction").Mod(10_000).As("key"))
	return b.Join(s.Side, "key").Select("auction", "bidder", "price", "at", "value")
}

// Q14 computes much of each bid.
func Q14(s Streams) expr.Table {
	b := s.Bid
	hour := b.Timestamp("at").Hour()
	part := expr.Case().
		When(hour.Ge(8).And(hour.Le(18)), "dayTime").
		When(hour.Le(6).Or(hour.Ge(20)), "nightTime").
		Else("otherTime")
	extra := b.Str("extra")
	return b.Filter(euros(b).Gt(1_000_000), euros(b).Lt(50_000_000)).
		Select("auction", "bidder", euros(b).As("price"), part.As("bid_time"), "at", "extra",
			extra.Length().Sub(extra.Replace("c", "").Length()).As("c_counts"))
}

// ranks counts and measures the bids of three ranks of price.
func ranks(b expr.Table) []expr.Value {
	price := b.Num("price")
	cheap, middle, dear := price.Lt(10_000), price.Ge(10_000).And(price.Lt(1_000_000)), price.Ge(1_000_000)
	return []expr.Value{
		expr.Count().As("total_bids"),
		f.CountIf(cheap).As("rank1_bids"), f.CountIf(middle).As("rank2_bids"), f.CountIf(dear).As("rank3_bids"),
	}
}

// people and auctions in the ranks of price, about.
func distinctRanks(b expr.Table) []expr.Value {
	var out []expr.Value
	price := b.Num("price")
	for _, of := range []string{"bidder", "auction"} {
		among := func(c expr.BooleanValue) expr.NumericValue { return f.ApproxCountDistinct(expr.If(c, b.Num(of), nil)) }
		out = append(out, f.ApproxCountDistinct(b.Num(of)).As("total_"+of+"s"),
			among(price.Lt(10_000)).As("rank1_"+of+"s"), among(price.Ge(10_000).And(price.Lt(1_000_000))).As("rank2_"+of+"s"), among(price.Ge(1_000_000)).As("rank3_"+of+"s"))
	}
	return out
}

// Q15 counts bids, bidders and auctions.
func Q15(s Streams) expr.Table {
	return s.Bid.GroupBy(minutes(s.Bid)).Agg(append(ranks(s.Bid), distinctRanks(s.Bid)...)...)
}

// Q16 counts bids, bidders and auctions of each channel.
func Q16(s Streams) expr.Table {
	last := f.DateFormat(s.Bid.Timestamp("at").Max(), "HH:mm").As("minute")
	return s.Bid.GroupBy(minutes(s.Bid), "channel").Agg(append(append(ranks(s.Bid), last), distinctRanks(s.Bid)...)...)
}

// Q17 counts and measures the bids on each auction.
func Q17(s Streams) expr.Table {
	price := s.Bid.Num("price")
	return s.Bid.GroupBy(minutes(s.Bid), "auction").
		Agg(append(ranks(s.Bid), price.Min().As("min_price"), price.Max().As("max_price"), price.Mean().As("avg_price"), price.Sum().As("sum_price"))...)
}

// Q18 is the last bid of each bidder on each auction.
func Q18(s Streams) expr.Table {
	b := s.Bid
	last := b.GroupBy("bidder", "auction").Agg(f.Max(f.NamedStruct("at", b.Timestamp("at"), "price", b.Num("price"), "channel", b.Str("channel"))).AsStruct().As("bid"))
	bid := last.Struct("bid")
	return last.Select("bidder", "auction", bid.Field("price").As("price"), bid.Field("channel").As("channel"), bid.Field("at").As("at"))
}

// Q19 lists the ten highest bids on each auction.
func Q19(s Streams) expr.Table {
	b := s.Bid.Select("auction", "bidder", "price", "at")
	return b.GroupBy(tenSeconds(b), "auction").OrderBy(expr.Desc("price"), "at", "bidder").Limit(10)
}

// Q20 adds its auction to each bid on one kind of item.
func Q20(s Streams) expr.Table {
	a := s.Auction.Filter(s.Auction.Num("category").Eq(10))
	a = a.Select("id", "item", "description", "initial_bid", "reserve", a.Timestamp("at").As("opened"), "expires", "seller", "category")
	b := s.Bid.Select("auction", "bidder", "price", "channel", "url", "at")
	return b.Join(a, b.Num("auction").Eq(a.Num("id")))
}

// Q21 numbers the channels.
func Q21(s Streams) expr.Table {
	b := s.Bid
	name := b.Str("channel").Lower()
	id := expr.Case().
		When(name.Eq("apple"), "0").When(name.Eq("google"), "1").When(name.Eq("facebook"), "2").When(name.Eq("baidu"), "3").
		Else(f.Split(b.Str("url"), "channel_id=").At(1)).AsString()
	x := b.Select("auction", "bidder", "price", "channel", id.As("channel_id"))
	return x.Filter(x.Str("channel_id").NotNull())
}

// Q22 takes addresses apart.
func Q22(s Streams) expr.Table {
	b := s.Bid
	parts := f.Split(b.Str("url"), "/")
	return b.Select("auction", "bidder", "price", "channel", parts.At(3).As("dir1"), parts.At(4).As("dir2"), parts.At(5).As("dir3"))
}
