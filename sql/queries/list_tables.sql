-- The first readable tables by schema and name. Called by src/pg/catalog with $1 bigint: the maximum number.
WITH candidate AS (
    SELECT oid FROM pg_class
    WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT relispartition AND oid >= 16384
      AND relnamespace NOT IN ('text2sql'::regnamespace, 'text2sql_eval'::regnamespace)
), %READABLE%
SELECT coalesce(json_agg(listed.oid::int8 ORDER BY listed.schema_name, listed.name), '[]')::text
FROM (SELECT oid, schema_name, name FROM readable ORDER BY schema_name, name LIMIT $1) AS listed
