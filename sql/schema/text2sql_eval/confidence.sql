-- The probability that an answer is correct, fitted by users to their own evaluations. Run once by CREATE
-- EXTENSION, after figures.sql. A fit applies to every question to that model: it holds no question and no
-- value. The library reads it as the owner (src/pg/stored/evaluation/confidence.rs).

CREATE TABLE text2sql_eval._confidence_fits (
    -- The name in text2sql.model, and that at the endpoint: a different model under the same name has no fit.
    model          text NOT NULL,
    endpoint_model text NOT NULL DEFAULT '',
    -- The log odds of a correct answer: intercept + by_score * score + by_agreement * agreement.
    intercept      double precision NOT NULL,
    by_score       double precision NOT NULL,
    by_agreement   double precision NOT NULL,
    -- The data of the fit, and its error on other answers.
    answers        integer NOT NULL,
    right_answers  integer NOT NULL,
    expected_error double precision NOT NULL,
    brier          double precision NOT NULL,
    baseline_brier double precision NOT NULL,
    evaluation_ids bigint[] NOT NULL,
    -- The prompts and the index that its answers were made with, as _basis() returns them.
    basis          jsonb NOT NULL DEFAULT '{}',
    fitted_by      name NOT NULL DEFAULT current_user,
    fitted_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (model, endpoint_model)
);
CREATE TRIGGER tell_sessions AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON text2sql_eval._confidence_fits
    FOR EACH STATEMENT EXECUTE FUNCTION text2sql._tell_sessions();
SELECT pg_catalog.pg_extension_config_dump('text2sql_eval._confidence_fits', '');

-- Fits the confidence of a model to the answers of evaluations. Answers of verified examples, which have no
-- score, and declined questions, which have no answer, do not count.
CREATE FUNCTION text2sql_eval._fit_to(evaluation_ids bigint[])
    RETURNS TABLE (model text, answers integer, right_answers integer, expected_error double precision,
                   brier double precision, baseline_brier double precision)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $fit_to$
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
    SELECT i INTO missing FROM unnest(evaluation_ids) AS i
     WHERE NOT EXISTS (SELECT FROM text2sql_eval._evaluations u WHERE u.evaluation_id = i) LIMIT 1;
    IF missing IS NOT NULL OR cardinality(evaluation_ids) = 0 THEN
        RAISE EXCEPTION 'evaluation % does not exist', missing
            USING ERRCODE = 'undefined_object', HINT = 'List the evaluations: SELECT evaluation_id, suite, state FROM text2sql_eval.evaluations;';
    END IF;
    SELECT array_agg(DISTINCT u.configured -> 'settings' ->> 'text2sql.model'),
           min(u.configured -> 'model' ->> 'model')
      INTO models, behind
      FROM text2sql_eval._evaluations u WHERE u.evaluation_id = ANY (evaluation_ids);
    IF cardinality(models) <> 1 OR (SELECT count(DISTINCT coalesce(u.configured -> 'model' ->> 'model', '')) > 1
                                      FROM text2sql_eval._evaluations u WHERE u.evaluation_id = ANY (evaluation_ids)) THEN
        RAISE EXCEPTION 'the evaluations use several models: %', array_to_string(models, ', ')
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Fit each model from its own evaluations: SELECT * FROM text2sql_eval.fit_confidence(7);';
    END IF;
    IF models[1] LIKE '%,%' THEN
        RAISE EXCEPTION 'the evaluations use several models in order: %', models[1]
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Evaluate and fit each model alone: CALL text2sql_eval.evaluate(''sales'', settings => ''{"model": "gpt"}'');';
    END IF;
    IF models[1] = 'builtin' THEN
        RAISE EXCEPTION 'cannot fit the confidence of the built-in engine'
            USING ERRCODE = 'invalid_parameter_value',
                  DETAIL = 'It is part of the engine, fitted to its practice questions.',
                  HINT = 'Evaluate a model: CALL text2sql_eval.evaluate(''sales'', settings => ''{"model": "gpt"}'');';
    END IF;
    SELECT array_agg(r.score ORDER BY r.evaluation_id, r.case_id, r.attempt),
           array_agg(r.agreement ORDER BY r.evaluation_id, r.case_id, r.attempt),
           array_agg(r.verdict = 'right' ORDER BY r.evaluation_id, r.case_id, r.attempt)
      INTO scores, agreements, rights
      FROM text2sql_eval.results r
     WHERE r.evaluation_id = ANY (evaluation_ids) AND r.state = 'done' AND r.status = 'ok' AND r.score IS NOT NULL;
    fit := text2sql_eval._fit_confidence(coalesce(scores, '{}'), coalesce(agreements, '{}'), coalesce(rights, '{}'));
    IF fit ->> 'intercept' IS NULL THEN
        RAISE EXCEPTION 'cannot fit confidence to only % answers', coalesce(cardinality(scores), 0)
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = format('At least %s graded answers with rows are required. Declined, replayed and failed answers do not count.', fit ->> 'least'),
                  HINT = 'Add cases, or fit several evaluations together: SELECT * FROM text2sql_eval.fit_confidence(7, 8);';
    END IF;
    INSERT INTO text2sql_eval._confidence_fits AS f
           (model, endpoint_model, intercept, by_score, by_agreement, answers, right_answers, expected_error, brier,
            baseline_brier, evaluation_ids, basis)
    SELECT models[1], coalesce(behind, ''), g.intercept, g.by_score, g.by_agreement, g.answers, g.right_answers,
           g.expected_error, g.brier, g.baseline_brier, _fit_to.evaluation_ids,
           -- That of the last evaluation: the answers of one with another basis say less about today's.
           coalesce((SELECT u.configured -> 'basis' FROM text2sql_eval._evaluations u
                      WHERE u.evaluation_id = ANY (_fit_to.evaluation_ids) ORDER BY u.started_at DESC, u.evaluation_id DESC LIMIT 1), '{}')
      FROM json_to_record(fit) AS g(intercept double precision, by_score double precision, by_agreement double precision,
           answers integer, right_answers integer, expected_error double precision, brier double precision,
           baseline_brier double precision)
    ON CONFLICT ON CONSTRAINT _confidence_fits_pkey DO UPDATE
       SET intercept = excluded.intercept, by_score = excluded.by_score, by_agreement = excluded.by_agreement,
           answers = excluded.answers, right_answers = excluded.right_answers, expected_error = excluded.expected_error,
           brier = excluded.brier, baseline_brier = excluded.baseline_brier, evaluation_ids = excluded.evaluation_ids,
           basis = excluded.basis,
           fitted_by = current_user, fitted_at = now();
    RETURN QUERY
    SELECT f.model, f.answers, f.right_answers, f.expected_error, f.brier, f.baseline_brier
      FROM text2sql_eval._confidence_fits f WHERE f.model = models[1] AND f.endpoint_model = coalesce(behind, '');
