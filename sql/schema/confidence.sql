-- How likely an answer is right, fitted by users on their own evaluations. Run once by CREATE EXTENSION, after
-- sql/schema/evaluation_views.sql. A fit is for everybody who asks that model: it holds no question and no value.

CREATE TABLE text2sql.confidence_fits (
    -- As text2sql.model names it, and as the endpoint does: another model behind the same name is another one.
    model          text NOT NULL,
    endpoint_model text NOT NULL DEFAULT '',
    -- The log odds of being right: intercept + by_score * score + by_agreement * agreement.
    intercept      double precision NOT NULL,
    by_score       double precision NOT NULL,
    by_agreement   double precision NOT NULL,
    -- What it was made from, and what it is worth on answers that it was not made from.
    answers        integer NOT NULL,
    "right"        integer NOT NULL,
    expected_error double precision NOT NULL,
    brier          double precision NOT NULL,
    brier_of_share double precision NOT NULL,
    run_ids        bigint[] NOT NULL,
    fitted_by      name NOT NULL DEFAULT current_user,
    fitted_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (model, endpoint_model)
);
CREATE TRIGGER tell_sessions AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON text2sql.confidence_fits
    FOR EACH STATEMENT EXECUTE FUNCTION text2sql._tell_sessions();
SELECT pg_catalog.pg_extension_config_dump('text2sql.confidence_fits', '');

-- Fits the confidence of a model from the answers of runs over one's own suites. What was replayed from a
-- verified example has no score and does not count; nor does what was declined: there is no answer to believe.
CREATE FUNCTION text2sql.fit_confidence(VARIADIC run_ids bigint[])
    RETURNS TABLE (model text, answers integer, "right" integer, expected_error double precision,
                   brier double precision, brier_of_share double precision)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $fit_confidence$
DECLARE
    missing bigint;
    models text[];
    behind text;
    scores double precision[];
    agreements double precision[];
    rights boolean[];
    fit json;
BEGIN
    PERFORM text2sql._require_writable('a confidence cannot be fitted');
    SELECT i INTO missing FROM unnest(run_ids) AS i
     WHERE NOT EXISTS (SELECT FROM text2sql.runs u WHERE u.run_id = i) LIMIT 1;
    IF missing IS NOT NULL OR cardinality(run_ids) = 0 THEN
        RAISE EXCEPTION 'there is no run %', missing
            USING ERRCODE = 'undefined_object', HINT = 'SELECT run_id, suite, state FROM text2sql.runs';
    END IF;
    SELECT array_agg(DISTINCT u.configured -> 'settings' ->> 'text2sql.model'),
           min(u.configured -> 'model' ->> 'model')
      INTO models, behind
      FROM text2sql.runs u WHERE u.run_id = ANY (run_ids);
    IF cardinality(models) <> 1 OR (SELECT count(DISTINCT coalesce(u.configured -> 'model' ->> 'model', '')) > 1
                                      FROM text2sql.runs u WHERE u.run_id = ANY (run_ids)) THEN
        RAISE EXCEPTION 'the runs are of several models: %', array_to_string(models, ', ')
            USING ERRCODE = 'invalid_parameter_value', HINT = 'fit each model from its own runs: SELECT * FROM text2sql.fit_confidence(7)';
    END IF;
    IF models[1] = 'builtin' THEN
        RAISE EXCEPTION 'the confidence of the built-in engine is not fitted here'
            USING ERRCODE = 'invalid_parameter_value',
                  DETAIL = 'it comes with the engine, from the practice questions that it was measured on',
                  HINT = 'evaluate a model: CALL text2sql.evaluate(''sales'', settings => ''{"model": "gpt"}'')';
    END IF;
    SELECT array_agg(r.score ORDER BY r.run_id, r.case_id, r.attempt),
           array_agg(r.agreement ORDER BY r.run_id, r.case_id, r.attempt),
           array_agg(r.verdict = 'right' ORDER BY r.run_id, r.case_id, r.attempt)
      INTO scores, agreements, rights
      FROM text2sql.results r
     WHERE r.run_id = ANY (run_ids) AND r.state = 'done' AND r.status = 'ok' AND r.score IS NOT NULL;
    fit := text2sql._fit_confidence(coalesce(scores, '{}'), coalesce(agreements, '{}'), coalesce(rights, '{}'));
    IF fit ->> 'intercept' IS NULL THEN
        RAISE EXCEPTION '% answers are too few to fit a confidence', coalesce(cardinality(scores), 0)
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = format('it takes %s answers with rows that were judged; declined, replayed and failed ones do not count', fit ->> 'least'),
                  HINT = 'add cases, or several runs: SELECT * FROM text2sql.fit_confidence(7, 8)';
    END IF;
    INSERT INTO text2sql.confidence_fits AS f
           (model, endpoint_model, intercept, by_score, by_agreement, answers, "right", expected_error, brier,
            brier_of_share, run_ids)
    SELECT models[1], coalesce(behind, ''), g.intercept, g.by_score, g.by_agreement, g.answers, g."right",
           g.expected_error, g.brier, g.brier_of_share, fit_confidence.run_ids
      FROM json_to_record(fit) AS g(intercept double precision, by_score double precision, by_agreement double precision,
           answers integer, "right" integer, expected_error double precision, brier double precision,
           brier_of_share double precision)
    ON CONFLICT ON CONSTRAINT confidence_fits_pkey DO UPDATE
       SET intercept = excluded.intercept, by_score = excluded.by_score, by_agreement = excluded.by_agreement,
           answers = excluded.answers, "right" = excluded."right", expected_error = excluded.expected_error,
           brier = excluded.brier, brier_of_share = excluded.brier_of_share, run_ids = excluded.run_ids,
           fitted_by = current_user, fitted_at = now();
    RETURN QUERY
    SELECT f.model, f.answers, f."right", f.expected_error, f.brier, f.brier_of_share
      FROM text2sql.confidence_fits f WHERE f.model = models[1] AND f.endpoint_model = coalesce(behind, '');
