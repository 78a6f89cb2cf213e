#!/usr/bin/env bash
# A taught database keeps everything when it moves to another major version of PostgreSQL: by pg_upgrade, as a database
# of this version of the extension and as one of 0.1.0 that is updated afterwards; and by dump and restore.
#   OLD_PG_CONFIG=… NEW_PG_CONFIG=… between.sh    two servers in which the extension is installed
# In tests/versions and not in tests/lifecycle, because it needs two servers. scripts/test_upgrades.sh calls it.
set -euo pipefail
: "${OLD_PG_CONFIG:?names the pg_config of the old server}" "${NEW_PG_CONFIG:?names the pg_config of the new server}"
unset PG PG_CONFIG
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export PG_CONFIG=$NEW_PG_CONFIG
# shellcheck source=tests/lifecycle/check.sh
source tests/lifecycle/check.sh
forget_callers_server
make_state_dir

new_bin=$bindir
old_bin=$("$OLD_PG_CONFIG" --bindir)
old_version=$("$OLD_PG_CONFIG" --version) new_version=$("$NEW_PG_CONFIG" --version)
work=$state/versions
role=versions
roles=(analyst curator evaluator single less)
variables=()
for one in "${roles[@]}"; do variables+=(-v "$one=${role}_$one"); done

stop_all() {
  local bin data
  for data in old new; do
    bin=$new_bin
    [ "$data" = new ] || bin=$old_bin
    as_server_user "$bin/pg_ctl" stop -D "$work/$data" -m immediate -s >/dev/null 2>&1 || true
  done
}
trap 'stop_all; rm -rf "${work:?}"; rmdir "$state" 2>/dev/null || true' EXIT
stop_all
rm -rf "$work"
install -d -m 700 "$work"
if [ "$(id -u)" = 0 ]; then chown "$server_user" "$work"; fi
# Only the socket is used. pg_upgrade compares these settings.
create() {
  as_server_user "$1/initdb" -D "$work/$2" -U postgres -k --encoding=UTF8 --locale=C.UTF-8 --lc-messages=C --auth=trust --no-sync --no-instructions >/dev/null
  as_server_user tee -a "$work/$2/postgresql.conf" >/dev/null <<<"listen_addresses = ''
unix_socket_directories = '$work'
fsync = off"
}
start() { as_server_user "$1/pg_ctl" start -D "$work/$2" -w -s -l "$work/$2.log" -o "-p $3" </dev/null >/dev/null; }
stop() { as_server_user "$1/pg_ctl" stop -D "$work/$2" -m fast -w -s >/dev/null; }
export PGHOST=$work PGUSER=postgres PGPORT PGOPTIONS="-c client_min_messages=warning"
use() { PGPORT=$1 bindir=$2; }
settings() {
  query -d "$1" -c "SELECT coalesce(r.rolname, '-'), ARRAY(SELECT c FROM unnest(s.setconfig) AS c ORDER BY c) FROM pg_db_role_setting s
    LEFT JOIN pg_roles r ON r.oid = s.setrole LEFT JOIN pg_database d ON d.oid = s.setdatabase WHERE coalesce(d.datname, '$1') = '$1' ORDER BY 1"
}
answers() {
  PGUSER=${role}_analyst query -d "$1" -c "SELECT status, sql, result_rows FROM text2sql.ask('How many customers are there?')" \
    -c "SELECT status, answer FROM text2sql.ask('How many wages are there?')" \
    -c "SELECT f.question, l.turn FROM text2sql.conversation_turns f JOIN text2sql.conversation_turns l USING (conversation) WHERE f.turn = 1 AND l.is_last" -c "SELECT questions_per_day FROM text2sql.budgets" \
    -c "SELECT term, status FROM text2sql.definitions"
  query -d "$1" -c "SELECT object, level FROM text2sql.protected ORDER BY 1" -c "SELECT object FROM text2sql.retrieve('Kunden') WHERE kind = 'table' ORDER BY rank LIMIT 1"
}
# pg_upgrade does not keep the record of privileges that are PostgreSQL's defaults, and names columns of views that
# have no name of their own.
catalog() { query -d "$1" -f tests/upgrade/catalog.sql | grep -v ' | initial privileges | ' | sed -E 's/::text AS text(,?)$/::text\1/'; }
# Rows are bound to the OIDs of a catalog; a dump binds them to names.
unbound() { sed -E 's/"(catalog|catalog_stamp|schema_oid|relation_oid|object_oid)": "[^"]*"//g; s/"object_oids": \[[^]]*\]//g'; }
# A new database of the new server with the same roles, to compare catalogs with.
fresh() {
  fresh_database "$1"
  query -d "$1" "${variables[@]}" -c "SET client_min_messages = warning" -c "CREATE EXTENSION pg_text2sql CASCADE" \
    -f tests/upgrade/grants.sql >/dev/null
}

