-- Joins that no foreign key declares.
\set SHOW_CONTEXT never
\pset null (null)
CREATE TABLE visits (visitor int, country_name text, page text);
GRANT SELECT ON visits TO regress_curator, regress_analyst;
SET ROLE regress_curator;
SELECT text2sql.add_join('{visits.visitor}', '{customers.customer_id}', evidence => 'asked the web team') AS id \gset
SELECT text2sql.add_join('{visits.country_name}', '{countries.name}') AS other \gset
SELECT column_names, target_column_names, status, origin, evidence, taught_by FROM text2sql.joins ORDER BY id;
SELECT text2sql.add_join('{visits.visitor}', '{customers.customer_id}') = :id AS is_known;
-- A prompt marks them as joins without a foreign key.
SELECT line FROM regexp_split_to_table(text2sql.preview_prompt('How many visits?'), '\n') AS line WHERE line ~ '[~-]> ';
SELECT text2sql.reject('join', :other);
SELECT column_names, status FROM text2sql.joins ORDER BY id;
SELECT line FROM regexp_split_to_table(text2sql.preview_prompt('How many visits?'), '\n') AS line WHERE line ~ '~> ';
-- A declared key is not shown twice.
SELECT text2sql.add_join('{orders.customer_id}', '{customers.customer_id}') AS declared \gset
SELECT count(*) FROM regexp_split_to_table(text2sql.preview_prompt('How many visits?'), '\n') AS line WHERE line ~ '^  customer_id.*customers';
SELECT text2sql.forget('join', :declared);
-- Errors are reported.
SELECT text2sql.add_join('{}', '{customers.customer_id}');
SELECT text2sql.add_join('{visits.visitor,visits.page}', '{customers.customer_id}');
SELECT text2sql.add_join('{visits.visitor,orders.order_id}', '{customers.customer_id,customers.name}');
SELECT text2sql.add_join('{visits.visitor}', '{visits.visitor}');
SELECT text2sql.add_join('{visits.visitor}', '{hr.salaries.employee_id}');
SELECT text2sql.forget('join', -1);
-- Learned from the SQL of examples, and used when a curator accepts them.
SELECT text2sql.add_example('Pages that customers saw', 'SELECT v.page FROM visits v JOIN customers c ON v.visitor = c.customer_id') IS NOT NULL AS added;
SELECT text2sql.add_example('Orders by page', 'SELECT v.page, count(*) FROM visits v, orders o WHERE o.customer_id = v.visitor GROUP BY 1') IS NOT NULL AS added;
SELECT text2sql.add_example('Orders of customers', 'SELECT c.name FROM orders o JOIN customers c USING (customer_id)') IS NOT NULL AS added;
SELECT kind, object, suggestion, reason, statement ~ '^SELECT text2sql.accept\(''join'', \d+\);$' AS accepts FROM text2sql.suggest('joins');
SELECT count(*) FROM text2sql.suggest('joins');
SELECT item, value, note FROM text2sql.status() WHERE item = 'known joins';
SELECT line FROM regexp_split_to_table(text2sql.preview_prompt('How many visits?'), '\n') AS line WHERE line ~ '~> ';
SELECT text2sql.accept('join', id) FROM text2sql.joins WHERE status = 'suggested';
SELECT line FROM regexp_split_to_table(text2sql.preview_prompt('How many visits?'), '\n') AS line WHERE line ~ '~> ';
RESET ROLE;
DELETE FROM text2sql._examples;
-- Visible to roles that can see both sides.
REVOKE SELECT ON customers FROM regress_analyst;
SET ROLE regress_analyst;
SELECT column_names FROM text2sql.joins ORDER BY id;
RESET ROLE;
GRANT SELECT ON customers TO regress_analyst;
SET ROLE regress_analyst;
SELECT column_names FROM text2sql.joins ORDER BY id;
RESET ROLE;
DROP TABLE visits;
SELECT column_names, status FROM text2sql.joins ORDER BY id;
DELETE FROM text2sql._joins;
