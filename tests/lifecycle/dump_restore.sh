#!/usr/bin/env bash
# A database that uses the extension can be dumped, restored and dropped.
set -euo pipefail
# shellcheck source=tests/lifecycle/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"

owned_objects() { query -d "$1" -f tests/lifecycle/owned_objects.sql; }
# shellcheck disable=SC2317 # called by name, in the loop below
tables() {
  query -d "$1" -c "SELECT c.oid::regclass, obj_description(c.oid), (xpath('/row/n/text()',
    query_to_xml(format('SELECT count(*) AS n FROM %s', c.oid::regclass), false, true, '')))[1]
    FROM pg_class c WHERE relkind IN ('r', 'p') AND relnamespace = 'shop'::regnamespace ORDER BY c.oid::regclass::text"
}

fresh_database lifecycle_source
fresh_database lifecycle_target
fresh_database lifecycle_fresh
for database in lifecycle_source lifecycle_fresh; do
  query -d "$database" -c "SET client_min_messages = warning" -c "CREATE EXTENSION pg_text2sql CASCADE"
done
query -d lifecycle_source >/dev/null <<'SQL'
SET client_min_messages = warning;
CREATE SCHEMA shop;
CREATE TABLE shop.customer (id int PRIMARY KEY, name text NOT NULL);
COMMENT ON TABLE shop.customer IS 'who buys';
CREATE TABLE shop.purchase (id int PRIMARY KEY, customer int REFERENCES shop.customer, amount numeric);
INSERT INTO shop.customer SELECT n, 'customer ' || n FROM generate_series(1, 10) AS n;
INSERT INTO shop.purchase SELECT n, n % 10 + 1, n / 3.0 FROM generate_series(1, 100) AS n;
-- A model is a foreign server, so it is part of a dump.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_foreign_data_wrapper WHERE fdwname = 'text2sql') THEN
    CREATE SERVER lifecycle_model FOREIGN DATA WRAPPER text2sql
      OPTIONS (protocol 'openai', base_url 'https://model.example/v1', model 'none');
  END IF;
END $$;
-- Knowledge is dumped under the current names of its objects.
SELECT text2sql.describe('shop.customer', 'everybody who bought');
SELECT text2sql.describe('shop.customer.name', 'as on the invoice');
SELECT text2sql.define('revenue', 'what customers paid', 'sum(amount)', 'shop.purchase');
SELECT text2sql.accept('example', text2sql.add_example('How many customers?', 'SELECT count(*) FROM shop.customer'));
SELECT text2sql.define('season', period => 'from 1 October to 31 March');
SELECT count(*) FROM text2sql.import_knowledge(E'term,meaning\nMRR,monthly recurring revenue', 'glossary', 'terms.csv');
SELECT text2sql.add_join('{shop.purchase.id}', '{shop.customer.id}');
SELECT text2sql.add_instruction('Leave out test customers.', applies_to => 'shop.customer');
SELECT text2sql.set_prompt('rule_dates', 'Dates are half-open ranges.');
SET search_path = shop, public;
SELECT text2sql.add_feedback(trace_id, 'wrong', 'SELECT count(*) FROM shop.customer WHERE name IS NOT NULL') FROM text2sql.ask('How many customers are there?');
-- Approval, and a query that waits for it.
SELECT text2sql.set_approval(current_user, 'always');
SELECT status FROM text2sql.ask('How many customers are there?');
SELECT text2sql.set_approval(current_user, 'never'), text2sql.set_approval('pg_monitor', 'uncertain', 0.5), text2sql.set_budget('pg_monitor', cost_per_day => 2.5, currency => 'EUR');
RESET search_path;
-- Documents and indexed text columns are dumped, with their readers; their passages are made again.
SELECT text2sql.add_document('Returns policy', 'Jackets with a broken zipper are taken back.', source => 'handbook', metadata => '{"page": 3}', readers => '{pg_monitor}');
SELECT text2sql.protect('source:handbook', 'private');
CREATE TABLE shop.letter (id int PRIMARY KEY, body text);
INSERT INTO shop.letter VALUES (1, 'My umbrella leaks.');
SELECT text2sql.index_text('shop.letter.body');
ALTER TABLE shop.letter RENAME body TO said;
ALTER TABLE shop.customer RENAME TO client;
ALTER TABLE shop.client RENAME COLUMN name TO full_name;
-- Protection is kept, under the current name too: OIDs of a dump are not valid later.
CREATE TABLE shop.wage (employee int, paid numeric);
CREATE VIEW shop.total AS SELECT sum(paid) FROM shop.wage;
SELECT text2sql.protect('shop.client.full_name', 'private');
SELECT text2sql.protect('table shop.wage', 'hidden');
SELECT text2sql.protect('shop.total', 'open');
-- Turns of conversations are kept, too.
SELECT count(*) FROM text2sql.ask('How many purchases are there?', conversation => 'a');
SELECT text2sql._keep('{"conversation": {"name": "a", "title": "Bought", "is_pinned": true}}');
SELECT text2sql._keep('{"answer": {"board": "Monday", "question": "How many?", "queries": ["SELECT count(*) FROM shop.purchase"], "is_asked": false}}');
-- Questions in the queue are not: a copy must not ask, and pay for, what waits here. One waits, one has its answer.
SELECT text2sql.submit('How many purchases are there in the queue?') > 0;
CALL text2sql.work();
INSERT INTO text2sql._submitted (asked_by, session_role, question, options, not_before)
  SELECT oid, oid, 'How many letters wait in the queue?', '{}', 'infinity' FROM pg_roles WHERE rolname = current_user;
