-- The guard's verdict, and what is known about a statement; nothing is run.
CREATE SCHEMA validate_test;
CREATE VIEW validate_test.big_orders AS
    SELECT o.order_id, c.name AS "Customer Name" FROM orders o JOIN customers c USING (customer_id) WHERE o.total > 100;
CREATE TABLE validate_test."Odd Table" ("Odd Column" integer, "order" text, gone integer);
ALTER TABLE validate_test."Odd Table" DROP COLUMN gone;
GRANT USAGE ON SCHEMA validate_test TO regress_analyst;
GRANT SELECT ON ALL TABLES IN SCHEMA validate_test TO regress_analyst;
CREATE FUNCTION validate_test.twice(integer) RETURNS integer LANGUAGE sql STABLE AS 'SELECT $1 * 2';
GRANT SELECT (employee_id) ON hr.salaries TO regress_analyst;
SET ROLE regress_analyst;
\set SHOW_CONTEXT never
\pset expanded on
\pset null '(null)'
-- Allowed.
SELECT * FROM text2sql.validate('SELECT 1 AS one');
SELECT allowed, statement, read_relations, read_columns, called_functions, estimated_cost > 0 AS costs, estimated_rows
FROM text2sql.validate('SELECT status, count(*), sum(total) FROM orders WHERE ordered_on < now() GROUP BY status ORDER BY 2');
SELECT allowed, read_relations, read_columns, called_functions FROM text2sql.validate('SELECT count(*) FROM customers');
\echo a whole row, a system column, a common table expression, a subquery
SELECT read_relations, read_columns FROM text2sql.validate('SELECT c FROM customers c');
SELECT read_relations, read_columns FROM text2sql.validate('SELECT tableoid, name FROM countries');
SELECT read_relations, read_columns FROM text2sql.validate('WITH a AS (SELECT order_id, customer_id FROM orders) SELECT 1 FROM a WHERE customer_id IN (SELECT c.customer_id FROM customers AS c)');
\echo names that need quotes, and a view
SELECT read_relations, read_columns FROM text2sql.validate('SELECT * FROM validate_test."Odd Table"');
SELECT read_relations, read_columns FROM text2sql.validate('SELECT t FROM validate_test."Odd Table" AS t');
SELECT read_relations, read_columns FROM text2sql.validate('SELECT "Customer Name" FROM validate_test.big_orders');
SELECT read_relations, read_columns FROM text2sql.validate('SELECT "Credit Limit" FROM customers');
\echo a column privilege
SELECT allowed, read_columns FROM text2sql.validate('SELECT employee_id FROM hr.salaries');
SELECT * FROM text2sql.validate('SELECT salary FROM hr.salaries');
-- Refused.
SELECT * FROM text2sql.validate('INSERT INTO orders SELECT * FROM orders');
SELECT statement, rule, reason FROM text2sql.validate('CREATE TABLE x (a int)');
SELECT statement, rule, reason FROM text2sql.validate('CREATE TABLE x AS SELECT 1');
SELECT statement, rule, reason FROM text2sql.validate('SELECT 1 AS a INTO x');
SELECT statement, rule, reason FROM text2sql.validate('SELECT 1; DROP TABLE orders');
SELECT statement, rule, reason FROM text2sql.validate('SELECT 1; SELECT 2; SELECT 3; COMMIT; VACUUM; SELECT 4');
SELECT statement, rule, reason FROM text2sql.validate('EXPLAIN ANALYZE SELECT 1');
SELECT statement, rule, reason FROM text2sql.validate('WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d');
SELECT * FROM text2sql.validate('SELECT name, pg_sleep(10) FROM customers');
SELECT * FROM text2sql.validate('SELECT validate_test.twice(2)');
SELECT statement, rule, reason, offender, error_position FROM text2sql.validate('SELECT 1 FROM pg_catalog.pg_authid');
SELECT * FROM text2sql.validate('');
SELECT * FROM text2sql.validate(repeat(' ', 70000));
\echo too expensive: the reason says what it would cost
RESET ROLE;
SET text2sql.max_cost = 10;
SET ROLE regress_analyst;
SELECT allowed, statement, rule, read_relations, read_columns, estimated_cost > 10 AS costs, estimated_rows
FROM text2sql.validate('SELECT o.total FROM orders AS o, orders AS p, customers');
RESET ROLE;
RESET text2sql.max_cost;
SET ROLE regress_analyst;
-- Invalid SQL.
SELECT * FROM text2sql.validate('SELEC 1');
SELECT * FROM text2sql.validate('SELECT nme FROM customers');
SELECT * FROM text2sql.validate('SELECT 1 / 0 FROM customers');
SELECT * FROM text2sql.validate(NULL);
\echo :SQLSTATE
\echo Nothing is run, and the transaction goes on.
BEGIN;
SELECT allowed FROM text2sql.validate('SELECT order_id FROM orders');
SELECT allowed FROM text2sql.validate('SELECT nothing FROM orders');
SELECT count(*) FROM pg_locks WHERE relation = 'orders'::regclass;
COMMIT;
RESET ROLE;
\echo For a superuser, it is what the stand-in may do.
SELECT allowed, rule FROM text2sql.validate('SELECT salary FROM hr.salaries');
SET ROLE regress_nobody;
SELECT allowed FROM text2sql.validate('SELECT 1');
\echo :SQLSTATE
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA validate_test CASCADE;
REVOKE SELECT (employee_id) ON hr.salaries FROM regress_analyst;
