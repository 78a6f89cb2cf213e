-- Tables of evaluations: means of all measures by level, style, tag, kind, model, variant and suite, the elements that
-- are wrong, the significance of differences. The figures are computed by C functions (src/api/evaluate/measures.rs)
-- from the same documents as the report. Run once by CREATE EXTENSION, after report.sql.

-- Evaluations as one JSON array, in the order of their IDs, each with the name of its variant.
CREATE FUNCTION text2sql_eval._named_evaluations(evaluation_ids bigint[]) RETURNS json
LANGUAGE sql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $named_evaluations$
    SELECT coalesce(json_agg(json_build_object(
               'variant', coalesce((SELECT v.variant FROM text2sql_eval._variants v WHERE v.evaluation_id = i.id),
                                   d.document -> 'evaluation' ->> 'name', format('evaluation %s', i.id)),
               'evaluation', d.document -> 'evaluation', 'results', d.document -> 'results') ORDER BY i.place), '[]')
      FROM unnest(evaluation_ids) WITH ORDINALITY AS i(id, place),
           LATERAL text2sql_eval._evaluation_data(i.id) AS d(document)
$named_evaluations$;

CREATE FUNCTION text2sql_eval.measures(
    evaluation_ids bigint[] DEFAULT NULL, by text[] DEFAULT '{}', levels text[] DEFAULT '{}', styles text[] DEFAULT '{}', tags text[] DEFAULT '{}'
)
    RETURNS TABLE (suite text, model text, variant text, level text, style text, tag text, kind text,
                   measure text, measured_as text, cases integer, runs integer, mean double precision,
                   minimum double precision, maximum double precision, low double precision, high double precision)
LANGUAGE sql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $measures$
    SELECT c.*
      FROM json_to_recordset(text2sql_eval._measure_table(text2sql_eval._named_evaluations(coalesce(evaluation_ids,
               (SELECT coalesce(array_agg(u.evaluation_id ORDER BY u.evaluation_id), '{}') FROM text2sql_eval._evaluations u WHERE u.state = 'done'))), by, levels, styles, tags))
           AS c(suite text, model text, variant text, level text, style text, tag text, kind text,
                measure text, measured_as text, cases integer, runs integer, mean double precision,
                minimum double precision, maximum double precision, low double precision, high double precision)
$measures$;

CREATE FUNCTION text2sql_eval.element_errors(
    evaluation_ids bigint[], levels text[] DEFAULT '{}', styles text[] DEFAULT '{}', tags text[] DEFAULT '{}'
)
    RETURNS TABLE (variant text, element text, statements integer, wrong integer, share_of_statements double precision,
                   share_of_wrong_statements double precision, share_of_wrong_results double precision)
LANGUAGE sql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $element_errors$
    SELECT e.*
      FROM json_to_recordset(text2sql_eval._element_errors(text2sql_eval._named_evaluations(evaluation_ids), levels, styles, tags))
           AS e(variant text, element text, statements integer, wrong integer, share_of_statements double precision,
                share_of_wrong_statements double precision, share_of_wrong_results double precision)
$element_errors$;

-- The evaluations of a baseline's variants.
CREATE FUNCTION text2sql_eval._variants_of(baseline bigint) RETURNS bigint[]
LANGUAGE sql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $variants_of$
    SELECT coalesce(array_agg(v.evaluation_id ORDER BY v.evaluation_id), '{}') FROM text2sql_eval._variants v
     WHERE v.baseline = _variants_of.baseline AND v.evaluation_id <> v.baseline
       AND v.part IN (SELECT b.part FROM text2sql_eval._variants b WHERE b.evaluation_id = v.baseline)
$variants_of$;

CREATE FUNCTION text2sql_eval.compare(
    baseline bigint, candidates bigint[] DEFAULT NULL, levels text[] DEFAULT '{}', styles text[] DEFAULT '{}', tags text[] DEFAULT '{}',
    phrasings text[] DEFAULT '{}'
)
    RETURNS TABLE (variant text, evaluation_id bigint, measure text, test text, cases integer, baseline_mean double precision,
                   candidate_mean double precision, difference double precision, low double precision, high double precision,
                   more integer, less integer, p double precision, p_holm double precision)
LANGUAGE sql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $compare$
    SELECT s.variant, s.evaluation_id, s.measure, s.test, s.cases, s.baseline, s.candidate, s.difference, s.low, s.high,
           s.more, s.less, s.p, s.p_holm
      FROM json_to_recordset(text2sql_eval._significance(text2sql_eval._named_evaluations(
               compare.baseline || coalesce(candidates, CASE WHEN phrasings = '{}' THEN text2sql_eval._variants_of(compare.baseline) ELSE ARRAY[compare.baseline] END)),
               levels, styles, tags, phrasings))
           AS s(variant text, evaluation_id bigint, measure text, test text, cases integer, baseline double precision,
                candidate double precision, difference double precision, low double precision, high double precision,
                more integer, less integer, p double precision, p_holm double precision)
$compare$;

COMMENT ON FUNCTION text2sql_eval.measures(bigint[], text[], text[], text[], text[]) IS
    'Returns the mean of every measure with its 95 percent interval, and the mean of the worst and of the best run, of these evaluations or of all that are done, over all cases or by level, style, tag, kind, model, variant and suite. Example: SELECT * FROM text2sql_eval.measures(''{7,8}'', by => ''{variant,level,style}'').';
COMMENT ON FUNCTION text2sql_eval.element_errors(bigint[], text[], text[], text[]) IS
    'Returns how often each element of the statements (tables, columns, operations, dates, sort, limit) is not that of the gold statement. Example: SELECT * FROM text2sql_eval.element_errors(''{7}'').';
COMMENT ON FUNCTION text2sql_eval.compare(bigint, bigint[], text[], text[], text[], text[]) IS
    'Compares evaluations with a baseline, over the same cases, in every measure: McNemar''s mid-p for rates, Wilcoxon''s signed-rank test for shares and amounts, with Holm''s correction over the evaluations. Without candidates, the variants of the baseline. With two styles as phrasings, questions in one style with those in the other that have the same gold statements; without candidates within the same evaluation. Examples: SELECT * FROM text2sql_eval.compare(7, ''{8}'') WHERE measure = ''ex''; SELECT * FROM text2sql_eval.compare(7, phrasings => ''{formal,colloquial}'').';
COMMENT ON FUNCTION text2sql_eval._named_evaluations IS 'Returns evaluations as JSON, each with the name of its variant.';
COMMENT ON FUNCTION text2sql_eval._variants_of IS 'Returns the evaluations of the variants of a baseline.';
COMMENT ON FUNCTION text2sql_eval._measure_table IS 'Computes the rows of measures().';
COMMENT ON FUNCTION text2sql_eval._element_errors IS 'Computes the rows of element_errors().';
COMMENT ON FUNCTION text2sql_eval._significance IS 'Computes the rows of compare().';
