-- Views that read a relation, through other views too, as one JSON array of pairs of OID and name.
-- Called by src/pg/access/protection/change.rs with $1 oid: the schema, $2 oid: the relation, or NULL for all
-- relations of the schema.
WITH RECURSIVE reader(oid) AS (
    SELECT c.oid FROM pg_class c
    WHERE c.relnamespace = $1 AND ($2 IS NULL OR c.oid = $2) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    UNION
    SELECT w.ev_class
    FROM reader
    JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = reader.oid AND d.classid = 'pg_rewrite'::regclass
    JOIN pg_rewrite w ON w.oid = d.objid
)
SELECT coalesce(json_agg(json_build_array(c.oid::int8, quote_ident(n.nspname) || '.' || quote_ident(c.relname))
                         ORDER BY n.nspname, c.relname), '[]')::text
FROM reader
JOIN pg_class c ON c.oid = reader.oid AND c.relkind IN ('v', 'm')
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid IS DISTINCT FROM $2 AND ($2 IS NOT NULL OR c.relnamespace <> $1)
