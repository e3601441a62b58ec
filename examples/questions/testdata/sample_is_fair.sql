-- Is a tenth of the flights a tenth?
SELECT
  count(*) BETWEEN (SELECT count(*) * 0.08D FROM flights) AND (SELECT count(*) * 0.12D FROM flights) AS fair
FROM flights TABLESAMPLE (10 PERCENT) REPEATABLE (42)