-- A cursor over the captured rows.
SET ROLE regress_analyst;
SET text2sql.model = 'replay';
BEGIN;
SELECT text2sql.ask_cursor('Orders by status') AS cursor \gset
FETCH 2 FROM :"cursor";
FETCH ALL FROM :"cursor";
FETCH ALL FROM :"cursor";
SELECT text2sql.ask_cursor('Every order') AS cursor \gset
MOVE 297 FROM :"cursor";
FETCH ALL FROM :"cursor";
CLOSE :"cursor";
-- Backwards, too, and to the last row.
SELECT text2sql.ask_cursor('Every order') AS cursor \gset
FETCH LAST FROM :"cursor";
FETCH BACKWARD 2 FROM :"cursor";
FETCH FIRST FROM :"cursor";
COMMIT;
-- A cursor returns all rows, or is not opened.
SET text2sql.max_result_rows = 299;
BEGIN;
SELECT text2sql.ask_cursor('Every order');
\echo :SQLSTATE
ROLLBACK;
SET text2sql.tuning = '{"on_truncation": "warning"}';
BEGIN;
SELECT text2sql.ask_cursor('Every order') AS cursor \gset
FETCH LAST FROM :"cursor";
COMMIT;
RESET text2sql.tuning;
RESET text2sql.max_result_rows;
SELECT text2sql.ask_cursor('Who is best?');
\echo :SQLSTATE
