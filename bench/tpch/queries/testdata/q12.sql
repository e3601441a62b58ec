SELECT
  r.l_shipmode,
  count_if(orders.o_orderpriority IN ('1-URGENT', '2-HIGH')) AS high_line_count,
  count_if(NOT orders.o_orderpriority IN ('1-URGENT', '2-HIGH')) AS low_line_count
FROM orders
JOIN (
  SELECT
    l_orderkey,
    l_partkey,
    l_suppkey,
    l_linenumber,
    l_quantity,
    l_extendedprice,
    l_discount,
    l_tax,
    l_returnflag,
    l_linestatus,
    l_shipdate,
    l_commitdate,
    l_receiptdate,
    l_shipinstruct,
    l_shipmode,
    l_comment
  FROM lineitem
  WHERE l_shipmode IN ('MAIL', 'SHIP')
    AND l_commitdate < l_receiptdate
    AND l_shipdate < l_commitdate
    AND l_receiptdate >= DATE'1994-01-01'
    AND l_receiptdate < DATE'1995-01-01'
) AS r
  ON orders.o_orderkey = r.l_orderkey
GROUP BY r.l_shipmode
ORDER BY l_shipmode