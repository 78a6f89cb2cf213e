-- Readable tables in no particular order, to be counted. Called by src/pg/access/catalog with $1 bigint: where to
-- stop.
WITH candidate AS (
    SELECT oid FROM pg_class
    WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT relispartition AND oid >= 16384
      AND relnamespace NOT IN ('text2sql'::regnamespace, 'text2sql_eval'::regnamespace)
), %READABLE%
SELECT coalesce(json_agg(counted.oid::int8), '[]')::text FROM (SELECT oid FROM readable LIMIT $1) AS counted
