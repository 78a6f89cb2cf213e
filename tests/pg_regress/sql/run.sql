-- Any SELECT under the full guard.
SET ROLE regress_analyst;
SELECT * FROM text2sql.run('SELECT name, country_id FROM customers ORDER BY customer_id LIMIT 2') AS t(name text, country integer);
SELECT result_columns, result_rows, row_count, truncated FROM text2sql.run_json('SELECT order_id, total FROM orders ORDER BY 1 LIMIT 2');
SELECT result_rows FROM text2sql.run_json($$SELECT "Credit Limit", 'a "quoted" text' AS "Odd Name" FROM customers WHERE customer_id <= 4 ORDER BY customer_id DESC LIMIT 2$$);
SET text2sql.max_result_rows = 2;
SELECT row_count, truncated FROM text2sql.run_json('TABLE orders');
SELECT sum(n) FROM text2sql.run('SELECT count(*) AS n FROM orders GROUP BY status') AS t(n bigint);
SET text2sql.tuning = '{"on_truncation": "warning"}';
SELECT sum(n) FROM text2sql.run('SELECT count(*) AS n FROM orders GROUP BY status') AS t(n bigint);
RESET text2sql.tuning;
SET text2sql.max_result_rows = 3;
SELECT sum(n) FROM text2sql.run('SELECT count(*) AS n FROM orders GROUP BY status') AS t(n bigint);
RESET text2sql.max_result_rows;
\set SHOW_CONTEXT never
SELECT * FROM text2sql.run('SELECT 1; SELECT 2') AS t(a int);
\echo :SQLSTATE
SELECT * FROM text2sql.run('DELETE FROM orders') AS t(a int);
\echo :SQLSTATE
SELECT * FROM text2sql.run('SELECT 1 INTO x') AS t(a int);
\echo :SQLSTATE
SELECT * FROM text2sql.run('SELECT * FROM orders FOR UPDATE') AS t(a int);
\echo :SQLSTATE
SELECT * FROM text2sql.run('SELECT pg_sleep(10)') AS t(a text);
\echo :SQLSTATE
SELECT * FROM text2sql.run('SELECT salary FROM hr.salaries') AS t(a numeric);
\echo :SQLSTATE
SELECT * FROM text2sql.run('SELECT rolname FROM pg_catalog.pg_authid') AS t(a name);
\echo :SQLSTATE
SELECT * FROM text2sql.run($$SELECT text2sql.to_sql('x')$$) AS t(a text);
\echo :SQLSTATE
SELECT * FROM text2sql.run('SELECT nme FROM customers') AS t(a text);
\echo :SQLSTATE
SELECT * FROM text2sql.run('SELECT 1/0') AS t(a int);
\echo :SQLSTATE
SELECT * FROM text2sql.run('SELEC 1') AS t(a int);
\echo :SQLSTATE
SELECT * FROM text2sql.run('') AS t(a int);
\echo :SQLSTATE
SET text2sql.query_timeout = '50ms';
RESET ROLE;
SET text2sql.query_timeout = '50ms';
SET ROLE regress_analyst;
SELECT * FROM text2sql.run('SELECT count(*) FROM generate_series(1, 100000000)') AS t(a bigint);
\echo :SQLSTATE
