SELECT nation, o_year, sum(amount) AS sum_profit
FROM (
  SELECT
    nation.n_name AS nation,
    year(orders.o_orderdate) AS o_year,
    lineitem.l_extendedprice * (1BD - lineitem.l_discount) - partsupp.ps_supplycost * lineitem.l_quantity AS amount
  FROM (
    SELECT
      p_partkey,
      p_name,
      p_mfgr,
      p_brand,
      p_type,
      p_size,
      p_container,
      p_retailprice,
      p_comment
    FROM part
    WHERE contains(p_name, 'green')
  ) AS l
  JOIN lineitem
    ON l.p_partkey = lineitem.l_partkey
  JOIN supplier
    ON lineitem.l_suppkey = supplier.s_suppkey
  JOIN partsupp
    ON lineitem.l_suppkey = partsupp.ps_suppkey AND lineitem.l_partkey = partsupp.ps_partkey
  JOIN orders
    ON lineitem.l_orderkey = orders.o_orderkey
  JOIN nation
    ON supplier.s_nationkey = nation.n_nationkey
)
GROUP BY nation, o_year
ORDER BY nation, o_year DESC