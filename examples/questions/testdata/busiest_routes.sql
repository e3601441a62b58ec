-- Which ten routes are flown most?
SELECT origin, dest, count(*) AS count
FROM flights
GROUP BY origin, dest
ORDER BY count DESC, origin, dest
LIMIT 10