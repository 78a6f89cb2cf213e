#!/usr/bin/env bash
# Tries pg_text2sql on Citus: a coordinator and two workers, in clusters of its own that it removes at the end.
# The PostgreSQL of PG_CONFIG must have both extensions: Citus, and what install.sh has installed. Where Citus is not
# installed, nothing is tried and a line says so.
set -euo pipefail
# shellcheck source=tests/lifecycle/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tests/lifecycle/check.sh"

extensions=$("$pg_config" --sharedir)/extension
if [ ! -f "$extensions/citus.control" ]; then
  say "skipped: scripts/test_citus.sh needs Citus in the PostgreSQL of $pg_config"
  exit 0
fi
[ -f "$extensions/$extension.control" ] ||
  fail "the extension is not installed in $extensions" "run: scripts/install.sh"

nodes=(citus_coordinator citus_worker_a citus_worker_b)
clean_up() { for node in "${nodes[@]}"; do scripts/cluster.sh remove "$node"; done; }
trap clean_up EXIT
trap 'exit 130' INT TERM
declare -A host port
for node in "${nodes[@]}"; do
  scripts/cluster.sh remove "$node"
  scripts/cluster.sh start "$node"
  eval "$(scripts/cluster.sh env "$node")"
  # Citus must be the first that is preloaded.
  query -d postgres -c "ALTER SYSTEM SET shared_preload_libraries = citus, pg_text2sql"
  scripts/cluster.sh stop "$node"
  scripts/cluster.sh start "$node"
  eval "$(scripts/cluster.sh env "$node")"
  host[$node]=$PGHOST port[$node]=$PGPORT
  query -d postgres -c "ALTER SYSTEM SET citus.node_conninfo = 'sslmode=disable'" -c "SELECT pg_reload_conf()" >/dev/null
  query -d postgres -c "CREATE DATABASE shop" -c "ALTER DATABASE shop SET text2sql.maintenance_interval = 0"
  query -d shop -c "CREATE EXTENSION citus"
done
coordinator() { PGHOST=${host[citus_coordinator]} PGPORT=${port[citus_coordinator]} PGUSER=$1 query -d shop "${@:2}"; }
as_owner() { coordinator postgres "$@"; }
as_analyst() { coordinator analyst "$@"; }
as_owner -c "SELECT citus_set_coordinator_host('${host[citus_coordinator]}', ${port[citus_coordinator]})" >/dev/null
for node in citus_worker_a citus_worker_b; do
  as_owner -c "SELECT citus_add_node('${host[$node]}', ${port[$node]})" >/dev/null
done
as_owner -f tests/citus/shop.sql >/dev/null
say "$(as_owner -c "SELECT citus_version()")"

# The rows under the guard, and without it, in any order: a sub-query of Citus keeps none.
while IFS= read -r statement; do
  case $statement in '' | --*) continue ;; esac
  expected=$(as_analyst -c "SELECT jsonb_agg(to_jsonb(t) ORDER BY to_jsonb(t)) FROM ($statement) AS t" 2>&1) || true
  actual=$(as_analyst -v statement="$statement" 2>&1 <<<"SELECT jsonb_agg(row ORDER BY row) FROM text2sql.run_json(:'statement') AS r, jsonb_array_elements(r.result_rows::jsonb) AS row") || true
  same "$statement" "$expected" "$actual"
done <tests/citus/same_rows.sql

