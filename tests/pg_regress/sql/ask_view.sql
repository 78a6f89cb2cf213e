-- A view of an answer: created as the caller, judged by the guard, identified by its comment.
\set SHOW_CONTEXT never
SET text2sql.model = 'replay';
CREATE SCHEMA reports AUTHORIZATION regress_analyst;
SET ROLE regress_analyst;
SELECT text2sql.ask_view('Orders by status', 'reports.orders_by_status');
SELECT * FROM reports.orders_by_status;
SELECT regexp_replace(obj_description('reports.orders_by_status'::regclass), '[0-9a-f-]{36}', 'ID') AS comment;
SELECT reloptions, pg_get_userbyid(relowner) AS owner FROM pg_class WHERE oid = 'reports.orders_by_status'::regclass;
-- Names as SQL writes them, columns that repeat, a temporary one, one along the search_path.
SELECT text2sql.ask_view('Twice the same', 'reports."Two Names"');
SELECT * FROM reports."Two Names";
SELECT text2sql.ask_view('How many customers?', 'pg_temp.mine');
SELECT * FROM mine;
SET search_path = reports, public;
SELECT text2sql.ask_view('How many customers?', 'customer_count');
RESET search_path;
-- It replaces its own views, and no others.
SELECT text2sql.ask_view('Orders by status', 'reports.orders_by_status');
SELECT text2sql.ask_view('How many customers?', 'pg_temp.mine') AS again;
SELECT text2sql.ask_view('Orders by status', 'reports.customer_count');
CREATE VIEW reports.own AS SELECT 1 AS one;
SELECT text2sql.ask_view('Orders by status', 'reports.own');
SELECT text2sql.ask_view('Orders by status', 'public.orders');
-- Without privileges on the schema no view is created, and every status except ok is an error.
SELECT text2sql.ask_view('Orders by status', 'public.not_mine');
SELECT text2sql.ask_view('Orders by status', 'nowhere.x');
SELECT text2sql.ask_view('Orders by status', 'a.b.c');
SELECT text2sql.ask_view('Orders by status', '');
SELECT text2sql.ask_view('How many customers?', 'reports."; DROP TABLE x; --"');
SELECT text2sql.ask_view('', 'reports.x');
SELECT text2sql.ask_view('Orders by status', 'reports.x', options => '[]');
\set VERBOSITY sqlstate
SELECT text2sql.ask_view('Who is best?', 'reports.x');
SELECT text2sql.ask_view('What is the weather?', 'reports.x');
SELECT text2sql.ask_view('Read the salaries', 'reports.x');
SELECT text2sql.ask_view('Do harm', 'reports.x');
BEGIN READ ONLY;
SELECT text2sql.ask_view('Orders by status', 'reports.x');
ROLLBACK;
\set VERBOSITY default
SELECT relname FROM pg_class WHERE relnamespace = 'reports'::regnamespace ORDER BY 1;
-- A reader of the view needs privileges on its tables.
GRANT USAGE ON SCHEMA reports TO regress_nobody;
GRANT SELECT ON reports.orders_by_status TO regress_nobody;
SET ROLE regress_nobody;
SELECT * FROM reports.orders_by_status;
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA reports CASCADE;
