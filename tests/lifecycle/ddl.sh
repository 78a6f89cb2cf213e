#!/usr/bin/env bash
# Other people's DDL succeeds whatever is wrong with the extension: its event triggers warn at most.
set -euo pipefail
# shellcheck source=tests/lifecycle/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"

database=lifecycle_ddl
owner=lifecycle_ddl_owner
installer=lifecycle_ddl_installer
clean() {
  query -d postgres -c "SET client_min_messages = warning" -c "DROP DATABASE IF EXISTS $database" -c "DROP ROLE IF EXISTS $owner, $installer"
}
clean
query -d postgres -c "CREATE ROLE $owner" -c "CREATE ROLE $installer SUPERUSER"

# Statements of a role without privileges on the extension: everything that fires the event triggers.
ddl() {
  cat <<'SQL'
CREATE SCHEMA work;
CREATE TABLE work.customer (id int PRIMARY KEY, name text);
CREATE TABLE work.purchase (id int, customer int REFERENCES work.customer) PARTITION BY RANGE (id);
CREATE TABLE work.purchase_1 PARTITION OF work.purchase FOR VALUES FROM (1) TO (10);
CREATE TABLE work.copied AS SELECT * FROM work.customer;
SELECT * INTO work.chosen FROM work.customer;
CREATE TEMP TABLE passing (id int);
CREATE TEMP TABLE short (id int) ON COMMIT DROP;
CREATE VIEW work.names AS SELECT name FROM work.customer;
CREATE MATERIALIZED VIEW work.kept AS SELECT name FROM work.customer;
COMMENT ON TABLE work.customer IS 'who buys';
COMMENT ON COLUMN work.customer.name IS 'as on the invoice';
GRANT SELECT ON work.customer TO PUBLIC;
GRANT SELECT (name) ON work.customer TO PUBLIC;
GRANT SELECT ON ALL TABLES IN SCHEMA work TO PUBLIC;
ALTER TABLE work.customer ADD COLUMN city text;
ALTER TABLE work.customer RENAME COLUMN city TO place;
ALTER TABLE work.customer RENAME TO client;
ALTER VIEW work.names RENAME TO labels;
ALTER MATERIALIZED VIEW work.kept RENAME TO saved;
ALTER INDEX work.customer_pkey RENAME TO client_key;
ALTER TABLE taught.thing RENAME TO item;
ALTER TABLE taught.item RENAME COLUMN label TO title;
ALTER SCHEMA taught RENAME TO learned;
ALTER SCHEMA learned RENAME TO taught;
DROP TABLE taught.item;
CREATE TABLE taught.thing (id int, label text);
ALTER TABLE work.purchase DETACH PARTITION work.purchase_1;
DROP TABLE work.purchase_1, passing;
DROP MATERIALIZED VIEW work.saved;
DROP VIEW work.labels;
ALTER SCHEMA work RENAME TO labour;
DROP SCHEMA labour CASCADE;
SQL
}

# A database whose tables have stored knowledge, are protected and indexed, and belong to a role without privileges.
prepare() {
  fresh_database "$database"
  query -d "$database" -c "SET client_min_messages = warning" -c "GRANT CREATE ON DATABASE $database TO $owner" >/dev/null \
    -c "SET ROLE $installer" -c "CREATE EXTENSION pg_text2sql CASCADE" -c "RESET ROLE" \
    -c "SET ROLE $owner" -c "CREATE SCHEMA taught" -c "CREATE TABLE taught.thing (id int, label text)" -c "RESET ROLE" \
    -c "SELECT text2sql.describe('taught.thing', 'a thing'), text2sql.describe('taught.thing.label', 'its label')" \
    -c "SELECT text2sql.define('things', 'all of them', 'count(*)', 'taught.thing')" \
    -c "SELECT text2sql.add_example('How many things?', 'SELECT count(*) FROM taught.thing')" \
    -c "SELECT text2sql.protect('taught.thing.label', 'private')" -c "CALL text2sql.refresh()"
}
# Runs the DDL with $1 before it; prints errors and how often the extension warned ("some" or "no").
outcome() {
  local said
  said=$({ printf '%s\n' "$1" "SET ROLE $owner;" "BEGIN;"; ddl; printf 'COMMIT;\n'; ddl | grep -v ON.COMMIT.DROP | sed '/taught/d'; } |
    "$bindir/psql" -X -q -d "$database" -v ON_ERROR_STOP=1 2>&1 >/dev/null) || true
  grep ERROR <<<"$said" || true
  if grep -q 'WARNING:  .*text2sql' <<<"$said"; then say "some warnings"; else say "no warnings"; fi
}
check() { # name, expected warnings, what is wrong (as superuser), what the session sets before the DDL
  local found
  prepare
  [ -z "$3" ] || "$bindir/psql" -X -q -d "$database" -v ON_ERROR_STOP=1 <<<"SET client_min_messages = error; $3" >/dev/null
  found=$(outcome "${4:-}")
  same "DDL: $1" "$2 warnings" "$found"
}

