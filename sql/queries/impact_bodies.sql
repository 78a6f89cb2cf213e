-- Functions and procedures whose body is a text that may name an object, as one JSON array. Called by
-- src/impact/bodies.rs as the effective role with
--   $1 text[]  names, in lower case, one of which the body contains
--   $2 oid     the role that called, whose privileges on functions count
--   $3 oid[]   tables: functions of their triggers are returned, whatever they contain
SELECT coalesce(json_agg(json_build_object(
           'function', p.oid::int8, 'object', p.oid::regprocedure::text,
           'kind', CASE p.prokind WHEN 'p' THEN 'procedure' ELSE 'function' END,
           'language', l.lanname, 'body', left(p.prosrc, 1000000),
           -- NULL where the caller's path counts.
           'path', (SELECT split_part(setting, '=', 2) FROM unnest(p.proconfig) AS setting WHERE setting LIKE 'search\_path=%'),
           'triggers', ARRAY(SELECT g.tgrelid::int8 FROM pg_trigger g
                              WHERE g.tgfoid = p.oid AND NOT g.tgisinternal AND g.tgrelid = ANY ($3)),
           'is_visible', (has_schema_privilege(p.pronamespace, 'USAGE') OR has_schema_privilege($2, p.pronamespace, 'USAGE'))
                         AND has_function_privilege($2, p.oid, 'EXECUTE'))
           ORDER BY p.oid), '[]')::text
FROM pg_proc p
JOIN pg_language l ON l.oid = p.prolang
WHERE p.oid >= 16384
  AND p.prosqlbody IS NULL
  AND l.lanname NOT IN ('c', 'internal')
  AND (EXISTS (SELECT FROM unnest($1) AS name WHERE strpos(lower(left(p.prosrc, 1000000)), name) > 0)
       OR EXISTS (SELECT FROM pg_trigger g WHERE g.tgfoid = p.oid AND g.tgrelid = ANY ($3)))
  AND NOT EXISTS (SELECT FROM pg_depend d
                   WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
