-- Cases from what people have taught: verified examples, and corrections from feedback.

-- Adds the verified examples that the caller may see, of one origin or of all; gives how many. What is a case
-- already is brought up to date. An example that a question equals is replayed without a model: a suite made of
-- examples shows that they still work, not how new questions fare.
CREATE FUNCTION text2sql.add_cases_from_examples(suite text, origin text DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
AS $add_cases_from_examples$
DECLARE
    example record;
    added pg_catalog.int8 := 0;
BEGIN
    PERFORM text2sql._suite_clock(suite);
    FOR example IN SELECT e.id, e.question, e.sql, e.origin FROM text2sql.examples e
                    WHERE e.verified_by IS NOT NULL
                      AND (add_cases_from_examples.origin IS NULL OR e.origin OPERATOR(pg_catalog.=) add_cases_from_examples.origin)
                    ORDER BY e.id LOOP
        BEGIN
            PERFORM text2sql.add_case(suite, example.question, example.sql, tags => ARRAY['example', example.origin],
                                      key => pg_catalog.format('example %s', example.id));
            added := added OPERATOR(pg_catalog.+) 1;
        EXCEPTION WHEN invalid_parameter_value THEN
            RAISE NOTICE 'not added, its statement does not run: %', example.question;
        END;
    END LOOP;
    RETURN added;
END
$add_cases_from_examples$;
COMMENT ON FUNCTION text2sql.add_cases_from_examples(text, text) IS
    'adds the verified examples to a suite as cases; origin ''feedback'' takes the corrections only';

-- Adds what people said about answers, as far as the caller may see it; gives how many. A right answer is a case
-- with its SQL as gold, a correction one with the corrected SQL, a question that was rightly not answered one with
-- its status. What a curator has not verified is left out, unless only_verified is false.
CREATE FUNCTION text2sql.add_cases_from_feedback(suite text, only_verified boolean DEFAULT true) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
AS $add_cases_from_feedback$
DECLARE
    said record;
    added pg_catalog.int8 := 0;
    left_out pg_catalog.int8 := 0;
    is_wrong pg_catalog.bool;
BEGIN
    PERFORM text2sql._suite_clock(suite);
    FOR said IN SELECT f.trace_id, f.question, f.status, f.verdict, f.state,
                       CASE WHEN f.verdict OPERATOR(pg_catalog.=) 'wrong' THEN f.corrected_sql ELSE f.sql END AS gold
                  FROM text2sql.feedback AS f ORDER BY f.given_at, f.trace_id LOOP
        is_wrong := said.verdict OPERATOR(pg_catalog.=) 'wrong';
        IF (only_verified AND said.state OPERATOR(pg_catalog.<>) 'verified')
           OR (said.gold IS NULL AND (is_wrong OR said.status OPERATOR(pg_catalog.<>)
               ALL (ARRAY['ambiguous', 'unanswerable', 'not_permitted', 'blocked']))) THEN
            left_out := left_out OPERATOR(pg_catalog.+) 1;
            CONTINUE;
        END IF;
        BEGIN
            PERFORM text2sql.add_case(suite, said.question,
                                      CASE WHEN is_wrong OR said.status OPERATOR(pg_catalog.=) 'ok' THEN said.gold END,
                                      expected_status => CASE WHEN is_wrong THEN 'ok' ELSE said.status END,
                                      tags => ARRAY['feedback', said.verdict],
                                      key => pg_catalog.format('feedback %s', said.trace_id));
            added := added OPERATOR(pg_catalog.+) 1;
        EXCEPTION WHEN invalid_parameter_value THEN
            RAISE NOTICE 'not added, its statement does not run: %', said.question;
        END;
    END LOOP;
    IF left_out OPERATOR(pg_catalog.>) 0 THEN
        RAISE NOTICE '% more were left out: not verified, or without SQL that would be right', left_out;
    END IF;
    RETURN added;
END
$add_cases_from_feedback$;
COMMENT ON FUNCTION text2sql.add_cases_from_feedback(text, boolean) IS
    'adds what people said about answers to a suite as cases: right answers, corrections, rightly unanswered questions';
