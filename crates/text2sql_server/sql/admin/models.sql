-- Models that were added, whether the caller may use each and may change it, and which roles may use it. No endpoint is
-- contacted.
SELECT pg_catalog.json_build_object(
           'models', coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(m) ORDER BY m.model), '[]'))::text
  FROM (
    SELECT m.*, pg_catalog.pg_has_role(s.srvowner, 'USAGE') AS may_change,
           ARRAY(SELECT CASE held.grantee WHEN 0 THEN 'public' ELSE pg_catalog.pg_get_userbyid(held.grantee)::text END
                   FROM pg_catalog.aclexplode(s.srvacl) AS held
                  WHERE held.grantee <> s.srvowner ORDER BY 1) AS users
      FROM text2sql.models m JOIN pg_catalog.pg_foreign_server s ON s.srvname = m.model
  ) AS m
