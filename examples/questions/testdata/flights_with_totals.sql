-- How many flights has each airline at each airport, with totals?
SELECT
  carrier,
  origin,
  count(*) AS flights,
  grouping(origin) AS all_airports,
  grouping(carrier) AS all_airlines
FROM flights
GROUP BY ROLLUP (carrier, origin)
ORDER BY all_airlines, carrier, all_airports, origin