-- Tables whose names match a pattern, as rows of schema, name and columns with their types. Called by
-- src/pg/access/objects/families.rs with
--   $1 text    the pattern, of LIKE
--   $2 text    the schema; NULL for those of the search path
--   $3 oid[]   the caller's search_path
-- Only tables of which the current user may read something are found.
SELECT n.nspname::text, c.relname::text,
       (SELECT string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum)
        FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname LIKE $1
  AND CASE WHEN $2 IS NULL THEN n.oid = ANY ($3) ELSE n.nspname = $2 END
  AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND NOT c.relispartition
  AND has_schema_privilege(n.oid, 'USAGE')
  AND has_any_column_privilege(c.oid, 'SELECT')
ORDER BY n.nspname, c.relname
