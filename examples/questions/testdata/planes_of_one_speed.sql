-- Which pairs of planes of different makers have the same speed and year, unknown ones included?
SELECT planes.tailnum, planes_2.tailnum AS other, planes.year, planes.speed
FROM planes
JOIN planes AS planes_2
  ON planes.speed <=> planes_2.speed
    AND planes.year <=> planes_2.year
    AND planes.engine = planes_2.engine
    AND planes.tailnum < planes_2.tailnum
    AND planes.manufacturer <> planes_2.manufacturer
    AND planes.seats <= 8
ORDER BY tailnum, other
LIMIT 20