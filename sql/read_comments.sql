-- A fingerprint of each table's comments, its columns' included, as one JSON object by OID; tables
-- without comments are left out. Called by src/pg/catalog with $1 oid[] at every question, because
-- COMMENT ON sends no invalidation of any kind.
SELECT coalesce(json_object_agg(commented.objoid, commented.fingerprint), '{}')::text
FROM (
    SELECT d.objoid, sum(hashtextextended(d.description, d.objsubid))::text AS fingerprint
    FROM pg_description d
    WHERE d.objoid = ANY ($1) AND d.classoid = 'pg_class'::regclass
    GROUP BY d.objoid
) AS commented
