#!/bin/sh
# Starts the broker in place of this shell, so that a stop reaches it.
#   KAFKA_INSIDE  what clients in other containers dial  (default kafka:9092)
#   KAFKA_HOST    what clients on the host dial          (default 127.0.0.1:9094)
#   KAFKA_HEAP    JVM heap                               (default 512m)
#   KAFKA_CDS     the JVM's class archive option
set -eu
exec java -Xms128m -Xmx"${KAFKA_HEAP:-512m}" -Xss1m \
  -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
  "${KAFKA_CDS:--XX:SharedArchiveFile=/opt/kafka/kafka.jsa}" \
  -Dlog4j2.configurationFile=/opt/kafka/log4j2.properties \
  @/opt/kafka/classpath.args kafka.Kafka /opt/kafka/server.properties \
  --override "advertised.listeners=INSIDE://${KAFKA_INSIDE:-kafka:9092},HOST://${KAFKA_HOST:-127.0.0.1:9094}"
