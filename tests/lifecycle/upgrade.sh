#!/usr/bin/env bash
# ALTER EXTENSION pg_text2sql UPDATE from 0.1.0: the catalog becomes that of a new installation, nothing is lost, and
# what stands in the way is named. TEXT2SQL_SHARED is a directory with released/demo-0.1.0.dump, for the last part.
set -euo pipefail
# shellcheck source=tests/lifecycle/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"

old=lifecycle_upgrade_old
new=lifecycle_upgrade_new
role=lifecycle_upgrade
roles=("$role"_analyst "$role"_curator "$role"_evaluator "$role"_single "$role"_less)
variables=(-v "analyst=${role}_analyst" -v "curator=${role}_curator" -v "evaluator=${role}_evaluator" -v "single=${role}_single" -v "less=${role}_less")
drop_all() {
  local one
  query -d postgres -c "SET client_min_messages = warning" -c "DROP DATABASE IF EXISTS $old" -c "DROP DATABASE IF EXISTS $new" \
    -c "DROP DATABASE IF EXISTS ${old}_restored"
  for one in "${roles[@]}" "${role}_admin"; do query -d postgres -c "SET client_min_messages = warning" -c "DROP ROLE IF EXISTS $one"; done
}
drop_all
for one in "${roles[@]}"; do query -d postgres -c "CREATE ROLE $one LOGIN"; done
q() { query -d "$old" -c "SET client_min_messages = warning" "$@"; }
# The messages of a statement, without their context, and without those of PostgreSQL about settings of 0.1.0.
said() {
  "$bindir/psql" -X -At -q -d "$1" -c "SET client_min_messages = warning" -c "$2" 2>&1 |
    sed -n 's/^\(ERROR\|WARNING\|DETAIL\|HINT\):  */\1: /p' | grep -v 'invalid configuration parameter name "text2sql\|"text2sql" is now a reserved prefix' || true
}
install_old() {
  fresh_database "$old"
  q -c "CREATE EXTENSION pg_text2sql VERSION '0.1.0' CASCADE"
}

# 1. A library that is newer than the functions.
install_old
found=$(said "$old" "SELECT text2sql.ask('How many?')"; said "$old" "SELECT text2sql.show('How many?')"; said "$old" "SELECT text2sql.add_example('a', 'SELECT 1')")
same "functions of 0.1.0 say what to do" "ERROR: function ask belongs to version 0.1.0 of the extension
DETAIL: The library is version $(query -d "$old" -c "SELECT text2sql.version()").
HINT: ALTER EXTENSION pg_text2sql UPDATE
ERROR: function show belongs to version 0.1.0 of the extension
DETAIL: The library is version $(query -d "$old" -c "SELECT text2sql.version()").
HINT: ALTER EXTENSION pg_text2sql UPDATE
ERROR: the extension of this database is version 0.1.0, and the library is version $(query -d "$old" -c "SELECT text2sql.version()")
HINT: ALTER EXTENSION pg_text2sql UPDATE" "$found"
# Every C function, with NULLs: an error or a harmless result, and the session survives.
outcome=$(query -d "$old" <<'SQL'
SET client_min_messages = error;
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN
        SELECT p.oid::regprocedure AS name, p.prokind,
               (SELECT string_agg(format('NULL::%s', format_type(t, NULL)), ', ' ORDER BY n) FROM unnest(p.proargtypes) WITH ORDINALITY AS a(t, n)) AS arguments
          FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang AND l.lanname = 'c'
         WHERE p.pronamespace = 'text2sql'::regnamespace AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
           AND NOT 'pg_ddl_command'::regtype = ANY (p.proargtypes)
    LOOP
        BEGIN
            EXECUTE format(CASE one.prokind WHEN 'p' THEN 'CALL %s(%s)'
                ELSE CASE WHEN one.name::text ~ '(ask_rows|[.]run)[(]' THEN 'SELECT * FROM %s(%s) AS t(a text)' ELSE 'SELECT * FROM %s(%s)' END END,
                split_part(one.name::text, '(', 1), one.arguments);
        EXCEPTION WHEN OTHERS THEN
            IF SQLSTATE NOT IN ('55000', '22004', '22023') AND SQLERRM <> 'argument 0 must not be null' THEN
                RAISE EXCEPTION '% gives %: %', one.name, SQLSTATE, SQLERRM;
            END IF;
        END;
    END LOOP;
END
$$;
SELECT 'alive';
SQL
)
same "every C function of 0.1.0 under the new library" alive "$outcome"

