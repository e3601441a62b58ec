"""The queries of the training run: one of each kind that the tests open with.

They also prove the image: a connector that is missing fails the build.
"""

from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

spark = SparkSession.builder.remote("sc://127.0.0.1:15002").getOrCreate()

assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
assert spark.sql("SELECT sum(id), max(id % 3) FROM range(10)").collect()[0][0] == 45
assert spark.sql(
    "SELECT a.k, count(*) FROM VALUES (1), (2), (2) AS a(k) JOIN VALUES (2) AS b(k) USING (k) GROUP BY a.k ORDER BY 1"
).collect()[0][1] == 2

# Files, Avro, Delta.
spark.range(3).write.json("/tmp/train/json")
spark.range(3).write.format("avro").save("/tmp/train/avro")
assert spark.read.format("avro").load("/tmp/train/avro").count() == 3
spark.range(3).write.format("delta").save("/tmp/train/delta")
spark.sql("INSERT INTO delta.`/tmp/train/delta` VALUES (7)")
assert spark.read.format("delta").load("/tmp/train/delta").count() == 4

# A stream from files through state into files.
lines = spark.readStream.schema("id BIGINT").json("/tmp/train/json")
query = (
    lines.selectExpr("id", "timestamp_seconds(id + 60) AS at")
    .withWatermark("at", "1 second")
    .dropDuplicates(["id", "at"])
    .writeStream.format("parquet")
    .option("checkpointLocation", "/tmp/train/checkpoint")
    .option("path", "/tmp/train/out")
    .trigger(availableNow=True)
    .start()
)
query.awaitTermination()
assert spark.read.parquet("/tmp/train/out").count() == 3

# The Python workers, and the Kafka connector as far as it goes with no broker.
assert spark.range(3).select(udf(lambda x: x * 2, "bigint")("id")).count() == 3
kafka = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "127.0.0.1:1").option("subscribe", "t")
assert "value" in kafka.load().columns

spark.stop()
