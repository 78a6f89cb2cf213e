-- A query in plain words, with the comments of what it reads. Nothing is run.
SET ROLE regress_analyst;
SELECT * FROM text2sql.explain($$
  SELECT c.name, count(*) AS orders, sum(o.total) AS revenue
  FROM customers c JOIN orders o ON o.customer_id = c.customer_id
  WHERE o.status = 'paid' AND o.ordered_on >= DATE '2025-02-01'
  GROUP BY c.name HAVING count(*) > 2 ORDER BY revenue DESC LIMIT 3$$);
SELECT * FROM text2sql.explain('SELECT count(*) FROM orders WHERE pg_sleep(1) IS NULL');
\set SHOW_CONTEXT never
SELECT * FROM text2sql.explain('SELECT nme FROM customers');
\echo :SQLSTATE
SELECT * FROM text2sql.explain('DELETE FROM customers');
\echo :SQLSTATE
SELECT * FROM text2sql.explain('SELECT salary FROM hr.salaries');
\echo :SQLSTATE
