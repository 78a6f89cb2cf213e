#!/usr/bin/env bash
# Questions beside other libraries that hook into the server, loaded before this one and after it. Tries those that
# are installed on the server and reports the others as skipped.
set -euo pipefail
# shellcheck source=tests/lifecycle/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"
# shellcheck source=tests/lifecycle/own_cluster.sh
source "$(dirname "${BASH_SOURCE[0]}")/own_cluster.sh"
# shellcheck source=tests/lifecycle/questions.sh
source "$(dirname "${BASH_SOURCE[0]}")/questions.sh"

libraries=$("$pg_config" --pkglibdir)
has() { [ -e "$libraries/$1.so" ]; }

# In an order in which they can be loaded: pg_stat_kcache wants to come after pg_stat_statements.
others=()
for library in pg_stat_statements auto_explain passwordcheck auth_delay pgaudit pg_hint_plan pg_stat_kcache \
  pg_qualstats pg_wait_sampling set_user plpgsql_check pg_cron; do
  if has "$library"; then
    others+=("$library")
  else
    say "skipped: beside_others/$library needs the library $library for PostgreSQL $postgres_major"
  fi
done
has hypopg || say "skipped: beside_others/hypopg needs the extension hypopg for PostgreSQL $postgres_major"
# The guard's corpus.
if [ -d ../shared ]; then TEXT2SQL_SHARED=$(cd ../shared && pwd -P) && export TEXT2SQL_SHARED; fi
list=$(IFS=,; echo "${others[*]}")

own_cluster lifecycle_beside_others
# They write down whatever they can.
recording="log_line_prefix = '%u@%d '
max_connections = 50
log_statement = 'all'
log_min_duration_statement = 0
pg_stat_statements.track = 'all'
pg_stat_statements.track_planning = on
auto_explain.log_min_duration = 0
auto_explain.log_analyze = on
auto_explain.log_verbose = on
auto_explain.log_nested_statements = on
pgaudit.log = 'all'
pgaudit.log_parameter = on
pgaudit.role = 'lifecycle_beside_others_auditor'
cron.database_name = 'postgres'"
first="shared_preload_libraries = 'pg_text2sql,$list'"
last="shared_preload_libraries = '$list,pg_text2sql'"

restart_with "$last
$recording"
make_shop lifecycle_beside_others
query -d "$database" -c "CREATE ROLE ${database}_auditor" -c "GRANT SELECT ON orders TO ${database}_auditor"
for library in "${others[@]}" hypopg; do
  has "$library" || continue
  # passwordcheck, auth_delay and auto_explain are libraries alone; pg_cron is for the database that it was given.
  [ ! -e "$("$pg_config" --sharedir)/extension/$library.control" ] || [ "$library" = pg_cron ] ||
    query -d "$database" -c "SET client_min_messages = warning" -c "CREATE EXTENSION $library"
done

# No hint in a statement of a model changes its estimated cost.
costs="SELECT count(DISTINCT v.estimated_cost), count(*) FROM unnest(ARRAY['',
  '/*+ Set(seq_page_cost 0) Set(cpu_tuple_cost 0) Set(cpu_operator_cost 0) */',
  '/*+ Rows(a b #1) */', '/*+ MergeJoin(a b) Leading(b a) */', '/*+ Parallel(a 4 hard) Set(parallel_setup_cost 0) */',
  '/*+ Set(work_mem \"1GB\") Set(transaction_read_only off) Set(statement_timeout 0) Set(row_security off) */']) AS hint,
  text2sql.validate(hint || 'SELECT count(*) FROM orders a JOIN orders b ON a.total = b.total') AS v"

api_key=sk-lifecycle-beside-others-4711
query -d "$database" -c "CREATE SERVER unreachable FOREIGN DATA WRAPPER text2sql
    OPTIONS (protocol 'openai', base_url 'http://127.0.0.1:9/v1', model 'm', allow_private 'true', allow_http 'true', timeout_ms '1000')" \
  -c "CREATE USER MAPPING FOR $role SERVER unreachable OPTIONS (api_key '$api_key')" \
  -c "GRANT USAGE ON FOREIGN SERVER unreachable TO $role"
# It needs the server's own libpq, which a copied server may not find.
fdw=
if query -d "$database" -c "CREATE EXTENSION postgres_fdw" 2>/dev/null; then
  fdw=yes
  query -d "$database" -c "CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$PGHOST', port '$PGPORT', dbname '$database')" \
    -c "CREATE USER MAPPING FOR $role SERVER elsewhere OPTIONS (user '$role', password_required 'false')" \
    -c "CREATE FOREIGN TABLE orders_elsewhere (order_id integer, total numeric) SERVER elsewhere OPTIONS (table_name 'orders')" \
    -c "GRANT SELECT ON orders_elsewhere TO $role"
else
  say "skipped: beside_others/postgres_fdw needs the extension postgres_fdw for PostgreSQL $postgres_major"
fi

