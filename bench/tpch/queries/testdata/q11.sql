WITH partsupp_supplier_nation AS (
  SELECT partsupp.ps_partkey, partsupp.ps_availqty, partsupp.ps_supplycost
  FROM partsupp
  JOIN supplier
    ON partsupp.ps_suppkey = supplier.s_suppkey
  JOIN nation
    ON supplier.s_nationkey = nation.n_nationkey
  WHERE nation.n_name = 'GERMANY'
)
SELECT ps_partkey, sum(ps_supplycost * ps_availqty) AS value
FROM partsupp_supplier_nation
GROUP BY ps_partkey
HAVING sum(ps_supplycost * ps_availqty) > (SELECT sum(ps_supplycost * ps_availqty) * 0.0001 FROM partsupp_supplier_nation)
ORDER BY value DESC