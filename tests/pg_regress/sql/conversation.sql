-- Questions that continue earlier ones, by the built-in engine; what is stored about them.
SET ROLE regress_analyst;
\pset null '∅'
SELECT status, result_rows FROM text2sql.ask('How many customers are in Germany?', conversation => 'monday');
SELECT status, result_rows, warnings FROM text2sql.ask('and in France?', conversation => 'monday');
SELECT * FROM text2sql.show('why so few?', 'monday');
-- Without the conversation it cannot be answered.
SELECT status FROM text2sql.ask('and in France?');
SELECT conversation, turn, is_last, question FROM text2sql.conversation_turns ORDER BY turn;
SELECT conversation, question, standalone, status, egress FROM text2sql.conversation_turns ORDER BY turn_id;
SELECT conversation, count(*) FROM text2sql.history WHERE conversation IS NOT NULL GROUP BY conversation;
SELECT text2sql.forget('conversation', 'monday'), text2sql.forget('conversation', 'monday');
-- Every function that asks a question takes part in a conversation, by position as well.
SELECT status, result_rows FROM text2sql.ask('How many customers are in Germany?', 'tuesday');
SELECT * FROM text2sql.ask_rows('and in France?', 'tuesday') AS t(n bigint);
BEGIN;
CALL text2sql.ask_into('and in Germany?', 'cursor:germany', 'tuesday');
FETCH ALL FROM germany;
COMMIT;
CALL text2sql.ask_into('and in France?', 'into_france', 'tuesday');
SELECT * FROM into_france;
SELECT text2sql.to_sql('and in Germany?', 'tuesday');
SELECT text2sql.ask_view('and in France?', 'pg_temp.france', 'tuesday');
SELECT * FROM pg_temp.france;
SELECT * FROM text2sql.show('and in Germany?', 'tuesday', '{"enable_narration": false}');
SELECT question, standalone, status, sql IS NOT NULL AS has_sql FROM text2sql.conversation_turns ORDER BY turn_id;
-- These answer nothing, and read the conversation only.
SELECT object FROM text2sql.retrieve('and by country?', 'tuesday') WHERE kind = 'table' ORDER BY object;
SELECT line FROM regexp_split_to_table(text2sql.preview_prompt('and in France?', 'tuesday', '{"model": "replay"}'), '\n') AS line
 WHERE line ~ 'Germany|France' AND line !~ '^  ' ORDER BY line;
SELECT score FROM text2sql.score('and in France?',
    $$SELECT count(*) FROM customers JOIN countries USING (country_id) WHERE countries.name = 'France'$$, 'tuesday') WHERE dimension = 'total';
