-- Reading an evaluation: its report, and a model's opinions on its failures. _collect_opinions() does not set
-- search_path, because it commits.

-- An evaluation as one document, for reports.
CREATE FUNCTION text2sql_eval._evaluation_data(evaluation_id bigint) RETURNS json
LANGUAGE plpgsql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $evaluation_data$
DECLARE
    document json;
BEGIN
    SELECT json_build_object('evaluation', to_json(u), 'results', coalesce((
               SELECT json_agg(to_json(r) ORDER BY r.case_id, r.attempt)
                 FROM (SELECT a.*, text2sql_eval._agrees_everywhere(a.ex, a.robust, u.settings) AS test_suite
                         FROM text2sql_eval.results a WHERE a.evaluation_id = u.evaluation_id) AS r), '[]'))
      INTO document
      FROM text2sql_eval._evaluations u WHERE u.evaluation_id = _evaluation_data.evaluation_id;
    IF document IS NULL THEN
        RAISE EXCEPTION 'evaluation % does not exist', _evaluation_data.evaluation_id
            USING ERRCODE = 'undefined_object', HINT = 'List the evaluations: SELECT evaluation_id, suite, state FROM text2sql_eval.evaluations;';
    END IF;
    RETURN document;
END
$evaluation_data$;

-- One self-contained HTML page: psql -AtXc 'SELECT text2sql_eval.report(7)' > report.html. The baseline of an
-- ablation is shown with its variants, that of a search with all trials.
CREATE FUNCTION text2sql_eval.report(evaluation_id bigint, earlier bigint DEFAULT NULL) RETURNS text
LANGUAGE sql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $report$
    SELECT text2sql_eval._render_report(text2sql_eval._evaluation_data(report.evaluation_id),
           CASE WHEN earlier IS NOT NULL THEN text2sql_eval._evaluation_data(earlier) END,
           (SELECT json_object_agg(v.variant, text2sql_eval._evaluation_data(v.evaluation_id) ORDER BY v.evaluation_id) FROM text2sql_eval._variants v
             WHERE v.baseline = report.evaluation_id AND v.evaluation_id <> v.baseline AND v.part IN (
                   SELECT b.part FROM text2sql_eval._variants b WHERE b.evaluation_id = report.evaluation_id)),
           (SELECT json_agg(to_json(t)) FROM text2sql_eval.trials t WHERE t.run_id = (
                   SELECT o.run_id FROM text2sql_eval._tuning_trials o WHERE o.evaluation_id = report.evaluation_id AND o.trial = 0)))
$report$;
COMMENT ON FUNCTION text2sql_eval.report(bigint, bigint) IS
    'Returns an evaluation as one HTML page: figures with intervals, plots, failures side by side, and changes since an earlier evaluation.';

-- Asks the model for its opinion on each failure that has none yet, one call each.
CREATE PROCEDURE text2sql_eval._collect_opinions(evaluation_id bigint, max_opinions integer)
LANGUAGE plpgsql
AS $collect_opinions$
DECLARE
    failure text2sql_eval.results;
    said pg_catalog.text;
BEGIN
    FOR number IN 1 .. max_opinions LOOP
        SELECT r.* INTO failure FROM text2sql_eval.results r
         WHERE r.evaluation_id OPERATOR(pg_catalog.=) _collect_opinions.evaluation_id AND r.verdict OPERATOR(pg_catalog.=) ANY (ARRAY['wrong', 'failed'])
           AND r.sql IS NOT NULL AND r.opinion IS NULL AND pg_catalog.cardinality(r.gold) OPERATOR(pg_catalog.>) 0
         ORDER BY r.case_id, r.attempt LIMIT 1;
        EXIT WHEN NOT FOUND;
        said := text2sql_eval._opinion(failure.question, pg_catalog.array_to_string(failure.gold, E'\n-- or\n'), failure.sql,
                                  pg_catalog.array_to_string(failure.reasons, '; '));
        UPDATE text2sql_eval.results r SET opinion = said
         WHERE r.evaluation_id OPERATOR(pg_catalog.=) failure.evaluation_id AND r.case_id OPERATOR(pg_catalog.=) failure.case_id
           AND r.attempt OPERATOR(pg_catalog.=) failure.attempt;
        COMMIT;
    END LOOP;
END
$collect_opinions$;
COMMENT ON PROCEDURE text2sql_eval._collect_opinions(bigint, integer) IS
    'Asks the model for its opinion on failures, for evaluate().';
COMMENT ON FUNCTION text2sql_eval._evaluation_data IS
    'Returns an evaluation as JSON, for the report.';
COMMENT ON FUNCTION text2sql_eval._render_report IS
    'Returns an evaluation as an HTML page.';
COMMENT ON FUNCTION text2sql_eval._opinion IS
    'Returns the opinion of a model on a failure.';
