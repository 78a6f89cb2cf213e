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
COMMIT;
SELECT text2sql.ask_cursor('Who is best?');
\echo :SQLSTATE
