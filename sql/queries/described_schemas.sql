-- What describe() says of schemas that the current user may see, as one JSON array of pairs: name, description. Called by
-- src/pg/access/catalog/schemas.rs.
SELECT coalesce(json_agg(json_build_array(n.nspname, left(taught.description, 4000)) ORDER BY taught.taught_at), '[]')::text
FROM text2sql._annotations AS taught
CROSS JOIN LATERAL text2sql._resolve_objects(
    taught.catalog, ARRAY[taught.object_name], ARRAY[taught.object_oid], ARRAY[taught.column_number]) AS now
JOIN pg_namespace n ON n.oid = now.object_oid
WHERE taught.column_number = -1 AND now.column_number = -1 AND taught.description IS NOT NULL
