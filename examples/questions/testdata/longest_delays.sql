-- Which were the three longest delays at each airport?
SELECT origin, carrier, flight, time_hour, dep_delay
FROM (
  SELECT
    dep_delay,
    carrier,
    flight,
    origin,
    time_hour,
    row_number() OVER (PARTITION BY origin ORDER BY dep_delay DESC, time_hour, flight, carrier) AS row_number
  FROM flights
)
WHERE row_number <= 3
ORDER BY origin, dep_delay DESC, time_hour, flight, carrier