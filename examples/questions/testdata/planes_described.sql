-- What do the columns of the register hold?
SELECT
  columns.name,
  columns.pos,
  columns.type,
  columns.count,
  columns.nulls,
  columns.unique,
  columns.mean,
  columns.std,
  columns.min,
  columns.p25,
  columns.p50,
  columns.p75,
  columns.max
FROM (
  SELECT explode(columns) AS columns
  FROM (
    SELECT
      array(
        named_struct('name', 'tailnum', 'pos', 0, 'type', 'STRING', 'count', count(*), 'nulls', count(*) - count(tailnum), 'unique', count(DISTINCT tailnum), 'mean', CAST(NULL AS DOUBLE), 'std', CAST(NULL AS DOUBLE), 'min', CAST(NULL AS DOUBLE), 'p25', CAST(NULL AS DOUBLE), 'p50', CAST(NULL AS DOUBLE), 'p75', CAST(NULL AS DOUBLE), 'max', CAST(NULL AS DOUBLE)),
        named_struct('name', 'year', 'pos', 1, 'type', 'INT', 'count', count(*), 'nulls', count(*) - count(year), 'unique', count(DISTINCT year), 'mean', avg(CAST(year AS DOUBLE)), 'std', stddev(CAST(year AS DOUBLE)), 'min', min(CAST(year AS DOUBLE)), 'p25', percentile(CAST(year AS DOUBLE), 0.25D), 'p50', percentile(CAST(year AS DOUBLE), 0.5D), 'p75', percentile(CAST(year AS DOUBLE), 0.75D), 'max', max(CAST(year AS DOUBLE))),
        named_struct('name', 'type', 'pos', 2, 'type', 'STRING', 'count', count(*), 'nulls', count(*) - count(type), 'unique', count(DISTINCT type), 'mean', CAST(NULL AS DOUBLE), 'std', CAST(NULL AS DOUBLE), 'min', CAST(NULL AS DOUBLE), 'p25', CAST(NULL AS DOUBLE), 'p50', CAST(NULL AS DOUBLE), 'p75', CAST(NULL AS DOUBLE), 'max', CAST(NULL AS DOUBLE)),
        named_struct('name', 'manufacturer', 'pos', 3, 'type', 'STRING', 'count', count(*), 'nulls', count(*) - count(manufacturer), 'unique', count(DISTINCT manufacturer), 'mean', CAST(NULL AS DOUBLE), 'std', CAST(NULL AS DOUBLE), 'min', CAST(NULL AS DOUBLE), 'p25', CAST(NULL AS DOUBLE), 'p50', CAST(NULL AS DOUBLE), 'p75', CAST(NULL AS DOUBLE), 'max', CAST(NULL AS DOUBLE)),
        named_struct('name', 'model', 'pos', 4, 'type', 'STRING', 'count', count(*), 'nulls', count(*) - count(model), 'unique', count(DISTINCT model), 'mean', CAST(NULL AS DOUBLE), 'std', CAST(NULL AS DOUBLE), 'min', CAST(NULL AS DOUBLE), 'p25', CAST(NULL AS DOUBLE), 'p50', CAST(NULL AS DOUBLE), 'p75', CAST(NULL AS DOUBLE), 'max', CAST(NULL AS DOUBLE)),
        named_struct('name', 'engines', 'pos', 5, 'type', 'INT', 'count', count(*), 'nulls', count(*) - count(engines), 'unique', count(DISTINCT engines), 'mean', avg(CAST(engines AS DOUBLE)), 'std', stddev(CAST(engines AS DOUBLE)), 'min', min(CAST(engines AS DOUBLE)), 'p25', percentile(CAST(engines AS DOUBLE), 0.25D), 'p50', percentile(CAST(engines AS DOUBLE), 0.5D), 'p75', percentile(CAST(engines AS DOUBLE), 0.75D), 'max', max(CAST(engines AS DOUBLE))),
        named_struct('name', 'seats', 'pos', 6, 'type', 'INT', 'count', count(*), 'nulls', count(*) - count(seats), 'unique', count(DISTINCT seats), 'mean', avg(CAST(seats AS DOUBLE)), 'std', stddev(CAST(seats AS DOUBLE)), 'min', min(CAST(seats AS DOUBLE)), 'p25', percentile(CAST(seats AS DOUBLE), 0.25D), 'p50', percentile(CAST(seats AS DOUBLE), 0.5D), 'p75', percentile(CAST(seats AS DOUBLE), 0.75D), 'max', max(CAST(seats AS DOUBLE))),
        named_struct('name', 'speed', 'pos', 7, 'type', 'INT', 'count', count(*), 'nulls', count(*) - count(speed), 'unique', count(DISTINCT speed), 'mean', avg(CAST(speed AS DOUBLE)), 'std', stddev(CAST(speed AS DOUBLE)), 'min', min(CAST(speed AS DOUBLE)), 'p25', percentile(CAST(speed AS DOUBLE), 0.25D), 'p50', percentile(CAST(speed AS DOUBLE), 0.5D), 'p75', percentile(CAST(speed AS DOUBLE), 0.75D), 'max', max(CAST(speed AS DOUBLE))),
        named_struct('name', 'engine', 'pos', 8, 'type', 'STRING', 'count', count(*), 'nulls', count(*) - count(engine), 'unique', count(DISTINCT engine), 'mean', CAST(NULL AS DOUBLE), 'std', CAST(NULL AS DOUBLE), 'min', CAST(NULL AS DOUBLE), 'p25', CAST(NULL AS DOUBLE), 'p50', CAST(NULL AS DOUBLE), 'p75', CAST(NULL AS DOUBLE), 'max', CAST(NULL AS DOUBLE))
      ) AS columns
    FROM planes
  )
)
ORDER BY pos