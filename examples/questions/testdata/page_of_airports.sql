-- Which airports are on a given page of the highest?
SELECT faa, name, alt
FROM airports
ORDER BY alt DESC, faa
LIMIT :size
OFFSET (:page - 1) * :size