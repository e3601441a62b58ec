"""Asks a live Spark for the answers to cases.json and writes them to spark-<version>.json.

  SPARK_REMOTE=sc://127.0.0.1:15002 SPOONBILL_DATA=/folder/that/both/see python record.py

Needs pyspark-client (or pyspark) and pyarrow. A value is written as text so that no JSON library can round it: integers and
decimals in digits, doubles as the hex of their bits, time stamps in microseconds, dates in days, binaries in hex; arrays and
structs are lists, maps are lists of pairs.
"""
import decimal, json, os, shutil, struct, sys, warnings

warnings.filterwarnings("ignore")
import pyarrow as pa
from pyspark.sql import SparkSession


def value(arr, i):
    if not arr[i].is_valid:
        return None
    t = arr.type
    if pa.types.is_struct(t):
        return [value(arr.field(k), i) for k in range(t.num_fields)]
    if pa.types.is_map(t):
        a, b = arr.offsets[i].as_py(), arr.offsets[i + 1].as_py()
        return [[value(arr.keys, j), value(arr.items, j)] for j in range(a, b)]
    if pa.types.is_list(t):
        a, b = arr.offsets[i].as_py(), arr.offsets[i + 1].as_py()
        return [value(arr.values, j) for j in range(a, b)]
    if pa.types.is_float64(t):
        return struct.pack(">d", arr[i].as_py()).hex()
    if pa.types.is_float32(t):
        return struct.pack(">f", arr[i].as_py()).hex()
    if pa.types.is_timestamp(t) or pa.types.is_duration(t) or pa.types.is_date32(t):
        return str(arr.cast(pa.int64() if not pa.types.is_date32(t) else pa.int32())[i].as_py())
    if pa.types.is_decimal(t):
        return format(arr[i].as_py(), "f")
    if pa.types.is_binary(t):
        return arr[i].as_py().hex()
    if pa.types.is_boolean(t):
        return "true" if arr[i].as_py() else "false"
    if str(t) == "month_interval":
        return str(arr.cast(pa.int32())[i].as_py())
    return str(arr[i].as_py())


def rows(df):
    table = df.toArrow().combine_chunks()
    cols = [c.chunk(0) if c.num_chunks else None for c in table.columns]
    return [[value(c, i) for c in cols] for i in range(table.num_rows)]


def quote(s):
    return "'" + "".join("\\u%04x" % ord(c) if c in "\\'$" or ord(c) < 32 else c for c in s) + "'"


def answer(fn):
    try:
        return {"rows": fn()}
    except Exception as e:
        name = e.getCondition() if hasattr(e, "getCondition") else None
        return {"error": name or type(e).__name__}


def main():
    spark = SparkSession.builder.remote(os.environ["SPARK_REMOTE"]).getOrCreate()
    data = os.path.join(os.environ["SPOONBILL_DATA"], "json-cases")
    spark.conf.set("spark.sql.variable.substitute", "false")
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "cases.json"), encoding="utf-8") as f:
        cases = json.load(f)
    shutil.rmtree(data, ignore_errors=True)
    os.makedirs(data)
    out = []
    for n, c in enumerate(cases):
        spark.conf.set("spark.sql.session.timeZone", c.get("zone", "UTC"))
        options = c.get("options", {})
        if c["kind"] == "from_json":
            opts = ", map(" + ", ".join(quote(k) + ", " + quote(v) for k, v in options.items()) + ")" if options else ""
            results = []
            for line in c["input"]:
                sql = "SELECT from_json(%s, %s%s) AS v" % (quote(line), quote(c["schema"]), opts)
                r = answer(lambda: [r[0] for r in rows(spark.sql(sql))])
                results.append(r if "error" in r else r["rows"][0])
            out.append({**c, "results": results})
        elif c["kind"] == "read":
            path = os.path.join(data, "%03d.json" % n)
            with open(path, "wb") as f:
                f.write("".join(x + "\n" for x in c["input"]).encode("utf-8"))
            reader = spark.read.schema(c["schema"])
            for k, v in options.items():
                reader = reader.option(k, v)
            out.append({**c, "results": answer(lambda: rows(reader.json(path)))})
        else:
            opts = ", map(" + ", ".join(quote(k) + ", " + quote(v) for k, v in options.items()) + ")" if options else ""
            results = []
            for line in c["input"]:
                sql = "SELECT to_json(from_json(%s, %s)%s) AS v" % (quote(line), quote(c["schema"]), opts)
                r = answer(lambda: [r[0] for r in rows(spark.sql(sql))])
                results.append(r if "error" in r else r["rows"][0])
            out.append({**c, "results": results})
    with open(os.path.join(here, "spark-%s.json" % spark.version), "w", encoding="utf-8") as f:
        f.write("[\n" + ",\n".join(json.dumps(x, ensure_ascii=False) for x in out) + "\n]\n")
    print(len(out), "cases")


main()
