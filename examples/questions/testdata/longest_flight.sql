-- Which is the longest flight of each airline?
SELECT carrier, longest.distance, longest.origin, longest.dest
FROM (
  SELECT carrier, max(struct(distance, origin, dest)) AS longest
  FROM flights
  GROUP BY carrier
)
ORDER BY carrier