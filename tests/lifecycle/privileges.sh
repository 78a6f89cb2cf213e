#!/usr/bin/env bash
# Privileges are those granted by the extension, whatever the default privileges; grants are revoked completely.
set -euo pipefail
# shellcheck source=tests/lifecycle/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"

database=lifecycle_privileges
nosy=lifecycle_privileges_nosy
analyst=lifecycle_privileges_analyst
curator='lifecycle_privileges "Curator"'
drop_roles() {
  query -d postgres -c "SET client_min_messages = warning" -c "DROP DATABASE IF EXISTS $database" \
    -c "DROP ROLE IF EXISTS $nosy, $analyst, \"${curator//\"/\"\"}\", lifecycle_privileges_renamed"
}
drop_roles
query -d postgres -c "CREATE ROLE $nosy" -c "CREATE ROLE $analyst" -c "CREATE ROLE \"${curator//\"/\"\"}\""
q() { query -d "$database" -c "SET client_min_messages = warning" "$@"; }
# The SQLSTATE of a statement, "none" where it succeeds.
code() {
  local said
  said=$("$bindir/psql" -X -At -q -d "$database" -v VERBOSITY=sqlstate -c "SET client_min_messages = error" "$@" 2>&1 >/dev/null) || true
  said=$(sed -n 's/^.*ERROR:  //p' <<<"$said" | head -1)
  printf '%s\n' "${said:-none}"
}

# All privileges of roles other than the owner on objects of the extension.
held() {
  q -c "SELECT o.kind, o.schema_name, o.object_name, a.privilege_type, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
    FROM text2sql._own_objects() o, aclexplode(o.acl) a WHERE a.grantee <> o.owner ORDER BY 1, 2, 3, 4, 5"
}
# Objects private to the extension.
sequences() { q -c "SELECT c.relname, a.privilege_type FROM pg_class c, aclexplode(c.relacl) a WHERE relkind = 'S' AND relnamespace IN ('text2sql'::regnamespace, 'text2sql_eval'::regnamespace) AND a.grantee <> c.relowner"; }

fresh_database "$database"
q -c "CREATE EXTENSION pg_text2sql CASCADE"
plain=$(held)
case $plain in
  *PUBLIC*) same "PUBLIC calls what policies need" "" "$(grep -v '|EXECUTE|PUBLIC$' <<<"$plain")" ;;
  *) same "PUBLIC calls what policies need" yes "$plain" ;;
esac
for grantee in "$nosy" PUBLIC; do
  for schema in "" "IN SCHEMA text2sql"; do
    fresh_database "$database"
    [ -z "$schema" ] || q -c "CREATE SCHEMA text2sql"
    for kind in TABLES SEQUENCES FUNCTIONS TYPES SCHEMAS; do
      [ "$kind" = SCHEMAS ] && [ -n "$schema" ] && continue
      q -c "ALTER DEFAULT PRIVILEGES $schema GRANT ALL ON $kind TO $grantee WITH GRANT OPTION" 2>/dev/null ||
        q -c "ALTER DEFAULT PRIVILEGES $schema GRANT ALL ON $kind TO $grantee"
    done
    q -c "CREATE EXTENSION pg_text2sql CASCADE"
    found=$(held)
    same "GRANT ALL by default to $grantee $schema" "$plain" "$found"
    q -c "SELECT text2sql.set_budget('$analyst', questions_per_day => 1)" >/dev/null
    found=$(sequences)
    same "and on the counters of budgets" "" "$found"
  done
done
# The granted role can also ask questions.
q -c "ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO $nosy" -c "SELECT text2sql.grant_access('$nosy')" >/dev/null
for statement in "SELECT * FROM text2sql._index_values" "DELETE FROM text2sql._protections" "INSERT INTO text2sql._budgets (role_name) VALUES ('x')" \
  "SELECT * FROM text2sql_eval.cases" "DELETE FROM text2sql.history" "SELECT text2sql._follow_protections()" "SELECT text2sql.drop_history()" \
  "SELECT text2sql.protect('text2sql.history', 'open')" "CREATE TABLE text2sql.planted (id int)" "SELECT nextval('text2sql._budget_1_questions')"; do
  found=$(code -c "SET ROLE $nosy" -c "$statement")
  same "refused: $statement" 42501 "$found"
done
# A manual grant that no role should have still shows no row of the index.
q -c "CREATE TABLE shop (name text)" -c "INSERT INTO shop VALUES ('Plutonium')" -c "ANALYZE shop" -c "CALL text2sql.refresh()" \
  -c "GRANT pg_read_all_data TO $analyst"
found=$(q -c "SELECT count(*) > 0 FROM text2sql._index_documents" -c "SET ROLE $analyst" -c "SELECT count(*) FROM text2sql._index_values" \
  -c "SELECT count(*) FROM text2sql._index_documents")
same "a member of pg_read_all_data sees no row of the index" "t
0
0" "$found"
q -c "REVOKE pg_read_all_data FROM $analyst"

