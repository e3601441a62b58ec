-- Which flights were in the air half as long again as is usual on their route?
SELECT carrier, flight, origin, dest, time_hour, air_time
FROM flights AS outer_flights
WHERE air_time > (SELECT avg(air_time) FROM flights WHERE origin = outer_flights.origin AND dest = outer_flights.dest) * 1.5D
ORDER BY time_hour, carrier, flight
LIMIT 20