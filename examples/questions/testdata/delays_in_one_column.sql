-- How do delays at departure and at arrival compare by airport?
SELECT origin, pair.at, avg(pair.minutes) AS mean, max(pair.minutes) AS most
FROM (
  SELECT
    origin,
    explode(array(
      named_struct('at', 'dep', 'minutes', dep_delay),
      named_struct('at', 'arr', 'minutes', arr_delay)
    )) AS pair
  FROM flights
)
GROUP BY origin, pair.at
ORDER BY origin, at