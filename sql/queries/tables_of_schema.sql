-- OIDs of the tables of the schema with OID $1 int8 that the current user can read, as one JSON array. Called
-- by src/pg/stored/teaching/mod.rs.
SELECT coalesce(json_agg(c.oid::int8 ORDER BY c.relname), '[]')::text
FROM pg_class c
WHERE c.relnamespace = $1::oid AND c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition
  AND has_schema_privilege(c.relnamespace, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
