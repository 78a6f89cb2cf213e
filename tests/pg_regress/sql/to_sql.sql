-- SQL to read, review and save; nothing is run.
SET ROLE regress_analyst;
SET text2sql.model = 'replay';
SELECT text2sql.to_sql('Orders by status');
SELECT text2sql.to_sql('Orders by status', options => '{"guarded": true}');
SELECT text2sql.to_sql('Orders by status', options => '{"guarded": true}') \gexec
SELECT text2sql.to_sql('Repair me');
-- Division by zero would be an error if it ran.
SELECT text2sql.to_sql('Exact values', options => '{"guarded": true}');
SELECT text2sql.to_sql('Who is best?');
\echo :SQLSTATE
SELECT text2sql.to_sql('What is the weather?');
\echo :SQLSTATE
SELECT text2sql.to_sql('What does the boss earn?');
\echo :SQLSTATE
SELECT text2sql.to_sql('Do harm');
\echo :SQLSTATE
