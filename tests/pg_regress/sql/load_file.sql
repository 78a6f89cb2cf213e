-- Tables made of CSV.
\set SHOW_CONTEXT never
\pset null (null)
SELECT * FROM text2sql.load_file('sales', E'Order ID;Kunde;Betrag;Datum;PLZ\n1;Müller;1.234,50 €;31.12.2024;01067\n2;Schmidt;99,90 €;01.02.2025;80331\n');
TABLE sales;
SELECT attname, col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = 'sales'::regclass AND attnum > 0 ORDER BY attnum;

-- A question finds it at once, and no other temporary table.
SELECT status, sql, result_rows FROM text2sql.ask('What is the total betrag of sales?');
CREATE TEMPORARY TABLE zebras (stripes integer);
SELECT status, sql FROM text2sql.ask('How many zebras are there?');
SELECT allowed, regexp_replace(reason, 'pg_temp_\d+', 'pg_temp') AS reason FROM text2sql.validate('SELECT stripes FROM zebras');
SELECT allowed, regexp_replace(reason, 'pg_temp_\d+', 'pg_temp') AS reason FROM text2sql.validate('SELECT kunde FROM sales');

-- A named table stays.
SELECT table_name, rows_loaded, column_name, data_type FROM text2sql.load_file('public.loaded', E'id,name\n1,x\n');
SELECT relpersistence FROM pg_class WHERE oid = 'public.loaded'::regclass;
SELECT DISTINCT table_name FROM text2sql.load_file('"Mixed Case"', E'id\n1\n', '{"temporary": false}');
SELECT * FROM text2sql.load_file('public.loaded', E'id\n1\n');

-- A bad line is named, and nothing is half loaded.
SELECT * FROM text2sql.load_file('bad', E'a,b\n1,2\n3\n');
SELECT * FROM text2sql.load_file('bad', E'a,ip\n1,10.0.0.1\n3,oops\n', '{"types": {"ip": "inet"}}');
SELECT * FROM text2sql.load_file('bad', E'a,n\n1,1\n3,70000\n', '{"types": {"n": "smallint"}}');
SELECT to_regclass('pg_temp.bad');
-- Or set aside.
SELECT rows_loaded, rows_rejected, column_name, data_type
FROM text2sql.load_file('bad', E'a,ip\n1,10.0.0.1\n3,oops\n4\n', '{"types": {"ip": "inet"}, "on_error": "collect"}');
TABLE bad;
TABLE bad_rejected;
-- What would be made.
SELECT * FROM text2sql.load_file('preview', E'd,x\n01/02/2024,"1,234"\n', '{"dry_run": true}');
SET datestyle = 'ISO, DMY';
SELECT note FROM text2sql.load_file('preview', E'd\n01/02/2024\n', '{"dry_run": true}');
RESET datestyle;
SELECT to_regclass('pg_temp.preview');

-- What cannot be.
SELECT * FROM text2sql.load_file(NULL, 'a');
SELECT * FROM text2sql.load_file('x', NULL);
SELECT * FROM text2sql.load_file('x', '');
SELECT * FROM text2sql.load_file('a.b.c', 'a');
SELECT * FROM text2sql.load_file('no_such_schema.x', E'a\n1');
SELECT * FROM text2sql.load_file('x', E'a\n1', '{"seperator": ";"}');
SELECT * FROM text2sql.load_file('x', E'a\n1', '{"types": {"a": "no_such_type"}}');
SELECT * FROM text2sql.load_file('x', E'a\n1', '{"types": {"a": "int); DROP TABLE sales; --"}}');
SELECT * FROM text2sql.load_file('x', repeat('x,', 2000));
BEGIN READ ONLY;
SELECT * FROM text2sql.load_file('x', E'a\n1');
ROLLBACK;

-- The rights are those of the caller.
SET ROLE regress_curator;
SELECT * FROM text2sql.load_file('text2sql.x', E'a\n1');
SELECT rows_loaded FROM text2sql.load_file('mine', E'a\n1');
RESET ROLE;
DROP TABLE public.loaded, "Mixed Case";
-- Tables made of JSON.
\set SHOW_CONTEXT never
\pset null (null)
SELECT * FROM text2sql.load_file('readings', '[{"At": "2024-01-31T10:00:00Z", "v": 1.5, "tags": ["a"], "zip": "01067"}, {"v": 12345678901234567890, "ok": true}]');
SET timezone = 'UTC';
TABLE readings;
SELECT rows_loaded, column_name, data_type FROM text2sql.load_file('lines', E'{"a": 1}\n{"a": 2, "b": "x"}\n');
SELECT status, result_rows FROM text2sql.ask('How many readings are there?');
SELECT * FROM text2sql.load_file('x', E'[{"a": 1},\n{"a": }]');
SELECT * FROM text2sql.load_file('x', '[1, 2]');
SELECT * FROM text2sql.load_file('x', '{"a": "\u0000"}');
SELECT * FROM text2sql.load_file('x', '{"a": 1, "a": 2}');
SELECT * FROM text2sql.load_file('x', '{"a": ' || repeat('[', 100000) || repeat(']', 100000) || '}');
SELECT rows_loaded, rows_rejected FROM text2sql.load_file('y', E'{"a": "\\u0000"}\n{"a": "b"}\n', '{"on_error": "collect"}');
TABLE y_rejected;
-- What it is, is said.
SELECT rows_loaded, column_name FROM text2sql.load_file('bracket', E'[x]\n1\n', '{"format": "csv"}');
SELECT rows_loaded, column_name FROM text2sql.load_file('bracket', E'[x]\n1\n', '{"format": "xml"}');
