SELECT
  lineitem.l_shipmode,
  count_if(orders.o_orderpriority IN ('1-URGENT', '2-HIGH')) AS high_line_count,
  count_if(orders.o_orderpriority NOT IN ('1-URGENT', '2-HIGH')) AS low_line_count
FROM orders
JOIN lineitem
  ON orders.o_orderkey = lineitem.l_orderkey
WHERE lineitem.l_shipmode IN ('MAIL', 'SHIP')
  AND lineitem.l_commitdate < lineitem.l_receiptdate
  AND lineitem.l_shipdate < lineitem.l_commitdate
  AND lineitem.l_receiptdate >= DATE'1994-01-01'
  AND lineitem.l_receiptdate < DATE'1995-01-01'
GROUP BY lineitem.l_shipmode
ORDER BY l_shipmode