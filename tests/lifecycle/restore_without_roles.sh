#!/usr/bin/env bash
# A dump is restored where none of its roles exist: nothing is lost, and names stay readable.
set -euo pipefail
# shellcheck source=tests/lifecycle/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"

source_database=lifecycle_roles_source
target=lifecycle_roles_target
role='lifecycle_roles_Asker'
other=lifecycle_roles_other
admin=lifecycle_roles_admin
directory=$(mktemp -d)
clean() {
  query -d postgres -c "SET client_min_messages = warning" -c "DROP DATABASE IF EXISTS $source_database" -c "DROP DATABASE IF EXISTS $target" \
    -c "DROP ROLE IF EXISTS \"$role\", $other, $admin"
}
trap 'rm -rf "$directory"' EXIT
clean
query -d postgres -c "CREATE ROLE \"$role\"" -c "CREATE ROLE $other" -c "CREATE ROLE $admin SUPERUSER LOGIN"
fresh_database "$source_database"
query -d "$source_database" >/dev/null <<SQL
SET client_min_messages = warning;
SET ROLE $admin;
CREATE EXTENSION pg_text2sql CASCADE;
CREATE SCHEMA shop;
CREATE TABLE shop.customer (id int PRIMARY KEY, name text);
INSERT INTO shop.customer SELECT n, 'customer ' || n FROM generate_series(1, 10) AS n;
SELECT text2sql.grant_access('$role', 'curator'), text2sql.grant_access('$role', 'evaluation'), text2sql.grant_access('$other');
GRANT USAGE ON SCHEMA shop TO "$role", $other;
GRANT SELECT ON shop.customer TO "$role", $other;
SELECT text2sql.set_budget('$role', questions_per_day => 3), text2sql.set_budget('$other', questions_per_day => 1000);
SELECT text2sql.protect('shop.customer.name', 'private');
INSERT INTO text2sql.egress_log (trace_id, asked_by, endpoint, purpose, characters, prompt_sha256, tables, value_columns, result_rows, input_tokens, output_tokens, milliseconds)
  VALUES (gen_random_uuid(), '$role', 'm', 'generate', 1, '', '{}', '{}', 0, 0, 0, 0);
SET ROLE "$role";
SELECT text2sql.describe('shop.customer', 'who buys');
SELECT text2sql.define('patrons', 'all of them', 'count(*)', 'shop.customer');
SELECT text2sql.accept('example', text2sql.add_example('How many customers?', 'SELECT count(*) FROM shop.customer'));
SET search_path = shop;
SELECT text2sql.add_feedback(trace_id, 'right') FROM text2sql.ask('How many customers are there?', conversation => 'monday');
SELECT text2sql_eval.add_case('s', 'How many customers are there?', 'SELECT count(*) FROM shop.customer');
CALL text2sql_eval.evaluate('s');
INSERT INTO text2sql_eval._variants (evaluation_id, baseline, variant) SELECT evaluation_id, evaluation_id, 'as it is' FROM text2sql_eval.evaluations;
INSERT INTO text2sql_eval.proposals (suite, settings, verdict, statements) VALUES ('s', '{}', 'better', '{}');
RESET ROLE;
INSERT INTO text2sql_eval._confidence_fits (model, intercept, by_score, by_agreement, answers, right_answers, expected_error, brier, baseline_brier, evaluation_ids)
  VALUES ('m', 0, 1, 1, 60, 40, 0.1, 0.1, 0.2, '{1}');