# The SQLSTATE of a statement under the guard.
code_of() {
  as_analyst -v statement="$1" -v ON_ERROR_STOP=0 2>/dev/null <<'SQL'
SELECT * FROM text2sql.run_json(:'statement') \g /dev/null
\echo :SQLSTATE
SQL
}
verdict_of() { as_analyst -v statement="$1" <<<"SELECT coalesce(rule, 'allowed') FROM text2sql.validate(:'statement')"; }
shard=$(as_owner -c "SELECT shard_name FROM citus_shards WHERE table_name = 'countries'::regclass LIMIT 1")
same "a shard is not read by its name" T2004 "$(code_of "SELECT name FROM $shard")"
same "a view over a shard is refused" view "$(
  as_owner -c "CREATE VIEW around AS SELECT * FROM $shard; GRANT SELECT ON around TO analyst" >/dev/null 2>&1
  verdict_of "SELECT * FROM around"
)"
same "what plans need is in no statement" T2004 "$(code_of "SELECT fetch_intermediate_results(ARRAY['x'], 'a.foreign.host', 5432)")"
same "and in no statement that registers it" T2004 "$(
  as_owner -c "ALTER ROLE analyst SET text2sql.allowed_functions = 'pg_catalog.fetch_intermediate_results(text[], text, integer)'" >/dev/null
  code_of "SELECT fetch_intermediate_results(ARRAY['x'], 'a.foreign.host', 5432)"
)"
as_owner -c "ALTER ROLE analyst RESET text2sql.allowed_functions" >/dev/null
far="SELECT i.product, count(*) FROM items i JOIN orders o ON o.order_id = i.order_id GROUP BY 1 ORDER BY 1"
same "what Citus cannot plan is a verdict" error "$(verdict_of "$far")"
as_owner -c "ALTER DATABASE shop SET citus.enable_repartition_joins = on"
same "a join that repartitions runs if Citus may" 00000 "$(code_of "$far")"
as_owner -c "ALTER DATABASE shop RESET citus.enable_repartition_joins"
same "protection covers a distributed table" "relation" "$(
  as_owner -c "SELECT text2sql.protect('countries', 'hidden')" >/dev/null
  verdict_of "SELECT name FROM countries"
  as_owner -c "SELECT text2sql.protect('countries', 'open')" >/dev/null
)"
same "permissions can be read" 00000 "$(code_of "SELECT table_name FROM text2sql.permissions")"
prompt=$(as_analyst -c "SELECT text2sql.preview_prompt('How many orders are there?')")
same "a prompt tells how tables are distributed" "countries (a copy on every worker; primary key country_id)
orders (distributed by customer_id; primary key customer_id, order_id)" "$(grep -E '^(orders|countries)' <<<"$prompt")"
same "and shows no shard" "" "$(grep -E '^[a-z]+_[0-9]{6} ' <<<"$prompt" | grep -v events_102999 || true)"
same "a question is answered" "ok 6000" "$(as_analyst -c "SELECT status || ' ' || (result_rows -> 0 ->> 'orders') FROM text2sql.ask('How many orders are there?')")"
same "a superuser sees which role runs the query" "failed 08001" "$(as_owner -c "SELECT status || ' ' || sqlstate FROM text2sql.ask('How many orders are there?')" 2>&1)"
same "and asks with one that can log in" "ok" "$(
  as_owner -c "CREATE ROLE text2sql_reader LOGIN IN ROLE pg_read_all_data" >/dev/null
  as_owner -c "SET text2sql.run_as = 'text2sql_reader'" -c "SELECT status FROM text2sql.ask('How many orders are there?')"
)"
same "the estimates of a distributed plan are not given" "t" "$(as_analyst -c "SELECT estimated_cost IS NULL AND estimated_rows IS NULL FROM text2sql.validate('SELECT count(*) FROM orders')")"
# A query that runs for minutes, on the workers.
long="SELECT count(*) FROM orders a JOIN orders b USING (customer_id) JOIN orders c USING (customer_id) JOIN orders d USING (customer_id) JOIN orders e USING (customer_id)"
on_workers() {
  local node
  for node in citus_worker_a citus_worker_b; do
    PGHOST=${host[$node]} PGPORT=${port[$node]} query -U postgres -d shop -c "SELECT count(*) FROM pg_stat_activity
      WHERE state = 'active' AND usename = 'analyst'"
  done
}
as_owner -c "ALTER ROLE analyst SET text2sql.query_timeout = '700ms'"
started=$EPOCHREALTIME
same "a time limit ends a query on the workers" 57014 "$(code_of "$long")"
seconds=$(awk "BEGIN { printf \"%.1f\", $EPOCHREALTIME - $started }")
say "a limit of 0.7 s ended after $seconds s"
same "within 5 s" yes "$(awk "BEGIN { print ($seconds < 5 ? \"yes\" : \"no\") }")"
same "and leaves nothing there" "0
0" "$(on_workers)"
as_owner -c "ALTER ROLE analyst RESET text2sql.query_timeout"
# shellcheck source=tests/citus/refresh.sh
source tests/citus/refresh.sh
scripts/cluster.sh stop citus_worker_b
same "a worker that is down is a warning, and what was known stays" "1 cancelled, mislaid, open, paid, returned" "$(
  refreshed | grep -c 'left out the tables of a node of Citus that did not answer'
) $(values_of orders status)"
same "a worker that is down is a status" "failed 08001" "$(as_analyst -c "SELECT status || ' ' || sqlstate FROM text2sql.ask('How many orders are there?')" 2>&1)"
exit "$failures"
