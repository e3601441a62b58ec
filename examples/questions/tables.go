// Package questions asks what an analyst would ask of nycflights13, all 336,776 flights that left New York City in 2013 with their airlines, planes,
// airports and weather. Each question is a function from the tables to a table; testdata has its SQL, and conformance its answers on Spark and on the
// local engine. Together they use every operation of tables.
package questions

import (
	"path/filepath"

	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
)

// Tables are the five tables of nycflights13.
type Tables struct{ Flights, Airlines, Airports, Planes, Weather expr.Table }

// columns are the tables' columns. Times are UTC; delays and air time are minutes, distances miles, temperatures degrees Fahrenheit, visibility miles.
var columns = map[string]string{
	"flights": "year INT, month INT, day INT, dep_time INT, sched_dep_time INT, dep_delay INT, arr_time INT, sched_arr_time INT, arr_delay INT, carrier STRING, flight INT, " +
		"tailnum STRING, origin STRING, dest STRING, air_time INT, distance INT, hour INT, minute INT, time_hour TIMESTAMP",
	"airlines": "carrier STRING, name STRING",
	"airports": "faa STRING, name STRING, lat DOUBLE, lon DOUBLE, alt INT, tz INT, dst STRING, tzone STRING",
	"planes":   "tailnum STRING, year INT, type STRING, manufacturer STRING, model STRING, engines INT, seats INT, speed INT, engine STRING",
	"weather": "origin STRING, year INT, month INT, day INT, hour INT, temp DECIMAL(5,2), dewp DECIMAL(5,2), humid DECIMAL(5,2), wind_dir INT, wind_speed DOUBLE, wind_gust DOUBLE, " +
		"precip DECIMAL(4,2), pressure DECIMAL(6,1), visib DECIMAL(4,2), time_hour TIMESTAMP",
}

func open(source func(name string, rows connectors.Rows) connectors.Files) Tables {
	read := func(name string) expr.Table {
		return expr.Static(name, source(name, connectors.RowsDDL(columns[name])))
	}
	return Tables{Flights: read("flights"), Airlines: read("airlines"), Airports: read("airports"), Planes: read("planes"), Weather: read("weather")}
}

// FromCSV describes the tables as the files <table>.csv.gz of a folder, as make data puts them there. Nothing is read.
func FromCSV(folder string) Tables {
	return open(func(name string, rows connectors.Rows) connectors.Files {
		return connectors.FromCSV(filepath.Join(folder, name+".csv.gz"), rows, connectors.Header(), connectors.NullValue("NA"))
	})
}

// FromParquet describes the tables as the folders <table> of Parquet files below a folder.
func FromParquet(folder string) Tables {
	return open(func(name string, rows connectors.Rows) connectors.Files {
		return connectors.FromParquet(filepath.Join(folder, name), rows)
	})
}

// Named gives the tables with their names.
func (t Tables) Named() map[string]expr.Table {
	return map[string]expr.Table{"flights": t.Flights, "airlines": t.Airlines, "airports": t.Airports, "planes": t.Planes, "weather": t.Weather}
}
