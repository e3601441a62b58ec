WITH selected_lineitem AS (
  SELECT l_orderkey, l_suppkey
  FROM lineitem
  WHERE l_receiptdate > l_commitdate
)
SELECT supplier.s_name, count(*) AS numwait
FROM supplier
JOIN selected_lineitem
  ON supplier.s_suppkey = selected_lineitem.l_suppkey
JOIN orders
  ON selected_lineitem.l_orderkey = orders.o_orderkey
JOIN nation
  ON supplier.s_nationkey = nation.n_nationkey
JOIN (
  SELECT l_orderkey AS all_orderkey
  FROM lineitem
  GROUP BY l_orderkey
  HAVING min(l_suppkey) <> max(l_suppkey)
) AS by_l_orderkey
  ON selected_lineitem.l_orderkey = by_l_orderkey.all_orderkey
JOIN (
  SELECT l_orderkey AS late_orderkey
  FROM selected_lineitem
  GROUP BY l_orderkey
  HAVING min(l_suppkey) = max(l_suppkey)
) AS by_l_orderkey_2
  ON selected_lineitem.l_orderkey = by_l_orderkey_2.late_orderkey
WHERE orders.o_orderstatus = 'F'
  AND nation.n_name = 'SAUDI ARABIA'
GROUP BY supplier.s_name
ORDER BY numwait DESC, s_name
LIMIT 100