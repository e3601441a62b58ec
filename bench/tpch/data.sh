#!/usr/bin/env bash
# Puts the tables of TPC-H at a scale factor into .cache/tpch/sf<scale>, a Parquet file each, and prints the folder:
#
#   bench/tpch/data.sh 0.1
#
# tpchgen-cli comes from PyPI into a Python environment in .cache, once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

scale=${1:-1}
env=$PWD/.cache/tpchgen
data=$PWD/.cache/tpch/sf$scale
if [ ! -f "$data/.done" ]; then
  if [ ! -x "$env/bin/tpchgen-cli" ]; then
    python3 -m venv "$env"
    "$env/bin/python" -m pip install -q --disable-pip-version-check tpchgen-cli==4.0.0
  fi
  mkdir -p "$data"
  "$env/bin/tpchgen-cli" parquet -s "$scale" --output-dir "$data" >&2
  touch "$data/.done"
fi
echo "$data"