SELECT turn FROM text2sql.conversation_turns WHERE is_last;
SELECT text2sql.forget('conversation', 'tuesday');
-- With on_ambiguity = choose, a view and SQL answer the likeliest interpretation.
SELECT text2sql.to_sql('Show the names', options => '{"on_ambiguity": "choose"}');
SELECT count(*) FROM text2sql.conversation_turns;
-- An invalid name.
SELECT status FROM text2sql.ask('How many customers?', conversation => '');
\echo :SQLSTATE
-- Turns are visible only to the calling role, and no role can write them.
INSERT INTO text2sql._conversation_turns (asked_by, conversation, trace_id, question, status, readings, egress)
VALUES ('regress_analyst', 'monday', '00000000-0000-0000-0000-000000000000', 'x', 'ok', '{}', 'rows');
UPDATE text2sql._conversation_turns SET question = 'x';
-- Answers are kept unless a role switches that off, with at most text2sql.max_kept_rows rows.
SET text2sql.keep_answers = off;
SELECT status FROM text2sql.ask('How many customers are there per country?', 'kept');
RESET text2sql.keep_answers;
SET text2sql.max_kept_rows = 5;
\echo :SQLSTATE
RESET ROLE;
SET text2sql.max_kept_rows = 1;
SET ROLE regress_analyst;
SELECT status, row_count FROM text2sql.ask('How many customers are there per country?', 'kept');
SELECT status FROM text2sql.ask('How many unicorns are there?', 'kept');
SELECT status, json_array_length(results) FROM text2sql.ask('How many customers are there? And how many countries are there?', 'kept');
SELECT count(*) FROM text2sql.ask_rows('How many customers are there?', 'kept') AS t(n bigint);
SELECT status, answer, result_columns, result_rows, row_count, truncated, results FROM text2sql.conversation_turns ORDER BY turn_id;
SELECT conversation, turn, is_last, question FROM text2sql.conversation_turns WHERE conversation = 'kept' ORDER BY turn;
-- The queries are checked under the search_path under which they were written.
SET search_path = pg_catalog;
SELECT count(answer) FROM text2sql.conversation_turns;
RESET search_path;
SELECT text2sql._relations_of('{SELECT 1}', 'public'), text2sql._relations_of('{SELECT 1}', repeat('public,', 2000) || 'public') AS too_long;
-- No role can write them, and they disappear when the query may not be run any more.
UPDATE text2sql._kept_answers SET answer = 'x';
RESET ROLE;
REVOKE SELECT ON countries FROM regress_analyst;
SET ROLE regress_analyst;
SELECT question, status, answer, result_rows, results FROM text2sql.conversation_turns ORDER BY turn_id;
SELECT count(*) FROM text2sql._kept_answers;
RESET ROLE;
-- A table of its own in the place of the other does not bring them back; a table that was built anew has them.
ALTER TABLE countries RENAME TO former_countries;
CREATE TABLE countries (LIKE former_countries INCLUDING ALL);
ALTER TABLE countries OWNER TO regress_analyst;
SET ROLE regress_analyst;
SELECT count(*) FROM text2sql._kept_answers;
RESET ROLE;
ALTER TABLE countries OWNER TO CURRENT_USER;
GRANT SELECT ON countries TO regress_analyst;
SET ROLE regress_analyst;
SELECT count(*) FROM text2sql._kept_answers;
RESET ROLE;
DROP TABLE countries;
ALTER TABLE former_countries RENAME TO countries;
GRANT SELECT ON countries TO regress_analyst;
SELECT count(*) FROM text2sql.conversation_turns;
-- Nor are rows shown that a view or another policy may hide since.
CREATE VIEW few AS SELECT name FROM customers;
GRANT SELECT ON few TO regress_analyst;
SET ROLE regress_analyst;
SELECT text2sql._relations_of('{SELECT name FROM few}', 'public', true) AS read \gset
RESET ROLE;
CREATE OR REPLACE VIEW few AS SELECT name FROM customers WHERE customer_id < 3;
SET ROLE regress_analyst;
SELECT text2sql._relations_of('{SELECT name FROM few}', 'public', true) = :'read' AS is_same,
       text2sql._relations_of('{SELECT name FROM few}', 'public') AS read;
