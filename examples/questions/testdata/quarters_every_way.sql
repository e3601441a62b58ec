-- How many flights are there by airport, by quarter and by both?
SELECT origin, quarter(time_hour) AS quarter, count(*) AS flights
FROM flights
GROUP BY CUBE (origin, quarter(time_hour))
ORDER BY origin NULLS LAST, quarter NULLS LAST