# Shared by the scripts beside this file, which source it.
# shellcheck shell=bash disable=SC2034

images=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${SPOONBILL_CACHE:-/var/cache/spoonbill-images}

say() { printf '[%3ds] %s\n' "$SECONDS" "$*" >&2; }
die() { say "$*"; exit 1; }

# digest FILE…: a short name for the content of these files.
digest() { cat "$@" | sha256sum | cut -c1-12; }

# take_lock: one script at a time works on the cache, until it ends. Children
# that live on must be started with 9>&-, or they keep the lock.
take_lock() {
  mkdir -p "$cache" || die "cannot write $cache: run as root, or set SPOONBILL_CACHE"
  exec 9>"$cache/lock"
  flock 9
}

# missing PACKAGE:COMMAND…: the packages whose command is not there.
missing() {
  local pair
  for pair in "$@"; do
    command -v "${pair#*:}" >/dev/null || echo "${pair%%:*}"
  done
}

# apt_update: once at most, and only on a machine that needs a package.
updated=
apt_update() {
  [ -n "$updated" ] || apt-get update -qq >&2 9>&- || die "apt-get update failed"
  updated=yes
}

apt_install() {
  [ $# -gt 0 ] || return 0
  say "installing $*"
  apt_update
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null 9>&- ||
    die "apt-get could not install $*"
}

# once FOLDER COMMAND…: FOLDER, filled by "COMMAND… FOLDER.part" unless it is
# there. A download that breaks off leaves no half a folder behind.
once() {
  local folder=$1
  shift
  [ -d "$folder" ] && return
  rm -rf "$folder.part"
  mkdir -p "$folder.part"
  "$@" "$folder.part" || die "could not fetch ${folder##*/}"
  mv "$folder.part" "$folder"
  say "fetched ${folder##*/}"
}

# jars POM [OPTION…] FOLDER: what POM lists and all that it needs at run time.
# Maven is silent unless it fails: even -q leaves terminal codes behind.
jars() {
  local pom=$1 folder=${*: -1} out
  out=$(mvn -q -B -f "$pom" dependency:copy-dependencies -DincludeScope=runtime "${@:2:$#-2}" -DoutputDirectory="$folder" 2>&1) || {
    printf '%s\n' "$out" >&2
    return 1
  }
}

# wait_all PID…: fails if one of them did.
wait_all() {
  local pid failed=0
  for pid in "$@"; do wait "$pid" || failed=1; done
  [ "$failed" = 0 ] || die "a step above failed"
}
