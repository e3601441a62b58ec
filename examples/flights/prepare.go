package flights

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Prepare cuts the lines of flights.csv.gz (or a slice of it) into a file per UTC month below folder/in, in order of event time and with file times in
// that order, and copies the airlines to folder/airlines.csv. It gives the folder of the flights and the file of the airlines.
func Prepare(flightsGz, airlinesGz, folder string) (in, airlines string, err error) {
	lines, header, err := readLines(flightsGz)
	if err != nil {
		return "", "", err
	}
	// time_hour is the last column, in ISO form, so texts sort as times do; rows of one hour keep their order.
	timeOf := func(line string) string { return line[strings.LastIndexByte(line, ',')+1:] }
	slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(timeOf(a), timeOf(b)) })
	in, airlines = filepath.Join(folder, "in"), filepath.Join(folder, "airlines.csv")
	if err := os.MkdirAll(in, 0o755); err != nil {
		return "", "", err
	}
	written := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for len(lines) > 0 {
		month := timeOf(lines[0])[:len("2013-01")]
		n := 0
		var b bytes.Buffer
		b.WriteString(header + "\n")
		for n < len(lines) && strings.HasPrefix(timeOf(lines[n]), month) {
			b.WriteString(lines[n] + "\n")
			n++
		}
		lines = lines[n:]
		path := filepath.Join(in, "flights-"+month+".csv")
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			return "", "", err
		}
		written = written.Add(time.Minute)
		if err := os.Chtimes(path, written, written); err != nil {
			return "", "", err
		}
	}
	names, head, err := readLines(airlinesGz)
	if err != nil {
		return "", "", err
	}
	return in, airlines, os.WriteFile(airlines, []byte(head+"\n"+strings.Join(names, "\n")+"\n"), 0o644)
}

func readLines(path string) (lines []string, header string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, "", fmt.Errorf("%w (make data fetches the whole; examples/flights/testdata has a slice)", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	scan := bufio.NewScanner(z)
	for scan.Scan() {
		if header == "" {
			header = scan.Text()
			continue
		}
		lines = append(lines, strings.TrimSuffix(scan.Text(), "\r"))
	}
	if err := scan.Err(); err != nil && err != io.EOF {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	if header == "" || len(lines) == 0 {
		return nil, "", fmt.Errorf("%s holds no rows", path)
	}
	return lines, header, nil
}
