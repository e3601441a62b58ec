-- What does a view say that others can read, before and after it is put right?
SELECT *
FROM spark_catalog.nyc.by_origin
ORDER BY origin;
SELECT *
FROM spark_catalog.nyc.by_origin
ORDER BY origin