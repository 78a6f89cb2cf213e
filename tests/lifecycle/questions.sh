# shellcheck shell=bash
# Sourced after own_cluster.sh: questions whose answers must be the same whatever else the server loads.
#   make_shop NAME   makes the database NAME with a table and the role NAME_analyst, who may ask; sets database, role
#   session          one session of that role; prints `answers`

make_shop() {
  database=$1
  role=$1_analyst
  fresh_database "$database"
  query -d "$database" -c "SET client_min_messages = warning" -c "CREATE EXTENSION pg_text2sql CASCADE" \
    -c "CREATE ROLE $role LOGIN" -c "SELECT text2sql.grant_access('$role')" \
    -c "CREATE TABLE orders (order_id integer PRIMARY KEY, total numeric)" \
    -c "INSERT INTO orders SELECT n, n FROM generate_series(1, 30000) AS n" \
    -c "GRANT SELECT ON orders TO $role" -c "CREATE ROLE ${role}_other" -c "GRANT ${role}_other TO $role" \
    -c "ANALYZE orders" >/dev/null
}

# One session: questions, refusals, what a pool does between its clients, a parallel plan.
session() {
  told -v VERBOSITY=terse -d "$database" -U "$role" <<SQL
SELECT status, sql FROM text2sql.ask('How many orders are there?');
SELECT result_rows FROM text2sql.run_json('SELECT max(total) AS greatest FROM orders');
SELECT * FROM text2sql.run_json('DELETE FROM orders');
SELECT * FROM text2sql.run_json('SELECT pg_sleep(1)');
SET text2sql.max_result_rows = 1;
DISCARD ALL;
SHOW text2sql.max_result_rows;
SELECT status FROM text2sql.ask('How many orders are there?');
SET ROLE ${role}_other;
SELECT text2sql._version();
RESET SESSION AUTHORIZATION;
SELECT current_user = '$role', status FROM text2sql.ask('How many orders are there?');
SET text2sql.max_rows = 1;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT actual_rows > 1 FROM text2sql.explain_plan('SELECT count(*) FROM orders WHERE total > 3', '{"analyze": true}')
WHERE trim(operation) = 'Gather';
SQL
}
answers='ok|SELECT count(*) AS orders
FROM orders AS o
[{"greatest": 30000}]
ERROR:  only SELECT is allowed
ERROR:  function pg_sleep(double precision) is not on the list of reviewed functions at character 8
1000
ok
ERROR:  permission denied for schema text2sql at character 8
t|ok
ERROR:  invalid configuration parameter name "text2sql.max_rows"
t'
