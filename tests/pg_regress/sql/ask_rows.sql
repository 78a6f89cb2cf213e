-- Typed rows, by the caller's column list.
SET ROLE regress_analyst;
SET text2sql.model = 'replay';
SELECT pg_typeof(status), status, orders, pg_typeof(revenue), revenue
FROM text2sql.ask_rows('Orders by status') AS t(status order_status, orders bigint, revenue numeric);
-- What an assignment would convert is converted.
SELECT * FROM text2sql.ask_rows('Orders by status') AS t(status text, orders integer, revenue numeric(10,1));
SELECT sum(n) FROM text2sql.ask_rows('How many customers?') AS t(n numeric);
\set SHOW_CONTEXT never
-- What does not fit is an error that says how it would.
SELECT * FROM text2sql.ask_rows('Orders by status') AS t(status text, orders bigint);
\echo :SQLSTATE
SELECT * FROM text2sql.ask_rows('Orders by status') AS t(status date, orders bigint, revenue numeric);
\echo :SQLSTATE
SELECT * FROM text2sql.ask_rows('Orders by status');
\echo :SQLSTATE
-- Every status but ok is an error of its own.
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
