#!/usr/bin/env bash
# TPC-H on the local engine, against its peers in one run, over Parquet files of
# tpchgen-cli:
#
#   bench/tpch/run.sh 1                 scale factor 1, which is the default
#   bench/tpch/run.sh 0.1 -only q01,q06 more flags for bench/tpch
#   WITH_SPARK=yes bench/tpch/run.sh    Spark too: local[2], 6 GB, in a container (make bench-tpch)
#
# DuckDB, Polars and DataFusion come from PyPI into a Python environment in .cache,
# once; what cannot be had is left out. PEERS_PYTHON names another Python with some
# of them, TPCH_SPARK_REMOTE a Spark Connect server that sees the files.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

scale=1
if [ $# -gt 0 ] && [[ $1 != -* ]]; then
  scale=$1
  shift
fi
data=$(bench/tpch/data.sh "$scale")

if [ -z "${PEERS_PYTHON:-}" ]; then
  env=$PWD/.cache/peers
  [ -x "$env/bin/python" ] || python3 -m venv "$env"
  for peer in duckdb==2.0.1 polars==2.1.0 datafusion==55.0.0; do
    "$env/bin/python" -c "import ${peer%%=*}" 2>/dev/null ||
      "$env/bin/python" -m pip install -q --disable-pip-version-check "$peer" ||
      echo "$peer cannot be had: the comparison with it is left out."
  done
  export PEERS_PYTHON=$env/bin/python
fi

mkdir -p bin
go build -o bin/bench-tpch ./bench/tpch

unset SPARK_REMOTE # a server for tests does not see the files
if [ -n "${TPCH_SPARK_REMOTE:-}" ]; then
  export SPARK_REMOTE=$TPCH_SPARK_REMOTE
elif [ "${WITH_SPARK:-no}" = yes ]; then
  source bench/spark.sh
  start_spark "$data"
fi
bin/bench-tpch -dir "$data" "$@"
