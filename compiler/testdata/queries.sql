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
SELECT amount * 2 AS twice
FROM people
WHERE amount * 2 > 3

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
  SELECT count(*) AS n
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
SELECT id, name
FROM (
  SELECT id, name
  FROM people
  UNION ALL
  SELECT id, city
  FROM db.cities
)
WHERE id = 1

-- join
SELECT people.name, cities.city, cities.`odd name`
FROM people
JOIN db.cities
  ON people.id = cities.id

-- left join with a clash
error: AMBIGUOUS_REFERENCE

-- self join
SELECT
  people.id,
  people.name,
  people.at,
  people.amount,
  people.tags,
  people.info,
  people_2.id AS id_right,
  people_2.name AS name_right,
  people_2.at AS at_right,
  people_2.amount AS amount_right,
  people_2.tags AS tags_right,
  people_2.info AS info_right
FROM people
JOIN people AS people_2
  ON people.id < people_2.id
WHERE people.amount > 100
  AND people_2.amount > 100

-- shared
WITH selected_people AS (
  SELECT id, name, at, amount, tags, info
  FROM people
  WHERE amount > 100
)
SELECT id, name, at, amount, tags, info
FROM selected_people
UNION ALL
SELECT id, name, at, amount, tags, info
FROM selected_people
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
  SELECT id, name, at, amount, tags, info, avg(amount) OVER () AS avg
  FROM people
)
WHERE amount > avg

-- window functions
SELECT
  id,
  row_number() OVER (PARTITION BY name ORDER BY at DESC) AS number,
  lag(amount, 1, 0) OVER w AS before,
  last(name) IGNORE NULLS OVER w AS name
FROM people
WINDOW w AS (ORDER BY id)

