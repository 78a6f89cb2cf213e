-- Runs first: objects for all other files.
SET client_min_messages = warning;
-- The search index is as refresh() leaves it.
ALTER DATABASE text2sql_regress SET text2sql.maintenance_interval = 0;
CREATE EXTENSION pg_text2sql CASCADE;

-- A role that may ask questions and one that may not.
DROP ROLE IF EXISTS regress_analyst, regress_nobody, regress_curator;
CREATE ROLE regress_analyst;
CREATE ROLE regress_nobody;
SELECT text2sql.grant_access('regress_analyst');
-- A curator.
CREATE ROLE regress_curator;
SELECT text2sql.grant_access('regress_curator', 'curator');

-- A shop.
CREATE TYPE order_status AS ENUM ('new', 'paid', 'returned');
CREATE TABLE countries (
    country_id integer PRIMARY KEY,
    name text NOT NULL UNIQUE
);
CREATE TABLE customers (
    customer_id integer PRIMARY KEY,
    name text NOT NULL,
    country_id integer NOT NULL REFERENCES countries,
    "Credit Limit" numeric(12,2)
);
CREATE TABLE orders (
    order_id bigint PRIMARY KEY,
    customer_id integer NOT NULL REFERENCES customers,
    ordered_on date NOT NULL,
    status order_status NOT NULL,
    total numeric(12,2) NOT NULL
);
COMMENT ON TABLE customers IS 'people and companies who bought at least once';
COMMENT ON COLUMN orders.total IS 'amount paid, with tax';
INSERT INTO countries VALUES (1, 'Germany'), (2, 'France'), (3, 'Österreich');
INSERT INTO customers
SELECT n, 'customer ' || n, 1 + n % 3, CASE WHEN n % 4 > 0 THEN n * 100.10 END
FROM generate_series(1, 30) AS n;
INSERT INTO orders
SELECT n, 1 + n % 30, DATE '2025-01-01' + n % 120, (enum_range(NULL::order_status))[1 + n % 3], n * 1.25
FROM generate_series(1, 300) AS n;

-- A table that the analyst cannot read.
CREATE SCHEMA hr;
CREATE TABLE hr.salaries (employee_id integer PRIMARY KEY, salary numeric NOT NULL);
INSERT INTO hr.salaries VALUES (1, 123456);
GRANT USAGE ON SCHEMA hr TO regress_analyst, regress_curator;
GRANT SELECT ON countries, customers, orders TO regress_analyst, regress_curator;
ANALYZE;

