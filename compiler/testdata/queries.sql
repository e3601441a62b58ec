-- filter and select
SELECT id, upper(name) AS upper
FROM people
WHERE name <> 'x'
  AND (id + 1) * 2 < 10

-- select of select
SELECT id, name AS n
FROM people
WHERE name LIKE 'a%'

-- computed then filtered
SELECT twice
FROM (
  SELECT id, name, at, amount, tags, info, amount * 2 AS twice
  FROM people
)
WHERE twice > 3

-- group and having
SELECT name, sum(amount) AS total, count(*) AS n
FROM people
GROUP BY name
HAVING count(*) > 1
ORDER BY total DESC
LIMIT 3

-- group twice
SELECT n, count(*) AS m
FROM (
  SELECT name, count(*) AS n
  FROM people
  GROUP BY name
)
GROUP BY n

-- group by a constant
SELECT CAST(1 AS INT) AS one, count(*) AS n
FROM people
GROUP BY CAST(1 AS INT)

-- distinct then select
SELECT name
FROM (
  SELECT DISTINCT name, id
  FROM people
)

-- union
SELECT *
FROM (
  SELECT id, name
  FROM people
  UNION ALL
  SELECT id, city
  FROM db.cities
)
WHERE id = 1

-- join
SELECT people.name, r.city, r.`odd name`
FROM people
JOIN db.cities AS r
  ON people.id = r.id

-- left join with a clash
error: AMBIGUOUS_REFERENCE

-- self join
WITH t1 AS (
  SELECT id, name, at, amount, tags, info
  FROM people
  WHERE amount > 100
)
SELECT
  t1.id,
  t1.name,
  t1.at,
  t1.amount,
  t1.tags,
  t1.info,
  r.id AS id_right,
  r.name AS name_right,
  r.at AS at_right,
  r.amount AS amount_right,
  r.tags AS tags_right,
  r.info AS info_right
FROM t1
JOIN t1 AS r
  ON t1.id < r.id

-- shared
WITH t1 AS (
  SELECT id, name, at, amount, tags, info
  FROM people
  WHERE amount > 100
)
SELECT *
FROM t1
UNION ALL
SELECT *
FROM t1
WHERE id > 5

-- unnest
SELECT id, tags
FROM (
  SELECT id, name, at, amount, explode(tags) AS tags, info
  FROM people
)
WHERE tags <> ''

-- aggregate outside Agg
SELECT id, amount / sum(amount) OVER () AS share
FROM people

-- filter by an aggregate
SELECT id, name, at, amount, tags, info
FROM (
  SELECT id, name, at, amount, tags, info, avg(amount) OVER () AS _over_1
  FROM people
)
WHERE amount > _over_1

-- case and if
SELECT
  if(id > 1, name, 'none') AS a,
  CASE WHEN id = 1 THEN 1 WHEN id = 2 THEN 2.5D END AS b
FROM people

-- struct field
SELECT info.city, info.zip AS z
FROM people

-- casts
SELECT CAST(id AS STRING) AS s, TRY_CAST(name AS INT) AS i, CAST(NULL AS DATE) AS d
FROM people

-- functions
SELECT
  substring('abc', 2, 1) AS a,
  to_json(struct(id)) AS j,
  date_trunc('hour', at) AS h,
  name IN ('a', 'b') AS m,
  NOT id BETWEEN 1 AND 2 AS o
FROM people

-- precedence
SELECT
  id - (id - 1) AS a,
  id - 1 - 2 AS b,
  - (- id) AS c,
  (id = 1) = true AS d,
  (id = 1 OR id = 2) AND NOT id IS NULL AS e,
  id * -1 AS f
FROM people

-- window with offset
SELECT
  window(at, '1 hour', '1 hour', '15 minutes') AS window,
  count(*) FILTER (WHERE id > 0) AS n,
  count(DISTINCT name) AS d
FROM people
GROUP BY window(at, '1 hour', '1 hour', '15 minutes')

-- order with nulls
SELECT id, name, at, amount, tags, info
FROM people
ORDER BY name DESC NULLS FIRST, id NULLS LAST

-- values
SELECT *
FROM VALUES
  (1, 'x\'\\\n\u0024{y}', CAST(1.50BD AS DECIMAL(5,2))),
  (CAST(NULL AS INT), '', CAST(NULL AS DECIMAL(5,2)))
  AS m(a, b, c)

-- hostile names
SELECT `a``b` + `select` AS `new
name`, `${z}`
FROM `we``ird`

-- having whose alias is an input column
SELECT b AS k, sum(a) AS b
FROM t
GROUP BY b
HAVING sum(a) > 10
  AND b * 2 < 9

-- having over a key that hides a column
SELECT a % 10 AS a, count(*) AS n
FROM t
GROUP BY a % 10
HAVING a % 10 * 2 > 5

-- table named as an alias
SELECT r.k, r.a, _r.b
FROM r
JOIN (
  SELECT *
  FROM c
  WHERE b > 1
) AS _r
  ON r.k = _r.k

-- table named as a shared expression
WITH t2 AS (
  SELECT k
  FROM c
  WHERE b > 1
)
SELECT *
FROM t2
UNION ALL
SELECT *
FROM t2
UNION ALL
SELECT *
FROM t1

-- source named as a table
SELECT l.id, l.name, cities.city
FROM (
  SELECT id, name
  FROM cities_2
) AS l
JOIN cities
  ON l.id = cities.id

