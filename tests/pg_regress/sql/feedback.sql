-- Feedback on answers awaits a curator, and can become a case.
\set SHOW_CONTEXT never
\pset null (null)
SET text2sql.model = 'replay';
SELECT count(*) >= 0 AS deleted FROM text2sql.drop_history('0 days');
SET ROLE regress_analyst;
SELECT trace_id AS right FROM text2sql.ask('How many customers?') \gset
SELECT trace_id AS wrong FROM text2sql.ask('Orders by status') \gset
SELECT trace_id AS unanswered FROM text2sql.ask('What is the weather?') \gset
SELECT trace_id AS refused FROM text2sql.ask('Read the salaries') \gset
SELECT text2sql.add_feedback(:'right', 'right') IS NOT NULL AS waits;
SELECT text2sql.add_feedback(:'wrong', 'wrong', 'SELECT status, count(*) AS orders FROM orders GROUP BY status ORDER BY status;',
                         'open order := an order that is not returned') IS NOT NULL AS waits;
SELECT text2sql.add_feedback(:'unanswered', 'right', comment => 'indeed');
-- SQL that the guard refused is not stored where others can read it.
SELECT text2sql.add_feedback(:'refused', 'wrong', comment => 'I need it');
SELECT question, answer_status, verdict, sql, corrected_sql, comment, status FROM text2sql.feedback ORDER BY given_at;
-- Misuse.
SELECT text2sql.add_feedback(NULL, 'right');
SELECT text2sql.add_feedback(:'right', NULL);
SELECT text2sql.add_feedback(:'right', 'good');
SELECT text2sql.add_feedback(:'right', 'right', 'SELECT 1');
SELECT text2sql.add_feedback(:'wrong', 'wrong', 'SELECT salary FROM hr.salaries');
SELECT text2sql.add_feedback(:'wrong', 'wrong', 'DELETE FROM orders');
-- Feedback on a question that was not recorded, or on another role's; where nothing can be written.
SELECT text2sql.add_feedback('00000000-0000-0000-0000-000000000000', 'right');
BEGIN;
SELECT trace_id AS undone FROM text2sql.ask('How many customers?') \gset
ROLLBACK;
\set VERBOSITY sqlstate
SELECT text2sql.add_feedback(:'undone', 'right');
\set VERBOSITY default
BEGIN READ ONLY;
SELECT text2sql.add_feedback(:'right', 'right');
ROLLBACK;
-- Only the function writes, and only roles that can ask questions may call it.
INSERT INTO text2sql._feedback (trace_id) VALUES (gen_random_uuid());
RESET ROLE;
CREATE ROLE regress_other;
SELECT text2sql.grant_access('regress_other');
SET ROLE regress_other;
SELECT count(*) FROM text2sql.feedback;
\set VERBOSITY sqlstate
SELECT text2sql.add_feedback(:'right', 'right');
\set VERBOSITY default
-- A curator sees it, verifies it, applies the definition; the author sees its status.
SET ROLE regress_curator;
SELECT given_by, question, verdict, status FROM text2sql.feedback ORDER BY given_at;
SELECT question, sql, verified_by, origin FROM text2sql.examples ORDER BY id;
SELECT text2sql.accept('example', example_id) FROM text2sql.feedback WHERE verdict = 'wrong' AND example_id IS NOT NULL;
SELECT object, text2sql.accept('suggestion', id) FROM text2sql.suggestions WHERE status = 'open' ORDER BY id;
SELECT term, meaning, applies_to FROM text2sql.definitions;
SELECT text2sql.add_feedback(:'right', 'wrong', comment => 'a curator speaks about any question');
SET ROLE regress_analyst;
SELECT question, given_by, verdict, status FROM text2sql.feedback ORDER BY given_at;
-- New feedback replaces earlier feedback; dropped feedback is removed, but not what a curator has verified.
SELECT text2sql.add_feedback(:'right', 'wrong', 'SELECT count(DISTINCT name) AS customers FROM customers') IS NOT NULL AS waits;
SELECT question, sql, origin, verified_by FROM text2sql.examples ORDER BY id;
SELECT kind, outcome FROM text2sql.forget('feedback', :'right');
SELECT kind, outcome FROM text2sql.forget('feedback', :'wrong');
SELECT text2sql.forget('feedback', 'x');
\echo :SQLSTATE
SELECT text2sql.forget('feedback', '{00000000-0000-0000-0000-00000000ABCD}');
\echo :SQLSTATE
SELECT question, sql, verified_by FROM text2sql.examples ORDER BY id;
SELECT question, status FROM text2sql.feedback ORDER BY given_at;
-- Cases of a suite.
SELECT text2sql.add_feedback(:'wrong', 'wrong', 'SELECT status, count(*) AS orders FROM orders GROUP BY status ORDER BY status') IS NOT NULL AS verified_before;
RESET ROLE;
SELECT text2sql_eval.add_cases('said', 'feedback');
SELECT text2sql_eval.add_cases('said', 'feedback', include_unverified => true);
SELECT text2sql_eval.add_cases('said', 'everything');
SELECT text2sql_eval.add_cases('said', 'examples', include_unverified => true);
SELECT question, gold, expected_status, tags FROM text2sql_eval.cases WHERE suite = 'said' ORDER BY question;
SELECT text2sql.forget('suite', 'said');
DELETE FROM text2sql._feedback;
DELETE FROM text2sql._examples;
DELETE FROM text2sql._suggestions;
DELETE FROM text2sql._definitions;
SELECT count(*) >= 0 AS deleted FROM text2sql.drop_history('0 days');
DROP OWNED BY regress_other;
DROP ROLE regress_other;
