#!/usr/bin/env bash
# TPC-H on the local engine, against DuckDB in one run, over Parquet files of
# tpchgen-cli:
#
#   bench/tpch/run.sh 1                 scale factor 1, which is the default
#   bench/tpch/run.sh 0.1 -only q01,q06 more flags for bench/tpch
#
# Both come from PyPI into a Python environment in .cache, once; the files are
# kept in .cache/tpch/sf<scale>. DUCKDB_PYTHON names another Python with duckdb.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

scale=1
if [ $# -gt 0 ] && [[ $1 != -* ]]; then
  scale=$1
  shift
fi

env=$PWD/.cache/duckdb
if [ ! -x "$env/bin/tpchgen-cli" ] || ! "$env/bin/python" -c 'import duckdb' 2>/dev/null; then
  python3 -m venv "$env"
  "$env/bin/python" -m pip install -q --disable-pip-version-check duckdb==2.0.1 tpchgen-cli==4.0.0
fi
export DUCKDB_PYTHON=${DUCKDB_PYTHON:-$env/bin/python}

data=$PWD/.cache/tpch/sf$scale
if [ ! -f "$data/.done" ]; then
  mkdir -p "$data"
  "$env/bin/tpchgen-cli" parquet -s "$scale" --output-dir "$data" >&2
  touch "$data/.done"
fi

mkdir -p bin
go build -o bin/bench-tpch ./bench/tpch
exec bin/bench-tpch -dir "$data" "$@"
