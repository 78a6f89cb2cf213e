-- Suites, evaluations, verdicts and figures, with recorded replies.
SELECT text2sql.grant_access('regress_analyst', 'evaluation');
SET ROLE regress_analyst;
SET text2sql.model = 'replay';
\set SHOW_CONTEXT never
\pset null '∅'
SELECT text2sql_eval.add_suite('shop', clock => '2025-03-15 12:00:00+00', comment => 'the small shop');
-- A gold statement is judged and run when it is added.
SELECT text2sql_eval.add_case('shop', 'How many customers?', 'SELECT count(*) FROM customers', level => 'easy') > 0 AS added;
SELECT text2sql_eval.add_case('shop', 'Broken', 'SELECT count(*) FROM custmers');
\echo :SQLSTATE
SELECT text2sql_eval.add_case('shop', 'Writes', 'DELETE FROM orders');
\echo :SQLSTATE
SELECT text2sql_eval.add_case('shop', 'Closed', 'SELECT max(salary) FROM hr.salaries');
\echo :SQLSTATE
SELECT text2sql_eval.add_case('shop', 'Nothing');
\echo :SQLSTATE
SELECT text2sql_eval.add_case('shop', 'Both', 'SELECT 1', expected_status => 'ambiguous');
\echo :SQLSTATE
-- Gold texts: with them alone a question is for texts, with both it is for both.
SELECT text2sql_eval.add_case('texts', 'Why?', gold_texts => '[{"document": "Handbook"}]') > 0 AS added;
SELECT text2sql_eval.add_case('texts', 'How many, and why?', 'SELECT 1', gold_texts => '[{"table": "reviews", "key": 7, "quote": "zip"}]') > 0 AS added;
SELECT text2sql_eval.add_case('texts', 'No key', gold_texts => '[{"table": "reviews"}]');
\echo :SQLSTATE
SELECT text2sql_eval.add_case('texts', 'Other member', gold_texts => '[{"document": "Handbook", "page": 3}]');
\echo :SQLSTATE
SELECT text2sql_eval.add_case('texts', 'Other kind', 'SELECT 1', kind => 'both');
\echo :SQLSTATE
SELECT text2sql_eval.add_case('texts', 'Refused', expected_status => 'ambiguous', gold_texts => '[{"document": "Handbook"}]');
\echo :SQLSTATE
SELECT question, kind, gold, gold_texts FROM text2sql_eval.cases WHERE suite = 'texts' ORDER BY case_id;
SELECT text2sql.forget('suite', 'texts');
-- Several gold statements, a tolerant comparison, correct refusals.
SELECT text2sql_eval.add_case('shop', 'Orders by status', 'SELECT status, count(*) FROM orders GROUP BY status',
    accepted_sql => ARRAY['SELECT status, count(*), sum(total) FROM orders GROUP BY status'], level => 'hard', tags => '{group}') > 0 AS added;
SELECT text2sql_eval.add_case('shop', 'Who is best?', expected_status => 'ambiguous', level => 'hard') > 0 AS added;
-- Lines of a file: an invalid line is reported and nothing is imported; gold that does not run is reported and stored.
SELECT text2sql_eval.add_cases('shop', 'lines', lines => E'{"NL": "a", "SQL": "SELECT 1"}\n{"NL": "b"');
\echo :SQLSTATE
SELECT text2sql_eval.add_cases('shop', 'lines', lines => $${"NL": "Repair me", "SQL": "SELECT count(*) FROM customers"}

{"question": "Never right", "gold": ["SELECT 1 AS a"], "level": "hard", "style": "odd"}
{"question": "What is the weather?", "status": "unanswerable"}
{"question": "Rotten", "gold": "SELECT 1/0"}
{"question": "Every order", "gold": "SELECT order_id FROM orders ORDER BY order_id LIMIT 7", "id": 7}
{"question": "How many customers?", "previous": ["How many orders?"], "gold": "SELECT count(*) FROM customers"}$$);
SELECT key, question, problem FROM text2sql_eval.cases WHERE suite = 'shop' ORDER BY question COLLATE "C", case_id;
CALL text2sql_eval.evaluate('shop', settings => '{"max_repairs": 1}', name => 'first');
SELECT question, state, status, verdict, ex, robust, round(ea_share::numeric, 2) AS ea, reasons, message, model_calls
  FROM text2sql_eval.results ORDER BY case_id;
