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
