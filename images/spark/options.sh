#!/bin/sh
# Asks Spark's own launcher for the JVM options that this Spark wants (module
# access and the like) and keeps them in java.args, with a class path of plain
# jar files: a class archive does not work with a folder or "*" on it.
set -eu
cd /opt/spark
java -cp 'jars/*' org.apache.spark.launcher.Main org.apache.spark.deploy.SparkSubmit \
    --class org.apache.spark.sql.connect.service.SparkConnectServer spark-internal |
  tr '\0' '\n' |
  sed -n '/^-Xmx/,/^org\.apache\.spark\.deploy\.SparkSubmit$/{/^-Xmx/d;/^org\./d;p}' > java.args
grep -q '^--add-opens' java.args
printf -- '-cp\n%s\n' "$(printf '%s:' /opt/spark/jars/*.jar | sed 's/:$//')" >> java.args
