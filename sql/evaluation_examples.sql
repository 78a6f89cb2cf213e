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
            added := added + 1;
        EXCEPTION WHEN invalid_parameter_value THEN
            RAISE NOTICE 'not added, its statement does not run: %', example.question;
        END;
    END LOOP;
    RETURN added;
END
$add_cases_from_examples$;
COMMENT ON FUNCTION text2sql.add_cases_from_examples(text, text) IS
    'adds the verified examples to a suite as cases; origin ''feedback'' takes the corrections only';
