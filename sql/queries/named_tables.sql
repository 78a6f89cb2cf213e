-- Relations that have one of the names $1 (text[]), in any schema, at most $2 of them. Whether they are
-- readable is checked when they are described. Run by src/pg/search/role_catalog.rs.
SELECT coalesce(json_agg(named.oid), '[]')::text
FROM (
    SELECT c.oid::bigint AS oid
    FROM pg_class AS c
    WHERE c.relname = ANY ($1::name[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    ORDER BY c.oid
    LIMIT $2
) AS named
