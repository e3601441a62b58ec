-- Which columns of the flights have gaps?
SELECT columns.name, columns.type, columns.nulls, columns.non_nulls
FROM (
  SELECT explode(columns) AS columns
  FROM (
    SELECT
      array(
        named_struct('name', 'year', 'type', 'INT', 'nullable', true, 'nulls', count(*) - count(year), 'non_nulls', count(year), 'null_frac', (count(*) - count(year)) / nullif(count(*), 0L), 'pos', 0),
        named_struct('name', 'month', 'type', 'INT', 'nullable', true, 'nulls', count(*) - count(month), 'non_nulls', count(month), 'null_frac', (count(*) - count(month)) / nullif(count(*), 0L), 'pos', 1),
        named_struct('name', 'day', 'type', 'INT', 'nullable', true, 'nulls', count(*) - count(day), 'non_nulls', count(day), 'null_frac', (count(*) - count(day)) / nullif(count(*), 0L), 'pos', 2),
        named_struct('name', 'dep_time', 'type', 'INT', 'nullable', true, 'nulls', count(*) - count(dep_time), 'non_nulls', count(dep_time), 'null_frac', (count(*) - count(dep_time)) / nullif(count(*), 0L), 'pos', 3),
        named_struct('name', 'sched_dep_time', 'type', 'INT', 'nullable', true, 'nulls', count(*) - count(sched_dep_time), 'non_nulls', count(sched_dep_time), 'null_frac', (count(*) - count(sched_dep_time)) / nullif(count(*), 0L), 'pos', 4),
        named_struct('name', 'dep_delay', 'type', 'INT', 'nullable', true, 'nulls', count(*) - count(dep_delay), 'non_nulls', count(dep_delay), 'null_frac', (count(*) - count(dep_delay)) / nullif(count(*), 0L), 'pos', 5),
        named_struct('name', 'arr_time', 'type', 'INT', 'nullable', true, 'nulls', count(*) - count(arr_time), 'non_nulls', count(arr_time), 'null_frac', (count(*) - count(arr_time)) / nullif(count(*), 0L), 'pos', 6),
        named_struct('name', 'sched_arr_time', 'type', 'INT', 'nullable', true, 'nulls', count(*) - count(sched_arr_time), 'non_nulls', count(sched_arr_time), 'null_frac', (count(*) - count(sched_arr_time)) / nullif(count(*), 0L), 'pos', 7),
        named_struct('name', 'arr_delay', 'type', 'INT', 'nullable', true, 'nulls', count(*) - count(arr_delay), 'non_nulls', count(arr_delay), 'null_frac', (count(*) - count(arr_delay)) / nullif(count(*), 0L), 'pos', 8),
        named_struct('name', 'carrier', 'type', 'STRING', 'nullable', true, 'nulls', count(*) - count(carrier), 'non_nulls', count(carrier), 'null_frac', (count(*) - count(carrier)) / nullif(count(*), 0L), 'pos', 9),
        named_struct('name', 'flight', 'type', 'INT', 'nullable', true, 'nulls', count(*) - count(flight), 'non_nulls', count(flight), 'null_frac', (count(*) - count(flight)) / nullif(count(*), 0L), 'pos', 10),
        named_struct('name', 'tailnum', 'type', 'STRING', 'nullable', true, 'nulls', count(*) - count(tailnum), 'non_nulls', count(tailnum), 'null_frac', (count(*) - count(tailnum)) / nullif(count(*), 0L), 'pos', 11),
        named_struct('name', 'origin', 'type', 'STRING', 'nullable', true, 'nulls', count(*) - count(origin), 'non_nulls', count(origin), 'null_frac', (count(*) - count(origin)) / nullif(count(*), 0L), 'pos', 12),
        named_struct('name', 'dest', 'type', 'STRING', 'nullable', true, 'nulls', count(*) - count(dest), 'non_nulls', count(dest), 'null_frac', (count(*) - count(dest)) / nullif(count(*), 0L), 'pos', 13),
        named_struct('name', 'air_time', 'type', 'INT', 'nullable', true, 'nulls', count(*) - count(air_time), 'non_nulls', count(air_time), 'null_frac', (count(*) - count(air_time)) / nullif(count(*), 0L), 'pos', 14),
        named_struct('name', 'distance', 'type', 'INT', 'nullable', true, 'nulls', count(*) - count(distance), 'non_nulls', count(distance), 'null_frac', (count(*) - count(distance)) / nullif(count(*), 0L), 'pos', 15),
        named_struct('name', 'hour', 'type', 'INT', 'nullable', true, 'nulls', count(*) - count(hour), 'non_nulls', count(hour), 'null_frac', (count(*) - count(hour)) / nullif(count(*), 0L), 'pos', 16),
        named_struct('name', 'minute', 'type', 'INT', 'nullable', true, 'nulls', count(*) - count(minute), 'non_nulls', count(minute), 'null_frac', (count(*) - count(minute)) / nullif(count(*), 0L), 'pos', 17),
        named_struct('name', 'time_hour', 'type', 'TIMESTAMP', 'nullable', true, 'nulls', count(*) - count(time_hour), 'non_nulls', count(time_hour), 'null_frac', (count(*) - count(time_hour)) / nullif(count(*), 0L), 'pos', 18)
      ) AS columns
    FROM flights
  )
)
WHERE columns.nulls > 0
ORDER BY nulls DESC, name