SELECT c_count, count(*) AS custdist
FROM (
  SELECT count(orders.o_orderkey) AS c_count
  FROM customer
  LEFT JOIN orders
    ON customer.c_custkey = orders.o_custkey AND orders.o_comment NOT LIKE '%special%requests%'
  GROUP BY customer.c_custkey
)
GROUP BY c_count
ORDER BY custdist DESC, c_count DESC