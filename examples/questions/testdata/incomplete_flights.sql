-- How many flights left and have no time of arrival, no arrival delay or no air time?
SELECT
  arr_time IS NULL AND arr_delay IS NULL AND air_time IS NULL AS nothing_known,
  count(*) AS flights
FROM flights
WHERE dep_time IS NOT NULL
  AND (arr_time IS NULL OR arr_delay IS NULL OR air_time IS NULL)
GROUP BY arr_time IS NULL AND arr_delay IS NULL AND air_time IS NULL
ORDER BY nothing_known