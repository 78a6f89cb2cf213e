-- The steps of a question before anything runs.
SET ROLE regress_analyst;
\pset format unaligned
\pset null '∅'
-- The built-in engine knows its query: nothing runs, and the guard has checked it.
SET text2sql.model = 'builtin';
SELECT * FROM text2sql.plan('How many orders were placed in March 2025 per country?');
-- Parts have a statement each.
SELECT step, statement, depends_on, tables, what FROM text2sql.plan('How many customers are there? And how many countries are there?');
-- What has no answer has no plan.
SELECT * FROM text2sql.plan('Will it rain tomorrow?');
\echo :SQLSTATE
SELECT * FROM text2sql.plan('Delete all customers');
\echo :SQLSTATE
SELECT * FROM text2sql.plan(NULL);
SELECT * FROM text2sql.plan('');
\set VERBOSITY terse
SELECT * FROM text2sql.plan('How many orders are there?', options => '{"colour": "red"}');
\set VERBOSITY default
-- A model is asked once, and says how sure it is: below 0.5 there is a warning. A table that the role may not read is none of its tables.
SET text2sql.model = 'replay';
SELECT * FROM text2sql.plan('Plan the revenue');
SELECT * FROM text2sql.plan('Plan the weather');
\echo :SQLSTATE
SELECT * FROM text2sql.plan('Say nothing');
\echo :SQLSTATE
-- A follow-up is planned with the turns before it, and is no turn itself.
SET text2sql.model = 'builtin';
SELECT status FROM text2sql.ask('How many orders are there?', conversation => 'planned');
SELECT what FROM text2sql.plan('and by status?', conversation => 'planned');
SELECT turn FROM text2sql.conversation_turns WHERE conversation = 'planned' AND is_last;
SELECT text2sql.forget('conversation', 'planned');
-- It is recorded as any other call.
SELECT question, status, sql IS NOT NULL AS has_sql, row_count FROM text2sql.history WHERE function = 'plan' ORDER BY asked_at;
-- Works in a read-only transaction.
BEGIN READ ONLY;
SELECT count(*) FROM text2sql.plan('How many orders are there?');
COMMIT;
-- A role that may read nothing gets no plan, and one without USAGE nothing at all.
RESET ROLE;
CREATE ROLE regress_reader_of_nothing;
SELECT text2sql.grant_access('regress_reader_of_nothing');
SET ROLE regress_reader_of_nothing;
SELECT * FROM text2sql.plan('How many orders are there?');
SET ROLE regress_nobody;
SELECT * FROM text2sql.plan('How many orders are there?');
RESET ROLE;
SELECT text2sql.revoke_access('regress_reader_of_nothing');
DROP ROLE regress_reader_of_nothing;
