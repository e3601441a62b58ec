from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
spark.conf.set("spark.sql.session.timeZone", "UTC")
spark.conf.set("spark.sql.ansi.enabled", "true")
spark.conf.set("spark.sql.variable.substitute", "false")

(
    spark.readStream.format("kafka")
    .option("kafka.bootstrap.servers", "localhost:9092")
    .option("kafka.sasl.jaas.config", "***")
    .option("subscribe", "payment_msg")
    .load()
    .createOrReplaceTempView("payments_raw")
)

spark.sql("""
SELECT payload.*, envelope AS kafka
FROM (
  SELECT from_json(CAST(value AS STRING), 'createTime TIMESTAMP, orderId BIGINT, payAmount DECIMAL(12,2), payPlatform INT, provinceId INT') AS payload, struct(key, topic, partition, offset, timestamp, timestampType) AS envelope
  FROM payments_raw
)
""").createOrReplaceTempView("payments")

spark.table("payments").withWatermark("createTime", "10 seconds").createOrReplaceTempView("payments_watermarked")

spark.sql("""
SELECT
  window(createTime, '1 minute', '30 seconds') AS window,
  provinceId,
  sum(payAmount) AS totalPayAmount
FROM payments_watermarked
GROUP BY window(createTime, '1 minute', '30 seconds'), provinceId
""").createOrReplaceTempView("payments_result")

query = (
    spark.sql("""
SELECT to_json(struct(*)) AS value
FROM payments_result
""")
    .writeStream.format("kafka")
    .outputMode("append")
    .queryName("totals")
    .option("kafka.bootstrap.servers", "localhost:9092")
    .option("topic", "sink")
    .option("checkpointLocation", "ckpt/totals")
    .trigger(availableNow=True)
    .start()
)
query.awaitTermination()
