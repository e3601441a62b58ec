-- How windy was it by month, with a calm where no gust was measured?
SELECT
  month,
  avg(coalesce(wind_gust, 0.0D)) AS mean_gust,
  max(wind_speed) AS strongest,
  avg(temp) AS mean_temp
FROM weather
WHERE wind_speed IS NOT NULL
  AND temp IS NOT NULL
GROUP BY month
ORDER BY month