RESET ROLE;
CREATE OR REPLACE VIEW few AS SELECT name FROM customers;
SET ROLE regress_analyst;
SELECT text2sql._relations_of('{SELECT name FROM few}', 'public', true) = :'read' AS is_same;
RESET ROLE;
DROP VIEW few;
SET ROLE regress_analyst;
SELECT count(*) FROM text2sql._kept_answers;
RESET ROLE;
ALTER TABLE countries ENABLE ROW LEVEL SECURITY;
CREATE POLICY germany ON countries TO regress_analyst USING (name = 'Germany');
SET ROLE regress_analyst;
SELECT count(*) FROM text2sql._kept_answers;
SELECT status FROM text2sql.ask('How many customers are there per country?', 'kept');
-- Nothing is kept over policies: they may decide otherwise tomorrow.
SELECT result_rows FROM text2sql.conversation_turns WHERE is_last AND conversation = 'kept';
RESET ROLE;
DROP POLICY germany ON countries;
ALTER TABLE countries DISABLE ROW LEVEL SECURITY;
SET ROLE regress_analyst;
SELECT count(*) FROM text2sql._kept_answers;
RESET ROLE;
SET text2sql.max_kept_rows = 0;
SET ROLE regress_analyst;
SELECT count(*) FROM text2sql._kept_answers;
SELECT status FROM text2sql.ask('How many customers are there?', 'kept');
-- In a read-only transaction nothing is stored.
BEGIN READ ONLY;
SELECT status FROM text2sql.ask('How many customers are there?', 'kept');
COMMIT;
SELECT text2sql.forget('conversation', 'kept');
SELECT count(*) FROM text2sql._kept_answers;
RESET ROLE;
RESET text2sql.max_kept_rows;
SELECT count(*) FROM text2sql._kept_answers WHERE asker = 'regress_analyst'::regrole;
-- They are forgotten, those of one conversation or all, and the questions stay.
SET ROLE regress_analyst;
SELECT status FROM text2sql.ask('How many customers are there?', 'kept');
SELECT status FROM text2sql.ask('How many countries are there?', 'other');
SELECT text2sql.forget('kept_answers', 'kept');
SELECT question, answer FROM text2sql.conversation_turns WHERE conversation IN ('kept', 'other') ORDER BY turn_id;
SELECT text2sql.forget('kept_answers', NULL::text);
SELECT count(*), count(answer) FROM text2sql.conversation_turns WHERE conversation IN ('kept', 'other');
RESET ROLE;
-- Where policies decide which rows somebody sees, none is kept: they may decide otherwise tomorrow.
ALTER TABLE countries ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_of_them ON countries USING (true);
SET ROLE regress_analyst;
SELECT status FROM text2sql.ask('How many countries are there?', 'kept');
SELECT count(*) FROM text2sql._kept_answers;
RESET ROLE;
DROP POLICY all_of_them ON countries;
ALTER TABLE countries DISABLE ROW LEVEL SECURITY;
-- A later role of the same name is somebody else. The latest 500 are kept, and none for longer than 30 days.
SET ROLE regress_analyst;
SELECT status FROM text2sql.ask('How many countries are there?', 'kept');
RESET ROLE;
UPDATE text2sql._kept_answers SET asker = 0;
SET ROLE regress_analyst;
SELECT count(answer) FROM text2sql.conversation_turns WHERE conversation = 'kept';
RESET ROLE;
DELETE FROM text2sql._kept_answers;
INSERT INTO text2sql._conversation_turns (asked_by, conversation, trace_id, question, status, readings, egress)
SELECT 'regress_analyst', 'many' || n % 4, '00000000-0000-0000-0000-000000000000', 'x', 'ok', '{}', 'rows' FROM generate_series(1, 600) AS n;
INSERT INTO text2sql._kept_answers (turn_id, asker, queries, search_path, answer)
SELECT turn_id, 'regress_analyst'::regrole, '{}', 'public', 'x' FROM text2sql._conversation_turns WHERE conversation LIKE 'many%';
SET ROLE regress_analyst;
SELECT status FROM text2sql.ask('How many countries are there?', 'many');
RESET ROLE;
SELECT count(*) FROM text2sql._kept_answers;
UPDATE text2sql._kept_answers SET kept_at = kept_at - interval '31 days' WHERE answer = 'x';
\c
SET ROLE regress_analyst;
SELECT status FROM text2sql.ask('How many countries are there?', 'many');
RESET ROLE;
SELECT count(*) FROM text2sql._kept_answers;
DELETE FROM text2sql._conversation_turns WHERE conversation ~ '^(kept|other|many)';
SET ROLE regress_nobody;
SELECT * FROM text2sql._kept_answers;
SELECT * FROM text2sql.conversation_turns;
RESET ROLE;
-- Names of conversations, and boards: kept for who keeps them. text2sql-server says what is kept as JSON.
SET ROLE regress_analyst;
SELECT status FROM text2sql.ask('How many customers are there?', 'named');
SELECT text2sql._keep('{"conversation": {"name": "named", "title": " Our customers ", "is_pinned": true}}');
SELECT text2sql._keep('{"conversation": {"name": "nobody''s", "title": "x"}}');
-- A new turn has them as well.
SELECT status FROM text2sql.ask('How many countries are there?', 'named');
SELECT turn, title, is_pinned FROM text2sql.conversation_turns ORDER BY turn;
SELECT text2sql._keep('{"conversation": {"name": "named"}}');
SELECT turn, title, is_pinned FROM text2sql.conversation_turns ORDER BY turn;
SELECT text2sql._keep('{"conversation": {"name": "named", "titel": "x"}}');
\echo :SQLSTATE
SELECT text2sql._keep(json_build_object('answer', json_build_object('board', repeat('x', 101), 'question', 'q', 'queries', '[]'::json, 'is_asked', true))::text);
\echo :SQLSTATE
SELECT text2sql._keep(json_build_object('answer', json_build_object('board', 'b', 'question', repeat('q', 65537), 'queries', '[]'::json, 'is_asked', true))::text);
\echo :SQLSTATE
SELECT text2sql._keep(json_build_object('answer', json_build_object('board', 'b', 'question', 'q', 'queries', array_fill('SELECT 1'::text, ARRAY[21]), 'is_asked', true))::text);
\echo :SQLSTATE
-- Without NULs, which no text of PostgreSQL has.
SELECT text2sql._keep('{"answer": {"board": "Mon\u0000day", "question": "How many customers?\u0000", "queries": ["SELECT count(*) FROM customers"], "is_asked": true}}');
SELECT text2sql._keep('{"answer": {"board": "Monday", "question": "and countries?", "queries": ["SELECT count(*) FROM countries"], "is_asked": false}}');
-- The same question is pinned once.
SELECT text2sql._keep('{"answer": {"board": "Monday", "question": "How many customers?", "queries": ["SELECT count(*) FROM customers"], "is_asked": true}}');
-- What the role could not run is not pinned.
SELECT text2sql._keep('{"answer": {"board": "Monday", "question": "q", "queries": ["SELECT rolpassword FROM pg_authid"], "is_asked": false}}');
\echo :SQLSTATE
SELECT pinned_by, board, question, queries, is_asked, relations, shared_with FROM text2sql._pinned_answers ORDER BY pin_id;
-- All queries of a board are judged for each reader, so a role may have only so many.
BEGIN;
SELECT sum(text2sql._keep(json_build_object('answer', json_build_object('board', 'heap', 'question', n::text,
           'queries', array_fill('SELECT 1 FROM customers'::text, ARRAY[20]), 'is_asked', false))::text))
  FROM generate_series(1, 19) AS n;
