-- Definitions over joins, and metrics that are made of definitions.
\set SHOW_CONTEXT never
\pset null (null)
SET ROLE regress_curator;
-- A path of tables, and equal columns: the rows of the first table are what is counted.
SELECT text2sql.define('German sales', 'paid by customers in Germany', $$sum(orders.total) FILTER (WHERE countries.name = 'Germany')$$,
  joins => '{orders -> customers -> countries}');
SELECT text2sql.define('export order', 'of a customer elsewhere', $$countries.name <> 'Germany'$$, 'orders',
  joins => '{orders.customer_id = customers.customer_id, countries.country_id = customers.country_id}');
SELECT text2sql.define('sales', 'what customers paid', 'sum(total)', 'orders');
SELECT text2sql.define('customers who may owe', 'with a credit limit', 'count(*) FILTER (WHERE "Credit Limit" > 0)', 'customers');
SELECT term, applies_to, kind, joins, grain, status, query FROM text2sql.definitions ORDER BY id;
-- The built-in engine joins what the term needs, and no row counts twice.
SELECT text2sql.to_sql('What are the German sales?');
SELECT * FROM text2sql.ask_rows('What are the German sales?') AS t(sales numeric);
SELECT sum(o.total) FROM orders o JOIN customers c USING (customer_id) JOIN countries n USING (country_id) WHERE n.name = 'Germany';
SELECT * FROM text2sql.ask_rows('How many export orders are there?') AS t(n bigint);
SELECT count(*) FROM orders o JOIN customers c USING (customer_id) JOIN countries n USING (country_id) WHERE n.name <> 'Germany';
SELECT count(*) FROM text2sql.ask_rows('German sales per customer') AS t(customer text, sales numeric)
JOIN (SELECT c.name, sum(o.total) FILTER (WHERE n.name = 'Germany') AS sales FROM orders o JOIN customers c USING (customer_id)
      JOIN countries n USING (country_id) GROUP BY c.customer_id, c.name) AS expected ON expected.name = t.customer AND expected.sales IS NOT DISTINCT FROM t.sales;
-- A model reads the path, and what counts once.
SELECT line FROM regexp_split_to_table(text2sql.preview_prompt('What are the German sales?'), '\n') AS line WHERE line ~ '^German sales';
-- A path that repeats rows is refused, with one that can be used.
SELECT text2sql.define('credit', 'what may be owed', 'sum("Credit Limit")', joins => '{customers -> orders}');
SELECT text2sql.define('owed', 'limit of who buys', 'sum(customers."Credit Limit")', joins => '{orders -> customers}');
SELECT text2sql.define('x', 'y', 'count(*)', 'countries', joins => '{countries -> customers -> orders}');
SELECT text2sql.define('x', 'y', 'count(*)', joins => '{orders -> countries}');
SELECT text2sql.define('x', 'y', 'count(*)', 'countries', joins => '{orders -> customers}');
SELECT text2sql.define('x', 'y', 'count(*)', joins => '{orders.customer_id < customers.customer_id}');
SELECT text2sql.define('x', 'y', 'count(*)', joins => '{orders -> customers; DELETE FROM orders}');
SELECT text2sql.define('x', 'y', 'count(*)', joins => '{orders.status = customers.name}');
SELECT text2sql.define('x', 'y', 'sum(no_such)', joins => '{orders -> customers}');
SELECT text2sql.define('x', 'y', 'sum(total) + pg_sleep(1)', joins => '{orders -> customers}');
SELECT text2sql.define('x', 'y', 'sum(total)', joins => '{orders -> hr.salaries}');
SELECT text2sql.define('x', 'y', NULL, joins => '{orders -> customers}');
-- Metrics: a ratio over one path, over several tables, a running total, and the share of rows that another follows.
SELECT text2sql.define('German share', 'of all sales', metric => '{"kind": "ratio", "numerator": "german sales", "denominator": "sales"}');
SELECT text2sql.define('sales per debtor', 'sales for each customer who may owe', metric => '{"kind": "ratio", "numerator": "sales", "denominator": "customers who may owe"}');
SELECT text2sql.define('sales to date', 'since the beginning of the year', metric => '{"kind": "cumulative", "measure": "sales", "time_column": "orders.ordered_on", "since_start_of": "year"}');
SELECT text2sql.define('rolling sales', 'of two months', metric => '{"kind": "cumulative", "measure": "German sales", "time_column": "orders.ordered_on", "over_last": "2 months"}');
SELECT text2sql.define('bought again', 'orders that another one follows within 30 days', metric => '{"kind": "conversion", "base_time": "orders.ordered_on", "base_entity": "orders.customer_id", "conversion_time": "orders.ordered_on", "conversion_entity": "orders.customer_id", "within": "30 days", "conversion_condition": "export order"}');
SELECT term, metric, applies_to, kind, grain, status, problem, query FROM text2sql.definitions WHERE metric IS NOT NULL ORDER BY id;
SELECT query AS "running" FROM text2sql.definitions WHERE term = 'sales to date' \gset
:running;
SELECT DISTINCT ON (date_trunc('month', ordered_on)) date_trunc('month', ordered_on)::date AS month, sum(total) OVER (ORDER BY date_trunc('month', ordered_on))
FROM orders ORDER BY date_trunc('month', ordered_on), 2 DESC;
SELECT query AS "converted" FROM text2sql.definitions WHERE term = 'bought again' \gset
:converted;
SELECT round((SELECT total / all_of_them FROM (SELECT sum(total) FILTER (WHERE n.name = 'Germany') AS total, sum(total) AS all_of_them FROM orders
  JOIN customers USING (customer_id) JOIN countries n USING (country_id)) AS s), 6) = round(share, 6) AS is_same