# 2. A used database.
query -d "$old" "${variables[@]}" -f tests/upgrade/fill_0.1.0.sql >/dev/null
found=$(said "$old" "ALTER TABLE shop.orders RENAME TO purchases"; said "$old" "ALTER TABLE shop.purchases RENAME TO orders"
  said "$old" "COMMENT ON TABLE shop.orders IS 'sold'"; said "$old" "GRANT SELECT ON shop.orders TO PUBLIC"; said "$old" "CREATE TABLE shop.gone ()"; said "$old" "DROP TABLE shop.gone")
same "DDL in a database that is not updated" "" "$found"
query -d "$old" -c "ALTER DATABASE $old SET text2sql.max_rows = 50" -c "ALTER DATABASE $old SET text2sql.history_days = 30" \
  -c "ALTER DATABASE $old SET text2sql.candidates = 2" -c "ALTER DATABASE $old SET text2sql.stages_off = 'rewrite, judge'" -c "ALTER DATABASE $old SET text2sql.score_weights = 'correctness 0.4, safety 0.2, efficiency 0.1, completeness 0.1, semantic_accuracy 0.1, best_practices 0.05, plan_quality 0.05'" \
  -c "ALTER DATABASE $old SET text2sql.model = 'upgrade_model'" -c "ALTER DATABASE $old SET text2sql.max_cost_ceiling = '1000000'" -c "ALTER DATABASE $old SET work_mem = '5MB'" \
  -c "ALTER ROLE ${role}_analyst IN DATABASE $old SET text2sql.statement_limit = '2min'" -c "ALTER ROLE ${role}_analyst IN DATABASE $old SET text2sql.memory_limit = 0" \
  -c "ALTER ROLE ${role}_analyst IN DATABASE $old SET text2sql.max_concurrency = 3" -c "ALTER ROLE ${role}_curator SET text2sql.narrate = off" \
  -c "ALTER ROLE ${role}_curator SET text2sql.repair = 'sometimes'" -c "GRANT SET ON PARAMETER text2sql.work_mem_ceiling TO ${role}_analyst"
before=$(query -d "$old" -f tests/upgrade/rows_0.1.0.sql)

# 3. What stands in the way is named, and the update leaves nothing behind.
found=$(PGUSER=${role}_analyst said "$old" "ALTER EXTENSION pg_text2sql UPDATE")
same "a role that may not" "ERROR: must be owner of extension pg_text2sql" "$found"
catalog_before=$(query -d "$old" -f tests/upgrade/catalog.sql)
q -c "CREATE VIEW shop.asked AS SELECT question FROM text2sql.history" -c "CREATE FUNCTION shop.old(text2sql.runs) RETURNS int LANGUAGE sql AS 'SELECT 1'" \
  -c "CREATE TABLE text2sql.notes (id int)" -c "ALTER TABLE text2sql.history ADD COLUMN team text" -c "CREATE INDEX history_by_model ON text2sql.history (model)" \
  -c "CREATE PUBLICATION ${role}_publication FOR TABLE text2sql.suites" 2>/dev/null
