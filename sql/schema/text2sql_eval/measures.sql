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
    evaluation_ids bigint[], by text[] DEFAULT '{}', levels text[] DEFAULT '{}', styles text[] DEFAULT '{}', tags text[] DEFAULT '{}'
)
    RETURNS TABLE (suite text, model text, variant text, level text, style text, tag text, kind text,
                   measure text, measured_as text, cases integer, runs integer, mean double precision,
                   minimum double precision, maximum double precision, low double precision, high double precision)
LANGUAGE sql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $measures$
    SELECT c.*
      FROM json_to_recordset(text2sql_eval._measure_table(text2sql_eval._named_evaluations(evaluation_ids), by, levels, styles, tags))
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

CREATE FUNCTION text2sql_eval.significance(
    baseline bigint, candidates bigint[] DEFAULT NULL, levels text[] DEFAULT '{}', styles text[] DEFAULT '{}', tags text[] DEFAULT '{}'
)
    RETURNS TABLE (variant text, evaluation_id bigint, measure text, test text, cases integer, baseline_mean double precision,
                   candidate_mean double precision, difference double precision, low double precision, high double precision,
                   more integer, less integer, p double precision, p_holm double precision)
LANGUAGE sql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $significance$
    SELECT s.variant, s.evaluation_id, s.measure, s.test, s.cases, s.baseline, s.candidate, s.difference, s.low, s.high,
           s.more, s.less, s.p, s.p_holm
      FROM json_to_recordset(text2sql_eval._significance(text2sql_eval._named_evaluations(
               significance.baseline || coalesce(candidates, text2sql_eval._variants_of(significance.baseline))), levels, styles, tags))
           AS s(variant text, evaluation_id bigint, measure text, test text, cases integer, baseline double precision,
                candidate double precision, difference double precision, low double precision, high double precision,
                more integer, less integer, p double precision, p_holm double precision)
$significance$;

-- One row for each variant of an ablation and each kind of question, and one over all: validity, exact match and
-- execution accuracy, and whether they differ from the baseline's (p with Holm's correction over the variants).
CREATE FUNCTION text2sql_eval.compare_variants(
    baseline bigint, by text[] DEFAULT '{level,style}', levels text[] DEFAULT '{}', styles text[] DEFAULT '{}', tags text[] DEFAULT '{}'
)
    RETURNS TABLE (variant text, level text, style text, tag text, kind text, cases integer,
                   va_rate double precision, em_rate double precision, em_share double precision,
                   ea_rate double precision, ea_share double precision,
                   p_va_rate double precision, p_em_rate double precision, p_em_share double precision,
                   p_ea_rate double precision, p_ea_share double precision)
LANGUAGE sql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $compare_variants$
    WITH data AS MATERIALIZED (
        SELECT text2sql_eval._named_evaluations(compare_variants.baseline || text2sql_eval._variants_of(compare_variants.baseline)) AS evaluations),
    cells AS (
        SELECT g.is_all, c.place, c.cell
          FROM data, (VALUES (true, ARRAY['variant']), (false, 'variant'::text || compare_variants.by)) AS g(is_all, by),
               LATERAL json_array_elements(text2sql_eval._measure_table(data.evaluations, g.by, levels, styles, tags))
                       WITH ORDINALITY AS c(cell, place)
         WHERE g.is_all OR cardinality(compare_variants.by) > 0),
    read AS (
        SELECT s.is_all, s.place, c.* FROM cells s,
               LATERAL json_to_record(s.cell) AS c(variant text, level text, style text, tag text, kind text, measure text, cases integer, mean double precision)),
    tested AS (
        SELECT t.* FROM data, LATERAL json_to_recordset(text2sql_eval._significance(data.evaluations, levels, styles, tags))
               AS t(variant text, measure text, p_holm double precision))
    SELECT r.variant, r.level, r.style, r.tag, r.kind, max(r.cases) FILTER (WHERE r.measure = 'accuracy'),
           max(r.mean) FILTER (WHERE r.measure = 'valid'), max(r.mean) FILTER (WHERE r.measure = 'em_rate'),
           max(r.mean) FILTER (WHERE r.measure = 'em_share'), max(r.mean) FILTER (WHERE r.measure = 'ex'),
           max(r.mean) FILTER (WHERE r.measure = 'ea_share'),
           max(t.p_holm) FILTER (WHERE r.is_all AND r.measure = 'valid'), max(t.p_holm) FILTER (WHERE r.is_all AND r.measure = 'em_rate'),
           max(t.p_holm) FILTER (WHERE r.is_all AND r.measure = 'em_share'), max(t.p_holm) FILTER (WHERE r.is_all AND r.measure = 'ex'),
           max(t.p_holm) FILTER (WHERE r.is_all AND r.measure = 'ea_share')
      FROM read r LEFT JOIN tested t ON t.variant = r.variant AND t.measure = r.measure
     GROUP BY r.is_all, r.variant, r.level, r.style, r.tag, r.kind
     ORDER BY min(min(r.place)) FILTER (WHERE r.is_all) OVER (PARTITION BY r.variant), r.is_all, min(r.place)
