-- Which tables and columns are there, after some came, went and changed their names?
SELECT *
FROM VALUES
  ('table', 'airlines', 'MANAGED'),
  ('column', 'airlines.carrier', 'STRING'),
  ('column', 'airlines.name', 'STRING'),
  ('table', 'places', 'MANAGED'),
  ('column', 'places.faa', 'STRING'),
  ('column', 'places.lat', 'DOUBLE'),
  ('column', 'places.lon', 'DOUBLE'),
  ('nothing', 'carriers', CAST(NULL AS STRING))
  AS found(kind, name, about)
ORDER BY kind, name;
SELECT *
FROM VALUES
  ('table', 'carriers', 'MANAGED'),
  ('column', 'carriers.carrier', 'STRING'),
  ('column', 'carriers.name', 'STRING'),
  ('nothing', 'airlines', CAST(NULL AS STRING))
  AS found(kind, name, about)
ORDER BY kind, name;
SELECT *
FROM VALUES
  ('table', 'seats', 'MANAGED'),
  ('column', 'seats.tailnum', 'STRING'),
  ('column', 'seats.seats', 'INT'),
  ('nothing', 'airlines', CAST(NULL AS STRING)),
  ('nothing', 'carriers', CAST(NULL AS STRING))
  AS found(kind, name, about)
ORDER BY kind, name;
SELECT *
FROM VALUES ('questions_aside', false) AS dropped(database, there)