ALTER TABLE shop.wage RENAME TO pay;
ALTER TABLE shop.client RENAME full_name TO whole_name;
CALL text2sql.refresh();
SQL
# The example names a table that has been renamed: it is broken, and dumped anyway.
# shellcheck disable=SC2317
taught() {
  query -d "$1" -c "SELECT text2sql.export_knowledge()" \
    -c "SELECT object, description FROM text2sql.descriptions ORDER BY 1" \
    -c "SELECT f.question, f.verdict, f.corrected_sql, f.status, k.object_names FROM text2sql.feedback f JOIN text2sql._feedback k USING (trace_id, given_by)" \
    -c "SELECT term, applies_to, period, status, source FROM text2sql.definitions ORDER BY term" \
    -c "SELECT source, kind, imported_by, imported_at, taken, known, refused FROM text2sql.imports" \
    -c "SELECT instruction, applies_to, problem FROM text2sql.instructions" \
    -c "SELECT name, version, text FROM text2sql.prompts WHERE NOT is_default" \
    -c "SELECT id, status, asked_by, question, sql, reasons, explanation, expires_at FROM text2sql.approvals" \
    -c "SELECT role_name, statement FROM text2sql.access WHERE may = 'wait'" -c "SELECT role_name, cost_per_day, currency FROM text2sql.budgets" \
    -c "SELECT replace(line, 'about 10 rows; ', '') FROM regexp_split_to_table(text2sql.preview_prompt('revenue?'), '\n') AS line
        WHERE line ~ '(everybody|invoice|revenue :=|~>)'"
}
# shellcheck disable=SC2317
models() { query -d "$1" -c "SELECT srvname, option FROM pg_foreign_server, unnest(srvoptions) AS option ORDER BY 1, 2"; }
# shellcheck disable=SC2317
texts() {
  query -d "$1" -c "SELECT title, body, source, metadata, language, owner_name, readers FROM text2sql.documents WHERE kind = 'document' ORDER BY title" \
    -c "SELECT title, metadata, problem, owner_name FROM text2sql.documents WHERE kind = 'column'" \
    -c "SELECT source, level FROM text2sql._document_protections"
}
# shellcheck disable=SC2317
version() { query -d "$1" -c "SELECT text2sql._version()"; }
# shellcheck disable=SC2317
levels() {
  query -d "$1" -c "SELECT attrelid::regclass, attname, text2sql._protection(attrelid, attnum)
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = 'shop'::regnamespace AND relkind IN ('r', 'v') AND attnum > 0 ORDER BY attrelid::regclass::text, 2"
}
# Without comments and the random key of \restrict, which differ from dump to dump.
dump_text() { "$bindir/pg_dump" -d "$1" | grep -Ev '^(--|\\(un)?restrict |$)'; }
# The stamp and the OIDs of protected objects differ from catalog to catalog.
# shellcheck disable=SC2317
dump() { dump_text "$1" | sed -E 's/\t[0-9]+:[0-9]+\t[0-9]+\t[0-9]+\t/\t\t\t\t/'; }

dumped=$(dump_text lifecycle_source)
printf '%s\n' "$dumped" | query -d lifecycle_target >/dev/null
# shellcheck disable=SC2317
turns() {
  query -d "$1" -c "SELECT asked_by, conversation, question, status, title, is_pinned FROM text2sql._conversation_turns" \
    -c "SELECT board, question, queries, relations, relations = text2sql._relations_of(queries, search_path) FROM text2sql._pinned_answers"
}
for question in "tables" "models" "levels" "dump" "version" "taught" "turns" "texts"; do
  expected=$("$question" lifecycle_source)
  found=$("$question" lifecycle_target)
  same "the same $question after a restore" "$expected" "$found"
done
case $(turns lifecycle_target) in
  *"|a|How many purchases are there?|"*"|Bought|t"*"Monday|How many?|"*"|t") ;;
  *) fail "the restored database lacks the turn of the conversation, or the board: $(turns lifecycle_target)" ;;
esac
case $(texts lifecycle_target) in
  *'Returns policy|'*'|handbook|{"page": 3}|'*'{pg_monitor}'*'shop.letter.said|'*'handbook|private'*) ;;
  *) fail "the restored database lacks the documents: $(texts lifecycle_target)" ;;
esac
case $dumped in
  *"COPY text2sql._passage"*) fail "passages are dumped" ;;
