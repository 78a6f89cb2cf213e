-- What is needed to judge the definitions that the current user can see, as one JSON document. Called by
-- src/pg/stored/teaching/definitions.rs.
SELECT coalesce(json_agg(json_build_object(
    'id', d.id,
    'term', d.term,
    'is_whole', now.is_whole
) ORDER BY lower(d.term), d.applies_to), '[]')::text
FROM text2sql._definitions d
CROSS JOIN LATERAL (
    SELECT coalesce(bool_and(n.object_oid IS NOT NULL), true) AS is_whole
    FROM text2sql._resolve_objects(d.catalog, d.object_names, d.object_oids, d.column_numbers) AS n
) AS now
