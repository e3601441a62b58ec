-- How many were cancelled by airport and by month, and in all?
SELECT origin, month, count_if(dep_time IS NULL) AS cancelled, grouping_id() AS level
FROM flights
GROUP BY GROUPING SETS ((origin), (month), ())
ORDER BY level, origin, month