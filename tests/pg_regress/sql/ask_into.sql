-- The rows of an answer as a temporary table or a cursor.
\set SHOW_CONTEXT never
SET text2sql.model = 'replay';
SET ROLE regress_analyst;
CALL text2sql.ask_into('Orders by status', 'by_status');
SELECT * FROM by_status;
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'by_status'::regclass AND attnum > 0;
CALL text2sql.ask_into('Twice the same', 'pg_temp."Two Names"');
SELECT * FROM "Two Names";
-- A cursor outlives the CALL where that commits, and ends with the transaction where it cannot.
CALL text2sql.ask_into('Every order', 'cursor:every');
MOVE 297 FROM every;
FETCH ALL FROM every;
SELECT name, is_holdable, is_scrollable FROM pg_cursors WHERE name = 'every';
CALL text2sql.ask_into('Every order', 'cursor:every');
CLOSE every;
BEGIN;
CALL text2sql.ask_into('Every order', 'cursor:every');
FETCH 2 FROM every;
CALL text2sql.ask_into('How many customers?', 'customer_count');
COMMIT;
FETCH 1 FROM every;
SELECT * FROM customer_count;
-- Backwards, too, and to the last row.
BEGIN;
CALL text2sql.ask_into('Every order', 'cursor:every');
FETCH LAST FROM every;
FETCH BACKWARD 2 FROM every;
FETCH FIRST FROM every;
COMMIT;
-- A truncated result leaves nothing behind.
CALL text2sql.ask_into('Every order', 'some_orders', options => '{"max_result_rows": 3}');
\echo :SQLSTATE
SELECT to_regclass('pg_temp.some_orders') IS NULL AS nothing;
CALL text2sql.ask_into('Every order', 'cursor:some_orders', options => '{"max_result_rows": 3}');
SELECT count(*) FROM pg_cursors WHERE name = 'some_orders';
-- In a user's procedure, which commits its earlier work; allowed truncation raises a warning.
CREATE TEMP TABLE noted (note text);
DO $$
BEGIN
    INSERT INTO noted VALUES ('before');
    CALL text2sql.ask_into('Every order', 'some_orders', options => '{"max_result_rows": 3, "on_truncation": "warning"}');
    INSERT INTO noted SELECT count(*) || ' orders' FROM some_orders;
END
$$;
SELECT * FROM noted;
-- Misuse is an error before a model is called.
CALL text2sql.ask_into('Orders by status', 'by_status');
CALL text2sql.ask_into('Orders by status', 'public.by_status');
CALL text2sql.ask_into('Orders by status', 'cursor:a.b');
CALL text2sql.ask_into('Orders by status', '');
CALL text2sql.ask_into('Orders by status', NULL);
CALL text2sql.ask_into('', 'x');
\echo :SQLSTATE
CALL text2sql.ask_into(NULL, 'x');
\echo :SQLSTATE
BEGIN READ ONLY;
CALL text2sql.ask_into('Orders by status', 'x');
ROLLBACK;
BEGIN READ ONLY;
CALL text2sql.ask_into('How many customers?', 'cursor:c');
FETCH ALL FROM c;
COMMIT;
\set VERBOSITY sqlstate
CALL text2sql.ask_into('Who is best?', 'x');
CALL text2sql.ask_into('What is the weather?', 'x');
CALL text2sql.ask_into('Read the salaries', 'x');
CALL text2sql.ask_into('Do harm', 'x');
CALL text2sql.ask_into('Never right', 'x');
BEGIN;
CALL text2sql.ask_into('Who is best?', 'x');
ROLLBACK;
-- SQLSTATEs of other code pass the guard's hook unchanged.
DO $$ BEGIN RAISE EXCEPTION 'somebody''s own' USING ERRCODE = 'ZX001'; END $$;
\set VERBOSITY default
RESET ROLE;
SET ROLE regress_nobody;
CALL text2sql.ask_into('Orders by status', 'x');
RESET ROLE;
DISCARD TEMP;