found=$(said "$old" "ALTER EXTENSION pg_text2sql UPDATE")
same "objects of users" "ERROR: objects of users use objects of version 0.1.0 of the extension, or are in its schema
DETAIL: They are column team of table text2sql.history, function shop.old(text2sql.runs), index text2sql.history_by_model, publication of table text2sql.suites in publication ${role}_publication, table text2sql.notes, view shop.asked.
HINT: Keep their definitions, drop them, run ALTER EXTENSION pg_text2sql UPDATE again, and create them with the names of the new version: docs/upgrade.md lists these." "$found"
q -c "DROP VIEW shop.asked" -c "DROP FUNCTION shop.old" -c "DROP TABLE text2sql.notes" -c "ALTER TABLE text2sql.history DROP COLUMN team" -c "DROP INDEX text2sql.history_by_model" -c "DROP PUBLICATION ${role}_publication"
found=$(said "$old" "BEGIN; ALTER EXTENSION pg_text2sql UPDATE; ROLLBACK")
same "an update that is rolled back" WARNING "${found%%:*}"
found=$(said "$old" "SET statement_timeout = '50ms'; ALTER EXTENSION pg_text2sql UPDATE" | sed -n 's/^ERROR: //p')
same "an update that is cancelled" "canceling statement due to statement timeout" "$found"
q -c "CREATE SCHEMA text2sql_eval"
found=$(said "$old" "ALTER EXTENSION pg_text2sql UPDATE" | grep -v WARNING | grep -v "HINT: To build it again")
same "a schema of the name of a new one" 'ERROR: schema "text2sql_eval" already exists' "$found"
q -c "DROP SCHEMA text2sql_eval"
found=$(query -d "$old" -f tests/upgrade/catalog.sql)
same "nothing is left of updates that failed" "$catalog_before" "$found"
found=$(query -d "$old" -f tests/upgrade/rows_0.1.0.sql)
same "rows after updates that failed" "$before" "$found"

# 4. The update, by another superuser than the owner of the extension.
query -d postgres -c "CREATE ROLE ${role}_admin SUPERUSER LOGIN"
found=$(PGUSER=${role}_admin said "$old" "ALTER EXTENSION pg_text2sql UPDATE")
same "what the update says" "WARNING: the search index was dropped, because its format has changed
HINT: To build it again, run CALL text2sql.refresh();
WARNING: shop.orders.amount has more than 100 synonyms: only the first 100 were kept
DETAIL: The others were: word 101.
WARNING: limits above the ceilings of 0.1.0 were lowered to them: ALTER ROLE ${role}_analyst IN DATABASE $old SET text2sql.memory_limit = '0' became 2097152kB
HINT: Ceilings are gone: set a limit with ALTER ROLE or ALTER DATABASE, or with GRANT SET ON PARAMETER let a role choose.
WARNING: settings could not be converted: ALTER ROLE ${role}_analyst IN DATABASE $old SET text2sql.max_concurrency = '3' (it is set in the configuration file now); ALTER ROLE ${role}_curator SET text2sql.tuning = '{\"repair_on\": \"sometimes\"}'
HINT: docs/upgrade.md lists the new settings." "$found"
after=$(query -d "$old" -f tests/upgrade/rows.sql)
same "rows after the update" "$before" "$after"
found=$(said "$old" "ALTER EXTENSION pg_text2sql UPDATE")
same "a second update" "" "$found"

# 5. The catalog of a new installation with the same roles.
fresh_database "$new"
query -d "$new" "${variables[@]}" -c "SET client_min_messages = warning" -c "CREATE EXTENSION pg_text2sql CASCADE" >/dev/null
query -d "$new" "${variables[@]}" -f tests/upgrade/grants.sql >/dev/null
expected=$(query -d "$new" -f tests/upgrade/catalog.sql)
found=$(query -d "$old" -f tests/upgrade/catalog.sql)
same "the catalog after the update" "$expected" "$found"

# 6. It works: through the views and functions, as the roles that were granted before.
found=$(query -d "$old" -c "SELECT setdatabase <> 0, setrole::regrole, array_to_string(ARRAY(SELECT c FROM unnest(setconfig) AS c ORDER BY c), ' ')
  FROM pg_db_role_setting s WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = '$old') OR setrole::regrole::text LIKE '$role%' ORDER BY 1, 2")
