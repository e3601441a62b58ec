#!/usr/bin/env bash
# Builds the two images that the tests run Spark and Kafka from, out of package
# registries alone. See README.md beside this file. Run as root.
#
#   SPOONBILL_CACHE   where downloads and Docker's data live (/var/cache/spoonbill-images)
#
# Prints "SPARK_IMAGE=… KAFKA_IMAGE=…" on its last line of standard output, and
# everything else on standard error.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${SPOONBILL_CACHE:-/var/cache/spoonbill-images}
spark_version=4.2.0
kafka_version=4.4.0

began=$SECONDS
say() { printf '[%3ds] %s\n' "$((SECONDS - began))" "$*" >&2; }
die() { say "$*"; exit 1; }

# digest FILE…: a short name for the content of these files.
digest() { cat "$@" | sha256sum | cut -c1-12; }

base_key=$(digest "$here"/base/*)
spark_key=$(printf '%s\n' "$base_key" | digest - "$here"/spark/* "$here"/python/*)
kafka_key=$(printf '%s\n' "$base_key" | digest - "$here"/kafka/*)
base_image=spoonbill-base:$base_key
spark_image=spoonbill-spark:$spark_version-$spark_key
kafka_image=spoonbill-kafka:$kafka_version-$kafka_key

mkdir -p "$cache" || die "cannot write $cache: run as root, or set SPOONBILL_CACHE"
exec 9>"$cache/lock"
flock 9

have_image() { docker image inspect "$1" >/dev/null 2>&1; }

finish() {
  docker tag "$spark_image" "spoonbill-spark:$spark_version"
  docker tag "$kafka_image" "spoonbill-kafka:$kafka_version"
  echo "SPARK_IMAGE=$spark_image KAFKA_IMAGE=$kafka_image"
  exit 0
}

# missing PACKAGE:COMMAND…: the packages whose command is not there.
missing() {
  local pair
  for pair in "$@"; do
    command -v "${pair#*:}" >/dev/null || echo "${pair%%:*}"
  done
}

# One "apt-get update" at most, and only for a machine that needs a package.
updated=
apt_update() {
  [ -n "$updated" ] || apt-get update -qq >&2 9>&-
  updated=yes
}
apt_install() {
  say "installing $*"
  apt_update
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null 9>&- ||
    die "apt-get could not install $*"
}

start_dockerd() {
  docker version >/dev/null 2>&1 && return
  say "starting dockerd"
  rm -f "$cache/docker.pid"
  # --ip: ports published on the default bridge stay on loopback. The lock must
  # not live on in the daemon.
  setsid nohup dockerd --data-root "$cache/docker" --exec-root "$cache/docker-exec" \
    --pidfile "$cache/docker.pid" --ip 127.0.0.1 >"$cache/dockerd.log" 2>&1 </dev/null 9>&- &
  local i
  for i in $(seq 300); do
    docker version >/dev/null 2>&1 && return
    sleep 0.1
  done
  tail -20 "$cache/dockerd.log" >&2
  die "dockerd did not come up: see $cache/dockerd.log"
}

# once FOLDER FUNCTION: FOLDER, filled by FUNCTION if it is not there yet. A
# download that breaks off leaves no half a folder behind.
once() {
  local folder=$1 fill=$2
  [ -d "$folder" ] && return
  rm -rf "$folder.part"
  mkdir -p "$folder.part"
  "$fill" "$folder.part"
  mv "$folder.part" "$folder"
  say "fetched ${folder##*/}"
}

jars() {
  mvn -q -B -f "$1/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$2" >&2
}
fill_spark_jars() { jars "$here/spark" "$1"; }
fill_kafka_jars() { jars "$here/kafka" "$1"; }

fill_python() {
  # Debian's Python, since the image has the same one.
  /usr/bin/python3 -m pip install -q --root-user-action=ignore --disable-pip-version-check \
    --target "$1" -r "$here/python/requirements.txt" >&2
  find "$1" -type d \( -name tests -o -name __pycache__ \) -prune -exec rm -rf {} +
}

