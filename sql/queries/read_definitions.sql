-- The definitions that the current user can use, as one JSON document. Called by src/pg/knowledge/glossary.rs
-- with $1 int8, the maximum number of them.
SELECT coalesce(json_agg(json_build_object(
    'id', known.id,
    'term', known.term,
    'meaning', known.meaning,
    'synonyms', known.synonyms,
    'sql_expression', known.sql_expression,
    'period', known.period,
    'applies_to', now.object_oid::int8,
    'table_name', text2sql._object_name(now.object_oid, 0::int2)
) ORDER BY known.id), '[]')::text
FROM (SELECT d.* FROM text2sql._definitions d ORDER BY d.id LIMIT $1) AS known
LEFT JOIN LATERAL text2sql._resolve_objects(
    known.catalog, known.object_names[1:1], known.object_oids[1:1], known.column_numbers[1:1]) AS now ON true
