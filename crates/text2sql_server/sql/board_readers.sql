-- The roles with whom the caller may share a board of its own: those of the catalog that the caller sees, that may ask, and
-- that hold privileges on the tables of at least one of its answers; how many of the answers; those that the caller is in
-- first. What is behind a view counts as read by it; the guard decides when somebody reads. $1: the board.
SELECT pg_catalog.json_build_object('roles', coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('role', reader.role, 'answers', reader.answers)
                                                          ORDER BY reader.is_own DESC, reader.role), '[]'))::text
  FROM (
    SELECT r.rolname::text AS role, pg_catalog.pg_has_role(r.oid, 'MEMBER') AS is_own, pg_catalog.count(*) AS answers
      FROM text2sql._pinned_answers p
     CROSS JOIN pg_catalog.pg_roles r
      JOIN pg_catalog.pg_namespace n ON n.nspname::text = 'text2sql'
     WHERE p.pinned_by = current_user AND p.board = $1::text
       AND NOT r.rolsuper AND r.rolname <> current_user AND r.rolname !~ '^pg_'
       AND pg_catalog.has_schema_privilege(r.oid, n.oid, 'USAGE')
       AND pg_catalog.has_table_privilege(r.oid, 'text2sql._pinned_answers', 'SELECT')
       AND NOT EXISTS (
           SELECT
             FROM pg_catalog.pg_class c
             JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
            WHERE pg_catalog.format('%I.%I of %s', s.nspname, c.relname, pg_catalog.pg_get_userbyid(c.relowner)) = ANY (p.relations)
              AND NOT (pg_catalog.has_schema_privilege(r.oid, s.oid, 'USAGE') AND pg_catalog.has_any_column_privilege(r.oid, c.oid, 'SELECT'))
              AND NOT EXISTS (
                  SELECT
                    FROM pg_catalog.pg_rewrite w
                    JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = w.oid
                    JOIN pg_catalog.pg_class v ON v.oid = w.ev_class AND v.relkind IN ('v', 'm')
                   WHERE d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid = c.oid
                     AND pg_catalog.has_any_column_privilege(r.oid, v.oid, 'SELECT')))
     GROUP BY r.oid, r.rolname
     ORDER BY is_own DESC, role
     LIMIT 200
  ) AS reader
