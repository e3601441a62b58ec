-- map, filter and sort
SELECT
  transform(a, x -> x + 1) AS plus,
  filter(a, (x, i) -> x > i AND x < 5) AS `some`,
  array_sort(a, (x, y) -> y - x) AS down
FROM lists;

-- a column called as the parameter
SELECT
  transform(a, x2 -> x2 + x) AS sum,
  transform(a, (x, i2) -> x * i2 + I) AS scaled
FROM lists;

-- a field called as the parameter
SELECT aggregate(a, 0, (acc, x) -> acc + st.acc) AS folded
FROM lists;

-- functions within functions
SELECT transform(deep, x2 -> transform(x2, x -> x + size(x2))) AS r
FROM lists;

-- a table called as the parameter
SELECT transform(x.a, x -> x + y.n) AS r
FROM x
JOIN y
  ON x.id = y.id;

-- a computed column in a body
SELECT transform(a, x2 -> x2 + x * 2) AS r
FROM lists;

-- maps
SELECT
  map_filter(m, (k, v) -> v > 1) AS `some`,
  CASE
    WHEN map_contains_key(m, 'k') THEN element_at(m, 'k')
    WHEN NOT map_contains_key(m, 'k') THEN 0
  END AS k,
  map_zip_with(m, m, (k, v1, v2) -> v1 + v2) AS sums
FROM lists;

-- fields of elements
SELECT transform(`a b`, x -> x.`select`) AS r
FROM lists;

-- zipped by name
SELECT arrays_zip(a, `a b`, array(1)) AS r
FROM lists;

-- zipped by the name of a computed column
SELECT arrays_zip(a, b) AS r
FROM (
  SELECT a, transform(a, x -> x + 1) AS b
  FROM lists
);

-- methods of arrays
SELECT
  get(a, 0) AS first,
  try_element_at(a, -1) AS last,
  if(x < 0, try_element_at(a, x), get(a, x)) AS at,
  array_position(a, 3) - 1 AS index,
  flatten(array_repeat(a, 2)) AS twice,
  zip_with(a, a, (x, y) -> named_struct('f1', x, 'f2', y)) AS pairs
FROM lists;

