-- Descriptions of schemas, tables and columns.
\set SHOW_CONTEXT never
\pset null (null)
BEGIN;
SET LOCAL ROLE regress_curator;
SELECT text2sql.describe('customers', 'who buys from us');
SELECT text2sql.describe('schema hr', 'people who work here');
SELECT text2sql.describe('public.customers."Credit Limit"', '  most that may be owed  ');
SELECT text2sql.describe('orders.status', meanings => '{"new": "not paid yet", "paid": "paid in full"}');
SELECT text2sql.describe('customers', synonyms => ARRAY['clients', 'Kunden']);
SELECT text2sql.describe('table customers', synonyms => ARRAY['CLIENTS', 'buyers']);
SELECT text2sql.describe('orders.total', synonyms => ARRAY['turnover']);
SELECT text2sql.describe('customers."Credit Limit"', priority => 'low');
SELECT object, description, comment, value_meanings, synonyms, priority, taught_by
FROM text2sql.descriptions ORDER BY object;
-- describe() takes precedence over COMMENT ON, and NULL restores the comment.
SELECT line FROM regexp_split_to_table(text2sql.preview_prompt('How many customers?'), '\n') AS line
WHERE line ~ '^(customers|  "Credit|  status|  total)';
SELECT text2sql.forget('description', 'customers'), text2sql.forget('meanings', 'orders.status'),
       text2sql.forget('synonyms', 'customers', synonyms => ARRAY['Buyers']), text2sql.forget('synonyms', 'orders.total'),
       text2sql.describe('customers."Credit Limit"', priority => 'normal');
SELECT object, description, value_meanings, synonyms, priority FROM text2sql.descriptions ORDER BY object;
SELECT line FROM regexp_split_to_table(text2sql.preview_prompt('How many customers?'), '\n') AS line
WHERE line ~ '^(customers|  "Credit|  status|  total)';
-- Descriptions follow the object.
RESET ROLE;
ALTER TABLE customers RENAME TO buyers;
ALTER TABLE buyers RENAME COLUMN "Credit Limit" TO "Limit";
ALTER SCHEMA hr RENAME TO staff;
SELECT object, description, synonyms FROM text2sql.descriptions ORDER BY object;
SELECT object_name, table_name, former_name FROM text2sql._annotations ORDER BY 1;
CREATE TABLE new_buyers (LIKE buyers);
ALTER TABLE buyers RENAME TO old_buyers;
ALTER TABLE new_buyers RENAME TO buyers;
DROP TABLE old_buyers CASCADE;
SELECT object, description, synonyms FROM text2sql.descriptions ORDER BY object;
DROP TABLE buyers CASCADE;
SELECT object, description FROM text2sql.descriptions ORDER BY object;
SET LOCAL ROLE regress_curator;
SELECT object, description FROM text2sql.descriptions ORDER BY object;
ROLLBACK;
-- A family of tables is described once, and a member otherwise.
BEGIN;
CREATE TABLE our_content__alps (content_id integer, title text);
CREATE TABLE our_content__wild (LIKE our_content__alps);
CREATE TABLE our_content_tags__alps (content_id integer);
GRANT SELECT ON our_content__alps, our_content__wild, our_content_tags__alps TO regress_curator;
SET LOCAL ROLE regress_curator;
SELECT text2sql.describe('our_content__*', 'articles of a brand', synonyms => '{articles}');
SELECT text2sql.describe('public.our_content__*.title', priority => 'low');
SELECT text2sql.describe('our_content__wild', 'articles about animals');
SELECT object, description, synonyms, priority FROM text2sql.descriptions WHERE object ~ 'our_' ORDER BY object;
SELECT line FROM regexp_split_to_table(text2sql.preview_prompt('How many articles?', options => '{"model": "replay"}'), '\n') AS line WHERE line ~ 'our_content__';
SELECT * FROM text2sql.forget('description', 'our_content__*');
SELECT object, description, synonyms FROM text2sql.descriptions WHERE object ~ 'our_' ORDER BY object;
-- With that, it is one table for the built-in engine.
SELECT status, sql, warnings FROM text2sql.ask('How many articles per brand are there?', options => '{"model": "builtin"}');
SELECT status, sql FROM text2sql.ask('How many articles of Wild are there?', options => '{"model": "builtin"}');
SAVEPOINT here;
SELECT text2sql.describe('our_content*', 'x');
ROLLBACK TO here;
SELECT text2sql.describe('our_*__*', 'x');
ROLLBACK TO here;
SELECT text2sql.describe('no_such_*', 'x');
ROLLBACK;
-- Errors are reported with a hint.
SET ROLE regress_curator;
SELECT text2sql.describe('no_such', 'x');
SELECT text2sql.describe('hr.salaries', 'x');
SELECT text2sql.describe('hr.salaries.salary', 'x');
SELECT text2sql.describe(NULL, 'x');
SELECT text2sql.describe('orders', repeat('a', 65537));
SELECT text2sql.describe('orders', meanings => '{}');
SELECT text2sql.describe('orders.status', meanings => '["new"]');
SELECT text2sql.describe('orders.status', meanings => '{"new": {"a": 1}}');
SELECT text2sql.describe('schema hr', synonyms => '{staff}');
SELECT text2sql.describe('orders', synonyms => ARRAY['x', ' ']);
SELECT text2sql.forget('synonyms', 'orders', synonyms => ARRAY['never']);
SELECT text2sql.describe('orders', priority => 'low');
SELECT text2sql.describe('orders.total', priority => 'high');
SELECT count(*) FROM text2sql._annotations;
-- The tables can be written only by the functions: knowledge cannot be forged, and the tables cannot be locked.
INSERT INTO text2sql._annotations (object_oid, column_number, object_name, description, taught_by)
VALUES ('orders'::regclass, 0, 'public.orders', 'x', 'somebody');
BEGIN;
LOCK TABLE text2sql._annotations IN ROW SHARE MODE;
ROLLBACK;
BEGIN;
LOCK TABLE text2sql.descriptions IN ACCESS EXCLUSIVE MODE;
ROLLBACK;
UPDATE text2sql.definitions SET taught_by = 'somebody';
RESET ROLE;
INSERT INTO text2sql._annotations (object_oid, column_number, object_name, table_name, description, taught_by)
VALUES ('hr.salaries'::regclass, 2, 'hr.salaries.salary', 'hr.salaries', 'what they earn', 'somebody');
SET ROLE regress_curator;
SELECT count(*) FROM text2sql._annotations;
UPDATE text2sql._annotations SET description = 'y';
DELETE FROM text2sql._annotations;
-- A role that may ask may read descriptions; only a curator may write them.
SET ROLE regress_analyst;
SELECT count(*) FROM text2sql.descriptions;
SELECT text2sql.describe('orders', 'x');
INSERT INTO text2sql._annotations (object_oid, object_name, taught_by) VALUES (1, 'x', 'somebody');
SET ROLE regress_nobody;
SELECT count(*) FROM text2sql._annotations;
RESET ROLE;
DELETE FROM text2sql._annotations;
