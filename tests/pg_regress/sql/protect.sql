-- Protection: who sees it, and its effects.
\pset null '(null)'
CREATE SCHEMA protect_test;
CREATE TABLE protect_test.people (id integer PRIMARY KEY, name text, mail text, salary numeric, boss integer REFERENCES protect_test.people);
INSERT INTO protect_test.people VALUES (1, 'Ada', 'ada@example.org', 10, NULL), (2, 'Bob', 'bob@example.org', 20, 1);
CREATE VIEW protect_test.mails AS SELECT id, mail FROM protect_test.people;
CREATE VIEW protect_test.pay AS SELECT avg(salary) AS average FROM protect_test.people;
GRANT USAGE ON SCHEMA protect_test TO regress_analyst;
GRANT SELECT ON ALL TABLES IN SCHEMA protect_test TO regress_analyst;
SELECT text2sql.protect('protect_test.people.mail', 'private');
SELECT text2sql.protect('protect_test.people.salary', 'hidden');
SELECT kind, object, level, set_by FROM text2sql.protected ORDER BY object;
\echo the level of a column, with 0 of the table
SELECT a.attname, text2sql._protection(a.attrelid, a.attnum)
FROM pg_attribute a WHERE a.attrelid = 'protect_test.people'::regclass AND a.attnum > 0 ORDER BY a.attnum;
SELECT c.relname, text2sql._protection(c.oid, 0::int2), text2sql._is_shown(c.oid)
FROM pg_class c WHERE c.relnamespace = 'protect_test'::regnamespace AND c.relkind IN ('r', 'v') ORDER BY 1;
SET ROLE regress_analyst;
SET search_path = protect_test, public;
\echo private: the rows reach the caller
SELECT result_rows FROM text2sql.run_json('SELECT name, mail FROM people ORDER BY id');
\echo hidden: it is not available, in whatever form
SELECT rule, reason, offender, error_position, sqlstate FROM text2sql.validate('SELECT salary FROM people');
SELECT rule, reason, error_position FROM text2sql.validate('SELECT name FROM people ORDER BY salary');
SELECT rule, reason, error_position FROM text2sql.validate('SELECT * FROM people');
SELECT rule, reason, error_position FROM text2sql.validate('SELECT p FROM people AS p');
SELECT rule, reason, error_position FROM text2sql.validate('SELECT salary || 1 FROM people');
SELECT rule, reason, error_position FROM text2sql.validate('SELECT average FROM pay');
SELECT * FROM text2sql.run('SELECT salary FROM people') AS t(salary numeric);
\echo other columns and the number of rows stay
SELECT allowed, read_columns FROM text2sql.validate('SELECT name, boss FROM people');
SELECT allowed FROM text2sql.validate('SELECT count(*) FROM people');
\echo in a prompt: no hidden name
SELECT prompt LIKE '%mail text%' AS mail, prompt LIKE '%salary%' AS salary, prompt LIKE '%pay (view)%' AS pay, prompt LIKE '%mails (view)%' AS mails
FROM text2sql.preview_prompt('Who?') AS prompt;
\echo the caller is no owner: nothing is listed, nothing can be changed
SELECT * FROM text2sql.protected;
SELECT text2sql.protect('people.salary', 'open');
TABLE text2sql._protections;
RESET ROLE;
\echo most specific first: a hidden table with one open column, a hidden schema with one open table
SELECT text2sql.protect('table people', 'hidden');
SELECT text2sql.protect('people.name', 'open');
SELECT allowed, reason FROM text2sql.validate('SELECT name FROM people');
SELECT allowed, reason FROM text2sql.validate('SELECT id FROM people');
SELECT text2sql.protect('table people', 'open');
SELECT text2sql.protect('schema protect_test', 'hidden');
SELECT text2sql.protect('view pay', 'open');
SELECT allowed, reason FROM text2sql.validate('SELECT average FROM pay');
SELECT allowed, reason FROM text2sql.validate('SELECT id FROM mails');
SELECT lineage FROM text2sql.validate('SELECT average FROM pay');
SELECT kind, object, level FROM text2sql.protected ORDER BY object;
\echo taken back
SELECT text2sql.protect('schema protect_test', 'open');
SELECT text2sql.protect('people.salary', 'open'), text2sql.protect('people.mail', 'open'), text2sql.protect('people.name', 'open'), text2sql.protect('view pay', 'open');
SELECT kind, object, level FROM text2sql.protected ORDER BY object;
SELECT allowed, reason FROM text2sql.validate('SELECT * FROM people');
\echo misuse
SELECT text2sql.protect('people', 'secret');
SELECT text2sql.protect(NULL, 'hidden');
SELECT text2sql.protect('people', NULL);
SELECT text2sql.protect('schema pg_catalog', 'hidden');
SELECT text2sql.protect('text2sql._protections', 'hidden');
SET client_min_messages = warning;
DROP SCHEMA protect_test CASCADE;
TRUNCATE text2sql._protections;
