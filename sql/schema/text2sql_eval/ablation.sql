-- The effect of a setting: a suite is evaluated under named variants of the settings and under the current
-- settings. ablate() does not set search_path, because it commits: in it every function, operator and type is
-- schema-qualified.

-- Evaluations of one ablation or search.
CREATE TABLE text2sql_eval.variants (
    evaluation_id bigint PRIMARY KEY,
    -- The evaluation under the current settings.
    baseline      bigint NOT NULL,
    variant       text NOT NULL,
    -- The part of the suite that it covers.
    part          text NOT NULL DEFAULT 'all' CHECK (part IN ('all', 'search', 'held out'))
);
SELECT pg_catalog.pg_extension_config_dump('text2sql_eval.variants', '');
ALTER TABLE text2sql_eval.variants ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_variants ON text2sql_eval.variants
    USING (EXISTS (SELECT FROM text2sql_eval.evaluations r WHERE r.evaluation_id = variants.evaluation_id));

CREATE VIEW text2sql_eval.ablations WITH (security_invoker = true) AS
SELECT v.baseline, v.evaluation_id, v.variant, v.part, s.settings, s.cases, s.accuracy, s.low, s.high,
       c.difference, c.only_baseline, c.only_candidate, c.p_mid, s.model_calls, s.mean_milliseconds,
       c.candidate_tokens AS tokens, c.is_cheaper
  FROM text2sql_eval.variants v JOIN text2sql_eval.summary s ON s.evaluation_id = v.evaluation_id,
       LATERAL text2sql_eval.compare(v.baseline, v.evaluation_id) AS c;

-- Begins the evaluation of one variant.
CREATE FUNCTION text2sql_eval._begin_variant(
    suite text, variant text, settings jsonb, repeats integer, max_calls integer, baseline bigint, part text, hold_out double precision
) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $begin_variant$
DECLARE
    begun bigint;
BEGIN
    -- The index holds the vectors of one embedding model. With another one, the figures would be those of a
    -- search without vectors.
    IF EXISTS (SELECT FROM text2sql_eval._settings_of(settings) AS s
                WHERE s.name = 'text2sql.embedding_model'
                  AND s.value IS DISTINCT FROM current_setting('text2sql.embedding_model')) THEN
        RAISE EXCEPTION 'text2sql.embedding_model cannot be varied: the search index holds the vectors of one embedding model'
            USING ERRCODE = 'feature_not_supported',
                  HINT = 'For each model, SET text2sql.embedding_model, CALL text2sql.refresh() and CALL text2sql_eval.evaluate(), and compare the evaluations with text2sql_eval.compare().';
    END IF;
    begun := text2sql_eval._begin_evaluation(suite, repeats, settings, variant, max_calls, (
        SELECT array_agg(c.case_id) FROM text2sql_eval.cases c
         WHERE c.suite = _begin_variant.suite
           AND (part = 'all' OR text2sql_eval._is_held_out(c.key, hold_out) = (part = 'held out'))));
    INSERT INTO text2sql_eval.variants VALUES (begun, coalesce(baseline, begun), variant, part);
    RETURN begun;
END
$begin_variant$;

CREATE PROCEDURE text2sql_eval.ablate(
    suite text, variants jsonb, repeats integer DEFAULT 1, max_calls integer DEFAULT NULL, INOUT baseline bigint DEFAULT NULL
)
LANGUAGE plpgsql
AS $ablate$
DECLARE
    variant pg_catalog.text;
    changed pg_catalog.jsonb;
    evaluation pg_catalog.int8;
BEGIN
    IF (pg_catalog.jsonb_typeof(variants) OPERATOR(pg_catalog.=) 'object') IS NOT TRUE THEN
        RAISE EXCEPTION 'variants must be a JSON object'
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'Name each variant with its settings: variants => ''{"no repair": {"max_repairs": 0}, "little context": {"max_schema_chars": 3000}}''';
    END IF;
    -- All are begun first, so that a wrong name or value is reported before any question is asked.
    baseline := text2sql_eval._begin_variant(suite, 'as it is', '{}', repeats, max_calls, NULL, 'all', 0);
    FOR variant, changed IN SELECT v.key, v.value FROM pg_catalog.jsonb_each(variants) AS v LOOP
        PERFORM text2sql_eval._begin_variant(suite, variant, changed, repeats, max_calls, baseline, 'all', 0);
    END LOOP;
    COMMIT;
    FOR evaluation IN SELECT v.evaluation_id FROM text2sql_eval.variants v
                       WHERE v.baseline OPERATOR(pg_catalog.=) ablate.baseline ORDER BY v.evaluation_id LOOP
        CALL text2sql_eval.resume(evaluation);
    END LOOP;
END
$ablate$;

COMMENT ON TABLE text2sql_eval.variants IS
    'Evaluations that vary settings, each with its baseline.';
COMMENT ON VIEW text2sql_eval.ablations IS
    'Variants against their baseline, with the significance of the difference.';
COMMENT ON PROCEDURE text2sql_eval.ablate(text, jsonb, integer, integer, bigint) IS
    'Evaluates a suite under named variants of the settings. Read the view ablations afterwards. Example: CALL text2sql_eval.ablate(''sales'', ''{"no repair": {"max_repairs": 0}}'').';
COMMENT ON FUNCTION text2sql_eval._begin_variant IS
    'Adds an evaluation under varied settings.';
