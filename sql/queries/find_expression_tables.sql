-- Relations that the current user can read and that have columns with the names in $1 text[], those with the
-- largest number first, at most $2 int8, as qualified names. Called by src/pg/stored/teaching/definitions.rs.
SELECT coalesce(json_agg(found.name), '[]')::text
FROM (
    SELECT text2sql._object_name(c.oid, 0::int2) AS name
    FROM pg_attribute a
    JOIN pg_class c ON c.oid = a.attrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE a.attname = ANY ($1::name[]) AND a.attnum > 0 AND NOT a.attisdropped
      AND c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition
      AND n.nspname NOT LIKE 'pg\_%' AND n.nspname NOT IN ('information_schema', 'text2sql', 'text2sql_eval', 'text2sql_perturbed')
      AND has_schema_privilege(n.oid, 'USAGE') AND has_column_privilege(c.oid, a.attnum, 'SELECT')
    GROUP BY c.oid
    ORDER BY count(*) DESC, c.relkind = 'v', text2sql._object_name(c.oid, 0::int2)
    LIMIT $2
) AS found
