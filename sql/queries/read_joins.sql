-- Accepted joins, and inferred ones that nobody has decided about, from any of the tables $1 oid[], as one JSON document. Called by src/pg/access/catalog with $2 text,
-- the catalog in which the OIDs are valid. Row-level security omits what the current user cannot see.
SELECT coalesce(json_agg(joined.document ORDER BY joined.is_likely, joined.id), '[]')::text
FROM (
    SELECT j.id, j.status = 'suggested' AS is_likely, json_build_object(
               'table', min(now.object_oid::int8) FILTER (WHERE now.place = 1),
               'target', min(now.object_oid::int8) FILTER (WHERE now.place > j.width),
               'columns', json_agg(a.attname ORDER BY now.place) FILTER (WHERE now.place <= j.width),
               'target_columns', json_agg(a.attname ORDER BY now.place) FILTER (WHERE now.place > j.width),
               'target_schema', min(n.nspname) FILTER (WHERE now.place > j.width),
               'target_name', min(c.relname) FILTER (WHERE now.place > j.width),
               'certainty', CASE j.status WHEN 'suggested' THEN j.certainty END
           ) AS document
    FROM (
        SELECT k.*, cardinality(k.object_names) / 2 AS width
        FROM text2sql._joins k
        WHERE (k.status = 'accepted' OR k.status = 'suggested' AND k.certainty IS NOT NULL) AND (k.object_oids[1] = ANY ($1) OR k.catalog <> $2)
    ) AS j
    CROSS JOIN LATERAL text2sql._resolve_objects(j.catalog, j.object_names, j.object_oids, j.column_numbers)
        WITH ORDINALITY AS now(object_oid, column_number, place)
    JOIN pg_attribute a ON a.attrelid = now.object_oid AND a.attnum = now.column_number
    JOIN pg_class c ON c.oid = now.object_oid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    GROUP BY j.id, j.width, j.status, j.certainty
    HAVING count(*) = 2 * j.width AND min(now.object_oid) FILTER (WHERE now.place = 1) = ANY ($1)
) AS joined
