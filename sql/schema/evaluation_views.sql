-- What came out of the runs. The views read with the rights of who asks: a run of another role is not there.

-- One row a case, its repeats put together: a case that is right in half of them counts half.
CREATE VIEW text2sql.case_results WITH (security_invoker = true) AS
SELECT r.run_id, r.case_id, min(r.key) AS key, min(r.question) AS question, min(r.level) AS level, min(r.style) AS style,
       min(r.tags) AS tags, min(r.expected_status) AS expected_status,
       count(*) FILTER (WHERE r.state = 'done') AS attempts,
       avg((r.verdict = 'right')::int)::float8 AS "right",
       avg(r.valid::int)::float8 AS valid,
       avg(r.ex::int)::float8 AS ex,
       avg(r.robust::int)::float8 AS robust,
       avg(r.ea_share) AS ea_share,
       avg(r.em_share) AS em_share,
       bool_or(r.state = 'broken') AS broken
  FROM text2sql.results r
 WHERE r.state <> 'waiting'
 GROUP BY r.run_id, r.case_id;

CREATE VIEW text2sql.run_summary WITH (security_invoker = true) AS
SELECT u.run_id, u.suite, u.name, u.state, u.started_at, u.settings,
       c.cases, c.broken, c.cases_right AS "right", c.cases_right / nullif(c.cases, 0) AS accuracy,
       (text2sql.wilson(c.cases_right, c.cases))[1] AS low, (text2sql.wilson(c.cases_right, c.cases))[2] AS high,
       a.va, c.ex, c.robust, a.ea_share, a.em_share, a.em_rate, a.similarity, a.columns_identified,
       a.table_precision, a.table_recall, a.column_precision, a.column_recall, a.answer_relevancy, a.faithfulness,
       a.answered, a.precision_of_answers, a.refusal_precision, a.refusal_recall,
       a.model_calls, a.input_tokens, a.output_tokens, a.mean_milliseconds, a.p95_milliseconds
  FROM text2sql.runs u
  LEFT JOIN LATERAL (
       SELECT count(*) FILTER (WHERE NOT k.broken)::float8 AS cases, count(*) FILTER (WHERE k.broken) AS broken,
              coalesce(sum(k."right") FILTER (WHERE NOT k.broken), 0) AS cases_right, avg(k.ex) AS ex, avg(k.robust) AS robust
         FROM text2sql.case_results k WHERE k.run_id = u.run_id) AS c ON true
  LEFT JOIN LATERAL (
       SELECT avg(r.valid::int)::float8 AS va, avg(r.ea_share) AS ea_share, avg(r.em_share) AS em_share,
              avg(((r.em ->> 'is_equal')::boolean)::int)::float8 AS em_rate, avg(r.similarity) AS similarity,
              avg(r.columns_identified) AS columns_identified,
              avg((r.context_tables ->> 'precision')::float8) AS table_precision,
              avg((r.context_tables ->> 'recall')::float8) AS table_recall,
              avg((r.context_columns ->> 'precision')::float8) AS column_precision,
              avg((r.context_columns ->> 'recall')::float8) AS column_recall,
              avg(r.answer_relevancy) AS answer_relevancy, avg(r.faithfulness) AS faithfulness,
              avg((r.status = 'ok')::int)::float8 AS answered,
              avg((r.verdict = 'right')::int) FILTER (WHERE r.status = 'ok')::float8 AS precision_of_answers,
              avg((r.expected_status <> 'ok')::int) FILTER (WHERE r.status <> 'ok')::float8 AS refusal_precision,
              avg((r.status <> 'ok')::int) FILTER (WHERE r.expected_status <> 'ok')::float8 AS refusal_recall,
              sum(r.model_calls) AS model_calls, sum(r.input_tokens) AS input_tokens,
              sum(r.output_tokens) AS output_tokens, avg(r.milliseconds) AS mean_milliseconds,
              percentile_cont(0.95) WITHIN GROUP (ORDER BY r.milliseconds) AS p95_milliseconds
         FROM text2sql.results r WHERE r.run_id = u.run_id AND r.state = 'done') AS a ON true;

-- The same by level, by style and by tag.
CREATE VIEW text2sql.run_groups WITH (security_invoker = true) AS
SELECT k.run_id, g.grouped_by, g.value, count(*) AS cases, sum(k."right") AS "right", avg(k."right") AS accuracy,
       (text2sql.wilson(sum(k."right"), count(*)))[1] AS low, (text2sql.wilson(sum(k."right"), count(*)))[2] AS high
  FROM text2sql.case_results k,
       LATERAL (SELECT 'level' AS grouped_by, k.level AS value WHERE k.level IS NOT NULL
                UNION ALL SELECT 'style', k.style WHERE k.style IS NOT NULL
                UNION ALL SELECT 'expected status', k.expected_status
                UNION ALL SELECT 'tag', t FROM unnest(k.tags) AS t) AS g
 WHERE NOT k.broken
 GROUP BY k.run_id, g.grouped_by, g.value;

