-- A query built up clause by clause, each step with its first rows.
SET client_min_messages = warning;
SET ROLE regress_analyst;
SET text2sql.model = 'builtin';
\pset format unaligned
\pset tuples_only on
SELECT step, clause, in_words, query, row_count, note FROM text2sql.teach_me('How many orders are there per status?');
-- The rows of groups have no order before ORDER BY.
SELECT clause, first_rows FROM text2sql.teach_me('How many orders are there per status?') WHERE clause IN ('FROM', 'ORDER BY');
-- The language of the question.
SELECT step, clause, in_words, row_count FROM text2sql.teach_me('Wie viele Bestellungen gibt es je Status?');
-- Conditions and joins one at a time.
SELECT step, clause, in_words, query, row_count FROM text2sql.teach_me(sql => $$
    SELECT c.name, count(*) AS n FROM customers c JOIN orders o ON o.customer_id = c.customer_id
    WHERE o.status = 'paid' AND o.total > 10 GROUP BY c.name HAVING count(*) > 1 ORDER BY n DESC, c.name LIMIT 2$$);
-- A CTE and a set operation.
SELECT step, clause, query, row_count FROM text2sql.teach_me(sql => 
    'WITH paid AS (SELECT customer_id FROM orders) SELECT count(*) FROM paid');
SELECT step, clause, query, row_count FROM text2sql.teach_me(sql => 
    'SELECT name FROM customers UNION SELECT name FROM countries ORDER BY name LIMIT 1');
SET text2sql.language = 'de';
SELECT step, clause, in_words, row_count FROM text2sql.teach_me(sql => 
    $$SELECT DISTINCT status FROM orders WHERE total IS NOT NULL ORDER BY status$$);
-- Explanations, findings, causes and refusals follow the setting as well.
SELECT * FROM text2sql.explain('SELECT name FROM customers ORDER BY name LIMIT 1');
SELECT finding, evidence, fix FROM text2sql.trust_report('SELECT 7 / 2 FROM customers LIMIT 1');
SELECT cause, explanation FROM text2sql.why_empty('SELECT order_id FROM orders WHERE order_id < 10 AND order_id > 20');
SELECT * FROM text2sql.explain('DELETE FROM orders WHERE total < 0');
\set SHOW_CONTEXT never
SELECT * FROM text2sql.teach_me(sql => 'SELECT salary FROM hr.salaries');
\echo :SQLSTATE
SELECT * FROM text2sql.teach_me(sql => 'DELETE FROM orders');
\echo :SQLSTATE
RESET text2sql.language;
SET text2sql.language = 'fr';
SELECT * FROM text2sql.teach_me(sql => NULL);
SELECT * FROM text2sql.teach_me('How many orders are there?', sql => 'SELECT 1');
\echo :SQLSTATE
SELECT * FROM text2sql.teach_me(sql => 'SELECT nme FROM customers');
\echo :SQLSTATE
RESET ROLE;
