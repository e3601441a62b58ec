"""Has a live Spark write Parquet files, and writes down what it says is in them.

  SPARK_REMOTE=sc://127.0.0.1:15002 SPOONBILL_DATA=/folder/that/both/see python record.py

Needs pyspark-client (or pyspark) and pyarrow. Values are written as text as in ../../json/testdata/record.py.
"""
import json, os, shutil, sys, warnings

warnings.filterwarnings("ignore")
here = os.path.dirname(os.path.abspath(__file__))
source = open(os.path.join(here, "../../json/testdata/record.py"), encoding="utf-8").read()
exec(source[source.index("import decimal") : source.index("def quote(")])

ALL = """
SELECT * FROM VALUES
 (1Y, 2S, 3, 4L, CAST(1.5 AS FLOAT), 2.5D, 1.50BD, CAST(123456789012.345 AS DECIMAL(15,3)), CAST(-12345678901234567890.5 AS DECIMAL(38,10)), true, 'é', X'6162',
  DATE'2024-02-29', TIMESTAMP'2024-02-29 12:34:56.123456', TIMESTAMP_NTZ'2024-02-29 12:34:56.123456', INTERVAL '1 02:03:04.5' DAY TO SECOND,
  array(1, NULL, 3), map('k', array(1.50BD, NULL), 'l', NULL), named_struct('x', 1, 'y', named_struct('z', TIMESTAMP'2024-02-29 00:00:00', 'w', array(named_struct('q', 'v'), NULL)))),
 (-128Y, -32768S, -2147483648, -9223372036854775807L, CAST('NaN' AS FLOAT), CAST('-Infinity' AS DOUBLE), -999.99BD, 0BD, 0BD, false, '', X'',
  DATE'0001-01-01', TIMESTAMP'0001-01-01 00:00:00', TIMESTAMP_NTZ'9999-12-31 23:59:59.999999', INTERVAL '-1 02:03:04' DAY TO SECOND,
  array(), map(), named_struct('x', NULL, 'y', NULL)),
 (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
 (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DATE'1500-03-01', TIMESTAMP'9999-12-31 23:59:59.999999', NULL, NULL, NULL, NULL, NULL)
AS t(t, s, i, l, f, d, de, de2, de3, b, str, bin, dt, ts, ntz, dts, a, m, st)
"""


def main():
    spark = SparkSession.builder.remote(os.environ["SPARK_REMOTE"]).getOrCreate()
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    data = os.path.join(os.environ["SPOONBILL_DATA"], "parquet-cases")
    shutil.rmtree(data, ignore_errors=True)
    os.makedirs(data)
    os.chmod(data, 0o777)
    out = []
    for name, conf in {
        "int96": {"spark.sql.parquet.outputTimestampType": "INT96"},
        "micros": {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS", "spark.sql.parquet.compression.codec": "zstd"},
        "millis": {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MILLIS", "spark.sql.parquet.compression.codec": "gzip"},
        "legacy": {"spark.sql.parquet.writeLegacyFormat": "true", "spark.sql.parquet.outputTimestampType": "INT96"},
    }.items():
        for k, v in conf.items():
            spark.conf.set(k, v)
        path = os.path.join(data, name)
        spark.sql(ALL).coalesce(1).write.parquet(path)
        for k in conf:
            spark.conf.unset(k)
        part = [x for x in os.listdir(path) if x.startswith("part-")]
        shutil.copy(os.path.join(path, part[0]), os.path.join(here, "spark-%s-%s.parquet" % (spark.version, name)))
        df = spark.read.parquet(path)
        ddl = ", ".join("%s %s" % (f.name, f.dataType.simpleString()) for f in df.schema.fields)
        out.append({"name": name, "ddl": ddl, "rows": rows(df)})
    with open(os.path.join(here, "spark-%s.json" % spark.version), "w", encoding="utf-8") as f:
        f.write("[\n" + ",\n".join(json.dumps(x, ensure_ascii=False) for x in out) + "\n]\n")


main()