-- How often each reason stands behind an attempt that is not right; a reason's details are left out.
CREATE VIEW text2sql.run_reasons WITH (security_invoker = true) AS
SELECT r.run_id, CASE WHEN reason LIKE 'wrong %' THEN split_part(reason, ':', 1) ELSE reason END AS reason, count(*) AS attempts
  FROM text2sql.results r, unnest(r.reasons) AS reason
 WHERE r.verdict <> 'right'
 GROUP BY 1, 2;

CREATE VIEW text2sql.run_stages WITH (security_invoker = true) AS
SELECT r.run_id, s.key AS stage, count(*) AS attempts, avg(s.value::float8) AS mean_milliseconds,
       percentile_cont(0.95) WITHIN GROUP (ORDER BY s.value::float8) AS p95_milliseconds
  FROM text2sql.results r, json_each_text(r.stages) AS s
 GROUP BY 1, 2;

-- Agreement over repeats; nothing for a run without any.
CREATE VIEW text2sql.run_reliability WITH (security_invoker = true) AS
SELECT k.run_id, count(*) AS cases, avg((k.figures ->> 'sql_agreement')::float8) AS sql_agreement,
       avg((k.figures ->> 'result_agreement')::float8) AS result_agreement,
       avg((k.figures ->> 'mean_cosine')::float8) AS mean_cosine
  FROM (SELECT r.run_id, text2sql.reliability(array_agg(r.sql ORDER BY r.attempt),
                                              array_agg(coalesce(r.fingerprint, r.status) ORDER BY r.attempt)) AS figures
          FROM text2sql.results r WHERE r.state = 'done'
         GROUP BY r.run_id, r.case_id HAVING count(*) > 1) AS k
 GROUP BY k.run_id;

CREATE VIEW text2sql.run_calibration WITH (security_invoker = true) AS
SELECT r.run_id, least(floor(r.confidence * 10), 9) / 10 AS "from", count(*) AS attempts,
       avg(r.confidence) AS mean_confidence, avg((r.verdict = 'right')::int)::float8 AS accuracy
  FROM text2sql.results r
 WHERE r.confidence IS NOT NULL
 GROUP BY 1, 2;

CREATE VIEW text2sql.failures WITH (security_invoker = true) AS
SELECT r.run_id, r.case_id, r.attempt, r.question, r.expected_status, r.status, r.reasons, r.gold, r.sql, r.message, r.opinion
  FROM text2sql.results r
 WHERE r.verdict <> 'right' OR r.robust = false OR r.state = 'broken';

-- Two runs over the same cases, by key: who is right where, and whether that can be chance.
CREATE FUNCTION text2sql.compare_runs(baseline bigint, candidate bigint)
    RETURNS TABLE (cases bigint, both_right bigint, only_baseline bigint, only_candidate bigint, neither bigint,
                   baseline_accuracy double precision, candidate_accuracy double precision, difference double precision,
                   p_exact double precision, p_mid double precision,
                   baseline_tokens double precision, candidate_tokens double precision,
                   baseline_milliseconds double precision, candidate_milliseconds double precision, is_cheaper boolean)
LANGUAGE sql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $compare_runs$
    WITH pairs AS (
        SELECT a."right" AS a, b."right" AS b
          FROM text2sql.case_results a JOIN text2sql.case_results b USING (key)
         WHERE a.run_id = baseline AND b.run_id = candidate AND NOT a.broken AND NOT b.broken),
    counted AS (
        SELECT count(*) AS cases, count(*) FILTER (WHERE a >= 0.5 AND b >= 0.5) AS both_right,
               count(*) FILTER (WHERE a >= 0.5 AND b < 0.5) AS only_a, count(*) FILTER (WHERE a < 0.5 AND b >= 0.5) AS only_b,
               count(*) FILTER (WHERE a < 0.5 AND b < 0.5) AS neither, avg(a) AS mean_a, avg(b) AS mean_b
          FROM pairs),
    -- Of an answer, so that runs with other numbers of repeats compare.
    cost AS (
        SELECT r.run_id, avg(coalesce(r.input_tokens, 0) + coalesce(r.output_tokens, 0))::float8 AS tokens,
               avg(r.milliseconds)::float8 AS milliseconds
          FROM text2sql.results r
         WHERE r.run_id IN (baseline, candidate) AND r.state = 'done'
         GROUP BY r.run_id)
    SELECT c.cases, c.both_right, c.only_a, c.only_b, c.neither, c.mean_a, c.mean_b, c.mean_b - c.mean_a, t.p[1], t.p[2],
           a.tokens, b.tokens, a.milliseconds, b.milliseconds,
           -- Tokens decide; where they are about the same, time that a reader notices. Less than that is noise.
           CASE WHEN b.tokens < 0.95 * a.tokens THEN true
                WHEN b.tokens > 1.05 * a.tokens THEN false
                ELSE coalesce(b.milliseconds < 0.8 * a.milliseconds AND b.milliseconds <= a.milliseconds - 50, false) END
      FROM counted c LEFT JOIN cost AS a ON a.run_id = baseline LEFT JOIN cost AS b ON b.run_id = candidate,
           LATERAL (SELECT text2sql.mcnemar(c.only_a::int, c.only_b::int) AS p) AS t
