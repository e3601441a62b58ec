-- How many flights of each airline were in planes of more than 300 seats, and how many in known smaller ones?
WITH selected_flights AS (
  SELECT carrier, tailnum
  FROM flights
  WHERE tailnum IN (SELECT tailnum FROM planes)
),
selected_planes AS (
  SELECT tailnum
  FROM planes
  WHERE seats > 300
)
SELECT by_carrier.carrier, by_carrier.large, by_carrier_2.small
FROM (
  SELECT carrier, count(*) AS large
  FROM selected_flights
  WHERE tailnum IN (SELECT tailnum FROM selected_planes)
  GROUP BY carrier
) AS by_carrier
JOIN (
  SELECT carrier, count(*) AS small
  FROM selected_flights
  WHERE tailnum NOT IN (SELECT tailnum FROM selected_planes)
  GROUP BY carrier
) AS by_carrier_2
  ON by_carrier.carrier = by_carrier_2.carrier
ORDER BY carrier