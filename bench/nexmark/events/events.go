// Package events makes the data of Nexmark: people who come to an auction house, auctions that they open and bids on these, in order of time, from a seed.
//
// Of fifty events one is a person, three are auctions and forty-six are bids. One of four auctions is of a hot seller and one of two bids on a hot auction, by a hot bidder
// three of four times; the others go to one of the newest thousand people and hundred auctions.
//
// Source: the generator of the Nexmark benchmark in Apache Beam.
package events

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// The proportions of the events, and how many people and auctions are active.
const (
	round            = 50
	auctionsPerRound = 3
	activePeople     = 1000
	openAuctions     = 100
	hotSellers       = 4
	hotAuctions      = 2
	hotBidders       = 4
	firstPerson      = 1000
	firstAuction     = 1000
	firstCategory    = 10
	categories       = 5
	// hotEvery is how many people or auctions come until another one is the hot one.
	hotEvery = 100
	// perSecond is how many events a second of event time has.
	perSecond = 10_000
	// sideRows is the size of the table beside the streams.
	sideRows = 10_000
)

// Begin is the time of the first event.
var Begin = time.Date(2015, time.July, 15, 0, 0, 0, 0, time.UTC)

// Config says how much is made.
type Config struct {
	// Seed is that of the random choices: equal seeds make equal events.
	Seed uint64
	// Events is how many there are of all kinds, Files in how many files of each kind they are.
	Events, Files int
}

// The schemas of the streams and of the table; names and types are those of package queries.
var schemas = map[string]*arrow.Schema{
	"person":  schema("id", long, "name", text, "email", text, "credit_card", text, "city", text, "state", text, "at", stamp, "extra", text),
	"auction": schema("id", long, "item", text, "description", text, "initial_bid", long, "reserve", long, "at", stamp, "expires", stamp, "seller", long, "category", long, "extra", text),
	"bid":     schema("auction", long, "bidder", long, "price", long, "channel", text, "url", text, "at", stamp, "extra", text),
	"side":    schema("key", long, "value", text),
}

var (
	long  = arrow.PrimitiveTypes.Int64
	text  = arrow.BinaryTypes.String
	stamp = &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
)