check "nothing is wrong" no ""
found=$(query -d "$database" -c "SELECT count(*) FROM text2sql._index_changes c LEFT JOIN pg_class r ON r.oid = c.relation WHERE r.oid IS NULL")
same "notes of what was dropped are gone" 0 "$found"
check "every table is published" no "CREATE PUBLICATION everything FOR ALL TABLES"
found=$(query -d "$database" -c "SET client_min_messages = warning" -c "CALL text2sql.refresh('{\"rebuild\": true}')" -c "CALL text2sql.refresh()" -c "SELECT count(*) FROM text2sql._index_changes")
same "and the index is built and cleaned" 0 "$found"
check "some tables of the extension are published" some "CREATE PUBLICATION part FOR TABLE text2sql._index_changes (relation), text2sql._annotations (id) WHERE (id > 0)"
check "a published table without a replica identity" some "ALTER TABLE text2sql._index_changes REPLICA IDENTITY NOTHING; CREATE PUBLICATION everything FOR ALL TABLES"
check "the library is missing" some "UPDATE pg_proc SET probin = '\$libdir/no_such_library' WHERE probin LIKE '%pg_text2sql'"
check "the library is of another version" some "UPDATE pg_proc SET prosrc = 'no_such_' || prosrc WHERE probin LIKE '%pg_text2sql'"
check "row_security is off" no "" "SET row_security = off;"
check "a hostile search_path" no "CREATE SCHEMA hostile; CREATE FUNCTION hostile.no(oid, oid) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION \$\$no\$\$; END';
  CREATE OPERATOR hostile.= (LEFTARG = oid, RIGHTARG = oid, FUNCTION = hostile.no); GRANT USAGE ON SCHEMA hostile TO PUBLIC" "SET search_path = hostile, pg_catalog;"
check "an empty search_path" no "" "SET search_path = '';"
check "a replica's session" no "" "SET session_replication_role = replica;"
check "a short lock_timeout and isolation" no "" "SET lock_timeout = 1; SET default_transaction_isolation = 'repeatable read';"
check "serializable" no "" "SET default_transaction_isolation = 'serializable';"
check "the owner of the extension may do nothing" some "REVOKE ALL ON ALL TABLES IN SCHEMA text2sql, text2sql_eval FROM $installer; REVOKE ALL ON ALL FUNCTIONS IN SCHEMA text2sql, text2sql_eval FROM PUBLIC, $installer;
  REVOKE ALL ON SCHEMA text2sql, text2sql_eval FROM $installer; ALTER ROLE $installer NOSUPERUSER"
query -d postgres -c "ALTER ROLE $installer SUPERUSER"
check "rows that no function wrote" no "UPDATE text2sql._protections SET relation_oid = 4294967295, column_number = -7, schema_oid = 0; INSERT INTO text2sql._protections (schema_name, table_name, column_name, level, catalog_stamp, schema_oid, set_by) VALUES ('x', 'y', 'z', 'hidden', '', 0, 'x');
  UPDATE text2sql._definitions SET object_oids = ARRAY['taught.thing'::regclass, NULL], column_numbers = '{}', object_names = '{NULL,NULL,NULL}';
  UPDATE text2sql._examples SET object_oids = ARRAY[ARRAY['taught.thing'::regclass::oid]], column_numbers = '{{7}}', catalog = text2sql._catalog_stamp();
  UPDATE text2sql._annotations SET column_number = -32768 + id"
check "a table of the extension is gone" some "ALTER TABLE text2sql._index_changes RENAME TO elsewhere; ALTER TABLE text2sql._examples RENAME TO elsewhere_too; ALTER TABLE text2sql._protections RENAME COLUMN level TO degree"
check "the schema has another name" some "ALTER SCHEMA text2sql RENAME TO elsewhere"
check "an index of the extension is broken by a constraint" some "ALTER TABLE text2sql._index_changes ADD CHECK (relation < 1); ALTER TABLE text2sql._annotations ADD CHECK (object_name = 'x') NOT VALID"

