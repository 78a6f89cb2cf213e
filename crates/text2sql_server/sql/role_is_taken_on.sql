SELECT (current_user = $1 AND NOT r.rolsuper AND NOT r.rolbypassrls)::text
FROM pg_catalog.pg_roles AS r
WHERE r.rolname = current_user
