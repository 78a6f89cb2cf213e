-- The readable tables by schema and name, and whether every column of them is readable. Called by
-- src/pg/access/catalog/readable_names.rs with $1 bigint: the maximum number.
WITH candidate AS (
    SELECT oid FROM pg_class
    WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT relispartition AND oid >= 16384
      AND relnamespace NOT IN ('text2sql'::regnamespace, 'text2sql_eval'::regnamespace)
), %READABLE%
SELECT oid, name::text, reads_every_column
FROM readable ORDER BY readable.schema_name, readable.name LIMIT $1
