-- Fitting the confidence of a model from a user's own evaluation.
SET client_min_messages = warning;
\set SHOW_CONTEXT never
-- 80 answers of one evaluation: answers with a higher score are more often correct.
INSERT INTO text2sql_eval._evaluations (evaluation_id, suite, state, repeats, configured)
VALUES (901, 'fit', 'done', 1, '{"settings": {"text2sql.model": "replay"}}'),
       (902, 'fit', 'done', 1, '{"settings": {"text2sql.model": "builtin"}}'),
       (903, 'fit', 'done', 1, '{"settings": {"text2sql.model": "replay"}}');
INSERT INTO text2sql_eval.results (evaluation_id, case_id, attempt, state, key, question, gold, expected_status, tags, previous,
                              status, verdict, score, agreement)
SELECT 901, n, 1, 'done', n, 'q', '{}', 'ok', '{}', '{}', 'ok',
       CASE WHEN n <= 38 OR n > 40 AND n <= 52 THEN 'right' ELSE 'wrong' END,
       CASE WHEN n <= 40 THEN 0.95 ELSE 0.6 END, 1
  FROM generate_series(1, 80) AS n;
-- A replayed answer has no score, and a declined question has no answer: neither counts. The last evaluation has too few.
INSERT INTO text2sql_eval.results (evaluation_id, case_id, attempt, state, key, question, gold, expected_status, tags, previous,
                              status, verdict, score, agreement)
VALUES (901, 81, 1, 'done', '81', 'q', '{}', 'ok', '{}', '{}', 'ok', 'right', NULL, NULL),
       (901, 82, 1, 'done', '82', 'q', '{}', 'ok', '{}', '{}', 'unanswerable', 'declined', NULL, NULL),
       (903, 1, 1, 'done', '1', 'q', '{}', 'ok', '{}', '{}', 'ok', 'right', 0.9, 1);
SELECT model, answers, right_answers, expected_error < 0.05 AS calibrated, brier < baseline_brier AS better FROM text2sql_eval.fit_confidence(901);
SELECT model, endpoint_model, answers, evaluation_ids, fitted_by = current_user AS by_me FROM text2sql_eval.confidence_fits;
-- The likelihoods of the two groups: 38 of 40, 12 of 40.
SELECT score, round((1 / (1 + exp(-(intercept + by_score * score + by_agreement))))::numeric, 2) AS confidence
  FROM text2sql_eval.confidence_fits, (VALUES (0.95), (0.6)) AS s(score);
-- It says so when prompts or index have changed since, and when later answers are no longer as right as their confidence.
SELECT model, state, later_answers FROM text2sql_eval.confidence_fits;
UPDATE text2sql_eval._evaluations SET configured = configured || jsonb_build_object('basis', text2sql_eval._basis()) WHERE evaluation_id = 901;
SELECT answers FROM text2sql_eval.fit_confidence(901);
INSERT INTO text2sql._instructions (id, instruction, taught_by) VALUES (4711, 'A day is a date.', current_user);
SELECT model, state, changed FROM text2sql_eval.confidence_fits;
SELECT * FROM text2sql_eval.fit_confidence();
SET text2sql.model = 'replay';
UPDATE text2sql_eval._evaluations SET configured = configured || jsonb_build_object('basis', text2sql_eval._basis()) WHERE evaluation_id = 901;
SELECT model, was, answers, hint FROM text2sql_eval.fit_confidence();
SELECT model, state FROM text2sql_eval.confidence_fits;
-- An evaluation that ends does so by itself, for a role that may.
UPDATE text2sql._instructions SET instruction = 'A day is a civil date.' WHERE id = 4711;
UPDATE text2sql_eval._evaluations SET configured = configured || jsonb_build_object('basis', text2sql_eval._basis()) WHERE evaluation_id = 901;
SELECT model, state FROM text2sql_eval.confidence_fits;
CALL text2sql_eval.evaluate(evaluation_id => 901);
SELECT model, state FROM text2sql_eval.confidence_fits;
-- 40 of 80 later answers are right, and 64 were expected, with a standard deviation of sqrt(80 * 0.16) = 3.6.
INSERT INTO text2sql_eval._evaluations (evaluation_id, suite, state, repeats, configured, started_at)
VALUES (904, 'fit', 'done', 1, '{"settings": {"text2sql.model": "replay"}}', now() + interval '1 day');
INSERT INTO text2sql_eval.results (evaluation_id, case_id, attempt, state, key, question, gold, expected_status, tags, previous,
                              status, verdict, score, agreement, confidence)
SELECT 904, n, 1, 'done', n, 'q', '{}', 'ok', '{}', '{}', 'ok', CASE WHEN n <= 40 THEN 'right' ELSE 'wrong' END, 0.9, 1, 0.8
  FROM generate_series(1, 80) AS n;
SELECT model, state, later_answers, later_right_answers, round(mean_confidence::numeric, 3) AS mean_confidence,
       round(later_expected_error::numeric, 3) AS later_expected_error, p < 1e-10 AS certain
  FROM text2sql_eval.confidence_fits;
DELETE FROM text2sql_eval._evaluations WHERE evaluation_id = 904;
DELETE FROM text2sql._instructions WHERE id = 4711;
UPDATE text2sql_eval._evaluations SET configured = configured - 'basis' WHERE evaluation_id = 901;
SELECT answers FROM text2sql_eval.fit_confidence(901);
-- Answers of that model have a confidence from now on.
SET text2sql.model = 'replay';
SELECT answer, confidence > 0.9 AS sure FROM text2sql.ask('How many customers?');
-- The caller needs no privilege in the schema of the fits.
SELECT text2sql.revoke_access('regress_analyst', 'evaluation');
SET ROLE regress_analyst;
SELECT answer, confidence > 0.9 AS sure FROM text2sql.ask('How many customers?');
SELECT * FROM text2sql_eval.confidence_fits;
SELECT text2sql_eval.apply_proposal(1, NULL);
SELECT text2sql.forget('confidence', 'replay');
RESET ROLE;
SELECT text2sql_eval.fit_confidence(902);
SELECT text2sql_eval.fit_confidence(903);
SELECT text2sql_eval.fit_confidence(901, 902);
SELECT text2sql_eval.fit_confidence(4711);
SELECT text2sql.forget('confidence', 'replay');
SELECT text2sql.forget('confidence', 'replay');
SELECT answer, confidence FROM text2sql.ask('How many customers?');
DELETE FROM text2sql_eval._evaluations WHERE suite = 'fit';
