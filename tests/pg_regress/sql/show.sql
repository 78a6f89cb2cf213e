-- Lines to read: rows, sentence, notes, SQL.
SET ROLE regress_analyst;
SET text2sql.model = 'replay';
\pset format unaligned
\pset tuples_only on
SELECT * FROM text2sql.show('Orders by status');
SELECT * FROM text2sql.show('How many customers?');
SELECT * FROM text2sql.show('Who is best?');
SELECT * FROM text2sql.show('What is the weather?');
SELECT * FROM text2sql.show('Do harm');
SELECT * FROM text2sql.show('With a plan');
SELECT * FROM text2sql.show('How many orders are there, and who is best?');
SET text2sql.max_result_rows = 3;
SELECT * FROM text2sql.show('Every order');
-- An invalid question, and an invalid reply.
SELECT * FROM text2sql.show(NULL);
SELECT * FROM text2sql.show('Say nothing');
-- The built-in engine needs no model.
SET text2sql.model = 'builtin';
RESET text2sql.max_result_rows;
SELECT * FROM text2sql.show('How many orders are there?');
SELECT * FROM text2sql.show('How many customers are there per country?');
SELECT * FROM text2sql.show('Will it rain tomorrow?');
SELECT * FROM text2sql.show('How many customers are there? And how many countries are there?');
-- Which of several engines answered, and why those before it did not.
SET text2sql.model = 'builtin, replay';
SELECT * FROM text2sql.show('How many customers are there?');
SELECT * FROM text2sql.show('Which customer is the nicest?');
SET text2sql.model = 'replay, builtin';
SELECT * FROM text2sql.show('How many orders are there?');
SELECT status, engine, warnings FROM text2sql.ask('How many orders are there?');
SELECT h.model, h.settings ->> 'model' AS models, t.stage, t.input, t.output
  FROM (SELECT * FROM text2sql.history ORDER BY asked_at DESC LIMIT 1) AS h, text2sql.trace(h.trace_id) AS t
 WHERE t.stage = 'hand_over';
RESET text2sql.model;
