-- scalar in a filter
SELECT *
FROM orders
WHERE x > (SELECT avg(v) FROM items)

-- scalar in a projection
SELECT id, k, x, s, (SELECT max(v) FROM items) AS most
FROM orders

-- correlated scalar
SELECT id
FROM orders
WHERE x > (SELECT avg(v) FROM items WHERE k = orders.k)

-- correlated with itself
SELECT id
FROM orders AS outer_orders
WHERE x > (SELECT avg(x) FROM orders WHERE k = outer_orders.k)

-- in
SELECT *
FROM orders
WHERE k IN (SELECT k FROM items)

-- not in
SELECT *
FROM orders
WHERE k NOT IN (SELECT k FROM items)
  AND x > 1

-- in or
SELECT *
FROM orders
WHERE (k IN (SELECT k FROM items) OR x > 1)

-- exists
SELECT *
FROM orders
WHERE EXISTS (SELECT * FROM items WHERE k = orders.k)

-- not exists
SELECT *
FROM orders
WHERE NOT EXISTS (SELECT * FROM items WHERE k = orders.k)

-- exists of a derived table
SELECT id
FROM (
  SELECT id, x
  FROM orders
) AS outer_orders
WHERE EXISTS (SELECT * FROM items WHERE k = outer_orders.x)

-- correlated with a derived table
SELECT k, total
FROM (
  SELECT k, sum(x) AS total
  FROM orders
  GROUP BY k
) AS outer_by_k
WHERE EXISTS (SELECT * FROM items WHERE k = outer_by_k.k AND v < outer_by_k.total)

-- correlated with a join
SELECT orders.id, orders.k, orders.x, orders.s, items.v, items.name
FROM orders
JOIN items
  ON orders.k = items.k
WHERE EXISTS (SELECT * FROM items AS items_2 WHERE items_2.v > items.v)

-- correlated with a join and rows of one name
SELECT id, a
FROM (
  SELECT orders.id, m.a
  FROM orders
  JOIN VALUES (1) AS m(a)
    ON orders.k = m.a
) AS outer_orders_m
WHERE EXISTS (SELECT * FROM VALUES (2) AS m(a) WHERE a = outer_orders_m.a)

-- in having
SELECT k, sum(x) AS total
FROM orders
GROUP BY k
HAVING sum(x) > (SELECT max(v) FROM items)

-- in an aggregate
SELECT k, sum(if(x > (SELECT max(v) FROM items), 1, 0)) AS n
FROM orders
GROUP BY k

-- order by a scalar
SELECT *
FROM orders
ORDER BY x - (SELECT max(v) FROM items)

-- shared with the subquery
WITH selected_orders AS (
  SELECT id, k, x, s
  FROM orders
  WHERE x > 5
)
SELECT *
FROM selected_orders
WHERE x > (SELECT avg(x) FROM selected_orders)

-- two deep
SELECT *
FROM orders AS outer_orders
WHERE EXISTS (SELECT * FROM items WHERE k = outer_orders.k AND EXISTS (SELECT * FROM orders WHERE id = items.v))

-- a column named as the table outside
SELECT *
FROM orders AS outer_orders
WHERE EXISTS (SELECT * FROM x WHERE k = outer_orders.k)

-- values outside
SELECT a
FROM (
  SELECT a
  FROM VALUES (1), (CAST(NULL AS INT)) AS m(a)
) AS outer_m
WHERE a > 0
  AND EXISTS (SELECT * FROM VALUES (1, 2) AS m(a, b) WHERE a = outer_m.a)

-- window and subquery
SELECT id, k, x, s
FROM (
  SELECT id, k, x, s, avg(x) OVER () AS _over_1
  FROM orders
) AS outer_orders
WHERE x > _over_1
  AND EXISTS (SELECT * FROM items WHERE k = outer_orders.k)

-- hostile names
SELECT *
FROM `we``ird` AS `outer`
WHERE EXISTS (SELECT * FROM g WHERE `a``b` = `outer`.`a``b` AND `we``ird` > 0)

-- parameters
SELECT *
FROM orders
WHERE x >= :low
  AND (CAST(:s AS STRING) IS NULL OR s = CAST(:s AS STRING))

-- raw value
SELECT
  id,
  k,
  x,
  s,
  (s || 'it''s
  two') AS t
FROM orders
WHERE (x % 2 = 0 -- even
)

-- raw value over a join
SELECT id, k, x, s, v, name, (x + v + :low) AS sum
FROM (
  SELECT orders.id, orders.k, orders.x, orders.s, items.v, items.name
  FROM orders
  JOIN items
    ON orders.k = items.k
)

-- raw query
SELECT a,
       'two
  lines' AS b
FROM x -- end

-- raw query with tables
WITH selected_orders AS (
  SELECT id, k, x, s
  FROM orders
  WHERE x > 5
)
(
  SELECT k, n
  FROM (
    WITH big AS (
      SELECT id, k, x, s
      FROM selected_orders
    )
    (
    SELECT big.k, count(*) AS n FROM big JOIN items USING (k) GROUP BY 1 -- t1
)
  )
  WHERE n > 1
  ORDER BY k
)
UNION ALL
SELECT k, CAST(x AS BIGINT) AS x
FROM selected_orders

