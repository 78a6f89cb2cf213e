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
CREATE VIEW text2sql_eval.case_results WITH (security_invoker = true) AS
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
  FROM text2sql_eval.results r JOIN text2sql_eval.evaluations u ON u.evaluation_id = r.evaluation_id
 WHERE r.state <> 'waiting'
 GROUP BY r.evaluation_id, r.case_id;

CREATE VIEW text2sql_eval.summary WITH (security_invoker = true) AS
SELECT u.evaluation_id, u.suite, u.name, u.state, u.started_at, u.settings,
       c.cases, c.broken, c.cases_right, c.cases_right / nullif(c.cases, 0) AS accuracy,
       (text2sql_eval._wilson(c.cases_right, c.cases))[1] AS low, (text2sql_eval._wilson(c.cases_right, c.cases))[2] AS high,
       a.va, c.ex, c.robust, c.test_suite, a.ea_share, a.em_share, a.em_rate, a.similarity, a.columns_identified,
       a.table_precision, a.table_recall, a.column_precision, a.column_recall, a.lexical_relevancy, a.lexical_faithfulness,
       a.answered, a.precision_of_answers, a.refusal_precision, a.refusal_recall,
       a.router_accuracy, a.context_precision, a.context_recall, a.lexical_text_faithfulness, a.text_relevancy,
       a.faithfulness, a.answer_relevancy,
       a.model_calls, a.input_tokens, a.output_tokens, a.cost, a.currency, a.mean_milliseconds, a.p95_milliseconds
  FROM text2sql_eval.evaluations u
  LEFT JOIN LATERAL (
       SELECT count(*) FILTER (WHERE NOT k.broken)::float8 AS cases, count(*) FILTER (WHERE k.broken) AS broken,
              coalesce(sum(k.accuracy) FILTER (WHERE NOT k.broken), 0) AS cases_right, avg(k.ex) AS ex, avg(k.robust) AS robust,
              avg(k.test_suite) AS test_suite
         FROM text2sql_eval.case_results k WHERE k.evaluation_id = u.evaluation_id) AS c ON true
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
              sum(r.model_calls) AS model_calls, sum(r.input_tokens) AS input_tokens,
              sum(r.output_tokens) AS output_tokens,
              CASE WHEN count(DISTINCT r.currency) = 1 THEN sum(r.cost) END AS cost,
              string_agg(DISTINCT r.currency, ', ') AS currency, avg(r.milliseconds) AS mean_milliseconds,
              percentile_cont(0.95) WITHIN GROUP (ORDER BY r.milliseconds) AS p95_milliseconds
         FROM text2sql_eval.results r WHERE r.evaluation_id = u.evaluation_id AND r.state = 'done') AS a ON true;

-- The accuracy by level, style, expected status, kind and tag, and by engine where text2sql.model names several.
CREATE VIEW text2sql_eval.groups WITH (security_invoker = true) AS
SELECT k.evaluation_id, g.grouped_by, g.value, count(*) AS cases, sum(k.accuracy) AS cases_right, avg(k.accuracy) AS accuracy,
       (text2sql_eval._wilson(sum(k.accuracy), count(*)))[1] AS low, (text2sql_eval._wilson(sum(k.accuracy), count(*)))[2] AS high
  FROM text2sql_eval.case_results k,
       LATERAL (SELECT 'level' AS grouped_by, k.level AS value WHERE k.level IS NOT NULL
                UNION ALL SELECT 'style', k.style WHERE k.style IS NOT NULL
                UNION ALL SELECT 'expected status', k.expected_status
                UNION ALL SELECT 'kind', k.expected_kind WHERE k.expected_kind IS NOT NULL
                UNION ALL SELECT 'engine', coalesce(k.engine, 'none')
                           WHERE EXISTS (SELECT FROM text2sql_eval.evaluations u
                                          WHERE u.evaluation_id = k.evaluation_id
                                            AND u.configured -> 'settings' ->> 'text2sql.model' LIKE '%,%')
                UNION ALL SELECT 'tag', t FROM unnest(k.tags) AS t) AS g
 WHERE NOT k.broken
 GROUP BY k.evaluation_id, g.grouped_by, g.value;

-- The number of incorrect attempts for each reason, without the details of a reason.
CREATE VIEW text2sql_eval.reasons WITH (security_invoker = true) AS
SELECT r.evaluation_id, CASE WHEN reason LIKE 'wrong %' THEN split_part(reason, ':', 1) ELSE reason END AS reason, count(*) AS attempts
  FROM text2sql_eval.results r, unnest(r.reasons) AS reason
 WHERE r.verdict <> 'right'
 GROUP BY 1, 2;

