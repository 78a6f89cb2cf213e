-- The columns that a SELECT reads, behind views too.
CREATE SCHEMA lineage_test;
GRANT USAGE ON SCHEMA lineage_test TO regress_analyst;
CREATE VIEW lineage_test.paid AS SELECT order_id, customer_id, total FROM orders WHERE status = 'paid';
CREATE VIEW lineage_test."Paid by Country" AS
    SELECT country_id, sum(total) AS total FROM lineage_test.paid JOIN customers USING (customer_id) GROUP BY country_id;
CREATE VIEW lineage_test.pay AS SELECT max(salary) AS most FROM hr.salaries;
CREATE VIEW lineage_test.closed AS SELECT employee_id FROM hr.salaries;
CREATE MATERIALIZED VIEW lineage_test.totals AS SELECT sum(total) AS total FROM orders;
CREATE TABLE lineage_test.own (owner_name name, note text);
ALTER TABLE lineage_test.own ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON lineage_test.own
    USING (owner_name = current_user AND EXISTS (SELECT FROM hr.salaries WHERE salary > 0));
GRANT SELECT ON lineage_test."Paid by Country", lineage_test.pay, lineage_test.totals, lineage_test.own TO regress_analyst;
CREATE FUNCTION pg_temp.lineage(sql text) RETURNS TABLE (relation_name text, column_name text, via text) LANGUAGE sql AS $$
    SELECT l.* FROM text2sql.validate(sql) AS v, json_to_recordset(v.lineage) AS l(relation_name text, column_name text, via text) $$;
SET ROLE regress_analyst;
\set SHOW_CONTEXT never
\pset null '(null)'
SELECT * FROM pg_temp.lineage('SELECT name FROM customers WHERE customer_id = 1 ORDER BY country_id');
SELECT * FROM pg_temp.lineage('SELECT 1');
\echo rows without columns
SELECT * FROM pg_temp.lineage('SELECT count(*) FROM orders');
\echo the same table twice, below a subquery and a common table expression
SELECT * FROM pg_temp.lineage('WITH a AS (SELECT total FROM orders) SELECT total, (SELECT max(ordered_on) FROM orders) FROM a WHERE EXISTS (SELECT FROM countries)');
SELECT * FROM pg_temp.lineage('SELECT x FROM (VALUES ((SELECT min(total) FROM orders))) AS v(x), LATERAL generate_series(1, (SELECT count(country_id) FROM countries)) AS g');
\echo a view over a view, joined with a table
SELECT * FROM pg_temp.lineage('SELECT c.name, p.total FROM lineage_test."Paid by Country" AS p JOIN countries AS c USING (country_id)');
\echo a table that only the owner of the view may read: the definition of the view names it too
SELECT * FROM pg_temp.lineage('SELECT most FROM lineage_test.pay');
\echo a materialized view is storage; what a policy reads is left out
SELECT * FROM pg_temp.lineage('SELECT total FROM lineage_test.totals');
SELECT * FROM pg_temp.lineage('SELECT note FROM lineage_test.own');
\echo a statement that is refused reads nothing; where only its cost is too high, what it would read is said
SELECT allowed, lineage FROM text2sql.validate('SELECT employee_id FROM lineage_test.closed');
SELECT allowed, lineage FROM text2sql.validate('DELETE FROM orders');
SELECT allowed, lineage FROM text2sql.validate('SELECT nme FROM customers');
RESET ROLE;
SET text2sql.max_cost = 1;
SET ROLE regress_analyst;
SELECT allowed, lineage FROM text2sql.validate('SELECT total FROM orders');
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA lineage_test CASCADE;
