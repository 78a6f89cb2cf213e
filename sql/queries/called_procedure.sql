-- The statement that creates the procedure of a CALL, NULL if several or none may be meant. Called by
-- src/statement/explanation.rs as the effective role with
--   $1 text   the schema, NULL if the search path decides
--   $2 text   the name
--   $3 int4   number of arguments
--   $4 oid[]  the schemas of the search path
WITH fitting AS (
  SELECT p.oid, CASE WHEN $1 IS NULL THEN array_position($4, n.oid) ELSE 0 END AS place
  FROM pg_proc p
  JOIN pg_namespace n ON n.oid = p.pronamespace
  WHERE p.prokind = 'p'
    AND p.proname = $2
    AND (n.nspname = $1 OR $1 IS NULL AND n.oid = ANY ($4))
    AND $3 BETWEEN p.pronargs - p.pronargdefaults AND p.pronargs
    AND has_schema_privilege(n.oid, 'USAGE')
    AND has_function_privilege(p.oid, 'EXECUTE'))
SELECT CASE WHEN count(*) = 1 THEN min(left(pg_get_functiondef(oid), 1000000)) END
FROM fitting
WHERE place = (SELECT min(place) FROM fitting)
