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
  if ! docker version >/dev/null 2>&1; then
    echo "NOT MEASURED: Spark, for Docker does not run."
  else
    images=$(images/setup.sh)
    eval "$images"
    name=spoonbill-bench-$$
    trap 'docker rm -fv "$name" >/dev/null 2>&1' EXIT
    # The image's own start is for tests: it stops at the first compiler and has a small heap.
    docker run -d --name "$name" -p 127.0.0.1::15002 -v "$data:$data:ro" --entrypoint /bin/sh "$SPARK_IMAGE" -c '
      exec java -Xms6g -Xmx6g -Xss4m -Dlog4j2.configurationFile=/opt/spark/conf/log4j2.properties -Dderby.system.home=/tmp/derby \
        @/opt/spark/java.args org.apache.spark.deploy.SparkSubmit --class org.apache.spark.sql.connect.service.SparkConnectServer \
        --conf spark.master="local[2]" --conf spark.driver.memory=6g --conf spark.sql.warehouse.dir=/tmp/warehouse \
        --conf spark.connect.grpc.binding.address=0.0.0.0 --conf spark.connect.grpc.binding.port=15002 spark-internal' >/dev/null
    for ((i = 0; ; i++)); do
      # Not grep -q: it would end before docker has written, and break its pipe.
      if docker logs "$name" 2>&1 | grep 'Spark Connect server started' >/dev/null; then break; fi
      if [ "$i" -gt 600 ] || [ "$(docker inspect -f '{{.State.Running}}' "$name")" != true ]; then
        docker logs --tail 20 "$name" >&2
        exit 1
      fi
      sleep 0.2
    done
    SPARK_REMOTE=sc://$(docker port "$name" 15002/tcp | head -1)
    export SPARK_REMOTE SPARK_CONTAINER=$name
  fi
fi
bin/bench-tpch -dir "$data" "$@"
