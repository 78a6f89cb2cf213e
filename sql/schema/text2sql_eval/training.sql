-- Data for training a model: verified examples as prompts and replies. export_training() does not set search_path,
-- because prompts name tables as the caller would: in it every function, operator and type is schema-qualified.

-- A question without case, punctuation and spaces, and SQL without case and spaces: what differs in nothing else is
-- the same.
CREATE FUNCTION text2sql_eval._plain_question(question text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT regexp_replace(lower(question), '[[:space:][:punct:]]+', '', 'g') $$;
CREATE FUNCTION text2sql_eval._plain_sql(sql text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT regexp_replace(lower(sql), '[[:space:];]+', '', 'g') $$;

-- Which of the candidates, objects with question, sql and source, the newest first, are used, in which part, and why
-- others are not. Candidates with the same SQL are in the same part. `suites` are those whose cases are left out; NULL
-- means all.
CREATE FUNCTION text2sql_eval._choose_training(candidates jsonb, validation double precision, suites text[])
    RETURNS TABLE (split text, question text, sql text, source text, left_out text)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $choose_training$
    WITH measured AS (
        SELECT c.place, e.question, e.sql, e.source,
               text2sql_eval._plain_question(e.question) AS plain_question, text2sql_eval._plain_sql(e.sql) AS plain_sql
          FROM jsonb_array_elements(candidates) WITH ORDINALITY AS c(value, place),
               LATERAL jsonb_to_record(c.value) AS e(question text, sql text, source text)
    ), cases AS (
        SELECT text2sql_eval._plain_question(q.one) AS plain_question, NULL AS plain_sql, c.suite
          FROM text2sql_eval.cases c, unnest(c.question || c.previous) AS q(one)
         WHERE suites IS NULL OR c.suite = ANY (suites)
        UNION ALL
        SELECT NULL, text2sql_eval._plain_sql(g.one), c.suite
          FROM text2sql_eval.cases c, unnest(c.gold) AS g(one)
         WHERE suites IS NULL OR c.suite = ANY (suites)
    ), held AS (
        SELECT m.*, (SELECT min(c.suite) FROM cases c
                      WHERE c.plain_question = m.plain_question OR c.plain_sql = m.plain_sql) AS suite
          FROM measured m
    ), counted AS (
        SELECT h.*, row_number() OVER (PARTITION BY h.suite IS NULL, h.plain_question, h.plain_sql ORDER BY h.place) AS nth,
               row_number() OVER (PARTITION BY h.suite IS NULL, h.plain_question ORDER BY h.place) AS nth_answer
          FROM held h
    ), judged AS (
        SELECT c.*, CASE WHEN c.suite IS NOT NULL THEN 'a case of a suite'
                         WHEN c.nth > 1 THEN 'the same again'
                         WHEN c.nth_answer > 1 THEN 'an older answer to the same question' END AS reason
          FROM counted c
    )
    SELECT CASE WHEN j.reason IS NOT NULL THEN NULL
                WHEN (hashtextextended(coalesce(j.plain_sql, j.plain_question), 9) & 65535) < validation * 65536 THEN 'validation'
                ELSE 'train' END,
           j.question, j.sql, j.source, j.reason
      FROM judged j ORDER BY j.place
$choose_training$;

-- Whether a text has these words: they are in it, and neither a letter nor a digit comes before or after them.
CREATE FUNCTION text2sql_eval._is_word_of(words text, whole text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $is_word_of$
    SELECT whole ~ ('(?<![[:alnum:]])' || regexp_replace(words, '([^[:alnum:][:space:]])', '\\\1', 'g') || '(?![[:alnum:]])')
$is_word_of$;

-- Whether SQL has a constant that a reader of `prompt` cannot know: a text or a number of three digits and more (but
-- 100, 365 and 1000) that is not in it, or a date of a year that is not in `question`. What this cannot read, comments
-- and strings with escapes or dollar quotes, counts as hidden.
CREATE FUNCTION text2sql_eval._has_hidden_constant(sql text, prompt text, question text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $has_hidden_constant$
    WITH texts AS (
        SELECT DISTINCT lower(trim(both ' %' from replace(m.parts[1], $$''$$, $$'$$))) AS value
          FROM regexp_matches(sql, $$'((?:[^']|'')*)'$$, 'g') AS m(parts)
    ), numbers AS (
        SELECT DISTINCT m.parts[1] AS value
          FROM regexp_matches(regexp_replace(sql, $$'(?:[^']|'')*'|"(?:[^"]|"")*"$$, ' ', 'g'), '(?<![[:alnum:]_])([0-9][0-9.]*)', 'g') AS m(parts)
    )
    SELECT regexp_replace(sql, $$'(?:[^']|'')*'|"(?:[^"]|"")*"$$, ' ', 'g') ~ $$[$'"]|--|/\*|[0-9][eExX_]$$
        OR sql ~* $$\m(e|b|x|n|u&)'$$
        OR EXISTS (
            SELECT FROM texts t
             WHERE t.value <> '' AND NOT text2sql_eval._is_word_of(t.value, lower(prompt))
               AND NOT (t.value ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}([ t][0-9:.+z-]*)?$' AND text2sql_eval._is_word_of(left(t.value, 4), question))
               -- Arguments of functions of dates, which say nothing about rows.
               AND t.value !~ '^([0-9]+ )?(year|quarter|month|week|day|hour|minute)s?$'
               AND t.value NOT IN ('dow', 'isodow', 'yyyy', 'yyyy-mm', 'yyyy-mm-dd'))
        OR EXISTS (
            SELECT FROM numbers n
             WHERE length(replace(n.value, '.', '')) > 2 AND n.value NOT IN ('100', '100.0', '365', '1000')
               AND NOT text2sql_eval._is_word_of(n.value, prompt))
$has_hidden_constant$;

-- A line for training: a prompt as preview_prompt() returns it, and the reply in the form that prompts ask for. NULL if
-- the SQL has a constant that the prompt does not show; without SQL the reply says that the question cannot be answered.
CREATE FUNCTION text2sql_eval._training_line(format text, prompt text, question text, sql text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $training_line$
    SELECT CASE format WHEN 'chat' THEN json_build_object('messages', json_build_array(
                json_build_object('role', 'system', 'content', p.system),
                json_build_object('role', 'user', 'content', p.turn),
                json_build_object('role', 'assistant', 'content', r.reply)))
           ELSE json_build_object('prompt', p.system || E'\n\n' || p.turn, 'completion', r.reply) END::text
      FROM (SELECT substr(prompt, 1 + length(E'system:\n'), strpos(prompt, E'\n\nuser:\n') - 1 - length(E'system:\n')) AS system,
                   substr(prompt, strpos(prompt, E'\n\nuser:\n') + length(E'\n\nuser:\n')) AS turn) AS p,
           LATERAL (SELECT json_build_object('status', CASE WHEN sql IS NULL THEN 'unanswerable' ELSE 'ok' END,
                           'sql', rtrim(sql, E'; \n\t'), 'sentence', NULL, 'assumptions', '[]'::json, 'clarification', NULL,
                           'readings', '[]'::json, 'missing', '[]'::json)::text AS reply) AS r
     WHERE sql IS NULL OR NOT text2sql_eval._has_hidden_constant(sql, p.turn, question)
$training_line$;

CREATE FUNCTION text2sql_eval.export_training(
    format text DEFAULT 'chat', validation double precision DEFAULT 0.1, options jsonb DEFAULT '{}'
) RETURNS TABLE (split text, line text, question text, sql text, source text, left_out text)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
AS $export_training$
DECLARE
    candidates pg_catalog.jsonb;
    with_unverified pg_catalog.bool;
    suites pg_catalog.text[];
    asked pg_catalog.jsonb;
BEGIN
    -- Loads the library, without which settings have no defaults.
    PERFORM text2sql.version();
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
       OR pg_catalog.jsonb_typeof(coalesce(options OPERATOR(pg_catalog.->) 'include_unverified', 'true')) OPERATOR(pg_catalog.<>) 'boolean' THEN
        RAISE EXCEPTION 'options must be a JSON object; suites and without are lists, include_unverified is true or false'
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
    -- The example that is learned must not be in its own prompt. Without a sentence there is no second prompt, about texts.
    asked := options OPERATOR(pg_catalog.-) ARRAY['suites', 'include_unverified'] OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object(
        'enable_narration', false, 'without', coalesce(options OPERATOR(pg_catalog.->) 'without', '[]') OPERATOR(pg_catalog.||) '["few_shot"]'::pg_catalog.jsonb);
    SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('question', c.question, 'sql', c.sql, 'source', c.source)
                                ORDER BY c.rank, c.added_at DESC, c.question)
      INTO candidates
      FROM (SELECT 1 AS rank, e.verified_at AS added_at, e.question, e.sql, e.origin AS source
              FROM text2sql.examples e WHERE e.status OPERATOR(pg_catalog.=) 'verified'
             UNION ALL
            SELECT 2, f.given_at, f.question, g.sql, 'unverified feedback'
              FROM text2sql.feedback f,
                   LATERAL (SELECT CASE WHEN f.verdict OPERATOR(pg_catalog.=) 'wrong' THEN f.corrected_sql ELSE f.sql END AS sql) AS g
             WHERE with_unverified
               AND f.status OPERATOR(pg_catalog.=) ANY (ARRAY['waiting', 'noted'])
               AND CASE WHEN g.sql IS NOT NULL THEN text2sql._problem_of_sql(g.sql) IS NULL
                        ELSE f.verdict OPERATOR(pg_catalog.=) 'right' AND f.answer_status OPERATOR(pg_catalog.=) 'unanswerable' END) AS c;
    FOR split, question, sql, source, left_out IN
        SELECT c.split, c.question, c.sql, c.source, c.left_out
          FROM text2sql_eval._choose_training(coalesce(candidates, '[]'), validation, suites) AS c LOOP
        line := NULL;
        IF left_out IS NULL THEN
            line := text2sql_eval._training_line(format, text2sql.preview_prompt(question, options => asked), question, sql);
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
    'Returns verified examples as lines for training a model: the prompt as it would be sent, without other examples, and the reply. Cases of suites, repetitions, and SQL with constants that the prompt does not show are left out, with the reason. Example: SELECT line FROM text2sql_eval.export_training(''chat'') WHERE split = ''train''.';
COMMENT ON FUNCTION text2sql_eval._training_line IS
    'Returns a line for training a model, NULL if the SQL has a constant that the prompt does not show.';
COMMENT ON FUNCTION text2sql_eval._has_hidden_constant IS
    'Whether SQL has a constant that a prompt does not show.';
COMMENT ON FUNCTION text2sql_eval._is_word_of IS
    'Whether a text has these words.';
COMMENT ON FUNCTION text2sql_eval._choose_training IS
    'Chooses what is exported for training, and for which part.';
COMMENT ON FUNCTION text2sql_eval._plain_question IS
    'A question without case, punctuation and spaces.';
COMMENT ON FUNCTION text2sql_eval._plain_sql IS
    'SQL without case and spaces.';
