-- Figures of evaluations. The views read with the privileges of the caller: they do not show evaluations of
-- other roles.

-- Whether an answer is right on the data and on every perturbed copy that can tell (test-suite accuracy, Zhong, Yu,
-- Klein 2020); NULL if the evaluation did not ask for copies, or no rows are expected.
CREATE FUNCTION text2sql_eval._agrees_everywhere(ex boolean, robust boolean, settings jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT CASE WHEN (settings ->> 'copies')::boolean THEN ex AND robust IS NOT FALSE END $$;
COMMENT ON FUNCTION text2sql_eval._agrees_everywhere IS
    'Whether an answer is right on the data and on every copy that can tell; NULL without copies.';

-- One row for each case of an evaluation, with the means of its repeats: a case that is correct in half of them
-- has accuracy 0.5.
CREATE VIEW text2sql_eval._case_results WITH (security_invoker = true) AS
SELECT r.evaluation_id, r.case_id, min(r.key) AS key, min(r.question) AS question, min(r.level) AS level, min(r.style) AS style,
       min(r.tags) AS tags, min(r.expected_kind) AS expected_kind, min(r.expected_status) AS expected_status, min(r.engine) AS engine,
       count(*) FILTER (WHERE r.state = 'done') AS attempts,
       avg((r.verdict = 'right')::int)::float8 AS accuracy,
       avg(r.valid::int)::float8 AS valid,
       avg(r.ex::int)::float8 AS ex,
       avg(r.robust::int)::float8 AS robust,
       avg(text2sql_eval._agrees_everywhere(r.ex, r.robust, u.settings)::int)::float8 AS test_suite,
       avg(r.ea_share) AS ea_share,
       avg(r.em_share) AS em_share,
       avg(r.cost) AS cost,
       bool_or(r.state = 'broken') AS broken
  FROM text2sql_eval.results r JOIN text2sql_eval._evaluations u ON u.evaluation_id = r.evaluation_id
 WHERE r.state <> 'waiting'
 GROUP BY r.evaluation_id, r.case_id;

-- By level, style, both, expected status, kind, tag and case, and by engine where text2sql.model names several: the cases. By
-- stage, bin of confidence, reason of incorrect attempts (without its details) and empty result: the attempts; reasons and empty
-- results also within each level, style, and both.
CREATE VIEW text2sql_eval.groups WITH (security_invoker = true) AS
SELECT k.evaluation_id, g.grouped_by, g.value, count(*) AS cases, sum(k.accuracy) AS cases_right, avg(k.accuracy) AS accuracy,
       (text2sql_eval._wilson(sum(k.accuracy), count(*)))[1] AS low, (text2sql_eval._wilson(sum(k.accuracy), count(*)))[2] AS high,
       sum(k.attempts)::bigint AS attempts, avg(k.valid) AS va, avg(k.ex) AS ex, avg(k.robust) AS robust, avg(k.test_suite) AS test_suite,
       avg(k.ea_share) AS ea_share, avg(k.em_share) AS em_share, avg(k.cost) AS mean_cost,
       NULL::float8 AS mean_confidence, NULL::float8 AS mean_milliseconds, NULL::float8 AS p95_milliseconds, NULL::float8 AS share
  FROM text2sql_eval._case_results k,
       LATERAL (SELECT 'level' AS grouped_by, k.level AS value WHERE k.level IS NOT NULL
                UNION ALL SELECT 'style', k.style WHERE k.style IS NOT NULL
                UNION ALL SELECT 'level and style', k.level || ', ' || k.style WHERE k.level IS NOT NULL AND k.style IS NOT NULL
                UNION ALL SELECT 'expected status', k.expected_status
                UNION ALL SELECT 'kind', k.expected_kind WHERE k.expected_kind IS NOT NULL
                UNION ALL SELECT 'engine', coalesce(k.engine, 'none')
                           WHERE EXISTS (SELECT FROM text2sql_eval._evaluations u
                                          WHERE u.evaluation_id = k.evaluation_id
                                            AND u.configured -> 'settings' ->> 'text2sql.model' LIKE '%,%')
                UNION ALL SELECT 'tag', t FROM unnest(k.tags) AS t
                UNION ALL SELECT 'case', k.key) AS g
 WHERE NOT k.broken
 GROUP BY k.evaluation_id, g.grouped_by, g.value
UNION ALL
SELECT r.evaluation_id, 'reason' || w.within, concat_ws(': ', w.value, n.reason),
       count(DISTINCT r.case_id), NULL, NULL, NULL, NULL, count(*), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
       count(*)::float8 / (SELECT count(*) FROM text2sql_eval.results o
                            WHERE o.evaluation_id = r.evaluation_id AND o.state = 'done'
                              AND CASE w.within WHEN '' THEN true WHEN ' by level' THEN o.level = w.value
                                       WHEN ' by style' THEN o.style = w.value ELSE o.level || ', ' || o.style = w.value END)
  FROM text2sql_eval.results r, unnest(r.reasons) AS one(reason),
       LATERAL (SELECT CASE WHEN one.reason LIKE 'wrong %' THEN split_part(one.reason, ':', 1) ELSE one.reason END AS reason) AS n,
       LATERAL (VALUES ('', NULL), (' by level', r.level), (' by style', r.style),
                       (' by level and style', r.level || ', ' || r.style)) AS w(within, value)
 WHERE r.verdict <> 'right' AND (w.within = '' OR w.value IS NOT NULL)
 GROUP BY r.evaluation_id, w.within, w.value, n.reason
UNION ALL
SELECT r.evaluation_id, 'empty result' || w.within, coalesce(w.value, 'all'),
       count(DISTINCT r.case_id) FILTER (WHERE r.status = 'ok' AND r.row_count = 0), NULL, NULL, NULL, NULL,
       count(*) FILTER (WHERE r.status = 'ok' AND r.row_count = 0), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
       avg(coalesce(r.status = 'ok' AND r.row_count = 0, false)::int)::float8
  FROM text2sql_eval.results r,
       LATERAL (VALUES ('', NULL), (' by level', r.level), (' by style', r.style),
                       (' by level and style', r.level || ', ' || r.style)) AS w(within, value)
 WHERE r.state = 'done' AND (w.within = '' OR w.value IS NOT NULL)
 GROUP BY r.evaluation_id, w.within, w.value
UNION ALL
SELECT r.evaluation_id, 'confidence', (least(floor(r.confidence * 10), 9) / 10)::text, count(DISTINCT r.case_id), NULL,
       avg((r.verdict = 'right')::int)::float8, NULL, NULL, count(*), NULL, NULL, NULL, NULL, NULL, NULL, NULL, avg(r.confidence), NULL, NULL, NULL
  FROM text2sql_eval.results r
 WHERE r.confidence IS NOT NULL
 GROUP BY 1, 2, 3
UNION ALL
SELECT r.evaluation_id, 'stage', s.key, count(DISTINCT r.case_id), NULL, NULL, NULL, NULL, count(*), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
       avg(s.value::float8), percentile_cont(0.95) WITHIN GROUP (ORDER BY s.value::float8), NULL
  FROM text2sql_eval.results r, json_each_text(r.stages) AS s
 GROUP BY 1, 2, 3;

-- Two evaluations over the same cases, matched by key: which cases differ, and whether the difference is
-- significant.
CREATE FUNCTION text2sql_eval._compare(baseline bigint, candidate bigint)
    RETURNS TABLE (cases bigint, only_baseline bigint, only_candidate bigint,
                   baseline_accuracy double precision, candidate_accuracy double precision, difference double precision,
                   p_mid double precision,
                   baseline_tokens double precision, candidate_tokens double precision,
                   baseline_milliseconds double precision, candidate_milliseconds double precision, is_cheaper boolean)
LANGUAGE sql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $paired$
    WITH pairs AS (
        SELECT a.accuracy AS a, b.accuracy AS b
          FROM text2sql_eval._case_results a JOIN text2sql_eval._case_results b USING (key)
         WHERE a.evaluation_id = baseline AND b.evaluation_id = candidate AND NOT a.broken AND NOT b.broken),
    counted AS (
        SELECT count(*) AS cases, count(*) FILTER (WHERE a >= 0.5 AND b < 0.5) AS only_a,
               count(*) FILTER (WHERE a < 0.5 AND b >= 0.5) AS only_b, avg(a) AS mean_a, avg(b) AS mean_b
          FROM pairs),
    -- Per answer, so that evaluations with different numbers of repeats can be compared.
    cost AS (
        SELECT r.evaluation_id, avg(coalesce(r.input_tokens, 0) + coalesce(r.output_tokens, 0))::float8 AS tokens,
               avg(r.milliseconds)::float8 AS milliseconds
          FROM text2sql_eval.results r
         WHERE r.evaluation_id IN (baseline, candidate) AND r.state = 'done'
         GROUP BY r.evaluation_id)
    SELECT c.cases, c.only_a, c.only_b, c.mean_a, c.mean_b, c.mean_b - c.mean_a, t.p[2],
           a.tokens, b.tokens, a.milliseconds, b.milliseconds,
           -- Tokens decide. If they are about equal, time does, as far as users notice it.
           CASE WHEN b.tokens < 0.95 * a.tokens THEN true
                WHEN b.tokens > 1.05 * a.tokens THEN false
                ELSE coalesce(b.milliseconds < 0.8 * a.milliseconds AND b.milliseconds <= a.milliseconds - 50, false) END
      FROM counted c LEFT JOIN cost AS a ON a.evaluation_id = baseline LEFT JOIN cost AS b ON b.evaluation_id = candidate,
           LATERAL (SELECT text2sql_eval._mcnemar(c.only_a::int, c.only_b::int) AS p) AS t
$paired$;

CREATE VIEW text2sql_eval.evaluations WITH (security_invoker = true) AS
SELECT u.evaluation_id, u.suite, u.name, u.state, u.started_at, u.finished_at, u.evaluated_by, u.repeats, u.max_calls, u.clock, u.comparison,
       u.settings, u.configured,
       c.cases, c.broken, c.cases_right, c.cases_right / nullif(c.cases, 0) AS accuracy,
       (text2sql_eval._wilson(c.cases_right, c.cases))[1] AS low, (text2sql_eval._wilson(c.cases_right, c.cases))[2] AS high,
       a.va, c.ex, c.robust, c.test_suite, a.ea_share, a.em_share, a.em_rate, a.similarity, a.columns_identified,
       a.table_precision, a.table_recall, a.column_precision, a.column_recall, a.lexical_relevancy, a.lexical_faithfulness,
       a.answered, a.precision_of_answers, a.refusal_precision, a.refusal_recall,
       a.router_accuracy, a.context_precision, a.context_recall, a.lexical_text_faithfulness, a.text_relevancy,
       a.faithfulness, a.answer_relevancy, a.relevance, a.sentence_relevancy, a.vector_similarity,
       a.mean_repairs, a.model_calls, a.input_tokens, a.output_tokens, a.cost, a.currency, a.mean_milliseconds, a.p95_milliseconds,
       p.sql_agreement, p.result_agreement, p.mean_cosine, b.expected_error, b.brier, b.baseline_brier,
       v.baseline, v.variant, v.part, d.difference, d.only_baseline, d.only_candidate, d.p_mid, d.is_cheaper
  FROM text2sql_eval._evaluations u
  LEFT JOIN text2sql_eval._variants v ON v.evaluation_id = u.evaluation_id
  -- An aggregate, so that a query that reads none of it skips it.
  LEFT JOIN LATERAL (
       SELECT max(x.difference) AS difference, max(x.only_baseline) AS only_baseline, max(x.only_candidate) AS only_candidate,
              max(x.p_mid) AS p_mid, bool_or(x.is_cheaper) AS is_cheaper
         FROM text2sql_eval._compare(v.baseline, u.evaluation_id) AS x WHERE v.baseline IS NOT NULL) AS d ON true
  LEFT JOIN LATERAL (
       SELECT count(*) FILTER (WHERE NOT k.broken)::float8 AS cases, count(*) FILTER (WHERE k.broken) AS broken,
              coalesce(sum(k.accuracy) FILTER (WHERE NOT k.broken), 0) AS cases_right, avg(k.ex) AS ex, avg(k.robust) AS robust,
              avg(k.test_suite) AS test_suite
         FROM text2sql_eval._case_results k WHERE k.evaluation_id = u.evaluation_id) AS c ON true
  LEFT JOIN LATERAL (
       SELECT avg(r.valid::int)::float8 AS va, avg(r.ea_share) AS ea_share, avg(r.em_share) AS em_share,
              avg(((r.em ->> 'is_equal')::boolean)::int)::float8 AS em_rate, avg(r.similarity) AS similarity,
              avg(r.columns_identified) AS columns_identified,
              avg((r.context_tables ->> 'precision')::float8) AS table_precision,
              avg((r.context_tables ->> 'recall')::float8) AS table_recall,
              avg((r.context_columns ->> 'precision')::float8) AS column_precision,
              avg((r.context_columns ->> 'recall')::float8) AS column_recall,
              avg(r.lexical_relevancy) AS lexical_relevancy, avg(r.lexical_faithfulness) AS lexical_faithfulness,
              avg((r.status = 'ok')::int)::float8 AS answered,
              avg((r.verdict = 'right')::int) FILTER (WHERE r.status = 'ok')::float8 AS precision_of_answers,
              avg((r.expected_status <> 'ok')::int) FILTER (WHERE r.status <> 'ok')::float8 AS refusal_precision,
              avg((r.status <> 'ok')::int) FILTER (WHERE r.expected_status <> 'ok')::float8 AS refusal_recall,
              avg((r.kind = r.expected_kind)::int)::float8 AS router_accuracy,
              avg(r.context_precision) AS context_precision, avg(r.context_recall) AS context_recall,
              avg(r.lexical_text_faithfulness) AS lexical_text_faithfulness, avg(r.text_relevancy) AS text_relevancy,
              avg(r.faithfulness) AS faithfulness, avg(r.answer_relevancy) AS answer_relevancy,
              avg(r.relevance) AS relevance, avg(r.sentence_relevancy) AS sentence_relevancy,
              avg(r.vector_similarity) AS vector_similarity, avg(r.repairs)::float8 AS mean_repairs,
              sum(r.model_calls) AS model_calls, sum(r.input_tokens) AS input_tokens,
              sum(r.output_tokens) AS output_tokens,
              CASE WHEN count(DISTINCT r.currency) = 1 THEN sum(r.cost) END AS cost,
              string_agg(DISTINCT r.currency, ', ') AS currency, avg(r.milliseconds) AS mean_milliseconds,
              percentile_cont(0.95) WITHIN GROUP (ORDER BY r.milliseconds) AS p95_milliseconds
         FROM text2sql_eval.results r WHERE r.evaluation_id = u.evaluation_id AND r.state = 'done') AS a ON true
  -- Between repeats: without any, NULL.
  LEFT JOIN LATERAL (
       SELECT avg((k.figures ->> 'sql_agreement')::float8) AS sql_agreement, avg((k.figures ->> 'result_agreement')::float8) AS result_agreement,
              avg((k.figures ->> 'mean_cosine')::float8) AS mean_cosine
         FROM (SELECT text2sql_eval._reliability(array_agg(r.sql ORDER BY r.attempt),
                                                 array_agg(coalesce(r.fingerprint, r.status) ORDER BY r.attempt)) AS figures
                 FROM text2sql_eval.results r WHERE r.evaluation_id = u.evaluation_id AND r.state = 'done'
                GROUP BY r.case_id HAVING count(*) > 1) AS k) AS p ON true
  -- The quality of the confidences: expected calibration error over ten bins (Guo et al. 2017) and Brier score (Brier
  -- 1950), with that of a constant confidence equal to the accuracy.
  LEFT JOIN LATERAL (
       SELECT (SELECT sum(g.attempts * abs(g.accuracy - g.mean_confidence)) / sum(g.attempts)
                 FROM text2sql_eval.groups g WHERE g.evaluation_id = u.evaluation_id AND g.grouped_by = 'confidence') AS expected_error,
              avg((r.confidence - (r.verdict = 'right')::int) ^ 2) AS brier,
              (avg((r.verdict = 'right')::int) * (1 - avg((r.verdict = 'right')::int)))::float8 AS baseline_brier
         FROM text2sql_eval.results r WHERE r.evaluation_id = u.evaluation_id AND r.confidence IS NOT NULL) AS b ON true;

COMMENT ON VIEW text2sql_eval._case_results IS
    'Each case of an evaluation, with the means of its repeats, for the views groups and evaluations.';
COMMENT ON VIEW text2sql_eval.evaluations IS
    'Evaluations: passes over suites, with their figures and with everything that was configured.';
COMMENT ON COLUMN text2sql_eval.evaluations.baseline IS
    'Where it varies settings: the evaluation under the settings as they were. Its own is itself.';
COMMENT ON COLUMN text2sql_eval.evaluations.variant IS
    'The name of the variant.';
COMMENT ON COLUMN text2sql_eval.evaluations.part IS
    'The part of the suite that it covers: all, search, or held out.';
COMMENT ON COLUMN text2sql_eval.evaluations.difference IS
    'How far the accuracy is above the baseline''s.';
COMMENT ON COLUMN text2sql_eval.evaluations.only_baseline IS
    'Cases that only the baseline got right.';
COMMENT ON COLUMN text2sql_eval.evaluations.only_candidate IS
    'Cases that only this one got right.';
COMMENT ON COLUMN text2sql_eval.evaluations.p_mid IS
    'McNemar''s mid-p of the difference.';
COMMENT ON COLUMN text2sql_eval.evaluations.is_cheaper IS
    'Whether an answer takes fewer tokens than the baseline''s, or as many and noticeably less time.';
COMMENT ON COLUMN text2sql_eval.evaluations.settings IS
    'The settings of the call.';
COMMENT ON COLUMN text2sql_eval.evaluations.configured IS
    'All settings in force, model, prompts and index.';
COMMENT ON COLUMN text2sql_eval.evaluations.sql_agreement IS
    'How often repeats of a case have the same SQL; NULL without repeats.';
COMMENT ON COLUMN text2sql_eval.evaluations.result_agreement IS
    'How often repeats of a case have the same result.';
COMMENT ON COLUMN text2sql_eval.evaluations.mean_cosine IS
    'How much alike the SQL of consecutive repeats is.';
COMMENT ON COLUMN text2sql_eval.evaluations.expected_error IS
    'How far confidences are from the share of right answers: the expected calibration error over ten bins, which groups has.';
COMMENT ON COLUMN text2sql_eval.evaluations.brier IS
    'The Brier score of the confidences.';
COMMENT ON COLUMN text2sql_eval.evaluations.baseline_brier IS
    'The Brier score of a constant confidence, the share of right answers.';
COMMENT ON VIEW text2sql_eval.groups IS
    'Each evaluation by level, style, both, expected status, kind, tag, case and engine, by the reasons of incorrect attempts and empty results (also within levels and styles), by stage of the pipeline, and by confidence.';
COMMENT ON COLUMN text2sql_eval.groups.grouped_by IS
    'level, style, level and style, expected status, kind, tag, case (by its key), engine (where text2sql.model names several), reason, empty result (both also by level, by style, by level and style), stage, or confidence: in ten bins, each by its lower bound.';
COMMENT ON COLUMN text2sql_eval.groups.cases IS
    'How many cases are in it, without broken ones; of a reason, a stage or a confidence, how many have such an attempt.';
COMMENT ON COLUMN text2sql_eval.groups.attempts IS
    'How many attempts are in it.';
COMMENT ON COLUMN text2sql_eval.groups.share IS
    'Of a reason and of empty results: the share of all attempts; where it is by level or style, of those of that level or style.';
COMMENT ON COLUMN text2sql_eval.groups.accuracy IS
    'The share of the cases that are right; of a confidence that of the attempts.';
COMMENT ON COLUMN text2sql_eval.evaluations.similarity IS
    'Lexical, see results.similarity.';
COMMENT ON COLUMN text2sql_eval.evaluations.lexical_relevancy IS
    'Lexical, see results.lexical_relevancy.';
COMMENT ON COLUMN text2sql_eval.evaluations.lexical_faithfulness IS
    'Lexical, see results.lexical_faithfulness. The mean of the sentences that have a number or a name.';
COMMENT ON COLUMN text2sql_eval.evaluations.router_accuracy IS
    'The share of the attempts whose question the router took for its kind, of those whose case says the kind.';
COMMENT ON COLUMN text2sql_eval.evaluations.lexical_text_faithfulness IS
    'Lexical, see results.lexical_text_faithfulness.';
COMMENT ON FUNCTION text2sql_eval._wilson(double precision, double precision) IS
    'Returns the 95 percent Wilson interval of a proportion.';
COMMENT ON FUNCTION text2sql_eval._reliability(text[], text[]) IS
    'Returns the agreement between attempts at one case: of SQL, of results, and the mean cosine of consecutive SQL.';
COMMENT ON FUNCTION text2sql_eval._compare(bigint, bigint) IS
    'Compares the answers and the costs of two evaluations over the same cases, for the view evaluations and for proposals.';
COMMENT ON FUNCTION text2sql_eval._mcnemar(integer, integer) IS
    'Returns the p of McNemar''s test, exact and mid-p, from the numbers of cases that only one of two evaluations got right.';