# An owner has privileges even if the default privileges exclude the owner.
fresh_database "$database"
q -c "ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM postgres" -c "CREATE EXTENSION pg_text2sql CASCADE"
found=$(q -c "SELECT count(*) FROM pg_class WHERE relnamespace IN ('text2sql'::regnamespace, 'text2sql_eval'::regnamespace) AND relkind = 'r' AND NOT relacl @> (acldefault('r', relowner))[1]")
same "the owner keeps its own privileges" 0 "$found"

# Grants and revokes.
fresh_database "$database"
q -c "CREATE EXTENSION pg_text2sql CASCADE"
plain=$(held)
quoted=${curator//\'/\'\'}
q -c "SELECT text2sql.grant_access('$analyst')" >/dev/null
asks=$(held)
q -c "SELECT text2sql.revoke_access('$analyst')" >/dev/null
found=$(held)
same "revoke_access takes back what grant_access gave" "$plain" "$found"
q -c "SELECT text2sql.grant_access('$analyst')" -c "SELECT text2sql.grant_access('$analyst', 'curator')" -c "SELECT text2sql.revoke_access('$analyst', 'curator')" >/dev/null
found=$(held)
same "revoke_access of curator leaves the right to ask" "$asks" "$found"
q -c "SELECT text2sql.grant_access('$analyst', 'evaluation')" -c "SELECT text2sql.revoke_access('$analyst', 'evaluation')" >/dev/null
found=$(held)
same "revoke_access of evaluation leaves the right to ask" "$asks" "$found"
q -c "SELECT text2sql.grant_access('$analyst', 'approver')" -c "SELECT text2sql.revoke_access('$analyst', 'approver')" >/dev/null
found=$(held)
same "revoke_access of approver leaves the right to ask" "$asks" "$found"
q -c "SELECT text2sql.grant_access('$analyst', 'evaluation')" >/dev/null
evaluates=$(held)
q -c "SELECT text2sql.grant_access('$analyst', 'curator')" -c "SELECT text2sql.revoke_access('$analyst', 'curator')" >/dev/null
found=$(held)
same "revoke_access of curator leaves the right to evaluate" "$evaluates" "$found"
q -c "SELECT text2sql.revoke_access('$analyst')" -c "SELECT text2sql.revoke_access('$analyst', 'curator')" >/dev/null
found=$(held)
same "revoke_access takes every use back, and that of curator gives nothing" "$plain" "$found"
# Grants by an earlier version or an administrator, with grant options used; single columns; a role with an odd name.
q -c "SELECT text2sql.grant_access('$quoted', 'curator')" -c "GRANT SELECT (question), UPDATE (question) ON text2sql.history TO \"${curator//\"/\"\"}\" WITH GRANT OPTION" \
  -c "GRANT EXECUTE ON FUNCTION text2sql.drop_history TO \"${curator//\"/\"\"}\"" -c "GRANT USAGE ON FOREIGN DATA WRAPPER text2sql TO \"${curator//\"/\"\"}\"" \
  -c "GRANT SELECT ON SEQUENCE text2sql._examples_id_seq TO \"${curator//\"/\"\"}\"" \
  -c "SET ROLE \"${curator//\"/\"\"}\"" -c "GRANT SELECT (question) ON text2sql.history TO $analyst" >/dev/null
q -c "SELECT text2sql.revoke_access('$quoted')" -c "DROP ROLE \"${curator//\"/\"\"}\"" >/dev/null
found=$(held)
same "a role to which more was granted can be dropped" "$plain" "$found"
q -c "SELECT text2sql.grant_access('$analyst', 'evaluation')" -c "SELECT text2sql.grant_access('$analyst', 'curator')" -c "SELECT text2sql.grant_access('$analyst', 'approver')" -c "SELECT text2sql.revoke_access('$analyst')" -c "DROP ROLE $analyst" -c "CREATE ROLE $analyst" >/dev/null
same "and one with every use" yes yes
for name in grant_access revoke_access; do
  found="$(code -c "SELECT text2sql.$name(NULL)") $(code -c "SELECT text2sql.$name('nobody of that name')") $(code -c "SELECT text2sql.$name('$analyst', NULL)") $(code -c "SELECT text2sql.$name('$analyst', 'teacher')") $(code -c "SET ROLE $analyst" -c "SELECT text2sql.$name('$analyst')")"
  same "$name of NULL, of a role that does not exist, of no level and one that does not exist, by anybody" "22004 42704 22004 22023 42501" "$found"
done
before=$(held)
q -c "SELECT text2sql.revoke_access('postgres')" >/dev/null
found=$(q -c "SELECT has_function_privilege('postgres', 'text2sql.ask(text, text, jsonb)', 'EXECUTE'), (SELECT proacl::text LIKE '%postgres=X%' FROM pg_proc WHERE oid = 'text2sql.ask(text, text, jsonb)'::regprocedure)")
same "the owner is not revoked" "t|t" "$found"

# Curators write only through the functions: they cannot forge an author or verifier, or lock a table.
q -c "SELECT text2sql.grant_access('$analyst', 'curator')" >/dev/null
for table in _annotations _definitions _examples _import_lines _joins _suggestions _instructions _feedback; do
  for statement in "DELETE FROM text2sql.$table" "UPDATE text2sql.$table SET id = 1" "INSERT INTO text2sql.$table (id) VALUES (1)" \
    "TRUNCATE text2sql.$table" "BEGIN; LOCK TABLE text2sql.$table IN ROW EXCLUSIVE MODE"; do
    found=$(code -c "SET ROLE $analyst" -c "$statement")
    same "refused to a curator: $statement" 42501 "$found"
  done
done
# A curator is identified by its privileges; a role that can read all tables and ask questions is not one.
q -c "SELECT text2sql.grant_access('$nosy')" -c "GRANT SELECT ON ALL TABLES IN SCHEMA text2sql TO $nosy" >/dev/null
found=$(q -c "SELECT text2sql._granted_roles('curator')" -c "SELECT text2sql._granted_roles('usage') ORDER BY 1")
same "who was granted what" "$analyst
$analyst
$nosy" "$found"
q -c "SELECT text2sql.revoke_access('$analyst')" -c "SELECT text2sql.revoke_access('$nosy')" >/dev/null

# The last step of an upgrade script, which is one transaction: new objects reach the roles that were granted before, also under another
# name; default privileges are revoked; manual grants are kept if the list contains them.
q -c "SELECT text2sql.grant_access('$analyst')" -c "GRANT EXECUTE ON FUNCTION text2sql.drop_history TO $nosy" -c "GRANT SELECT ON text2sql.egress_log TO $nosy" \
  -c "GRANT INSERT ON text2sql.egress_log TO $nosy" -c "GRANT SELECT ON text2sql._index_values TO $nosy" -c "GRANT EXECUTE ON FUNCTION text2sql._count_today TO PUBLIC" \
  -c "ALTER ROLE $analyst RENAME TO lifecycle_privileges_renamed" -c "ALTER DEFAULT PRIVILEGES GRANT ALL ON FUNCTIONS TO $nosy" \
  -c "ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO $nosy" >/dev/null
# Runs statements and the last step in one transaction.
update() { q -1 "$@" -c "SELECT text2sql._settle_privileges()" >/dev/null; }
update -c "CREATE FUNCTION text2sql.optimize(a_new_overload int) RETURNS int LANGUAGE sql AS 'SELECT 1'" -c "CREATE TABLE text2sql.new_table (id int PRIMARY KEY)" \
  -c "ALTER EXTENSION pg_text2sql DROP FUNCTION text2sql.show" -c "DROP FUNCTION text2sql.show" -c "CREATE FUNCTION text2sql.show(text) RETURNS text LANGUAGE sql AS 'SELECT 1::text'" \
  -c "ALTER EXTENSION pg_text2sql ADD FUNCTION text2sql.show" \
  -c "DELETE FROM pg_init_privs WHERE objoid = 'text2sql.show'::regproc" \
  -c "ALTER EXTENSION pg_text2sql ADD FUNCTION text2sql.optimize(int)" -c "ALTER EXTENSION pg_text2sql ADD TABLE text2sql.new_table" \
  -c "DELETE FROM pg_init_privs WHERE objoid IN ('text2sql.optimize(int)'::regprocedure, 'text2sql.new_table'::regclass)"
found=$(q -c "SELECT has_function_privilege('lifecycle_privileges_renamed', 'text2sql.optimize(int)', 'EXECUTE'), has_function_privilege('lifecycle_privileges_renamed', 'text2sql.show(text)', 'EXECUTE'), has_function_privilege('$nosy', 'text2sql.optimize(int)', 'EXECUTE'),
  has_table_privilege('$nosy', 'text2sql.new_table', 'SELECT'), has_function_privilege('$nosy', 'text2sql.drop_history(interval)', 'EXECUTE'), has_table_privilege('$nosy', 'text2sql.egress_log', 'SELECT'),
  has_table_privilege('$nosy', 'text2sql.egress_log', 'INSERT'), has_table_privilege('$nosy', 'text2sql._index_values', 'SELECT'), has_function_privilege('public', 'text2sql._count_today(bigint, text, bigint, bigint)', 'EXECUTE')")
same "settled after an update" "t|t|f|f|t|t|f|f|f" "$found"
# pg_upgrade loses the records of privileges that are PostgreSQL's defaults: a later update takes nothing from roles
# for that, and what roles hold is in a dump.
before=$(held)
update -c "DELETE FROM pg_init_privs"
found=$(held)
same "held after pg_upgrade and an update" "$before" "$found"
found=$(q -c "SELECT count(*) FROM pg_init_privs i, aclexplode(i.initprivs) a WHERE a.grantee::regrole::text IN ('$nosy', 'lifecycle_privileges_renamed')")
same "what roles hold is no initial privilege" 0 "$found"

drop_roles
exit "$failures"
