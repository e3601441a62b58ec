# The flights question on DuckDB, asked again for each line of the input: "csv" or "parquet". Answers with a line of JSON: wall and CPU
# seconds, and the rows on the word "rows" before it. Arguments: the folder of CSV files, that of Parquet files, the airlines, threads.
import json
import resource
import sys
import time

import duckdb

csv, parquet, airlines, threads = sys.argv[1:5]
con = duckdb.connect(config={"threads": int(threads)})
ints = ["year", "month", "day", "dep_time", "sched_dep_time", "dep_delay", "arr_time", "sched_arr_time", "arr_delay", "flight", "air_time", "distance", "hour", "minute"]
order = ["year", "month", "day", "dep_time", "sched_dep_time", "dep_delay", "arr_time", "sched_arr_time", "arr_delay", "carrier", "flight",
         "tailnum", "origin", "dest", "air_time", "distance", "hour", "minute", "time_hour"]
types = {c: "INTEGER" if c in ints else "TIMESTAMP" if c == "time_hour" else "VARCHAR" for c in order}
columns = "{" + ", ".join(f"'{c}': '{t}'" for c, t in types.items()) + "}"
sources = {
    "csv": f"read_csv('{csv}/*.csv', header = true, nullstr = 'NA', columns = {columns}, auto_detect = false, delim = ',')",
    "parquet": f"read_parquet('{parquet}/*.parquet')",
}
question = """
SELECT strftime(d, '%Y-%m'), CAST(d AS VARCHAR), f.carrier, a.name, departures, cancelled, mean_delay, max_delay
FROM (SELECT CAST(CAST(time_hour AS TIMESTAMP) AS DATE) AS d, carrier, count(*) AS departures, count(*) FILTER (dep_time IS NULL) AS cancelled,
             avg(dep_delay) AS mean_delay, max(dep_delay) AS max_delay
      FROM {source} GROUP BY ALL) f
JOIN read_csv('{airlines}', header = true, columns = {{'carrier': 'VARCHAR', 'name': 'VARCHAR'}}, auto_detect = false, delim = ',') a ON f.carrier = a.carrier
"""


def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime


print(json.dumps({"version": duckdb.__version__}), flush=True)
for line in sys.stdin:
    words = line.split()
    sql = question.format(source=sources[words[-1]], airlines=airlines)
    wall, used = time.perf_counter(), cpu()
    rows = con.execute(sql).fetchall()
    answer = {"wall": time.perf_counter() - wall, "cpu": cpu() - used, "count": len(rows)}
    if words[0] == "rows":
        answer["rows"] = sorted("|".join("NULL" if v is None else format(v, ".17g") if isinstance(v, float) else str(v) for v in r) for r in rows)
    print(json.dumps(answer), flush=True)
