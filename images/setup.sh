#!/usr/bin/env bash
# Builds the two images that the tests run Spark and Kafka from, out of package
# registries alone. README.md beside this file explains it. Run as root.
#
#   images/setup.sh        installs, starts and builds what is missing
#   images/setup.sh stop   ends the Docker daemon that this script started, if it runs
#
#   SPOONBILL_CACHE   where downloads and Docker's data live (/var/cache/spoonbill-images)
#
# Prints "SPARK_IMAGE=… KAFKA_IMAGE=…" on standard output and everything else on
# standard error.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

spark_version=4.2.0
kafka_version=4.4.0

# An image is named by the content of all that it is made from.
base_key=$(digest "$images"/base/*)
spark_key=$(printf '%s\n' "$base_key" | digest - "$images"/spark/* "$images"/python/*)
kafka_key=$(printf '%s\n' "$base_key" | digest - "$images"/kafka/*)
base_image=spoonbill-base:$base_key
spark_image=spoonbill-spark:$spark_version-$spark_key
kafka_image=spoonbill-kafka:$kafka_version-$kafka_key

have_image() { docker image inspect "$@" >/dev/null 2>&1; }

finish() {
  docker tag "$spark_image" "spoonbill-spark:$spark_version"
  docker tag "$kafka_image" "spoonbill-kafka:$kafka_version"
  echo "SPARK_IMAGE=$spark_image KAFKA_IMAGE=$kafka_image"
  exit 0
}

# end_process PIDFILE TEXT: ends the process of PIDFILE if TEXT is in its command
# line. Another one may have come by that pid since, and is left alone.
end_process() {
  local pid
  pid=$(cat "$1" 2>/dev/null) || return 0
  tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -F -- "$2" >/dev/null || return 0
  say "ending process $pid of $1"
  kill "$pid"
  timeout 30 tail --pid="$pid" -f /dev/null || true
}

start_dockerd() {
  docker version >/dev/null 2>&1 && return
  say "starting dockerd"
  # A daemon that was killed leaves its pid and that of its containerd behind, and
  # the next one would take whatever process has the second now for containerd.
  local stale=$cache/docker-exec/containerd/containerd.pid
  end_process "$stale" "$cache/docker-exec"
  rm -f "$stale" "$cache/docker.pid"
  # --ip: what a container publishes on the default bridge stays on loopback.
  setsid nohup dockerd --data-root "$cache/docker" --exec-root "$cache/docker-exec" \
    --pidfile "$cache/docker.pid" --ip 127.0.0.1 >"$cache/dockerd.log" 2>&1 </dev/null 9>&- &
  local i
  for ((i = 0; i < 600; i++)); do
    docker version >/dev/null 2>&1 && return
    sleep 0.1
  done
  tail -20 "$cache/dockerd.log" >&2
  die "dockerd did not come up: see $cache/dockerd.log"
}

fill_python() {
  # Debian's Python, since the image has the same one.
  /usr/bin/python3 -m pip install -q --root-user-action=ignore --disable-pip-version-check \
    --target "$1" -r "$images/python/requirements.txt" >&2 || return
  find "$1" -type d \( -name tests -o -name __pycache__ \) -prune -exec rm -rf {} +
}

# context NAME [FOLDER…]: a build context with the files of images/NAME and hard
# links to the FOLDERs, each given as "name=path".
context() {
  local dir=$cache/context-$1 folder
  rm -rf "$dir"
  mkdir -p "$dir"
  cp "$images/$1"/* "$dir/"
  for folder in "${@:2}"; do
    cp -al "${folder#*=}" "$dir/${folder%%=*}"
  done
  echo "$dir"
}

# build TAG KEY CONTEXT [OPTION…]: with the classic builder, the one in Debian's
# package, and without network: all that goes in lies in CONTEXT.
build() {
  local tag=$1 key=$2 context=$3
  DOCKER_BUILDKIT=0 docker build -q --force-rm --network none --label "spoonbill.key=$key" -t "$tag" "${@:4}" "$context" \
    >"$context.log" 2>&1 9>&- || { tail -n 40 "$context.log" >&2; die "building $tag failed"; }
  rm -rf "$context" "$context.log"
  say "built $tag"
}

build_base() {
  local dir
  have_image "$base_image" && return
  dir=$cache/context-base
  rm -rf "$dir"
  cp -al "$base_root" "$dir"
  cp "$images/base/Dockerfile" "$dir/"
  echo Dockerfile >"$dir/.dockerignore"
  build "$base_image" "$base_key" "$dir"
}

build_kafka() {
  local dir
  have_image "$kafka_image" && return
  dir=$(context kafka "libs=$kafka_jars")
  build "$kafka_image" "$kafka_key" "$dir" --build-arg "BASE=$base_image"
}

build_spark() {
  local dir
  have_image "$spark_image" && return
  dir=$(context spark "jars=$spark_jars" "python=$python_libs")
  build "$spark_image" "$spark_key" "$dir" --build-arg "BASE=$base_image"
}

take_lock
case ${1:-} in
  '') ;;
  stop) end_process "$cache/docker.pid" "$cache/docker-exec"; exit 0 ;;
  *) die "unknown argument $1" ;;
esac

mapfile -t packages < <(missing docker.io:dockerd docker.io:docker iptables:iptables | sort -u)
apt_install "${packages[@]}"
start_dockerd
have_image "$spark_image" "$kafka_image" && finish

mapfile -t packages < <(missing maven:mvn default-jre-headless:java)
/usr/bin/python3 -m pip --version >/dev/null 2>&1 || packages+=(python3-pip)
apt_install "${packages[@]}"

spark_jars=$cache/spark-jars-$(digest "$images/spark/pom.xml")
kafka_jars=$cache/kafka-jars-$(digest "$images/kafka/pom.xml")
python_libs=$cache/python-$(digest "$images/python/requirements.txt")
base_root=$cache/base-$(digest "$images/base/packages.txt" "$images/base/unpack.sh")
[ -d "$base_root" ] || apt_update
pids=()
once "$spark_jars" jars "$images/spark/pom.xml" & pids+=($!)
once "$kafka_jars" jars "$images/kafka/pom.xml" & pids+=($!)
once "$python_libs" fill_python & pids+=($!)
once "$base_root" bash "$images/base/unpack.sh" 9>&- & pids+=($!)
wait_all "${pids[@]}"

build_base
pids=()
build_kafka & pids+=($!)
build_spark & pids+=($!)
wait_all "${pids[@]}"
# The stages that wrote the class archives have done their part.
docker image prune -f --filter label=spoonbill.stage=training >/dev/null || true
finish
