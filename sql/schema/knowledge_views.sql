-- Stored knowledge as views. Run once by CREATE EXTENSION, after knowledge.sql.
--
-- They are read with the privileges of the caller: row-level security shows the rows about objects that the
-- caller can see, under their current names. The guard checks for each row that is read whether its SQL is
-- still valid: the functions are STABLE and in subqueries of their own, so that a query checks only the rows
-- that it returns, once each, and none unless it reads `status` or `problem`.

-- COMMENT ON is shown beside the description by describe(), which takes precedence.
CREATE VIEW text2sql.descriptions WITH (security_invoker = true) AS
SELECT coalesce(text2sql._object_name(now.object_oid, now.column_number), a.object_name) AS object,
       a.description,
       CASE WHEN now.column_number = -1 THEN pg_catalog.left(pg_catalog.obj_description(now.object_oid, 'pg_namespace'), 4000)
            WHEN now.column_number = 0 THEN pg_catalog.left(pg_catalog.obj_description(now.object_oid, 'pg_class'), 4000)
            ELSE pg_catalog.left(pg_catalog.col_description(now.object_oid, now.column_number), 4000)
       END AS comment,
       a.value_meanings, a.synonyms, a.priority, a.derived_from,
       a.description_origin AS origin, a.taught_by, a.taught_at
FROM text2sql._annotations a
CROSS JOIN LATERAL text2sql._resolve_objects(
    a.catalog, ARRAY[a.object_name], ARRAY[a.object_oid], ARRAY[a.column_number]) AS now;
COMMENT ON VIEW text2sql.descriptions IS
    'Descriptions, meanings of values, synonyms and priorities of schemas, tables and columns, with their comments.';
