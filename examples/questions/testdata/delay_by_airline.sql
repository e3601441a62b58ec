-- How late do the airlines leave, and how many of their flights never do?
SELECT
  airlines.name,
  count(*) AS flights,
  count_if(flights.dep_time IS NULL) AS cancelled,
  avg(flights.dep_delay) AS mean_delay
FROM flights
JOIN airlines
  ON flights.carrier = airlines.carrier
GROUP BY airlines.name
ORDER BY mean_delay DESC, name