-- How late did flights leave in the winter months, by a table that was made of them?
SELECT month, count(*) AS flights, avg(dep_delay) AS mean_delay
FROM spark_catalog.nyc.winter
GROUP BY month
ORDER BY month;
SELECT origin, max(dep_delay) AS worst
FROM spark_catalog.nyc.winter
WHERE month = 2
GROUP BY origin
ORDER BY origin