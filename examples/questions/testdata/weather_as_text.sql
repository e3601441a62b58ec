-- Which observations of Christmas Eve at LaGuardia are there, as whole numbers?
SELECT
  CAST(hour AS STRING) AS hour,
  CAST(temp AS INT) AS temp,
  CAST(wind_speed AS INT) AS wind_speed,
  pressure,
  TRY_CAST(origin AS INT) AS origin
FROM weather
WHERE month = 12
  AND day = 24
  AND origin = 'LGA'
ORDER BY hour