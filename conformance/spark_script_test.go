//go:build conformance

package conformance

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/compiler"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/window"
)

// python gives a command that runs a script with pyspark: the Spark image's, or where the servers are named and no image is, the machine's own python3.
func python(ctx context.Context, remote string) *exec.Cmd {
	if image := os.Getenv("SPARK_IMAGE"); image != "" {
		return exec.CommandContext(ctx, "docker", "run", "--rm", "-i", "--network", "host", "--entrypoint", "python3", "-e", "SPARK_REMOTE="+remote, image, "-W", "ignore", "-")
	}
	cmd := exec.CommandContext(ctx, "python3", "-W", "ignore", "-")
	cmd.Env = append(os.Environ(), "SPARK_REMOTE="+remote)
	return cmd
}

// The script that a program prints runs as it is, hostile names and all, and writes what the program writes.
func TestPrintedScript(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	folder := env.Dir(t)
	require.NoError(t, StreamFiles(folder))
	build := func(out string) expr.Write {
		in := expr.Read("ev`en\"ts", connectors.FromJSON(filepath.Join(folder, "events"), connectors.RowsDDL(eventSchema), connectors.MaxFilesPerTrigger(1)))
		e := in.Watermark("at", 30*time.Second)
		w := e.GroupBy(window.Tumbling(e.Timestamp("at"), time.Minute), "k").Agg(expr.Count().As("n'\\ \"\"\""), e.Num("v").Sum().As("total"))
		return w.WriteTo(connectors.ToJSON(filepath.Join(folder, out))).Checkpoint(filepath.Join(folder, out+"-checkpoint")).Trigger(expr.AvailableNow())
	}
	program, err := compiler.CompileWrite(build("script"), compiler.Stream)
	require.NoError(t, err)
	cmd := python(ctx, env.Spark.Remote)
	cmd.Stdin = strings.NewReader(program.String())
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n(python3 needs pyspark-client where SPARK_IMAGE is not set)\n%s", text, program)

	s := connect(t)
	q, err := s.Start(ctx, build("session"))
	require.NoError(t, err)
	require.NoError(t, q.AwaitTermination(ctx))
	read := func(out string) Answer {
		a, err := Ask(ctx, s, expr.Read("out", connectors.FromJSON(filepath.Join(folder, out), connectors.RowsDDL("window STRUCT<start: TIMESTAMP, end: TIMESTAMP>, k STRING, total DECIMAL(20,2)"))), false)
		require.NoError(t, err)
		return a
	}
	require.NotEmpty(t, read("session").Rows)
	require.Equal(t, read("session").String(), read("script").String())
}
