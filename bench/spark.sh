# Sourced by what measures Spark: start_spark FOLDER starts a Spark for measuring, local[2] with 6 GB, in a container that sees the folder, and sets SPARK_REMOTE and
# SPARK_CONTAINER. It is removed when the script ends. Without Docker it says so and sets nothing.
start_spark() {
  local folder=$1 name=spoonbill-bench-$$ images i
  if ! docker version >/dev/null 2>&1; then
    echo "NOT MEASURED: Spark, for Docker does not run."
    return
  fi
  images=$(images/setup.sh)
  eval "$images"
  # shellcheck disable=SC2064
  trap "docker rm -fv $name >/dev/null 2>&1" EXIT
  # The image's own start is for tests: it stops at the first compiler and has a small heap.
  docker run -d --name "$name" -p 127.0.0.1::15002 -v "$folder:$folder:ro" --entrypoint /bin/sh "$SPARK_IMAGE" -c '
    exec java -Xms6g -Xmx6g -Xss4m -Dlog4j2.configurationFile=/opt/spark/conf/log4j2.properties -Dderby.system.home=/tmp/derby \
      @/opt/spark/java.args org.apache.spark.deploy.SparkSubmit --class org.apache.spark.sql.connect.service.SparkConnectServer \
      --conf spark.master="local[2]" --conf spark.driver.memory=6g --conf spark.sql.warehouse.dir=/tmp/warehouse \
      --conf spark.connect.grpc.binding.address=0.0.0.0 --conf spark.connect.grpc.binding.port=15002 spark-internal' >/dev/null
  for ((i = 0; ; i++)); do
    # Not grep -q: it would end before docker has written, and break its pipe.
    if docker logs "$name" 2>&1 | grep 'Spark Connect server started' >/dev/null; then break; fi
    if [ "$i" -gt 600 ] || [ "$(docker inspect -f '{{.State.Running}}' "$name")" != true ]; then
      docker logs --tail 20 "$name" >&2
      exit 1
    fi
    sleep 0.2
  done
  SPARK_REMOTE=sc://$(docker port "$name" 15002/tcp | head -1)
  export SPARK_REMOTE SPARK_CONTAINER=$name
}
