-- repartition
SELECT /*+ REPARTITION(8, c, `a b`) */ *
FROM db.a;

-- a part of the columns
SELECT id
FROM (
  SELECT /*+ REPARTITION(8, c) */ *
  FROM db.a
  WHERE id > 1
);

-- by range
SELECT /*+ REPARTITION_BY_RANGE(3, id) */ *
FROM db.a
ORDER BY id
LIMIT 2;

-- coalesce
SELECT /*+ COALESCE(1) */ *
FROM (
  SELECT id, c, `a b`
  FROM db.a
  ORDER BY id
);

-- broadcast
SELECT /*+ BROADCAST(`b x`) */ a.id
FROM db.a
JOIN db.`b x`
  ON a.id = `b x`.id;

-- broadcast of a filtered table
SELECT /*+ BROADCAST(`b x`) */ a.id, count(*) AS n
FROM db.a
JOIN db.`b x`
  ON a.id = `b x`.id
WHERE `b x`.id > 2
GROUP BY a.id;

-- through an aggregation
SELECT /*+ REPARTITION(2), MERGE(a), BROADCAST(by_id) */ a.id, a.c, a.`a b`, by_id.n
FROM db.a
JOIN (
  SELECT id, count(*) AS n
  FROM db.`b x`
  GROUP BY id
) AS by_id
  ON a.id = by_id.id;

-- of a join
SELECT /*+ BROADCAST(a), SHUFFLE_HASH(`b x`) */ a.id
FROM (
  SELECT a.id
  FROM db.a
  JOIN db.`b x`
    ON a.id = `b x`.id
) AS a
JOIN db.`b x`
  ON a.id = `b x`.id;

-- of no join
SELECT *
FROM db.a;

-- in a union
SELECT DISTINCT id, c, `a b`
FROM (
  SELECT /*+ REPARTITION */ *
  FROM (
    SELECT /*+ REPARTITION(2) */ *
    FROM db.a
    UNION ALL
    SELECT /*+ REBALANCE(3) */ *
    FROM db.`b x`
  )
);

-- a version
SELECT *
FROM db.`b x` VERSION AS OF 3
WHERE id > 1;

-- two versions
SELECT `b x`.id AS id
FROM db.`b x` VERSION AS OF 3
JOIN db.`b x` TIMESTAMP AS OF TIMESTAMP'1970-01-01 00:00:00.000001Z' AS `b x_2`
  ON `b x`.id = `b x_2`.id;

