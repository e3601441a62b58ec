// Command sql prints the payments job's SQL and its program for Spark. It links no gRPC, no Kafka client and no Parquet.
package main

import (
	"fmt"
	"os"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/examples/payments"
)

func main() {
	totals := payments.Totals("localhost:9092", "payment_msg")
	sql, err := compiler.SQL(totals)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	program, err := compiler.CompileWrite(payments.Write(totals, "localhost:9092", "sink", "ckpt/totals"), compiler.Stream)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(sql)
	fmt.Println()
	fmt.Println(program)
}
