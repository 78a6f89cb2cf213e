-- Joins that no foreign key declares.
\set SHOW_CONTEXT never
\pset null (null)
CREATE TABLE visits (visitor int, country_name text, page text);
GRANT SELECT ON visits TO regress_curator, regress_analyst;
SET ROLE regress_curator;
SELECT text2sql.add_join('{visits.visitor}', '{customers.customer_id}', evidence => 'asked the web team') AS id \gset
SELECT text2sql.add_join('{visits.country_name}', '{countries.name}') AS other \gset
SELECT columns, target_columns, status, origin, evidence, taught_by FROM text2sql.list_joins();
SELECT text2sql.add_join('{visits.visitor}', '{customers.customer_id}') = :id AS is_known;
-- A prompt shows them as what they are.
SELECT line FROM regexp_split_to_table(text2sql.preview_prompt('How many visits?'), '\n') AS line WHERE line ~ '[~-]> ';
SELECT text2sql.decide_join(:other, accept => false);
SELECT columns, status FROM text2sql.list_joins();
SELECT line FROM regexp_split_to_table(text2sql.preview_prompt('How many visits?'), '\n') AS line WHERE line ~ '~> ';
-- A declared key is not shown twice.
SELECT text2sql.add_join('{orders.customer_id}', '{customers.customer_id}') AS declared \gset
SELECT count(*) FROM regexp_split_to_table(text2sql.preview_prompt('How many visits?'), '\n') AS line WHERE line ~ '^  customer_id.*customers';
SELECT text2sql.drop_join(:declared);
-- What is wrong is said.
SELECT text2sql.add_join('{}', '{customers.customer_id}');
SELECT text2sql.add_join('{visits.visitor,visits.page}', '{customers.customer_id}');
SELECT text2sql.add_join('{visits.visitor,orders.order_id}', '{customers.customer_id,customers.name}');
SELECT text2sql.add_join('{visits.visitor}', '{visits.visitor}');
SELECT text2sql.add_join('{visits.visitor}', '{hr.salaries.employee_id}');
SELECT text2sql.drop_join(-1);
-- Visible to those who may see both sides.
RESET ROLE;
REVOKE SELECT ON customers FROM regress_analyst;
SET ROLE regress_analyst;
SELECT columns FROM text2sql.list_joins();
RESET ROLE;
GRANT SELECT ON customers TO regress_analyst;
SET ROLE regress_analyst;
SELECT columns FROM text2sql.list_joins();
RESET ROLE;
DROP TABLE visits;
SELECT columns, status FROM text2sql.list_joins();
DELETE FROM text2sql.joins;
