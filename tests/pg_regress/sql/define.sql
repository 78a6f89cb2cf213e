-- Business terms: checked when they are defined, listed, and used.
\set SHOW_CONTEXT never
\pset null (null)
SET ROLE regress_curator;
SELECT text2sql.define('credit customer', 'may buy on credit', '"Credit Limit" > 0');
SELECT text2sql.define('revenue', 'what customers paid, with tax', 'sum(total)', 'orders', '{turnover,Umsatz}');
SELECT text2sql.define('order age', 'days since the order', 'current_date - ordered_on', 'orders');
SELECT text2sql.define('MTD', 'from the first day of this month to today');
SELECT text2sql.define('fiscal year start', 'first day of the business year', 'DATE ''2025-04-01''');
SELECT text2sql.define('German order', 'from Germany', 'customer_id IN (SELECT c.customer_id FROM customers c JOIN countries k USING (country_id) WHERE k.name = ''Germany'')', 'orders');
SELECT term, meaning, sql_expression, applies_to, kind, synonyms, status, problem FROM text2sql.definitions ORDER BY id;
SELECT term, object_names FROM text2sql._definitions ORDER BY term;
-- A question gets those that it uses.
SELECT line FROM regexp_split_to_table(text2sql.preview_prompt('Turnover of credit customers MTD'), '\n') WITH ORDINALITY AS t(line, n)
WHERE line ~ '( := | -- from the first)' ORDER BY n;
SELECT count(*) FROM regexp_split_to_table(text2sql.preview_prompt('How many countries are there?'), '\n') AS line WHERE line ~ 'Terms that';
-- Another definition replaces the first; one for another table is added.
SELECT text2sql.define('revenue', 'without returned orders', 'sum(total) FILTER (WHERE status <> ''returned'')', 'orders');
SELECT text2sql.define('Revenue', 'what a customer may spend', 'sum("Credit Limit")', 'customers');
SELECT term, sql_expression, applies_to FROM text2sql.definitions WHERE lower(term) = 'revenue' ORDER BY id;
-- Errors are reported, and nothing is stored.
SELECT text2sql.define('x', 'y', 'no_such > 1', 'orders');
SELECT text2sql.define('x', 'y', 'no_such > 1');
SELECT text2sql.define('x', 'y', 'customer_id > 1');
SELECT text2sql.define('x', 'y', 'total > ', 'orders');
SELECT text2sql.define('x', 'y', 'total) FROM orders; DELETE FROM orders WHERE (total > 1', 'orders');
SELECT text2sql.define('x', 'y', 'total -- > 1', 'orders');
SELECT text2sql.define('x', 'y', 'pg_sleep(10) IS NULL', 'orders');
SELECT text2sql.define('x', 'y', 'salary > 1', 'hr.salaries');
SELECT text2sql.define('x', 'y', '(SELECT max(salary) FROM hr.salaries)');
SELECT text2sql.define('x', NULL);
SELECT text2sql.define(' ', 'y');
SELECT text2sql.define(repeat('x', 201), 'y');
SELECT count(*) FROM text2sql.definitions WHERE term = 'x';
-- A change of the schema breaks a definition: it is listed as broken and not used, and recovers.
RESET ROLE;
ALTER TABLE orders RENAME COLUMN total TO amount;
SET ROLE regress_curator;
SELECT term, applies_to, status, problem FROM text2sql.definitions WHERE status <> 'ok' ORDER BY id;
SELECT count(*) FROM regexp_split_to_table(text2sql.preview_prompt('What is the order age and revenue?'), '\n') AS line WHERE line ~ ' := ';
RESET ROLE;
SELECT item, value, note FROM text2sql.status() WHERE item IN ('definitions', 'examples', 'known joins', 'described objects');
ALTER TABLE orders RENAME COLUMN amount TO total;
SET ROLE regress_curator;
SELECT count(*) FROM text2sql.definitions WHERE status <> 'ok';
SELECT count(*) FROM regexp_split_to_table(text2sql.preview_prompt('What is the order age and revenue?'), '\n') AS line WHERE line ~ ' := ';
-- A definition is visible to roles that can read all its objects.
RESET ROLE;
REVOKE SELECT ON customers FROM regress_analyst;
SET ROLE regress_analyst;
SELECT term, applies_to FROM text2sql.definitions ORDER BY id;
SELECT text2sql.forget('definition', 'MTD');
RESET ROLE;
GRANT SELECT ON customers TO regress_analyst;
SET ROLE regress_curator;
SELECT text2sql.forget('definition', 'revenue');
SELECT text2sql.forget('definition', 'revenue', 'customers');
SELECT text2sql.forget('definition', 'REVENUE');
SELECT text2sql.forget('definition', 'revenue');
RESET ROLE;
DELETE FROM text2sql._definitions;