FROM text2sql.ask_rows('What is the German share?') AS t(share numeric);
SELECT line FROM regexp_split_to_table(text2sql.preview_prompt('sales to date and sales per debtor'), '\n') AS line WHERE line ~ ':=';
-- What a metric is made of must exist and be a number over rows; nothing is made of itself.
SELECT text2sql.define('a', 'b', metric => '{"kind": "ratio", "numerator": "export order", "denominator": "profit"}');
SELECT text2sql.define('German sales per German sales', 'b', metric => '{"kind": "ratio", "numerator": "German sales", "denominator": "rolling sales"}');
SELECT text2sql.define('one', 'b', metric => '{"kind": "ratio", "numerator": "sales", "denominator": "sales"}');
SELECT text2sql.define('two', 'b', metric => '{"kind": "ratio", "numerator": "one", "denominator": "sales"}');
SELECT text2sql.define('one', 'b', metric => '{"kind": "ratio", "numerator": "two", "denominator": "sales"}');
SELECT text2sql.define('sales', 'b', metric => '{"kind": "ratio", "numerator": "sales", "denominator": "two"}');
SELECT text2sql.define('x', 'y', metric => '{"kind": "cumulative", "measure": "sales", "time_column": "customers.name"}');
SELECT text2sql.define('x', 'y', metric => '{"kind": "cumulative", "measure": "sales", "time_column": "orders.status"}');
SELECT text2sql.define('x', 'y', metric => '{"kind": "cumulative", "measure": "sales", "time_column": "orders.ordered_on", "per": "fortnight"}');
SELECT text2sql.define('x', 'y', metric => '{"kind": "cumulative", "measure": "sales", "time_column": "orders.ordered_on", "over_last": "a while"}');
SELECT text2sql.define('x', 'y', metric => '{"kind": "conversion", "base_time": "orders.ordered_on", "base_entity": "orders.customer_id", "conversion_time": "orders.ordered_on", "conversion_entity": "customers.name"}');
SELECT text2sql.define('x', NULL, metric => '{"kind": "ratio", "numerator": "sales", "denominator": "sales"}');
-- A part that goes breaks what is made of it.
SELECT text2sql.forget('definition', 'two');
SELECT text2sql.forget('definition', 'one');
SELECT text2sql.forget('definition', 'customers who may owe');
SELECT term, status, problem FROM text2sql.definitions WHERE status <> 'ok' ORDER BY term;
SELECT text2sql.define('customers who may owe', 'with a credit limit', 'count(*) FILTER (WHERE "Credit Limit" > 0)', 'customers');
SELECT count(*) FROM text2sql.definitions WHERE status <> 'ok';
-- Joins follow their columns.
RESET ROLE;
ALTER TABLE customers RENAME COLUMN country_id TO home_id;
ALTER TABLE orders RENAME TO purchases;
SET ROLE regress_curator;
SELECT term, joins, grain, status, problem FROM text2sql.definitions WHERE term IN ('export order', 'German sales');
RESET ROLE;
ALTER TABLE purchases RENAME TO orders;
ALTER TABLE customers RENAME COLUMN home_id TO country_id;
-- Exported and imported.
SET ROLE regress_curator;
CREATE TEMP TABLE kept AS SELECT text2sql.export_knowledge() AS text;
SELECT line FROM kept, regexp_split_to_table(text, '\n') AS line WHERE line ~ '"definition"';
SELECT count(*) FROM kept, text2sql.import_knowledge(text, mode => 'replace');
SELECT text2sql.export_knowledge() = text AS is_same FROM kept;
-- Only who may read every table of the path has the term.
RESET ROLE;
REVOKE SELECT ON countries FROM regress_analyst;
SET ROLE regress_analyst;
SELECT term FROM text2sql.definitions ORDER BY term;
SELECT count(*) FROM regexp_split_to_table(text2sql.preview_prompt('What are the German sales?'), '\n') AS line WHERE line ~ '^German sales';
RESET ROLE;
GRANT SELECT ON countries TO regress_analyst;
DELETE FROM text2sql._definitions;