END
$fit_to$;

-- Whether each fit is still what it was measured to be: what has changed since, and how it does on answers that came
-- after it, graded by an evaluation or by feedback. People speak of wrong answers more often than of right ones, so
-- feedback alone makes a confidence look too high.
CREATE VIEW text2sql_eval.confidence_fits WITH (security_invoker = true) AS
SELECT f.model, f.endpoint_model, f.intercept, f.by_score, f.by_agreement, f.answers, f.right_answers, f.expected_error, f.brier,
       f.baseline_brier, f.evaluation_ids, f.basis, f.fitted_by, f.fitted_at,
       CASE WHEN c.changed <> '{}' THEN format('stale: %s changed since', array_to_string(c.changed, ' and '))
            WHEN (d.found ->> 'fits')::boolean IS FALSE THEN 'no longer fits'
            ELSE 'fits' END AS state,
       c.changed, coalesce((d.found ->> 'answers')::integer, 0) AS later_answers, (d.found ->> 'right_answers')::integer AS later_right_answers,
       (d.found ->> 'mean_confidence')::float8 AS mean_confidence, (d.found ->> 'expected_error')::float8 AS later_expected_error,
       (d.found ->> 'p')::float8 AS p
  FROM text2sql_eval._confidence_fits f
 CROSS JOIN (SELECT text2sql_eval._basis() AS basis OFFSET 0) AS b
 CROSS JOIN LATERAL (
       SELECT coalesce(array_agg(k.key ORDER BY k.key DESC) FILTER (WHERE f.basis ->> k.key <> b.basis ->> k.key), '{}') AS changed
         FROM jsonb_object_keys(b.basis) AS k(key)) AS c
  LEFT JOIN LATERAL (
       SELECT text2sql_eval._confidence_drift(array_agg(g.confidence), array_agg(g.is_right)) AS found
         FROM (SELECT r.confidence, r.verdict = 'right' AS is_right
                 FROM text2sql_eval.results r JOIN text2sql_eval._evaluations u USING (evaluation_id)
                WHERE u.started_at > f.fitted_at AND r.state = 'done' AND r.confidence IS NOT NULL
                  AND u.configured -> 'settings' ->> 'text2sql.model' = f.model
                  AND coalesce(u.configured -> 'model' ->> 'model', '') = f.endpoint_model
               UNION ALL
               SELECT h.confidence, s.verdict = 'right'
                 FROM text2sql.history h JOIN text2sql.feedback s USING (trace_id)
                WHERE h.asked_at > f.fitted_at AND h.confidence IS NOT NULL AND h.model = f.model AND h.verified_by IS NULL) AS g) AS d ON true;

