//go:build conformance

package conformance

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The live Spark reads what is recorded. With -record the recording is written anew.
func TestSparkWholeFiles(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	s := connect(t)
	fresh := damaged{Spark: s.Version(), Rows: map[string][]string{}}
	dir := env.Dir(t)
	read, err := eachOf(WholeFiles(), func(i int, c WholeFile) ([]string, error) { return c.Read(ctx, s, filepath.Join(dir, strconv.Itoa(i))) })
	require.NoError(t, err)
	for i, c := range WholeFiles() {
		_, twice := fresh.Rows[c.Name]
		require.False(t, twice, c.Name)
		if read[i] == nil {
			read[i] = []string{}
		}
		fresh.Rows[c.Name] = read[i]
	}
	for i, c := range WrittenFiles() {
		rows, err := c.Write(ctx, s, filepath.Join(dir, "w"+strconv.Itoa(i)))
		require.NoError(t, err, c.Name)
		fresh.Rows[c.Name] = rows
	}
	if *record {
		recordAs(t, wholeFilesFile, fresh)
		return
	}
	require.Equal(t, recordingOf[damaged](t, wholeFilesFile).Rows, fresh.Rows)
}

// Of texts at random, and of damaged records of JSON over lines, both read the same.
func TestSparkWholeFilesRandom(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	sessions := both(t)
	cases := randomWholeFiles(2, 300)
	for i, text := range damage([]string{"{\n\"a\":1,\n\"b\":{\"x\":[1.50,\n2],\"y\":3},\n\"s\":\"é\"}\n", "[{\"a\":1},\n{\"b\":{\"x\":true}}]\n"}, 23, damages) {
		cases = append(cases, WholeFile{"json: random " + strconv.Itoa(i), "json", text, "a INT, b STRUCT<x: STRING, y: INT>, s STRING, " + corruptRecord + " STRING", []string{"multiLine", "true"}})
	}
	dir := env.Dir(t)
	wants, err := eachOf(cases, func(i int, c WholeFile) ([]string, error) {
		return c.Read(ctx, sessions["spark"], filepath.Join(dir, strconv.Itoa(i)))
	})
	require.NoError(t, err)
	for i, c := range cases {
		got, err := c.Read(ctx, sessions["local"], filepath.Join(dir, strconv.Itoa(i)))
		require.NoError(t, err, c.Name)
		if !slices.Equal(wants[i], got) {
			t.Errorf("%s: %q %q\n spark %q\n local %q", c.Name, c.Text, c.Options, wants[i], got)
		}
	}
	t.Logf("%d files", len(cases))
}
