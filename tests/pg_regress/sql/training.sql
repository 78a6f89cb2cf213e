-- Verified examples as lines for training, and proposals that are applied.
\set SHOW_CONTEXT never
\pset null (null)
SELECT text2sql.grant_access('regress_curator', 'evaluation');
GRANT SELECT ON customers, orders, countries TO regress_curator;
SET ROLE regress_curator;
SET text2sql.model = 'replay';
SELECT text2sql.accept('example', text2sql.add_example(e.question, e.sql)) FROM (VALUES
    ('Train: how many customers are there?', 'SELECT count(*) AS train_customers FROM customers'),
    ('train - how many customers are there', 'SELECT count(*)  AS train_customers FROM customers;'),
    ('Train: what did customer 7 pay?', 'SELECT sum(total) FROM orders JOIN customers USING (customer_id) WHERE name = ''customer 7'''),
    ('Train: what did the best one pay?', 'SELECT sum(total) FROM orders JOIN customers USING (customer_id) WHERE name = ''customer 29'''),
    ('Train: orders of number 88123', 'SELECT count(*) FROM orders WHERE order_id = 88123'),
    ('Train: orders of a certain number', 'SELECT count(*) FROM orders WHERE order_id = 88124'),
    ('Train: a case by its words', 'SELECT count(*) + 1 FROM orders'),
    ('Train: a case by its query', 'SELECT count(*) + 2 FROM orders')) AS e(question, sql);
SELECT text2sql_eval.add_case('train', e.question, e.sql) IS NOT NULL AS added
  FROM (VALUES ('train a case by its words?', 'SELECT count(*) + 3 FROM orders'), ('Train: other words', 'select COUNT(*) + 2 from orders')) AS e(question, sql);
-- What is used, and why the rest is not.
SELECT question, split IS NOT NULL AS used, line IS NOT NULL AS has_line, left_out FROM text2sql_eval.export_training(options => '{"suites": ["train"]}')
 WHERE question ~* '^train' AND NOT question ~ '^train -|there\?' ORDER BY question COLLATE "C";
-- One of the two that say the same.
SELECT count(*) FILTER (WHERE split IS NOT NULL) AS used, count(*) FILTER (WHERE left_out = 'the same again') AS again
  FROM text2sql_eval.export_training() WHERE question ~ 'customers are there';
-- Without suites, a case is an example like others.
SELECT count(*) FROM text2sql_eval.export_training(options => '{"suites": []}') WHERE question ~ '^Train: a case' AND split IS NOT NULL;
-- The prompt is that of a question, without the example and what says the same, and the reply follows.
SELECT m.message ->> 'role' AS role, m.message ->> 'content' ~ 'customers \(' AS has_schema, m.message ->> 'content' ~ 'train_customers' AS has_sql
  FROM text2sql_eval.export_training() AS t, json_array_elements(t.line::json -> 'messages') AS m(message)
 WHERE t.question ~ 'customers are there' AND t.split IS NOT NULL;
SELECT t.line::json ->> 'completion' AS completion, t.line::json ->> 'prompt' ~ 'Reply with one JSON object' AS has_instructions
  FROM text2sql_eval.export_training('completion') AS t WHERE t.question = 'Train: orders of number 88123';
-- Other examples of the same part are in the prompt, as they would be; those of the other part, of suites and with the
-- same SQL are not. Each SQL has a name of its own.
SELECT count(text2sql.accept('example', text2sql.add_example(
           format('Train shots: how many customers are called customer %s?', n),
           format('SELECT count(*) AS shot_%s FROM customers WHERE name = ''customer %s''', n, n)))) AS added
  FROM generate_series(1, 12) AS n;
SELECT text2sql.accept('example', text2sql.add_example(
           'Train shots: the number of customers called customer 3', 'select COUNT(*) as shot_3 from customers where name = ''customer 3'';'));
SELECT text2sql_eval.add_case('train', 'Train shots: how many customers are called customer 12?', 'SELECT 12') IS NOT NULL AS added;
CREATE TEMP TABLE shots AS
SELECT t.split, t.question, t.left_out, substring(lower(t.sql) FROM 'shot_[0-9]+') AS own,
       ARRAY(SELECT DISTINCT lower(m[1]) FROM regexp_matches(t.line::json ->> 'prompt', '(shot_[0-9]+)', 'g') AS m) AS shown
  FROM text2sql_eval.export_training('completion', 0.5, '{"suites": ["train"]}') AS t WHERE t.question ~ '^Train shots';
SELECT count(*) FILTER (WHERE split = 'train') > 0 AND count(*) FILTER (WHERE split = 'validation') > 0 AS has_both,
       min(cardinality(shown)) FILTER (WHERE split IS NOT NULL) > 0 AS all_show, max(cardinality(shown)) <= 5 AS few,
       count(*) FILTER (WHERE own = ANY (shown)) AS own_shown, count(*) FILTER (WHERE 'shot_12' = ANY (shown)) AS of_suite,
       array_agg(DISTINCT left_out) FILTER (WHERE left_out IS NOT NULL) AS left_out
  FROM shots;