SELECT text2sql._keep(json_build_object('answer', json_build_object('board', 'heap', 'question', '20',
           'queries', array_fill('SELECT 1 FROM customers'::text, ARRAY[20]), 'is_asked', false))::text);
\echo :SQLSTATE
ROLLBACK;
-- Nobody else has them, and no role writes them.
SET ROLE regress_curator;
SELECT count(*) FROM text2sql._pinned_answers;
UPDATE text2sql._pinned_answers SET shared_with = '{public}';
SELECT text2sql._keep('{"board": {"name": "Monday", "shared_with": ["regress_curator"]}}');
SET ROLE regress_analyst;
SELECT text2sql._keep('{"board": {"name": "Monday", "shared_with": ["regress_no_such_role"]}}');
\echo :SQLSTATE
-- Whom the board is shared with has the answers whose queries it could run itself.
SELECT text2sql._keep('{"board": {"name": "Monday", "shared_with": ["regress_curator", "regress_nobody"]}}');
SET ROLE regress_nobody;
SELECT * FROM text2sql._pinned_answers;
RESET ROLE;
SELECT has_table_privilege('regress_curator', 'customers', 'SELECT') AS customers, has_table_privilege('regress_curator', 'countries', 'SELECT') AS countries;
SET ROLE regress_curator;
SELECT question FROM text2sql._pinned_answers ORDER BY pin_id;
RESET ROLE;
REVOKE SELECT ON countries FROM regress_curator;
SET ROLE regress_curator;
SELECT question FROM text2sql._pinned_answers ORDER BY pin_id;
RESET ROLE;
GRANT SELECT ON countries TO regress_curator;
-- What comes onto a shared board is shared.
SET ROLE regress_analyst;
SELECT text2sql._keep('{"answer": {"board": "Monday", "question": "customers again?", "queries": ["SELECT count(*) FROM customers"], "is_asked": false}}');
SET ROLE regress_curator;
SELECT question, queries FROM text2sql._pinned_answers ORDER BY pin_id;
-- A reader can hide a board of another role, with what is pinned to it later; its owner keeps it.
SELECT f.kind, f.outcome FROM (SELECT pin_id FROM text2sql._pinned_answers ORDER BY pin_id LIMIT 1) AS p, text2sql.forget('pin', p.pin_id) AS f;
SELECT count(*) FROM text2sql._pinned_answers;
SELECT text2sql.forget('pin', 0);
\echo :SQLSTATE
SET ROLE regress_analyst;
SELECT text2sql._keep('{"answer": {"board": "Monday", "question": "and again?", "queries": ["SELECT count(*) FROM customers"], "is_asked": false}}');
SELECT count(*) FROM text2sql._pinned_answers;
SET ROLE regress_curator;
SELECT count(*) FROM text2sql._pinned_answers;
SET ROLE regress_analyst;
SELECT text2sql._keep('{"board": {"name": "Monday", "shared_with": []}}');
SET ROLE regress_curator;
SELECT count(*) FROM text2sql._pinned_answers;
SET ROLE regress_analyst;
SELECT f.kind, f.outcome FROM text2sql._pinned_answers AS p, text2sql.forget('pin', p.pin_id) AS f;
SELECT count(*) FROM text2sql._pinned_answers;
SELECT text2sql.forget('conversation', 'named');