\x on
SELECT suite, name, state, settings, cases, broken, cases_right, round(accuracy::numeric, 3) AS accuracy, round(low::numeric, 3) AS low,
       round(high::numeric, 3) AS high, round(va::numeric, 3) AS va, round(ex::numeric, 3) AS ex, round(answered::numeric, 3) AS answered,
       refusal_precision, refusal_recall, table_recall, model_calls
  FROM text2sql_eval.evaluations;
\x off
SELECT grouped_by, value, cases, cases_right FROM text2sql_eval.groups WHERE grouped_by NOT IN ('stage', 'confidence') AND grouped_by !~ '^(reason|empty)' ORDER BY 1, 2;
SELECT value AS reason, attempts FROM text2sql_eval.groups WHERE grouped_by = 'reason' ORDER BY attempts DESC, value COLLATE "C";
SELECT grouped_by, value, attempts, round(share::numeric, 3) AS share FROM text2sql_eval.groups
WHERE grouped_by ~ '^(reason by|empty result)' ORDER BY grouped_by, value COLLATE "C";
SELECT value AS stage, attempts FROM text2sql_eval.groups WHERE grouped_by = 'stage' AND value IN ('retrieve', 'generate', 'execute') ORDER BY 1;
SELECT bool_and(r.is_failure = (r.verdict <> 'right' OR r.state = 'broken')) AS as_expected, count(*) FILTER (WHERE r.is_failure) AS failures FROM text2sql_eval.results r;
SELECT (configured -> 'settings' ->> 'text2sql.tuning')::json ->> 'max_repairs' AS max_repairs, configured ->> 'extension' = text2sql._version() AS extension, clock = '2025-03-15 12:00+00' AS clock FROM text2sql_eval.evaluations;
-- The clock of the suite is the clock of gold and candidate, and is restored.
SELECT text2sql_eval._check_gold(jsonb_build_array(
    $$SELECT 1 / (now() = '2020-02-29 10:00:00+00'::timestamptz AND clock_timestamp() = now() AND CURRENT_DATE = '2020-02-29' AND 'yesterday'::date = '2020-02-28')::int$$,
    $$SELECT 1 / (statement_timestamp() = LOCALTIMESTAMP AND 'now'::timestamptz = now())::int$$,
    $$SELECT 1 / (now() > '2021-01-01')::int$$), text2sql_eval._microseconds('2020-02-29 10:00:00+00')) AS problems;
SELECT now() > '2026-01-01' AS real_time, clock_timestamp() >= now() AS wall_clock;
-- Repeats, and the budget of model calls.
CALL text2sql_eval.evaluate('shop', 3, name => 'three times');
SELECT evaluation_id, sql_agreement, result_agreement, mean_cosine FROM text2sql_eval.evaluations ORDER BY 1;
SELECT variant, cases, baseline_mean, candidate_mean, more, less, p FROM text2sql_eval.compare(1, '{2}') WHERE measure = 'accuracy';
CALL text2sql_eval.evaluate('shop', name => 'two calls', max_calls => 2);
SELECT state, (SELECT count(*) FROM text2sql_eval.results r WHERE r.evaluation_id = u.evaluation_id AND r.state = 'waiting') AS waiting FROM text2sql_eval.evaluations u WHERE name = 'two calls';
CALL text2sql_eval.evaluate(evaluation_id => 3, max_calls => 100);
SELECT a.question FROM text2sql_eval.results a JOIN text2sql_eval.results b USING (case_id, attempt) WHERE a.evaluation_id = 2 AND b.evaluation_id = 3
   AND (a.verdict, a.sql, a.fingerprint) IS DISTINCT FROM (b.verdict, b.sql, b.fingerprint);
