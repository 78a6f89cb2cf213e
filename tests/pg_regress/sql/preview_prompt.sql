-- The exact prompt, without sending it. The date is today's, the version the server's.
SET ROLE regress_analyst;
SET text2sql.model = 'replay';
\pset format unaligned
\pset tuples_only on
SELECT replace(replace(text2sql.preview_prompt('How many customers?'), to_char(current_date, 'YYYY-MM-DD'), 'TODAY'),
               'PostgreSQL ' || current_setting('server_version_num')::int / 10000 || ' query', 'PostgreSQL VERSION query');
-- No model is needed.
SELECT text2sql.preview_prompt('How many customers?') LIKE '%customers (%' AS same_schema;
-- It contains nothing that the role cannot read.
SELECT text2sql.preview_prompt('What does the boss earn?') LIKE '%salar%' AS leaks;
-- What is said of a schema stands before its tables: its comment, or what describe() says in place of that. A session
-- that has asked before sees both.
RESET ROLE;
BEGIN;
COMMENT ON SCHEMA public IS 'the shop';
SET LOCAL ROLE regress_analyst;
SELECT substring(text2sql.preview_prompt('How many customers?') FROM 'schema public: [^\n]*');
SET LOCAL ROLE regress_curator;
SELECT text2sql.describe('schema public', 'orders of the web shop');
SET LOCAL ROLE regress_analyst;
SELECT substring(text2sql.preview_prompt('How many customers?') FROM 'schema public: [^\n]*');
-- That of a schema without a table in the prompt is not in it.
RESET ROLE;
COMMENT ON SCHEMA hr IS 'salaries';
SET LOCAL ROLE regress_analyst;
SELECT text2sql.preview_prompt('How many customers?') LIKE '%schema hr%' AS leaks;
ROLLBACK;
