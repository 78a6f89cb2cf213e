-- The effect of a setting: a suite is evaluated under named variants of the settings and under the current
-- settings. ablate() does not set search_path, because it commits: in it every function, operator and type is
-- schema-qualified.

-- Evaluations of one ablation or search.
CREATE TABLE text2sql_eval._variants (
    evaluation_id bigint PRIMARY KEY,
    -- The evaluation under the current settings.
    baseline      bigint NOT NULL,
    variant       text NOT NULL,
    -- The part of the suite that it covers.
    part          text NOT NULL DEFAULT 'all' CHECK (part IN ('all', 'search', 'held out'))
);
SELECT pg_catalog.pg_extension_config_dump('text2sql_eval._variants', '');
ALTER TABLE text2sql_eval._variants ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_variants ON text2sql_eval._variants
    USING (EXISTS (SELECT FROM text2sql_eval._evaluations r WHERE r.evaluation_id = _variants.evaluation_id));

CREATE VIEW text2sql_eval.ablations WITH (security_invoker = true) AS
SELECT v.baseline, v.evaluation_id, v.variant, v.part, s.settings, s.cases, s.accuracy, s.low, s.high,
       c.difference, c.only_baseline, c.only_candidate, c.p_mid, s.model_calls, s.mean_milliseconds,
       c.candidate_tokens AS tokens, c.is_cheaper
  FROM text2sql_eval._variants v JOIN text2sql_eval.evaluations s ON s.evaluation_id = v.evaluation_id,
       LATERAL text2sql_eval.compare(v.baseline, v.evaluation_id) AS c;

-- Begins the evaluation of one variant.
CREATE FUNCTION text2sql_eval._begin_variant(
    suite text, variant text, settings jsonb, repeats integer, max_calls integer, baseline bigint, part text,
    only_cases bigint[] DEFAULT NULL
) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $begin_variant$
DECLARE
    begun bigint;
    missing text;
BEGIN
    -- Loads the library, without which there is no such setting.
    PERFORM text2sql.version();
    -- If the embedder has no vectors, the figures would be those of a search without vectors.
    SELECT s.value INTO missing FROM text2sql_eval._settings_of(settings) AS s
     WHERE CASE WHEN s.name = 'text2sql.embedding_model' AND s.value IS DISTINCT FROM current_setting('text2sql.embedding_model')
                THEN text2sql._vectors_of(s.value) IS NULL ELSE false END;
    IF FOUND THEN
        RAISE EXCEPTION 'the search index has no vectors of "%"', missing
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = format('Make them beside those of the index: CALL text2sql.refresh(second_embedder => %L);', missing);
    END IF;
    begun := text2sql_eval._begin_evaluation(suite, repeats, settings, variant, max_calls, (
        SELECT array_agg(c.case_id) FROM text2sql_eval.cases c
         WHERE c.suite = _begin_variant.suite AND (only_cases IS NULL OR c.case_id = ANY (only_cases))));
    INSERT INTO text2sql_eval._variants VALUES (begun, coalesce(baseline, begun), variant, part);
    RETURN begun;
END
$begin_variant$;

CREATE PROCEDURE text2sql_eval.ablate(
    suite text, variants jsonb, repeats integer DEFAULT 1, max_calls integer DEFAULT NULL, INOUT baseline bigint DEFAULT NULL,
    levels text[] DEFAULT '{}', styles text[] DEFAULT '{}', tags text[] DEFAULT '{}'
)
LANGUAGE plpgsql
AS $ablate$
DECLARE
    only_cases pg_catalog.int8[];
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
    only_cases := text2sql_eval._chosen_cases(suite, levels, styles, tags);
    baseline := text2sql_eval._begin_variant(suite, 'as it is', '{}', repeats, max_calls, NULL, 'all', only_cases);
    FOR variant, changed IN SELECT v.key, v.value FROM pg_catalog.jsonb_each(variants) AS v LOOP
        PERFORM text2sql_eval._begin_variant(suite, variant, changed, repeats, max_calls, baseline, 'all', only_cases);
    END LOOP;
    COMMIT;
    FOR evaluation IN SELECT v.evaluation_id FROM text2sql_eval._variants v
                       WHERE v.baseline OPERATOR(pg_catalog.=) ablate.baseline ORDER BY v.evaluation_id LOOP
        CALL text2sql_eval._resume(evaluation);
    END LOOP;
END
$ablate$;

-- Cuts all texts again for each variant, evaluates, and cuts them in the end as they were. It does not set search_path,
-- because it commits. Background maintenance would cut the texts back meanwhile, and each other search finds them cut
-- as the variant says: so it runs only where the database has no background maintenance.
CREATE PROCEDURE text2sql_eval.ablate_passages(
    suite text, variants jsonb, repeats integer DEFAULT 1, INOUT baseline bigint DEFAULT NULL
)
LANGUAGE plpgsql
AS $ablate_passages$
DECLARE
    before_length pg_catalog.text;
    before_overlap pg_catalog.text;
    variant pg_catalog.jsonb;
    evaluation pg_catalog.int8;
