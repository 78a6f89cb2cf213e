-- What decides whether the login role may take on a role, and the settings that the role would have if it logged in
-- itself: those for this database before those for all databases.
SELECT json_build_object(
    'is_dangerous',
        r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication
        OR EXISTS (
            SELECT FROM pg_catalog.pg_roles AS d
            WHERE (d.rolsuper OR d.rolbypassrls OR d.rolname IN
                    ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files'))
                AND pg_catalog.pg_has_role(r.oid, d.oid, 'MEMBER')),
    'is_login', r.rolname = session_user,
    'knows_extension', EXISTS (SELECT FROM pg_catalog.pg_settings AS k WHERE k.name = 'text2sql.allowed_schemas'),
    'settings', COALESCE((
        SELECT json_agg(json_build_object(
                'name', s.name,
                'value', s.value,
                'context', g.context,
                'may_set', g.context IS DISTINCT FROM 'superuser'
                    OR pg_catalog.has_parameter_privilege(s.name, 'SET')) ORDER BY s.name)
        FROM (
            SELECT DISTINCT ON (lower(split_part(c.pair, '=', 1)))
                lower(split_part(c.pair, '=', 1)) AS name,
                substr(c.pair, strpos(c.pair, '=') + 1) AS value
            FROM pg_catalog.pg_db_role_setting AS d, unnest(d.setconfig) AS c (pair)
            WHERE d.setrole = r.oid
                AND d.setdatabase IN (0, (
                    SELECT b.oid FROM pg_catalog.pg_database AS b WHERE b.datname = current_database()))
            ORDER BY 1, d.setdatabase DESC) AS s
        LEFT JOIN pg_catalog.pg_settings AS g ON lower(g.name) = s.name), '[]')
)::text
FROM pg_catalog.pg_roles AS r
WHERE r.rolname = $1
