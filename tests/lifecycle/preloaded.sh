#!/usr/bin/env bash
# The library in a session that loads it by a call, in session_preload_libraries, in shared_preload_libraries and
# in local_preload_libraries: questions, the guard, settings that were made before it was loaded, and processes
# of the server that have no use for it.
set -euo pipefail
# shellcheck source=tests/lifecycle/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"
# shellcheck source=tests/lifecycle/own_cluster.sh
source "$(dirname "${BASH_SOURCE[0]}")/own_cluster.sh"

# shellcheck source=tests/lifecycle/questions.sh
source "$(dirname "${BASH_SOURCE[0]}")/questions.sh"

own_cluster lifecycle_preloaded
make_shop lifecycle_preloaded
major=$(query -d postgres -c "SELECT current_setting('server_version_num')::int / 10000")

# The configuration of each way, with more lines; without any, the library comes with the first call.
configure() {
  local preload=
  [ "$1" = none ] || preload="${1}_preload_libraries = 'pg_text2sql'"
  restart_with "$preload${2:+$'\n'$2}"
}

# A session that the client, or the role, gave a setting before the library is loaded.
with_options() {
  PGOPTIONS=$1 told -v VERBOSITY=terse -d "$database" -U "$role" -c "SELECT text2sql._version() <> ''" -c "$2" |
    sed -e 's/.*FATAL:  /refused: /' -e '/^DETAIL: /d'
}

for mode in none session shared; do
  configure "$mode"
  found=$(told -d postgres -c "SELECT 'no extension here'")
  same "$mode: a database without the extension" "no extension here" "$found"
  found=$(told -d postgres -c "SHOW text2sql.model")
  known='builtin'
  [ "$mode" != none ] || known='ERROR:  unrecognized configuration parameter "text2sql.model"'
  same "$mode: settings before the first call" "$known" "$found"
  # The embedder's file is mapped once, for all sessions, where the postmaster loads the library.
  if [ -f "$("$pg_config" --sharedir)/$encoder_directory/${encoder_file##*/}" ]; then
    expected=0
    [ "$mode" != shared ] || expected=1
    found=$(as_server_user grep -c "${encoder_file##*/}" "/proc/$(as_server_user head -n 1 "$data/postmaster.pid")/maps" || true)
    same "$mode: maps of the embedder's file in the postmaster" "$expected" "$found"
  fi
  found=$(session)
  same "$mode: questions, refusals, a pool and parallel workers" "$answers" "$found"

  found=$(with_options "-c text2sql.max_result_rows=3" "SHOW text2sql.max_result_rows")
  same "$mode: a setting of the client" "t
3" "$found"
  # Where the settings exist before the client's are read, a bad one ends the connection, as one of the server does.
  while IFS='|' read -r setting problem default; do
    found=$(with_options "-c $setting" "SHOW ${setting%%=*}")
    expected="WARNING:  $problem
t
$default"
    [ "$mode" != shared ] || expected="refused: $problem"
    same "$mode: a bad setting of the client: ${setting%%=*}" "$expected" "$found"
  done <<'BAD'
text2sql.max_result_rows=0|0 is outside the valid range for parameter "text2sql.max_result_rows" (1 .. 2147483647)|1000
text2sql.query_timeout=1h|permission denied to set parameter "text2sql.query_timeout"|30s
text2sql.max_concurrency=77|parameter "text2sql.max_concurrency" cannot be changed now|8
BAD
  found=$(with_options "-c text2sql.typo=1" "SELECT 'goes on'")
  expected='WARNING:  invalid configuration parameter name "text2sql.typo", removing it
t
goes on'
  [ "$mode" != shared ] || expected='refused: invalid configuration parameter name "text2sql.typo"'
  same "$mode: a setting of the client that does not exist" "$expected" "$found"

  found=$(told -v VERBOSITY=terse -d "$database" -U "$role" -c "ALTER ROLE $role SET text2sql.query_timeout = '1h'")
  same "$mode: no role raises its own limits" \
    'ERROR:  permission denied to set parameter "text2sql.query_timeout"' "$found"

  configure "$mode" "text2sql.max_result_rows = 0
text2sql.typo = 1
text2sql.max_concurrency = 12"
  found=$(with_options "" "SHOW text2sql.max_result_rows" | tail -n 2)
  same "$mode: bad settings in the configuration file" "t
1000" "$found"
  found=$(with_options "" "SHOW text2sql.max_concurrency" | tail -n 1)
  same "$mode: a good one beside them" 12 "$found"
done

# ALTER SYSTEM, in a session that has loaded the library and in one that has not: only the first can check.
configure none
alter_system() {
  told -v VERBOSITY=terse -d "$database" ${2:+-c "$2"} -c "ALTER SYSTEM SET $1"
  query -d "$database" -c "ALTER SYSTEM RESET ALL"
}
load="LOAD 'pg_text2sql'"
found=$(alter_system "text2sql.max_concurrency = 20" "$load")
same "ALTER SYSTEM with the library" "" "$found"
found=$(alter_system "text2sql.max_concurrency = 'many'" "$load")
same "ALTER SYSTEM with the library and a bad value" \
  'ERROR:  invalid value for parameter "text2sql.max_concurrency": "many"' "$found"
