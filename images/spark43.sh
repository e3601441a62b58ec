#!/usr/bin/env bash
# Runs Spark 4.3.0 on this machine, from the PyPI wheel in an environment of its
# own, as the second version to test against. It has no image: the connectors of Kafka
# and Avro are published up to 4.2.0 only (which work with it), Delta is built for 4.2.0.
#
#   images/spark43.sh start    installs what is missing, starts it, prints SPARK_REMOTE=…
#   images/spark43.sh stop     ends the server that start started
#   images/spark43.sh status   succeeds if it runs
#
#   SPOONBILL_CACHE   where the installation lives (/var/cache/spoonbill-images)
#   SPARK43_PORT      where it listens, on loopback (15043)
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

version=4.3.0
port=${SPARK43_PORT:-15043}
run=$cache/spark43-run
class=org.apache.spark.sql.connect.service.SparkConnectServer
ready_within=180 # seconds

# running: whether the process of the pid file is there and still ours. A pid may
# have gone to another process since.
running() {
  [ -s "$run/pid" ] && tr "\0" " " <"/proc/$(cat "$run/pid")/cmdline" 2>/dev/null | grep -qF "$run/warehouse"
}

fill_venv() {
  # Its scripts will hold the path it is made under, which does not last. Only
  # bin/python3 is used, and that goes by its own place.
  /usr/bin/python3 -m venv "$1" >&2 || return
  "$1/bin/python3" -m pip install -q --use-pep517 --disable-pip-version-check "pyspark==$version" \
    -r <(grep -v '^pyspark' "$images/python/requirements.txt") >&2
}

install() {
  local packages
  mapfile -t packages < <(missing maven:mvn default-jre-headless:java)
  /usr/bin/python3 -c 'import ensurepip' 2>/dev/null || packages+=(python3-venv)
  apt_install "${packages[@]}"
  local pids=()
  once "$venv" fill_venv & pids+=($!)
  once "$connector" jars "$images/spark/pom.xml" \
    -DincludeArtifactIds=spark-avro_2.13,spark-sql-kafka-0-10_2.13,spark-token-provider-kafka-0-10_2.13,kafka-clients,commons-pool2 & pids+=($!)
  wait_all "${pids[@]}"
}

# java_home: a Java that Spark supports; the first one on the path may be newer.
java_home() {
  local home
  for home in /usr/lib/jvm/java-17-openjdk-* /usr/lib/jvm/java-21-openjdk-* /usr/lib/jvm/default-java; do
    if [ -x "$home/bin/java" ]; then
      echo "$home"
      return
    fi
  done
  die "no Java 17 or 21 below /usr/lib/jvm: apt-get install openjdk-17-jre-headless"
}

start() {
  take_lock
  install
  if running; then
    echo "SPARK_REMOTE=sc://127.0.0.1:$(cat "$run/port")"
    return
  fi
  rm -rf "$run"
  mkdir -p "$run"
  local home
  home=$(echo "$venv"/lib/python3*/site-packages/pyspark)
  (
    cd "$run"
    umask 000
    export JAVA_HOME SPARK_HOME=$home SPARK_CONF_DIR=$images/spark SPARK_LOCAL_IP=127.0.0.1
    export LC_ALL=C.UTF-8 # file names beyond ASCII
    export PYSPARK_PYTHON=$venv/bin/python3 PYTHONDONTWRITEBYTECODE=1
    JAVA_HOME=$(java_home)
    exec setsid nohup "$home/bin/spark-submit" --class "$class" --driver-memory 2g \
      --driver-java-options "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xss4m" \
      --conf spark.connect.grpc.binding.address=127.0.0.1 --conf spark.connect.grpc.binding.port="$port" \
      --conf spark.sql.warehouse.dir="$run/warehouse" \
      --jars "$(printf '%s,' "$connector"/*.jar)" spark-internal
  ) >"$run/log" 2>&1 </dev/null 9>&- &
  echo $! >"$run/pid"
  echo "$port" >"$run/port"
  local i
  for ((i = 0; i < ready_within * 5; i++)); do
    if grep -q 'Spark Connect server started' "$run/log"; then
      say "Spark $version is ready"
      echo "SPARK_REMOTE=sc://127.0.0.1:$port"
      return
    fi
    kill -0 "$(cat "$run/pid")" 2>/dev/null || break
    sleep 0.2
  done
  tail -40 "$run/log" >&2
  stop
  die "Spark $version did not start: see $run/log"
}

stop() {
  local pid i
  running || return 0
  pid=$(cat "$run/pid")
  kill "$pid"
  for ((i = 0; i < 150; i++)); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  kill -9 "$pid" 2>/dev/null || true
  rm -f "$run/pid"
}

venv=$cache/pyspark-$version-$(digest "$images/python/requirements.txt")
connector=$cache/connectors-$(digest "$images/spark/pom.xml")
case ${1:-} in
  start) start ;;
  stop) stop ;;
  status) running ;;
  *) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
