-- What tune() and the variants of evaluate() may vary.

-- The settings for which the search index is made anew: one value at a time.
CREATE FUNCTION text2sql_eval._index_setting_names() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT ARRAY['passage_length', 'passage_overlap'] $$;

-- Everything that can be varied, without the prefix, and what is set now.
CREATE FUNCTION text2sql_eval._tunable() RETURNS TABLE (name text, value jsonb)
LANGUAGE plpgsql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $tunable$
BEGIN
    -- Loads the library, without which there are no settings.
    PERFORM text2sql._version();
    RETURN QUERY
        SELECT substr(s.name, 10), to_jsonb(s.setting) FROM pg_settings s
         WHERE s.name LIKE 'text2sql.%'
           AND (s.context = 'user' OR substr(s.name, 10) = ANY (text2sql_eval._index_setting_names()))
           -- What is shown, kept or stored, where a query runs; and tuning, of which each key is varied.
           AND substr(s.name, 10) NOT IN ('tuning', 'language', 'keep_answers', 'enable_progress', 'run_on')
        UNION ALL
        SELECT k.key, k.value FROM pg_settings s, jsonb_each(s.boot_val::jsonb || s.setting::jsonb) AS k
         WHERE s.name = 'text2sql.tuning' AND k.key NOT IN ('on_truncation', 'suggestion_model')
        UNION ALL
        SELECT 'evidence', 'true';
END
$tunable$;

-- Refuses what cannot be varied, by its name, before any question is asked, and returns what is set now for each
-- setting of the space.
CREATE FUNCTION text2sql_eval._check_space(space json, objectives json, OUT current_values jsonb, OUT combinations bigint)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $check_space$
DECLARE
    setting text;
    plain text;
    context text;
    read json;
BEGIN
    current_values := '{}';
    IF (json_typeof(space) = 'object') THEN
        FOR setting IN SELECT k FROM json_object_keys(space) AS k LOOP
            plain := regexp_replace(setting, '^text2sql\.', '');
            current_values := current_values || coalesce((
                SELECT jsonb_build_object(setting, t.value) FROM text2sql_eval._tunable() AS t WHERE t.name = plain), '{}');
            CONTINUE WHEN current_values ? setting;
            SELECT s.context INTO context FROM pg_settings s WHERE s.name = 'text2sql.' || plain;
            RAISE EXCEPTION 'setting "%" cannot be varied', setting
                USING ERRCODE = 'invalid_parameter_value',
                      DETAIL = CASE WHEN context IS NULL THEN 'There is no such setting.'
                                    WHEN plain = 'tuning' THEN 'Each of its keys can be varied by itself.'
                                    WHEN context = 'user' THEN 'It says what is shown or kept or where a query runs, not which query is written.'
                                    ELSE 'It is a limit, a privilege or a part of the server, which no experiment changes.' END,
                      HINT = 'These can be varied: ' || (SELECT string_agg(t.name, ', ' ORDER BY t.name) FROM text2sql_eval._tunable() AS t) || '.';
        END LOOP;
    END IF;
    read := text2sql_eval._tuning_space(space, current_values::json, objectives);
    combinations := read ->> 'combinations';
    -- PostgreSQL reports an invalid value, or a missing privilege. The end of the block takes the settings back.
    BEGIN
        PERFORM set_config(s.name, s.value, true)
           FROM json_each(read -> 'values') AS d, json_array_elements(d.value) AS v,
                LATERAL text2sql_eval._settings_of(jsonb_build_object(d.key, v.value)) AS s;
        RAISE EXCEPTION USING ERRCODE = 'T2999', MESSAGE = 'valid';
    EXCEPTION WHEN SQLSTATE 'T2999' THEN
        NULL;
    END;
END
$check_space$;

-- What is set now of the settings of a space for which the index is made anew, by full name. Background maintenance would
-- make it as it was meanwhile, and each other search uses it: so they are varied only where there is none.
CREATE FUNCTION text2sql_eval._index_settings(space json) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $index_settings$
DECLARE
    found jsonb;
