-- What is configured for a role that may ask. The call of _version() loads the library, whose settings are placeholders
-- before.
SELECT pg_catalog.row_to_json(asker)::text
  FROM (
    SELECT loaded.version AS library_version,
           pg_catalog.current_setting('text2sql.model') AS model,
           pg_catalog.current_setting('text2sql.enable_history') <> 'off' AS is_recording,
           (SELECT coalesce(pg_catalog.json_agg(pg_catalog.json_build_object(
                       'model', m.model, 'egress', m.egress, 'status', m.status, 'problem', m.problem)
                       ORDER BY m.model), '[]')
              FROM text2sql.models m) AS models,
           (SELECT coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(b) ORDER BY b.role_name), '[]')
              FROM text2sql.budgets b
              -- Those of the role and of its groups. A superuser is in no group, and a role with a budget may be gone.
              JOIN pg_catalog.pg_roles r ON r.rolname::text = b.role_name
             WHERE b.role_name = current_user::text
                OR (pg_catalog.pg_has_role(r.oid, 'MEMBER')
                    AND NOT (SELECT me.rolsuper FROM pg_catalog.pg_roles me WHERE me.rolname = current_user))) AS budget,
           (SELECT pg_catalog.json_object_agg(
                       pg_catalog.substr(s.name, 10),
                       CASE WHEN s.unit IS NULL THEN s.setting ELSE pg_catalog.current_setting(s.name) END
                       ORDER BY s.name)
              FROM pg_catalog.pg_settings s
             WHERE s.name = ANY (ARRAY['text2sql.allowed_schemas', 'text2sql.approval_validity', 'text2sql.enable_history',
                       'text2sql.history_retention', 'text2sql.keep_answers',
                       'text2sql.max_result_rows', 'text2sql.max_result_size',
                       'text2sql.query_timeout'])
               AND loaded.version IS NOT NULL) AS settings
      FROM text2sql._version() AS loaded(version)
  ) AS asker
