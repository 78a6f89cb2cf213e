-- Typed rows, by the caller's column list.
SET ROLE regress_analyst;
SET text2sql.model = 'replay';
SELECT pg_typeof(status), status, orders, pg_typeof(revenue), revenue
FROM text2sql.ask_rows('Orders by status') AS t(status order_status, orders bigint, revenue numeric);
-- Types are converted as in an assignment.
SELECT * FROM text2sql.ask_rows('Orders by status') AS t(status text, orders integer, revenue numeric(10,1));
SELECT sum(n) FROM text2sql.ask_rows('How many customers?') AS t(n numeric);
\set SHOW_CONTEXT never
-- A type mismatch is an error with the matching column definition list.
SELECT * FROM text2sql.ask_rows('Orders by status') AS t(status text, orders bigint);
\echo :SQLSTATE
SELECT * FROM text2sql.ask_rows('Orders by status') AS t(status date, orders bigint, revenue numeric);
\echo :SQLSTATE
SELECT * FROM text2sql.ask_rows('Orders by status');
\echo :SQLSTATE
-- Before the answer is known, the hint says how to find the columns out.
SELECT * FROM text2sql.ask_rows('Every (single) customer''s name', options => '{}');
SELECT * FROM TEXT2SQL.ASK_ROWS ('How many customers?');
DO $$BEGIN PERFORM * FROM text2sql.ask_rows('How many customers?'); END$$;
SELECT * FROM text2sql.run('SELECT 1 AS one');
SET search_path = public, text2sql;
SELECT * FROM json_to_record('{}'), ask_rows('How many customers?');
SELECT * FROM json_to_record('{}'), ask_rows('How many customers?') AS t(customers bigint);
RESET search_path;
-- Another role does not see the columns.
RESET ROLE;
SELECT * FROM text2sql.ask_rows('Orders by status');
SET ROLE regress_analyst;
-- What programs do to find out the columns asks nothing.
SELECT count(*) AS asked FROM text2sql.history \gset
SELECT * FROM (SELECT * FROM text2sql.ask_rows('Every order') AS t(id bigint)) AS q LIMIT 0;
SELECT * FROM (SELECT * FROM text2sql.ask_rows('Every order') AS t(id bigint)) AS q WHERE 1 = 0;
SELECT q.id, count(*) FROM (SELECT * FROM text2sql.ask_rows('Every order') AS t(id bigint)) AS q WHERE 1 = 0 GROUP BY 1 ORDER BY 1 LIMIT 0;
WITH q AS MATERIALIZED (SELECT * FROM text2sql.ask_rows('Every order') AS t(id bigint)) SELECT * FROM q LIMIT 0;
SELECT status, answer FROM text2sql.ask('Every order') LIMIT 0;
SELECT text2sql.to_sql('Every order') WHERE false;
SELECT text2sql.show('Every order') LIMIT 0;
PREPARE every_order(text) AS SELECT * FROM text2sql.ask_rows($1) AS t(id bigint) LIMIT 3 -- of a dashboard
;
EXPLAIN (COSTS OFF) SELECT * FROM text2sql.ask_rows('Every order') AS t(id bigint);
SELECT count(*) - :asked AS asked FROM text2sql.history;
-- A truncated result is an error, because the enclosing query cannot detect it. One that just fits is complete.
SET text2sql.max_result_rows = 299;
SELECT count(*) FROM (SELECT * FROM text2sql.ask_rows('Every order') AS t(id bigint)) AS v LIMIT 1000;
\echo :SQLSTATE
SELECT * FROM text2sql.ask_rows('Every order') AS t(id bigint) LIMIT 1;
\echo :SQLSTATE
SET text2sql.max_result_rows = 300;
SELECT count(*) FROM text2sql.ask_rows('Every order') AS t(id bigint);
-- Unless the caller allows it.
SET text2sql.max_result_rows = 299;
SET text2sql.tuning = '{"on_truncation": "warning"}';
SELECT count(*) FROM text2sql.ask_rows('Every order') AS t(id bigint);
RESET text2sql.tuning;
RESET text2sql.max_result_rows;
SET text2sql.max_result_size = '1kB';
SELECT count(*) FROM text2sql.ask_rows('Every order') AS t(id bigint);
\echo :SQLSTATE
RESET text2sql.max_result_size;
-- An invalid question is an error here.
SELECT * FROM text2sql.ask_rows(NULL) AS t(a text);
\echo :SQLSTATE
SELECT * FROM text2sql.ask_rows(' ') AS t(a text);
\echo :SQLSTATE
-- Every status except ok is an error with its own SQLSTATE.
SELECT * FROM text2sql.ask_rows('Who is best?') AS t(a text);
\echo :SQLSTATE
SELECT * FROM text2sql.ask_rows('What is the weather?') AS t(a text);
\echo :SQLSTATE
SELECT * FROM text2sql.ask_rows('Read the salaries') AS t(a text);
\echo :SQLSTATE
SELECT * FROM text2sql.ask_rows('Do harm') AS t(a text);
\echo :SQLSTATE
SELECT * FROM text2sql.ask_rows('Never right') AS t(a text);
\echo :SQLSTATE
