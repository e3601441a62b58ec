-- Which places can be reached from Newark alone?
SELECT dest
FROM flights
WHERE origin = 'EWR'
EXCEPT
SELECT dest
FROM flights
WHERE origin = 'JFK'
EXCEPT
SELECT dest
FROM flights
WHERE origin = 'LGA'
ORDER BY dest