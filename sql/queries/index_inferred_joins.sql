-- Adds the inferred joins that nobody has decided about to the search index, with $1 text, the catalog of the OIDs. Run
-- in src/pg/search/refresh/joins/store.rs.
INSERT INTO text2sql._index_joins (from_table, from_columns, to_table, to_columns, certainty)
SELECT j.object_oids[1], named.list[1 : half.width], j.object_oids[half.width + 1], named.list[half.width + 1 :], j.certainty
FROM text2sql._joins j
CROSS JOIN LATERAL (SELECT cardinality(j.object_oids) / 2 AS width) AS half
CROSS JOIN LATERAL (
    SELECT array_agg(a.attname::text ORDER BY object.place) AS list
    FROM unnest(j.object_oids, j.column_numbers) WITH ORDINALITY AS object(oid, number, place)
    JOIN pg_attribute a ON a.attrelid = object.oid AND a.attnum = object.number AND NOT a.attisdropped
) AS named
WHERE j.catalog = $1 AND j.status = 'suggested' AND j.certainty IS NOT NULL
  AND cardinality(named.list) = 2 * half.width