-- Fits one model to the answers of evaluations, or, without any, each confidence that is stale or no longer fits anew, from
-- the caller's evaluations that were made with the prompts and the index of today, and under the settings as they are.
-- Returns one row for each model, with what happened.
CREATE FUNCTION text2sql_eval.fit_confidence(VARIADIC evaluation_ids bigint[] DEFAULT '{}')
    RETURNS TABLE (model text, was text, answers integer, right_answers integer, expected_error double precision,
                   brier double precision, baseline_brier double precision, hint text)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $fit_confidence$
DECLARE
    fit record;
    ids bigint[];
BEGIN
    PERFORM text2sql._require_writable('a confidence cannot be fitted');
    IF cardinality(evaluation_ids) > 0 OR evaluation_ids IS NULL THEN
        RETURN QUERY SELECT f.model, NULL, f.answers, f.right_answers, f.expected_error, f.brier, f.baseline_brier, NULL
                       FROM text2sql_eval._fit_to(evaluation_ids) AS f;
        RETURN;
    END IF;
    FOR fit IN SELECT s.model, s.endpoint_model, s.state, s.fitted_at, s.changed FROM text2sql_eval.confidence_fits s
                WHERE s.state <> 'fits' ORDER BY s.model, s.endpoint_model LOOP
        SELECT array_agg(u.evaluation_id ORDER BY u.evaluation_id) INTO ids
          FROM text2sql_eval._evaluations u
         WHERE u.configured -> 'settings' ->> 'text2sql.model' = fit.model AND coalesce(u.configured -> 'model' ->> 'model', '') = fit.endpoint_model
           AND u.configured -> 'basis' = text2sql_eval._basis() AND u.settings - 'model' = '{}' AND u.state = 'done'
           -- What no longer fits is not made better by what it was made of.
           AND (fit.changed <> '{}' OR u.started_at > fit.fitted_at);
        IF (SELECT count(*) FROM text2sql_eval.results r
             WHERE r.evaluation_id = ANY (ids) AND r.state = 'done' AND r.status = 'ok' AND r.score IS NOT NULL) >= 50 THEN
            RETURN QUERY SELECT f.model, fit.state, f.answers, f.right_answers, f.expected_error, f.brier, f.baseline_brier, NULL
                           FROM text2sql_eval._fit_to(ids) AS f;
        ELSE
            RETURN QUERY SELECT fit.model, fit.state, NULL::integer, NULL::integer, NULL::float8, NULL::float8, NULL::float8,
                format('Evaluate the model, with at least 50 answers: CALL text2sql_eval.evaluate(''sales'', 3, ''{"model": "%s"}'');', fit.model);
        END IF;
    END LOOP;
END
$fit_confidence$;

-- What evaluate() does when an evaluation under the settings as they are is done: a role that may refit confidences does so,
-- where they are stale or no longer fit and there are enough graded answers.
CREATE FUNCTION text2sql_eval._refit_after(evaluation_id bigint) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $refit_after$
DECLARE
    refitted record;
BEGIN
    IF has_function_privilege('text2sql_eval.fit_confidence(bigint[])', 'EXECUTE')
       AND EXISTS (SELECT FROM text2sql_eval._evaluations u
                    WHERE u.evaluation_id = _refit_after.evaluation_id AND u.state = 'done' AND u.settings - 'model' = '{}')
       AND EXISTS (SELECT FROM text2sql_eval._confidence_fits) THEN
        FOR refitted IN SELECT r.model, r.was, r.answers FROM text2sql_eval.fit_confidence() AS r WHERE r.hint IS NULL LOOP
            RAISE NOTICE 'the confidence of "%" was fitted anew to % answers, because it was: %', refitted.model, refitted.answers, refitted.was;
        END LOOP;
    END IF;
END
$refit_after$;

COMMENT ON FUNCTION text2sql_eval._refit_after IS
    'Fits confidences anew after an evaluation, where they no longer hold.';
COMMENT ON VIEW text2sql_eval.confidence_fits IS
    'The probability that answers of a model are correct, fitted to evaluations, and whether it still holds: what has changed since it was fitted (prompts, index), and how it does on later answers that an evaluation or feedback has graded.';
COMMENT ON FUNCTION text2sql_eval._confidence_drift IS
    'Computes whether confidences fit later answers.';
COMMENT ON TABLE text2sql_eval._confidence_fits IS
    'Rows behind the view text2sql_eval.confidence_fits.';
COMMENT ON FUNCTION text2sql_eval.fit_confidence(bigint[]) IS
    'Fits the confidence of a model to the answers of evaluations; without any, each confidence that is stale or no longer fits anew, from evaluations made with the prompts and the search index of today. Example: SELECT * FROM text2sql_eval.fit_confidence(7).';
COMMENT ON FUNCTION text2sql_eval._fit_to(bigint[]) IS
    'Fits the confidence of one model, for fit_confidence().';
COMMENT ON FUNCTION text2sql_eval._fit_confidence IS
    'Computes the fit of fit_confidence().';