SQL
# Rows about roles and by roles, to compare.
kept() {
  query -d "$1" -c "SELECT asked_by, session_role, question, status FROM text2sql.history ORDER BY asked_at" -c "SELECT asked_by FROM text2sql.egress_log" \
    -c "SELECT asked_by, model, count(*) FROM text2sql.history GROUP BY 1, 2 ORDER BY 1, 2" -c "SELECT asked_by, conversation, question FROM text2sql._conversation_turns" \
    -c "SELECT given_by, question FROM text2sql._feedback" -c "SELECT evaluated_by, suite, state FROM text2sql_eval.evaluations" -c "SELECT count(*) FROM text2sql_eval.results" \
    -c "SELECT created_by, suite FROM text2sql_eval.suites" -c "SELECT question FROM text2sql_eval.cases" -c "SELECT variant FROM text2sql_eval._variants ORDER BY 1" \
    -c "SELECT made_by, verdict FROM text2sql_eval.proposals" -c "SELECT model, answers FROM text2sql_eval._confidence_fits" \
    -c "SELECT * FROM text2sql.budgets" -c "SELECT * FROM text2sql.protected" -c "SELECT taught_by, object_name FROM text2sql._annotations" \
    -c "SELECT term FROM text2sql.definitions" -c "SELECT verified_by, question FROM text2sql.examples" 2>&1 | sed -E 's/20[0-9]{2}-[^|]*//'
}
expected=$(kept "$source_database")
case $expected in *"$role|"*) ;; *) fail "the source lacks the role: $expected" ;; esac
types=$(query -d "$source_database" -c "SELECT attrelid::regclass, attname FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
  WHERE c.oid = ANY ((SELECT extconfig FROM pg_extension WHERE extname = 'pg_text2sql')::oid[]) AND attnum > 0 AND NOT attisdropped
    AND atttypid IN (SELECT oid FROM pg_type WHERE typname LIKE 'reg%' OR typname LIKE '\_reg%')")
same "no dumped column needs an object of the catalog to be read" "" "$types"

"$bindir/pg_dump" -Fc -f "$directory/dump" -d "$source_database"
"$bindir/pg_dump" -Fp -O -x -f "$directory/plain" -d "$source_database"
query -d postgres -c "DROP DATABASE $source_database" -c "DROP ROLE \"$role\", $other"

# Prints the messages of pg_restore, except those that are inevitable without the roles.
restored() { # arguments of pg_restore
  "$bindir/pg_restore" -d "$target" "$@" "$directory/dump" 2>&1 | grep -v 'while PROCESSING TOC\|from TOC entry\|^Command was\|^$\|errors ignored\|WARNING' |
    grep -v "^pg_restore: error: could not execute query: ERROR:  role \"\($role\|$other\)\" does not exist\|^GRANT\|^ALTER.*OWNER" || true
}
check() { # what was restored how
  local found
  found=$(kept "$target")
  same "everything is there $1" "$expected" "$found"
}
fresh_database "$target"
found=$(restored -1 -O -x)
same "restored in one transaction, without owners and privileges" "" "$found"
check "after -1 -O -x"
found=$(query -d "$target" -c "SELECT * FROM text2sql.budgets" -c "CREATE ROLE \"$role\"" -c "SELECT text2sql.grant_access('$role')" -c "GRANT USAGE ON SCHEMA shop TO \"$role\"" -c "GRANT SELECT ON shop.customer TO \"$role\"" \
  -c "SET search_path = shop" -c "SET ROLE \"$role\"" -c "SELECT status FROM text2sql.ask('How many customers are there?', conversation => 'monday')" -c "SELECT questions_per_day FROM text2sql.budgets" | tail -2)
same "a role of that name asks, and sees its budget" "ok
3" "$found"
found=$(restored -1 -O -x --clean --if-exists)
same "restored once more over it" "" "$found"
query -d postgres -c "DROP DATABASE $target" -c "DROP ROLE \"$role\""
fresh_database "$target"
found=$(restored)
same "restored with what it says about roles" "" "$found"
check "after a restore with errors about roles"
fresh_database "$target"
found=$(restored -j 4 -O -x)
same "restored in parallel" "" "$found"
check "after -j"
fresh_database "$target"
found=$("$bindir/psql" -X -q -1 -v ON_ERROR_STOP=1 -d "$target" -f "$directory/plain" 2>&1 >/dev/null)
same "restored as text, in one transaction" "" "$found"
check "after a restore of text"
fresh_database "$target"
found=$(PGUSER=$admin restored -O -x)
same "restored by another superuser" "" "$found"
check "after a restore by another superuser"

# The name of a dropped role remains readable; a new role of that name replaces it. A renamed role is another role.
query -d "$target" -c "CREATE ROLE $other" -c "SELECT text2sql.grant_access('$other')" -c "SET search_path = shop" -c "GRANT USAGE ON SCHEMA shop TO $other" -c "GRANT SELECT ON shop.customer TO $other" \
  -c "SET ROLE $other" -c "SELECT status FROM text2sql.ask('How many customers are there?', conversation => 'own')" -c "RESET ROLE" \
  -c "SELECT text2sql.revoke_access('$other')" -c "REVOKE ALL ON shop.customer FROM $other" -c "REVOKE ALL ON SCHEMA shop FROM $other" -c "DROP ROLE $other" >/dev/null
found=$(query -d "$target" -c "SELECT asked_by, count(*) FROM text2sql.history WHERE asked_by = '$other' GROUP BY 1" -c "SELECT count(*) FROM text2sql._conversation_turns WHERE asked_by = '$other'")
same "the name of a dropped role" "$other|1
1" "$found"
found=$(query -d "$target" -c "SELECT text2sql.set_budget('$other', questions_per_day => 7)" 2>&1 || true)
case $found in *'does not exist'*) same "no budget for it" yes yes ;; *) same "no budget for it" "an error" "$found" ;; esac
query -d "$target" -c "SELECT text2sql.set_budget('$other')" >/dev/null
found=$(query -d "$target" -c "SELECT count(*) FROM text2sql._budgets WHERE role_name = '$other'")
same "but the one that it had can be lifted" 0 "$found"

# Replacement of foreign keys, which pg_restore --jobs would break.
found=$(query -d "$target" -c "UPDATE text2sql_eval.suites SET suite = 'renamed'" -c "SELECT suite FROM text2sql_eval.cases" -c "DELETE FROM text2sql_eval._evaluations" \
  -c "DELETE FROM text2sql_eval.suites" -c "SELECT (SELECT count(*) FROM text2sql_eval.results), (SELECT count(*) FROM text2sql_eval._variants), (SELECT count(*) FROM text2sql_eval.cases)")
same "what belongs to suites and evaluations is deleted with them" "renamed
0|0|0" "$found"

clean
exit "$failures"
