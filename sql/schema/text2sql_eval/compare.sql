-- Two evaluations over the same cases, matched by key: which cases differ, and whether the difference is
-- significant.
CREATE FUNCTION text2sql_eval._compare(baseline bigint, candidate bigint)
    RETURNS TABLE (cases bigint, both_right bigint, only_baseline bigint, only_candidate bigint, neither bigint,
                   baseline_accuracy double precision, candidate_accuracy double precision, difference double precision,
                   p_exact double precision, p_mid double precision,
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
        SELECT count(*) AS cases, count(*) FILTER (WHERE a >= 0.5 AND b >= 0.5) AS both_right,
               count(*) FILTER (WHERE a >= 0.5 AND b < 0.5) AS only_a, count(*) FILTER (WHERE a < 0.5 AND b >= 0.5) AS only_b,
               count(*) FILTER (WHERE a < 0.5 AND b < 0.5) AS neither, avg(a) AS mean_a, avg(b) AS mean_b
          FROM pairs),
    -- Per answer, so that evaluations with different numbers of repeats can be compared.
    cost AS (
        SELECT r.evaluation_id, avg(coalesce(r.input_tokens, 0) + coalesce(r.output_tokens, 0))::float8 AS tokens,
               avg(r.milliseconds)::float8 AS milliseconds
          FROM text2sql_eval.results r
         WHERE r.evaluation_id IN (baseline, candidate) AND r.state = 'done'
         GROUP BY r.evaluation_id)
    SELECT c.cases, c.both_right, c.only_a, c.only_b, c.neither, c.mean_a, c.mean_b, c.mean_b - c.mean_a, t.p[1], t.p[2],
           a.tokens, b.tokens, a.milliseconds, b.milliseconds,
           -- Tokens decide. If they are about equal, time does, as far as users notice it.
           CASE WHEN b.tokens < 0.95 * a.tokens THEN true
                WHEN b.tokens > 1.05 * a.tokens THEN false
                ELSE coalesce(b.milliseconds < 0.8 * a.milliseconds AND b.milliseconds <= a.milliseconds - 50, false) END
      FROM counted c LEFT JOIN cost AS a ON a.evaluation_id = baseline LEFT JOIN cost AS b ON b.evaluation_id = candidate,
           LATERAL (SELECT text2sql_eval._mcnemar(c.only_a::int, c.only_b::int) AS p) AS t
$paired$;

COMMENT ON FUNCTION text2sql_eval._compare(bigint, bigint) IS
    'Compares the answers and the costs of two evaluations over the same cases, for the views ablations and proposals.';
COMMENT ON FUNCTION text2sql_eval._mcnemar(integer, integer) IS
    'Returns the p of McNemar''s test, exact and mid-p, from the numbers of cases that only one of two evaluations got right.';
