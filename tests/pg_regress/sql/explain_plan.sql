-- The execution plan in words.
SET client_min_messages = warning;
CREATE TABLE events (event_id integer PRIMARY KEY, kind text NOT NULL, at date NOT NULL, amount numeric NOT NULL) WITH (autovacuum_enabled = off);
INSERT INTO events SELECT n, 'kind ' || n % 500, DATE '2024-01-01' + n % 700, n FROM generate_series(1, 20000) AS n;
CREATE TABLE unknown_rows (id integer) WITH (autovacuum_enabled = off);
GRANT SELECT ON events, unknown_rows TO regress_analyst;
ANALYZE events;
SET ROLE regress_analyst;
SET max_parallel_workers_per_gather = 0;
\pset format wrapped
\pset columns 150
SELECT step, operation, explanation, problem FROM text2sql.explain_plan($$SELECT amount FROM events WHERE kind = 'kind 7'$$);
SELECT step, operation, explanation, problem FROM text2sql.explain_plan('SELECT amount FROM events WHERE event_id = 7');
SELECT step, operation, explanation, problem FROM text2sql.explain_plan($$SELECT c.name, sum(o.total) FROM customers c JOIN orders o USING (customer_id) GROUP BY c.name ORDER BY 2 DESC LIMIT 3$$);
SELECT step, operation, explanation, problem FROM text2sql.explain_plan($$SELECT count(*) FROM events WHERE lower(kind) = 'kind 7'$$);
SELECT operation, problem FROM text2sql.explain_plan('SELECT * FROM unknown_rows') WHERE problem IS NOT NULL;
-- Measured: the actual number of rows.
SELECT step, operation, actual_rows, problem FROM text2sql.explain_plan($$SELECT amount FROM events WHERE kind = 'kind 7'$$, '{"analyze": true}');
SELECT count(*) > 0 AS explained FROM text2sql.explain_plan('SELECT 1 AS one', '{"analyse": true}');
SELECT count(*) > 0 AS explained FROM text2sql.explain_plan('SELECT 1 AS one', '{"analyze": 1}');
SELECT count(*) > 0 AS explained FROM text2sql.explain_plan('SELECT 1 AS one', '{"query_timeout": "5s", "max_cost": 1000}');
SET work_mem = '64kB';
SELECT operation, problem FROM text2sql.explain_plan('SELECT kind FROM events ORDER BY amount, kind') WHERE problem IS NOT NULL;
RESET work_mem;
-- The guard judges it; a plan that is too expensive can be explained, but not measured.
\set SHOW_CONTEXT never
SELECT * FROM text2sql.explain_plan('SELECT salary FROM hr.salaries');
\echo :SQLSTATE
SELECT * FROM text2sql.explain_plan('DELETE FROM events');
\echo :SQLSTATE
SELECT * FROM text2sql.explain_plan('SELECT pg_sleep(1)', '{"analyze": true}');
\echo :SQLSTATE
SELECT * FROM text2sql.explain_plan('SELECT 1; SELECT 2');
\echo :SQLSTATE
SELECT * FROM text2sql.explain_plan('EXPLAIN ANALYZE DELETE FROM events');
\echo :SQLSTATE
RESET ROLE;
SET text2sql.max_cost = 1000;
SET ROLE regress_analyst;
SELECT count(*) > 0 AS explained FROM text2sql.explain_plan('SELECT count(*) FROM events a, events b');
SELECT * FROM text2sql.explain_plan('SELECT count(*) FROM events a, events b', '{"analyze": true}');
\echo :SQLSTATE
-- As a superuser, with the privileges of the role in text2sql.run_as.
RESET ROLE;
RESET text2sql.max_cost;
SELECT step, operation FROM text2sql.explain_plan('SELECT salary FROM hr.salaries');
DROP TABLE events, unknown_rows;
