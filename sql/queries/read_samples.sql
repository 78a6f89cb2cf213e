-- Samples of tables, as one JSON document. Called by src/pg/access/catalog with
--   $1 oid[]  the tables
--   $2 text   the catalog that OIDs are of here
-- Row-level security omits those of columns that the current user cannot see. Rows from a dump, or about a table that
-- was dropped and created again, are found by name.
SELECT coalesce(json_agg(json_build_object(
    'table', now.table_oid::int8,
    'is_invented', s.is_invented,
    'columns', now.numbers,
    'values', s.sample_values
) ORDER BY s.id), '[]')::text
FROM text2sql._samples s
CROSS JOIN LATERAL (
    SELECT min(n.object_oid) AS table_oid, array_agg(n.column_number ORDER BY n.place) AS numbers,
           bool_and(n.object_oid IS NOT NULL) AS is_whole
    FROM text2sql._resolve_objects(s.catalog, s.object_names, s.object_oids, s.column_numbers)
         WITH ORDINALITY AS n(object_oid, column_number, place)
) AS now
WHERE (s.catalog = $2 AND s.object_oids && $1
       OR NOT (s.catalog = $2 AND EXISTS (SELECT FROM pg_class c WHERE c.oid = s.object_oids[1])))
  AND now.is_whole AND now.table_oid = ANY ($1)
