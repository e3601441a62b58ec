-- On which days did flights leave more than an hour late on average?
SELECT month, day, count(*) AS flights, avg(dep_delay) AS mean_delay
FROM flights
GROUP BY month, day
HAVING avg(dep_delay) > 60
ORDER BY month, day