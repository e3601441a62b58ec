-- How many flights were there, months down and airports across?
SELECT
  month,
  coalesce(count(flight) FILTER (WHERE origin = 'EWR'), 0) AS EWR,
  coalesce(count(flight) FILTER (WHERE origin = 'JFK'), 0) AS JFK,
  coalesce(count(flight) FILTER (WHERE origin = 'LGA'), 0) AS LGA
FROM flights
GROUP BY month
ORDER BY month