-- column named as its table
SELECT db.orders.orders.id AS x
FROM db.orders

-- columns named as join sides
SELECT a.k, a.b, a.r, _r.v
FROM a
JOIN b AS _r
  ON a.k = _r.k

-- keys of two widths
SELECT a.k, b.v
FROM a
JOIN b
  ON a.k = b.k

-- table named as its struct
SELECT info.info.city
FROM info

-- set operations
(
  (
    SELECT id
    FROM people
    UNION ALL
    SELECT id
    FROM db.cities
  )
  INTERSECT ALL
  SELECT id
  FROM db.cities
  WHERE id > 1
)
EXCEPT
SELECT id
FROM people
EXCEPT
(
  SELECT id
  FROM db.cities
  LIMIT 3
)

-- union distinct
SELECT id, name
FROM people
UNION
SELECT id, city
FROM db.cities
UNION
SELECT id, upper(city) AS u
FROM db.cities

-- set operation then filter
SELECT *
FROM (
  SELECT id
  FROM people
  EXCEPT
  SELECT id
  FROM db.cities
)
WHERE id > 3

-- having without a column
SELECT name, max(id) AS last
FROM people
GROUP BY name
HAVING count(*) > 1
  AND sum(amount) + 1 < 5

-- having with or
SELECT name, count(*) AS n
FROM people
GROUP BY name
HAVING (count(*) > 1 OR name IS NULL)
ORDER BY n

-- rollup
SELECT name, id % 2 AS odd, count(*) AS n, grouping_id() AS level
FROM people
GROUP BY ROLLUP (name, id % 2)
HAVING grouping(name) = 0

-- cube
SELECT name, id, count(*) AS count
FROM people
GROUP BY CUBE (name, id)

-- grouping sets
SELECT name, id, sum(amount) AS total
FROM people
GROUP BY GROUPING SETS ((name, id), (name))

-- sample
SELECT id, name, at, amount, tags, info
FROM people TABLESAMPLE (10 PERCENT) REPEATABLE (42)
WHERE id > 1

-- sample of a query
SELECT id
FROM (
  SELECT id, name, at, amount, tags, info
  FROM people
  WHERE id > 1
) TABLESAMPLE (7.5 PERCENT)

-- sample of a join side
SELECT l.name, r.city
FROM (
  SELECT id, name, at, amount, tags, info
  FROM people TABLESAMPLE (100 PERCENT) REPEATABLE (3)
) AS l
JOIN db.cities AS r
  ON l.id = r.id

-- limit computed
SELECT id, name, at, amount, tags, info
FROM people
LIMIT 2 * 3
OFFSET 4

-- offset alone
SELECT id, name, at, amount, tags, info
FROM people
OFFSET 4

-- pivot longer
SELECT id, pair.name, pair.value
FROM (
  SELECT
    id,
    explode(array(named_struct('name', 'a', 'value', CAST(a AS DECIMAL(12,2))), named_struct('name', 'b', 'value', b))) AS pair
  FROM (
    SELECT id, amount AS a, amount * 2 AS b
    FROM people
  )
)

-- pivot wider
SELECT
  id,
  coalesce(sum(amount) FILTER (WHERE name = 'x'), 0) AS x,
  coalesce(sum(amount) FILTER (WHERE name = 'it\'s'), 0) AS `it's`,
  coalesce(sum(amount) FILTER (WHERE name IS NULL), 0) AS `null`
FROM people
GROUP BY id

-- unnest with position
SELECT id, i, element AS tags
FROM people
LATERAL VIEW posexplode(tags) u AS i, element
WHERE i > 0

-- unnest a computed array outer
SELECT id, _element AS u, element
FROM (
  SELECT id, split(name, ' ') AS u
  FROM people
)
LATERAL VIEW OUTER posexplode(u) _u AS element, _element

-- unnest a computed array
SELECT id, explode(split(name, ' ')) AS words
FROM people

-- unpack
SELECT id, info.city, info.zip
FROM people

-- fill and drop null
SELECT id, name
FROM (
  SELECT id, coalesce(name, 'none') AS name, at, amount, tags, info
  FROM people
)
WHERE amount IS NOT NULL
  AND at IS NOT NULL
  AND (id IS NOT NULL OR tags IS NOT NULL)

-- info
SELECT
  columns.name,
  columns.type,
  columns.nullable,
  columns.nulls,
  columns.non_nulls,
  columns.null_frac,
  columns.pos
FROM (
  SELECT explode(columns) AS columns
  FROM (
    SELECT
      array(named_struct('name', 'id', 'type', 'BIGINT', 'nullable', true, 'nulls', count(*) - count(id), 'non_nulls', count(id), 'null_frac', (count(*) - count(id)) / nullif(count(*), 0L), 'pos', 0), named_struct('name', 'name', 'type', 'STRING', 'nullable', true, 'nulls', count(*) - count(name), 'non_nulls', count(name), 'null_frac', (count(*) - count(name)) / nullif(count(*), 0L), 'pos', 1)) AS columns
    FROM people
  )
)

-- value counts and top
SELECT name, count(*) AS count
FROM people
GROUP BY name
ORDER BY count DESC, name
LIMIT 3

-- across and if any
SELECT name, abs(id) AS id_size, abs(amount) AS amount_size
FROM people
WHERE (id < 0 OR amount < 0)

-- name that is the text
SELECT id + 1 AS `id + 1`
FROM people

