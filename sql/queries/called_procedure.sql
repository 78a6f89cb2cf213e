-- The statement that creates the procedure of a CALL, NULL if several or none may be meant. Called by
-- src/statement/explanation.rs as the effective role with
--   $1 text  the schema, NULL if the search path decides
--   $2 text  the name
--   $3 int4  number of arguments
SELECT CASE WHEN count(*) = 1 THEN min(left(pg_get_functiondef(p.oid), 1000000)) END
FROM pg_proc p
JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE p.prokind = 'p'
  AND p.proname = $2
  AND (n.nspname = $1 OR $1 IS NULL AND pg_function_is_visible(p.oid))
  AND $3 BETWEEN p.pronargs - p.pronargdefaults AND p.pronargs
  AND has_schema_privilege(n.oid, 'USAGE')
  AND has_function_privilege(p.oid, 'EXECUTE')