# While another session holds every lock on the tables of the extension, DDL waits only a moment.
prepare
"$bindir/psql" -X -q -d "$database" >/dev/null 2>&1 <<<"SET application_name = 'lifecycle_ddl_holds'; BEGIN; LOCK TABLE text2sql._index_changes, text2sql._annotations, text2sql._protections, text2sql._definitions; SELECT pg_sleep(300)" &
holder=$!
for ((attempt = 0; attempt < 200; attempt++)); do
  [ "$(query -d "$database" -c "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE a.application_name = 'lifecycle_ddl_holds' AND l.mode = 'AccessExclusiveLock' AND l.locktype = 'relation'")" -ge 4 ] && break
  read -rt 0.05 <> <(:) || true
done
start=$EPOCHREALTIME
said=$("$bindir/psql" -X -q -d "$database" -c "SET ROLE $owner" -c "ALTER TABLE taught.thing RENAME TO item" 2>&1) || true
took=$(awk "BEGIN { print ($EPOCHREALTIME - $start < 5) ? \"soon\" : \"late\" }")
found="$took $(grep -c 'WARNING' <<<"$said") $(grep -c ERROR <<<"$said" || true)"
same "DDL while the tables of the extension are locked" "soon 4 0" "$found"
found=$("$bindir/psql" -X -q -d "$database" -v VERBOSITY=sqlstate -c "SET statement_timeout = '50ms'" -c "ALTER TABLE taught.item RENAME TO other" 2>&1 | grep -c 'ERROR:  57014') || true
same "a cancel is a cancel" 1 "$found"
query -d "$database" -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lifecycle_ddl_holds'" >/dev/null
wait "$holder" || true
# What was missed is updated later.
query -d "$database" -c "SET client_min_messages = warning" -c "CALL text2sql.refresh()"
found=$(query -d "$database" -c "SELECT object_name, former_name FROM text2sql._annotations ORDER BY 1" -c "SELECT object_names FROM text2sql._definitions" \
  -c "SELECT object FROM text2sql.protected" -c "SELECT count(*) FROM text2sql._index_changes" -c "SELECT object FROM text2sql.retrieve('item') WHERE kind = 'table'")
same "refresh() makes up for what was missed" "taught.item|taught.thing
taught.item.label|taught.thing.label
{taught.item}
taught.item.label
0
taught.item" "$(grep -v '^NOTICE' <<<"$found")"
# As dbt replaces a table, with the event triggers disabled.
query -d "$database" -c "ALTER EVENT TRIGGER text2sql_follow_drops DISABLE" -c "SET ROLE $owner" -c "ALTER TABLE taught.item RENAME TO item_old" \
  -c "CREATE TABLE taught.item (id int, label text)" -c "DROP TABLE taught.item_old" -c "RESET ROLE" \
  -c "ALTER EVENT TRIGGER text2sql_follow_drops ENABLE" -c "SET client_min_messages = warning" -c "CALL text2sql.refresh()"
found=$(query -d "$database" -c "SELECT object_name, object_oid = 'taught.item'::regclass FROM text2sql._annotations ORDER BY 1" -c "SELECT object_oids[1] = 'taught.item'::regclass FROM text2sql._definitions")
same "and for a table that was replaced" "taught.item|t
taught.item.label|t
t" "$found"

# Commands over many objects, and those of extensions.
prepare
found=$(query -d "$database" -c "SET client_min_messages = warning" -c "SET ROLE $owner" -c "CREATE SCHEMA many" \
  -c "DO 'BEGIN FOR n IN 1 .. 300 LOOP EXECUTE format(\$\$CREATE TABLE many.t%s (id int PRIMARY KEY)\$\$, n); END LOOP; END'" \
  -c "DROP SCHEMA many CASCADE" -c "RESET ROLE" -c "CREATE EXTENSION IF NOT EXISTS hstore" -c "ALTER EXTENSION hstore SET SCHEMA taught" -c "DROP EXTENSION hstore" \
  -c "REASSIGN OWNED BY $owner TO postgres" -c "DROP OWNED BY $owner" -c "ALTER EXTENSION pg_text2sql UPDATE" -c "SELECT 'done'" 2>&1)
same "many objects, extensions, REASSIGN and DROP OWNED" done "$(grep -v NOTICE <<<"$found")"
found=$(query -d "$database" -c "SET client_min_messages = warning" -c "DROP SCHEMA text2sql CASCADE" -c "CREATE EXTENSION pg_text2sql" \
  -c "CREATE TABLE t (id int)" -c "DROP TABLE t" -c "DROP EXTENSION pg_text2sql CASCADE" -c "CREATE TABLE t (id int)" -c "SELECT 'done'" 2>&1)
same "the extension itself" done "$found"

clean
exit "$failures"
