#!/usr/bin/env bash
# with-spark.sh VERSION COMMAND…: runs the tests' command with what internal/testenv
# needs for this version of Spark in its environment.
#
#   4.2.0   the images; the tests start their own containers from them
#   4.3.0   a server on the host, ended with the command; Kafka from its image
#
# If SPARK_REMOTE is set, its server is taken for that version, whichever it is.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=$1
shift

# Read by testcontainers: its reaper is an image that cannot be pulled, and
# everything is published on loopback.
export TESTCONTAINERS_RYUK_DISABLED=true TESTCONTAINERS_HOST_OVERRIDE=127.0.0.1

if [ -n "${SPARK_REMOTE:-}" ] && [ -n "${KAFKA_BROKERS:-}" ]; then
  exec "$@"
fi
assignments=$("$here/setup.sh")
eval "export $assignments"

case $version in
  4.2.0) ;;
  4.3.0)
    if [ -z "${SPARK_REMOTE:-}" ]; then
      "$here/spark43.sh" status || trap '"$here/spark43.sh" stop' EXIT
      assignment=$("$here/spark43.sh" start)
      eval "export $assignment"
    fi
    ;;
  *)
    [ -n "${SPARK_REMOTE:-}" ] || {
      echo "no recipe for Spark $version (there are 4.2.0 and 4.3.0): start its Connect server and set SPARK_REMOTE" >&2
      exit 2
    }
    ;;
esac
"$@"
