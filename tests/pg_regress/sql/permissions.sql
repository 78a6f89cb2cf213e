-- Questions about permissions, asked by a role with few privileges.
CREATE ROLE regress_clerk;
CREATE ROLE regress_accountant LOGIN IN ROLE regress_clerk;
GRANT USAGE ON SCHEMA hr TO regress_clerk;
GRANT SELECT, UPDATE ON hr.salaries TO regress_clerk;
GRANT SELECT (employee_id) ON hr.salaries TO regress_nobody;
CREATE SCHEMA permissions_test;
CREATE TABLE permissions_test.unknown (a integer);
GRANT SELECT ON permissions_test.unknown TO regress_clerk;
SET ROLE regress_analyst;
\echo who may read the salaries? (regress_nobody may not look into the schema)
SELECT schema_name, table_type, owner_name, role_name, may_read, may_insert, may_update, may_delete, may_truncate, row_security_active
FROM text2sql.permissions WHERE table_name = 'salaries' AND role_name LIKE 'regress\_%' ORDER BY role_name;
SELECT role_name, readable_columns, insertable_columns, updatable_columns
FROM text2sql.permissions WHERE table_name = 'salaries' AND role_name LIKE 'regress\_%' ORDER BY 1;
SELECT role_name, can_login, is_superuser, member_of FROM text2sql.roles WHERE role_name LIKE 'regress\_%' ORDER BY 1;
\echo through the guard, as a model would write it
SELECT result_rows FROM text2sql.run_json($$SELECT role_name FROM text2sql.permissions WHERE table_name = 'salaries' AND may_read AND role_name LIKE 'regress%' ORDER BY role_name$$);
SELECT allowed, read_relations FROM text2sql.validate('SELECT p.role_name, r.member_of FROM text2sql.permissions p JOIN text2sql.roles r USING (role_name)');
\echo asked as a question, without a model
SET text2sql.model = 'builtin';
SELECT status, sql, e->>'role_name' AS role_name, e->>'table_name' AS table_name
FROM text2sql.ask('Who may read the table hr.salaries?'), json_array_elements(result_rows) AS e WHERE e->>'role_name' LIKE 'regress\_%' ORDER BY 3;
SELECT status, e->>'role_name' AS role_name FROM text2sql.ask('Wer darf salaries ändern?'), json_array_elements(result_rows) AS e WHERE e->>'role_name' LIKE 'regress\_%' ORDER BY 2;
SELECT status, e->>'table_name' AS table_name FROM text2sql.ask('Which tables may regress_accountant change?'), json_array_elements(result_rows) AS e;
SELECT status, sql FROM text2sql.ask('Which roles are superusers?');
SELECT status, e->>'role_name' AS role_name FROM text2sql.ask('Wer kann sich anmelden?'), json_array_elements(result_rows) AS e WHERE e->>'role_name' = 'regress_accountant';
\echo not of a table that does not exist, or into whose schema the caller may not look
SELECT status, sql FROM text2sql.ask('Who may read unknown?');
RESET text2sql.model;
\echo not what the caller cannot look into
SELECT count(*) FROM text2sql.permissions WHERE schema_name = 'permissions_test';
\echo not the rest of the schema
SELECT allowed, reason FROM text2sql.validate('SELECT * FROM text2sql._protections');
RESET ROLE;
\echo not what is hidden
SELECT text2sql.protect('hr.salaries', 'hidden');
SELECT count(*) FROM text2sql.permissions WHERE table_name = 'salaries';
SELECT text2sql.protect('hr.salaries', 'open');
\echo row-level security
ALTER TABLE hr.salaries ENABLE ROW LEVEL SECURITY;
SELECT role_name, row_security_active FROM text2sql.permissions WHERE table_name = 'salaries' AND role_name LIKE 'regress\_%' ORDER BY 1;
ALTER TABLE hr.salaries DISABLE ROW LEVEL SECURITY;
SET ROLE regress_nobody;
SELECT * FROM text2sql.permissions;
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA permissions_test CASCADE;
REVOKE ALL ON hr.salaries FROM regress_clerk, regress_nobody;
REVOKE USAGE ON SCHEMA hr FROM regress_clerk;
DROP ROLE regress_accountant, regress_clerk;