-- frames
SELECT
  sum(amount) OVER (ORDER BY id ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS rows,
  avg(amount) OVER (ORDER BY at RANGE BETWEEN INTERVAL '0 01:30:00' DAY TO SECOND PRECEDING AND INTERVAL '0 00:00:00' DAY TO SECOND FOLLOWING) AS range,
  max(amount) OVER (ORDER BY amount DESC RANGE BETWEEN 2.5 PRECEDING AND UNBOUNDED FOLLOWING) AS `values`,
  min(amount) OVER (ORDER BY at RANGE BETWEEN INTERVAL '0-1' YEAR TO MONTH PRECEDING AND CURRENT ROW) AS month,
  sum(amount) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS running,
  sum(amount) OVER (ORDER BY id) AS default,
  sum(amount) OVER () AS `all`
FROM people

-- named windows
SELECT
  id,
  sum(amount) OVER w AS sum,
  rank() OVER w AS rank,
  max(amount) OVER w2 AS max,
  min(amount) OVER w2 AS min
FROM people
WINDOW w AS (PARTITION BY name ORDER BY at),
  w2 AS (PARTITION BY name ORDER BY at ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)

-- best of each group
SELECT name, amount
FROM (
  SELECT
    id,
    name,
    amount,
    row_number() OVER (PARTITION BY name ORDER BY amount DESC, id) AS row_number
  FROM people
)
WHERE row_number <= 3

-- filter by two windows
SELECT id, name, at, amount, tags, info
FROM (
  SELECT
    id,
    name,
    at,
    amount,
    tags,
    info,
    rank() OVER (PARTITION BY name ORDER BY amount) AS rank,
    avg(amount) OVER () AS avg
  FROM people
)
WHERE rank <= 2
  AND amount > avg

-- sort by a window
SELECT id
FROM (
  SELECT id, row_number() OVER (PARTITION BY name ORDER BY id) AS sort_key
  FROM people
  ORDER BY sort_key, id
)

-- grouped mutate
SELECT
  id,
  amount - lag(amount) OVER w AS change,
  count(*) FILTER (WHERE amount > 5) OVER w AS n
FROM people
WINDOW w AS (PARTITION BY name ORDER BY at)

-- window in a window
SELECT rank() OVER (ORDER BY sum(amount) OVER (PARTITION BY name)) AS rank
FROM people

-- distinct on
SELECT id, name
FROM (
  SELECT
    id,
    name,
    at,
    row_number() OVER (PARTITION BY name ORDER BY at DESC) AS row_number
  FROM people
)
WHERE row_number = 1

-- distinct on without an order
SELECT id, name
FROM (
  SELECT
    id,
    name,
    row_number() OVER (PARTITION BY name ORDER BY NULL) AS row_number,
    count(*) OVER (PARTITION BY name) AS count
  FROM people
)
WHERE row_number = count

-- alone
SELECT id
FROM (
  SELECT id, name, at, count(*) OVER (PARTITION BY name, at) AS count
  FROM people
)
WHERE count = 1

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
  id NOT BETWEEN 1 AND 2 AS o
FROM people

-- precedence
SELECT
  id - (id - 1) AS a,
  id - 1 - 2 AS b,
  - (- id) AS c,
  (id = 1) = true AS d,
  (id = 1 OR id = 2) AND id IS NOT NULL AS e,
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
SELECT
  `a``b` + `select` AS `new
name`,
  `${z}`
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
SELECT r.k, r.a, c.b
FROM r
JOIN c
  ON r.k = c.k
WHERE c.b > 1

-- table named as a shared expression
WITH selected_c AS (
  SELECT k
  FROM c
  WHERE b > 1
)
SELECT k
FROM selected_c
UNION ALL
SELECT k
FROM selected_c
UNION ALL
SELECT k
FROM t1

-- source named as a table
SELECT cities_2.id, cities_2.name, cities.city
FROM cities_2
JOIN cities
  ON cities_2.id = cities.id

-- column named as its table
SELECT db.orders.orders.id AS x
FROM db.orders

-- columns named as join sides
SELECT a.k, a.b, a.r, b_2.v
FROM a
JOIN b AS b_2
  ON a.k = b_2.k

-- keys of two widths
SELECT a.k, b.v
FROM a
JOIN b
  ON a.k = b.k

-- right join
SELECT people.id, people.name, cities.id AS id_right, cities.city, cities.`odd name`
FROM people
RIGHT JOIN db.cities
  ON people.id = cities.id

-- outer join
SELECT people.id, people.name, cities.id AS id_right, cities.city, cities.`odd name`
FROM people
FULL JOIN db.cities
  ON people.id = cities.id

-- semi join then filter
SELECT people.id
FROM people
LEFT SEMI JOIN db.cities
  ON people.id = cities.id
WHERE people.amount > 1

-- anti join
SELECT people.id, people.name
FROM people
LEFT ANTI JOIN db.cities
  ON people.id = cities.id AND cities.city IS NOT NULL

-- cross join
SELECT people.id AS id_l, cities.id AS id_r, cities.city, cities.`odd name`
FROM people
CROSS JOIN db.cities

-- null-safe join
SELECT people.id, people.name, cities.city, cities.`odd name`
FROM people
JOIN db.cities
  ON people.id <=> cities.id

-- any join
SELECT people.id, people.name, cities.city, cities.`odd name`
FROM people
JOIN (
  SELECT
    id,
    city,
    `odd name`,
    row_number() OVER (PARTITION BY id ORDER BY city, `odd name`) AS _row
  FROM db.cities
  WHERE city IS NOT NULL
) AS cities
  ON people.id = cities.id AND cities._row = 1

-- any left join on an expression
SELECT people.id, people_2.name AS partner
FROM people
LEFT JOIN (
  SELECT
    id,
    name,
    at,
    amount,
    tags,
    info,
    row_number() OVER (PARTITION BY id % 7 ORDER BY id, name, at, amount, tags, info) AS _row
  FROM people
) AS people_2
  ON people.id = people_2.id % 7 AND people.name IS NOT NULL AND people_2._row = 1

-- chain of joins
SELECT people.name, cities.city, lands.land
FROM people
JOIN db.cities
  ON people.id = cities.id
LEFT JOIN db.lands
  ON cities.city = lands.city
LEFT SEMI JOIN people AS people_2
  ON people.id = people_2.id
WHERE lands.land <> 'x'

-- chain with a filter between
SELECT people.name, lands.land
FROM people
JOIN db.cities
  ON people.id = cities.id
JOIN db.lands
  ON cities.city = lands.city
WHERE people.amount > 3

-- chain that cannot go on after a filter
SELECT people_cities.name, people_cities.city, lands.city AS city_right, lands.land
FROM (
  SELECT people.name, cities.city
  FROM people
  JOIN db.cities
    ON people.id = cities.id
  WHERE people.name <> 'x'
) AS people_cities
RIGHT JOIN db.lands
  ON people_cities.city = lands.city

-- right join of filtered sides
SELECT people.name, cities.city
FROM people
RIGHT JOIN db.cities
  ON people.id = cities.id AND people.id > 1
WHERE cities.city <> 'x'

-- outer join of a filtered side
SELECT people.name, cities.city
FROM (
  SELECT id, name
  FROM people
  WHERE id > 1
) AS people
FULL JOIN db.cities
  ON people.id = cities.id

-- constants and long columns stay below
SELECT one + amount AS a, upper(long) AS b, lower(long) AS c
FROM (
  SELECT amount, 1 AS one, concat(name, ', known as ', name, ' since ever') AS long
  FROM people
)

-- order and limit, then a choice
SELECT name
FROM people
ORDER BY at DESC, id
LIMIT 3

-- join of a join
SELECT
  people.id,
  people.name,
  cities_lands.city,
  cities_lands.`odd name`,
  cities_lands.land
FROM people
JOIN (
  SELECT cities.id, cities.city, cities.`odd name`, lands.land
  FROM db.cities
  JOIN db.lands
    ON cities.city = lands.city
) AS cities_lands
  ON people.id = cities_lands.id

-- as-of join
SELECT l.sym, l.at, r.bid
FROM (
  SELECT
    l,
    last_value(r) IGNORE NULLS OVER (
      PARTITION BY key1 ORDER BY time, side, r
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS r
  FROM (
    SELECT at AS time, sym AS key1, 1 AS side, struct(sym, at, qty) AS l, NULL AS r
    FROM trades
    UNION ALL
    SELECT at AS time, sym AS key1, 0 AS side, NULL AS l, struct(sym, at, bid) AS r
    FROM quotes
    WHERE at IS NOT NULL
      AND sym IS NOT NULL
  )
)
WHERE l IS NOT NULL
  AND l.qty > 1

-- as-of join to the nearest within a bound
SELECT l.sym, l.at, l.qty, r.at AS at_right, r.`the bid`, r.m
FROM (
  SELECT
    l,
    CASE
      WHEN unix_micros(time) - unix_micros(before.at) <= 90000000
        AND (after IS NULL OR unix_micros(time) - unix_micros(before.at) <= unix_micros(after.at) - unix_micros(time))
        THEN before
      WHEN unix_micros(after.at) - unix_micros(time) <= 90000000 THEN after
    END AS r
  FROM (
    SELECT
      l,
      time,
      last_value(r) IGNORE NULLS OVER (
        PARTITION BY key1 ORDER BY time, side, r.sym, r.at, r.`the bid`
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS before,
      last_value(r) IGNORE NULLS OVER (
        PARTITION BY key1 ORDER BY time DESC NULLS FIRST, side, r.sym, r.at, r.`the bid`
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS after
    FROM (
      SELECT at AS time, sym AS key1, 1 AS side, struct(sym, at, qty) AS l, NULL AS r
      FROM trades
      UNION ALL
      SELECT
        at AS time,
        sym AS key1,
        2 AS side,
        NULL AS l,
        struct(sym, at, `the bid`, m) AS r
      FROM quotes
      WHERE at IS NOT NULL
        AND sym IS NOT NULL
    )
  )
  WHERE l IS NOT NULL
)

-- as-of join forward of what is computed
SELECT l.a, l.t, l.twice, r.b, r.t AS t_right
FROM (
  SELECT l, if(if(r.t = time, 0D, r.t - time) <= 0.5D, r, NULL) AS r
  FROM (
    SELECT
      l,
      time,
      last_value(r) IGNORE NULLS OVER (
        ORDER BY time DESC NULLS FIRST, side, r
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS r
    FROM (
      SELECT CAST(t AS DOUBLE) AS time, 1 AS side, struct(a, t, twice) AS l, NULL AS r
      FROM (
        SELECT a, t, a * 2 AS twice
        FROM trades
      )
      UNION ALL
      SELECT t AS time, 2 AS side, NULL AS l, struct(b, t) AS r
      FROM quotes
      WHERE b > 0
        AND t IS NOT NULL
    )
  )
  WHERE l IS NOT NULL
)

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
SELECT id
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
  SELECT id
  FROM people
  WHERE id > 1
) TABLESAMPLE (7.5 PERCENT)

-- sample of a join side
SELECT people.name, cities.city
FROM (
  SELECT id, name
  FROM people TABLESAMPLE (100 PERCENT) REPEATABLE (3)
) AS people
JOIN db.cities
  ON people.id = cities.id

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
    explode(array(
      named_struct('name', 'a', 'value', CAST(amount AS DECIMAL(12,2))),
      named_struct('name', 'b', 'value', amount * 2)
    )) AS pair
  FROM people
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
SELECT id, coalesce(name, 'none') AS name
FROM people
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
      array(
        named_struct('name', 'id', 'type', 'BIGINT', 'nullable', true, 'nulls', count(*) - count(id), 'non_nulls', count(id), 'null_frac', (count(*) - count(id)) / nullif(count(*), 0L), 'pos', 0),
        named_struct('name', 'name', 'type', 'STRING', 'nullable', true, 'nulls', count(*) - count(name), 'non_nulls', count(name), 'null_frac', (count(*) - count(name)) / nullif(count(*), 0L), 'pos', 1)
      ) AS columns
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

