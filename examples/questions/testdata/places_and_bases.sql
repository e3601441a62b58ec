-- Which places are in the timetable at all, as origin or destination?
SELECT place, count(*) AS roles
FROM (
  (
    SELECT origin AS place
    FROM flights
    UNION
    SELECT dest AS place
    FROM flights
  )
  UNION ALL
  SELECT DISTINCT origin AS place
  FROM flights
)
GROUP BY place
ORDER BY roles DESC, place