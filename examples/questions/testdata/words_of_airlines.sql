-- Which words stand where in the names of airlines?
SELECT carrier, element AS word, place
FROM (
  SELECT carrier, split(name, ' ') AS word
  FROM airlines
)
LATERAL VIEW posexplode(word) u AS place, element
ORDER BY carrier, place