BEGIN
    PERFORM text2sql_eval._check_passage_variants(variants);
    before_length := pg_catalog.current_setting('text2sql.passage_length');
    before_overlap := pg_catalog.current_setting('text2sql.passage_overlap');
    baseline := text2sql_eval._begin_variant(suite, 'as it is', '{}', repeats, NULL, NULL, 'all');
    COMMIT;
    CALL text2sql_eval._resume(baseline);
    FOR variant IN SELECT v.value FROM pg_catalog.jsonb_array_elements(variants) AS v LOOP
        PERFORM pg_catalog.set_config('text2sql.passage_length', coalesce(variant OPERATOR(pg_catalog.->>) 'passage_length', before_length), false),
                pg_catalog.set_config('text2sql.passage_overlap', coalesce(variant OPERATOR(pg_catalog.->>) 'passage_overlap', before_overlap), false);
        CALL text2sql.refresh();
        evaluation := text2sql_eval._begin_variant(suite, variant::pg_catalog.text, variant, repeats, NULL, baseline, 'all');
        COMMIT;
        CALL text2sql_eval._resume(evaluation);
    END LOOP;
    PERFORM pg_catalog.set_config('text2sql.passage_length', before_length, false),
            pg_catalog.set_config('text2sql.passage_overlap', before_overlap, false);
    CALL text2sql.refresh();
END
$ablate_passages$;

CREATE FUNCTION text2sql_eval._check_passage_variants(variants jsonb) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $check_passage_variants$
BEGIN
    PERFORM text2sql.version();
    IF (jsonb_typeof(variants) = 'array') IS NOT TRUE OR EXISTS (
           SELECT FROM jsonb_array_elements(variants) AS v
            WHERE CASE WHEN jsonb_typeof(v.value) = 'object'
                       THEN v.value = '{}' OR v.value - '{passage_length,passage_overlap}'::text[] <> '{}' ELSE true END) THEN
        RAISE EXCEPTION 'variants must be a JSON array of objects with passage_length, passage_overlap or both'
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'List the variants: variants => ''[{"passage_length": 500, "passage_overlap": 100}]''';
    END IF;
    -- PostgreSQL reports an invalid value, or a missing privilege, before any text is cut. The end of the block takes
    -- the settings back.
    BEGIN
        PERFORM set_config('text2sql.' || s.key, s.value, true)
           FROM jsonb_array_elements(variants) AS v, jsonb_each_text(v.value) AS s;
        RAISE EXCEPTION USING ERRCODE = 'T2999', MESSAGE = 'valid';
    EXCEPTION WHEN SQLSTATE 'T2999' THEN
        NULL;
    END;
    IF NOT EXISTS (SELECT FROM pg_settings s WHERE s.name = 'text2sql.maintenance_interval' AND s.setting = '0'
                      AND s.source IN ('command line', 'configuration file', 'global', 'database')) THEN
        RAISE EXCEPTION 'background maintenance of this database would cut the texts back during the evaluation'
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'Meanwhile all searches in this database find the texts cut as the variant says.',
                  HINT = format('Do it on a copy of the database: ALTER DATABASE %I SET text2sql.maintenance_interval = 0; and connect again.', current_database());
    END IF;
END
$check_passage_variants$;

COMMENT ON TABLE text2sql_eval._variants IS
    'Evaluations that vary settings, each with its baseline: read the view ablations.';
COMMENT ON VIEW text2sql_eval.ablations IS
    'Variants against their baseline, with the significance of the difference.';
COMMENT ON PROCEDURE text2sql_eval.ablate(text, jsonb, integer, integer, bigint, text[], text[], text[]) IS
    'Evaluates a suite under named variants of the settings. Read the view ablations afterwards. Example: CALL text2sql_eval.ablate(''sales'', ''{"no repair": {"max_repairs": 0}}'').';
COMMENT ON FUNCTION text2sql_eval._begin_variant IS
    'Adds an evaluation under varied settings.';
COMMENT ON PROCEDURE text2sql_eval.ablate_passages(text, jsonb, integer, bigint) IS
    'Evaluates a suite with all texts cut in other ways, by text2sql.passage_length and text2sql.passage_overlap, and in the end cuts them as they were. For superusers, in a database without background maintenance, such as a copy. Read the view ablations afterwards. Example: CALL text2sql_eval.ablate_passages(''sales'', ''[{"passage_length": 500, "passage_overlap": 100}]'').';
COMMENT ON FUNCTION text2sql_eval._check_passage_variants IS
    'Checks the arguments of ablate_passages(), and that nothing cuts the texts back meanwhile.';
