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
  SELECT *
  FROM db.a
  ORDER BY id
);

-- broadcast
SELECT /*+ BROADCAST(r) */ l.id
FROM db.a AS l
JOIN db.`b x` AS r
  ON l.id = r.id;

-- broadcast of a filtered table
SELECT /*+ BROADCAST(r) */ l.id, count(*) AS n
FROM db.a AS l
JOIN (
  SELECT *
  FROM db.`b x`
  WHERE id > 2
) AS r
  ON l.id = r.id
GROUP BY l.id;

-- through an aggregation
SELECT /*+ REPARTITION(2), MERGE(l), BROADCAST(r) */ l.id, l.c, l.`a b`, r.n
FROM db.a AS l
JOIN (
  SELECT id, count(*) AS n
  FROM db.`b x`
  GROUP BY id
) AS r
  ON l.id = r.id;

-- of a join
SELECT /*+ BROADCAST(l2), SHUFFLE_HASH(r2) */ l2.id
FROM (
  SELECT l.id
  FROM db.a AS l
  JOIN db.`b x` AS r
    ON l.id = r.id
) AS l2
JOIN db.`b x` AS r2
  ON l2.id = r2.id;

-- of no join
SELECT *
FROM db.a;

-- in a union
SELECT DISTINCT *
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
SELECT l.id
FROM db.`b x` VERSION AS OF 3 AS l
JOIN db.`b x` TIMESTAMP AS OF TIMESTAMP'1970-01-01 00:00:00.000001Z' AS r
  ON l.id = r.id;

