-- How many flights of each airline were more than three hours later than the average?
SELECT carrier, count(*) AS flights
FROM flights
WHERE dep_delay > (SELECT avg(dep_delay) FROM flights) + 180
GROUP BY carrier
ORDER BY flights DESC, carrier