# In the old server: a database of this version and one of 0.1.0, both taught.
create "$old_bin" old
start "$old_bin" old 20001
use 20001 "$old_bin"
for one in "${roles[@]}"; do query -d postgres -c "CREATE ROLE ${role}_$one LOGIN"; done
for database in taught unchanged; do
  fresh_database "$database"
  query -d "$database" -c "SET client_min_messages = warning" -c "CREATE EXTENSION pg_text2sql VERSION '0.1.0' CASCADE" >/dev/null
  query -d "$database" "${variables[@]}" -f tests/upgrade/fill_0.1.0.sql >/dev/null
done
query -d taught -c "SET client_min_messages = error" -c "ALTER EXTENSION pg_text2sql UPDATE"
query -d taught -c "CALL text2sql.refresh()" -c "ALTER DATABASE taught SET text2sql.max_result_rows = 50" -c "ALTER ROLE ${role}_analyst SET text2sql.tuning = '{\"enable_narration\": false}'"
taught_rows=$(query -d taught -f tests/upgrade/rows.sql)
taught_settings=$(settings taught)
# An answer is recorded: rows are compared first.
unchanged_rows=$(query -d unchanged -f tests/upgrade/rows_0.1.0.sql)
"$new_bin/pg_dump" -d taught >"$work/taught.sql"
taught_answers=$(answers taught)
after_answers=$(query -d taught -f tests/upgrade/rows.sql)
stop "$old_bin" old

# 1. pg_upgrade
create "$new_bin" new
if (cd "$work" && as_server_user env -C "$work" "$new_bin/pg_upgrade" -b "$old_bin" -B "$new_bin" -d "$work/old" -D "$work/new" \
  -U postgres -s "$work" -p 20001 -P 20002 >"$work/pg_upgrade.log" 2>&1); then
  same "pg_upgrade from $old_version to $new_version" yes yes
else
  cat "$work/pg_upgrade.log" >&2
  find "$work/new" -name '*.log' -path '*pg_upgrade_output.d*' -exec tail -n 20 {} + >&2 || true
  fail "pg_upgrade from $old_version to $new_version failed"
fi
start "$new_bin" new 20002
use 20002 "$new_bin"
found=$(query -d taught -f tests/upgrade/rows.sql)
same "rows after pg_upgrade" "$after_answers" "$found"
found=$(settings taught)
same "settings after pg_upgrade" "$taught_settings" "$found"
fresh fresh
expected=$(catalog fresh)
found=$(catalog taught)
same "the catalog after pg_upgrade" "$expected" "$found"
found=$(answers taught)
same "answers after pg_upgrade" "$taught_answers" "$found"
found=$(query -d unchanged -f tests/upgrade/rows_0.1.0.sql)
same "rows of 0.1.0 after pg_upgrade" "$unchanged_rows" "$found"
query -d unchanged -c "SET client_min_messages = error" -c "ALTER EXTENSION pg_text2sql UPDATE"
found=$(query -d unchanged -f tests/upgrade/rows.sql)
same "rows of 0.1.0 after pg_upgrade and update" "$unchanged_rows" "$found"
found=$(catalog unchanged)
same "the catalog after pg_upgrade and update" "$expected" "$found"
query -d taught -c "CALL text2sql.refresh()"
query -d unchanged -c "CALL text2sql.refresh()"
found=$(answers unchanged)
same "answers after pg_upgrade and update" "$taught_answers" "$found"
query -d postgres -c "DROP DATABASE taught"

# 2. Dump and restore
fresh_database taught
query -d taught -o /dev/null -f "$work/taught.sql"
found=$(query -d taught -f tests/upgrade/rows.sql)
same "rows after a dump and restore" "$(unbound <<<"$taught_rows")" "$(unbound <<<"$found")"
found=$(catalog taught)
same "the catalog after a dump and restore" "$expected" "$(grep -v '^sequence text2sql._budget_' <<<"$found")"
query -d taught -c "CALL text2sql.refresh()"
found=$(answers taught)
same "answers after a dump and restore" "$taught_answers" "$found"
exit "$failures"