-- Misuse.
CALL text2sql_eval.evaluate('nothing');
\echo :SQLSTATE
CALL text2sql_eval.evaluate('shop', settings => '{"colour": "red"}');
\echo :SQLSTATE
CALL text2sql_eval.evaluate('shop', settings => '{"max_repairs": 77}');
\echo :SQLSTATE
CALL text2sql_eval.evaluate('shop', settings => '{"run_as": "postgres"}');
\echo :SQLSTATE
CALL text2sql_eval.evaluate('shop', settings => '{"copies": true}');
\echo :SQLSTATE
CALL text2sql_eval.evaluate('shop', 0);
\echo :SQLSTATE
CALL text2sql_eval.evaluate('shop', evaluation_id => 4711);
CALL text2sql_eval.evaluate(evaluation_id => 4711);
\echo :SQLSTATE
SELECT text2sql.forget('case', 4711);
\echo :SQLSTATE
SELECT text2sql.forget('case', 'shop');
-- A given statement, graded without asking a question.
SELECT verdict, ex, ea_share, em_share, columns_identified, reasons FROM text2sql_eval.grade('SELECT customer_id, name FROM customers', 'SELECT name FROM customers');
SELECT verdict, ex, reasons FROM text2sql_eval.grade('SELECT name FROM customers', 'SELECT customer_id, name FROM customers', '{"extra_columns": true}');
SELECT verdict, ex, reasons FROM text2sql_eval.grade('SELECT sum(total) FROM orders', 'SELECT sum(totel) FROM orders');
SELECT * FROM text2sql_eval.grade('SELECT 1', 'SELECT 1', '{"colour": "red"}');
\echo :SQLSTATE
-- Statistics by themselves.
SELECT text2sql_eval._wilson(81, 263), text2sql_eval._mcnemar(1, 7), text2sql_eval._reliability(ARRAY['SELECT 1', 'select  1'], ARRAY['a', 'b']);
-- Invalid numbers of cases are refused; billions take no time.
SET statement_timeout = '5s';
SELECT round((text2sql_eval._mcnemar(1999938020, 2000061980))[2]::numeric, 3) AS mid_p, text2sql_eval._mcnemar(2147483647, 2147483647), text2sql_eval._mcnemar(NULL, 1), text2sql_eval._wilson(0, 0), text2sql_eval._wilson(1e308, 1e308);
SELECT text2sql_eval.statistic('wilson', '{"successes": 81, "total": 263}'), text2sql_eval.statistic('mcnemar', '{"only_baseline": 1, "only_candidate": 7}');
SELECT text2sql_eval.statistic('kappa', '{"one": ["yes", "no", "yes"], "other": ["yes", "no", "no"]}'), text2sql_eval.statistic('reliability', '{"sql": ["SELECT 1", "select  1"], "outcomes": ["a", "b"]}');
SELECT text2sql_eval.statistic('wilson', '{"successes": 81}');
SELECT text2sql_eval.statistic('median', '{}');
SELECT text2sql.forget('suites', 'sales');
SELECT text2sql_eval._mcnemar(-1, 5);
\echo :SQLSTATE
SELECT text2sql_eval._wilson(-1, 5);
\echo :SQLSTATE
SELECT text2sql_eval._wilson(5, 4);
\echo :SQLSTATE
SELECT text2sql_eval._wilson('NaN', 4);
\echo :SQLSTATE
SELECT text2sql_eval._wilson(1, 'Infinity');
\echo :SQLSTATE
SELECT text2sql_eval._reliability(ARRAY['SELECT 1'], ARRAY['a', 'b']);
\echo :SQLSTATE
SELECT text2sql_eval._reliability(array_fill('SELECT 1'::text, ARRAY[10001]), array_fill('a'::text, ARRAY[10001]));
\echo :SQLSTATE
SELECT text2sql_eval._reliability('{}', '{}'), text2sql_eval._reliability(ARRAY[NULL, NULL], ARRAY[NULL, 'a']);
RESET statement_timeout;
-- Verified examples become cases; others do not.
RESET ROLE;
INSERT INTO text2sql._examples (id, question, sql, verified_by, origin, taught_by) VALUES
    (9001, 'How many countries?', 'SELECT count(*) FROM countries', 'postgres', 'feedback', 'postgres'),
    (9002, 'How many cities?', 'SELECT count(*) FROM cities', 'postgres', 'taught', 'postgres'), (9003, 'How many dragons?', 'SELECT 0', NULL, 'taught', 'postgres');