BEGIN
    SELECT coalesce(jsonb_object_agg('text2sql.' || n.name, current_setting('text2sql.' || n.name)), '{}') INTO found
      FROM unnest(text2sql_eval._index_setting_names()) AS n(name)
     WHERE EXISTS (SELECT FROM json_object_keys(space) AS k WHERE k IN (n.name, 'text2sql.' || n.name));
    IF found <> '{}' AND NOT EXISTS (
           SELECT FROM pg_settings s WHERE s.name = 'text2sql.maintenance_interval' AND s.setting = '0'
              AND s.source IN ('command line', 'configuration file', 'global', 'database')) THEN
        RAISE EXCEPTION 'setting "%" cannot be varied here', (SELECT substr(min(k), 10) FROM jsonb_object_keys(found) AS k)
            USING ERRCODE = 'feature_not_supported',
                  DETAIL = 'The texts in the search index are cut in one way. Background maintenance would cut them as they were during the search, and all other searches use them.',
                  HINT = format('Do it on a copy of the database: ALTER DATABASE %I SET text2sql.maintenance_interval = 0; and connect again.', current_database());
    END IF;
    IF found <> '{}' AND NOT has_function_privilege('text2sql.refresh(jsonb, text)', 'EXECUTE') THEN
        RAISE EXCEPTION 'setting "%" cannot be varied by "%"', (SELECT substr(min(k), 10) FROM jsonb_object_keys(found) AS k), current_user
            USING ERRCODE = 'insufficient_privilege',
                  DETAIL = 'The search index is made anew for each value, which only a curator may do.',
                  HINT = format('Ask for it: SELECT text2sql.grant_access(%L, ''curator'');', current_user);
    END IF;
    RETURN found;
END
$index_settings$;

-- The embedder of a space whose vectors are not those of the search index; NULL: there is none. Two at a time can be
-- compared: that of the index and this one, so the answers to other questions stay as they are.
CREATE FUNCTION text2sql_eval._second_embedder(
    space json, current_values jsonb, objectives json, OUT embedder text, OUT is_missing boolean
)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $second_embedder$
DECLARE
    others text[];
BEGIN
    SELECT array_agg(DISTINCT v.value ORDER BY v.value) INTO others
      FROM json_each(text2sql_eval._tuning_space(space, current_values::json, objectives) -> 'values') AS d,
           json_array_elements_text(d.value) AS v(value)
     WHERE CASE WHEN d.key IN ('embedding_model', 'text2sql.embedding_model')
                THEN text2sql._vectors_of(v.value) IS DISTINCT FROM 'index' ELSE false END;
    IF cardinality(others) > 1 THEN
        RAISE EXCEPTION 'setting "embedding_model" cannot have % values whose vectors are not those of the search index', cardinality(others)
            USING ERRCODE = 'feature_not_supported',
                  DETAIL = format('The search index keeps vectors of one embedder beside its own. These would be beside: %s.', array_to_string(others, ', ')),
                  HINT = format('Compare the embedder of the index with one other in a search: ''{"embedding_model": [%s]}''.', to_json(others[1]));
    END IF;
    embedder := others[1];
    is_missing := embedder IS NOT NULL AND text2sql._vectors_of(embedder) IS NULL;
    IF is_missing AND NOT has_function_privilege('text2sql.refresh(jsonb, text)', 'EXECUTE') THEN
        RAISE EXCEPTION 'setting "embedding_model" cannot be varied by "%"', current_user
            USING ERRCODE = 'insufficient_privilege',
                  DETAIL = format('The search index has no vectors of "%s", and only a curator may make them.', embedder),
                  HINT = format('Ask a curator: CALL text2sql.refresh(second_embedder => %L); or to become one: SELECT text2sql.grant_access(%L, ''curator'');', embedder, current_user);
    END IF;
END
$second_embedder$;

-- Sets those of a trial for the session, because refresh() commits.
CREATE FUNCTION text2sql_eval._set_index_settings(index_settings jsonb, settings jsonb) RETURNS jsonb
LANGUAGE sql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $set_index_settings$
    SELECT coalesce(jsonb_object_agg(i.key, set_config(i.key, coalesce(settings ->> i.key, settings ->> substr(i.key, 10), i.value), false)), '{}')
      FROM jsonb_each_text(index_settings) AS i
$set_index_settings$;

COMMENT ON FUNCTION text2sql_eval._index_setting_names() IS
    'Returns the settings for which the search index is made anew.';
COMMENT ON FUNCTION text2sql_eval._tunable() IS
    'Returns what tune() can vary, with what is set now.';
COMMENT ON FUNCTION text2sql_eval._check_space IS
    'Checks the space and the objectives of tune().';
COMMENT ON FUNCTION text2sql_eval._index_settings IS
    'Returns what is set now of the settings of a space for which the search index is made anew.';
COMMENT ON FUNCTION text2sql_eval._second_embedder IS
    'Returns the embedder of a space of tune() whose vectors are not those of the search index, and whether they are missing.';
COMMENT ON FUNCTION text2sql_eval._set_index_settings IS
    'Sets what the search index of a trial is made with, for the session.';
COMMENT ON FUNCTION text2sql_eval._tuning_space IS
    'Reads the space of tune(): the values of each setting, and the number of combinations.';
