// Command spoonbill is the library's command: a demo of the main job, Go types of a schema, the state of a checkpoint, what of Ibis is covered, and what a machine has of what programs need.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

const usage = `spoonbill COMMAND

  demo    runs the payments job on Kafka and checks its output: offline on an in-process broker, or on Spark (-backend spark)
  coverage ibis
          lists the table methods and top-level functions of Ibis with their state on Spark and offline
  doctor  looks at the engine, Java, Docker, a Spark server with its jars, and Kafka, and says what to do
  gen     writes Go types of a file's, a table's or a schema's columns
  state   shows the state that a streaming query keeps in its checkpoint, of the local engine or (-spark) of Spark

spoonbill COMMAND -h lists a command's flags.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "spoonbill:", err)
		}
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		fmt.Print(usage)
		return nil
	}
	switch args[0] {
	case "demo":
		return demo(ctx, os.Stdout, args[1:])
	case "coverage":
		return coverage(os.Stdout, args[1:])
	case "doctor":
		return doctor(ctx, os.Stdout, args[1:])
	case "gen":
		return gen(ctx, os.Stdout, args[1:])
	case "state":
		return state(ctx, os.Stdout, args[1:])
	case "help", "-h", "--help":
		fmt.Print(usage)
		return nil
	}
	return fmt.Errorf("there is no command %q; spoonbill help lists them", args[0])
}
