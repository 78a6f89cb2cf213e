-- The effect of a setting: a suite is evaluated under named variants of the settings and under the current
-- settings. _ablate() does not set search_path, because it commits: in it every function, operator and type is
-- schema-qualified.

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
    PERFORM text2sql._version();
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

-- Where variants cut the texts differently, all texts are cut again for each, and in the end as they were.
CREATE PROCEDURE text2sql_eval._ablate(
    suite text, variants jsonb, repeats integer, max_calls integer, INOUT baseline bigint, levels text[], styles text[], tags text[]
)
LANGUAGE plpgsql
AS $ablate$
DECLARE
    only_cases pg_catalog.int8[];
    variant pg_catalog.text;
    changed pg_catalog.jsonb;
    evaluation pg_catalog.int8;
    index_settings pg_catalog.jsonb;
BEGIN
    IF (pg_catalog.jsonb_typeof(variants) OPERATOR(pg_catalog.=) 'object') IS NOT TRUE THEN
        RAISE EXCEPTION 'variants must be a JSON object'
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'Name each variant with its settings: variants => ''{"no repair": {"max_repairs": 0}, "little context": {"max_schema_chars": 3000}}''';
    END IF;
    index_settings := text2sql_eval._index_settings_of(variants);
    -- All are begun first, so that a wrong name or value is reported before any question is asked.
    only_cases := text2sql_eval._chosen_cases(suite, levels, styles, tags);
    baseline := text2sql_eval._begin_variant(suite, 'as it is', '{}', repeats, max_calls, NULL, 'all', only_cases);
    FOR variant, changed IN SELECT v.key, v.value FROM pg_catalog.jsonb_each(variants) AS v LOOP
        PERFORM text2sql_eval._set_index_settings(index_settings, changed);
        PERFORM text2sql_eval._begin_variant(suite, variant, changed, repeats, max_calls, baseline, 'all', only_cases);
    END LOOP;
    PERFORM text2sql_eval._set_index_settings(index_settings, '{}');
    COMMIT;
    FOR evaluation, changed IN SELECT v.evaluation_id, e.settings FROM text2sql_eval._variants v JOIN text2sql_eval._evaluations e
                                    ON e.evaluation_id OPERATOR(pg_catalog.=) v.evaluation_id
                                WHERE v.baseline OPERATOR(pg_catalog.=) _ablate.baseline ORDER BY v.evaluation_id LOOP
        IF index_settings OPERATOR(pg_catalog.<>) '{}' THEN
            PERFORM text2sql_eval._set_index_settings(index_settings, changed);
            CALL text2sql.refresh();
        END IF;
        CALL text2sql_eval._resume(evaluation);
    END LOOP;
    IF index_settings OPERATOR(pg_catalog.<>) '{}' THEN
        PERFORM text2sql_eval._set_index_settings(index_settings, '{}');
        CALL text2sql.refresh();
    END IF;
END
$ablate$;

-- What is set now of the settings of variants for which the search index is made anew.
CREATE FUNCTION text2sql_eval._index_settings_of(variants jsonb) RETURNS jsonb
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $index_settings_of$
DECLARE
    found jsonb;
BEGIN
    -- Loads the library, without which there are no settings.
    PERFORM text2sql._version();
    SELECT text2sql_eval._index_settings(coalesce(json_object_agg(s.key, s.value), '{}')) INTO found
      FROM jsonb_each(variants) AS v, jsonb_each(CASE jsonb_typeof(v.value) WHEN 'object' THEN v.value ELSE '{}' END) AS s;
    RETURN found;
END
$index_settings_of$;

COMMENT ON PROCEDURE text2sql_eval._ablate(text, jsonb, integer, integer, bigint, text[], text[], text[]) IS
    'Evaluates a suite under variants of the settings, for evaluate().';
COMMENT ON FUNCTION text2sql_eval._begin_variant IS
    'Adds an evaluation under varied settings.';
COMMENT ON FUNCTION text2sql_eval._index_settings_of(jsonb) IS
    'What is set now of the settings of variants for which the search index is made anew.';
