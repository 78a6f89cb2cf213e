-- Fitting the confidence of a model from a user's own evaluation.
SET client_min_messages = warning;
\set SHOW_CONTEXT never
-- 80 answers of one evaluation: answers with a higher score are more often correct.
INSERT INTO text2sql_eval.evaluations (evaluation_id, suite, state, repeats, configured)
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
-- Answers of that model have a confidence from now on.
SET text2sql.model = 'replay';
SELECT answer, confidence > 0.9 AS sure FROM text2sql.ask('How many customers?');
-- The caller needs no privilege in the schema of the fits.
SELECT text2sql.revoke_evaluation('regress_analyst');
SET ROLE regress_analyst;
SELECT answer, confidence > 0.9 AS sure FROM text2sql.ask('How many customers?');
SELECT * FROM text2sql_eval.confidence_fits;
SELECT text2sql_eval.drop_confidence('replay');
RESET ROLE;
SELECT text2sql_eval.fit_confidence(902);
SELECT text2sql_eval.fit_confidence(903);
SELECT text2sql_eval.fit_confidence(901, 902);
SELECT text2sql_eval.fit_confidence(4711);
SELECT text2sql_eval.drop_confidence('replay');
SELECT text2sql_eval.drop_confidence('replay');
SELECT answer, confidence FROM text2sql.ask('How many customers?');
DELETE FROM text2sql_eval.evaluations WHERE suite = 'fit';
