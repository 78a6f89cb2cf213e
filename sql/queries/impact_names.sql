-- The names of relations, columns and functions, as one JSON array in their order. Called by src/impact/bodies.rs with
--   $1 bool[]  whether it is a function
--   $2 oid[]   OIDs
--   $3 int4[]  column numbers; 0: the object as a whole
--   $4 oid[]   the caller's search_path
SELECT coalesce(json_agg(CASE WHEN named.name IS NOT NULL THEN json_build_object(
           'schema', n.nspname, 'name', named.name, 'column', a.attname,
           'is_on_path', n.oid = ANY ($4) AND NOT EXISTS (
               -- The first schema of the path that has the name is meant.
               SELECT FROM unnest($4) WITH ORDINALITY AS path(oid, place)
               JOIN pg_class other ON NOT given.is_function AND other.relnamespace = path.oid AND other.relname = named.name
               WHERE path.place < array_position($4, n.oid))) END ORDER BY given.place), '[]')::text
FROM unnest($1, $2, $3) WITH ORDINALITY AS given(is_function, oid, number, place)
LEFT JOIN pg_class c ON NOT given.is_function AND c.oid = given.oid
LEFT JOIN pg_proc p ON given.is_function AND p.oid = given.oid
CROSS JOIN LATERAL (SELECT coalesce(c.relname, p.proname)::text AS name, coalesce(c.relnamespace, p.pronamespace) AS schema) AS named
LEFT JOIN pg_namespace n ON n.oid = named.schema
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = given.number AND given.number > 0
