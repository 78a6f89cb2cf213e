-- The definitions that the current user can use, as one JSON document. Called by src/pg/stored/knowledge/glossary.rs
-- with $1 int8, the maximum number of them.
SELECT coalesce(json_agg(json_build_object(
    'id', known.id,
    'term', known.term,
    'meaning', known.meaning,
    'synonyms', known.synonyms,
    'sql_expression', known.sql_expression,
    'period', known.period,
    'kind', known.expression_kind,
    'metric', known.metric,
    'table', CASE WHEN c.oid IS NOT NULL THEN json_build_object('oid', c.oid::int8, 'schema', n.nspname, 'name', c.relname) END,
    'columns', named.columns
) ORDER BY known.id), '[]')::text
FROM (SELECT d.* FROM text2sql._definitions d ORDER BY d.id LIMIT $1) AS known
LEFT JOIN LATERAL text2sql._resolve_objects(
    known.catalog, known.object_names[1:1], known.object_oids[1:1], known.column_numbers[1:1]) AS now ON true
LEFT JOIN pg_class c ON c.oid = now.object_oid
LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
-- A column that is gone is NULL.
LEFT JOIN LATERAL (
    SELECT json_agg(CASE WHEN a.attname IS NOT NULL THEN json_build_object(
               'oid', r.oid::int8, 'schema', s.nspname, 'name', r.relname, 'column', a.attname) END ORDER BY p.place) AS columns
    FROM unnest(known.column_places) WITH ORDINALITY AS p(position, place)
    LEFT JOIN LATERAL text2sql._resolve_objects(
        known.catalog, known.object_names[p.position:p.position], known.object_oids[p.position:p.position],
        known.column_numbers[p.position:p.position]) AS o ON true
    LEFT JOIN pg_class r ON r.oid = o.object_oid
    LEFT JOIN pg_namespace s ON s.oid = r.relnamespace
    LEFT JOIN pg_attribute a ON a.attrelid = o.object_oid AND a.attnum = o.column_number AND NOT a.attisdropped
) AS named ON known.column_places <> '{}'
