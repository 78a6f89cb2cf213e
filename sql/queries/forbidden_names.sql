-- Names equal to a word that the current user cannot read: tables in schemas where the user has USAGE, and
-- columns of tables that the user can read in part. Found by index; called by src/pg/access/catalog with
--   $1 text[]  the words
--   $2 oid[]   the tables whose columns count
SELECT coalesce(json_agg(json_build_object(
           'oid', f.oid::int8, 'number', f.number, 'table', f.table_name, 'column', f.column_name)
       ORDER BY f.number, f.table_name), '[]')::text
FROM (
    SELECT c.oid, 0 AS number, quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS table_name,
           NULL AS column_name
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relname = ANY ($1::name[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
      AND c.oid >= 16384
      AND n.nspname NOT LIKE 'pg\_%' AND n.nspname NOT IN ('information_schema', 'text2sql', 'text2sql_eval', 'text2sql_perturbed')
      AND has_schema_privilege(n.oid, 'USAGE')
      AND NOT has_any_column_privilege(c.oid, 'SELECT')
    UNION ALL
    SELECT c.oid, a.attnum, quote_ident(n.nspname) || '.' || quote_ident(c.relname),
           quote_ident(a.attname)
    FROM pg_attribute a
    JOIN pg_class c ON c.oid = a.attrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE a.attrelid = ANY ($2) AND a.attname = ANY ($1::name[]) AND a.attnum > 0 AND NOT a.attisdropped
      AND NOT has_column_privilege(a.attrelid, a.attnum, 'SELECT')
) AS f
