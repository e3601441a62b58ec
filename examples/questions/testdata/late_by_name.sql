-- Which airline had most late flights, if late is first an hour and then two?
SELECT /*+ BROADCAST(airlines) */ airlines.name, count(*) AS count
FROM late_flights
JOIN airlines
  ON late_flights.carrier = airlines.carrier
GROUP BY airlines.name
ORDER BY count DESC, name
LIMIT 3;
SELECT /*+ BROADCAST(airlines) */ airlines.name, count(*) AS count
FROM late_flights
JOIN airlines
  ON late_flights.carrier = airlines.carrier
GROUP BY airlines.name
ORDER BY count DESC, name
LIMIT 3