found=$(alter_system "text2sql.typo = 1" "$load")
found=$(sed 's/invalid configuration parameter name/unrecognized configuration parameter/' <<<"$found")
same "ALTER SYSTEM with the library and a bad name" 'ERROR:  unrecognized configuration parameter "text2sql.typo"' "$found"
found=$(alter_system "text2sql.max_concurrency = 20" "")
# From 17 on the server keeps settings of libraries that it has not loaded.
expected=
[ "$major" -ge 17 ] || expected='ERROR:  unrecognized configuration parameter "text2sql.max_concurrency"'
same "ALTER SYSTEM without the library" "$expected" "$found"

# Only libraries in $libdir/plugins are for everybody.
found=$(PGOPTIONS="-c local_preload_libraries=pg_text2sql" told -d "$database" -U "$role" -c "SELECT 1" |
  sed 's/.*FATAL:  //')
same "local_preload_libraries" "could not access file \"\$libdir/plugins/pg_text2sql\": No such file or directory" "$found"
found=$(told -d "$database" -U "$role" -c "LOAD 'pg_text2sql'")
same "LOAD by a role that is not a superuser" 'ERROR:  access to library "pg_text2sql" is not allowed' "$found"

# Processes that have no use for the library: autovacuum, replication, a backup, a single-user server, pg_upgrade.
preloaded="shared_preload_libraries = 'pg_text2sql'"
restart_with "$preloaded
wal_level = logical
autovacuum_naptime = 1s"
begin=$(log_length)
query -d "$database" -c "CREATE TABLE vacuumed (a integer) WITH (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0)" \
  -c "INSERT INTO vacuumed SELECT generate_series(1, 1000)" -c "DELETE FROM vacuumed"
found=$(wait_for t -d "$database" -c "SELECT autovacuum_count > 0 FROM pg_stat_user_tables WHERE relname = 'vacuumed'")
same "preloaded: autovacuum" "" "$found"

fresh_database "${database}_copy"
query -d "${database}_copy" -c "CREATE TABLE orders (order_id integer PRIMARY KEY, total numeric)"
query -d "$database" -c "CREATE PUBLICATION orders FOR TABLE orders" \
  -c "SELECT pg_create_logical_replication_slot('$database', 'pgoutput')" >/dev/null
query -d "${database}_copy" -c "CREATE SUBSCRIPTION orders
  CONNECTION 'host=$PGHOST port=$PGPORT user=$PGUSER dbname=$database' PUBLICATION orders
  WITH (create_slot = false, slot_name = '$database')"
query -d "$database" -c "INSERT INTO orders VALUES (0, 0)"
found=$(wait_for 30001 -d "${database}_copy" -c "SELECT count(*) FROM orders")
same "preloaded: logical replication" "" "$found"
# It drops the slot too, which pg_upgrade would not take along.
query -d "${database}_copy" -c "SET client_min_messages = warning" -c "DROP SUBSCRIPTION orders"
query -d postgres -c "DROP DATABASE ${database}_copy"

as_server_user "$bindir/pg_basebackup" -D "$PGHOST/backup" -X fetch -c fast
found=$(as_server_user cat "$PGHOST/backup/PG_VERSION")
same "preloaded: a base backup" "$major" "$found"
# A worker that starts while its database is dropped ends as one of autovacuum does.
found=$(log_after "$begin" | grep -E ' (WARNING|ERROR|FATAL|PANIC):' |
  grep -vE 'administrator command|FATAL:  database [0-9]+ does not exist$' || true)
same "preloaded: no process complains" "" "$found"

scripts/cluster.sh stop "$cluster"
found=$(as_server_user "$bindir/postgres" --single -D "$data" "$database" 2>&1 \
  <<<"SELECT status, text2sql._version() <> '' AS called FROM text2sql.ask('How many orders are there?')" | grep -o '= "[a-z]*"')
same "preloaded: a single-user server" '= "ok"
= "t"' "$found"

# pg_upgrade starts both clusters in binary-upgrade mode, here with the library in both.
upgraded=$PGHOST/upgraded
as_server_user "$bindir/initdb" --pgdata="$upgraded" --username=postgres --encoding=UTF8 --locale=C.UTF-8 \
  --lc-messages=C --auth-local=trust --auth-host=scram-sha-256 --no-sync --no-instructions >/dev/null
as_server_user cp "$data/postgresql.conf" "$upgraded"
as_server_user tee "$data/tried.conf" "$upgraded/tried.conf" >/dev/null <<<"$preloaded"
# shellcheck disable=SC2016
found=$(as_server_user sh -c 'cd "$1" && "$2/pg_upgrade" -b "$2" -B "$2" -d data -D upgraded -U postgres -s "$1"' \
  sh "$PGHOST" "$bindir" 2>&1 | grep -E '^Upgrade Complete|error|fatal|FATAL|ERROR' || true)
same "preloaded: pg_upgrade" "Upgrade Complete" "$found"
as_server_user mv "$data" "$PGHOST/before"
as_server_user mv "$upgraded" "$data"
scripts/cluster.sh start "$cluster"
found=$(session)
same "preloaded: questions after pg_upgrade" "$answers" "$found"

exit "$failures"