SELECT text2sql_eval.add_cases('taught', 'examples'), text2sql_eval.add_cases('taught', 'examples', origin => 'import') AS imported;
SELECT key LIKE 'example %' AS named, question, tags FROM text2sql_eval.cases WHERE suite = 'taught';
SELECT text2sql.forget('suite', 'taught') AS cases;
DELETE FROM text2sql._examples;
SET ROLE regress_analyst;
-- The effect of a setting, and a proposal of settings.
CALL text2sql_eval.evaluate('shop', variants => '{"no repair": {"max_repairs": 0}, "one row": {"evidence": false}}');
SELECT variant, cases, round(accuracy::numeric, 3) AS accuracy, only_baseline, only_candidate, p_mid FROM text2sql_eval.evaluations WHERE baseline IS NOT NULL ORDER BY evaluation_id;
CALL text2sql_eval.evaluate('shop', variants => '{"bad": {"max_repairs": "many"}}');
CALL text2sql_eval.evaluate('shop', name => 'one', variants => '{"no repair": {"max_repairs": 0}}');
\echo :SQLSTATE
SET text2sql.tuning = '{"max_repairs": 0}';
CALL text2sql_eval.tune('shop', '{"max_repairs": [0, 1]}', hold_out => 0.5);
RESET text2sql.tuning;
SELECT settings, cases, verdict, statements FROM text2sql_eval.proposals;
-- Every trial is kept, with its settings and why it was stopped. Nothing but max_repairs matters here.
CALL text2sql_eval.tune('shop', '{"max_repairs": [2], "max_result_rows": {"min": 500, "max": 1000, "steps": 2, "integer": true}}', hold_out => 0.5, name => 'rows');
SELECT run_id, name, trial, settings, generation, rung, state, why, cases, accuracy, cost_in, gain FROM text2sql_eval.trials WHERE name = 'rows' ORDER BY trial;
-- What is over is not asked again, an exhausted budget is reported.
CALL text2sql_eval.tune('shop', '{"max_repairs": [2], "max_result_rows": {"min": 500, "max": 1000, "steps": 2, "integer": true}}', hold_out => 0.5, name => 'rows');
CALL text2sql_eval.tune('shop', '{"max_repairs": [0, 1]}', max_calls => 0, hold_out => 0.5);
CALL text2sql_eval.tune('shop', '{"max_repairs": [0, 1]}', max_questions => 1, hold_out => 0.5);
SELECT tried, planned, settings, verdict FROM text2sql_eval.proposals WHERE proposal_id > 1 ORDER BY proposal_id;
SELECT run_state, why_ended, json_array_length(declared -> 'cases') AS cases, json_array_length(declared -> 'held_out') AS held_out FROM text2sql_eval.trials WHERE trial = 0 ORDER BY run_id;
-- The vectors of a second embedder are made beside those of the index, which a curator may do.
CALL text2sql_eval.tune('shop', '{"embedding_model": ["local"]}', hold_out => 0.5);
\echo :SQLSTATE
CALL text2sql_eval.tune('shop', '{"no_setting": [1]}');
\echo :SQLSTATE
CALL text2sql_eval.tune('shop', '{"max_cost": [1]}');
CALL text2sql_eval.tune('shop', '{"max_repairs": [0, 9]}');
CALL text2sql_eval.tune('shop', '{"max_repairs": {"max": 2}}');
CALL text2sql_eval.tune('shop', '{"max_repairs": [1]}', objectives => '{"pareto": ["cost"]}');
CALL text2sql_eval.tune('nothing', '{"max_repairs": [1]}');
CALL text2sql_eval.tune('shop', '{"max_repairs": [1]}', hold_out => 0.5, name => 'rows');
\echo :SQLSTATE
CALL text2sql_eval.tune('shop', '{"max_repairs": 1}');
\echo :SQLSTATE
-- The report is one self-contained page.
SELECT p.page LIKE '<!DOCTYPE html>%</html>_' AS whole, p.page ~ 'src=|https?:|<script' AS loads, p.page ~ 'Variants' AS variants
  FROM (SELECT text2sql_eval.report(4, 1) AS page) AS p;
