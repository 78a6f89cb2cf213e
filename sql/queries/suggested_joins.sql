-- The joins $1 int8[] that await review and that the current user can see, as one JSON document. Called by
-- src/pg/stored/teaching/joins.rs.
SELECT coalesce(json_agg(json_build_object(
    'id', j.id,
    'columns', now.names[1 : cardinality(j.object_names) / 2],
    'target_columns', now.names[cardinality(j.object_names) / 2 + 1 :],
    'evidence', j.evidence
) ORDER BY j.id), '[]')::text
FROM text2sql._joins j
CROSS JOIN LATERAL (
    SELECT array_agg(coalesce(text2sql._object_name(n.object_oid, n.column_number), n.name) ORDER BY n.place) AS names
    FROM ROWS FROM (
        text2sql._resolve_objects(j.catalog, j.object_names, j.object_oids, j.column_numbers),
        unnest(j.object_names)
    ) WITH ORDINALITY AS n(object_oid, column_number, name, place)
) AS now
WHERE j.id = ANY ($1)
