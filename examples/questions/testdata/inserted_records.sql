-- Which were the longest delays, by a table of records that is declared first and filled in several ways?
SELECT *
FROM spark_catalog.nyc.records
ORDER BY kind;
SELECT *
FROM spark_catalog.nyc.records
ORDER BY kind