-- Recorded replies, beside the cluster's data, for the model 'replay'.
CREATE TABLE replies (line text);
INSERT INTO replies VALUES
('{"question": "How many customers?", "replies": ["{\"status\": \"ok\", \"sql\": \"SELECT count(*) AS customers FROM customers\", \"sentence\": \"There are {rows[0].customers} customers.\", \"assumptions\": [\"all of them\"]}"]}'),
('{"question": "Orders by status", "replies": ["{\"status\": \"ok\", \"sql\": \"SELECT status, count(*) AS orders, sum(total) AS revenue FROM orders GROUP BY status ORDER BY status\", \"sentence\": \"{row_count} statuses; the first is {rows[0].status}.\"}"]}'),
('{"question": "Every order", "replies": ["{\"status\": \"ok\", \"sql\": \"SELECT order_id FROM orders ORDER BY order_id\", \"sentence\": \"{row_count} orders.\"}"]}'),
('{"question": "Repair me", "replies": ["```sql\nSELECT count(*) AS n FROM custmers\n```", "SELECT count(*) AS n FROM customers;"]}'),
('{"question": "Never right", "replies": ["SELECT 1 / 0 AS a", "SELECT 2 / 0 AS a", "SELECT 3 / 0 AS a"]}'),
('{"question": "Who is best?", "replies": ["{\"status\": \"ambiguous\", \"clarification\": \"Best by what?\", \"readings\": [\"Who has the most orders?\", \"Who paid the most?\"]}"]}'),
('{"question": "What is the weather?", "replies": ["{\"status\": \"unanswerable\", \"missing\": [\"weather\"]}"]}'),
('{"question": "What does the boss earn?", "replies": ["{\"status\": \"unanswerable\", \"missing\": [\"salaries of employees\"]}"]}'),
('{"question": "Read the salaries", "replies": ["SELECT salary FROM hr.salaries", "SELECT max(salary) AS salary FROM hr.salaries", "SELECT 1 FROM hr.salaries"]}'),
('{"question": "Customers of a town", "replies": ["{\"status\": \"ok\", \"sql\": \"SELECT c.city, count(*) AS n FROM custmers c GROUP BY c.city\"}", "{\"status\": \"ok\", \"sql\": \"SELECT c.city, count(*) AS n FROM customers c GROUP BY c.city\"}", "{\"status\": \"ok\", \"plan\": \"1. Read customers.\\n2. Count them for each town.\", \"sql\": \"SELECT c.town, count(*) AS n FROM customers AS c GROUP BY c.town\", \"assumptions\": [\"a town is the place of the customer\"]}"]}'),
('{"question": "The newest five", "replies": ["{\"status\": \"ok\", \"sql\": \"SELECT name FROM customers ORDER BY since DESC LIMIT 5\"}", "{\"status\": \"ok\", \"sql\": \"SELECT TOP 5 name FROM customers ORDER BY since DESC\"}"]}'),
('{"question": "Months", "replies": ["{\"status\": \"ok\", \"sql\": \"SELECT date_trunc(''month'', since) AS month, count(*) AS n FROM customers GROUP BY 1\"}", "{\"status\": \"ok\", \"sql\": \"SELECT strftime(''%Y-%m'', since) AS month, count(*) AS n FROM customers GROUP BY 1\"}"]}'),
('{"question": "Only harm", "replies": ["DELETE FROM customers", "SELECT * INTO copy FROM customers", "SELECT 1; DROP TABLE customers"]}'),
('{"question": "Do harm", "replies": ["DELETE FROM orders", "SELECT pg_sleep(1)", "SELECT pg_read_file(''/etc/passwd'')"]}'),
('{"question": "Say nothing", "replies": ["I am a model.", "Really.", "No."]}'),
('{"question": "by country instead", "replies": ["{\"status\": \"ok\", \"sql\": \"SELECT n.name AS country, count(*) AS orders FROM orders AS o JOIN customers AS c USING (customer_id) JOIN countries AS n USING (country_id) WHERE o.status = ''paid'' GROUP BY n.name ORDER BY n.name\", \"assumptions\": [\"the country of the customer\"]}"]}'),
('{"question": "only what was paid for", "replies": ["SELECT status, count(*) AS n FROM orders WHERE status = ''payed'' GROUP BY status", "SELECT status, count(*) AS n FROM orders WHERE status = ''paid'' GROUP BY status"]}'),
('{"question": "keep it", "replies": ["select status, COUNT(*) as n from public.orders AS o group by o.status"]}'),
('{"question": "Add the country of each buyer to the buyer view", "replies": ["{\"status\": \"ok\", \"statements\": [{\"number\": 1, \"action\": \"change\", \"sql\": \"CREATE OR REPLACE VIEW public.buyer_totals AS SELECT customers.customer_id, sum(orders.total) AS total, customers.country FROM customers JOIN orders USING (customer_id) GROUP BY customers.customer_id, customers.country\"}], \"assumptions\": [], \"missing\": [\"buyers have no phone number\"]}"]}'),
('{"question": "only orders over 200", "replies": ["{\"status\": \"ok\", \"statements\": [{\"number\": 1, \"action\": \"change\", \"sql\": \"CREATE TEMP TABLE big AS SELECT * FROM orders WHERE order_id > 200\"}], \"assumptions\": [], \"missing\": []}"]}'),
('{"question": "drop the condition of statement 1", "replies": ["{\"status\": \"ok\", \"statements\": [{\"number\": 1, \"action\": \"change\", \"sql\": \"DELETE FROM orders\"}, {\"number\": 2, \"action\": \"change\", \"sql\": \"SELECT 2\"}], \"assumptions\": [], \"missing\": []}"]}'),
('{"question": "with a column that is not there", "replies": ["{\"status\": \"ok\", \"statements\": [{\"number\": 1, \"action\": \"change\", \"sql\": \"CREATE TEMP TABLE big AS SELECT *, colour FROM orders WHERE order_id > 100\"}], \"assumptions\": [\"colour is a column\"], \"missing\": []}"]}'),
('{"question": "two instead of one", "replies": ["{\"status\": \"ok\", \"statements\": [{\"number\": 1, \"action\": \"change\", \"sql\": \"DO $b$ BEGIN PERFORM 2; END $b$\"}], \"assumptions\": [], \"missing\": []}"]}'),
('{"question": "add the weather", "replies": ["{\"status\": \"unanswerable\", \"statements\": [], \"assumptions\": [], \"missing\": [\"the weather\"]}"]}'),
('{"question": "leave it as it is", "replies": ["{\"status\": \"ok\", \"statements\": [{\"number\": 3, \"action\": \"change\", \"sql\": \"DROP TABLE big;\"}], \"assumptions\": [], \"missing\": []}"]}'),
('{"question": "say no number", "replies": ["{\"status\": \"ok\", \"statements\": [{\"number\": 9, \"action\": \"change\", \"sql\": \"SELECT 1\"}], \"assumptions\": [], \"missing\": []}"]}'),
('{"question": "delete the rest", "replies": ["{\"sql\": \"DELETE FROM orders\"}", "{\"sql\": \"DELETE FROM orders WHERE true\"}", "{\"sql\": \"DELETE FROM customers\"}"]}'),
('{"question": "with the weather", "replies": ["{\"status\": \"unanswerable\", \"missing\": [\"weather\"]}"]}'),
('{"question": "Twice the same", "replies": ["SELECT name, name, customer_id AS id FROM customers WHERE customer_id < 3 ORDER BY customer_id"]}'),
('{"question": "Who bought nothing?", "replies": ["{\"reason\": \"It lists customers without orders, as asked.\", \"intent\": \"yes\"}"]}'),
('{"question": "What did we sell in March?", "replies": ["{\"reason\": \"It sums all months.\", \"intent\": \"no\"}"]}'),
('{"question": "describe public.countries, public.customers", "replies": ["{\"descriptions\": [{\"object\": \"public.countries\", \"description\": \"countries that we deliver to\"}, {\"object\": \"public.customers.\\\"Credit Limit\\\"\", \"description\": \"most that may be owed; NULL: no credit\"}, {\"object\": \"hr.salaries\", \"description\": \"not asked for\"}], \"definitions\": [{\"term\": \"credit customer\", \"meaning\": \"may buy on credit\", \"table\": \"public.customers\", \"sql_expression\": \"\\\"Credit Limit\\\" > 0\"}, {\"term\": \"big country\", \"meaning\": \"many people\", \"table\": \"public.countries\", \"sql_expression\": \"population > 1\"}]}"]}'),
('{"question": "With a plan", "replies": ["{\"plan\": \"1. read <b>orders</b>\\n2. count them [here](http://plan.example)\", \"status\": \"ok\", \"sql\": \"SELECT count(*) AS n FROM orders\", \"sentence\": \"{rows[0].n} orders.\"}"]}'),
('{"question": "How many orders are there, and who is best?", "replies": ["{\"status\": \"ok\", \"sql\": null, \"parts\": [\"How many customers?\", \"Who is best?\", \"Exact values\"]}"]}'),
('{"question": "Read the salaries, and what is the weather?", "replies": ["{\"status\": \"ok\", \"sql\": null, \"parts\": [\"Read the salaries\", \"What is the weather?\"]}", "SELECT 1 AS one"]}'),
('{"question": "Plan the revenue", "replies": ["{\"status\": \"ok\", \"steps\": [{\"what\": \"Read the orders of each customer\", \"depends_on\": [], \"tables\": [\"orders\", \"customers\", \"hr.salaries\"], \"statement\": 1}, {\"what\": \"Sum <i>total</i> and sort\", \"depends_on\": [1, 7], \"tables\": [], \"statement\": 1}], \"confidence\": 0.4, \"missing\": []}"]}'),
('{"question": "Plan the weather", "replies": ["{\"status\": \"unanswerable\", \"steps\": [], \"missing\": [\"weather\"]}"]}'),
('{"question": "Exact values", "replies": ["SELECT 9007199254740993::bigint AS big, 1.10::numeric AS n, ''NaN''::float8 AS nan, true AS yes, NULL::text AS nothing, ARRAY[''a'', NULL] AS list, ''{\"k\": 1.0}''::jsonb AS doc, ''\\x00ff''::bytea AS raw, TIMESTAMP ''2025-01-01 10:00:00.123456'' AS at, 1 AS x, 2 AS x"]}');
COPY replies TO PROGRAM 'cat > text2sql_replies.jsonl' (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02');
DROP TABLE replies;
ALTER DATABASE text2sql_regress SET text2sql.replay_file = 'text2sql_replies.jsonl';
