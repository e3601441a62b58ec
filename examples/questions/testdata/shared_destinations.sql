-- Which places can be reached from all three airports?
SELECT dest
FROM flights
WHERE origin = 'EWR'
INTERSECT
SELECT dest
FROM flights
WHERE origin = 'JFK'
INTERSECT
SELECT dest
FROM flights
WHERE origin = 'LGA'
ORDER BY dest