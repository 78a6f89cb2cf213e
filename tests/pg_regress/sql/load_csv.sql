-- Tables made of CSV.
\set SHOW_CONTEXT never
\pset null (null)
SELECT * FROM text2sql.load_csv('sales', E'Order ID;Kunde;Betrag;Datum;PLZ\n1;Müller;1.234,50 €;31.12.2024;01067\n2;Schmidt;99,90 €;01.02.2025;80331\n');
TABLE sales;
SELECT attname, col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = 'sales'::regclass AND attnum > 0 ORDER BY attnum;

-- A question finds it at once, and no other temporary table.
SELECT status, sql, result_rows FROM text2sql.ask('What is the total betrag of sales?');
CREATE TEMPORARY TABLE zebras (stripes integer);
SELECT status, sql FROM text2sql.ask('How many zebras are there?');
SELECT allowed, regexp_replace(reason, 'pg_temp_\d+', 'pg_temp') AS reason FROM text2sql.validate('SELECT stripes FROM zebras');
SELECT allowed, regexp_replace(reason, 'pg_temp_\d+', 'pg_temp') AS reason FROM text2sql.validate('SELECT kunde FROM sales');

-- A named table stays.
SELECT table_name, rows_loaded, column_name, data_type FROM text2sql.load_csv('public.loaded', E'id,name\n1,x\n');
SELECT relpersistence FROM pg_class WHERE oid = 'public.loaded'::regclass;
SELECT DISTINCT table_name FROM text2sql.load_csv('"Mixed Case"', E'id\n1\n', '{"temporary": false}');
SELECT * FROM text2sql.load_csv('public.loaded', E'id\n1\n');

-- A bad line is named, and nothing is half loaded.
SELECT * FROM text2sql.load_csv('bad', E'a,b\n1,2\n3\n');
SELECT * FROM text2sql.load_csv('bad', E'a,ip\n1,10.0.0.1\n3,oops\n', '{"types": {"ip": "inet"}}');
SELECT * FROM text2sql.load_csv('bad', E'a,n\n1,1\n3,70000\n', '{"types": {"n": "smallint"}}');
SELECT to_regclass('pg_temp.bad');
-- Or set aside.
SELECT rows_loaded, rows_rejected, column_name, data_type
FROM text2sql.load_csv('bad', E'a,ip\n1,10.0.0.1\n3,oops\n4\n', '{"types": {"ip": "inet"}, "on_error": "collect"}');
TABLE bad;
TABLE bad_rejected;
-- What would be made.
SELECT * FROM text2sql.load_csv('preview', E'd,x\n01/02/2024,"1,234"\n', '{"dry_run": true}');
SET datestyle = 'ISO, DMY';
SELECT note FROM text2sql.load_csv('preview', E'd\n01/02/2024\n', '{"dry_run": true}');
RESET datestyle;
SELECT to_regclass('pg_temp.preview');

-- What cannot be.
SELECT * FROM text2sql.load_csv(NULL, 'a');
SELECT * FROM text2sql.load_csv('x', NULL);
SELECT * FROM text2sql.load_csv('x', '');
SELECT * FROM text2sql.load_csv('a.b.c', 'a');
SELECT * FROM text2sql.load_csv('no_such_schema.x', E'a\n1');
SELECT * FROM text2sql.load_csv('x', E'a\n1', '{"seperator": ";"}');
SELECT * FROM text2sql.load_csv('x', E'a\n1', '{"types": {"a": "no_such_type"}}');
SELECT * FROM text2sql.load_csv('x', E'a\n1', '{"types": {"a": "int); DROP TABLE sales; --"}}');
SELECT * FROM text2sql.load_csv('x', repeat('x,', 2000));
BEGIN READ ONLY;
SELECT * FROM text2sql.load_csv('x', E'a\n1');
ROLLBACK;

-- The rights are those of the caller.
SET ROLE regress_curator;
SELECT * FROM text2sql.load_csv('text2sql.x', E'a\n1');
SELECT rows_loaded FROM text2sql.load_csv('mine', E'a\n1');
RESET ROLE;
DROP TABLE public.loaded, "Mixed Case";
