-- A given query, changed as requested; the changes in words and as a diff.
\set SHOW_CONTEXT never
\pset null (null)
\pset format unaligned
SET ROLE regress_analyst;
\set query 'SELECT status, count(*) AS n FROM orders GROUP BY status'
-- The built-in engine cannot revise queries.
SELECT status FROM text2sql.revise(:'query', 'by country instead');
SET text2sql.model = 'replay';
SELECT status, sql, answer, warnings, clarification, trace_id IS NOT NULL AS traced
FROM text2sql.revise('SELECT status, count(*) AS orders FROM orders WHERE status = ''paid'' GROUP BY status', 'by country instead');
SELECT unnest(changes) AS change
FROM text2sql.revise('SELECT status, count(*) AS orders FROM orders WHERE status = ''paid'' GROUP BY status', 'by country instead');
SELECT diff
FROM text2sql.revise('SELECT status, count(*) AS orders FROM orders WHERE status = ''paid'' GROUP BY status', 'by country instead');
-- An error goes back to the model; the same query in another spelling is no change.
SELECT status, changes FROM text2sql.revise(:'query', 'only what was paid for');
SELECT status, changes, answer FROM text2sql.revise(:'query', 'keep it');
-- The result is always a query, and requests that cannot be fulfilled are reported.
SELECT status, sql, answer, warnings FROM text2sql.revise(:'query', 'delete the rest');
SELECT status, sql, answer, warnings FROM text2sql.revise(:'query', 'with the weather');
-- The given one goes through the guard first.
SELECT status FROM text2sql.revise('SELECT salary FROM hr.salaries', 'keep it');
\echo :SQLSTATE
SELECT status FROM text2sql.revise('SELECT nothing FROM orders', 'keep it');
SELECT status FROM text2sql.revise(:'query', NULL);
SELECT status FROM text2sql.revise(:'query', 'keep it', '{"modle": "gpt"}');
-- A script: the statements that the request means change, everything else stays byte for byte.
SELECT $script$-- Nightly.
CREATE TEMP TABLE big AS
  SELECT *   -- all of it
    FROM orders
   WHERE order_id > 100;
INSERT INTO archive (order_id) SELECT order_id FROM big; -- kept
drop table big;
$script$ AS script \gset
SELECT statement, status, changes, diff, answer, warnings, trace_id IS NOT NULL AS traced
FROM text2sql.revise(:'script', 'only orders over 200');
SELECT sql = replace(:'script', 'order_id > 100', 'order_id > 200') AS only_that
FROM text2sql.revise(:'script', 'only orders over 200') WHERE statement IS NULL;
-- What the server says of a statement that it does not run, and what nobody asked for.
SELECT statement, changes, warnings
FROM text2sql.revise('DELETE FROM orders WHERE order_id < 5; SELECT 1', 'drop the condition of statement 1');
SELECT statement, sql, warnings FROM text2sql.revise(:'script', 'with a column that is not there');
SELECT statement, sql, changes
FROM text2sql.revise('DO $b$ BEGIN' || E'\n' || '  PERFORM 1; -- one' || E'\n' || 'END $b$', 'two instead of one');
SELECT status, sql, answer, warnings FROM text2sql.revise(:'script', 'add the weather');
SELECT status, answer, statement FROM text2sql.revise(:'script', 'leave it as it is');
SELECT status, answer, warnings FROM text2sql.revise(:'script', 'say no number');
SELECT count(*) AS archived FROM pg_class WHERE relname IN ('big', 'archive');
SELECT function, question, status FROM text2sql.history WHERE function = 'revise' ORDER BY asked_at LIMIT 2;
RESET ROLE;
-- Without a query: where it has to be changed, and how.
BEGIN;
CREATE VIEW buyer_totals AS SELECT customer_id, sum(total) AS total FROM customers JOIN orders USING (customer_id) GROUP BY customer_id;
CREATE VIEW best_buyers AS SELECT * FROM buyer_totals WHERE total > 100;
CREATE VIEW paid_buyers AS SELECT customer_id FROM orders WHERE status = 'paid';
CREATE PROCEDURE load_buyers() LANGUAGE plpgsql AS 'BEGIN PERFORM count(*) FROM public.buyer_totals; END';
CREATE VIEW hr.buyer_salaries AS SELECT salary FROM hr.salaries;
GRANT SELECT ON buyer_totals, best_buyers, paid_buyers TO regress_analyst;
SET LOCAL ROLE regress_analyst;
SET LOCAL text2sql.model = 'replay';
SELECT p->>'object' AS object, p->>'kind' AS kind, p->>'why' AS why, p->>'not_sent' AS not_sent
FROM text2sql.revise(request => 'Add the country of each buyer to the buyer view'), json_array_elements(clarification->'places') AS p WHERE statement IS NULL;
SELECT status, statement, changes, diff, answer, warnings FROM text2sql.revise(NULL, 'Add the country of each buyer to the buyer view') WHERE statement IS NOT NULL;
-- Where, without a model; and nowhere.
SET LOCAL text2sql.model = 'builtin';
SELECT status, answer, clarification->'places'->0->>'object' AS first FROM text2sql.revise(request => 'Add the country of each buyer to the buyer view');
SELECT status, answer, clarification FROM text2sql.revise(request => 'Add the weather to the forecast');
SELECT status, answer, warnings FROM text2sql.ask('Add the country of each buyer to the buyer view');
SELECT status FROM text2sql.revise(request => ' ');
ROLLBACK;
