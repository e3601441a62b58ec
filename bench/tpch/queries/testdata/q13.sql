SELECT c_count, count(*) AS custdist
FROM (
  SELECT customer.c_custkey, count(r.o_orderkey) AS c_count
  FROM customer
  LEFT JOIN (
    SELECT
      o_orderkey,
      o_custkey,
      o_orderstatus,
      o_totalprice,
      o_orderdate,
      o_orderpriority,
      o_clerk,
      o_shippriority,
      o_comment
    FROM orders
    WHERE NOT o_comment LIKE '%special%requests%'
  ) AS r
    ON customer.c_custkey = r.o_custkey
  GROUP BY customer.c_custkey
)
GROUP BY c_count
ORDER BY custdist DESC, c_count DESC