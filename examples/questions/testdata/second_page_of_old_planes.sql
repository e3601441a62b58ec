-- Which planes are on the second page of the oldest, ten a page?
SELECT tailnum, year, manufacturer, model
FROM planes
ORDER BY year NULLS LAST, tailnum
LIMIT 10
OFFSET 10