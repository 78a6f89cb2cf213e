-- Views, functions and procedures with the statements that make them, as one JSON array. Called by src/statement/places.rs as
-- the effective role with
--   $1 oid  the role that called, whose privileges on functions count
-- What the caller may not read or execute, what is hidden, and what belongs to an extension is left out.
SELECT coalesce(json_agg(o ORDER BY o.place, o.oid), '[]')::text
FROM (
    SELECT 0 AS place, c.oid::int8 AS oid, CASE c.relkind WHEN 'v' THEN 'view' ELSE 'materialized view' END AS kind,
           c.oid::regclass::text AS object, c.relname::text AS name, left(obj_description(c.oid, 'pg_class'), 4000) AS comment,
           format(CASE c.relkind WHEN 'v' THEN E'CREATE OR REPLACE VIEW %s AS\n%s' ELSE E'CREATE MATERIALIZED VIEW %s AS\n%s' END,
                  c.oid::regclass, rtrim(left(pg_get_viewdef(c.oid), 100001), ';')) AS statement
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('v', 'm')
      AND c.oid >= 16384
      AND n.nspname NOT LIKE 'pg\_%' AND n.nspname NOT IN ('information_schema', 'text2sql', 'text2sql_eval', 'text2sql_perturbed')
      AND has_schema_privilege(n.oid, 'USAGE')
      AND has_table_privilege(c.oid, 'SELECT')
      AND text2sql._is_shown(c.oid)
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
    UNION ALL
    SELECT 1, p.oid::int8, CASE p.prokind WHEN 'p' THEN 'procedure' ELSE 'function' END, p.oid::regprocedure::text,
           p.proname::text, left(obj_description(p.oid, 'pg_proc'), 4000), rtrim(left(pg_get_functiondef(p.oid), 100001), E' \n')
    FROM pg_proc p
    JOIN pg_language l ON l.oid = p.prolang
    JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE p.prokind IN ('f', 'p')
      AND p.oid >= 16384
      AND l.lanname IN ('sql', 'plpgsql')
      AND n.nspname NOT LIKE 'pg\_%' AND n.nspname NOT IN ('information_schema', 'text2sql', 'text2sql_eval')
      AND (has_schema_privilege(n.oid, 'USAGE') OR has_schema_privilege($1, n.oid, 'USAGE'))
      AND has_function_privilege($1, p.oid, 'EXECUTE')
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
) AS o
WHERE length(o.statement) <= 100000
