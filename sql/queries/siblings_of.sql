-- For each of the tables $1 (oid[]): the tables that share a family key with it, at most $2 (bigint) of
-- each key. Run by src/pg/search/search_index/joins.rs.
SELECT mine.item, mine.key, member.item, member.part, member.name
FROM (
    SELECT own.item, own.key FROM text2sql._index_families own
    WHERE own.item = ANY ($1)
      -- Most keys belong to a single table. OFFSET 0 prevents the members of each from being fetched before
      -- that is known.
      AND EXISTS (SELECT FROM text2sql._index_families f WHERE f.key = own.key AND f.item <> own.item)
    OFFSET 0
) AS mine
CROSS JOIN LATERAL (
    SELECT f.item, f.part, c.relname::pg_catalog.text AS name
    FROM text2sql._index_families f JOIN pg_catalog.pg_class c ON c.oid = f.item
    WHERE f.key = mine.key LIMIT $2
) AS member
