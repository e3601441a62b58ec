WITH t1 AS (
  SELECT
    partsupp.ps_partkey,
    partsupp.ps_suppkey,
    partsupp.ps_availqty,
    partsupp.ps_supplycost,
    partsupp.ps_comment,
    supplier.s_suppkey,
    supplier.s_name,
    supplier.s_address,
    supplier.s_nationkey,
    supplier.s_phone,
    supplier.s_acctbal,
    supplier.s_comment,
    r.n_nationkey,
    r.n_name,
    r.n_regionkey,
    r.n_comment
  FROM partsupp
  JOIN supplier
    ON partsupp.ps_suppkey = supplier.s_suppkey
  JOIN (
    SELECT n_nationkey, n_name, n_regionkey, n_comment
    FROM nation
    WHERE n_name = 'GERMANY'
  ) AS r
    ON supplier.s_nationkey = r.n_nationkey
)
SELECT l.ps_partkey, l.value
FROM (
  SELECT ps_partkey, sum(ps_supplycost * ps_availqty) AS value
  FROM t1
  GROUP BY ps_partkey
) AS l
JOIN (
  SELECT sum(ps_supplycost * ps_availqty) * 0.0001 AS least
  FROM t1
) AS r2
  ON l.value > r2.least
ORDER BY value DESC