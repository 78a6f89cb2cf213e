-- What may be wrong with a query that runs; evidence from keys, statistics and data.
SET client_min_messages = warning;
CREATE TABLE visits (visit_id integer PRIMARY KEY, customer_id integer REFERENCES customers, at timestamptz NOT NULL, channel text);
INSERT INTO visits SELECT n, CASE WHEN n % 5 > 0 THEN 1 + n % 30 END, TIMESTAMPTZ '2025-01-01 00:00+00' + n * interval '7 hours', (ARRAY['Web', 'Shop', NULL])[1 + n % 3] FROM generate_series(1, 90) AS n;
CREATE MATERIALIZED VIEW visits_by_channel AS SELECT channel, count(*) AS visits FROM visits GROUP BY channel;
CREATE TABLE fresh (id integer PRIMARY KEY);
CREATE TABLE notes (note_id integer PRIMARY KEY, owner name NOT NULL, body text);
INSERT INTO notes VALUES (1, 'regress_analyst', 'mine'), (2, 'somebody', 'theirs');
ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_notes ON notes USING (owner = current_user);
GRANT SELECT ON visits, visits_by_channel, fresh, notes TO regress_analyst;
ANALYZE visits, visits_by_channel, notes;
SET ROLE regress_analyst;
\pset format wrapped
\pset columns 160
-- The sum counts each order once for every visit of its customer.
SELECT * FROM text2sql.trust_report($$
  SELECT c.name, sum(o.total) FROM customers c JOIN orders o USING (customer_id) JOIN visits v ON v.customer_id = c.customer_id GROUP BY c.name$$);
SELECT * FROM text2sql.trust_report($$SELECT c.name, sum(o.total) FROM customers c JOIN orders o USING (customer_id) GROUP BY c.name$$);
SELECT * FROM text2sql.trust_report('SELECT count(*) FROM customers, orders');
-- A literal that does not occur, with the nearest that do.
SELECT * FROM text2sql.trust_report($$SELECT count(*) FROM visits WHERE channel = 'web'$$);
SELECT * FROM text2sql.trust_report($$SELECT count(*) FROM visits WHERE channel <> 'Web'$$);
SELECT * FROM text2sql.trust_report($$SELECT count(*) FROM customers c LEFT JOIN visits v USING (customer_id) WHERE v.channel = 'Shop'$$);
SELECT * FROM text2sql.trust_report('SELECT name FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM visits)');
SELECT * FROM text2sql.trust_report('SELECT count(*) / 7 AS weeks FROM visits');
SELECT * FROM text2sql.trust_report('SELECT name FROM customers ORDER BY country_id LIMIT 3');
SELECT * FROM text2sql.trust_report($$SELECT count(*) FROM visits WHERE at BETWEEN '2025-01-01' AND '2025-01-31'$$);
SELECT * FROM text2sql.trust_report('SELECT avg(mean) FROM (SELECT customer_id, avg(total) AS mean FROM orders GROUP BY customer_id) AS m');
SELECT * FROM text2sql.trust_report('SELECT count(*) FROM fresh');
-- The caller sees only some rows, and the report uses only those.
SELECT * FROM text2sql.trust_report($$SELECT count(*) FROM notes WHERE body = 'theirs'$$);
SELECT * FROM text2sql.trust_report('SELECT sum(visits) FROM visits_by_channel');
RESET ROLE;
DELETE FROM visits WHERE visit_id = 1;
SET ROLE regress_analyst;
SELECT * FROM text2sql.trust_report('SELECT sum(visits) FROM visits_by_channel');
-- A refusal by the guard is an error here, and invalid SQL keeps its error.
\set SHOW_CONTEXT never
SELECT * FROM text2sql.trust_report('SELECT salary FROM hr.salaries');
\echo :SQLSTATE
SELECT * FROM text2sql.trust_report('DELETE FROM customers');
\echo :SQLSTATE
SELECT * FROM text2sql.trust_report('SELECT nme FROM customers');
\echo :SQLSTATE
SELECT * FROM text2sql.trust_report(NULL);
\echo :SQLSTATE
RESET ROLE;
DROP MATERIALIZED VIEW visits_by_channel;
DROP TABLE visits, fresh, notes;
