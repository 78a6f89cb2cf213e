-- Questions with the SQL that answers them.
\set SHOW_CONTEXT never
\pset null (null)
SET ROLE regress_curator;
SELECT text2sql.add_example('Who bought nothing?', 'SELECT name FROM customers c WHERE NOT EXISTS (SELECT FROM orders o WHERE o.customer_id = c.customer_id);') AS id \gset
SELECT text2sql.add_example('Who bought nothing?', 'SELECT name FROM customers c WHERE NOT EXISTS (SELECT FROM orders o WHERE o.customer_id = c.customer_id)') = :id AS is_known;
SELECT question, sql, table_names, status, verified_by, intent, origin FROM text2sql.examples;
SELECT object_names FROM text2sql._examples;
SELECT text2sql.accept('example', :id);
SELECT status, verified_by FROM text2sql.examples;
-- SQL that the guard would refuse cannot be an example.
SELECT text2sql.add_example('Delete them', 'DELETE FROM customers');
SELECT text2sql.add_example('Who earns most?', 'SELECT max(salary) FROM hr.salaries');
SELECT text2sql.add_example('Wrong', 'SELECT no_such FROM customers');
SELECT text2sql.add_example('Two', 'SELECT 1; SELECT 2');
SELECT text2sql.add_example('?', 'SELECT 1');
SELECT text2sql.add_example('x', NULL);
SELECT text2sql.accept('example', -1);
SELECT text2sql.reject('example', NULL);
SELECT text2sql.reject('example', :id);
SELECT status, verified_by, verified_at FROM text2sql.examples;
SELECT text2sql.accept('example', :id);
-- Lines of a file: nothing is stored, or invalid lines are skipped.
\set lines '{"NL": "How many orders?", "SQL": "SELECT count(*) FROM orders"}\n\n{"question": "How many orders?", "sql": "SELECT count(*) FROM orders;"}\n{"NL": "No SQL"}\nnot JSON\n{"question": "What did we sell in March?", "sql": "SELECT sum(total) FROM orders"}\n{"question": "Wrong", "sql": "SELECT no_such FROM orders"}\n{"question": "Wages", "sql": "SELECT salary FROM hr.salaries"}'
SELECT * FROM text2sql.import_knowledge(replace(:'lines', '\n', E'\n'), 'examples');
SELECT count(*) FROM text2sql.examples;
SELECT * FROM text2sql.import_knowledge(replace(:'lines', '\n', E'\n'), 'examples', on_error => 'skip');
SELECT question, verified_by, origin FROM text2sql.examples ORDER BY question;
SELECT * FROM text2sql.import_knowledge('x', 'examples', on_error => 'ignore');
-- A model's opinion, with its reason, is stored; the built-in engine has none.
SELECT text2sql.check_examples(ids => ARRAY[:id]);
SET text2sql.model = 'replay';
SELECT question, intent, reason FROM text2sql.check_examples(ids => ARRAY[:id]);
SELECT text2sql.forget('example', (SELECT id FROM text2sql.examples WHERE question = 'How many orders?'));
SELECT question, intent, reason FROM text2sql.check_examples();
SELECT count(*) FROM text2sql.check_examples();
SELECT question, intent, intent_reason FROM text2sql.examples ORDER BY question;
RESET text2sql.model;
-- A change of the schema breaks one.
RESET ROLE;
ALTER TABLE orders RENAME COLUMN total TO amount;
SET ROLE regress_curator;
SELECT question, table_names, status, problem FROM text2sql.examples WHERE status = 'broken' ORDER BY id;
-- A broken verified example is neither shown to a model nor replayed, and status() reports it.
RESET ROLE;
UPDATE text2sql._examples SET verified_by = 'somebody', verified_at = now();
CALL text2sql.refresh();
SELECT value, note FROM text2sql.status() WHERE item = 'examples';
SELECT count(*) FROM regexp_split_to_table(text2sql.preview_prompt('What did we sell in April?'), '\n') AS line WHERE line LIKE '%in March%';
ALTER TABLE orders RENAME COLUMN amount TO total;
SELECT value, note FROM text2sql.status() WHERE item = 'examples';
SELECT count(*) FROM regexp_split_to_table(text2sql.preview_prompt('What did we sell in April?'), '\n') AS line WHERE line LIKE '%in March%';
ALTER TABLE orders RENAME COLUMN total TO amount;
UPDATE text2sql._examples SET verified_by = NULL, verified_at = NULL WHERE verified_by = 'somebody';
DELETE FROM text2sql._index_state;
SET ROLE regress_curator;
SELECT text2sql.accept('example', (SELECT id FROM text2sql.examples WHERE status = 'broken'));
RESET ROLE;
ALTER TABLE orders RENAME COLUMN amount TO total;
-- Visible to roles that can read all of its tables.
REVOKE SELECT ON customers FROM regress_analyst;
SET ROLE regress_analyst;
SELECT question FROM text2sql.examples ORDER BY id;
SELECT text2sql.add_example('x', 'SELECT 1');
RESET ROLE;
GRANT SELECT ON customers TO regress_analyst;
DELETE FROM text2sql._examples;
