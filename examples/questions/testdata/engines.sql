-- Which kinds of engines are how common?
SELECT engine, count(*) AS count
FROM planes
GROUP BY engine
ORDER BY count DESC, engine