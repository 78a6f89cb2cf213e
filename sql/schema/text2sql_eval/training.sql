-- Data for training a model: verified examples as prompts and replies. export_training() does not set search_path,
-- because prompts name tables as the caller would: in it every function, operator and type is schema-qualified.

CREATE FUNCTION text2sql_eval.export_training(
    format text DEFAULT 'chat', validation double precision DEFAULT 0.1, options jsonb DEFAULT '{}'
) RETURNS TABLE (split text, line text, question text, sql text, source text, left_out text)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
AS $export_training$
DECLARE
    candidates pg_catalog.jsonb;
    with_unverified pg_catalog.bool;
    suites pg_catalog.text[];
    cases pg_catalog.jsonb;
    asked pg_catalog.jsonb;
    not_train pg_catalog.int8[];
    not_validation pg_catalog.int8[];
    same_sql pg_catalog.int8[];
    hidden pg_catalog.int8[];
BEGIN
    -- Loads the library, without which settings have no defaults.
    PERFORM text2sql._version();
    IF (format OPERATOR(pg_catalog.=) ANY (ARRAY['chat', 'completion'])) IS NOT TRUE THEN
        RAISE EXCEPTION 'format must be chat or completion: %', coalesce(format, 'NULL')
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Use: SELECT * FROM text2sql_eval.export_training(''chat'');';
    END IF;
    IF (validation OPERATOR(pg_catalog.>=) 0 AND validation OPERATOR(pg_catalog.<=) 0.9) IS NOT TRUE THEN
        RAISE EXCEPTION 'validation must be between 0 and 0.9: %', coalesce(validation::pg_catalog.text, 'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF (pg_catalog.jsonb_typeof(options) OPERATOR(pg_catalog.=) 'object') IS NOT TRUE
       OR pg_catalog.jsonb_typeof(coalesce(options OPERATOR(pg_catalog.->) 'suites', '[]')) OPERATOR(pg_catalog.<>) 'array'
       OR pg_catalog.jsonb_typeof(coalesce(options OPERATOR(pg_catalog.->) 'without', '[]')) OPERATOR(pg_catalog.<>) 'array'
       OR pg_catalog.jsonb_typeof(coalesce(options OPERATOR(pg_catalog.->) 'include_unverified', 'true')) OPERATOR(pg_catalog.<>) 'boolean'
       OR pg_catalog.jsonb_typeof(coalesce(options OPERATOR(pg_catalog.->) 'few_shot', 'true')) OPERATOR(pg_catalog.<>) 'boolean' THEN
        RAISE EXCEPTION 'options must be a JSON object; suites and without are lists, include_unverified and few_shot are true or false'
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'Use: SELECT * FROM text2sql_eval.export_training(options => ''{"suites": ["sales"], "include_unverified": true}'');';
    END IF;
    -- What the built-in engine would show goes nowhere, so no endpoint says how much of it may.
    IF NOT EXISTS (SELECT FROM pg_catalog.regexp_split_to_table(
                       coalesce(options OPERATOR(pg_catalog.->>) 'model', pg_catalog.current_setting('text2sql.model')), '[\s,]+') AS m(name)
                    WHERE m.name OPERATOR(pg_catalog.<>) ALL (ARRAY['', 'builtin'])) THEN
        RAISE EXCEPTION 'no model says which values may be in the lines'
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'The built-in engine sends nothing, so it has no egress.',
                  HINT = 'Name the model whose prompts are meant: SELECT * FROM text2sql_eval.export_training(options => ''{"model": "gpt"}'');';
    END IF;
    with_unverified := coalesce((options OPERATOR(pg_catalog.->>) 'include_unverified')::pg_catalog.bool, false);
    IF options OPERATOR(pg_catalog.?) 'suites' THEN
        suites := ARRAY(SELECT pg_catalog.jsonb_array_elements_text(options OPERATOR(pg_catalog.->) 'suites'));
    END IF;
    -- Narration is off, so there is no second prompt, about texts. Replies have no plan, because plans are not verified.
    asked := options OPERATOR(pg_catalog.-) ARRAY['suites', 'include_unverified', 'few_shot'] OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object(
        'enable_narration', false,
        'without', coalesce(options OPERATOR(pg_catalog.->) 'without', '[]') OPERATOR(pg_catalog.||) CASE
            WHEN coalesce((options OPERATOR(pg_catalog.->>) 'few_shot')::pg_catalog.bool, true) THEN '["plan"]'::pg_catalog.jsonb
            ELSE '["plan", "few_shot"]' END);
    SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('question', c.question, 'sql', c.sql, 'source', c.source, 'example', c.example)
                                ORDER BY c.rank, c.added_at DESC, c.question)
      INTO candidates
      FROM (SELECT 1 AS rank, e.verified_at AS added_at, e.question, e.sql, e.origin AS source, e.id AS example
              FROM text2sql.examples e WHERE e.status OPERATOR(pg_catalog.=) 'verified'
             UNION ALL
            SELECT 2, f.given_at, f.question, g.sql, 'unverified feedback', NULL
              FROM text2sql.feedback f,
                   LATERAL (SELECT CASE WHEN f.verdict OPERATOR(pg_catalog.=) 'wrong' THEN f.corrected_sql ELSE f.sql END AS sql) AS g
             WHERE with_unverified
               AND f.status OPERATOR(pg_catalog.=) ANY (ARRAY['waiting', 'noted'])
               AND CASE WHEN g.sql IS NOT NULL THEN text2sql._problem_of_sql(g.sql) IS NULL
                        ELSE f.verdict OPERATOR(pg_catalog.=) 'right' AND f.answer_status OPERATOR(pg_catalog.=) 'unanswerable' END) AS c;
    SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('questions', c.question OPERATOR(pg_catalog.||) c.previous, 'sql', c.gold))
      INTO cases
      FROM text2sql_eval.cases c WHERE suites IS NULL OR c.suite OPERATOR(pg_catalog.=) ANY (suites);
    candidates := coalesce(candidates, '[]');
    cases := coalesce(cases, '[]');
    -- A prompt shows only examples of its own part that are exported themselves: not those of the other part or of suites.
    SELECT pg_catalog.array_agg(c.example) FILTER (WHERE coalesce(c.split OPERATOR(pg_catalog.<>) 'train', true)),
           pg_catalog.array_agg(c.example) FILTER (WHERE coalesce(c.split OPERATOR(pg_catalog.<>) 'validation', true))
      INTO not_train, not_validation
      FROM text2sql_eval._choose_training(candidates, cases, validation) AS c WHERE c.example IS NOT NULL;
    FOR question, sql, source, split, left_out, same_sql IN
        SELECT c.question, c.sql, c.source, c.split, c.left_out, c.same_sql
          FROM text2sql_eval._choose_training(candidates, cases, validation) AS c LOOP
        line := NULL;
        IF left_out IS NULL THEN
            hidden := CASE WHEN split OPERATOR(pg_catalog.=) 'train' THEN not_train ELSE not_validation END;
            line := text2sql_eval._training_line(question, asked, sql, format, hidden OPERATOR(pg_catalog.||) same_sql);
            IF line IS NULL THEN
                split := NULL;
                left_out := 'a constant that the prompt does not show';
            END IF;
        END IF;
        RETURN NEXT;
    END LOOP;
END
$export_training$;

COMMENT ON FUNCTION text2sql_eval.export_training(text, double precision, jsonb) IS
    'Returns verified examples as lines for training a model: the prompt as it would be sent, with other examples of the same part, and the reply. Cases of suites, repetitions, and SQL with constants that the prompt does not show are left out, with the reason. Example: SELECT line FROM text2sql_eval.export_training(''chat'') WHERE split = ''train''.';
COMMENT ON FUNCTION text2sql_eval._training_line IS
    'Returns a line for training a model, NULL if the SQL has a constant that the prompt does not show.';
COMMENT ON FUNCTION text2sql_eval._choose_training IS
    'Chooses what is exported for training, and for which part.';