$compare_variants$;

-- One row for each suite, model and variant: whether statements are well formed, run and are like the gold, on average
-- and in the best run, and how much the runs agree.
CREATE FUNCTION text2sql_eval.compare_models(
    evaluation_ids bigint[] DEFAULT NULL, levels text[] DEFAULT '{}', styles text[] DEFAULT '{}', tags text[] DEFAULT '{}'
)
    RETURNS TABLE (suite text, model text, variant text, cases integer, runs integer,
                   syntax double precision, syntax_max double precision, names double precision, names_max double precision,
                   executability double precision, executability_max double precision,
                   columns_identified double precision, columns_identified_max double precision,
                   similarity double precision, similarity_max double precision,
                   accuracy double precision, accuracy_max double precision, reliability double precision)
LANGUAGE sql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $compare_models$
    WITH read AS (
        SELECT m.*, m.place AS at
          FROM ROWS FROM (text2sql_eval.measures(
                   coalesce(evaluation_ids, (SELECT coalesce(array_agg(u.evaluation_id ORDER BY u.evaluation_id), '{}')
                                               FROM text2sql_eval._evaluations u WHERE u.state = 'done')),
                   '{suite,model,variant}', levels, styles, tags)) WITH ORDINALITY
               AS m(suite, model, variant, level, style, tag, kind, measure, measured_as, cases, runs, mean, minimum, maximum, low, high, place))
    SELECT r.suite, r.model, r.variant, max(r.cases) FILTER (WHERE r.measure = 'accuracy'), max(r.runs),
           max(r.mean) FILTER (WHERE r.measure = 'valid_syntax'), max(r.maximum) FILTER (WHERE r.measure = 'valid_syntax'),
           max(r.mean) FILTER (WHERE r.measure = 'valid_names'), max(r.maximum) FILTER (WHERE r.measure = 'valid_names'),
           max(r.mean) FILTER (WHERE r.measure = 'valid'), max(r.maximum) FILTER (WHERE r.measure = 'valid'),
           max(r.mean) FILTER (WHERE r.measure = 'columns_identified'), max(r.maximum) FILTER (WHERE r.measure = 'columns_identified'),
           max(r.mean) FILTER (WHERE r.measure = 'similarity'), max(r.maximum) FILTER (WHERE r.measure = 'similarity'),
           max(r.mean) FILTER (WHERE r.measure = 'accuracy'), max(r.maximum) FILTER (WHERE r.measure = 'accuracy'),
           max(r.mean) FILTER (WHERE r.measure = 'reliability')
      FROM read r GROUP BY r.suite, r.model, r.variant ORDER BY min(r.at)
$compare_models$;

COMMENT ON FUNCTION text2sql_eval.measures(bigint[], text[], text[], text[], text[]) IS
    'Returns the mean of every measure with its 95 percent interval, and the mean of the worst and of the best run, over all cases or by level, style, tag, kind, model, variant and suite. Example: SELECT * FROM text2sql_eval.measures(''{7,8}'', by => ''{variant,level,style}'').';
COMMENT ON FUNCTION text2sql_eval.element_errors(bigint[], text[], text[], text[]) IS
    'Returns how often each element of the statements (tables, columns, operations, dates, sort, limit) is not that of the gold statement. Example: SELECT * FROM text2sql_eval.element_errors(''{7}'').';
COMMENT ON FUNCTION text2sql_eval.significance(bigint, bigint[], text[], text[], text[]) IS
    'Tests every measure of evaluations against a baseline, over the same cases: McNemar''s mid-p for rates, Wilcoxon''s signed-rank test for shares and amounts, with Holm''s correction over the evaluations. By default against the variants of an ablation. Example: SELECT * FROM text2sql_eval.significance(7) WHERE measure = ''ex''.';
COMMENT ON FUNCTION text2sql_eval.compare_variants(bigint, text[], text[], text[], text[]) IS
    'Returns validity, exact match and execution accuracy of the variants of an ablation, by level and style and over all cases, with the significance of the difference from the baseline. Example: SELECT * FROM text2sql_eval.compare_variants(7).';
COMMENT ON FUNCTION text2sql_eval.compare_models(bigint[], text[], text[], text[]) IS
    'Returns syntax, names, executability, columns identified, similarity and accuracy of evaluations, on average and in the best run, and the reliability over the runs, by suite, model and variant. Example: SELECT * FROM text2sql_eval.compare_models(''{7,8}'').';
COMMENT ON FUNCTION text2sql_eval._named_evaluations IS 'Returns evaluations as JSON, each with the name of its variant.';
COMMENT ON FUNCTION text2sql_eval._variants_of IS 'Returns the evaluations of the variants of a baseline.';
COMMENT ON FUNCTION text2sql_eval._measure_table IS 'Computes the rows of measures().';
COMMENT ON FUNCTION text2sql_eval._element_errors IS 'Computes the rows of element_errors().';
COMMENT ON FUNCTION text2sql_eval._significance IS 'Computes the rows of significance().';
