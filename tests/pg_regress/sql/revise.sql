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
SELECT status FROM text2sql.revise('DELETE FROM orders', 'keep it');
\echo :SQLSTATE
SELECT status FROM text2sql.revise('SELECT salary FROM hr.salaries', 'keep it');
\echo :SQLSTATE
SELECT status FROM text2sql.revise('SELECT nothing FROM orders', 'keep it');
SELECT status FROM text2sql.revise(NULL, 'keep it');
SELECT status FROM text2sql.revise(:'query', NULL);
SELECT status FROM text2sql.revise(:'query', 'keep it', '{"modle": "gpt"}');
SELECT function, question, status FROM text2sql.history WHERE function = 'revise' ORDER BY asked_at LIMIT 2;
RESET ROLE;
