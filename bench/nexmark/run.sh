#!/usr/bin/env bash
# The queries of Nexmark on the local engine and on Spark (local[2], 6 GB, in a container) in one run:
#
#   bench/nexmark/run.sh                            5,000,000 events
#   bench/nexmark/run.sh -events 500000 -only q5,q7 more flags for bench/nexmark
#   SPARK=no bench/nexmark/run.sh -cpuprofile p.out the local engine alone
#
# The events are made into .cache/nexmark, once. Its exit code tells whether a bound was missed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

folder=$PWD/.cache/nexmark
mkdir -p bin "$folder"
go build -o bin/bench-nexmark ./bench/nexmark
unset SPARK_REMOTE # a server for tests does not see the files
if [ "${SPARK:-yes}" != no ]; then
  source bench/spark.sh
  start_spark "$folder"
fi
bin/bench-nexmark -dir "$folder" "$@"