# The root of the images: Debian packages and what they depend on, resolved
# against a machine that has nothing, and unpacked rather than installed.
fill_base() {
  local debs=$1.debs deb dir
  rm -rf "$debs"
  mkdir -p "$debs/partial"
  : >"$debs/status"
  # shellcheck disable=SC2046 # one word a package
  apt-get install -y -qq --no-install-recommends --download-only \
    -o Dir::State::status="$debs/status" -o Dir::Cache::archives="$debs" -o APT::Sandbox::User=root \
    $(cat "$here/base/packages.txt") >/dev/null 9>&-
  for dir in bin sbin lib lib64; do
    mkdir -p "$1/usr/$dir"
    ln -s "usr/$dir" "$1/$dir"
  done
  for deb in "$debs"/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$1" \
      --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' --exclude='./usr/share/locale/*' \
      --exclude='./usr/share/info/*' --exclude='./usr/share/fonts/*' --exclude='./usr/share/perl/*'
  done
  ln -sf dash "$1/usr/bin/sh"
  rm -rf "$debs"
}

# build TAG CONTEXT KEY [ARG…]: with the classic builder, which Debian's package
# has, and without network: all that goes in lies in CONTEXT.
build() {
  local tag=$1 context=$2 key=$3
  shift 3
  DOCKER_BUILDKIT=0 docker build -q --network none --label "spoonbill.key=$key" "$@" -t "$tag" "$context" \
    >"$context.log" 2>&1 9>&- || { tail -n 40 "$context.log" >&2; die "building $tag failed"; }
  rm -rf "$context" "$context.log"
  say "built $tag"
}

context() {
  local dir=$cache/context-$1
  rm -rf "$dir"
  mkdir -p "$dir"
  cp "$here/$1"/* "$dir/"
  echo "$dir"
}

build_kafka() {
  local dir
  have_image "$kafka_image" && return
  dir=$(context kafka)
  cp -al "$kafka_jars" "$dir/libs"
  build "$kafka_image" "$dir" "$kafka_key" --build-arg "BASE=$base_image"
}

build_spark() {
  local dir
  have_image "$spark_image" && return
  dir=$(context spark)
  cp -al "$spark_jars" "$dir/jars"
  cp -al "$python_libs" "$dir/python"
  build "$spark_image" "$dir" "$spark_key" --build-arg "BASE=$base_image"
}

# wait_all PID…: fails if one of them did.
wait_all() {
  local pid failed=0
  for pid in "$@"; do wait "$pid" || failed=1; done
  [ "$failed" = 0 ] || die "a step above failed"
}

packages=$(missing docker.io:dockerd docker.io:docker iptables:iptables | sort -u)
# shellcheck disable=SC2086 # one word a package
[ -z "$packages" ] || apt_install $packages
start_dockerd
if have_image "$spark_image" && have_image "$kafka_image"; then
  finish
fi

packages=$(missing maven:mvn default-jre-headless:java)
/usr/bin/python3 -m pip --version >/dev/null 2>&1 || packages="$packages python3-pip"
# shellcheck disable=SC2086
[ -z "${packages// /}" ] || apt_install $packages

spark_jars=$cache/spark-jars-$(digest "$here/spark/pom.xml")
kafka_jars=$cache/kafka-jars-$(digest "$here/kafka/pom.xml")
python_libs=$cache/python-$(digest "$here/python/requirements.txt")
base_root=$cache/base-$(digest "$here/base/packages.txt")
pids=()
once "$spark_jars" fill_spark_jars & pids+=($!)
once "$kafka_jars" fill_kafka_jars & pids+=($!)
once "$python_libs" fill_python & pids+=($!)
{ [ -d "$base_root" ] || apt_update; once "$base_root" fill_base; } & pids+=($!)
wait_all "${pids[@]}"

if ! have_image "$base_image"; then
  dir=$cache/context-base
  rm -rf "$dir"
  cp -al "$base_root" "$dir"
  cp "$here/base/Dockerfile" "$dir/"
  echo Dockerfile >"$dir/.dockerignore"
  build "$base_image" "$dir" "$base_key"
fi
pids=()
build_kafka & pids+=($!)
build_spark & pids+=($!)
wait_all "${pids[@]}"
# The stages that wrote the class archives have done their part.
docker image prune -f --filter label=spoonbill.stage=training >/dev/null || true
finish
