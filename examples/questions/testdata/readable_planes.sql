-- What does the register say of planes of four engines, in better order and under better names?
SELECT
  manufacturer,
  model,
  tailnum AS TAILNUM,
  year AS built,
  type,
  engines,
  seats,
  speed,
  engine
FROM planes
WHERE engines = 4
ORDER BY TAILNUM