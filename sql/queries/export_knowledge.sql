-- All stored knowledge that the current user can see, as one JSON array of entries, each of which becomes a line of
-- the export. Called by src/pg/stored/teaching/knowledge.rs. NULL members are omitted.
SELECT coalesce(json_agg(entries.entry), '[]')::text
FROM (
    SELECT json_strip_nulls(json_build_object(
        'kind', 'object',
        'object', coalesce(text2sql._object_name(now.object_oid, now.column_number), a.object_name),
        'description', a.description,
        'origin', nullif(a.description_origin, 'taught'),
        'value_meanings', a.value_meanings,
        'synonyms', a.synonyms,
        'priority', a.priority,
        'derived_from', a.derived_from)) AS entry
    FROM text2sql._annotations a
    CROSS JOIN LATERAL text2sql._resolve_objects(
        a.catalog, ARRAY[a.object_name], ARRAY[a.object_oid], ARRAY[a.column_number]) AS now
    UNION ALL
    SELECT json_strip_nulls(json_build_object(
        'kind', 'definition',
        'term', d.term,
        'meaning', d.meaning,
        'sql_expression', d.sql_expression,
        'period', d.period,
        'applies_to', CASE WHEN d.metric IS NULL THEN coalesce(now.name, d.applies_to) END,
        'joins', CASE WHEN d.metric IS NULL AND d.column_places <> '{}'
                      THEN text2sql._parts_of_definition(d.id) -> 'joins' END,
        'metric', d.metric,
        'columns', CASE WHEN d.metric IS NOT NULL AND d.column_places <> '{}'
                        THEN text2sql._parts_of_definition(d.id) -> 'columns' END,
        'synonyms', d.synonyms,
        'origin', nullif(d.origin, 'taught')))
    FROM text2sql._definitions d
    CROSS JOIN LATERAL (
        SELECT min(text2sql._object_name(n.object_oid, 0::int2)) AS name
        FROM text2sql._resolve_objects(
            d.catalog, d.object_names[1:1], d.object_oids[1:1], d.column_numbers[1:1]) AS n
    ) AS now
    UNION ALL
    SELECT json_strip_nulls(json_build_object(
        'kind', 'join',
        'columns', now.names[1 : cardinality(j.object_names) / 2],
        'target_columns', now.names[cardinality(j.object_names) / 2 + 1 :],
        'status', j.status,
        'evidence', j.evidence,
        'origin', nullif(j.origin, 'taught')))
    FROM text2sql._joins j
    CROSS JOIN LATERAL (
        SELECT array_agg(coalesce(text2sql._object_name(n.object_oid, n.column_number), n.name) ORDER BY n.place) AS names
        FROM ROWS FROM (
            text2sql._resolve_objects(j.catalog, j.object_names, j.object_oids, j.column_numbers),
            unnest(j.object_names)
        ) WITH ORDINALITY AS n(object_oid, column_number, name, place)
    ) AS now
    -- refresh() infers them anew.
    WHERE j.origin <> 'inferred' OR j.status <> 'suggested'
    UNION ALL
    SELECT json_strip_nulls(json_build_object(
        'kind', 'example',
        'question', e.question,
        'sql', e.sql,
        'verified', e.verified_at IS NOT NULL,
        'intent', e.intent,
        'intent_reason', e.intent_reason,
        'origin', nullif(e.origin, 'taught')))
    FROM text2sql._examples e
    UNION ALL
    SELECT json_strip_nulls(json_build_object(
        'kind', 'instruction',
        'instruction', i.instruction,
        'applies_to', CASE i.column_numbers[1] WHEN -1 THEN 'schema ' WHEN 0 THEN 'table ' END
            || coalesce(text2sql._object_name(now.object_oid, now.column_number), i.object_names[1]),
        'role_name', i.role_name))
    FROM text2sql._instructions i
    LEFT JOIN LATERAL text2sql._resolve_objects(
        i.catalog, i.object_names, i.object_oids, i.column_numbers) AS now ON true
) AS entries