$compare_runs$;

COMMENT ON TABLE text2sql.suites IS 'suites of cases, each with the moment that now() means in it';
COMMENT ON TABLE text2sql.cases IS 'questions with the statements that answer them, or the status that is right';
COMMENT ON TABLE text2sql.runs IS 'runs over suites, with everything that was configured';
COMMENT ON TABLE text2sql.results IS 'attempts at cases and their figures; no rows of results';
COMMENT ON VIEW text2sql.case_results IS 'one row a case of a run, repeats put together';
COMMENT ON VIEW text2sql.run_summary IS 'the figures of each run';
COMMENT ON VIEW text2sql.run_groups IS 'accuracy by level, style, expected status and tag';
COMMENT ON VIEW text2sql.run_reasons IS 'why attempts are not right, counted';
COMMENT ON VIEW text2sql.run_stages IS 'time by stage';
COMMENT ON VIEW text2sql.run_reliability IS 'agreement over repeats';
COMMENT ON VIEW text2sql.run_calibration IS 'confidence against accuracy, in ten bins';
COMMENT ON VIEW text2sql.failures IS 'what is not right, or right by luck, with gold and candidate';
COMMENT ON FUNCTION text2sql.create_suite(text, timestamptz, jsonb, text) IS
    'makes a suite, or changes its clock, comparison and comment';
COMMENT ON FUNCTION text2sql.drop_suite(text) IS 'drops a suite with its cases; runs stay';
COMMENT ON FUNCTION text2sql.drop_case(bigint) IS 'drops a case';
COMMENT ON FUNCTION text2sql.add_case(text, text, text, boolean, text, text, text, text, text[], text[], text[], jsonb, text) IS
    'adds a case: a question and the statement that answers it, which is run under the guard to see that it does';
COMMENT ON FUNCTION text2sql.import_cases(text, text) IS
    'imports cases, one JSON object a line; gives those whose gold statement does not run';
COMMENT ON PROCEDURE text2sql.evaluate(text, integer, jsonb, text, integer, bigint) IS
    'runs a suite, committing case by case: CALL text2sql.evaluate(''sales'')';
COMMENT ON PROCEDURE text2sql.resume(bigint) IS
    'goes on with a run that was interrupted; several connections may work on one run';
COMMENT ON FUNCTION text2sql.grade(text, text, jsonb) IS
    'grades a statement against a gold statement, without asking anything of a model';
COMMENT ON FUNCTION text2sql.compare_runs(bigint, bigint) IS
    'compares two runs over the same cases, with McNemar''s test, and what an answer costs';
COMMENT ON FUNCTION text2sql.wilson(double precision, double precision) IS
    'the 95 percent Wilson interval of a share';
COMMENT ON FUNCTION text2sql.mcnemar(integer, integer) IS
    'McNemar''s test, exact and mid-p, from the cases that only one of two runs got right';
COMMENT ON FUNCTION text2sql.reliability(text[], text[]) IS
    'agreement over attempts at one case: of SQL, of results, and the mean cosine of consecutive SQL';
COMMENT ON FUNCTION text2sql.grant_evaluation(text) IS
    'lets a role keep suites and evaluate them, with the role''s own rights';

-- A run as one document, for reports.
CREATE FUNCTION text2sql._run_data(run_id bigint) RETURNS json
LANGUAGE plpgsql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $run_data$
DECLARE
    document json;
BEGIN
    SELECT json_build_object('run', to_json(u), 'results', coalesce((
               SELECT json_agg(to_json(r) ORDER BY r.case_id, r.attempt) FROM text2sql.results r WHERE r.run_id = u.run_id), '[]'))
      INTO document
      FROM text2sql.runs u WHERE u.run_id = _run_data.run_id;
    IF document IS NULL THEN
        RAISE EXCEPTION 'there is no run %', _run_data.run_id
            USING ERRCODE = 'undefined_object', HINT = 'SELECT run_id, suite, state FROM text2sql.runs';
    END IF;
    RETURN document;
END
$run_data$;

-- What these three look at is wording. They are named after metrics that a model judges, and are not those.
COMMENT ON COLUMN text2sql.results.similarity IS
    'lexical: cosine of the words and letters of gold and candidate SQL';
COMMENT ON COLUMN text2sql.results.answer_relevancy IS
    'lexical: cosine of the words and letters of the question and of the query in words with its sentence; no model judges it';
COMMENT ON COLUMN text2sql.results.faithfulness IS
    'lexical: the share of the sentence''s numbers and names that the rows support; NULL where it has none';
COMMENT ON COLUMN text2sql.run_summary.similarity IS 'lexical, see results.similarity';
COMMENT ON COLUMN text2sql.run_summary.answer_relevancy IS 'lexical, see results.answer_relevancy';
COMMENT ON COLUMN text2sql.run_summary.faithfulness IS
    'lexical, see results.faithfulness; over the sentences that have a number or a name';
