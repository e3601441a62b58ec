#!/usr/bin/env bash
# Keeps one Spark and one Kafka container running between test runs, so that an
# edit-and-test round does not pay their start.
#
#   images/serve.sh start    builds the images if need be, starts both, prints the environment
#   images/serve.sh env      prints the environment of what is running
#   images/serve.sh stop     removes both
#   images/serve.sh run COMMAND…
#                            runs a command with a pair of its own, on free ports,
#                            and removes it afterwards
#
#   eval "$(images/serve.sh start)" && make conformance
#
# SPARK_PORT (15002), KAFKA_PORT (9094) and SPOONBILL_DATA (/tmp/spoonbill-data)
# say where start puts them; everything is published on loopback only.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
spark_port=${SPARK_PORT:-15002}
kafka_port=${KAFKA_PORT:-9094}
data=${SPOONBILL_DATA:-/tmp/spoonbill-data}
name=spoonbill-dev
ready_within=120 # seconds

# await CONTAINER TEXT: until the log of the container's present run holds TEXT.
await() {
  local i
  for ((i = 0; i < ready_within * 5; i++)); do
    # Not grep -q: it would end before docker has written, and break its pipe.
    if docker logs "$1" 2>&1 | grep "$2" >/dev/null; then return; fi
    if [ "$(docker inspect -f '{{.State.Running}}' "$1")" != true ]; then break; fi
    sleep 0.2
  done
  docker logs --tail 40 "$1" >&2
  echo "$1 did not become ready" >&2
  exit 1
}

print_env() {
  cat <<EOF
export SPARK_REMOTE=sc://127.0.0.1:$spark_port
export KAFKA_BROKERS=127.0.0.1:$kafka_port
export KAFKA_BROKERS_FROM_SPARK=kafka:9092
export SPOONBILL_DATA=$data
EOF
}

# current CONTAINER IMAGE: whether it runs, and from this image.
current() {
  [ "$(docker inspect -f '{{.State.Running}} {{.Config.Image}}' "$1" 2>/dev/null)" = "true $2" ]
}

stop() {
  docker rm -fv "$name-spark" "$name-kafka" >/dev/null 2>&1 || true
  docker network rm "$name" >/dev/null 2>&1 || true
}

start() {
  local images SPARK_IMAGE KAFKA_IMAGE
  images=$("$here/setup.sh")
  eval "$images"
  if current "$name-spark" "$SPARK_IMAGE" && current "$name-kafka" "$KAFKA_IMAGE"; then
    return
  fi
  stop
  mkdir -p "$data"
  chmod 0777 "$data"
  docker network create "$name" >/dev/null
  docker run -d --name "$name-kafka" --network "$name" --network-alias kafka \
    -p "127.0.0.1:$kafka_port:9094" -e "KAFKA_HOST=127.0.0.1:$kafka_port" "$KAFKA_IMAGE" >/dev/null
  docker run -d --name "$name-spark" --network "$name" \
    -p "127.0.0.1:$spark_port:15002" -v "$data:$data" "$SPARK_IMAGE" >/dev/null
  await "$name-kafka" 'Kafka Server started'
  await "$name-spark" 'Spark Connect server started'
}

# free_port: one that nothing listens on, outside the range that the system hands
# out to clients.
free_port() {
  local port
  while port=$((20000 + RANDOM % 10000)) && (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  echo "$port"
}

# run COMMAND…: in this shell, whose end by a signal must remove the pair too.
run() {
  name=spoonbill-run-$$
  spark_port=$(free_port)
  kafka_port=$(free_port)
  data=$(mktemp -d "${TMPDIR:-/tmp}/spoonbill-run.XXXXXX")
  trap 'stop; rm -rf "$data"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  start
  eval "$(print_env)"
  "$@"
}

case ${1:-} in
  run) shift && run "$@" ;;
  start) start && print_env ;;
  env) print_env ;;
  stop) stop ;;
  *) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
