-- The schema of the extension hypopg, if the current user may call its functions. Called by
-- src/pg/access/execution/hypopg.rs.
SELECT n.nspname::text
FROM pg_extension e
JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
                AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
JOIN pg_proc p ON p.oid = d.objid
JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE e.extname = 'hypopg'
  AND p.proname IN ('hypopg_create_index', 'hypopg_drop_index', 'hypopg_relation_size')
  AND has_schema_privilege(n.oid, 'USAGE')
  AND has_function_privilege(p.oid, 'EXECUTE')
GROUP BY n.nspname
HAVING count(DISTINCT p.proname) = 3
