-- The current role, and which functions of the extension it may call. It reads only the catalog, so it works for a role
-- without any privilege on the extension, and in a database without it.
SELECT pg_catalog.row_to_json(who)::text
  FROM (
    SELECT session_user::text AS "user",
           current_user::text AS role,
           pg_catalog.current_database()::text AS database,
           (SELECT pg_catalog.lower(pg_catalog.split_part(s.setting, '_', 1))
              FROM pg_catalog.pg_settings s
             WHERE s.name::text = 'lc_messages' AND s.setting ~ '^[A-Za-z]{2}_') AS language,
           pg_catalog.current_setting('server_version') AS version,
           extension.version AS extension_version,
           pg_catalog.json_build_object(
               'ask', 'ask' = ANY (extension.callable),
               'teach', 'define' = ANY (extension.callable),
               'evaluate', 'evaluate' = ANY (extension.callable),
               'approve', 'accept' = ANY (extension.callable) AND pg_catalog.has_table_privilege(extension.approving, 'SELECT') IS TRUE,
               'administer', ARRAY['add_model', 'grant_access', 'set_budget', 'drop_history'] && extension.callable,
               'create_view', (SELECT pg_catalog.bool_or(pg_catalog.has_schema_privilege(n.oid, 'CREATE'))
                                 FROM pg_catalog.pg_namespace n
                                WHERE n.nspname = ANY (pg_catalog.current_schemas(false)) IS TRUE) IS TRUE,
               'load', 'load_file' = ANY (extension.callable) AND EXISTS (
                   SELECT
                     FROM pg_catalog.pg_namespace n
                    WHERE pg_catalog.has_schema_privilege(n.oid, 'CREATE')
                      AND n.nspname::text !~ '^pg_' AND n.nspname::text <> 'information_schema'
                      AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
                                       WHERE d.classid = 'pg_catalog.pg_namespace'::pg_catalog.regclass
                                         AND d.objid = n.oid AND d.deptype = 'e')),
               'refresh', 'refresh' = ANY (extension.callable),
               'set_budget', 'set_budget' = ANY (extension.callable),
               'grant', 'grant_access' = ANY (extension.callable),
               'test_model', 'test_model' = ANY (extension.callable),
               'add_model', 'add_model' = ANY (extension.callable) AND EXISTS (
                   SELECT
                     FROM pg_catalog.pg_foreign_data_wrapper w
                    WHERE w.fdwname = 'text2sql' AND pg_catalog.has_foreign_data_wrapper_privilege(w.oid, 'USAGE')),
               'see_everybody', 'drop_history' = ANY (extension.callable)) AS may,
           -- Whom to ask: people who log in. A superuser administers; for the rest superusers are asked only where there
           -- is nobody else, and the one of the installation last.
           (SELECT pg_catalog.json_object_agg(can.what, can.names)
              FROM (
                SELECT f.what, pg_catalog.json_agg(r.rolname ORDER BY r.rolname) FILTER (WHERE r.place <= 3) AS names
                  FROM (VALUES ('teach', 'define'), ('approve', 'accept'), ('administer', 'add_model')) AS f(what, name)
                  JOIN pg_catalog.pg_proc p ON p.proname::text = f.name AND p.oid = ANY (extension.functions)
                 CROSS JOIN LATERAL (
                    SELECT r.rolname,
                           pg_catalog.rank() OVER (ORDER BY r.rolsuper <> (f.what = 'administer'), r.oid = 10) AS preference,
                           pg_catalog.row_number() OVER (ORDER BY r.rolsuper <> (f.what = 'administer'), r.oid = 10, r.rolname) AS place
                      FROM pg_catalog.pg_roles r
                     WHERE r.rolcanlogin AND r.rolname <> current_user
                       AND pg_catalog.has_function_privilege(r.oid, p.oid, 'EXECUTE')
                       AND pg_catalog.has_schema_privilege(r.oid, p.pronamespace, 'USAGE')
                       AND (f.what <> 'approve' OR pg_catalog.has_table_privilege(r.oid, extension.approving, 'SELECT'))
                 ) AS r
                 WHERE r.preference = 1
                 GROUP BY f.what
              ) AS can) AS helpers,
           pg_catalog.quote_literal(current_user::text) AS quoted_role,
           pg_catalog.pg_is_in_recovery() AS is_standby,
           pg_catalog.current_setting('transaction_read_only') = 'on' AS is_read_only
      FROM (
        SELECT pg_catalog.max(e.extversion) AS version, pg_catalog.array_agg(p.oid) AS functions,
               -- Who may read the rules of approval may approve.
               (SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                 WHERE n.nspname::text = 'text2sql' AND c.relname::text = '_approval_rules') AS approving,
               coalesce(pg_catalog.array_agg(p.proname::text) FILTER (
                   WHERE pg_catalog.has_schema_privilege(p.pronamespace, 'USAGE')
                     AND pg_catalog.has_function_privilege(p.oid, 'EXECUTE')), '{}') AS callable
          FROM pg_catalog.pg_extension e
          LEFT JOIN pg_catalog.pg_depend d
                 ON d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.refobjid = e.oid
                AND d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.deptype = 'e'
          LEFT JOIN pg_catalog.pg_proc p ON p.oid = d.objid AND p.proname::text NOT LIKE '\_%'
         WHERE e.extname::text = 'pg_text2sql'
      ) AS extension
  ) AS who
