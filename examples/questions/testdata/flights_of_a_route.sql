-- Which flights of a given route were later than a given bound?
SELECT time_hour, carrier, flight, dep_delay
FROM flights
WHERE origin = :origin
  AND dest = :dest
  AND dep_delay > :minutes
ORDER BY dep_delay DESC, time_hour, carrier, flight