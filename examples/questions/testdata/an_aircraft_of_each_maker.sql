-- What is the oldest plane of each maker that flew?
SELECT distinct_planes.manufacturer, planes.year, planes.model, planes.tailnum
FROM (
  SELECT DISTINCT planes.manufacturer
  FROM planes
  LEFT SEMI JOIN flights
    ON planes.tailnum = flights.tailnum
) AS distinct_planes
JOIN (
  SELECT
    manufacturer,
    year,
    model,
    tailnum,
    row_number() OVER (PARTITION BY manufacturer ORDER BY year, model, tailnum) AS _row
  FROM planes
  WHERE year IS NOT NULL
) AS planes
  ON distinct_planes.manufacturer = planes.manufacturer AND planes._row = 1
ORDER BY year, manufacturer