END
$fit_confidence$;

CREATE FUNCTION text2sql.forget_confidence(model text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $forget_confidence$
BEGIN
    PERFORM text2sql._require_writable('a confidence cannot be forgotten');
    DELETE FROM text2sql.confidence_fits f WHERE f.model = forget_confidence.model;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no confidence is fitted for the model "%"', forget_confidence.model
            USING ERRCODE = 'undefined_object', HINT = 'SELECT model, answers, fitted_at FROM text2sql.confidence_fits';
    END IF;
END
$forget_confidence$;

-- What the confidences of a run were worth: expected calibration error over ten bins (Guo et al. 2017) and Brier
-- score (Brier 1950), with that of giving every answer the share that is right.
CREATE VIEW text2sql.run_confidence WITH (security_invoker = true) AS
SELECT b.run_id, sum(b.attempts)::bigint AS answers,
       sum(b.attempts * abs(b.accuracy - b.mean_confidence)) / sum(b.attempts) AS expected_error,
       s.brier, s.brier_of_share
  FROM text2sql.run_calibration b
  JOIN LATERAL (
       SELECT avg((r.confidence - (r.verdict = 'right')::int) ^ 2) AS brier,
              (avg((r.verdict = 'right')::int) * (1 - avg((r.verdict = 'right')::int)))::float8 AS brier_of_share
         FROM text2sql.results r WHERE r.run_id = b.run_id AND r.confidence IS NOT NULL) AS s ON true
 GROUP BY b.run_id, s.brier, s.brier_of_share;

COMMENT ON TABLE text2sql.confidence_fits IS 'how likely answers of a model are right, fitted from evaluations';
COMMENT ON FUNCTION text2sql.fit_confidence(bigint[]) IS
    'fits the confidence of a model from the answers of runs: SELECT * FROM text2sql.fit_confidence(7)';
COMMENT ON FUNCTION text2sql.forget_confidence(text) IS
    'forgets what was fitted for a model: its answers have no confidence again';
COMMENT ON VIEW text2sql.run_confidence IS 'expected calibration error and Brier score of the confidences of each run';
