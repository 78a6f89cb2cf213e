-- Many cases: verified examples, feedback, and lines of a file. Without search_path, as in suites.sql.

-- Adds the verified examples that the caller may see, of one origin or of all, and returns their number. A case that
-- exists is updated. The question of an example is answered without a model: a suite of examples shows that they still
-- work, not how new questions are answered.
CREATE FUNCTION text2sql_eval._add_examples(suite text, origin text) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
AS $add_examples$
DECLARE
    example record;
    added pg_catalog.int8 := 0;
BEGIN
    PERFORM text2sql_eval._suite_clock(suite);
    FOR example IN SELECT e.id, e.question, e.sql, e.origin FROM text2sql._examples e
                    WHERE e.verified_by IS NOT NULL
                      AND (_add_examples.origin IS NULL OR e.origin OPERATOR(pg_catalog.=) _add_examples.origin)
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
$add_examples$;
COMMENT ON FUNCTION text2sql_eval._add_examples(text, text) IS
    'Adds verified examples to a suite, for add_cases().';

-- Adds the feedback that the caller can see, and returns the number of cases. A correct answer becomes a case
-- with its SQL as gold, a correction one with the corrected SQL, a question that was correctly declined one
-- with its status. Feedback that no curator has verified is omitted, unless it is to be included.
CREATE FUNCTION text2sql_eval._add_feedback(suite text, include_unverified boolean) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
AS $add_feedback$
DECLARE
    said record;
    added pg_catalog.int8 := 0;
    left_out pg_catalog.int8 := 0;
    is_wrong pg_catalog.bool;
    only_verified pg_catalog.bool := include_unverified IS NOT TRUE;
BEGIN
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
$add_feedback$;
COMMENT ON FUNCTION text2sql_eval._add_feedback(text, boolean) IS
    'Adds feedback to a suite, for add_cases().';

-- Adds many cases: from stored knowledge, or the lines of a file.
CREATE FUNCTION text2sql_eval.add_cases(
    suite text, source text, origin text DEFAULT NULL, include_unverified boolean DEFAULT false, lines text DEFAULT NULL
) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
AS $add_cases$
BEGIN
    CASE
    WHEN source OPERATOR(pg_catalog.=) 'examples' AND include_unverified IS NOT TRUE AND lines IS NULL THEN
        RETURN text2sql_eval._add_examples(suite, origin);
    WHEN source OPERATOR(pg_catalog.=) 'feedback' AND origin IS NULL AND lines IS NULL THEN
        RETURN text2sql_eval._add_feedback(suite, include_unverified);
    WHEN source OPERATOR(pg_catalog.=) 'lines' AND origin IS NULL AND include_unverified IS NOT TRUE AND lines IS NOT NULL THEN
        RETURN text2sql_eval._add_lines(suite, lines);
    ELSE
        RAISE EXCEPTION 'cases are added from examples, feedback or lines'
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'origin is for examples, include_unverified for feedback, lines for lines.',
                  HINT = pg_catalog.format('Use: SELECT text2sql_eval.add_cases(%L, ''feedback'', include_unverified => true);', suite);
    END CASE;
END
$add_cases$;
COMMENT ON FUNCTION text2sql_eval.add_cases(text, text, text, boolean, text) IS
    'Adds cases to a suite, and returns their number: from examples, which are verified (origin => ''feedback'' takes corrections only); from feedback, which gives right answers, corrections and rightly unanswered questions (include_unverified => true takes also what no curator has verified); or from lines, one JSON object on each, where the column problem of the table cases says which gold statement does not run. Example: SELECT text2sql_eval.add_cases(''sales'', ''lines'', lines => ''{"NL": "How many orders are there?", "SQL": "SELECT count(*) FROM orders"}'').';
