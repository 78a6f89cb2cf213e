-- Which roles can read and change which tables, for questions such as "who may read the salaries?": the guard
-- lets questions read these two views, and the view of access.sql, and nothing else of this schema. Run once by CREATE EXTENSION.
--
-- They show what the catalogs show to all roles, about relations in schemas on which the current user has
-- USAGE, without what is not visible to questions. A role is listed for a table where it has any privilege on
-- it, directly, through its groups, through PUBLIC, as the owner or as a superuser. Predefined roles are
-- replaced by their members.

CREATE VIEW text2sql.permissions AS
SELECT t.schema_name, t.table_name, t.table_type, t.owner_name, r.rolname::text AS role_name,
       can.read AS may_read, can.insert AS may_insert, can.update AS may_update, can.delete AS may_delete,
       pg_catalog.has_table_privilege(r.oid, t.oid, 'TRUNCATE') AS may_truncate,
       t.row_security AND NOT r.rolsuper AND NOT r.rolbypassrls
           AND (t.force_row_security OR NOT pg_catalog.pg_has_role(r.oid, t.owner, 'USAGE')) AS row_security_active,
       ARRAY(SELECT a.attname::text FROM pg_catalog.pg_attribute a
              WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped AND text2sql._protection(t.oid, a.attnum) <> 'hidden'
                AND pg_catalog.has_column_privilege(r.oid, t.oid, a.attnum, 'SELECT')
              ORDER BY a.attnum) AS readable_columns,
       ARRAY(SELECT a.attname::text FROM pg_catalog.pg_attribute a
              WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped AND text2sql._protection(t.oid, a.attnum) <> 'hidden'
                AND pg_catalog.has_column_privilege(r.oid, t.oid, a.attnum, 'INSERT')
              ORDER BY a.attnum) AS insertable_columns,
       ARRAY(SELECT a.attname::text FROM pg_catalog.pg_attribute a
              WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped AND text2sql._protection(t.oid, a.attnum) <> 'hidden'
                AND pg_catalog.has_column_privilege(r.oid, t.oid, a.attnum, 'UPDATE')
              ORDER BY a.attnum) AS updatable_columns
FROM (
    SELECT c.oid, n.nspname::text AS schema_name, c.relname::text AS table_name, n.oid AS schema_oid, c.relowner AS owner,
           CASE WHEN c.relispartition THEN 'partition' WHEN c.relkind = 'v' THEN 'view'
                WHEN c.relkind = 'm' THEN 'materialized view' WHEN c.relkind = 'f' THEN 'foreign table' ELSE 'table' END AS table_type,
           pg_catalog.pg_get_userbyid(c.relowner)::text AS owner_name,
           c.relrowsecurity AS row_security, c.relforcerowsecurity AS force_row_security
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.oid >= 16384
      AND n.nspname NOT LIKE 'pg\_%' AND n.nspname NOT IN ('information_schema', 'text2sql', 'text2sql_eval', 'text2sql_perturbed')
      AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
      AND text2sql._is_shown(c.oid)
) AS t
CROSS JOIN pg_catalog.pg_roles r
CROSS JOIN LATERAL (
    SELECT pg_catalog.has_any_column_privilege(r.oid, t.oid, 'SELECT') AS read,
           pg_catalog.has_any_column_privilege(r.oid, t.oid, 'INSERT') AS insert,
           pg_catalog.has_any_column_privilege(r.oid, t.oid, 'UPDATE') AS update,
           pg_catalog.has_table_privilege(r.oid, t.oid, 'DELETE') AS delete
) AS can
WHERE r.rolname NOT LIKE 'pg\_%'
  AND pg_catalog.has_schema_privilege(r.oid, t.schema_oid, 'USAGE')
  AND (can.read OR can.insert OR can.update OR can.delete);

CREATE VIEW text2sql.roles AS
SELECT r.rolname::text AS role_name, r.rolcanlogin AS can_login, r.rolsuper AS is_superuser,
       r.rolcreaterole AS may_create_roles, r.rolcreatedb AS may_create_databases,
       r.rolbypassrls AS bypasses_row_security,
       ARRAY(SELECT g.rolname::text FROM pg_catalog.pg_roles g
             WHERE g.oid <> r.oid AND NOT r.rolsuper AND pg_catalog.pg_has_role(r.oid, g.oid, 'MEMBER')
             ORDER BY 1) AS member_of
FROM pg_catalog.pg_roles r
WHERE r.rolname NOT LIKE 'pg\_%';