CREATE VIEW text2sql_eval.stages WITH (security_invoker = true) AS
SELECT r.evaluation_id, s.key AS stage, count(*) AS attempts, avg(s.value::float8) AS mean_milliseconds,
       percentile_cont(0.95) WITHIN GROUP (ORDER BY s.value::float8) AS p95_milliseconds
  FROM text2sql_eval.results r, json_each_text(r.stages) AS s
 GROUP BY 1, 2;

-- Agreement between repeats. An evaluation without repeats has no row.
CREATE VIEW text2sql_eval.agreement WITH (security_invoker = true) AS
SELECT k.evaluation_id, count(*) AS cases, avg((k.figures ->> 'sql_agreement')::float8) AS sql_agreement,
       avg((k.figures ->> 'result_agreement')::float8) AS result_agreement,
       avg((k.figures ->> 'mean_cosine')::float8) AS mean_cosine
  FROM (SELECT r.evaluation_id, text2sql_eval._reliability(array_agg(r.sql ORDER BY r.attempt),
                                              array_agg(coalesce(r.fingerprint, r.status) ORDER BY r.attempt)) AS figures
          FROM text2sql_eval.results r WHERE r.state = 'done'
         GROUP BY r.evaluation_id, r.case_id HAVING count(*) > 1) AS k
 GROUP BY k.evaluation_id;

CREATE VIEW text2sql_eval.calibration WITH (security_invoker = true) AS
SELECT r.evaluation_id, least(floor(r.confidence * 10), 9) / 10 AS confidence_from, count(*) AS attempts,
       avg(r.confidence) AS mean_confidence, avg((r.verdict = 'right')::int)::float8 AS accuracy
  FROM text2sql_eval.results r
 WHERE r.confidence IS NOT NULL
 GROUP BY 1, 2;

CREATE VIEW text2sql_eval.failures WITH (security_invoker = true) AS
SELECT r.evaluation_id, r.case_id, r.attempt, r.question, r.expected_status, r.status, r.reasons, r.gold, r.sql, r.message, r.opinion
  FROM text2sql_eval.results r
 WHERE r.verdict <> 'right' OR r.robust = false OR r.state = 'broken';

COMMENT ON VIEW text2sql_eval.case_results IS
    'One row for each case of an evaluation, with the means of its repeats.';
COMMENT ON VIEW text2sql_eval.summary IS
    'The figures of each evaluation.';
COMMENT ON COLUMN text2sql_eval.summary.similarity IS
    'Lexical, see results.similarity.';
COMMENT ON COLUMN text2sql_eval.summary.lexical_relevancy IS
    'Lexical, see results.lexical_relevancy.';
COMMENT ON COLUMN text2sql_eval.summary.lexical_faithfulness IS
    'Lexical, see results.lexical_faithfulness. The mean of the sentences that have a number or a name.';
COMMENT ON COLUMN text2sql_eval.summary.router_accuracy IS
    'The share of the attempts whose question the router took for its kind, of those whose case says the kind.';
COMMENT ON COLUMN text2sql_eval.summary.lexical_text_faithfulness IS
    'Lexical, see results.lexical_text_faithfulness.';
COMMENT ON VIEW text2sql_eval.groups IS
    'The accuracy of each evaluation by level, style, expected status, kind and tag.';
COMMENT ON VIEW text2sql_eval.reasons IS
    'Reasons for incorrect attempts, with the number of attempts.';
COMMENT ON VIEW text2sql_eval.stages IS
    'The time of each stage of the pipeline.';
COMMENT ON VIEW text2sql_eval.agreement IS
    'The agreement between repeats, of SQL and of results.';
COMMENT ON VIEW text2sql_eval.calibration IS
    'Confidence against accuracy, in ten bins.';
COMMENT ON VIEW text2sql_eval.failures IS
    'Attempts that are incorrect, or correct by chance, with gold and candidate.';
COMMENT ON FUNCTION text2sql_eval._wilson(double precision, double precision) IS
    'Returns the 95 percent Wilson interval of a proportion.';
COMMENT ON FUNCTION text2sql_eval._reliability(text[], text[]) IS
    'Returns the agreement between attempts at one case: of SQL, of results, and the mean cosine of consecutive SQL.';