# What is tried here is what the document says.
missing=$(awk -F ' *[|] *' -v libraries="${others[*]}" -v column=$((postgres_major - 12)) '
  BEGIN { count = split(libraries, wanted, " ") }
  /^[|] [|] 15 [|]/ { is_table = 1; next }
  is_table && !/^[|]/ { is_table = 0 }
  is_table && $column != "" { names = split($2, name, ", "); for (i = 1; i <= names; i++) listed[name[i]] = 1 }
  END { for (i = 1; i <= count; i++) if (!(wanted[i] in listed)) print wanted[i] }' docs/administration.md)
same "docs/administration.md lists what is tried" "" "$missing"

for order in last first; do
  restart_with "${!order}
$recording"
  begin=$(log_length)
  found=$(session)
  same "loaded $order: questions, refusals, a pool and parallel workers" "$answers" "$found"

  found=$(told -v VERBOSITY=terse -d "$database" <<SQL
SET text2sql.query_timeout = '200ms';
SET SESSION AUTHORIZATION $role;
SET text2sql.max_result_rows = 2;
SELECT row_count, truncated FROM text2sql.run_json('SELECT order_id FROM orders');
SELECT 1 FROM text2sql.run_json('WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r');
SELECT 1 FROM text2sql.run_json('SELECT count(*) FROM orders a, orders b, orders c');
SQL
  )
  found=$(sed -E 's/cost of [0-9]+/cost of …/' <<<"$found")
  same "loaded $order: limits" '2|t
ERROR:  the statement took longer than text2sql.query_timeout (200 ms)
ERROR:  the planner expects a cost of …, more than text2sql.max_cost (5000000)' "$found"

  found=$(told -d "$database" <<'SQL'
CREATE TABLE moved (a integer);
SELECT FROM text2sql.protect('moved', 'hidden');
ALTER TABLE moved RENAME TO renamed;
SELECT object, level FROM text2sql.protected;
DROP TABLE renamed;
SELECT count(*) FROM text2sql.protected;
SQL
  )
  same "loaded $order: protection follows DDL" "public.renamed|hidden
0" "$found"

  if [ "$fdw" = yes ]; then
    found=$(told -v VERBOSITY=terse -d "$database" <<SQL
SET SESSION AUTHORIZATION $role;
SELECT result_rows FROM text2sql.run_json('SELECT max(total) AS greatest FROM orders_elsewhere');
RESET SESSION AUTHORIZATION;
SET text2sql.allow_foreign_tables = on;
SET SESSION AUTHORIZATION $role;
SELECT result_rows FROM text2sql.run_json('SELECT max(total) AS greatest FROM orders_elsewhere');
SQL
    )
    same "loaded $order: postgres_fdw" 'ERROR:  public.orders_elsewhere is a foreign table at character 36
[{"greatest": 30000}]' "$found"
  fi

  if has hypopg; then
    found=$(told -d "$database" -U "$role" -c "SELECT sql, cost_after < cost_before
      FROM text2sql.optimize('SELECT * FROM orders WHERE total = 5') WHERE kind = 'index'")
    same "loaded $order: hypopg: an index has a price" \
      "CREATE INDEX CONCURRENTLY ON public.orders (total)|t" "$found"
  fi

  # Nothing listens on that port; the key was read and the request made.
  found=$(told -v VERBOSITY=terse -d "$database" -U "$role" -c "SET text2sql.model = 'unreachable'" \
    -c "SELECT status, sqlstate FROM text2sql.ask('How many orders are there?', options => '{\"without\": [\"route\"]}')")
  same "loaded $order: a question to a model" "failed|08006" "$found"

  if has pg_hint_plan; then
    found=$(query -d "$database" -U "$role" -c "$costs")
    same "loaded $order: pg_hint_plan: no hint of a model changes a plan" "1|6" "$found"
    hint="/*+ SeqScan(orders) */ EXPLAIN (COSTS off) SELECT FROM orders WHERE order_id = 1"
    found=$(query -d "$database" -U "$role" -c "$hint" -c "SELECT status FROM text2sql.ask('How many orders are there?')" -c "$hint" |
      grep -v Filter)
    same "loaded $order: pg_hint_plan: hints of the caller work before and after a question" "Seq Scan on orders
ok
Seq Scan on orders" "$found"
  fi

  recorded=$(log_after "$begin")
  if has pgaudit; then
    found=$(grep -cE "^$role@$database LOG:  AUDIT: OBJECT,.*,READ,SELECT,TABLE,public.orders,\"SELECT count\(\*\) AS orders" <<<"$recorded" || true)
    same "loaded $order: pgaudit: what ran is audited, as the caller" 1 "$((found >= 3))"
  fi
  if has auto_explain; then
    found=$(grep -A1 'Query Text: SELECT max(total) AS greatest FROM orders$' <<<"$recorded" | grep -oE 'Aggregate.*loops=1' |
      sed -E 's/.*(rows=1)(\.00)? loops=1/\1/' | sort -u)
    same "loaded $order: auto_explain: what ran is measured" rows=1 "$found"
  fi
  if has pg_stat_statements; then
    found=$(query -d "$database" -c "SELECT bool_and(NOT toplevel), sum(calls) > 0, sum(plans) > 0 FROM pg_stat_statements AS s
      JOIN pg_database AS d ON d.oid = s.dbid WHERE d.datname = current_database() AND query LIKE 'SELECT max(total)%orders'")
    same "loaded $order: pg_stat_statements: what ran is counted" "t|t|t" "$found"
  fi
  found=$(grep -c "$api_key" <<<"$recorded" || true)
  same "loaded $order: no line of the log has the key of a model" 0 "$found"
  found=$(log_after "$begin" | grep -E ' (WARNING|PANIC):  |pgaudit stack|terminated by signal' || true)
  same "loaded $order: nothing complains" "" "$found"

  # Without the log of each of its thousands of statements.
  restart_with "${!order}
auto_explain.log_min_duration = 0
auto_explain.log_nested_statements = on
auto_explain.log_level = debug1
pg_stat_statements.track = 'all'
pg_stat_statements.track_planning = on
pgaudit.log = 'read'
pgaudit.log_level = 'debug1'"
  cargo test --quiet "${everything[@]}" --test guard -- corpus:: || failures=$((failures + 1))
done

exit "$failures"
