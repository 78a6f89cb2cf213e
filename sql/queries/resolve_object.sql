-- The possible meanings of a name: schemas, relations and columns, as rows of kind, schema OID, relation OID,
-- column number, schema, relation and column name. Called by src/pg/access/objects/mod.rs with
--   $1 text[]  the parts of the name, one to three
--   $2 oid[]   the caller's search_path, in order: the first schema that contains the relation is used
-- Only schemas on which the current user has USAGE are searched, as in PostgreSQL itself.
WITH relation AS MATERIALIZED (
    -- name, name.column
    SELECT first_found.*, CASE WHEN cardinality($1) = 2 THEN $1[2] END AS wanted_column
    FROM (
        SELECT c.oid, c.relnamespace, c.relname
        FROM unnest($2) WITH ORDINALITY AS path(schema_oid, place)
        JOIN pg_class c ON c.relnamespace = path.schema_oid AND c.relname = $1[1]
        WHERE cardinality($1) <= 2
          AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
          AND has_schema_privilege(c.relnamespace, 'USAGE')
        ORDER BY path.place
        LIMIT 1
    ) AS first_found
    UNION ALL
    -- schema.name, schema.name.column
    SELECT c.oid, c.relnamespace, c.relname, CASE WHEN cardinality($1) = 3 THEN $1[3] END
    FROM pg_namespace n
    JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = $1[2]
    WHERE cardinality($1) IN (2, 3)
      AND n.nspname = $1[1]
      AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
      AND has_schema_privilege(n.oid, 'USAGE')
)
SELECT found.kind, found.schema_oid, found.relation_oid, found.column_number,
       n.nspname::text, c.relname::text, a.attname::text
FROM (
    SELECT 'schema' AS kind, n.oid AS schema_oid, NULL::oid AS relation_oid, NULL::int2 AS column_number
    FROM pg_namespace n
    WHERE cardinality($1) = 1 AND n.nspname = $1[1] AND has_schema_privilege(n.oid, 'USAGE')
    UNION ALL
    SELECT 'relation', r.relnamespace, r.oid, NULL
    FROM relation r
    WHERE r.wanted_column IS NULL
    UNION ALL
    SELECT 'column', r.relnamespace, r.oid, a.attnum
    FROM relation r
    JOIN pg_attribute a ON a.attrelid = r.oid AND a.attname = r.wanted_column
    WHERE a.attnum > 0 AND NOT a.attisdropped
) AS found
JOIN pg_namespace n ON n.oid = found.schema_oid
LEFT JOIN pg_class c ON c.oid = found.relation_oid
LEFT JOIN pg_attribute a ON a.attrelid = found.relation_oid AND a.attnum = found.column_number
ORDER BY found.kind, n.nspname
