-- One row for every way a question can end.
SET ROLE regress_analyst;
SET text2sql.model = 'replay';
\x on
\pset null '∅'
SELECT status, answer, sql, result_columns, result_rows, row_count, truncated, confidence, warnings, withheld, clarification, verified_by, trace_id IS NOT NULL AS traced
FROM text2sql.ask('How many customers?');
SELECT status, answer, result_rows FROM text2sql.ask('Orders by status');
SELECT status, answer, sql FROM text2sql.ask('Repair me');
SELECT status, answer, sql, result_rows FROM text2sql.ask('Never right');
SELECT status, answer, clarification FROM text2sql.ask('Who is best?');
SELECT status, answer, warnings FROM text2sql.ask('What is the weather?');
SELECT status, answer, warnings FROM text2sql.ask('What does the boss earn?');
SELECT status, answer FROM text2sql.ask('Read the salaries');
SELECT status, answer FROM text2sql.ask('Do harm');
SET datestyle = 'ISO, YMD';
-- Values keep their text; a repeated name gets a suffix.
SELECT result_columns, result_rows FROM text2sql.ask('Exact values');
-- Options override settings for one call.
SELECT status, answer, row_count, truncated, warnings FROM text2sql.ask('Every order', options => '{"max_result_rows": 7}');
SELECT status FROM text2sql.ask('Repair me', options => '{"max_repairs": 0}');
SELECT answer FROM text2sql.ask('How many customers?', options => '{"enable_narration": false}');
\x off
-- The SQLSTATE is the one that other functions raise.
SELECT question, a.status, a.sqlstate, a.answer
FROM (VALUES (1, 'How many customers?'), (2, NULL), (3, ''), (4, ' ?!'), (5, repeat('x', 1000000)), (6, 'Say nothing'),
             (7, 'Who is best?'), (8, 'What is the weather?'), (9, 'Read the salaries'), (10, 'Do harm'),
             (11, 'Never right'), (12, 'How many customers?')) AS q(n, text),
     LATERAL left(text, 20) AS question, text2sql.ask(text) AS a
ORDER BY n;
-- An invalid question is not recorded, and belongs to no conversation.
SELECT status, warnings, trace_id FROM text2sql.ask(NULL, conversation => 'nothing asked');
SELECT count(*) FROM text2sql.conversation_turns WHERE conversation = 'nothing asked';
-- Misuse of the function itself is an error.
\set SHOW_CONTEXT never
SELECT status FROM text2sql.ask('How many customers?', options => '{"max_result_rows": 0}');
\echo :SQLSTATE
SELECT status FROM text2sql.ask('How many customers?', options => '{"on_truncation": "ignore"}');
\echo :SQLSTATE
SELECT status FROM text2sql.ask('How many customers?', options => '{"colour": "red"}');
\echo :SQLSTATE
SELECT status FROM text2sql.ask('How many customers?', options => '{"model": "nobody"}');
\echo :SQLSTATE
SELECT status FROM text2sql.ask('How many customers?', options => '{"query_timeout": "1h"}');
\echo :SQLSTATE
-- What the asker can judge by: the score with its weakest dimension, and the plan, a model's own without markup.
SELECT score->>'total' AS total, score->>'weakest' AS weakest, score->>'passes' AS passes,
       json_array_length(score->'dimensions') AS dimensions, plan
FROM text2sql.ask('Orders by status');
SELECT plan FROM text2sql.ask('With a plan');
SELECT score IS NULL AS not_scored, plan IS NULL AS no_plan FROM text2sql.ask('What is the weather?');
-- Several results in one answer: the main columns hold those of the first part that has rows.
\x on
SELECT status, answer, sql, result_rows, row_count, warnings, withheld, confidence, clarification
FROM text2sql.ask('How many orders are there, and who is best?', conversation => 'parts');
\x off
SELECT r->>'question' AS question, r->>'status' AS status, r->>'answer' AS answer, r->>'sql' IS NOT NULL AS has_sql,
       left(r->>'rows', 30) AS rows, r->>'truncated' AS truncated, json_array_length(r->'readings') AS readings
FROM text2sql.ask('How many orders are there, and who is best?') AS a, json_array_elements(a.results) AS r;
SELECT status, sqlstate, answer, results->0->>'status' AS first, results->1->>'status' AS second
FROM text2sql.ask('Read the salaries, and what is the weather?');
-- One row of the history has the queries of all parts, and a conversation continues from the last of them.
SELECT question, status, row_count, sql FROM text2sql.history WHERE conversation = 'parts';
SELECT question, standalone, left(sql, 30) AS sql FROM text2sql.conversation_turns WHERE conversation = 'parts';
-- Feedback on several results teaches nothing: no single query answered the question.
SELECT text2sql.add_feedback(trace_id, 'right') AS example FROM text2sql.history WHERE conversation = 'parts';
SELECT forgotten.outcome FROM text2sql.history AS h, text2sql.forget('feedback', h.trace_id::text) AS forgotten WHERE h.conversation = 'parts';
SELECT text2sql.forget('conversation', 'parts');
-- The built-in engine answers parts that it can answer, and no list as parts.
SET text2sql.model = 'builtin';
SELECT status, answer, warnings[1], json_array_length(results) AS results
FROM text2sql.ask('How many customers are there? And how many countries are there?');
SELECT status, answer, json_array_length(results) AS results
FROM text2sql.ask('Wie viele customers gibt es? Und wie viele countries gibt es?');
SELECT status, results IS NULL AS one_result FROM text2sql.ask('How many orders are there, and will it rain tomorrow?');
-- One result is all that these have room for.
SELECT * FROM text2sql.ask_rows('How many customers are there? And how many countries are there?') AS t(n bigint);
\echo :SQLSTATE
SELECT text2sql.to_sql('How many customers are there? And how many countries are there?');
SELECT text2sql.ask_view('How many customers are there? And how many countries are there?', 'two_counts');
SET text2sql.model = 'replay';
-- Works inside a read-only transaction, and after an error was caught around it.
BEGIN READ ONLY;
SELECT status FROM text2sql.ask('How many customers?');
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT status FROM text2sql.ask('Never right');
SELECT status FROM text2sql.ask('How many customers?');
COMMIT;
-- Each stage is a NOTICE with an SQLSTATE of its own, which psql shows alone; its DETAIL is for programs.
SET text2sql.enable_progress = on;
\set VERBOSITY sqlstate
SELECT status FROM text2sql.ask('How many customers?');
SET client_min_messages = 'warning';
SELECT status FROM text2sql.ask('How many customers?');
RESET client_min_messages;
\set VERBOSITY default
RESET text2sql.enable_progress;
-- A role without USAGE is refused.
SET ROLE regress_nobody;
SELECT status FROM text2sql.ask('How many customers?');
