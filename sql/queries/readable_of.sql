-- Those of the tables $1 (oid[]) that the current user can read: OID, schema, and the numbers of the columns,
-- NULL for all of them. Run by src/pg/search/search_index/readable_tables.rs as the effective role.
WITH candidate AS (
    SELECT wanted.oid FROM unnest($1) AS wanted(oid)
), %READABLE%
SELECT r.oid, r.schema_oid, CASE WHEN NOT r.reads_every_column THEN ARRAY(
    SELECT a.attnum FROM pg_attribute a
    WHERE a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
      AND has_column_privilege(r.oid, a.attnum, 'SELECT')) END
FROM readable r
