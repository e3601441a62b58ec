#!/bin/sh
# Starts the Spark Connect server in place of this shell, as one JVM: spark-submit
# would run a second one first. Arguments go to SparkSubmit ("--conf k=v").
#   SPARK_HEAP  JVM heap (default 2g)
#   SPARK_CDS   the JVM's class archive option
set -eu
umask 000 # see fs.permissions.umask-mode in spark-defaults.conf
heap=${SPARK_HEAP:-2g}
exec java -Xms256m -Xmx"$heap" -Xss4m \
  -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
  "${SPARK_CDS:--XX:SharedArchiveFile=/opt/spark/spark.jsa}" \
  -Dlog4j2.configurationFile=/opt/spark/conf/log4j2.properties \
  -Dderby.system.home=/tmp/derby \
  @/opt/spark/java.args org.apache.spark.deploy.SparkSubmit \
  --conf spark.driver.memory="$heap" \
  --class org.apache.spark.sql.connect.service.SparkConnectServer \
  "$@" spark-internal
