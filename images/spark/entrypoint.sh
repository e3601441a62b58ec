#!/bin/sh
# Starts the Spark Connect server in place of this shell, as one JVM: spark-submit
# would run a second one first. Arguments go to SparkSubmit ("--conf k=v").
#   SPARK_HEAP  JVM heap (default 2g)
#   SPARK_CDS   the JVM's class archive option
set -eu
umask 000 # see fs.permissions.umask-mode in spark-defaults.conf
heap=${SPARK_HEAP:-2g}

# Every interface of the container, which the host publishes on loopback only.
set -- --conf spark.connect.grpc.binding.address=0.0.0.0 --conf spark.connect.grpc.binding.port=15002 \
  --conf spark.driver.memory="$heap" --conf spark.sql.warehouse.dir=/tmp/warehouse "$@"

# Delta splits a table's log over 50 tasks unless told otherwise.
set -- --conf spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension \
  --conf spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog \
  --conf spark.databricks.delta.snapshotPartitions=2 "$@"

exec java -Xms256m -Xmx"$heap" -Xss4m \
  -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
  "${SPARK_CDS:--XX:SharedArchiveFile=/opt/spark/spark.jsa}" \
  -Dlog4j2.configurationFile=/opt/spark/conf/log4j2.properties \
  -Dderby.system.home=/tmp/derby \
  @/opt/spark/java.args org.apache.spark.deploy.SparkSubmit \
  --class org.apache.spark.sql.connect.service.SparkConnectServer "$@" spark-internal
