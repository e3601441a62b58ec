-- How many planes, routes and airlines are there?
SELECT
  total_planes.planes,
  total_routes.routes,
  total_airlines.airlines,
  total_early.early
FROM (
  SELECT count(*) AS planes
  FROM (
    SELECT DISTINCT tailnum
    FROM flights
  )
) AS total_planes
CROSS JOIN (
  SELECT count(*) AS routes
  FROM (
    SELECT DISTINCT origin, dest
    FROM flights
  )
) AS total_routes
CROSS JOIN (
  SELECT count(DISTINCT carrier) AS airlines
  FROM flights
) AS total_airlines
CROSS JOIN (
  SELECT count(*) FILTER (WHERE arr_delay <= 0) AS early
  FROM flights
) AS total_early