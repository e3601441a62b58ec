package conformance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spoonbill-go/spoonbill/backend"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
)

// PolicyFiles writes the inputs of [AskPolicy] below a folder: one is at 100 seconds and one at 50, with a file each that comes behind.
func PolicyFiles(folder string) error {
	for name, second := range map[string]int{"a": 100, "b": 50} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o777); err != nil {
			return err
		}
		for i, s := range []int{second, 95} {
			text := fmt.Sprintf("{\"at\":\"1970-01-01T00:%02d:%02dZ\"}\n", s/60, s%60)
			path := filepath.Join(folder, name, fmt.Sprint(i, ".json"))
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				return err
			}
			at := time.Now().Add(time.Duration(i-10) * time.Minute) // files come by their times
			if err := os.Chtimes(path, at, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// AskPolicy runs the union of the two inputs under watermarks of ten seconds, and gives the watermark of the second epoch.
func AskPolicy(ctx context.Context, s backend.Session, folder, checkpoint string, set func(expr.Write) expr.Write) (string, error) {
	read := func(name string) expr.Table {
		t := expr.Read(name, connectors.FromJSON(filepath.Join(folder, name), connectors.RowsDDL("at TIMESTAMP"), connectors.MaxFilesPerTrigger(1)))
		return t.Watermark("at", 10*time.Second)
	}
	w := read("a").Union(read("b")).DropDuplicates("at").WriteTo(connectors.Noop()).Checkpoint(checkpoint).Trigger(expr.AvailableNow())
	q, err := s.Start(ctx, set(w))
	if err != nil {
		return "", err
	}
	if err := q.AwaitTermination(ctx); err != nil {
		return "", err
	}
	progress, err := q.RecentProgress(ctx)
	if err != nil {
		return "", err
	}
	for _, p := range progress {
		if p.BatchID == 1 {
			return p.EventTime["watermark"], nil
		}
	}
	return "", fmt.Errorf("there was no second epoch in %d", len(progress))
}

// Policies are the choices with the watermark that comes of each.
var Policies = []struct {
	Name      string
	Set       func(expr.Write) expr.Write
	Watermark string
}{
	{"default", func(w expr.Write) expr.Write { return w }, "1970-01-01T00:00:40.000Z"},
	{"max", func(w expr.Write) expr.Write { return w.WatermarkPolicy(expr.MaxWatermark) }, "1970-01-01T00:01:30.000Z"},
	{"min", func(w expr.Write) expr.Write { return w.WatermarkPolicy(expr.MinWatermark) }, "1970-01-01T00:00:40.000Z"},
}
