package local_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/expr/condition"
)

// files gives a table of the JSON files in a folder.
func folderOf(name, path string, opts ...connectors.Option) expr.Table {
	return expr.Read(name, connectors.FromJSON(path, connectors.RowsDDL("n INT"), opts...))
}

// requireRule is requireCondition for the first of joined errors.
func requireRule(t *testing.T, err error, name string, texts ...string) {
	t.Helper()
	var e *condition.Error
	require.ErrorAs(t, err, &e)
	requireCondition(t, e, name, texts...)
}

func putJSON(t *testing.T, path string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte("{\"n\":1}\n"), 0o644))
}

// Two ways to one folder are known for what they are, whichever side goes through a link.
func TestOwnSourceThroughLinks(t *testing.T) {
	s, dir := open(t), t.TempDir()
	in, link := filepath.Join(dir, "in"), filepath.Join(dir, "link")
	putJSON(t, filepath.Join(in, "k=1", "a.json"))
	require.NoError(t, os.Symlink(dir, link))
	relative, err := os.Getwd()
	require.NoError(t, err)
	relative, err = filepath.Rel(relative, in)
	require.NoError(t, err)
	for name, paths := range map[string][2]string{
		"the sink's":       {in, filepath.Join(link, "in")},
		"the source's":     {filepath.Join(link, "in"), in},
		"below":            {filepath.Join(link, "in"), filepath.Join(in, "k=1")},
		"above":            {filepath.Join(in, "k=1"), filepath.Join(link, "in")},
		"with wildcards":   {filepath.Join(link, "in", "k=*"), filepath.Join(in, "k=1")},
		"relative":         {relative, in},
		"to be made":       {filepath.Join(link, "in"), filepath.Join(in, "new", "folder")},
		"with a file: URI": {"file://" + in, filepath.Join(link, "in")},
	} {
		err := s.Write(ctx, folderOf("t", paths[0]).WriteTo(connectors.ToJSON(paths[1])).SaveMode(expr.SaveOverwrite))
		requireRule(t, err, "UNSUPPORTED_OVERWRITE.PATH", paths[0])
		require.FileExists(t, filepath.Join(in, "k=1", "a.json"), name)
	}
	_, err = s.Start(ctx, folderOf("t", in).WriteTo(connectors.ToJSON(filepath.Join(link, "in"))).Checkpoint(t.TempDir()))
	requireRule(t, err, condition.InvalidOption, "would read what the query writes")
	_, err = s.Start(ctx, folderOf("t", in, connectors.RecursiveFileLookup()).WriteTo(connectors.ToJSON(filepath.Join(link, "in", "out"))).Checkpoint(t.TempDir()))
	requireRule(t, err, condition.InvalidOption, "would read what the query writes")
	_, err = s.Start(ctx, folderOf("t", in).WriteTo(connectors.ToJSON(filepath.Join(dir, "out"))).Checkpoint(filepath.Join(link, "out")))
	requireRule(t, err, condition.InvalidOption, "do not share a folder")
}

// A checkpoint that its own query would read as data is refused; one that it does not see is not.
func TestCheckpointInSource(t *testing.T) {
	s, dir := open(t), t.TempDir()
	putJSON(t, filepath.Join(dir, "a.json"))
	start := func(in expr.Table, ckpt string) error {
		q, err := s.Start(ctx, in.WriteTo(newCollector()).Checkpoint(ckpt).Trigger(expr.AvailableNow()))
		if err != nil {
			return err
		}
		requireEnd(t, q, nil)
		return nil
	}
	deep := []connectors.Option{connectors.RecursiveFileLookup()}
	for name, err := range map[string]error{
		"the same":  start(folderOf("t", dir), dir),
		"below":     start(folderOf("t", dir, deep...), filepath.Join(dir, "x", "ckpt")),
		"partition": start(folderOf("t", dir), filepath.Join(dir, "k=1")),
		"wildcard":  start(folderOf("t", filepath.Join(dir, "*")), filepath.Join(dir, "ckpt")),
	} {
		requireRule(t, err, condition.InvalidOption, "would read the files of the checkpoint")
		require.NoDirExists(t, filepath.Join(dir, "offsets"), name)
	}
	require.NoError(t, start(folderOf("t", dir, deep...), filepath.Join(dir, "_ckpt", "x")))
	require.NoError(t, start(folderOf("t", dir, deep...), filepath.Join(dir, ".ckpt")))
	require.NoError(t, start(folderOf("t", dir), filepath.Join(dir, "ckpt")), "folders that are no partitions are not looked into")
	require.Equal(t, []string{"1"}, sorted(collect(t, s, folderOf("t", dir))))
}

// What a running query keeps is not overwritten by a batch, through another session or a link either; afterwards it is.
func TestOverwriteOfARunningQuery(t *testing.T) {
	dir := t.TempDir()
	out, ckpt, link := filepath.Join(dir, "out"), filepath.Join(dir, "ckpt"), filepath.Join(dir, "link")
	putJSON(t, filepath.Join(dir, "in", "a.json"))
	require.NoError(t, os.Symlink(dir, link))
	q, err := open(t).Start(ctx, folderOf("t", filepath.Join(dir, "in")).WriteTo(connectors.ToJSON(out)).Checkpoint(ckpt))
	require.NoError(t, err)
	require.NoError(t, q.ProcessAllAvailable(ctx))
	other, err := local.Open()
	require.NoError(t, err)
	defer other.Close()
	write := func(to string) error {
		return other.Write(ctx, expr.MemtableRows("m", fields(t, "n INT"), [][]any{{7}}).WriteTo(connectors.ToJSON(to)).SaveMode(expr.SaveOverwrite))
	}
	for to, use := range map[string]string{out: "output", filepath.Join(link, "out"): "output", filepath.Join(link, "ckpt"): "checkpoint", filepath.Join(ckpt, "offsets"): "checkpoint"} {
		requireRule(t, write(to), condition.ConcurrentStreamLog, "a running query has its "+use)
	}
	require.Equal(t, []string{` {"n":1}`}, plainRows(t, vfs.Default, out))
	require.FileExists(t, filepath.Join(ckpt, "metadata"))
	require.NoError(t, q.Stop(ctx))
	require.NoError(t, write(out))
	require.Equal(t, []string{` {"n":7}`}, plainRows(t, vfs.Default, out))
}
