from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
spark.conf.set("spark.sql.session.timeZone", "UTC")
spark.conf.set("spark.sql.ansi.enabled", "true")
spark.conf.set("spark.sql.variable.substitute", "false")

(
    spark.readStream.format("json")
    .schema("id BIGINT, name STRING, at TIMESTAMP, amount DECIMAL(10,2), tags ARRAY<STRING>, info STRUCT<city: STRING, zip: INT>")
    .load("/in")
    .createOrReplaceTempView("people")
)

spark.table("people").withWatermark("at", "1 second").createOrReplaceTempView("people_watermarked")

(
    spark.read.format("json")
    .schema("id BIGINT, name STRING, at TIMESTAMP, amount DECIMAL(10,2), tags ARRAY<STRING>, info STRUCT<city: STRING, zip: INT>")
    .load("/in")
    .createOrReplaceTempView("first")
)

from pyspark.sql.streaming import StatefulProcessor


class Counts(StatefulProcessor):
    pass


(
    spark.table("people_watermarked").groupBy("name")
    .transformWithState(
        Counts(),
        outputStructType="name STRING, at TIMESTAMP, n BIGINT",
        outputMode="update",
        timeMode="EventTime",
        initialState=spark.table("first").groupBy("name"),
        eventTimeColumnName="at",
    )
    .createOrReplaceTempView("people_processed")
)

spark.conf.set("spark.sql.streaming.stateStore.providerClass", "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider")
query = (
    spark.sql("""
SELECT *
FROM people_processed
WHERE n > 1
""")
    .writeStream.format("memory")
    .outputMode("update")
    .queryName("counts")
    .start()
)
query.awaitTermination()