-- A prompt that is sent shows them.
SELECT bool_and(p.prompt ~ (s.own || ' ')) AS own, bool_or(p.prompt ~ 'shot_12 ') AS of_suite,
       bool_or(EXISTS (SELECT FROM shots o WHERE o.split <> s.split AND p.prompt ~ (o.own || ' '))) AS of_the_other_part
  FROM shots s, LATERAL (SELECT text2sql.preview_prompt(s.question) AS prompt) AS p WHERE s.split IS NOT NULL;
SELECT count(*) AS of_the_other_part
  FROM shots s, unnest(s.shown) AS o(name) JOIN shots other ON other.own = o.name WHERE other.split IS DISTINCT FROM s.split;
SELECT own, count(*) FILTER (WHERE split IS NOT NULL) AS used, count(DISTINCT split) AS parts FROM shots WHERE own = 'shot_3' GROUP BY own;
SELECT bool_or(line::json ->> 'prompt' ~ 'shot_') AS has_any
  FROM text2sql_eval.export_training('completion', options => '{"few_shot": false}') WHERE question ~ '^Train shots';
DROP TABLE shots;
-- Comments are removed, and constants in any quotes are read.
SELECT text2sql.accept('example', text2sql.add_example('Train quotes: customers called customer 9',
           E'SELECT count(*) AS quoted -- of the shop\n  FROM customers WHERE name = $q$customer 9$q$ /* nobody else */ AND name <> E''\\u0020'''));
SELECT (line::json ->> 'completion')::json ->> 'sql' AS sql, left_out FROM text2sql_eval.export_training('completion') WHERE question ~ '^Train quotes';
-- The parts are the same each time.
SELECT count(*) AS differ FROM (SELECT split, question FROM text2sql_eval.export_training(validation => 0.5)
                                EXCEPT ALL SELECT split, question FROM text2sql_eval.export_training(validation => 0.5)) AS d;
SELECT DISTINCT split FROM text2sql_eval.export_training(validation => 0) WHERE split IS NOT NULL;
-- Misuse.
SELECT text2sql_eval.export_training('csv');
\echo :SQLSTATE
SELECT text2sql_eval.export_training(validation => 1);
\echo :SQLSTATE
SELECT text2sql_eval.export_training(options => '{"suites": "train"}');
\echo :SQLSTATE
SELECT text2sql_eval.export_training(options => '{"few_shot": 3}');
\echo :SQLSTATE
\set VERBOSITY sqlstate
SELECT text2sql_eval.export_training(options => '{"no_such": 1}');
\set VERBOSITY default
-- The built-in engine has no egress.
SELECT text2sql_eval.export_training(options => '{"model": "builtin"}');
\echo :SQLSTATE
-- A proposal sets only what every role may set for itself, with the privileges of who applies it.
INSERT INTO text2sql_eval.proposals (proposal_id, suite, settings, p_mid, verdict, statements) VALUES
    (9002, 'train', '{"max_repairs": 0}', 0.9, 'no better on cases that the search has not seen: keep the settings', '{}'),
    (9003, 'train', '{"x = 1; DROP TABLE customers; --": 0}', 0.01, 'better', '{}'),
    (9004, 'train', '{"max_repairs": 3}', 0.01, 'better', '{}');
SELECT text2sql.accept('proposal', 9004);
\echo :SQLSTATE
-- The message differs between versions.
\set VERBOSITY sqlstate
SELECT text2sql.accept('proposal', 9004, role_name => 'regress_analyst');
\set VERBOSITY default
RESET ROLE;
SELECT text2sql.accept('proposal', 9002);
\echo :SQLSTATE
SELECT text2sql.accept('proposal', 9003);
\echo :SQLSTATE
SELECT text2sql.accept('proposal', 9000);
\echo :SQLSTATE
SELECT text2sql.accept('proposal', 9004, role_name => 'regress_nobody');
SELECT s.setconfig FROM pg_db_role_setting s WHERE s.setrole = 'regress_nobody'::regrole;
SELECT text2sql.accept('proposal', 9004);
ALTER ROLE regress_nobody IN DATABASE text2sql_regress RESET ALL;
ALTER DATABASE text2sql_regress RESET text2sql.tuning;
DELETE FROM text2sql_eval.proposals WHERE suite = 'train';
SELECT text2sql.forget('suite', 'train');
SELECT count(*) FROM (SELECT text2sql.forget('example', id) FROM text2sql.examples WHERE question ~* '^train') AS forgotten;
REVOKE SELECT ON customers, orders, countries FROM regress_curator;
SELECT text2sql.revoke_access('regress_curator', 'evaluation');
SELECT text2sql.grant_access('regress_curator', 'curator');
