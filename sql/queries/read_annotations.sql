-- Stored knowledge about tables and their columns, as one JSON document. Called by src/pg/access/catalog with
--   $1 oid[]   the tables
--   $2 text[]  their names as SQL writes them
--   $3 text    the catalog that OIDs are of here
-- Row-level security omits what the current user cannot see. Rows from a dump, or about a table that was
-- dropped and created again, are found by name.
SELECT coalesce(json_agg(json_build_object(
    'table', now.object_oid::int8,
    'column', now.column_number,
    'description', taught.description,
    'value_meanings', taught.value_meanings,
    'synonyms', taught.synonyms,
    'is_rarely_useful', taught.priority IS NOT DISTINCT FROM 'low',
    'is_derived', taught.derived_from <> '{}',
    -- to_regclass would raise an error for an invalid name.
    'made_of', (
        SELECT coalesce(json_agg(found.oid::int8), '[]')
        FROM unnest(taught.derived_from) AS source(name)
        CROSS JOIN LATERAL (
            SELECT CASE WHEN source.name ~ '^("([^"]|"")+"|[a-z_][a-z0-9_$]*)[.]("([^"]|"")+"|[a-z_][a-z0-9_$]*)$'
                        THEN to_regclass(source.name)::oid END AS oid) AS found
        WHERE found.oid IS NOT NULL)
) ORDER BY taught.taught_at), '[]')::text
FROM (
    SELECT a.* FROM text2sql._annotations a
    WHERE a.object_oid = ANY ($1) AND a.catalog = $3
    UNION ALL
    SELECT a.* FROM text2sql._annotations a
    WHERE a.table_name = ANY ($2)
      AND NOT (a.catalog = $3 AND EXISTS (SELECT FROM pg_class c WHERE c.oid = a.object_oid))
) AS taught
CROSS JOIN LATERAL text2sql._resolve_objects(
    taught.catalog, ARRAY[taught.object_name], ARRAY[taught.object_oid], ARRAY[taught.column_number]) AS now
WHERE now.object_oid = ANY ($1)
