-- Why a query returns no rows, and the smallest change after which it returns some.
SET client_min_messages = warning;
CREATE TABLE visits (visit_id integer PRIMARY KEY, customer_id integer REFERENCES customers, channel text);
CREATE TABLE notes (note_id integer PRIMARY KEY, owner name NOT NULL, body text);
INSERT INTO notes VALUES (1, 'somebody', 'theirs');
ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_notes ON notes USING (owner = current_user);
GRANT SELECT ON visits, notes TO regress_analyst;
SET ROLE regress_analyst;
\x on
\t on
-- A value that does not occur, with the nearest.
SELECT * FROM text2sql.why_empty($$SELECT * FROM countries WHERE name = 'germany'$$);
-- One of several conditions.
SELECT * FROM text2sql.why_empty($$SELECT order_id FROM orders WHERE status = 'paid' AND total > 100 AND ordered_on > DATE '2026-01-01'$$);
-- Two conditions that exclude each other.
SELECT * FROM text2sql.why_empty('SELECT order_id FROM orders WHERE order_id < 10 AND order_id > 20');
-- A join with an empty table.
SELECT * FROM text2sql.why_empty('SELECT c.name FROM customers c JOIN visits v USING (customer_id)');
-- A join without matches.
SELECT * FROM text2sql.why_empty('SELECT c.name FROM customers c JOIN orders o ON o.order_id = c.customer_id + 1000');
-- Groups.
SELECT * FROM text2sql.why_empty('SELECT customer_id FROM orders GROUP BY customer_id HAVING count(*) > 1000');
SELECT * FROM text2sql.why_empty('SELECT name FROM customers ORDER BY name OFFSET 1000');
-- Inside a CTE.
SELECT * FROM text2sql.why_empty($$WITH late AS (SELECT * FROM orders WHERE ordered_on > DATE '2030-01-01') SELECT c.name FROM customers c JOIN late USING (customer_id)$$);
SELECT * FROM text2sql.why_empty('SELECT customer_id FROM customers INTERSECT SELECT order_id + 1000 FROM orders');
SELECT * FROM text2sql.why_empty('SELECT customer_id FROM customers EXCEPT SELECT customer_id FROM orders');
-- Row-level security and privileges.
SELECT * FROM text2sql.why_empty('SELECT * FROM notes');
SELECT * FROM text2sql.why_empty('SELECT salary FROM hr.salaries');
-- It is not empty.
SELECT * FROM text2sql.why_empty('SELECT 1');
SELECT * FROM text2sql.why_empty('SELECT count(*) FROM visits');
\set SHOW_CONTEXT never
SELECT * FROM text2sql.why_empty('DELETE FROM visits');
\echo :SQLSTATE
SELECT * FROM text2sql.why_empty('SELECT nme FROM customers');
\echo :SQLSTATE
RESET ROLE;
DROP TABLE visits, notes;
