#!/bin/sh
# Runs a server and a few queries once, while the image is built, to write down
# the classes that they load: later starts map them instead of parsing the jars.
set -eu
# A build without network gives the container's own name no address.
echo "127.0.0.1 $(uname -n)" >> /etc/hosts
SPARK_CDS=-XX:ArchiveClassesAtExit=/tmp/spark.jsa \
  /bin/sh /opt/spark/entrypoint.sh >/tmp/server.log 2>&1 &
server=$!
i=0
until grep -q 'Spark Connect server started' /tmp/server.log; do
  i=$((i + 1))
  if [ "$i" -gt 1200 ] || ! kill -0 "$server" 2>/dev/null; then
    cat /tmp/server.log >&2
    exit 1
  fi
  sleep 0.1
done
python3 -W ignore /opt/spark/train.py || { cat /tmp/server.log >&2; exit 1; }
# A class that is missing may not fail a query: it may only be logged.
if grep -E 'NoClassDefFound|ClassNotFound|NoSuchMethod' /tmp/server.log >&2; then
  cat /tmp/server.log >&2
  exit 1
fi
kill -TERM "$server"
wait "$server" || true # a JVM that was told to end exits with 143
test -s /tmp/spark.jsa