CALL text2sql_eval.evaluate(evaluation_id => 1, max_opinions => 1);
\echo :SQLSTATE
-- Questions cannot read suites and figures.
SELECT rule FROM text2sql.validate('SELECT count(*) FROM text2sql_eval.cases');
SELECT count(*) AS found FROM text2sql.retrieve('Which suites, cases and evaluations are there?') WHERE object LIKE 'text2sql%';
SELECT count(*) AS listed FROM text2sql.permissions WHERE schema_name LIKE 'text2sql%';
-- Evaluations belong to the role that made them; a role without the grant is refused.
RESET ROLE;
SELECT count(*) > 0 AS evaluations FROM text2sql_eval.evaluations;
CREATE ROLE regress_other;
SELECT text2sql.grant_access('regress_other', 'evaluation');
SET ROLE regress_other;
SELECT (SELECT count(*) FROM text2sql_eval.evaluations) AS evaluations, (SELECT count(*) FROM text2sql_eval.results) AS results;
-- So do suites, which every evaluator may read, and proposals, which others may not read.
SELECT suite FROM text2sql_eval.suites;
SELECT text2sql_eval.add_suite('shop', comment => 'mine now');
\echo :SQLSTATE
SELECT text2sql_eval.add_case('shop', 'Planted', 'SELECT 1');
\echo :SQLSTATE
SELECT text2sql_eval.add_cases('shop', 'lines', lines => '{"question": "How many customers?", "gold": "SELECT 1"}');
\echo :SQLSTATE
SELECT text2sql.forget('case', min(case_id)) FROM text2sql_eval.cases WHERE suite = 'shop';
\echo :SQLSTATE
SELECT text2sql.forget('suite', 'shop');
\echo :SQLSTATE
INSERT INTO text2sql_eval.cases (suite, key, question, gold) VALUES ('shop', 'planted', 'Planted', '{SELECT 1}');
\echo :SQLSTATE
INSERT INTO text2sql_eval.proposals (suite, settings, verdict, statements, made_by) VALUES ('shop', '{}', 'better', '{}', 'regress_analyst');
\echo :SQLSTATE
WITH changed AS (UPDATE text2sql_eval.cases SET gold = '{SELECT 1}' RETURNING 1), proposed AS (UPDATE text2sql_eval.proposals SET verdict = 'better' RETURNING 1),
     renamed AS (UPDATE text2sql_eval.suites SET created_by = current_user RETURNING 1), dropped AS (DELETE FROM text2sql_eval.cases RETURNING 1)
SELECT (SELECT count(*) FROM changed) AS changed, (SELECT count(*) FROM proposed) AS proposed, (SELECT count(*) FROM renamed) AS renamed, (SELECT count(*) FROM dropped) AS dropped;
SET ROLE regress_nobody;
CALL text2sql_eval.evaluate('shop');
\echo :SQLSTATE
RESET ROLE;
SELECT text2sql.forget('suite', 'shop') AS cases;
SELECT count(*) > 0 AS dropped FROM text2sql_eval.evaluations e, text2sql.forget('evaluation', e.evaluation_id);
SELECT text2sql.forget('evaluation', 4711);
DROP OWNED BY regress_other;
DROP ROLE regress_other;
