-- The examples that the current user may see, as one JSON document. Called by
-- src/pg/teaching/examples.rs.
SELECT coalesce(json_agg(json_build_object(
    'id', e.id,
    'question', e.question,
    'sql', e.sql,
    'tables', ARRAY(
        SELECT DISTINCT coalesce(text2sql._object_name(n.object_oid, 0::int2), n.name)
        FROM ROWS FROM (
            text2sql._objects_now(e.catalog, e.object_names, e.object_oids, e.column_numbers),
            unnest(e.object_names)
        ) AS n(object_oid, column_number, name)
        ORDER BY 1),
    'verified_by', e.verified_by,
    'intent', e.intent,
    'intent_reason', e.intent_reason,
    'origin', e.origin
) ORDER BY e.id), '[]')::text
FROM text2sql.examples e
