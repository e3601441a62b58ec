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

def each_batch(batch, batch_id):
    spark = batch.sparkSession
    batch = batch.persist()
    try:
        batch.count()
        batch.createOrReplaceTempView("batch")
        spark.sql(f"DECLARE OR REPLACE VARIABLE batch_id BIGINT DEFAULT {int(batch_id)}").collect()
        spark.sql("""
MERGE INTO t USING batch AS b ON t.k = b.k WHEN NOT MATCHED THEN INSERT *
""").collect()
        spark.sql(r"""
INSERT INTO s VALUES (session.batch_id, 'say "x\n"')
""").collect()
    finally:
        batch.unpersist()


query = (
    spark.sql("""
SELECT provinceId
FROM payments
""")
    .writeStream.foreachBatch(each_batch)
    .outputMode("append")
    .queryName("each")
    .start()
)
query.awaitTermination()

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

# A function of the Go program handles each batch. The program finds the view global_temp.spoonbill_batch_<id>, and drops it when it is done.
def each_batch(batch, batch_id):
    import time

    spark = batch.sparkSession
    name = "spoonbill_batch_" + str(batch_id)
    failed = name + "_failed"
    batch = batch.persist()
    try:
        batch.count()
        batch.createOrReplaceGlobalTempView(name)
        until = time.monotonic() + 100
        while spark.catalog.tableExists("global_temp." + name):
            if time.monotonic() > until:
                raise Exception(f"The Go program did not say within 100000 ms that batch {batch_id} is done.")
            time.sleep(0.02)
        if spark.catalog.tableExists("global_temp." + failed):
            raise Exception(spark.table("global_temp." + failed).collect()[0][0])
    finally:
        spark.catalog.dropGlobalTempView(name)
        spark.catalog.dropGlobalTempView(failed)
        batch.unpersist()


query = (
    spark.sql("""
SELECT provinceId
FROM payments
""")
    .writeStream.foreachBatch(each_batch)
    .outputMode("append")
    .queryName("each")
    .start()
)
query.awaitTermination()

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

# A writer of the Go program gets the rows of each batch, as one partition. The program finds the view global_temp.spoonbill_batch_<id>, and drops it when it is done.
def each_batch(batch, batch_id):
    import time

    spark = batch.sparkSession
    name = "spoonbill_batch_" + str(batch_id)
    failed = name + "_failed"
    batch = batch.persist()
    try:
        batch.count()
        batch.createOrReplaceGlobalTempView(name)
        until = time.monotonic() + 610
        while spark.catalog.tableExists("global_temp." + name):
            if time.monotonic() > until:
                raise Exception(f"The Go program did not say within 610000 ms that batch {batch_id} is done.")
            time.sleep(0.02)
        if spark.catalog.tableExists("global_temp." + failed):
            raise Exception(spark.table("global_temp." + failed).collect()[0][0])
    finally:
        spark.catalog.dropGlobalTempView(name)
        spark.catalog.dropGlobalTempView(failed)
        batch.unpersist()


query = (
    spark.sql("""
SELECT provinceId
FROM payments
""")
    .writeStream.foreachBatch(each_batch)
    .outputMode("append")
    .queryName("each")
    .start()
)
query.awaitTermination()

