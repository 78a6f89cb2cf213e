-- The functions and procedures that a name may mean, as rows of OID and name with arguments. Called by
-- src/impact/target.rs with
--   $1 text    the name, qualified or not, quoted as in SQL
--   $2 text    the types of its arguments as written, without parentheses; NULL: any
--   $3 oid[]   the caller's search_path
--   $4 oid     the caller
SELECT p.oid, p.oid::regprocedure::text
FROM (SELECT parse_ident($1) AS parts) AS given
JOIN pg_proc p ON p.proname = given.parts[cardinality(given.parts)]
JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE cardinality(given.parts) <= 2
  AND CASE cardinality(given.parts)
          WHEN 2 THEN n.nspname = given.parts[1]
          ELSE n.oid = (SELECT path.oid FROM unnest($3) WITH ORDINALITY AS path(oid, place)
                        JOIN pg_proc other ON other.pronamespace = path.oid AND other.proname = given.parts[1]
                        ORDER BY path.place LIMIT 1) END
  AND ($2 IS NULL
       OR replace(pg_get_function_identity_arguments(p.oid), ' ', '') = replace($2, ' ', '')
       OR replace(array_to_string(ARRAY(SELECT t.type::regtype::text FROM unnest(p.proargtypes) AS t(type)), ','), ' ', '') = replace($2, ' ', '')
       OR p.oid = to_regprocedure(format('%I.%I(%s)', n.nspname, p.proname, $2)))
  AND has_schema_privilege($4, n.oid, 'USAGE')
  AND has_function_privilege($4, p.oid, 'EXECUTE')
ORDER BY 2
