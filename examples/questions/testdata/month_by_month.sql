-- What does a table hold that the months come into one by one, some twice and one by mistake?
SELECT month, count(*) AS flights
FROM spark_catalog.nyc.months
GROUP BY month
ORDER BY month;
SELECT month, count(*) AS flights
FROM spark_catalog.nyc.months
GROUP BY month
ORDER BY month