COMMENT ON COLUMN text2sql.descriptions.object IS 'Schema, table or column, by its current name.';
COMMENT ON COLUMN text2sql.descriptions.description IS 'The description set by describe(); it takes precedence over the comment.';
COMMENT ON COLUMN text2sql.descriptions.comment IS 'The comment set by COMMENT ON, its first 4,000 characters.';
COMMENT ON COLUMN text2sql.descriptions.value_meanings IS 'Values of the column with their meanings, as describe() set them.';
COMMENT ON COLUMN text2sql.descriptions.synonyms IS 'Other words for the object.';
COMMENT ON COLUMN text2sql.descriptions.priority IS '''low'' where few questions need the column, else NULL; set by describe().';
COMMENT ON COLUMN text2sql.descriptions.derived_from IS 'Relations that the table is built from, according to a dbt manifest.';
COMMENT ON COLUMN text2sql.descriptions.origin IS 'Where the description comes from: taught, dbt or suggested.';
COMMENT ON COLUMN text2sql.descriptions.taught_by IS 'The role that set it last.';
COMMENT ON COLUMN text2sql.descriptions.taught_at IS 'When it was set last.';

CREATE VIEW text2sql.definitions WITH (security_invoker = true) AS
SELECT d.id, d.term, d.meaning, d.sql_expression, coalesce(now.name, d.applies_to) AS applies_to,
       d.expression_kind AS kind, d.synonyms,
       CASE WHEN judged.problem IS NULL THEN 'ok' ELSE 'broken' END AS status,
       judged.problem, d.origin, d.taught_by, d.taught_at, d.period,
       (SELECT min(l.source) FROM text2sql._import_lines l
         WHERE l.entry = 'definition' AND l.entry_id = d.id AND l.is_own) AS source,
       ARRAY(SELECT pg_catalog.json_array_elements_text(made.parts -> 'joins')) AS joins,
       made.parts ->> 'grain' AS grain, d.metric, made.parts ->> 'sql' AS query
FROM text2sql._definitions d
CROSS JOIN LATERAL (
    SELECT coalesce(bool_and(n.object_oid IS NOT NULL), true) AS is_whole,
           min(text2sql._object_name(n.object_oid, 0::int2)) FILTER (WHERE n.place = 1) AS name
    FROM text2sql._resolve_objects(d.catalog, d.object_names, d.object_oids, d.column_numbers)
        WITH ORDINALITY AS n(object_oid, column_number, place)
) AS now
CROSS JOIN LATERAL (
    SELECT CASE WHEN NOT now.is_whole THEN 'a table or column that it is about does not exist'
                ELSE text2sql._problem_of_definition(d.id) END AS problem
    OFFSET 0
) AS judged
CROSS JOIN LATERAL (SELECT text2sql._parts_of_definition(d.id) AS parts OFFSET 0) AS made;
COMMENT ON VIEW text2sql.definitions IS
    'Business terms with their meaning in words and in SQL, and whether the server still accepts the SQL.';
COMMENT ON COLUMN text2sql.definitions.id IS 'Identifies the definition.';
COMMENT ON COLUMN text2sql.definitions.term IS 'The term, as questions use it.';
COMMENT ON COLUMN text2sql.definitions.meaning IS 'The meaning in words.';
COMMENT ON COLUMN text2sql.definitions.sql_expression IS 'The meaning as an SQL expression; NULL where there is none.';
COMMENT ON COLUMN text2sql.definitions.applies_to IS 'The table over whose rows the expression is evaluated.';
COMMENT ON COLUMN text2sql.definitions.kind IS 'What the expression is: condition, value or aggregate.';
COMMENT ON COLUMN text2sql.definitions.synonyms IS 'Other words and abbreviations for the term.';
COMMENT ON COLUMN text2sql.definitions.status IS 'ok, or broken: the SQL is no longer valid, and the definition is not used.';
COMMENT ON COLUMN text2sql.definitions.problem IS 'Why the definition is broken.';
COMMENT ON COLUMN text2sql.definitions.origin IS 'Where the definition comes from: taught, dbt, suggested or import.';
COMMENT ON COLUMN text2sql.definitions.taught_by IS 'The role that defined it.';
COMMENT ON COLUMN text2sql.definitions.taught_at IS 'When it was defined.';
COMMENT ON COLUMN text2sql.definitions.source IS 'The imported file that gave it, by its name in imports; NULL: none.';
COMMENT ON COLUMN text2sql.definitions.period IS 'The days that the term stands for, in words; NULL for a term that is no period.';
COMMENT ON COLUMN text2sql.definitions.joins IS 'The joins of the definition as equal columns, in their order; empty for an expression over one table.';
COMMENT ON COLUMN text2sql.definitions.grain IS 'What is counted once: a row of the table that the expression is about, or a period; NULL for words and periods.';
COMMENT ON COLUMN text2sql.definitions.metric IS 'How a metric is made of other definitions; NULL for a term that is none.';
COMMENT ON COLUMN text2sql.definitions.query IS 'The query that computes the term; NULL where there is no SQL or the term is broken.';

CREATE VIEW text2sql.examples WITH (security_invoker = true) AS
SELECT e.id, e.question, e.sql,
       ARRAY(
           SELECT DISTINCT coalesce(text2sql._object_name(n.object_oid, 0::int2), n.name)
           FROM ROWS FROM (
               text2sql._resolve_objects(e.catalog, e.object_names, e.object_oids, e.column_numbers),
               unnest(e.object_names)
           ) AS n(object_oid, column_number, name)
           ORDER BY 1) AS table_names,
       CASE WHEN judged.problem IS NOT NULL THEN 'broken'
            WHEN e.verified_at IS NULL THEN 'unverified'
            ELSE 'verified' END AS status,
       judged.problem, e.verified_by, e.verified_at,
       e.intent, e.intent_reason, e.intent_model, e.intent_checked_at,
       e.origin, e.taught_by, e.taught_at,
       (SELECT min(l.source) FROM text2sql._import_lines l
         WHERE l.entry = 'example' AND l.entry_id = e.id AND l.is_own) AS source
FROM text2sql._examples e
CROSS JOIN LATERAL (SELECT text2sql._problem_of_sql(e.sql) AS problem OFFSET 0) AS judged;
COMMENT ON VIEW text2sql.examples IS
    'Questions with the SQL that answers them, who verified them, and whether the server still accepts the SQL.';
COMMENT ON COLUMN text2sql.examples.id IS 'Identifies the example: accept(''example'', id), reject(''example'', id), forget(''example'', id).';
COMMENT ON COLUMN text2sql.examples.question IS 'The question.';
COMMENT ON COLUMN text2sql.examples.sql IS 'The SQL that answers it.';
COMMENT ON COLUMN text2sql.examples.table_names IS 'The tables that the SQL reads.';
COMMENT ON COLUMN text2sql.examples.status IS 'verified, unverified, or broken: the SQL is no longer valid. Only verified examples are used.';
COMMENT ON COLUMN text2sql.examples.problem IS 'Why the example is broken.';
COMMENT ON COLUMN text2sql.examples.verified_by IS 'The role that verified it.';
COMMENT ON COLUMN text2sql.examples.verified_at IS 'When it was verified.';
COMMENT ON COLUMN text2sql.examples.intent IS 'Whether the SQL answers the question according to a model: yes, no or unsure.';
COMMENT ON COLUMN text2sql.examples.intent_reason IS 'The reason given by the model.';
COMMENT ON COLUMN text2sql.examples.intent_model IS 'The model used by check_examples().';
COMMENT ON COLUMN text2sql.examples.intent_checked_at IS 'When the model was asked.';
COMMENT ON COLUMN text2sql.examples.origin IS 'Where the example comes from: taught, import or feedback.';
COMMENT ON COLUMN text2sql.examples.taught_by IS 'The role that added it.';
COMMENT ON COLUMN text2sql.examples.taught_at IS 'When it was added.';
COMMENT ON COLUMN text2sql.examples.source IS 'The imported file that gave it, by its name in imports; NULL: none.';

CREATE VIEW text2sql.joins WITH (security_invoker = true) AS
SELECT j.id,
       now.names[1 : cardinality(j.object_names) / 2] AS column_names,
       now.names[cardinality(j.object_names) / 2 + 1 :] AS target_column_names,
       j.status, j.certainty, j.evidence, j.origin, j.taught_by, j.taught_at
FROM text2sql._joins j
CROSS JOIN LATERAL (
    SELECT array_agg(coalesce(text2sql._object_name(n.object_oid, n.column_number), n.name) ORDER BY n.place) AS names
    FROM ROWS FROM (
        text2sql._resolve_objects(j.catalog, j.object_names, j.object_oids, j.column_numbers),
        unnest(j.object_names)
    ) WITH ORDINALITY AS n(object_oid, column_number, name, place)
) AS now;
COMMENT ON VIEW text2sql.joins IS
    'Joins that no foreign key declares: suggested, accepted and rejected ones.';
COMMENT ON COLUMN text2sql.joins.id IS 'Identifies the join: accept(''join'', id), reject(''join'', id), forget(''join'', id).';
COMMENT ON COLUMN text2sql.joins.column_names IS 'The referencing columns.';
COMMENT ON COLUMN text2sql.joins.target_column_names IS 'The referenced columns, in the same order.';
COMMENT ON COLUMN text2sql.joins.status IS 'suggested, accepted or rejected. Accepted joins are used as foreign keys. Suggested ones with a certainty are shown to models as likely; others are not used.';
COMMENT ON COLUMN text2sql.joins.certainty IS 'How sure a join is that refresh() inferred from names, keys and values: the share of such proposals that are right. NULL: it was not inferred.';
COMMENT ON COLUMN text2sql.joins.evidence IS 'The evidence for the join.';
COMMENT ON COLUMN text2sql.joins.origin IS 'Where the join comes from: taught, dbt, statements (pg_stat_statements), examples or inferred (by refresh()).';
COMMENT ON COLUMN text2sql.joins.taught_by IS 'The role that added it, suggested it or decided about it last.';
COMMENT ON COLUMN text2sql.joins.taught_at IS 'When that was.';

CREATE VIEW text2sql.suggestions WITH (security_invoker = true) AS
SELECT s.id, s.kind, coalesce(text2sql._object_name(now.object_oid, now.column_number), s.object_names[1]) AS object,
       s.term, s.suggestion, s.sql_expression, s.status, s.model, s.suggested_by, s.suggested_at,
       s.decided_by, s.decided_at
FROM text2sql._suggestions s
CROSS JOIN LATERAL text2sql._resolve_objects(
    s.catalog, s.object_names[1:1], s.object_oids[1:1], s.column_numbers[1:1]) AS now;
COMMENT ON VIEW text2sql.suggestions IS
    'Descriptions and definitions that a model or a user suggested, for review by a curator.';
COMMENT ON COLUMN text2sql.suggestions.id IS 'Identifies the suggestion: accept(''suggestion'', id), reject(''suggestion'', id).';
COMMENT ON COLUMN text2sql.suggestions.kind IS 'description or definition.';
COMMENT ON COLUMN text2sql.suggestions.object IS 'The object to describe, or the table that the definition is about.';
COMMENT ON COLUMN text2sql.suggestions.term IS 'The term of a definition.';
COMMENT ON COLUMN text2sql.suggestions.suggestion IS 'The description, or the meaning of the term.';
COMMENT ON COLUMN text2sql.suggestions.sql_expression IS 'The term in SQL.';
COMMENT ON COLUMN text2sql.suggestions.status IS 'open, accepted or rejected.';
COMMENT ON COLUMN text2sql.suggestions.model IS 'The model that suggested it; ''feedback'' for a comment of a user.';
COMMENT ON COLUMN text2sql.suggestions.suggested_by IS 'The role that asked the model, or gave the feedback.';
COMMENT ON COLUMN text2sql.suggestions.suggested_at IS 'When it was suggested.';
COMMENT ON COLUMN text2sql.suggestions.decided_by IS 'The role that accepted or rejected it.';
COMMENT ON COLUMN text2sql.suggestions.decided_at IS 'When that was.';

COMMENT ON TABLE text2sql._annotations IS 'Rows behind the view text2sql.descriptions.';
COMMENT ON TABLE text2sql._definitions IS 'Rows behind the view text2sql.definitions.';
COMMENT ON TABLE text2sql._examples IS 'Rows behind the view text2sql.examples.';
COMMENT ON TABLE text2sql._joins IS 'Rows behind the view text2sql.joins.';
COMMENT ON TABLE text2sql._suggestions IS 'Rows behind the view text2sql.suggestions.';