esac
# The queue: nothing of it is in the dump, and the restored one is empty and works.
queue() { query -d "$1" -c "SELECT (SELECT count(*) FROM text2sql._submitted), (SELECT count(*) FROM text2sql._submitted_settings), (SELECT count(*) FROM text2sql._answers)"; }
same "questions of the queue before the dump" "2|0|1" "$(queue lifecycle_source)"
case $dumped in
  *"COPY text2sql._submitted"* | *"COPY text2sql._answers"* | *"wait in the queue"*) fail "questions of the queue are dumped" ;;
esac
same "the queue after a restore" "0|0|0" "$(queue lifecycle_target)"
answered=$(query -d lifecycle_target -c "SET search_path = shop, public" -c "SELECT text2sql.submit('How many purchases are there?') > 0" \
  -c "CALL text2sql.work()" -c "SELECT state, status FROM text2sql.answers" | tail -n 1)
same "a question that is submitted after a restore" "done|ok" "$answered"
query -d lifecycle_target -c "SELECT text2sql.forget('answer', id) FROM text2sql.answers" >/dev/null
found=$(levels lifecycle_target)
for level in "shop.client|whole_name|private" "shop.pay|paid|hidden" "shop.total|sum|open"; do
  case $found in
    *"$level"*) same "restored: $level" yes yes ;;
    *) fail "the restored database lacks $level: $found" ;;
  esac
done
expected=$(owned_objects lifecycle_fresh)
found=$(owned_objects lifecycle_target)
case $expected in
  *"function text2sql._version()"*) same "a restored database owns what a fresh install owns" "$expected" "$found" ;;
  *) fail "the list of what the extension owns lacks text2sql._version(): $expected" ;;
esac

case $(taught lifecycle_target) in
  *'shop.client.whole_name|as on the invoice'*'revenue|shop.purchase||ok'*'season||from 1 October to 31 March|ok'*'Leave out test customers.|shop.client|'*'rule_dates|1|'*'everybody who bought'*'revenue :='*) ;;
  *) fail "what was taught is not found after a restore: $(taught lifecycle_target)" ;;
esac
# The search index is derived: it is not in a dump, questions work without it, and a refresh builds it. That
# also binds the knowledge to the restored catalog.
case $dumped in
  *"COPY text2sql._index_"*) fail "the search index is dumped" ;;
esac
found_by() { query -d "$1" -c "SELECT object FROM text2sql.retrieve('who bought?') WHERE kind = 'table' ORDER BY rank LIMIT 1"; }
found=$(found_by lifecycle_target)
same "found without an index" "shop.client" "$found"
query -d lifecycle_target -c "SET client_min_messages = warning" -c "CALL text2sql.refresh()" >/dev/null
expected=$(found_by lifecycle_source)
found=$(found_by lifecycle_target)
same "found with an index after a restore" "$expected" "$found"
cited() { query -d "$1" -c "SELECT citation FROM text2sql.search_text('Which umbrella leaks, which jackets have a broken zipper?') ORDER BY 1"; }
expected=$(cited lifecycle_source)
found=$(cited lifecycle_target)
same "passages after a restore and a refresh" "$expected" "$found"
case $found in
  *"Returns policy"*"shop.letter"*) ;;
  *) fail "the texts are not found after a restore: $found" ;;
esac
indexed() { query -d "$1" -c "SELECT collection, count(*) FROM text2sql._index_documents GROUP BY 1 ORDER BY 1"; }
expected=$(indexed lifecycle_source)
found=$(indexed lifecycle_target)
same "the index after a restore" "$expected" "$found"
bound=$(query -d lifecycle_target -c "SELECT count(*) FROM (
  SELECT catalog FROM text2sql._annotations UNION ALL SELECT catalog FROM text2sql._definitions UNION ALL
  SELECT catalog FROM text2sql._examples UNION ALL SELECT catalog FROM text2sql._joins UNION ALL
  SELECT catalog FROM text2sql._instructions) AS taught WHERE catalog = text2sql._catalog_stamp()")
same "rows that a refresh bound to the restored catalog" 7 "$bound"
bound=$(query -d lifecycle_target -c "SELECT text2sql._rebind_knowledge()")
same "rows that are bound once more" 0 "$bound"

# A restored table, and its schema, get other names.
query -d lifecycle_target -c "ALTER TABLE shop.pay RENAME TO wages" -c "ALTER SCHEMA shop RENAME TO store"
found=$(query -d lifecycle_target -c "SELECT text2sql._protection('store.wages'::regclass, 0::int2), text2sql._protection('store.total'::regclass, 0::int2)")
same "protection follows a rename after a restore" "hidden|open" "$found"

query -d lifecycle_target -c "SET client_min_messages = error" -c "DROP EXTENSION pg_text2sql CASCADE"
found=$(query -d lifecycle_target -c "SELECT p.oid::regprocedure
  FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace WHERE nspname IN ('text2sql', 'text2sql_eval')")
same "no function is left after DROP EXTENSION" "" "$found"

for database in lifecycle_source lifecycle_target lifecycle_fresh; do
  query -d postgres -c "DROP DATABASE $database"
done
exit "$failures"
