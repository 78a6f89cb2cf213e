-- Cases from stored knowledge: verified examples, and feedback. Without search_path, as in suites.sql.

-- Adds the verified examples that the caller may see, of one origin or of all, and returns their number. A case that
-- exists is updated. The question of an example is answered without a model: a suite of examples shows that they still
-- work, not how new questions are answered.
CREATE FUNCTION text2sql_eval.add_cases_from_examples(suite text, origin text DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
AS $add_cases_from_examples$
DECLARE
    example record;
    added pg_catalog.int8 := 0;
BEGIN
    PERFORM text2sql_eval._suite_clock(suite);
    FOR example IN SELECT e.id, e.question, e.sql, e.origin FROM text2sql._examples e
                    WHERE e.verified_by IS NOT NULL
                      AND (add_cases_from_examples.origin IS NULL OR e.origin OPERATOR(pg_catalog.=) add_cases_from_examples.origin)
                    ORDER BY e.id LOOP
        BEGIN
            PERFORM text2sql_eval.add_case(suite, example.question, example.sql, tags => ARRAY['example', example.origin],
                                      key => pg_catalog.format('example %s', example.id));
            added := added OPERATOR(pg_catalog.+) 1;
        EXCEPTION WHEN invalid_parameter_value THEN
            RAISE NOTICE 'not added because its statement does not run: %', example.question;
        END;
    END LOOP;
    RETURN added;
END
$add_cases_from_examples$;
COMMENT ON FUNCTION text2sql_eval.add_cases_from_examples(text, text) IS
    'Adds the verified examples to a suite as cases, and returns their number. Origin ''feedback'' takes corrections only.';

-- Adds the feedback that the caller can see, and returns the number of cases. A correct answer becomes a case
-- with its SQL as gold, a correction one with the corrected SQL, a question that was correctly declined one
-- with its status. Feedback that no curator has verified is omitted, unless options => '{"include_unverified":
-- true}'.
CREATE FUNCTION text2sql_eval.add_cases_from_feedback(suite text, options jsonb DEFAULT '{}') RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
AS $add_cases_from_feedback$
DECLARE
    said record;
    added pg_catalog.int8 := 0;
    left_out pg_catalog.int8 := 0;
    is_wrong pg_catalog.bool;
    only_verified pg_catalog.bool := (options OPERATOR(pg_catalog.->>) 'include_unverified')::pg_catalog.bool IS NOT TRUE;
    unknown pg_catalog.text;
BEGIN
    SELECT o.key INTO unknown FROM pg_catalog.jsonb_each(options) AS o(key, value) WHERE o.key OPERATOR(pg_catalog.<>) 'include_unverified' LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'unknown option "%"', unknown
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'Use: SELECT text2sql_eval.add_cases_from_feedback(''sales'', ''{"include_unverified": true}'');';
    END IF;
    PERFORM text2sql_eval._suite_clock(suite);
    FOR said IN SELECT f.trace_id, f.question, f.answer_status, f.verdict, f.status,
                       CASE WHEN f.verdict OPERATOR(pg_catalog.=) 'wrong' THEN f.corrected_sql ELSE f.sql END AS gold
                  FROM text2sql.feedback AS f ORDER BY f.given_at, f.trace_id LOOP
        is_wrong := said.verdict OPERATOR(pg_catalog.=) 'wrong';
        IF (only_verified AND said.status OPERATOR(pg_catalog.<>) 'verified')
           OR (said.gold IS NULL AND (is_wrong OR said.answer_status OPERATOR(pg_catalog.<>)
               ALL (ARRAY['ambiguous', 'unanswerable', 'not_permitted', 'blocked']))) THEN
            left_out := left_out OPERATOR(pg_catalog.+) 1;
            CONTINUE;
        END IF;
        BEGIN
            PERFORM text2sql_eval.add_case(suite, said.question,
                                      CASE WHEN is_wrong OR said.answer_status OPERATOR(pg_catalog.=) 'ok' THEN said.gold END,
                                      expected_status => CASE WHEN is_wrong THEN 'ok' ELSE said.answer_status END,
                                      tags => ARRAY['feedback', said.verdict],
                                      key => pg_catalog.format('feedback %s', said.trace_id));
            added := added OPERATOR(pg_catalog.+) 1;
        EXCEPTION WHEN invalid_parameter_value THEN
            RAISE NOTICE 'not added because its statement does not run: %', said.question;
        END;
    END LOOP;
    IF left_out OPERATOR(pg_catalog.>) 0 THEN
        RAISE NOTICE '% more were omitted: not verified, or without correct SQL', left_out;
    END IF;
    RETURN added;
END
$add_cases_from_feedback$;
COMMENT ON FUNCTION text2sql_eval.add_cases_from_feedback(text, jsonb) IS
    'Adds feedback to a suite as cases, and returns their number: right answers, corrections, rightly unanswered questions. With options => ''{"include_unverified": true}'' feedback that no curator has verified is added, too.';
