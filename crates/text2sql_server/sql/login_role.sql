-- What makes a login role unfit to take on the roles of tokens: with it, a mistake would not be harmless.
SELECT json_build_object(
    'is_superuser', r.rolsuper,
    'bypasses_row_security', r.rolbypassrls,
    'may_create_roles', r.rolcreaterole,
    -- PostgreSQL 16 and later say it for each membership.
    'inherits', r.rolinherit OR EXISTS (
        SELECT FROM pg_catalog.pg_auth_members AS m
        WHERE m.member = r.oid AND (to_jsonb(m) ->> 'inherit_option')::boolean)
)::text
FROM pg_catalog.pg_roles AS r
WHERE r.rolname = session_user