same "settings after the update" "f|${role}_curator|text2sql.tuning={\"enable_narration\": false}
t|-|text2sql.history_retention=30d text2sql.maintenance_interval=0 text2sql.max_cost=1000000 text2sql.max_result_rows=50 text2sql.model=upgrade_model text2sql.tuning={\"without\": [\"interpret\", \"judge\"], \"candidates\": 2, \"score_weights\": {\"safety\": 0.2, \"efficiency\": 0.1, \"correctness\": 0.4, \"completeness\": 0.1, \"plan_quality\": 0.05, \"best_practices\": 0.05, \"semantic_accuracy\": 0.1}} work_mem=5MB
t|${role}_analyst|text2sql.memory_limit=2097152kB text2sql.query_timeout=120000ms" "$found"
found=$(query -d "$old" -c "SELECT parname FROM pg_parameter_acl WHERE parname LIKE 'text2sql.%'")
same "privileges on settings" "text2sql.max_work_mem" "$found"
q -c "ALTER DATABASE $old RESET ALL" -c "REVOKE ALL ON PARAMETER text2sql.max_work_mem FROM ${role}_analyst"
as() { PGUSER=${role}_$1 query -d "$old" -c "$2"; }
found=$(as analyst "SELECT count(*) FROM text2sql.history"; as analyst "SELECT f.question, l.turn FROM text2sql.conversation_turns f JOIN text2sql.conversation_turns l USING (conversation) WHERE f.turn = 1 AND l.is_last"; as analyst "SELECT status, verdict, comment FROM text2sql.feedback"
  as analyst "SELECT questions_today, questions_per_day FROM text2sql.budgets"; as analyst "SELECT sql, verified_by FROM text2sql.ask('How many customers are there?', options => '{\"model\": \"builtin\"}')"
  as curator "SELECT term, status FROM text2sql.definitions"; as curator "SELECT id, status FROM text2sql.examples"; as curator "SELECT id, status, evidence FROM text2sql.joins"; as curator "SELECT id, status FROM text2sql.suggestions"
  as evaluator "SELECT evaluation_id, accuracy FROM text2sql_eval.evaluations WHERE evaluation_id = 51"; as evaluator "SELECT settings FROM text2sql_eval.evaluations ORDER BY 1"
  as evaluator "SELECT statements FROM text2sql_eval.proposals"; as evaluator "SELECT variant FROM text2sql_eval._variants"
  query -d "$old" -c "SELECT object, level FROM text2sql.protected ORDER BY 1")
same "content through the views" "1
How many?|2
verified|wrong|no
17|500
SELECT count(*) FROM shop.customers|${role}_curator
revenue|ok
11|verified
12|unverified
3|rejected|twice
1|accepted
2|open
51|1
{\"candidates\": 2, \"max_result_rows\": 5}
{\"without\": [\"interpret\", \"judge\"], \"enable_narration\": false}
{\"ALTER DATABASE $old SET text2sql.max_result_rows = '10'\",\"ALTER DATABASE $old SET text2sql.tuning = '{\\\"strategy\\\": \\\"direct\\\"}'\"}
no narration
hr|hidden
shop.customers.email|private" "$found"
found=$(as curator "SELECT text2sql.describe('shop.orders', 'sold')"; as curator "SELECT id > 107 FROM text2sql._annotations WHERE description = 'sold'"
  PGUSER=${role}_less said "$old" "SELECT text2sql.ask_view('How many?', 'v')"; PGUSER=${role}_single said "$old" "INSERT INTO text2sql._index_values (key) SELECT NULL")
same "new ids follow the old ones, and privileges are no wider" "
t
ERROR: permission denied for function ask_view
ERROR: permission denied for table _index_values" "$found"

# 7. A dump of the updated database keeps it all, with the grants.
fresh_database "${old}_restored"
"$bindir/pg_dump" -d "$old" | query -d "${old}_restored" -o /dev/null
for what in rows catalog; do
  expected=$(query -d "$old" -f "tests/upgrade/$what.sql")
  found=$(query -d "${old}_restored" -f "tests/upgrade/$what.sql")
  # Sequences of budgets are no members, and a dump does not say whose they are.
  if [ "$what" = catalog ]; then
    expected=$(grep -v "^sequence text2sql._budget_" <<<"$expected") found=$(grep -v "^sequence text2sql._budget_" <<<"$found")
  fi
  # Protection is bound to the new OIDs.
  binding='s/"(schema_oid|relation_oid|catalog_stamp)": "[^"]*"//g'
  same "$what after a dump and restore" "$(sed -E "$binding" <<<"$expected")" "$(sed -E "$binding" <<<"$found")"
done

# 8. The demo database of 0.1.0 after some use. Its dump is restored as docs/upgrade.md says.
dump=${TEXT2SQL_SHARED:-../shared}/released/demo-0.1.0.dump
if [ ! -f "$dump" ]; then
  say "skipped: upgrade_of_the_demo_database needs released/demo-0.1.0.dump in TEXT2SQL_SHARED"
else
  made=()
  for one in demo_analyst demo_curator; do
    if [ -z "$(query -d postgres -c "SELECT FROM pg_roles WHERE rolname = '$one'" -c "SELECT rolname FROM pg_roles WHERE rolname = '$one'")" ]; then
      query -d postgres -c "CREATE ROLE $one LOGIN"
      made+=("$one")
    fi
  done
  fresh_database "$old"
  "$bindir/pg_restore" -f - "$dump" |
    sed "s/^CREATE EXTENSION IF NOT EXISTS pg_text2sql WITH SCHEMA text2sql/& VERSION '0.1.0'/" |
    query -d "$old" -1 -o /dev/null
  before=$(query -d "$old" -f tests/upgrade/rows_0.1.0.sql)
  found=$(said "$old" "ALTER EXTENSION pg_text2sql UPDATE")
  same "the update of the demo database says nothing" "" "$found"
  found=$(query -d "$old" -f tests/upgrade/rows.sql)
  same "rows of the demo database" "$before" "$found"
  found=$(query -d "$old" -c "SELECT (SELECT count(*) FROM text2sql.definitions WHERE status = 'ok'), (SELECT count(*) FROM text2sql.examples WHERE status = 'unverified'), (SELECT count(*) FROM text2sql.history),
      (SELECT count(*) FROM text2sql._conversation_turns WHERE conversation = 'monday'), (SELECT count(*) FROM text2sql_eval.evaluations), (SELECT count(*) FROM text2sql_eval.results WHERE state = 'done'),
      (SELECT string_agg(object || ' ' || level, ', ' ORDER BY object) FROM text2sql.protected), (SELECT questions_per_day FROM text2sql.budgets WHERE role_name = 'demo_analyst')")
  same "content of the demo database" "3|1|82|2|1|72|hr hidden, public.customers.email private|500" "$found"
  # The questions of its history, in the updated database and in a new one with the same tables and knowledge.
  query -d postgres -c "SET client_min_messages = warning" -c "DROP DATABASE IF EXISTS $new"
  fresh_database "$new"
  query -d "$new" -c "CREATE SCHEMA web" -c "CREATE SCHEMA hr"
  "$bindir/pg_restore" -n public -n web -n hr -d "$new" "$dump" >/dev/null 2>&1 || true
  query -d "$new" -c "SET client_min_messages = warning" -c "CREATE EXTENSION pg_text2sql CASCADE" -c "SELECT text2sql.protect('customers.email', 'private'), text2sql.protect('hr', 'hidden'), text2sql.grant_access('demo_analyst')" >/dev/null
  query -d "$old" -c "SELECT text2sql.export_knowledge()" >"$state/upgrade_knowledge"
  query -d "$new" -v knowledge="$(cat "$state/upgrade_knowledge")" <<<"SELECT text2sql.import_knowledge(:'knowledge')" >/dev/null
  rm -f "$state/upgrade_knowledge"
  query -d "$old" -c "COPY (SELECT DISTINCT question FROM text2sql.history ORDER BY 1) TO STDOUT" >"$state/upgrade_questions"
  ask_all() {
    { echo "CREATE TEMP TABLE questions (question text);"; echo "COPY questions FROM STDIN;"; cat "$state/upgrade_questions"; echo "\\."
      echo "SELECT q.question, a.status, a.answer, a.sql, a.result_rows FROM questions q, LATERAL text2sql.ask(q.question) AS a ORDER BY 1;"; } | PGUSER=demo_analyst query -d "$1"
  }
  query -d "$old" -c "GRANT TEMP ON DATABASE $old, $new TO demo_analyst" -c "ANALYZE"
  query -d "$new" -c "ANALYZE"
  expected=$(ask_all "$new")
  found=$(ask_all "$old")
  rm -f "$state/upgrade_questions"
  same "answers of the demo database" "$expected" "$found"
  [ "$(grep -c '|ok|' <<<"$found")" -gt 20 ] || fail "few questions of the demo database were answered: $found"
  drop_all
  for one in "${made[@]}"; do query -d postgres -c "DROP ROLE $one"; done
fi

drop_all
exit "$failures"