func schema(of ...any) *arrow.Schema {
	var fields []arrow.Field
	for i := 0; i < len(of); i += 2 {
		fields = append(fields, arrow.Field{Name: of[i].(string), Type: of[i+1].(arrow.DataType), Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}

// Write makes the events as Parquet files in the folders person, auction, bid and side of dir, which must not be there. File n of each kind has the events of one
// stretch of time.
func Write(dir string, c Config) error {
	if c.Events <= 0 || c.Files <= 0 {
		return fmt.Errorf("nexmark: %d events in %d files: both must be above zero", c.Events, c.Files)
	}
	g := newGenerator(c.Seed)
	for kind := range schemas {
		if err := os.MkdirAll(filepath.Join(dir, kind), 0o777); err != nil {
			return err
		}
	}
	next := 0
	for file := range c.Files {
		until := c.Events * (file + 1) / c.Files
		for ; next < until; next++ {
			g.event(next)
		}
		for _, kind := range []string{"person", "auction", "bid"} {
			if err := g.write(filepath.Join(dir, kind, fmt.Sprintf("%05d.parquet", file)), kind); err != nil {
				return err
			}
		}
	}
	for key := range int64(sideRows) {
		g.add("side", key, fmt.Sprintf("value %d", key))
	}
	return g.write(filepath.Join(dir, "side", "side.parquet"), "side")
}

// Close adds a file of each stream with one event that is an hour later than all others, so that a watermark closes all their windows.
func Close(dir string, c Config) error {
	g := newGenerator(c.Seed)
	at := Begin.Add(time.Duration(c.Events)*time.Second/perSecond + time.Hour)
	g.add("person", int64(0), "last", "", "", "", "", at, "")
	g.add("auction", int64(0), "last", "", int64(0), int64(0), at, at, int64(0), int64(0), "")
	g.add("bid", int64(0), int64(0), int64(0), "last", "https://www.nexmark.com/a/b/c", at, "")
	for _, kind := range []string{"person", "auction", "bid"} {
		if err := g.write(filepath.Join(dir, kind, "last.parquet"), kind); err != nil {
			return err
		}
	}
	return nil
}

type generator struct {
	r *rand.Rand
	b map[string]*array.RecordBuilder
}

func newGenerator(seed uint64) *generator {
	g := &generator{r: rand.New(rand.NewPCG(seed, 0)), b: map[string]*array.RecordBuilder{}}
	for kind, s := range schemas {
		g.b[kind] = array.NewRecordBuilder(memory.DefaultAllocator, s)
	}
	return g
}

// add puts a row to those of a kind.
func (g *generator) add(kind string, row ...any) {
	for i, v := range row {
		switch b := g.b[kind].Field(i).(type) {
		case *array.Int64Builder:
			b.Append(v.(int64))
		case *array.StringBuilder:
			b.Append(v.(string))
		case *array.TimestampBuilder:
			b.Append(arrow.Timestamp(v.(time.Time).UnixMicro()))
		}
	}
}

// write ends a file with the rows that were added.
func (g *generator) write(path, kind string) (err error) {
	rows := g.b[kind].NewRecordBatch()
	defer rows.Release()
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w, err := pqarrow.NewFileWriter(schemas[kind], f, parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy)), pqarrow.DefaultWriterProps())
	if err != nil {
		return errors.Join(err, f.Close())
	}
	return errors.Join(w.Write(rows), w.Close()) // which closes the file
}

// event makes event number n.
func (g *generator) event(n int) {
	turn, place := n/round, n%round
	at := Begin.Add(time.Duration(n) * time.Second / perSecond)
	switch {
	case place == 0:
		g.person(int64(turn), at)
	case place <= auctionsPerRound:
		g.auction(int64(turn*auctionsPerRound+place-1), int64(turn), at)
	default:
		g.bid(int64(turn*auctionsPerRound+auctionsPerRound-1), int64(turn), at)
	}
}

var (
	firstNames = strings.Fields("Peter Paul Luke John Saul Vicky Kate Julie Sarah Deiter Walter")
	lastNames  = strings.Fields("Shultz Abrams Spencer White Bartels Walton Smith Jones Noris")
	cities     = strings.Split("Phoenix,Los Angeles,San Francisco,Boise,Portland,Bend,Redmond,Seattle,Kent,Cheyenne", ",")
	states     = strings.Fields("AZ CA ID OR WA WY")
	hotNames   = strings.Fields("Google Facebook Baidu Apple")
)

func pick(g *generator, of []string) string { return of[g.r.IntN(len(of))] }

func (g *generator) person(number int64, at time.Time) {
	first, last := pick(g, firstNames), pick(g, lastNames)
	card := fmt.Sprintf("%04d %04d %04d %04d", g.r.IntN(10_000), g.r.IntN(10_000), g.r.IntN(10_000), g.r.IntN(10_000))
	email := g.letters(7) + "@" + g.letters(5) + ".com"
	g.add("person", firstPerson+number, first+" "+last, email, card, pick(g, cities), pick(g, states), at, g.letters(100))
}

// someone is one of the newest people, or the hot one of them hot-1 of hot times.
func (g *generator) someone(newest int64, hot int) int64 {
	if g.r.IntN(hot) > 0 {
		return firstPerson + newest/hotEvery*hotEvery
	}
	active := min(newest+1, activePeople)
	return firstPerson + newest - g.r.Int64N(active)
}

func (g *generator) auction(number, newestPerson int64, at time.Time) {
	initial := g.price()
	// An auction is open for about as long as so many others are opened.
	horizon := int64(openAuctions*round/auctionsPerRound) * 1000 / perSecond // milliseconds
	expires := at.Add(time.Duration(1+g.r.Int64N(2*horizon)) * time.Millisecond)
	g.add("auction", firstAuction+number, g.letters(20), g.letters(100), initial, initial+g.price(), at, expires,
		g.someone(newestPerson, hotSellers), firstCategory+g.r.Int64N(categories), g.letters(250))
}

func (g *generator) bid(newestAuction, newestPerson int64, at time.Time) {
	auction := newestAuction / hotEvery * hotEvery
	if g.r.IntN(hotAuctions) == 0 {
		auction = newestAuction - g.r.Int64N(min(newestAuction+1, openAuctions))
	}
	channel, url := pick(g, hotNames), "https://www.nexmark.com/"+g.letters(3)+"/"+g.letters(3)+"/"+g.letters(3)+"/item.htm?query=1"
	if g.r.IntN(2) == 0 {
		n := g.r.IntN(10_000)
		channel = fmt.Sprintf("channel-%d", n)
		if n%10 > 0 { // some have none
			url += fmt.Sprintf("&channel_id=%d", n)
		}
	}
	g.add("bid", firstAuction+auction, g.someone(newestPerson, hotBidders), g.price(), channel, url, at, g.letters(20))
}

// price is between 1 and 1,000,000 dollars in cents; small ones are as likely as large ones.
func (g *generator) price() int64 { return int64(math.Round(math.Pow(10, g.r.Float64()*6) * 100)) }

// letters is a text of about so many letters.
func (g *generator) letters(about int) string {
	n := about/2 + g.r.IntN(about)
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + g.r.IntN(26))
	}
	return string(b)
}
