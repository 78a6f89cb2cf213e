-- A view of an answer: made as the caller, judged by the guard, told by its comment.
\set SHOW_CONTEXT never
SET text2sql.model = 'replay';
CREATE SCHEMA reports AUTHORIZATION regress_analyst;
SET ROLE regress_analyst;
SELECT text2sql.ask_view('reports.orders_by_status', 'Orders by status');
SELECT * FROM reports.orders_by_status;
SELECT regexp_replace(obj_description('reports.orders_by_status'::regclass), '[0-9a-f-]{36}', 'ID') AS comment;
SELECT reloptions, pg_get_userbyid(relowner) AS owner FROM pg_class WHERE oid = 'reports.orders_by_status'::regclass;
-- Names as SQL writes them, columns that repeat, a temporary one, one along the search_path.
SELECT text2sql.ask_view('reports."Two Names"', 'Twice the same');
SELECT * FROM reports."Two Names";
SELECT text2sql.ask_view('pg_temp.mine', 'How many customers?');
SELECT * FROM mine;
SET search_path = reports, public;
SELECT text2sql.ask_view('customer_count', 'How many customers?');
RESET search_path;
-- Its own it makes anew, nothing else.
SELECT text2sql.ask_view('reports.orders_by_status', 'Orders by status');
SELECT text2sql.ask_view('pg_temp.mine', 'How many customers?') AS again;
SELECT text2sql.ask_view('reports.customer_count', 'Orders by status');
CREATE VIEW reports.own AS SELECT 1 AS one;
SELECT text2sql.ask_view('reports.own', 'Orders by status');
SELECT text2sql.ask_view('public.orders', 'Orders by status');
-- Without rights in the schema there is no view, and every status but ok is an error.
SELECT text2sql.ask_view('public.not_mine', 'Orders by status');
SELECT text2sql.ask_view('nowhere.x', 'Orders by status');
SELECT text2sql.ask_view('a.b.c', 'Orders by status');
SELECT text2sql.ask_view('', 'Orders by status');
SELECT text2sql.ask_view('reports."; DROP TABLE x; --"', 'How many customers?');
SELECT text2sql.ask_view('reports.x', '');
SELECT text2sql.ask_view('reports.x', 'Orders by status', '[]');
\set VERBOSITY sqlstate
SELECT text2sql.ask_view('reports.x', 'Who is best?');
SELECT text2sql.ask_view('reports.x', 'What is the weather?');
SELECT text2sql.ask_view('reports.x', 'Read the salaries');
SELECT text2sql.ask_view('reports.x', 'Do harm');
BEGIN READ ONLY;
SELECT text2sql.ask_view('reports.x', 'Orders by status');
ROLLBACK;
\set VERBOSITY default
SELECT relname FROM pg_class WHERE relnamespace = 'reports'::regnamespace ORDER BY 1;
-- Its reader needs rights on what it reads.
GRANT USAGE ON SCHEMA reports TO regress_nobody;
GRANT SELECT ON reports.orders_by_status TO regress_nobody;
SET ROLE regress_nobody;
SELECT * FROM reports.orders_by_status;
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA reports CASCADE;
