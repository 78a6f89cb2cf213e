-- Stored knowledge about relations or columns, as one JSON array. Row-level security shows what the effective role may
-- see. Called by src/impact/knowledge.rs with
--   $1 oid[]   relations
--   $2 int4[]  column numbers; 0: the relation as a whole
WITH node AS MATERIALIZED (
    SELECT given.oid, given.number, given.place, text2sql._object_name(given.oid, 0::int2) AS name
    FROM unnest($1, $2) WITH ORDINALITY AS given(oid, number, place)
), about AS (
    SELECT n.place, 'definition' AS kind,
           d.term || CASE WHEN d.applies_to IS NULL THEN '' ELSE ' of ' || d.applies_to END AS object, NULL::oid AS next, true AS is_certain
    FROM text2sql._definitions d
    CROSS JOIN LATERAL text2sql._resolve_objects(d.catalog, d.object_names, d.object_oids, d.column_numbers) AS now
    JOIN node n ON n.oid = now.object_oid AND (n.number = 0 OR now.column_number = n.number)
    UNION
    SELECT n.place, CASE j.status WHEN 'accepted' THEN 'join' ELSE 'suggested join' END, array_to_string(j.object_names, ', '), NULL, true
    FROM text2sql._joins j
    CROSS JOIN LATERAL text2sql._resolve_objects(j.catalog, j.object_names, j.object_oids, j.column_numbers) AS now
    JOIN node n ON n.oid = now.object_oid AND (n.number = 0 OR now.column_number = n.number)
    WHERE j.status <> 'rejected' AND j.origin <> 'inferred'
    UNION
    SELECT n.place, 'example', e.question, NULL, true
    FROM text2sql._examples e
    CROSS JOIN LATERAL text2sql._resolve_objects(e.catalog, e.object_names, e.object_oids, e.column_numbers) AS now
    JOIN node n ON n.oid = now.object_oid AND (n.number = 0 OR now.column_number = n.number)
    UNION
    SELECT n.place, 'text index', s.object_names[1], NULL, true
    FROM text2sql._text_sources s
    CROSS JOIN LATERAL text2sql._resolve_objects(s.catalog, s.object_names, s.object_oids, s.column_numbers) AS now
    JOIN node n ON n.oid = now.object_oid AND (n.number = 0 OR now.column_number = n.number)
    UNION
    SELECT n.place, 'instruction', i.instruction, NULL, true
    FROM text2sql._instructions i
    CROSS JOIN LATERAL text2sql._resolve_objects(i.catalog, i.object_names, i.object_oids, i.column_numbers) AS now
    JOIN node n ON n.oid = now.object_oid AND n.number = 0
    UNION
    -- The project says which models a model is built from, not which columns.
    SELECT n.place, 'dbt model', coalesce(text2sql._object_name(now.object_oid, 0::int2), a.object_name), now.object_oid, false
    FROM text2sql._annotations a
    JOIN node n ON n.name = ANY (a.derived_from)
    CROSS JOIN LATERAL text2sql._resolve_objects(a.catalog, ARRAY[a.object_name], ARRAY[a.object_oid], ARRAY[a.column_number]) AS now
)
SELECT coalesce(json_agg(json_build_object(
           'of', a.place - 1, 'kind', a.kind, 'object', a.object, 'next', coalesce(a.next::int8, 0), 'is_certain', a.is_certain)), '[]')::text
FROM about a
